"""Columns as a mapping, as frames and as CSV files."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersparse import SLIMClassifier
from supersparse.datasets import Columns, load_breast_cancer, load_mammography
from supersparse.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError
from supersparse.table.datasets.dataset import cells, numbers

MIXED = Columns(
    {
        "age": np.array([40.0, np.nan, 61.5]),
        "visits": np.array([1, 2, 3]),
        "sex": np.array(["f", None, 'm, "x"'], dtype=object),
    }
)


def test_columns_are_a_mapping():
    assert list(MIXED) == ["age", "visits", "sex"]
    assert len(MIXED) == 3
    assert MIXED.n_rows == 3
    assert dict(MIXED)["visits"].tolist() == [1, 2, 3]


def test_the_features_of_a_dataset_have_their_names_and_train_a_classifier():
    data = load_breast_cancer()
    assert list(data.features) == list(data.feature_names)
    assert np.array_equal(np.column_stack(list(data.features.values())), data.X)
    model = SLIMClassifier(prepare="auto", max_features=1, max_points=1).fit(data.features, data.labels)
    (name,) = {item.column for item in model.scoring_system_.card.items}
    assert name in data.feature_names
    assert model.predict(data.features).shape == data.labels.shape


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(InvalidDataError, match="'a' 1, 'b' 2"):
        Columns({"a": np.array([1]), "b": np.array([1, 2])})


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_have_the_same_values_and_the_same_gaps(library):
    pytest.importorskip(library)
    import narwhals as nw

    frame = nw.from_native(MIXED.frame(library), eager_only=True)
    assert frame.columns == list(MIXED)
    assert [frame[name].is_null().to_list() for name in MIXED] == [
        [False, True, False], [False] * 3, [False, True, False],
    ]  # fmt: skip
    assert frame["visits"].to_list() == [1, 2, 3]
    assert frame["sex"].to_list()[2] == 'm, "x"'
    assert frame["age"].to_list()[2] == 61.5


def test_a_frame_of_an_unknown_or_missing_library_is_refused(monkeypatch):
    with pytest.raises(InvalidOptionError, match="did you mean 'pandas'"):
        MIXED.frame("panda")
    monkeypatch.setattr("supersparse.table.datasets.dataset.find_spec", lambda name: None)
    with pytest.raises(PackageNotInstalledError, match="pip install polars"):
        MIXED.frame("polars")


def test_the_csv_file_has_blanks_and_quotes_where_needed(tmp_path):
    MIXED.write_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b'age,visits,sex\n40,1,f\n,2,\n61.5,3,"m, ""x"""\n'


@pytest.mark.parametrize("load", [load_breast_cancer, load_mammography])
def test_the_csv_file_of_a_dataset_reads_back(load, tmp_path):
    data = load()
    data.columns.write_csv(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [*data.feature_names, data.target]
    assert [row[-1] for row in rows] == data.labels.tolist()
    assert np.array_equal(np.array([row[:-1] for row in rows], dtype=float), data.X)


@settings(max_examples=50)
@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_numbers_are_read_to_the_last_digit(values):
    read = numbers(["?" if value is None else repr(value) for value in values])
    assert [None if value != value else value for value in read.tolist()] == values


def test_a_row_with_a_cell_too_few_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        cells("a,b\n1,2\n3\n")

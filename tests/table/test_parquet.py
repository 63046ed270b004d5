"""Parquet files: the same columns as from text, with the types that the file states."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from supersparse.errors import InvalidDataError, PackageNotInstalledError
from supersparse.table import other_files as ours
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.table import Kind

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def path(tmp_path):
    table = pyarrow.table(
        {
            "whole": pyarrow.array([1, 2, None], pyarrow.int16()),
            "large": pyarrow.array([2**60, None, 2], pyarrow.int64()),
            "real": [0.1, float("nan"), None],
            "truth": [True, None, False],
            "text": ["a", "?", None],
            "coded": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
            "price": pyarrow.array([Decimal("1.10"), Decimal("2.00"), None], pyarrow.decimal128(9, 2)),
            "day": [datetime.date(2024, 1, 31), None, datetime.date(2023, 1, 1)],
            "nothing": pyarrow.array([None, None, None], pyarrow.string()),
        }
    )
    parquet.write_table(table, tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


KINDS = {
    "whole": Kind.NUMBER, "large": Kind.NUMBER, "real": Kind.NUMBER, "truth": Kind.TRUTH, "text": Kind.TEXT,
    "coded": Kind.TEXT, "price": Kind.NUMBER, "day": Kind.DATE, "nothing": Kind.EMPTY,
}  # fmt: skip


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
def test_columns_keep_their_types_and_gaps(path, package, monkeypatch):
    if package == "polars":
        pytest.importorskip("polars")
        monkeypatch.setattr(ours, "find_spec", lambda name: None if name == "pyarrow" else name)
    table = read_table(path, Reading.of(na="?"))
    assert {name: column.kind for name, column in table.columns.items()} == KINDS
    values = {name: column.values.tolist() for name, column in table.columns.items()}
    assert values["large"] == [2**60, None, 2]
    assert np.isnan(values["real"]).tolist() == [False, True, True]
    assert values["truth"] == [True, None, False]
    assert values["text"] == ["a", None, None]
    assert values["coded"] == ["x", "y", "x"]
    assert values["price"] == [Fraction(11, 10), 2, None]
    assert values["day"] == ["2024-01-31", None, "2023-01-01"]
    assert [column.n_missing for column in table.columns.values()] == [1, 1, 2, 1, 2, 0, 1, 1, 3]
    assert (table.n_rows, table.place(1)) == (3, "row 2")


def test_some_columns_can_be_read_as_text(path):
    table = read_table(path, wanted={"whole", "real"}.__contains__, expected={"whole": Kind.TEXT})
    assert table.columns["whole"].values.tolist() == ["1", "2", None]
    assert list(table.columns) == ["whole", "real"]
    assert table.names == tuple(KINDS)


def test_a_broken_file_and_a_missing_package_are_named(tmp_path, monkeypatch):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(InvalidDataError, match=r"broken.parquet is not a readable Parquet file"):
        read_table(tmp_path / "broken.parquet")
    monkeypatch.setattr(ours, "find_spec", lambda name: None)
    with pytest.raises(PackageNotInstalledError, match=r"pip install pyarrow"):
        read_table(tmp_path / "broken.parquet")

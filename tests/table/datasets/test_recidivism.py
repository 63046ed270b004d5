"""ProPublica's records: what is kept of the files, what is asked, and what stands in raw alone."""

import csv
import io

import numpy as np
import pytest

from supersparse.datasets import load, load_recidivism, recidivism
from supersparse.errors import DownloadError, InvalidDataError, InvalidOptionError
from supersparse.table.datasets.dataset import Size
from supersparse.table.datasets.originals import RECIDIVISM, RECIDIVISM_VIOLENT, data_folder, fetch

SOMEBODY = {
    "name": "no body", "dob": "1980-01-01", "c_case_number": "1", "sex": "Male", "age": "30",
    "age_cat": "25 - 45", "race": "Other",
    "juv_fel_count": "0", "decile_score": "9", "juv_misd_count": "0", "juv_other_count": "0",
    "priors_count": "0", "days_b_screening_arrest": "-1", "c_jail_in": "2013-08-13 06:00:00",
    "c_jail_out": "2013-08-13 18:00:00", "c_charge_degree": "F", "c_charge_desc": "Escape", "is_recid": "0",
    "score_text": "High", "v_decile_score": "2", "v_score_text": "Low", "two_year_recid": "0",
}  # fmt: skip


def published(*changes, ends="\n"):
    """A file like the published ones, with a row for each set of changes to somebody."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, SOMEBODY, lineterminator=ends)
    writer.writeheader()
    writer.writerows(SOMEBODY | change for change in changes)
    return file.getvalue()


def stored(folder, original, text):
    (folder / "raw").mkdir(exist_ok=True)
    (folder / original.file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("variant", "original", "score"),
    [("violent", RECIDIVISM_VIOLENT, "v_score_text"), ("any", RECIDIVISM, "score_text")],
)
def test_rows_are_those_of_the_published_analysis_and_names_are_nowhere(
    variant, original, score, tmp_path, monkeypatch
):
    rows = [{"two_year_recid": "1", "race": "Hispanic"}, {score: "N/A"}, {"sex": "Female", "c_charge_desc": ""}]
    stored(tmp_path, original, published(*rows))
    size = "SIZE_OF_VIOLENT" if variant == "violent" else "SIZE_OF_ANY"
    with pytest.raises(InvalidDataError, match=r"gives 2 rows, 51 columns .*; expected are \d+, \d+ and \d+; delete"):
        load_recidivism(variant, folder=tmp_path)
    monkeypatch.setattr(recidivism, size, Size(rows=2, columns=51, positive=1))
    data = load("recidivism", variant, folder=tmp_path)
    assert data.kept.tolist() == [0, 2]
    assert data.y.tolist() == [1, 0]
    assert data.X[:, data.feature_names.index("Female")].tolist() == [0, 1]
    assert data.raw["race"].tolist() == ["Hispanic", "Other", "Other"]
    assert data.raw["c_charge_desc"].tolist() == ["Escape", "Escape", None]
    assert not {"name", "dob", "c_case_number"} & set(data.raw)
    assert not any(word in name.lower() for name in data.feature_names for word in ("race", "decile", "score_"))


def test_another_table_is_named_by_what_it_lacks(tmp_path):
    stored(tmp_path, RECIDIVISM, "age,sex\n3,Male\n")
    with pytest.raises(InvalidDataError, match=r"has no column 'juv_fel_count'; delete the file and fetch"):
        load_recidivism("any", folder=tmp_path)
    with pytest.raises(InvalidOptionError, match="recidivism has no variant 'all'"):
        load_recidivism("all")


def test_other_line_ends_are_the_same_text():
    unix, windows = (published({}, ends=ends).encode() for ends in ("\n", "\r\n"))
    assert RECIDIVISM.text(unix) == RECIDIVISM.text(windows) == unix.decode()


def test_a_file_that_differs_or_cannot_be_reached_is_refused_with_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "compas-scores-two-years.csv").write_text(published({}))
    with pytest.raises(InvalidDataError, match=r"differ from those expected .* expected d180e4"):
        fetch([RECIDIVISM], folder=tmp_path / "to", copy_from=tmp_path)

    def offline(*_):
        raise OSError("Network is unreachable")

    monkeypatch.setattr("supersparse.table.datasets.originals._receive", offline)
    with pytest.raises(DownloadError, match=r"Network is unreachable; check the network, or copy the file from"):
        fetch([RECIDIVISM], folder=tmp_path / "to")


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("variant", "original", "rows"), [("violent", RECIDIVISM_VIOLENT, 4020), ("any", RECIDIVISM, 6172)]
)
def test_the_published_files_have_the_rows_of_the_published_analysis(variant, original, rows):
    if not (data_folder() / original.file).is_file():
        pytest.skip("needs the published file: supersparse datasets fetch recidivism")
    data = load_recidivism(variant)
    assert len(data.y) == rows
    assert np.isin(data.X, (0, 1)).all()

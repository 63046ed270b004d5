"""Workbooks and the files of statistics packages are read as the same table in CSV would be."""

import builtins
import datetime

import numpy as np
import pytest

from supersparse.errors import InvalidDataError, PackageNotInstalledError
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.table import Kind

HEADER = ["age", "troponin", "smoker", "seen", "ok"]
ROWS = [
    [
        20 + i,
        "<0.01" if i % 5 == 0 else i / 100,
        "Ja" if i % 7 == 0 else "ja",
        datetime.date(2024, 3, 1 + i),
        i % 2 == 0,
    ]
    for i in range(24)
]


def check(table):
    kinds = [column.kind for column in table.columns.values()]
    assert kinds == [Kind.NUMBER, Kind.NUMBER, Kind.TEXT, Kind.DATE, Kind.TRUTH]
    assert table.columns["age"].values.tolist() == [row[0] for row in ROWS]
    expected = [-np.inf if row[1] == "<0.01" else row[1] for row in ROWS]
    assert table.columns["troponin"].values.tolist() == expected
    assert set(table.columns["smoker"].values.tolist()) == {"ja"}
    assert table.columns["seen"].values.tolist()[:2] == ["2024-03-01", "2024-03-02"]


@pytest.fixture
def workbook(tmp_path):
    pytest.importorskip("python_calamine")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(tmp_path / "data.xlsx", {"default_date_format": "yyyy-mm-dd"})
    for name, rows in (("Data", [[], HEADER, *ROWS[:10], [], *ROWS[10:]]), ("Notes", [["text"], ["x"]])):
        sheet = book.add_worksheet(name)
        for k, row in enumerate(rows):
            for j, cell in enumerate(row):
                sheet.write(k, j, cell)
    book.close()
    return tmp_path / "data.xlsx"


def test_a_sheet_is_read_like_a_csv_file(workbook):
    table = read_table(workbook)
    check(table)
    assert table.place(0) == "line 3"
    assert table.place(10) == "line 14"
    assert "has 2 sheets; 'Data' is read, use --sheet for 'Notes'" in table.notes[0]
    assert table.reading.found["sheet"] == "Data"
    notes = read_table(workbook, Reading.of(sheet="Notes"))
    assert notes.columns["text"].values.tolist() == ["x"]
    with pytest.raises(InvalidDataError, match="has no sheet 'Dats'; did you mean 'Data'"):
        read_table(workbook, Reading.of(sheet="Dats"))


def test_a_number_in_a_workbook_has_no_sign_that_could_part_thousands(tmp_path):
    pytest.importorskip("python_calamine")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(tmp_path / "data.xlsx")
    sheet = book.add_worksheet("Data")
    for k, row in enumerate([["height", "lab"], ["1,80", 3.125], ["1,65", 1.234]]):
        sheet.write_row(k, 0, row)
    book.close()
    columns = read_table(tmp_path / "data.xlsx").columns
    assert [one.values.tolist() for one in columns.values()] == [[1.8, 1.65], [3.125, 1.234]]


def test_a_file_that_is_no_workbook_is_named(tmp_path):
    pytest.importorskip("python_calamine")
    (tmp_path / "data.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(InvalidDataError, match="is not a readable workbook"):
        read_table(tmp_path / "data.xlsx")


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_files_of_statistics_packages(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    path = tmp_path / f"data.{ending}"
    frame = pandas.DataFrame(
        {"age": [20.0 + i for i in range(24)], "bmi": [20.5, None] * 12, "smoker": ["Ja", *["ja"] * 23]}
    )
    {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[ending](frame, str(path))
    table = read_table(path)
    assert table.columns["age"].values.tolist() == [20 + i for i in range(24)]
    assert table.columns["bmi"].n_missing == 12
    assert set(table.columns["smoker"].values.tolist()) == {"ja"}


def test_a_damaged_statistics_file_is_named(tmp_path):
    pytest.importorskip("pyreadstat")
    (tmp_path / "data.sas7bdat").write_bytes(b"no such file" * 100)
    with pytest.raises(InvalidDataError, match=r"is not a readable \.sas7bdat file"):
        read_table(tmp_path / "data.sas7bdat")


@pytest.mark.parametrize(
    ("name", "package", "hint"),
    [
        ("data.xlsx", "python_calamine", "pip install python-calamine"),
        ("data.sav", "pyreadstat", "pip install pyreadstat"),
    ],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, name, package, hint):
    (tmp_path / name).write_bytes(b"anything")
    real = builtins.__import__

    def fake(module, *arguments):
        if module == package:
            raise ImportError
        return real(module, *arguments)

    monkeypatch.setattr(builtins, "__import__", fake)
    with pytest.raises(PackageNotInstalledError, match=hint):
        read_table(tmp_path / name)


def test_codes_and_spellings_are_tidied_in_parquet_too(tmp_path):
    polars = pytest.importorskip("polars")
    ages = [-99 if i == 3 else 20 + i for i in range(24)]
    frame = polars.DataFrame({"age": ages, "smoker": ["Ja", *["ja"] * 23]})
    frame.write_parquet(tmp_path / "data.parquet")
    table = read_table(tmp_path / "data.parquet")
    assert table.columns["age"].n_missing == 1
    assert set(table.columns["smoker"].values.tolist()) == {"ja"}
    assert set(table.column_notes) == {"age", "smoker"}

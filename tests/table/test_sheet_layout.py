"""Workbooks as people keep them: banners, merged headers, totals, pages of notes, money and words for nothing."""

import pytest

from supersparse.errors import InvalidDataError
from supersparse.table.files import read_table
from supersparse.table.reading import Reading

openpyxl = pytest.importorskip("openpyxl")
ROWS = [[k, 60 + k, 140 + k % 5, ["yes", "no"][k % 2]] for k in range(12)]


def saved(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows, merged in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    book.save(path)
    return path


def test_a_banner_merged_headers_and_totals(tmp_path):
    rows = [
        ["Audit of ward 7, 2024"], [], ["", "Patient", "Lab", ""], ["id", "age", "Na", "outcome"], *ROWS,
        ["Total:", 12, "", ""],
    ]  # fmt: skip
    path = saved(tmp_path / "audit.xlsx", ("Audit", rows, ["A1:D1", "C3:D3"]))
    table = read_table(path)
    assert table.names == ("id", "Patient age", "Lab Na", "Lab outcome")
    assert table.n_rows == 12
    assert table.column("id").values.tolist() == list(range(12))
    notes = " ".join(table.notes)
    assert "1 row of totals at the end left out, the first is 'Total:'" in notes
    assert "row 4 names the columns; 1 row above it left out" in notes


def test_the_row_of_the_header_can_be_said(tmp_path):
    path = saved(tmp_path / "a.xlsx", ("S", [["2023", "2024"], ["a", "b"], [1, 2], [3, 4]], []))
    assert read_table(path, Reading.of(header_row=2)).names == ("a", "b")
    with pytest.raises(InvalidDataError, match="row 9 is empty; name the row that names the columns"):
        read_table(path, Reading.of(header_row=9))


def test_a_plain_sheet_is_read_as_before_and_a_page_of_notes_is_passed_over(tmp_path):
    plain = ("Data", [["id", "age", "Na", "died"], *ROWS], [])
    assert read_table(saved(tmp_path / "plain.xlsx", plain)).notes == ()
    found = read_table(saved(tmp_path / "two.xlsx", ("Read me", [["Made by X"], ["2024"]], []), plain))
    assert found.names == ("id", "age", "Na", "died")
    assert "'Data' is read, the first sheet with a table" in found.notes[0]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$47,122", "$1,250.50", "$900"], [47122, 1250.5, 900]),
        (["47 122,00 EUR", "1 250,50 EUR", "900,00 EUR"], [47122, 1250.5, 900]),
        (["1.250,50 €", "900,25 €", "12.000,00 €"], [1250.5, 900.25, 12000]),
    ],
    ids=str,
)
def test_amounts_of_money_are_numbers(tmp_path, cells, numbers):
    path = tmp_path / "money.tsv"
    path.write_text("\n".join(["x\ty", *(f"{cell}\t{k % 2}" for k, cell in enumerate(cells))]) + "\n", encoding="utf-8")
    assert [float(value) for value in read_table(path).column("x").values.tolist()] == numbers


def test_words_for_a_missing_value_are_asked_once_for_the_whole_table(tmp_path):
    path = tmp_path / "words.csv"
    rows = [f"{k if k % 5 else 'k.A.'},{k * 2 if k % 7 else '?'},{'not done' if k == 4 else k}" for k in range(1, 40)]
    path.write_text("\n".join(["a,b,c", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(InvalidDataError) as caught:
        read_table(path)
    assert "'k.A.' (7), '?' (5), 'not done' (1) mean a missing value, it seems, in the columns 'a', 'b', 'c'" in str(
        caught.value
    )
    table = read_table(path, Reading.of(na="k.A.,?,not done"))
    assert [table.column(name).kind.name for name in "abc"] == ["NUMBER"] * 3

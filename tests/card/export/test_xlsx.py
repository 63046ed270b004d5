"""The spreadsheet, calculated here and in LibreOffice, agrees with the card; no text of it is a formula."""

import io
import re
import subprocess

import pytest

from card.export.formulas import Workbook
from card.export.people import as_typed, check, drawn, finite, reference
from programs import command, needs
from supersparse import ScoringSystem, item
from supersparse.card.lines import lines_of
from supersparse.card.risk import LogisticRisk
from supersparse.card.rules import IsMissing
from supersparse.errors import InvalidDataError, UnsupportedCardError
from supersparse.table.values import is_missing

pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

from supersparse.card.export.xlsx import to_xlsx  # noqa: E402


def form(book):
    """The row of each line of the form, by its number, and the row of the total."""
    texts = {row: cell.value for row, (cell,) in enumerate(book["Card"].iter_rows(max_col=1), start=1)}
    asked = {row: text for row, text in texts.items() if row > 4 and book["Card"].cell(row, 4).value}
    *lines, total = asked
    assert texts[total] == "Total"
    return lines, total


def answer_of(line, person):
    """What one would answer to a line of the card; None if no answer fits."""
    value = person[line.column]
    missing = is_missing(value)
    if line.times:
        return "Not known" if missing else value
    if line.is_question:
        asked_missing = isinstance(line.rule, IsMissing)
        if missing and not asked_missing:
            return "Not known"
        return "Yes" if (missing if asked_missing else line.rule.holds(value, "")) else "No"
    for one in line.answers:
        asked_missing = isinstance(one.rule, IsMissing)
        if missing == asked_missing and (missing or one.rule.holds(value, "")):
            return one.text
    return None


def answered(content, card, person):
    """Fill in the form for one person; saving drops the stored results, so they must be calculated."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    rows, _ = form(book)
    for row, line in zip(rows, lines_of(card), strict=True):
        given = answer_of(line, person)
        cell = book["Card"].cell(row, 2, given)
        cell.data_type = "s" if isinstance(given, str) else "n"
    return book


def results(value, book, card):
    """Total, class and risk of the form, and of each row of the table; `value` takes a sheet and a cell."""
    from openpyxl.utils import get_column_letter

    n = 3 if card.risk is not None else 2
    _, total = form(book)
    found = [[value("Card", f"C{total + k}") for k in range(n)]]
    first = len(card.columns) + 1
    for row in range(2, book["Table"].max_row + 1):
        found.append([value("Table", f"{get_column_letter(first + k)}{row}") for k in range(n)])
    return [[None if cell == "" else cell for cell in row] for row in found]


def cases(most):
    """Cards, people and filled workbooks; the first person, whom the card accepts, is in the form, too.

    A column of yes and no may have other values in a table, but the form has no answer for them.
    """
    for card, _, group in drawn():
        people, lines = finite(group), lines_of(card)
        fitting = [p for p in people if all(answer_of(line, p) is not None for line in lines)]
        scored = [p for p in fitting if reference(as_typed(card), p) is not None]
        if scored and most:
            most -= 1
            content = to_xlsx(card, people=people, rows=0)
            yield card, [scored[0], *people], answered(content, card, scored[0])


def test_the_formulas_agree_with_the_card():
    made = list(cases(50))
    assert len(made) > 25
    for card, group, book in made:
        rows = results(Workbook(book).value, book, card)
        assert rows[0][0] is not None
        for person, row in zip(group, rows, strict=True):
            check(as_typed(card), person, *row)


@needs("LibreOffice")
def test_libreoffice_agrees_with_the_card(tmp_path):
    made = list(cases(25))
    for number, (_, _, book) in enumerate(made):
        book.save(tmp_path / f"card{number}.xlsx")
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    options = [profile, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "out")]
    done = subprocess.run(
        [command("LibreOffice"), *options, *map(str, sorted(tmp_path.glob("*.xlsx")))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for number, (card, group, book) in enumerate(made):
        calculated = openpyxl.load_workbook(tmp_path / "out" / f"card{number}.xlsx", data_only=True)
        rows = results(lambda sheet, cell, own=calculated: own[sheet][cell].value, book, card)
        for person, row in zip(group, rows, strict=True):
            check(as_typed(card), person, *row)


def test_nothing_is_shown_before_every_line_is_answered():
    system = ScoringSystem.of(
        [
            item("age", at_least=75, points=2, unit="years"),
            item("age", at_least=65, below=75, points=1, unit="years"),
            item("sex", equals="F", points=1, missing=0),
            item("weight", points=1, missing=3),
        ],
        above=80,
        risk=LogisticRisk(slope=0.1, offset=-8.0),
    )
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(system.card)))
    rows, total = form(book)
    answers = ["65 to under 75", "not known", 70.5]
    for row, given in zip(rows, answers, strict=True):
        shown = [Workbook(book).value("Card", f"C{total + k}") for k in range(3)]
        assert shown == ["", "", ""]
        book["Card"].cell(row, 2, given)
    shown = [Workbook(book).value("Card", f"C{total + k}") for k in range(3)]
    person = {"age": 70, "sex": None, "weight": 70.5}
    assert shown == [71.5, "no", pytest.approx(system.predict_risk(person))]
    book["Card"].cell(rows[0], 2, "70")  # no answer of the card
    assert Workbook(book).value("Card", f"C{total}") == ""
    texts = [cell.value for (cell,) in book["Card"].iter_rows(max_col=1)]
    assert "1. Age (years)" in texts
    assert "Predict yes if the total is more than 80, otherwise no." in texts


HOSTILE = ["=1+1", '=HYPERLINK("http://x")', "+1", "-1", "@SUM(1)", "http://x", "{=1}", "\t=1"]


def test_no_text_of_a_card_becomes_a_formula_or_a_link():
    items = [item(text, equals=text + " ", points=1, question=text) for text in HOSTILE]
    card = ScoringSystem.of(items, above=0, classes=("=1", "=2"), title="=3").card
    content = to_xlsx(card, people=[{text: text for text in HOSTILE}], rows=3)
    book = openpyxl.load_workbook(io.BytesIO(content))
    formulas = [c.value for sheet in book for row in sheet.iter_rows() for c in row if c.data_type == "f"]
    assert len(formulas) == 2 * len(items) + 3 + 3 * 3
    words = {word for f in formulas for word in re.findall(r"[A-Za-z]{2,}", f)}
    assert words <= {"IF", "OR", "AND", "NOT", "EXACT", "ISTEXT", "COUNT", "Texts"}
    assert not any(c.hyperlink for sheet in book for row in sheet.iter_rows() for c in row)


def most_arguments_and_depth(formula):
    """The most arguments that a function of a formula has, and how deep functions stand in each other."""
    open_calls, most, deepest = [], 0, 0
    for sign in re.findall(r"[A-Z]+\(|[(),]", re.sub(r'"[^"]*"', "", formula)):
        if sign == ")":
            most = max(most, open_calls.pop())
        elif sign == ",":
            open_calls[-1] += 1
        else:
            open_calls.append(1)
            deepest = max(deepest, len(open_calls))
    return most, deepest


def test_formulas_stay_within_what_excel_takes():
    many = ScoringSystem.of([item("c", one_of=list(range(300)), points=1)], above=0).card
    levels = ScoringSystem.of([item("c", equals=f"v{i}", points=i + 1) for i in range(80)], above=0).card
    for card, person, points in ((many, {"c": 299}, 1), (levels, {"c": "v79"}, 80)):
        book = openpyxl.load_workbook(io.BytesIO(to_xlsx(card, people=[person], rows=1)))
        for sheet in book:
            for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
                arguments, depth = most_arguments_and_depth(cell.value)
                assert arguments <= 255
                assert depth <= 64
        assert Workbook(book).value("Table", "B2") == points
    rows, total = form(book)
    for given, shown in (("v64", 65), ("no answer", "")):
        book["Card"].cell(rows[0], 2, given)
        assert Workbook(book).value("Card", f"C{total}") == shown


def test_what_a_spreadsheet_cannot_hold_is_refused():
    card = ScoringSystem.of([item("x", points=1)], above=0).card
    with pytest.raises(InvalidDataError, match="'x', row 1 is inf"):
        to_xlsx(card, people=[{"x": float("inf")}])
    mixed = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="'grade'"):
        to_xlsx(mixed)
    long = ScoringSystem.of([item("x", one_of=list(range(1000)), points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="formula of"):
        to_xlsx(long)

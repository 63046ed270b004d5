"""The spreadsheet, recalculated by LibreOffice, agrees with the card, and no text of it is a formula."""

import io
import re
import shutil
import subprocess

import pytest

from export.people import drawn, finite, label, reference
from supersparse import ScoringSystem, item
from supersparse.errors import InvalidDataError, UnsupportedCardError

pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

from supersparse.export.xlsx import to_xlsx  # noqa: E402

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")


def filled(content, card, person):
    """Fill in the sheet for one person; saving drops the stored results, so they must be calculated."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    for row, name in enumerate(card.columns, start=4):
        if person[name] not in (None, ""):
            cell = book["Card"].cell(row, 2, person[name])
            cell.data_type = "s" if isinstance(person[name], str) else "n"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_libreoffice_agrees_with_the_card(tmp_path):
    made = [(card, finite(group)) for card, _, group in drawn()[:25]]
    for number, (card, group) in enumerate(made):
        content = filled(to_xlsx(card, people=group, rows=0), card, group[0])
        (tmp_path / f"card{number}.xlsx").write_bytes(content)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [OFFICE, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, *map(str, sorted(tmp_path.glob("*.xlsx")))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    scored = 0
    for number, (card, group) in enumerate(made):
        book = openpyxl.load_workbook(tmp_path / "out" / f"card{number}.xlsx", data_only=True)
        rows = list(book["Table"].iter_rows(min_row=2, values_only=True))
        results = [row[len(card.columns) : len(card.columns) + 2] for row in rows]
        last = 8 + len(card.columns) + len(card.items)
        results.append((book["Card"].cell(last - 1, 3).value, book["Card"].cell(last, 3).value))
        for person, (score, given) in zip([*group, group[0]], results, strict=True):
            expected = reference(card, person)
            if expected is None:
                assert score in (None, ""), person
                assert given in (None, "")
            else:
                scored += 1
                assert score == pytest.approx(float(expected), rel=1e-12, abs=1e-12), person
                assert (score > 0) == (expected > 0)
                assert given == label(card, expected)
    assert scored > 50


HOSTILE = ["=1+1", '=HYPERLINK("http://x")', "+1", "-1", "@SUM(1)", "http://x", "{=1}", "\t=1"]


def test_no_text_of_a_card_becomes_a_formula_or_a_link():
    items = [item(text, equals=text + " ", points=1, question=text) for text in HOSTILE]
    card = ScoringSystem.of(items, threshold=0, classes=("=1", "=2"), title="=3").card
    content = to_xlsx(card, people=[{text: text for text in HOSTILE}], rows=3)
    book = openpyxl.load_workbook(io.BytesIO(content))
    formulas = [c.value for sheet in book for row in sheet.iter_rows() for c in row if c.data_type == "f"]
    assert len(formulas) == len(items) + 2 + 2 * 3
    words = {word for f in formulas for word in re.findall(r"[A-Za-z]{2,}", f)}
    assert words <= {"IF", "OR", "AND", "NOT", "EXACT", "ISTEXT", "Texts", "Card"}
    assert not any(c.hyperlink for sheet in book for row in sheet.iter_rows() for c in row)


def test_the_sheet_says_the_rule_in_words():
    card = ScoringSystem.of([item("x", equals=True, points=2)], threshold=1.5).card
    sheet = openpyxl.load_workbook(io.BytesIO(to_xlsx(card)))["Card"]
    texts = [row[0] for row in sheet.iter_rows(values_only=True)]
    assert "Total needed for yes: 2 or more" in texts
    assert "Score: total minus 1.5, above 0 for yes" in texts


def test_what_a_spreadsheet_cannot_hold_is_refused():
    card = ScoringSystem.of([item("x", points=1)], threshold=0).card
    with pytest.raises(InvalidDataError, match="'x', row 1 is inf"):
        to_xlsx(card, people=[{"x": float("inf")}])
    mixed = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match="'grade'"):
        to_xlsx(mixed)
    long = ScoringSystem.of([item("x", one_of=list(range(2000)), points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match="formula of"):
        to_xlsx(long)

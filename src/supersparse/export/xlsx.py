"""A card as a spreadsheet with live formulas; the package xlsxwriter is loaded when used.

The sheet "Card" scores one person, "Table" scores one person per row, and "Texts" contains the texts that
formulas compare with. An empty cell means missing. If the card refuses a value, the score stays empty.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from math import isfinite
from typing import Any

from supersparse.card.card import Card
from supersparse.card.rules import InRange, IsOneOf, readable
from supersparse.data.values import Category, is_missing
from supersparse.errors import InvalidDataError, PackageNotInstalledError, UnsupportedCardError
from supersparse.exact import shown
from supersparse.export.plan import ExportColumn, ExportPlan, ExportTerm, plain_text, plan

TextCell = Callable[[str], str]  # the address of the cell that holds a text


def points_formula(term: ExportTerm, x: str, cell_of: TextCell) -> str:
    """The points of an item for the value in cell `x`, in whole units."""
    gone = f'{x}=""'
    if term.asks_missing:
        return f"IF({gone},{term.points},0)"
    rule = term.item.rule
    if isinstance(rule, InRange):
        given = f"IF({_within(x, rule)},{term.points},0)"
    elif isinstance(rule, IsOneOf):
        given = f"IF({_among(x, rule.values, cell_of)},{term.points},0)"
    else:
        places = term.column.decimals
        value = f"ROUND(N({x})*{10**places},0)" if places else f"N({x})"
        given = f"{term.points}*{value}"
    return f"IF({gone},{term.missing or 0},{given})"


def refusals(column: ExportColumn, x: str, domain: InRange | None, cell_of: TextCell) -> list[str]:
    """Tests for values that the card refuses; `domain` has the limits of the column."""
    tests = []
    if column.needs_value or column.known is not None or column.limits is not None or column.whole:
        tests.append(f"NOT(ISTEXT({x}))" if column.is_text else f"ISTEXT({x})")
    if column.known is not None:
        tests.append(f"NOT({_among(x, column.known, cell_of)})")
    if domain is not None:
        tests.append(f"NOT({_within(x, domain)})")
    if column.whole:
        tests.append(f"N({x})<>INT(N({x}))")
    found = [f'AND({x}<>"",OR({",".join(tests)}))'] if tests else []
    return [f'{x}=""', *found] if column.refuses_missing else found


def _among(x: str, values: tuple[Category, ...], cell_of: TextCell) -> str:
    tests = [
        f"EXACT({x},{cell_of(v)})" if isinstance(v, str) else f"N({x})={short}"
        for v in values
        if isinstance(v, str) or (short := _short_equal(Fraction(v))) is not None
    ]
    return f"OR({','.join(tests)})" if tests else "FALSE"


def _within(x: str, rule: InRange) -> str:
    tests = []
    if rule.low is not None:
        short, side = _short(rule.low)
        included = rule.low_included if side == 0 else side > 0
        tests.append(f"N({x}){'>=' if included else '>'}{short}")
    if rule.high is not None:
        short, side = _short(rule.high)
        included = rule.high_included if side == 0 else side < 0
        tests.append(f"N({x}){'<=' if included else '<'}{short}")
    return f"AND({','.join(tests)})"


def _short(number: Fraction) -> tuple[str, int]:
    """The nearest 15-digit number, and whether it is above (1) or below (-1) the exact one."""
    text = f"{float(number):.15g}"
    difference = Fraction(text) - number
    return text, (difference > 0) - (difference < 0)


def _short_equal(number: Fraction) -> str | None:
    text, side = _short(number)
    return None if side else text


_LONGEST_TEXT, _LONGEST_FORMULA = 32767, 8192


def to_xlsx(
    card: Card,
    *,
    people: Sequence[Mapping[str, object]] = (),
    rows: int = 100,
    decimals: int | Mapping[str, int] | None = None,
) -> bytes:
    """Return the workbook. `people` fill the first rows of its table, which has at least `rows` rows.

    `decimals` as in `supersparse.export.plan`.
    """
    try:
        import xlsxwriter
    except ImportError as error:
        raise PackageNotInstalledError(
            "the spreadsheet export needs xlsxwriter: pip install 'supersparse[export]'"
        ) from error
    held = BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(held, {"in_memory": True, **options})
    writer = _Book(book, plan(card, "a spreadsheet", decimals))
    writer.card_sheet()
    writer.table_sheet(people, max(rows, len(people)))
    writer.text_sheet()
    book.close()
    return held.getvalue()


class _Book:
    def __init__(self, book: Any, ready: ExportPlan) -> None:
        self.ready, self.card = ready, ready.card
        self.sheets = {name: book.add_worksheet(name) for name in ("Card", "Table", "Texts")}
        self.texts: dict[str, int] = {}
        self.bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self.plain = book.add_format({"text_wrap": True, "valign": "top", "num_format": "@"})
        self.input = book.add_format({"border": 1, "bg_color": "#F2F2F2", "valign": "top"})
        self.result = book.add_format({"bold": True, "top": 1})
        self.number = book.add_format({"bold": True, "align": "right"})
        limits = [d for d in self.card.domains if d.outside == "refuse" and d.values is None and d.test]
        self.limits = {d.column: InRange(d.column, d.low, d.high, high_included=True) for d in limits}

    def text_cell(self, text: str) -> str:
        plain_text(text, "a text", "a spreadsheet")
        if len(text) > _LONGEST_TEXT:
            raise UnsupportedCardError(f"a text of {len(text)} characters is too long for a spreadsheet")
        return f"Texts!$A${self.texts.setdefault(text, len(self.texts)) + 1}"

    def write(self, sheet: Any, row: int, column: int, text: str, form: Any) -> None:
        """Write text as text, never as a number or formula."""
        plain_text(text, "a text", "a spreadsheet")
        sheet.write_string(row, column, text[:_LONGEST_TEXT], form)

    def formula(self, sheet: Any, row: int, column: int, text: str, form: Any = None) -> None:
        if len(text) > _LONGEST_FORMULA:
            raise UnsupportedCardError(
                f"the card needs a formula of {len(text)} characters; spreadsheets allow {_LONGEST_FORMULA}"
            )
        sheet.write_formula(row, column, "=" + text, form, "")

    def total(self, cells: Mapping[str, str]) -> str:
        """The score from the cells of the columns; empty if a value is refused."""
        terms = [points_formula(t, cells[t.column.name], self.text_cell) for t in self.ready.terms]
        return self.unless_refused(cells, "+".join([*terms, str(self.ready.intercept)]))

    def unless_refused(self, cells: Mapping[str, str], whole: str) -> str:
        tests = [
            test
            for c in self.ready.columns
            for test in refusals(c, cells[c.name], self.limits.get(c.name), self.text_cell)
        ]
        score = f"({whole})/{self.ready.scale}" if self.ready.scale > 1 else whole
        return f'IF(OR({",".join(tests)}),"",{score})' if tests else score

    def label(self, score: str) -> str:
        positive, negative = (self.class_value(c) for c in (self.card.positive, self.card.negative))
        return f'IF({score}="","",IF({score}>0,{positive},{negative}))'

    def class_value(self, label: object) -> str:
        return self.text_cell(label) if isinstance(label, str) else repr(label).upper()

    def card_sheet(self) -> None:
        sheet = self.sheets["Card"]
        sheet.set_column(0, 0, 60)
        sheet.set_column(1, 2, 16)
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 1)
        title = self.card.title or f"{self.card.positive} or {self.card.negative}"
        self.write(sheet, 0, 0, f"Scoring system: {title}", self.bold)
        self.write(sheet, 2, 0, "Fill in", self.bold)
        cells = {}
        for row, column in enumerate(self.ready.columns, start=3):
            unit = next((i.unit for i in self.card.items if i.column == column.name and i.unit), None)
            name = readable(column.name) + (f" ({unit})" if unit else "")
            self.write(sheet, row, 0, name, self.plain)
            sheet.write_blank(row, 1, None, self.input)
            cells[column.name] = f"Card!$B${row + 1}"
        top = len(cells) + 4
        for j, heading in enumerate(("Item", "Points", "Given")):
            self.write(sheet, top, j, heading, self.number if j else self.bold)
        for row, term in enumerate(self.ready.terms, start=top + 1):
            self.write(sheet, row, 0, term.item.asks, self.plain)
            sheet.write_number(row, 1, float(term.item.points))
            given = points_formula(term, cells[term.column.name], self.text_cell)
            self.formula(sheet, row, 2, f"({given})/{self.ready.scale}" if self.ready.scale > 1 else given)
        last = top + 1 + len(self.ready.terms)
        needed = f"Total needed for {self.card.positive}: {self.card.cutoff.positive}"
        self.write(sheet, last, 0, needed, self.result)
        sheet.write_blank(last, 1, None, self.result)
        sheet.write_blank(last, 2, None, self.result)
        score = f"Score: total minus {shown(self.card.threshold)}, above 0 for {self.card.positive}"
        self.write(sheet, last + 1, 0, score, self.bold)
        self.formula(sheet, last + 1, 2, self.total(cells), self.number)
        self.write(sheet, last + 2, 0, "Class", self.bold)
        self.formula(sheet, last + 2, 2, self.label(f"C{last + 2}"), self.number)

    def table_sheet(self, people: Sequence[Mapping[str, object]], rows: int) -> None:
        from xlsxwriter.utility import xl_rowcol_to_cell

        sheet, width = self.sheets["Table"], len(self.ready.columns)
        for j, name in enumerate([*(c.name for c in self.ready.columns), "Score", "Class"]):
            self.write(sheet, 0, j, name, self.bold)
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, width + 1, 16)
        for row in range(1, rows + 1):
            cells = {c.name: xl_rowcol_to_cell(row, j) for j, c in enumerate(self.ready.columns)}
            for j, name in enumerate(cells):
                if row <= len(people):
                    self.value(sheet, row, j, people[row - 1].get(name), name)
            self.formula(sheet, row, width, self.total(cells))
            self.formula(sheet, row, width + 1, self.label(xl_rowcol_to_cell(row, width)))

    def value(self, sheet: Any, row: int, column: int, value: object, name: str) -> None:
        if is_missing(value):
            return
        if isinstance(value, str):
            self.write(sheet, row, column, value, self.plain)
        elif isinstance(value, bool):
            sheet.write_boolean(row, column, value)
        elif isinstance(value, int | float | Fraction | Decimal) and isfinite(value):
            sheet.write_number(row, column, float(value))
        else:
            raise InvalidDataError(
                f"column {name!r}, row {row} is {value!r}, which a spreadsheet does not support"
            )

    def text_sheet(self) -> None:
        sheet = self.sheets["Texts"]
        for text, row in self.texts.items():
            self.write(sheet, row, 0, text, self.plain)

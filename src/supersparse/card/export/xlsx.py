"""A card as a spreadsheet with live formulas; the package xlsxwriter is loaded when used.

The sheet "Card" is the printed card as a form: each line is answered in the words of the card, and total, class and
risk appear once all lines are. The sheet "Table" scores one person a row from raw values; there an empty cell is
missing, and so is what stands for a missing value in the card's own file; results stay empty where the card refuses a
value. "Texts" and "Risks" hold what formulas compare with: no text of a card is part of a formula.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from math import isfinite
from typing import Any

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError, UnsupportedCardError
from supersparse.base.exact import shown
from supersparse.card.card import Card
from supersparse.card.checks import expectations
from supersparse.card.export.plan import ExportColumn, ExportPlan, ExportTerm, plain_text, plan, risk_lines
from supersparse.card.export.targets import people_of, whole_of
from supersparse.card.lines import Line, lines_of
from supersparse.card.raw_values import spelled_out
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.card.rules import InRange, IsNoneOf, IsOneOf
from supersparse.card.words import condition
from supersparse.table.values import Category, is_missing

_LONGEST_TEXT, _LONGEST_FORMULA = 32767, 8192
_MOST_ROWS = 2**20 - 1  # below the heading
_MOST_ARGUMENTS = 255  # of a function

TextCell = Callable[[str], str]  # the address of the cell that holds a text


def points_formula(term: ExportTerm, x: str, cell_of: TextCell) -> str:
    """The points of an item for the value in cell `x`, in whole units."""
    gone = f'{x}=""'
    if term.asks_missing:
        return f"IF({gone},{term.points},0)"
    rule = term.item.rule
    if isinstance(rule, InRange):
        formula = f"IF({_within(x, rule)},{term.points},0)"
    elif isinstance(rule, IsOneOf):
        formula = f"IF({_among(x, rule.values, cell_of)},{term.points},0)"
    elif isinstance(rule, IsNoneOf):
        formula = f"IF({_among(x, rule.values, cell_of)},0,{term.points})"
    else:
        formula = f"{term.points}*{_value(x, term.column.decimals)}"
    return f"IF({gone},{term.missing or 0},{formula})"


def _value(x: str, decimals: int) -> str:
    """A number in units of its last decimal place, see `supersparse.card.export.plan`."""
    if not decimals:
        return f"N({x})"
    unit = 10**decimals
    rounded = f"ROUND(N({x})*{unit},0)"
    return f"IF({rounded}/{unit}=N({x}),{rounded},N({x})*{unit})"


def refusals(column: ExportColumn, x: str, domain: InRange | None, cell_of: TextCell) -> list[str]:
    """Tests for values that the card refuses; `domain` has the limits of the column."""
    tests = []
    if not column.holds_anything:
        tests.append(f"NOT(ISTEXT({x}))" if column.is_text else f"ISTEXT({x})")
    if column.known is not None:
        tests.append(f"NOT({_among(x, column.known, cell_of)})")
    if domain is not None:
        tests.append(f"NOT({_within(x, domain)})")
    if column.whole:
        tests.append(f"N({x})<>INT(N({x}))")
    unknown = [f'AND({x}<>"",{any_of(tests)})'] if tests else []
    return [f'{x}=""', *unknown] if column.refuses_missing else unknown


def as_read(column: ExportColumn, x: str, cell_of: TextCell) -> str | None:
    """The value in cell `x`, empty where it stands for a missing one; None if nothing does."""
    numbers = [Fraction(repr(number)) for number in column.missing_numbers]
    codes: tuple[Category, ...] = (*column.missing_texts, *numbers)
    return f'IF({x}="","",IF({_among(x, codes, cell_of)},"",{x}))' if codes else None


def _among(x: str, values: tuple[Category, ...], cell_of: TextCell) -> str:
    tests = [
        f"EXACT({x},{cell_of(v)})" if isinstance(v, str) else f"N({x})={short[0]}"
        for v in values
        if isinstance(v, str) or not (short := _short(Fraction(v)))[1]
    ]
    return any_of(tests)


def any_of(tests: Sequence[str]) -> str:
    """Whether any test holds; the tests of more than a function takes are joined in groups."""
    if not tests:
        return "FALSE"
    if len(tests) > _MOST_ARGUMENTS:
        starts = range(0, len(tests), _MOST_ARGUMENTS)
        return any_of([any_of(tests[start : start + _MOST_ARGUMENTS]) for start in starts])
    return f"OR({','.join(tests)})"


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


_UNKNOWN = "Not known"


def to_xlsx(
    card: Card,
    *,
    people: Sequence[Mapping[str, object]] = (),
    rows: int = 100,
    decimals: int | Mapping[str, int] | None = None,
) -> bytes:
    """Return the workbook. `people` fill the first rows of its table, which has at least `rows` rows.

    `decimals` as in `supersparse.card.export.plan`.
    """
    try:
        import xlsxwriter
    except ImportError as error:
        raise PackageNotInstalledError("the spreadsheet export needs xlsxwriter: pip install xlsxwriter") from error
    whole_of(rows, "rows", 0, _MOST_ROWS, why=", which is what a sheet holds below its heading")
    whole_of(len(people_of(people, "people")), "the number of people", 0, _MOST_ROWS)
    held = BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(held, {"in_memory": True, **options})
    ready, raw = (plan(one, "a spreadsheet", decimals) for one in (card, spelled_out(card)))
    writer = _Book(book, ready, raw)
    writer.card_sheet()
    writer.table_sheet(people, max(rows, len(people)))
    writer.text_sheet()
    if isinstance(card.risk, TableRisk):
        writer.risk_sheet(card.risk)
    book.close()
    return held.getvalue()


class _Book:
    """The sheets: `ready` is the card as the form shows it, `raw` the same with all spellings."""

    def __init__(self, book: Any, ready: ExportPlan, raw: ExportPlan) -> None:
        self.ready, self.raw, self.card = ready, raw, ready.card
        names = ("Card", "Table", "Texts", "Risks")[: 4 if isinstance(self.card.risk, TableRisk) else 3]
        self.sheets = {name: book.add_worksheet(name) for name in names}
        self.texts: dict[str, int] = {}
        self.bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self.plain = book.add_format({"text_wrap": True, "valign": "top", "num_format": "@"})
        self.input = book.add_format({"border": 1, "bg_color": "#F2F2F2", "valign": "top"})
        self.choice = book.add_format({"border": 1, "bg_color": "#F2F2F2", "valign": "top", "num_format": "@"})
        self.answer = book.add_format({"text_wrap": True, "valign": "top", "num_format": "@", "indent": 2})
        self.percent = book.add_format({"bold": True, "align": "right", "num_format": "0.0%"})
        self.result = book.add_format({"bold": True, "top": 1})
        self.number = book.add_format({"bold": True, "align": "right"})
        limits = [e.refusing for e in expectations(self.card) if e.refusing and e.refusing.values is None]
        self.limits = {d.column: InRange(d.column, d.low, d.high, high_included=True) for d in limits if d.test}

    def text_cell(self, text: str) -> str:
        plain_text(text, "a string", "a spreadsheet")
        if len(text) > _LONGEST_TEXT:
            raise UnsupportedCardError(f"a string of {len(text)} characters is too long for a spreadsheet")
        return f"Texts!$A${self.texts.setdefault(text, len(self.texts)) + 1}"

    def write(self, sheet: Any, row: int, column: int, text: str, form: Any) -> None:
        """Write text as text, never as a number or formula."""
        plain_text(text, "a string", "a spreadsheet")
        sheet.write_string(row, column, text[:_LONGEST_TEXT], form)

    def formula(self, sheet: Any, row: int, column: int, text: str, form: Any = None) -> None:
        if len(text) > _LONGEST_FORMULA:
            raise UnsupportedCardError(
                f"the card needs a formula of {len(text)} characters", f"spreadsheets allow {_LONGEST_FORMULA}"
            )
        sheet.write_formula(row, column, "=" + text, form, "")

    def units(self, cells: Mapping[str, str]) -> str:
        """The total in units, given the cell of each column; empty where a value is refused."""
        terms = [points_formula(t, cells[t.column.name], self.text_cell) for t in self.raw.terms]
        whole = "+".join(terms) or "0"
        tests = [
            test
            for c in self.raw.columns
            for test in refusals(c, cells[c.name], self.limits.get(c.name), self.text_cell)
        ]
        return f'IF({any_of(tests)},"",{whole})' if tests else whole

    def points(self, units: str) -> str:
        """Units as points; empty stays empty."""
        return f'IF({units}="","",{units}/{self.ready.scale})'

    def label(self, units: str, classes: tuple[object, object]) -> str:
        negative, positive = map(self.class_value, classes)
        return f'IF({units}="","",IF({units}{self.ready.sign}{self.ready.threshold},{positive},{negative}))'

    def class_value(self, label: object) -> str:
        return self.text_cell(label) if isinstance(label, str) else repr(label).upper()

    def risk(self, total: str) -> str:
        risk = self.card.risk
        if isinstance(risk, LogisticRisk):
            power = f"({risk.slope!r}*{total}+{risk.offset!r})"
            formula = f"IF({power}<-700,0,IF({power}>700,1,1/(1+EXP(-{power}))))"
        else:
            assert isinstance(risk, TableRisk)
            last = len(risk_lines(risk)) + 1
            place = f"MATCH({total},Risks!$A$1:$A${last},1)"
            low, start, slope = (f"INDEX(Risks!${c}$1:${c}${last},{place})" for c in "ABC")
            formula = f"IF({total}<=Risks!$A$1,Risks!$B$1,{start}+({total}-{low})*{slope})"
        return f'IF({total}="","",{formula})'

    def card_sheet(self) -> None:
        sheet, card = self.sheets["Card"], self.card
        sheet.set_column(0, 0, 60)
        sheet.set_column(1, 2, 16)
        sheet.set_column(3, 3, 16, None, {"hidden": True})  # points in units
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 1)
        negative, positive = (
            worded or label
            for worded, label in ((card.wording.negative, card.negative), (card.wording.positive, card.positive))
        )
        title = card.title or f"{positive} or {negative}"
        self.write(sheet, 0, 0, f"Scoring system: {title}", self.bold)
        rule = f"Predict {positive} if the total is {card.cutoff.positive}, otherwise {negative}."
        self.write(sheet, 1, 0, rule, self.plain)
        for j, heading in enumerate(("Answer every line", "Answer", "Points")):
            self.write(sheet, 3, j, heading, self.number if j == 2 else self.bold)
        row, asked = 4, []
        for line in lines_of(card):
            asked.append(f"D{row + 1}")
            row = self.line(sheet, row, line)
        count = "+".join(f"COUNT({cell})" for cell in asked) or "0"
        whole = "+".join(asked) or "0"
        self.formula(sheet, row, 3, f'IF({count}={len(asked)},{whole},"")')
        units = f"$D${row + 1}"
        results = [("Total", self.points(units), self.number)]
        results.append(("Class", self.label(units, (negative, positive)), self.number))
        if card.risk is not None:
            results.append((f"Risk ({positive})", self.risk(f"$C${row + 1}"), self.percent))
        for n, (name, formula, form) in enumerate(results):
            self.write(sheet, row + n, 0, name, self.result if n == 0 else self.bold)
            self.formula(sheet, row + n, 2, formula, form)

    def line(self, sheet: Any, row: int, line: Line) -> int:
        """Write one line with its input, and return the next free row."""
        scale, x = self.ready.scale, f"$B${row + 1}"
        self.write(sheet, row, 0, f"{line.number}. {line.text}", self.plain)
        sheet.write_blank(row, 1, None, self.input if line.times else self.choice)
        after = row + 1
        if line.times:
            term = next(t for t in self.ready.terms if t.is_value and t.column.name == line.column)
            tests = refusals(term.column, x, self.limits.get(line.column), self.text_cell)
            formula = f"{term.points}*{_value(x, term.column.decimals)}"
            formula = f'IF({any_of(tests)},"",{formula})' if tests else formula
            self.write(sheet, after, 0, f"{shown(line.points)} points for each 1", self.answer)
            after += 1
            if line.missing is not None:
                formula = f'IF(EXACT({x},"{_UNKNOWN}"),{int(line.missing * scale)},{formula})'
                self.write(sheet, after, 0, f"{_UNKNOWN}: {shown(line.missing)} points", self.answer)
                after += 1
        else:
            answers = self.answers(line)
            for n, (text, points) in enumerate(answers):
                self.write(sheet, after + n, 0, text, self.answer)
                sheet.write_number(after + n, 2, float(points))
            source = f"=$A${after + 1}:$A${after + len(answers)}"
            sheet.data_validation(row, 1, row, 1, {"validate": "list", "source": source})
            # one IF in another for each answer would go deeper than a spreadsheet allows
            chosen = [f"EXACT({x},$A${after + n + 1})" for n in range(len(answers))]
            units = [f"{test}*{int(p * scale)}" for test, (_, p) in zip(chosen, answers, strict=True)]
            formula = f'IF({any_of(chosen)},{"+".join(units)},"")'
            after += len(answers)
        self.formula(sheet, row, 3, f'IF({x}="","",{formula})')
        self.formula(sheet, row, 2, self.points(f"$D${row + 1}"))
        return after

    def answers(self, line: Line) -> list[tuple[str, Fraction]]:
        """The answers to a line and their points, no two with the same words."""
        if line.is_question:
            yes_or_no = [("Yes", line.points), ("No", Fraction(0))]
            return yes_or_no if line.missing is None else [*yes_or_no, (_UNKNOWN, line.missing)]
        texts = [answer.text for answer in line.answers]
        return [
            (a.text if texts.count(a.text) == 1 else f"{a.text} ({condition(a.rule)})", a.points) for a in line.answers
        ]

    def table_sheet(self, people: Sequence[Mapping[str, object]], rows: int) -> None:
        from xlsxwriter.utility import xl_rowcol_to_cell

        sheet, columns, width = self.sheets["Table"], self.raw.columns, len(self.raw.columns)
        results = ["Total", "Class", *(["Risk"] if self.card.risk is not None else [])]
        for j, name in enumerate([*(c.name for c in columns), *results]):
            self.write(sheet, 0, j, name, self.bold)
        hidden = width + len(results)
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, hidden - 1, 16)
        # the total in units, and the values as they are read
        sheet.set_column(hidden, hidden + width, 16, None, {"hidden": True})
        for row in range(1, rows + 1):
            cells = {c.name: xl_rowcol_to_cell(row, j) for j, c in enumerate(columns)}
            for j, column in enumerate(columns):
                if row <= len(people):
                    self.value(sheet, row, j, people[row - 1].get(column.name), column.name)
                read = as_read(column, cells[column.name], self.text_cell)
                if read is not None:
                    self.formula(sheet, row, hidden + 1 + j, read)
                    cells[column.name] = xl_rowcol_to_cell(row, hidden + 1 + j)
            units, total = (xl_rowcol_to_cell(row, j) for j in (hidden, width))
            self.formula(sheet, row, hidden, self.units(cells))
            self.formula(sheet, row, width, self.points(units))
            self.formula(sheet, row, width + 1, self.label(units, self.card.classes))
            if self.card.risk is not None:
                self.formula(sheet, row, width + 2, self.risk(total))

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
            raise InvalidDataError(f"column {name!r}, row {row} is {value!r}, which a spreadsheet does not support")

    def text_sheet(self) -> None:
        sheet = self.sheets["Texts"]
        for text, row in self.texts.items():
            self.write(sheet, row, 0, text, self.plain)

    def risk_sheet(self, risk: TableRisk) -> None:
        """Totals, their risks, and the rise up to the next total."""
        rows = [(line.start, line.start_risk, line.slope) for line in risk_lines(risk)]
        sheet = self.sheets["Risks"]
        for row, cells in enumerate([*rows, (float(risk.totals[-1]), risk.risks[-1], 0.0)]):
            for j, value in enumerate(cells):
                sheet.write_number(row, j, value)

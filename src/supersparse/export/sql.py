"""A card as an SQL expression, for SQLite and DuckDB.

A row that the card refuses (a required value is missing, a value is outside a declared domain, or a number is
infinite) gives NULL, because an expression cannot raise an error. Scores are whole numbers, divided at the
end, so rounding cannot change their sign or the class.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, get_args

from supersparse.card.card import Card, Label
from supersparse.data.values import Category
from supersparse.errors import InvalidOptionError, UnsupportedCardError, did_you_mean
from supersparse.export.plan import (
    CutTable,
    ExportColumn,
    ExportPlan,
    ExportTerm,
    double_equal_to,
    plain_text,
    plan,
)

Dialect = Literal["sqlite", "duckdb"]
Gives = Literal["class", "score"]
_LARGEST = "1.7976931348623157e308"


def to_sql(
    card: Card,
    *,
    dialect: Dialect = "sqlite",
    gives: Gives = "class",
    table: str | None = None,
    decimals: int | Mapping[str, int] | None = None,
) -> str:
    """Return an expression for the class or the score of a row.

    `table` qualifies the columns. Values that points multiply are read to `decimals` places; see
    `supersparse.export.plan`.
    """
    for value, allowed in ((dialect, get_args(Dialect)), (gives, get_args(Gives))):
        if value not in allowed:
            raise InvalidOptionError(f"unknown choice {value!r}; {did_you_mean(value, allowed)}")
    ready = plan(card, "SQL", decimals)
    _check_columns(ready)
    total = _Writer(dialect, table).total(ready)
    if gives == "score":
        return total if ready.scale == 1 else f"{total} / {ready.scale}.0"
    positive, negative = _label(card.positive), _label(card.negative)
    return f"CASE {total} > 0 WHEN TRUE THEN {positive} WHEN FALSE THEN {negative} END"


def _check_columns(ready: ExportPlan) -> None:
    seen: dict[str, str] = {}
    for column in ready.columns:
        plain_text(column.name, "a column's name", "SQL")
        if not column.name:
            raise UnsupportedCardError("a column has an empty name, which SQL does not allow; rename it")
        other = seen.setdefault(column.name.casefold(), column.name)
        if other != column.name:
            raise UnsupportedCardError(
                f"the columns {other!r} and {column.name!r} are the same name in SQL; rename one"
            )


def _label(label: Label) -> str:
    if isinstance(label, str):
        return _text(label)
    if isinstance(label, int) and abs(label) >= 2**63:
        raise UnsupportedCardError(f"the class {label} does not fit in 64 bits, which SQL requires")
    return str(int(label)) if isinstance(label, bool) else repr(label)


def _text(text: str) -> str:
    return "'" + plain_text(text, "a text", "SQL").replace("'", "''") + "'"


def _double(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


class _Writer:
    def __init__(self, dialect: Dialect, table: str | None) -> None:
        self.lite = dialect == "sqlite"
        self.prefix = "" if table is None else self.quoted(plain_text(table, "the table's name", "SQL")) + "."

    def quoted(self, name: str) -> str:
        # SQLite treats a double-quoted name of a missing column as text
        mark = "`" if self.lite else '"'
        return mark + name.replace(mark, mark * 2) + mark

    def total(self, ready: ExportPlan) -> str:
        parts = [self.term(term) for term in ready.terms]
        total = " + ".join([*parts, str(ready.intercept)] if ready.intercept or not parts else parts)
        refused = [test for column in ready.columns for test in self.refusals(column)]
        if not refused:
            return f"({total})"
        return f"(CASE WHEN {' OR '.join(refused)} THEN NULL ELSE {total} END)"

    def term(self, term: ExportTerm) -> str:
        x = self.prefix + self.quoted(term.column.name)
        gone = self.missing(term.column)
        if term.asks_missing:
            return f"CASE WHEN {gone} THEN {term.points} ELSE 0 END"
        when = f"CASE WHEN {gone} THEN {term.missing} " if term.missing is not None else ""
        if term.is_value:
            value = self.value(x, term.column.decimals)
            return f"{when}ELSE {term.points} * {value} END" if when else f"{term.points} * {value}"
        return f"{when or 'CASE '}WHEN {self.condition(x, term)} THEN {term.points} ELSE 0 END"

    def value(self, x: str, decimals: int) -> str:
        number = x if self.lite else f"CAST({x} AS DOUBLE)"
        return f"ROUND({number} * 1{'0' * decimals})" if decimals else number

    def condition(self, x: str, term: ExportTerm) -> str:
        if term.cuts is not None:
            return _within(x, term.cuts)
        known = [_text(t) for t in term.texts] + [_double(n) for n in term.numbers]
        return f"{self.compared(x, term.column)} IN ({', '.join(known)})" if known else "1 = 0"

    def compared(self, x: str, column: ExportColumn) -> str:
        # a column of SQLite may be declared to ignore case
        return f"{x} COLLATE BINARY" if self.lite and column.is_text else x

    def missing(self, column: ExportColumn) -> str:
        x = self.prefix + self.quoted(column.name)
        if column.is_text or self.lite:
            return f"({x} IS NULL OR {x} = '')"
        if not column.needs_value and column.known is None and column.limits is None:
            number = f"typeof({x}) IN ('DOUBLE', 'FLOAT') AND CAST({x} AS VARCHAR) = 'nan'"
            return f"({x} IS NULL OR CAST({x} AS VARCHAR) = '' OR ({number}))"
        return f"({x} IS NULL OR isnan(CAST({x} AS DOUBLE)))"

    def refusals(self, column: ExportColumn) -> list[str]:
        x = self.prefix + self.quoted(column.name)
        gone = self.missing(column)
        tests = self.wrong(x, column)
        if column.refuses_missing:
            return [gone, *tests]
        return [f"(NOT {gone} AND {test})" for test in tests]

    def wrong(self, x: str, column: ExportColumn) -> list[str]:
        checked = column.known is not None or column.limits is not None or column.whole
        if not column.needs_value and not checked:
            return []
        tests = []
        if self.lite:
            kind = "'text'" if column.is_text else "'integer', 'real'"
            tests.append(f"typeof({x}) NOT IN ({kind})")
        elif not column.is_text:
            tests.append(f"typeof({x}) = 'VARCHAR'")
        if not column.is_text:
            finite = f"ABS({x}) <= {_LARGEST}" if self.lite else f"isfinite(CAST({x} AS DOUBLE))"
            tests.append(f"NOT {finite}")
        if column.known is not None:
            known = [self.known(v) for v in column.known]
            listed = ", ".join(k for k in known if k is not None)
            tests.append(f"{self.compared(x, column)} NOT IN ({listed})" if listed else "1 = 1")
        if column.limits is not None:
            tests.append(f"NOT ({_within(x, column.limits)})")
        if column.whole:
            tests.append(f"{x} <> ROUND({x})")
        return tests

    def known(self, value: Category) -> str | None:
        if isinstance(value, str):
            return _text(value)
        number = double_equal_to(Fraction(value))
        return None if number is None else _double(number)


def _within(x: str, cuts: CutTable) -> str:
    parts = []
    if cuts.low is not None:
        parts.append(f"{x} {'>=' if cuts.low.included else '>'} {_double(cuts.low.value)}")
    if cuts.high is not None:
        parts.append(f"{x} {'<=' if cuts.high.included else '<'} {_double(cuts.high.value)}")
    return " AND ".join(parts)

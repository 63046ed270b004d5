"""A card as SQL, for six databases: an expression for each row, or a query that scores a table.

A row that the card refuses (a missing value where one is needed, a value outside a declared domain, an
infinite number) gives NULL, because an expression cannot raise. Totals are counted in whole units and divided
at the end, so that rounding does not decide a class.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, get_args

from supersparse.base.errors import InvalidOptionError, UnsupportedCardError
from supersparse.card.card import Card, Label
from supersparse.card.export.dialects import DIALECTS, Dialect, number
from supersparse.card.export.plan import (
    CutTable,
    ExportColumn,
    ExportPlan,
    ExportTerm,
    double_equal_to,
    plain_text,
    plan,
    risk_lines,
)
from supersparse.card.export.python import card_name
from supersparse.card.export.targets import choice_of, text_of, texts_of, truth_of
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.table.plain import one_line
from supersparse.table.values import Category

Gives = Literal["class", "total", "risk", "all"]
_RESULTS = ("total", "class", "risk", "units")
_STEEP = 700  # exp of more than that leaves the doubles, for which some databases raise


def to_sql(
    card: Card,
    *,
    dialect: str = "sqlite",
    gives: Gives = "class",
    table: str | None = None,
    keep: str | Sequence[str] | None = None,
    quoted: bool = True,
    decimals: int | Mapping[str, int] | None = None,
) -> str:
    """Return an expression for the class, the total or the risk of a row, or a query for all of them.

    `dialect` is "sqlite", "duckdb", "postgres", "tsql" (SQL Server), "bigquery" or "snowflake". `table`, or
    "schema.table", qualifies the columns. gives="all" reads that table, and returns the columns in `keep` as well, by
    default those of the card. Names are quoted, so that the database takes them letter by letter; with quoted=False
    plain words are not, unless SQL reserves them. `decimals` as in `supersparse.card.export.plan`.
    """
    choice_of(dialect, "dialect", tuple(DIALECTS))
    choice_of(gives, "gives", get_args(Gives))
    name = None if table is None else text_of(table, "table")
    ready = plan(card, "SQL", decimals)
    _check_columns(ready)
    writer = _Writer(DIALECTS[dialect], ready, name, truth_of(quoted, "quoted"))
    if gives == "all":
        lines = writer.query(card.columns if keep is None else texts_of(keep, "keep"))
    elif keep is not None:
        raise InvalidOptionError("keep names columns of the query that gives='all' writes")
    else:
        lines = {"class": writer.class_, "total": writer.total, "risk": writer.risk}[gives]()
    return "\n".join([*writer.heading(gives), *lines])


def _check_columns(ready: ExportPlan) -> None:
    seen: dict[str, str] = {}
    for column in ready.columns:
        plain_text(column.name, "a column's name", "SQL")
        if not column.name:
            raise UnsupportedCardError("a column has an empty name, which SQL does not allow", "rename it")
        other = seen.setdefault(column.name.casefold(), column.name)
        if other != column.name:
            raise UnsupportedCardError(
                f"the columns {other!r} and {column.name!r} are the same name in SQL", "rename one"
            )


class _Writer:
    """Every method returns lines, without the indentation of what is around them."""

    def __init__(self, dialect: Dialect, ready: ExportPlan, table: str | None, quoted: bool) -> None:
        self.dialect, self.ready, self.card, self.quoted = dialect, ready, ready.card, quoted
        parts = [] if table is None else plain_text(table, "the table's name", "SQL").split(".")
        self.table = ".".join(map(self.name, parts))
        self.rows = self.table  # what qualifies the columns

    def name(self, name: str) -> str:
        return self.dialect.name_of(name, quoted=self.quoted)

    def heading(self, gives: Gives) -> list[str]:
        what = "total, class and risk" if self.card.risk is not None else "total and class"
        content = what if gives == "all" else gives
        positive = card_text(self.card.positive)
        return [
            f"-- Scoring system: {card_name(self.card)}; exported by supersparse",
            f"-- Dialect: {self.dialect.title}. Gives the {content}; NULL where the card does not score a row.",
            f"-- Class {positive}: a total of {self.card.cutoff.positive}.",
        ]

    def total(self) -> list[str]:
        whole = self.units()
        if self.ready.scale == 1:
            return whole
        return [f"CAST({whole[0]}", *whole[1:-1], f"{whole[-1]} AS {self.dialect.double}) / {self.ready.scale}"]

    def units(self) -> list[str]:
        """The total in whole units, NULL where the row is refused."""
        refused = self.refused()
        if not refused:
            return ["(", *_indented(self.sum()), ")"]
        return [*_when("CASE", refused, "NULL"), "  ELSE", *_indented(self.sum(), 2), "END"]

    def class_(self) -> list[str]:
        refused = self.refused()
        positive, negative = self.label(self.card.positive), self.label(self.card.negative)
        first = _when("CASE", refused, "NULL") if refused else ["CASE"]
        above = ["  WHEN", *_indented(self.sum(), 2), f"    {self.above} THEN {positive}"]
        return [*first, *above, f"  ELSE {negative}", "END"]

    def risk(self) -> list[str]:
        if self.card.risk is None:
            raise UnsupportedCardError("the card has no risks", "use `recalibrate` to learn them from data")
        listed = self.ready.risk_by_total
        if listed is None:
            raise UnsupportedCardError(
                "an expression lists the risk of each total, and this card has too many", "use gives='all' with a table"
            )
        return self.listed_risk(listed, self.units())

    def listed_risk(self, listed: Sequence[tuple[int, float]], units: list[str]) -> list[str]:
        first = [f"CASE {units[0]}", *units[1:]]
        whens = [f"WHEN {total} THEN {risk!r}" for total, risk in listed]
        return self.as_double([*first, *_indented(whens), "END"])

    def as_double(self, lines: list[str]) -> list[str]:
        """Literals with a decimal point are decimals of few digits in some databases."""
        return ["CAST(", *_indented(lines), f"AS {self.dialect.double})"]

    @property
    def above(self) -> str:
        """The comparison that holds for totals of the positive class, in units."""
        return f"{self.ready.sign} {self.ready.threshold}"

    def label(self, label: Label) -> str:
        if isinstance(label, str):
            return self.dialect.text(plain_text(label, "a class", "SQL"))
        if isinstance(label, int) and abs(label) >= 2**63:
            raise UnsupportedCardError(f"the class {label} is beyond 64 bits, which SQL does not hold")
        return str(int(label)) if isinstance(label, bool) else repr(label)

    def query(self, keep: Sequence[str]) -> list[str]:
        if not self.table:
            raise InvalidOptionError("gives='all' writes a query over a table", "name it: table='people'")
        for column in keep:
            if column.casefold() in _RESULTS or not column:
                raise UnsupportedCardError(
                    f"the query cannot keep a column called {column!r} beside its own",
                    "rename it or name others in keep",
                )
            plain_text(column, "a column's name", "SQL")
        alias = "units" if self.ready.scale > 1 else "total"
        scored = f"scored.{alias}"
        total = scored
        if self.ready.scale > 1:
            total = f"{self.dialect.as_double(scored)} / {self.ready.scale}"
        columns = [[f"scored.{self.name(column)}"] for column in keep]
        columns += [[f"{total} AS total"], self.query_class(scored)]
        if self.card.risk is not None:
            columns.append(self.query_risk(scored, total))
        self.rows = "source"
        whole = self.units()
        inner = [*([f"source.{self.name(c)}"] for c in keep), [*whole[:-1], f"{whole[-1]} AS {alias}"]]
        return [
            "SELECT",
            *_indented(_listed(columns)),
            "FROM (",
            "  SELECT",
            *_indented(_listed(inner), 2),
            f"  FROM {self.table} AS source",
            ") AS scored",
        ]

    def query_class(self, scored: str) -> list[str]:
        positive, negative = self.label(self.card.positive), self.label(self.card.negative)
        below = "<" if self.ready.reached else "<="
        return [
            "CASE",
            f"  WHEN {scored} {self.above} THEN {positive}",
            f"  WHEN {scored} {below} {self.ready.threshold} THEN {negative}",
            "END AS class",
        ]

    def query_risk(self, scored: str, total: str) -> list[str]:
        listed, risk = self.ready.risk_by_total, self.card.risk
        if listed is not None:
            lines = self.listed_risk(listed, [scored])
            return [*lines[:-1], f"{lines[-1]} AS risk"]
        x = total if self.ready.scale > 1 else self.dialect.as_double(scored)
        if isinstance(risk, LogisticRisk):
            power = f"{risk.slope!r} * {x} + {risk.offset!r}"
            whens = [
                f"WHEN {power} < -{_STEEP} THEN 0.0",
                f"WHEN {power} > {_STEEP} THEN 1.0",
                f"WHEN {scored} IS NOT NULL THEN 1 / (1 + EXP(-({power})))",
            ]
        else:
            assert isinstance(risk, TableRisk)
            whens = [f"WHEN {x} <= {number(float(risk.totals[0]))} THEN {risk.risks[0]!r}"]
            for line in risk_lines(risk):
                rising = f"{line.start_risk!r} + {line.slope!r} * ({x} - {number(line.start)})"
                rising = repr(line.end_risk) if line.start_risk == line.end_risk else rising
                whens.append(f"WHEN {x} <= {number(line.end)} THEN {rising}")
            whens.append(f"WHEN {scored} IS NOT NULL THEN {risk.risks[-1]!r}")
        lines = self.as_double(["CASE", *_indented(whens), "END"])
        return [*lines[:-1], f"{lines[-1]} AS risk"]

    def sum(self) -> list[str]:
        """The items, one a line, each followed by its question."""
        if not self.ready.terms:
            return ["0"]
        most = sum(max(abs(term.points), abs(term.missing or 0)) for term in self.ready.terms)
        lines = ["  CAST(0 AS BIGINT)"] if most >= 2**31 else []  # the sum would leave 32 bits
        for term in self.ready.terms:
            sign = "+ " if lines else "  "
            lines.append(f"{sign}{self.term(term)}  -- {one_line(term.item.asks)}")
        return lines

    def x(self, column: ExportColumn) -> str:
        return f"{self.rows}.{self.name(column.name)}" if self.rows else self.name(column.name)

    def term(self, term: ExportTerm) -> str:
        x = self.x(term.column)
        gone = self.dialect.missing(x, term.column)
        if term.asks_missing:
            return f"CASE WHEN {gone} THEN {term.points} ELSE 0 END"
        when = f"CASE WHEN {gone} THEN {term.missing} " if term.missing is not None else ""
        if term.is_value:
            value = self.value(x, term)
            return f"{when}ELSE {value} END" if when else value
        return f"{when or 'CASE '}WHEN {self.condition(x, term)} THEN {term.points} ELSE 0 END"

    def value(self, x: str, term: ExportTerm) -> str:
        double = self.dialect.multiplied(x)
        if not term.column.decimals:
            return f"{term.points} * {double}"
        scaled = f"{double} * 1{'0' * term.column.decimals}"
        rounded = self.dialect.rounded(scaled)
        exact = f"{rounded} / 1{'0' * term.column.decimals} = {double}"
        return f"{term.points} * CASE WHEN {exact} THEN {rounded} ELSE {scaled} END"

    def condition(self, x: str, term: ExportTerm) -> str:
        if term.cuts is not None:
            return _within(x, term.cuts)
        for text in term.texts:
            plain_text(text, "a string", "SQL")
        return self.dialect.among(x, term.column, [*term.texts, *term.numbers], none=term.excludes)

    def refused(self) -> list[str]:
        """Conditions under which the card does not score a row."""
        return [test for column in self.ready.columns for test in self.refusals(column)]

    def refusals(self, column: ExportColumn) -> list[str]:
        x = self.x(column)
        gone = self.dialect.missing(x, column)
        tests = self.wrong(x, column)
        if column.refuses_missing:
            return [gone, *tests]
        return [f"(NOT ({gone}) AND {test})" for test in tests]

    def wrong(self, x: str, column: ExportColumn) -> list[str]:
        if column.holds_anything:
            return []
        tests = [self.dialect.wrong_type(x, column)]
        if not column.is_text and not column.known:
            tests.append(self.dialect.infinite(x, column))
        if column.known is not None:
            known = [v for v in map(_literal, column.known) if v is not None]
            tests.append(self.dialect.among(x, column, known, none=True))
        if column.limits is not None:
            tests.append(f"NOT ({_within(x, column.limits)})")
        if column.whole:
            double = self.dialect.as_double(x)
            tests.append(f"{double} <> {self.dialect.rounded(double)}")
        return [test for test in tests if test is not None]


def card_text(value: object) -> str:
    return one_line(str(value))[:80]


def _literal(value: Category) -> str | float | None:
    if isinstance(value, str):
        return plain_text(value, "a string", "SQL")
    return double_equal_to(Fraction(value))


def _within(x: str, cuts: CutTable) -> str:
    parts = []
    if cuts.low is not None:
        parts.append(f"{x} {'>=' if cuts.low.included else '>'} {number(cuts.low.value)}")
    if cuts.high is not None:
        parts.append(f"{x} {'<=' if cuts.high.included else '<'} {number(cuts.high.value)}")
    return " AND ".join(parts)


def _when(start: str, conditions: Sequence[str], then: str) -> list[str]:
    tests = [f"    {'OR ' if n else ''}{test}" for n, test in enumerate(conditions)]
    return [start, "  WHEN", *tests, f"    THEN {then}"]


def _indented(lines: Sequence[str], levels: int = 1) -> list[str]:
    return ["  " * levels + line for line in lines]


def _listed(parts: Sequence[list[str]]) -> list[str]:
    ended = [[*part[:-1], f"{part[-1]},"] for part in parts[:-1]]
    return [line for part in [*ended, *parts[-1:]] for line in part]

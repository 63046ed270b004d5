"""A card as one function of base R, which scores a data frame.

A row that the card refuses gives NA. Numbers in a column of text or in a factor are read as numbers: a factor alone
would give the numbers of its levels. Text that is not a number, neither empty nor a code for a missing value, is
refused where the card expects a number.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files

from supersparse.base.errors import UnsupportedCardError
from supersparse.card.card import Card, Label
from supersparse.card.export.plan import CutTable, ExportColumn, ExportPlan, ExportTerm, plain_text, plan
from supersparse.card.export.python import card_name
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.table.values import Category


def to_r(card: Card, *, decimals: int | Mapping[str, int] | None = None) -> str:
    """Return the source of `card(data)`, which gives a data frame with total, class and, with risks, risk.

    `decimals` is how many decimal places the values have that points multiply, as in the export to SQL.
    """
    ready = plan(card, "R", decimals)
    for column in ready.columns:
        plain_text(column.name, "a column's name", "R")
        if not column.name:
            raise UnsupportedCardError("a column has an empty name, which a data frame does not allow", "rename it")
    variables = {column.name: f"x{number}" for number, column in enumerate(ready.columns, start=1)}
    head = files("supersparse.card.export").joinpath("head.R").read_text(encoding="utf-8")
    lines = [head.format(name=card_name(card)).rstrip()]
    lines += [f"  {variables[c.name]} <- {_read(c)}" for c in ready.columns]
    lines += [f"  units <- numeric({_rows(ready, variables)})"]
    for term in ready.terms:
        lines.append(f"  units <- units + {_term(term, variables[term.column.name])}")
    for column in ready.columns:
        lines += [f"  units[{test}] <- NA" for test in _refused(column, variables[column.name])]
    positive, negative = _label(card.positive), _label(card.negative)
    lines += [
        f"  found <- data.frame(total = units / {ready.scale}, stringsAsFactors = FALSE)",
        f"  found$class <- ifelse(units {ready.sign} {ready.threshold}, {positive}, {negative})",
        *([] if card.risk is None else [f"  found$risk <- {_risk(ready)}"]),
        "  found",
        "}",
        "",
    ]
    return "\n".join(lines)


def _rows(ready: ExportPlan, variables: Mapping[str, str]) -> str:
    return f"length({variables[ready.columns[0].name]})" if ready.columns else "nrow(data)"


def _read(column: ExportColumn) -> str:
    codes = _vector(column.missing_texts, "character(0)")
    if column.is_text or column.holds_anything:
        return f"text({_text(column.name)}, {codes})"
    return f"number({_text(column.name)}, {codes}, {_vector(column.missing_numbers, 'numeric(0)')})"


def _refused(column: ExportColumn, x: str) -> list[str]:
    tests = [f"is.na({x})"] if column.refuses_missing else []
    if column.holds_anything:
        return tests
    if not column.is_text:
        tests.append(f"is.infinite({x})")
    if column.known is not None:
        tests.append(f"!is.na({x}) & !({_among(x, column, column.known)})")
    if column.limits is not None:
        tests.append(f"!is.na({x}) & !({_inside(x, column.limits)})")
    if column.whole:
        tests.append(f"!is.na({x}) & {x} != floor({x})")
    return tests


def _term(term: ExportTerm, x: str) -> str:
    if term.asks_missing:
        return f"ifelse(is.na({x}), {term.points}, 0)"
    missing = 0 if term.missing is None else term.missing
    return f"ifelse(is.na({x}), {missing}, {_when_known(term, x)})"


def _when_known(term: ExportTerm, x: str) -> str:
    if term.is_value:
        if not term.column.decimals:
            return f"{x} * {term.points}"
        unit = 10**term.column.decimals
        rounded = f"round({x} * {unit})"
        return f"ifelse({rounded} / {unit} == {x}, {rounded}, {x} * {unit}) * {term.points}"
    if term.cuts is not None:
        test = _inside(x, term.cuts)
    elif term.excludes and not (term.texts or term.numbers):
        return str(term.points)
    else:
        test = f"{x} %in% {_vector(term.texts if term.column.is_text else term.numbers, 'NULL')}"
    return f"ifelse({test}, 0, {term.points})" if term.excludes else f"ifelse({test}, {term.points}, 0)"


def _inside(x: str, cuts: CutTable) -> str:
    low = [] if cuts.low is None else [f"{x} {'>=' if cuts.low.included else '>'} {cuts.low.value!r}"]
    high = [] if cuts.high is None else [f"{x} {'<=' if cuts.high.included else '<'} {cuts.high.value!r}"]
    return " & ".join(low + high)


def _among(x: str, column: ExportColumn, values: tuple[Category, ...]) -> str:
    if column.is_text:
        return f"{x} %in% {_vector([v for v in values if isinstance(v, str)], 'NULL')}"
    return f"{x} %in% {_vector([float(v) for v in values if not isinstance(v, str)], 'NULL')}"


def _risk(ready: ExportPlan) -> str:
    risk = ready.card.risk
    if isinstance(risk, LogisticRisk):
        return f"plogis({risk.slope!r} * found$total + {risk.offset!r})"
    assert isinstance(risk, TableRisk)
    totals, risks = _vector([float(t) for t in risk.totals], ""), _vector(risk.risks, "")
    if len(risk.totals) == 1:
        return f"ifelse(is.na(units), NA, {risk.risks[0]!r})"
    return f"if (length(units)) approx({totals}, {risks}, xout = found$total, rule = 2)$y else numeric(0)"


def _vector(values: Sequence[str | float], empty: str) -> str:
    listed = [_text(v) if isinstance(v, str) else repr(v) for v in values]
    return f"c({', '.join(listed)})" if listed else empty


def _label(label: Label) -> str:
    return _text(label) if isinstance(label, str) else repr(label)


def _text(text: str) -> str:
    """A string in ASCII, whatever the file is taken for."""
    named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(named.get(c) or (c if " " <= c <= "~" else f"\\U{{{ord(c):x}}}") for c in text) + '"'

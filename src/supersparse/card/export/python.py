"""A card as a Python module that needs only the standard library and scores exactly like the card."""

from fractions import Fraction
from importlib.resources import files
from inspect import getsource

from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.raw_values import MissingCodes, missing_codes
from supersparse.card.risk import LogisticRisk, Risk
from supersparse.card.rules import (
    InRange,
    IsMissing,
    IsNoneOf,
    IsOneOf,
    Rule,
    ValueOf,
    is_like,
    next_to,
    one_edit_apart,
    places_of,
    roman_number,
)


def to_python(card: Card) -> str:
    """Return the source of a module with `points`, `total`, `predict` and, if the card has risks, `risk`.

    Each takes a person, a mapping from column names to values. What the card refuses raises ValueError.
    """
    runtime = files("supersparse.card.export").joinpath("runtime.py.txt").read_text(encoding="utf-8")
    lines = [
        f'"""Scoring system: {card_name(card)}; exported by supersparse."""',
        "",
        *(_LIKENESS if any(expected.alike for expected in expectations(card)) else ()),
        runtime.rstrip(),
        "",
        "",
        f"NEGATIVE, POSITIVE = {card.negative!a}, {card.positive!a}",
        f"THRESHOLD = {_number(card.threshold)}  # POSITIVE: a total of {card.cutoff.positive}",
        "",
        "",
        "def points(person):",
        '    """Return the exact points of each item, in the order of the card; a person is a mapping."""',
    ]
    names = {column: f"value{number}" for number, column in enumerate(card.columns, start=1)}
    codes = missing_codes(card)
    for expected in expectations(card):
        column = expected.column
        checks = _checks(expected, codes[column])
        lines.append(f"    {names[column]} = _value(person, {column!a}, {checks})")
    lines.append("    return [")
    for item in card.items:
        lines += [f"        # {item.asks!a}", f"        Fraction({_term(item, names[item.column])}),"]
    lines += ["    ]", "", "", *(line.format(sign=card.cutoff.sign) for line in _FUNCTIONS)]
    return "\n".join([*lines, *_risk(card.risk)])


_LIKENESS = (
    "from __future__ import annotations",
    "",
    "import re",
    "from fractions import Fraction",
    *(f"\n\n{getsource(one).rstrip()}" for one in (roman_number, places_of, next_to, one_edit_apart, is_like)),
    "\n",
)
_FUNCTIONS = (
    "def total(person):",
    '    """Return the exact total of one person, a mapping."""',
    "    return sum(points(person), Fraction(0))",
    "",
    "",
    "def predict(person):",
    '    """Return the class of one person."""',
    "    return POSITIVE if total(person) {sign} THRESHOLD else NEGATIVE",
    "",
)


def _risk(risk: Risk | None) -> list[str]:
    if risk is None:
        return []
    head = ["", "def risk(person):", '    """Return the risk of POSITIVE for one person."""']
    if isinstance(risk, LogisticRisk):
        power = f"{risk.slope!r} * float(total(person)) + {risk.offset!r}"
        return [*head, f"    return 0.5 * (1 + math.tanh(({power}) / 2))", ""]
    table = [
        f"    ({_number(points)}, {one!r}),  # total, risk" for points, one in zip(risk.totals, risk.risks, strict=True)
    ]
    return ["", "RISKS = [", *table, "]", "", *head, "    return _interpolated(RISKS, total(person))", ""]


def card_name(card: Card) -> str:
    """A one-line title for comments, reduced to letters, digits, spaces and a few other characters."""
    title = card.title or f"{card.positive} or {card.negative}"
    return "".join(c if c.isascii() and (c.isalnum() or c in " .,-()") else "?" for c in title)[:80]


def _checks(expected: Expected, codes: MissingCodes) -> str:
    domain = expected.refusing
    parts = [f"needs_value={expected.needs_value}", f"may_be_missing={not expected.refuses_missing}"]
    if codes:
        parts.append(f"codes={_categories((*codes.texts, *codes.numbers))}")
    if expected.kinds:
        parts.append(f"kinds={expected.kinds!r}")
    if expected.alike:
        parts.append(f"alike={_categories(expected.alike)}")
    if domain is not None:
        if domain.values is not None:
            parts.append(f"known={_categories(domain.values)}")
        else:
            low, high = (None if b is None else _number(b) for b in (domain.low, domain.high))
            parts.append(f"limits=({low}, {high}, {domain.whole})")
    return ", ".join(parts)


def _term(item: Item, value: str) -> str:
    points = _number(item.points)
    if isinstance(item.rule, IsMissing):
        return f"{points} if {value} is None else 0"
    if isinstance(item.rule, ValueOf):
        points_given = f"{points} * _number({value})"
    else:
        points_given = f"{points} if {_condition(item.rule, value)} else 0"
    return points_given if item.missing is None else f"{_number(item.missing)} if {value} is None else {points_given}"


def _condition(rule: Rule, value: str) -> str:
    if isinstance(rule, IsOneOf):
        return f"{value} in {_categories(rule.values)}"
    if isinstance(rule, IsNoneOf):
        return f"{value} not in {_categories(rule.values)}" if rule.values else "True"
    assert isinstance(rule, InRange)
    low = "" if rule.low is None else f"{_number(rule.low)} {'<=' if rule.low_included else '<'} "
    high = "" if rule.high is None else f" {'<=' if rule.high_included else '<'} {_number(rule.high)}"
    return f"{low}_number({value}){high}"


def _categories(values: tuple[object, ...]) -> str:
    texts = [ascii(v) if isinstance(v, str) else _number(Fraction(v)) for v in values]  # type: ignore[call-overload]
    return f"({', '.join(texts)},)"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"Fraction({value.numerator}, {value.denominator})"

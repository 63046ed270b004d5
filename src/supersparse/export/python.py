"""A card as a Python module that needs only the standard library and scores exactly like the card."""

from fractions import Fraction
from importlib.resources import files

from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.rules import InRange, IsMissing, IsOneOf, Rule, ValueOf


def to_python(card: Card) -> str:
    """Return the source of a module with `score(person)` and `predict(person)`.

    A person is a mapping from column names to values. Values that the card refuses raise ValueError.
    """
    runtime = files("supersparse.export").joinpath("runtime.py.txt").read_text(encoding="utf-8")
    lines = [
        f'"""Scoring system: {card_name(card)}; exported by supersparse."""',
        "",
        runtime.rstrip(),
        "",
        "",
        f"NEGATIVE, POSITIVE = {card.negative!a}, {card.positive!a}",
        "",
        "",
        "def score(person):",
        '    """Return the exact score of one person, a mapping; above 0 is the positive class."""',
        f"    # POSITIVE needs {card.cutoff.positive} points",
        f"    total = {_number(card.intercept)}  # minus the threshold",
    ]
    expected = {e.column: e for e in expectations(card)}
    for column, items in card.items_by_column().items():
        lines += _column(expected[column], items)
    lines += [
        "    return Fraction(total)",
        "",
        "",
        "def predict(person):",
        '    """Return the class of one person."""',
        "    return POSITIVE if score(person) > 0 else NEGATIVE",
        "",
    ]
    return "\n".join(lines)


def card_name(card: Card) -> str:
    """A one-line title for comments, reduced to letters, digits, spaces and a few other characters."""
    title = card.title or f"{card.positive} or {card.negative}"
    return "".join(c if c.isascii() and (c.isalnum() or c in " .,-()") else "?" for c in title)[:80]


def _column(expected: Expected, items: list[Item]) -> list[str]:
    lines = [f"    value = _value(person, {expected.column!a}, {_checks(expected)})"]
    for item in items:
        lines += [f"    # {item.asks!a}", f"    total += {_term(item)}"]
    return lines


def _checks(expected: Expected) -> str:
    domain = expected.domain
    parts = [f"needs_value={expected.needs_value}", f"may_be_missing={not expected.refuses_missing}"]
    if expected.kinds:
        parts.append(f"kinds={expected.kinds!r}")
    if domain is not None and domain.outside == "refuse":
        if domain.values is not None:
            parts.append(f"known={_categories(domain.values)}")
        else:
            low, high = (None if b is None else _number(b) for b in (domain.low, domain.high))
            parts.append(f"limits=({low}, {high}, {domain.whole})")
    return ", ".join(parts)


def _term(item: Item) -> str:
    points = _number(item.points)
    if isinstance(item.rule, IsMissing):
        return f"{points} if value is None else 0"
    given = f"{points} * _number(value)"
    if not isinstance(item.rule, ValueOf):
        given = f"({points} if {_condition(item.rule)} else 0)"
    return given if item.missing is None else f"{_number(item.missing)} if value is None else {given}"


def _condition(rule: Rule) -> str:
    if isinstance(rule, IsOneOf):
        return f"value in {_categories(rule.values)}"
    assert isinstance(rule, InRange)
    low = "" if rule.low is None else f"{_number(rule.low)} {'<=' if rule.low_included else '<'} "
    high = "" if rule.high is None else f" {'<=' if rule.high_included else '<'} {_number(rule.high)}"
    return f"{low}_number(value){high}"


def _categories(values: tuple[object, ...]) -> str:
    texts = [ascii(v) if isinstance(v, str) else _number(Fraction(v)) for v in values]  # type: ignore[call-overload]
    return f"({', '.join(texts)},)"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"Fraction({value.numerator}, {value.denominator})"

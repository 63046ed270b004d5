r"""The expressions of a FHIR form: points of an answer, total, risk and class, in FHIRPath.

Each stands for itself: points are whole numbers in it, and no variable and no `weight()` is used, since engines
differ there. Four rules keep them right in every engine:

- `{} + 3` is empty, so a total appears only when every line is answered; but `iif({} >= 65, 4, 0)` is 0, so every
  comparison is guarded by `empty()`.
- FHIR promises 8 decimals. A bound of more is moved to the next value of 8 decimals, which is exact for every value of
  at most 8. Decimals are equal where `>=` and `<=` hold: engines differ about `=`.
- Totals that are not whole numbers are counted in units, in a hidden item, so that no sum is rounded.
- Engines recurse over a union, so it has at most 150 terms: beyond that, a risk is worked out by its formula.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, lcm

from supersparse.base.errors import UnsupportedCardError
from supersparse.card.bands import bands_of, possible_totals
from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected
from supersparse.card.export.plan import risk_lines
from supersparse.card.lines import class_names
from supersparse.card.risk import LogisticRisk, TableRisk, risk_of
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, ValueOf
from supersparse.table.values import Category

DECIMALS = 8  # that FHIR promises
_STEP = 10**DECIMALS
_MOST_TERMS = 150
_MOST_UNITS = 2**31  # from here on, an integer of FHIR has no room
_RISK_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Calculated:
    """The calculated items, (linkId, text, type, expression) each; `scale` units are one point."""

    items: tuple[tuple[str, str, str, str], ...]
    scale: int


def calculated(card: Card, terms: Sequence[Callable[[int], str]], *, decimal: bool) -> Calculated:
    """Return total, risk and class; each term gives the points of one column in units, for a scale.

    With `decimal`, points multiply values that may have decimals.
    """
    scale = _scale(card, decimal=decimal)
    negative, positive = classes_of(card)
    units = " + ".join(term(scale) for term in terms) or "0"
    if scale == 1:
        items, counted = [("total", "Total points", "integer", units)], path("total")
    else:
        counted = path("units")
        items = [
            ("units", "Total in units", "decimal" if decimal else "integer", units),
            ("total", "Total points", "decimal", f"{counted} / {scale}"),
        ]
    if card.risk is not None:
        items.append(("risk", f"Risk of {positive} (0 to 1)", "decimal", _risk(card, scale, counted)))
    cutoff = card.cutoff
    least = ceil(cutoff.threshold * scale) if cutoff.reached else floor(cutoff.threshold * scale) + 1
    limit = _literal(Fraction(least))
    reached = f"iif({counted} >= {limit}, {_text(positive)}, iif({counted} < {limit}, {_text(negative)}, {{}}))"
    return Calculated((*items, ("class", "Class", "string", reached)), scale)


def classes_of(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written in a form: without backslashes, which engines read differently."""
    negative, positive = (name.replace("\\", "/") for name in class_names(card))
    return negative, positive


def _scale(card: Card, *, decimal: bool) -> int:
    points = [p for item in card.items for p in (item.points, item.missing) if p is not None]
    scale = lcm(*(p.denominator for p in points))
    if sum(abs(p) for p in points) * scale >= _MOST_UNITS:
        raise UnsupportedCardError(
            "the points add up to 2**31 or more in whole units, which an integer of FHIR does not hold",
            "use the Python or JavaScript export",
        )
    return scale * _STEP if decimal else scale


def path(link: str) -> str:
    """The answer to an item of a flat form."""
    return f"%resource.item.where(linkId='{link}').answer.value"


def choice_term(link: str, options: Sequence[tuple[str, Fraction]]) -> str:
    """The points of the option that is chosen, by code; an unknown code gives none."""
    by_points: dict[Fraction, list[str]] = {}
    for code, points in options:
        by_points.setdefault(points, []).append(f"'{code}'")
    made = "{}"
    for points, codes in reversed(by_points.items()):
        test = f"= {codes[0]}" if len(codes) == 1 else f"in ({' | '.join(codes)})"
        made = f"iif({path(link)}.code {test}, {_literal(points)}, {made})"
    return made


def number_term(
    link: str, unknown: str | None, items: Sequence[Item], expected: Expected, scale: int, *, whole: bool
) -> str:
    """The points of a number that is typed in; `unknown` is the item that says that it is not known."""
    value = path(link)
    looking = [item for item in items if not isinstance(item.rule, IsMissing)]
    bands = bands_of(items, expected.domain)
    if bands is not None and all(isinstance(item.rule, InRange) for item in looking):
        made = ""
        for band in bands:  # as they rise: the last that holds counts
            if isinstance(band.rule, InRange) and made:
                made = f"iif({_at_least(value, band.rule, whole)}, {_literal(band.points * scale)}, {made})"
            elif not isinstance(band.rule, IsMissing):
                made = _literal(band.points * scale)
    else:
        made = " + ".join(_item_term(value, item, scale, whole=whole) for item in looking) or "0"
    allowed = _allowed(value, expected.refusing, whole=whole)
    if allowed is not None:
        made = f"iif({allowed}, {made}, {{}})"
    missing = "{}"
    if unknown is not None:
        points = sum((item.when_missing or Fraction(0) for item in items), Fraction(0))
        missing = f"iif({path(unknown)} = true, {_literal(points * scale)}, {{}})"
    return f"iif({value}.empty(), {missing}, {made})"


def points_of(item: Item, value: Category) -> Fraction:
    return Fraction(0) if isinstance(item.rule, IsMissing) else item.points * item.rule.of_one(value, item.column)


def _item_term(value: str, item: Item, scale: int, *, whole: bool) -> str:
    points = _literal(item.points * scale)
    if isinstance(item.rule, ValueOf):
        return f"{value} * {points}" if whole else f"({value} * {points}).round(0)"
    if isinstance(item.rule, InRange):
        return f"iif({_inside(value, item.rule, whole)}, {points}, 0)"
    assert isinstance(item.rule, IsOneOf | IsNoneOf)
    named = _among(value, item.rule.values)
    return f"iif({named}, {points}, 0)" if isinstance(item.rule, IsOneOf) else f"iif({named}, 0, {points})"


def _allowed(value: str, refusing: Domain | None, *, whole: bool) -> str | None:
    """The test of a number that the card accepts; None where it accepts all."""
    if refusing is None:
        return None
    if refusing.values is not None:
        return _among(value, refusing.values)
    tests = [] if refusing.test is None else [_inside(value, refusing.test, whole)]
    if refusing.whole and not whole:
        tests.append(f"{value}.round(0) >= {value} and {value}.round(0) <= {value}")
    return " and ".join(tests) or None


def _at_least(value: str, rule: InRange, whole: bool) -> str:
    assert rule.low is not None
    return f"{value} >= {_bound(rule.low, rule.low_included, whole)}"


def _inside(value: str, rule: object, whole: bool) -> str:
    assert isinstance(rule, InRange)
    tests = [] if rule.low is None else [_at_least(value, rule, whole)]
    if rule.high is not None:  # below the least value that is no longer inside
        tests.append(f"{value} < {_bound(rule.high, not rule.high_included, whole)}")
    return " and ".join(tests)


def _bound(bound: Fraction, included: bool, whole: bool) -> str:
    """The least value that reaches a bound, or that exceeds it where it is not included."""
    unit = 1 if whole else _STEP
    steps = ceil(bound * unit) if included else floor(bound * unit) + 1
    return _literal(Fraction(steps, unit))


def _among(value: str, categories: Iterable[Category]) -> str:
    numbers = sorted({Fraction(c) for c in categories if not isinstance(c, str)})
    exact = [_literal(n) for n in numbers if (n * _STEP).denominator == 1]
    return "(" + " or ".join(f"({value} >= {n} and {value} <= {n})" for n in exact) + ")" if exact else "false"


def _risk(card: Card, scale: int, counted: str) -> str:
    assert card.risk is not None
    multiplies = any(isinstance(item.rule, ValueOf) for item in card.items)
    totals = None if multiplies else possible_totals(card, _MOST_TERMS)
    if totals is not None:
        return " | ".join(
            f"iif({counted} = {_literal(t * scale)}, {_share(risk_of(card.risk, t))}, {{}})" for t in totals
        )
    if isinstance(card.risk, LogisticRisk):
        slope, offset = _decimal(card.risk.slope / scale), _decimal(card.risk.offset)
        return f"1 / (1 + (0 - ({counted} * {slope} + {offset})).exp())"
    return _between(card.risk, scale, counted)


def _between(risk: TableRisk, scale: int, counted: str) -> str:
    """The risk between the totals of a table: constant beyond its ends, straight within."""
    ends = [_literal(Fraction(ceil(t * scale * _STEP), _STEP)) for t in (risk.totals[0], risk.totals[-1])]
    lines = risk_lines(risk)
    if len(lines) > _MOST_TERMS - 2:
        raise UnsupportedCardError(
            f"the risk table has {len(risk.totals)} totals, and a FHIR form at most {_MOST_TERMS - 1}",
            "use the Python or JavaScript export",
        )
    parts = [f"iif({counted} <= {ends[0]}, {_share(risk.risks[0])}, {{}})"]
    for line in lines:
        start, end = _decimal(line.start * scale), _decimal(line.end * scale)
        rise = f"{_share(line.start_risk)} + ({counted} - {start}) * {_decimal(line.slope / scale)}"
        parts.append(f"iif({counted} > {start} and {counted} <= {end}, {rise}, {{}})")
    return " | ".join([*parts, f"iif({counted} > {ends[1]}, {_share(risk.risks[-1])}, {{}})"])


def _literal(number: Fraction) -> str:
    """A number of at most 8 decimals."""
    steps = number * _STEP
    assert steps.denominator == 1
    return _signed(
        format(Decimal(int(steps)).scaleb(-DECIMALS).normalize(), "f") if number.denominator > 1 else str(number)
    )


def _decimal(number: float) -> str:
    return _signed(format(Decimal(repr(number)), "f"))


def _share(risk: float) -> str:
    return _decimal(round(risk, _RISK_DECIMALS) + 0.0)


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _text(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"

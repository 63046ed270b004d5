"""Cards written by hand: items in a line each, and a threshold in the words of the published score."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from supersparse.base.errors import InvalidCardError
from supersparse.card.card import Card, Item, Label
from supersparse.card.risk import Risk, declared_risk
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, Outside, Rule, ValueOf
from supersparse.table.values import declared_number

Number = int | float | Decimal | Fraction


def item(
    column: str,
    *,
    points: Number,
    equals: object = None,
    one_of: Iterable[object] | None = None,
    at_least: Number | None = None,
    above: Number | None = None,
    at_most: Number | None = None,
    below: Number | None = None,
    is_missing: bool = False,
    missing: Number | Literal["refuse"] = "refuse",
    unit: str | None = None,
    question: str | None = None,
    position: int | None = None,
) -> Item:
    """Make one item of a card: points for what a raw column holds.

    Without a condition the item gives points times the value of the column. Otherwise it gives its points when the
    value is a category (`equals`, or any of `one_of`), lies within bounds (`at_least` or `above`, `at_most` or `below`,
    or one of each), or is missing (`is_missing`). A missing value is refused unless `missing` says how many points it
    gives. The question is made from the rest unless it is given.

    >>> item("age", at_least=65, below=75, points=1, unit="years").asks
    'Age 65 to under 75 years?'
    """
    bounds = [("at_least", at_least), ("above", above), ("at_most", at_most), ("below", below)]
    rules = [name for name, value in [("equals", equals), ("one_of", one_of), *bounds] if value is not None]
    rules += ["is_missing"] if is_missing else []
    return Item(
        rule=_rule(column, rules, equals, one_of, dict(bounds)),
        points=declared_number(points, f"the points of an item on {column!r}"),
        missing=None if missing == "refuse" else declared_number(missing, f"missing of an item on {column!r}"),
        unit=unit,
        question=question,
        position=position,
    )


def _rule(
    column: str, rules: list[str], equals: object, one_of: Iterable[object] | None, bounds: Mapping[str, Number | None]
) -> Rule:
    if not isinstance(column, str):
        raise InvalidCardError(f"the column {column!r} of an item must be its name, a string")
    pairs = ({"at_least", "above"}, {"at_most", "below"})
    ranged = [name for name in rules if name in bounds]
    if len(rules) > 1 and (len(ranged) < len(rules) or any(pair <= set(rules) for pair in pairs)):
        raise InvalidCardError(f"the item on {column!r} has both {' and '.join(rules)}", "make two items of it")
    if not rules:
        return ValueOf(column)
    if rules == ["is_missing"]:
        return IsMissing(column)
    if rules == ["equals"]:
        return IsOneOf(column, (equals,))  # type: ignore[arg-type]
    if rules == ["one_of"]:
        if one_of is None or isinstance(one_of, str):
            raise InvalidCardError(f"one_of of the item on {column!r} is {one_of!r}", "give a list of categories")
        return IsOneOf(column, tuple(one_of))  # type: ignore[arg-type]
    low = bounds["above"] if bounds["at_least"] is None else bounds["at_least"]
    high = bounds["below"] if bounds["at_most"] is None else bounds["at_most"]
    what = f"a bound of the item on {column!r}"
    return InRange(
        column,
        None if low is None else declared_number(low, what),
        None if high is None else declared_number(high, what),
        low_included=bounds["at_least"] is not None,
        high_included=bounds["at_most"] is not None,
    )


def card_of(
    items: Iterable[Item],
    *,
    threshold: Number | None,
    above: Number | None,
    classes: tuple[Label, Label],
    title: str | None,
    source: str | None,
    domains: Mapping[str, Domain | Sequence[object]] | None,
    outside: Outside,
    risk: Mapping[Number, float] | Risk | None = None,
) -> Card:
    """Put a card together; see `ScoringSystem.of`."""
    items = tuple(items)
    if len(classes) != 2:
        raise InvalidCardError(subject="classes", value=classes, remedy="give two, the negative one first")
    if (threshold is None) == (above is None):
        raise InvalidCardError("give either threshold (the total must reach it) or above (the total must exceed it)")
    limit = declared_number(above, "above") if threshold is None else declared_number(threshold, "threshold")
    card = Card(
        items=items,
        intercept=-limit,
        reached=threshold is not None,
        negative=classes[0],
        positive=classes[1],
        title=title,
        source=source,
        domains=tuple(_domain(column, known, outside) for column, known in (domains or {}).items()),
        risk=declared_risk(risk),
    )
    # among whole totals, more than 3 is 4 or more
    return replace(card, intercept=-card.threshold, reached=card.cutoff.reached)


def _domain(column: str, known: Domain | Sequence[object], outside: Outside) -> Domain:
    if isinstance(known, Domain):
        if known.column != column:
            raise InvalidCardError(f"the domain given for {column!r} is that of {known.column!r}")
        return known
    if isinstance(known, str):
        raise InvalidCardError(f"the domain of {column!r} is {known!r}", "give a list of known values")
    return Domain(column=column, values=tuple(known), outside=outside)  # type: ignore[arg-type]

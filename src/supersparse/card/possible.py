"""What can happen on a card: the points that a column can give, and the totals that can occur."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from supersparse.card.bands import bands_of
from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, InRange, IsMissing, Rule, ValueOf

_MOST_VALUES = 1000  # of a column that points multiply, up to which each is looked at


def possible_totals(card: Card, most: int) -> tuple[Fraction, ...] | None:
    """Return the totals that can occur, in rising order; None where these are more than `most` or not known.

    Numbers that points multiply are taken from the domain of their column, so they must be known there.

    >>> from supersparse import ScoringSystem, item
    >>> system = ScoringSystem.of([item("age", at_least=65, points=2), item("sick", equals=True, points=3)],
    ...                           threshold=4)
    >>> [int(total) for total in possible_totals(system.card, 10)]
    [0, 2, 3, 5]
    """
    domains = {domain.column: domain for domain in card.domains}
    totals = {Fraction(0)}
    for column, items in card.items_by_column().items():
        points = points_of_column(items, domains.get(column))
        if points is None:
            return None
        totals = {total + more for total in totals for more in points}
        if len(totals) > most:
            return None
    return tuple(sorted(totals))


def points_of_column(items: Sequence[Item], domain: Domain | None) -> frozenset[Fraction] | None:
    """Return the points that the items on one column can give together, a missing value included.

    None where they are not known: points multiply numbers without a domain, or with too many of them, or
    ranges and categories are mixed.
    """
    bands = bands_of(items, domain)
    if bands is not None:
        return frozenset(band.points for band in bands if occurs(band.rule, domain))
    (item, *others) = [item for item in items if not isinstance(item.rule, IsMissing)]
    numbers = _numbers(domain)
    if others or not isinstance(item.rule, ValueOf) or numbers is None:
        return None
    gone = [one.points if isinstance(one.rule, IsMissing) else one.missing for one in items]
    missing = [] if None in gone else [sum((points for points in gone if points), Fraction(0))]
    return frozenset([*(item.points * number for number in numbers), *missing])


def _numbers(domain: Domain | None) -> list[Fraction] | None:
    if domain is None:
        return None
    if domain.values is not None:
        return [Fraction(value) for value in domain.values if not isinstance(value, str)]
    if not domain.whole or domain.low is None or domain.high is None:
        return None
    low, high = ceil(domain.low), floor(domain.high)
    return None if high - low >= _MOST_VALUES else [Fraction(n) for n in range(low, high + 1)]


def example_of(domain: Domain | None) -> Fraction:
    """Return a number that a column can have, to show how one multiplies it: 3, or else one near it.

    >>> print(example_of(None), example_of(Domain(column="rank", low=-1, high=1, whole=True)))
    3 1
    """
    three = Fraction(3)
    if domain is None:
        return three
    if domain.values is not None:
        known = [Fraction(value) for value in domain.values if not isinstance(value, str)]
        return min(known, key=lambda number: (number == 0, abs(number - three)), default=three)
    low = three if domain.low is None else domain.low
    high = three if domain.high is None else domain.high
    if low <= three <= high:
        return three
    whole, end = (Fraction(ceil(low)), low) if low > three else (Fraction(floor(high)), high)
    is_inside = (domain.low is None or domain.low <= whole) and (domain.high is None or whole <= domain.high)
    return whole if domain.whole or (whole != 0 and is_inside) else end


def occurs(rule: Rule, domain: Domain | None) -> bool:
    """Whether a band holds a value that the card accepts."""
    if domain is None or domain.outside != "refuse" or not isinstance(rule, InRange):
        return True
    if domain.values is not None:
        return any(rule.contains(Fraction(v)) for v in domain.values if not isinstance(v, str))
    low, low_in = max(
        (
            (end, included)
            for end, included in ((rule.low, rule.low_included), (domain.low, True))
            if end is not None
        ),
        key=lambda pair: (pair[0], not pair[1]),
        default=(None, False),
    )
    high, high_in = min(
        (
            (end, included)
            for end, included in ((rule.high, rule.high_included), (domain.high, True))
            if end is not None
        ),
        key=lambda pair: (pair[0], pair[1]),
        default=(None, False),
    )
    if low is None or high is None:
        return True
    if domain.whole:
        first = ceil(low) if low_in or low.denominator > 1 else int(low) + 1
        last = floor(high) if high_in or high.denominator > 1 else int(high) - 1
        return first <= last
    return low < high or (low == high and low_in and high_in)

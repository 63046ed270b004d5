"""Bands: what one raw column gives, as answers that exclude one another; and the totals that can occur.

Several items may look at one column: "age >= 16" and "age >= 23", or "smoker = yes" and "smoker = former".
A person has one age, so a reader wants one line with disjoint bands, each with its own points. `bands_of`
adds the items of a column up to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import total_ordering
from math import ceil, floor

from supersparse.card.card import Card, Item
from supersparse.card.rules import (
    Domain,
    InRange,
    IsMissing,
    IsNoneOf,
    IsOneOf,
    Rule,
    ValueOf,
    looks_at_value,
    values_of,
)
from supersparse.table.values import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Values of a column that give the same points; `rule` holds for exactly these values."""

    rule: Rule
    points: Fraction


def bands_of(items: Sequence[Item], domain: Domain | None) -> tuple[Band, ...] | None:
    """Return the bands of the items on one column, which cover every value that the card accepts.

    A missing value has a band where it is accepted. None if there are no bands: points multiply the value,
    or ranges and categories are mixed.

    >>> from supersparse.card.build import item
    >>> items = [item("age", at_least=16, points=4), item("age", at_least=23, points=-2)]
    >>> [(band.rule.low, band.rule.high, band.points) for band in bands_of(items, None)]  # doctest: +ELLIPSIS
    [(None, Fraction(16, 1), ...(0, 1)), (Fraction(16, 1), ... (Fraction(23, 1), None, Fraction(2, 1))]
    """
    looking = [item for item in items if not isinstance(item.rule, IsMissing)]
    rules = [item.rule for item in looking]
    if not any(map(looks_at_value, rules)):
        points = sum((item.points for item in looking), Fraction(0))
        known = [Band(rule=IsNoneOf(items[0].column, ()), points=points)]
    elif all(isinstance(rule, InRange) for rule in rules):
        known = _ranges(looking)
    elif all(isinstance(rule, IsOneOf | IsNoneOf) for rule in rules):
        known = _categories(looking, domain)
    elif len(rules) == 1 and isinstance(rules[0], ValueOf):
        known = _two_values(looking[0], domain)
    else:
        known = []
    if not known:
        return None
    return (*known, *_missing(items))


def _missing(items: Sequence[Item]) -> list[Band]:
    """The band of a missing value, where no item refuses it."""
    points = _points_when_missing(items)
    return [] if points is None else [Band(rule=IsMissing(items[0].column), points=points)]


def _points_when_missing(items: Sequence[Item]) -> Fraction | None:
    """The points of the items together for a missing value; None where one refuses it."""
    points = [item.when_missing for item in items]
    return None if None in points else sum((p for p in points if p), Fraction(0))


@total_ordering
@dataclass(frozen=True, slots=True)
class _Cut:
    """A place between two numbers: just below `at`, or just above it."""

    at: Fraction
    above: bool

    def __lt__(self, other: "_Cut") -> bool:
        return (self.at, self.above) < (other.at, other.above)


def _ends(rule: InRange) -> tuple[_Cut | None, _Cut | None]:
    low = None if rule.low is None else _Cut(rule.low, not rule.low_included)
    high = None if rule.high is None else _Cut(rule.high, rule.high_included)
    return low, high


def _ranges(items: Sequence[Item]) -> list[Band]:
    """Cut the numbers at every bound, and join neighbours with equal points."""
    ends = [(*_ends(item.rule), item.points) for item in items if isinstance(item.rule, InRange)]
    cuts = sorted({cut for low, high, _ in ends for cut in (low, high) if cut is not None})
    pieces: list[tuple[_Cut | None, _Cut | None, Fraction]] = []
    for start, end in zip([None, *cuts], [*cuts, None], strict=True):
        points = sum((p for low, high, p in ends if _covers(low, high, start, end)), Fraction(0))
        if pieces and pieces[-1][2] == points:
            start = pieces.pop()[0]
        pieces.append((start, end, points))
    column = items[0].column
    return [Band(rule=_range(column, start, end), points=points) for start, end, points in pieces]


def _covers(low: _Cut | None, high: _Cut | None, start: _Cut | None, end: _Cut | None) -> bool:
    above = low is None or (start is not None and low <= start)
    below = high is None or (end is not None and end <= high)
    return above and below


def _range(column: str, start: _Cut | None, end: _Cut | None) -> Rule:
    if start is None and end is None:  # points that cancel out everywhere
        return IsNoneOf(column, ())
    return InRange(
        column,
        None if start is None else start.at,
        None if end is None else end.at,
        low_included=start is not None and not start.above,
        high_included=end is not None and end.above,
    )


def _categories(items: Sequence[Item], domain: Domain | None) -> list[Band]:
    """Gather the categories by their points; whatever no item names is one band with the rest."""
    column = items[0].column
    rules = [item.rule for item in items if isinstance(item.rule, IsOneOf | IsNoneOf)]
    named = dict.fromkeys(value for rule in rules for value in rule.values)
    refuses = domain is not None and domain.outside == "refuse" and domain.values is not None
    known = values_of(domain)
    listed: list[Category] = list(known) if refuses else list(dict.fromkeys((*known, *named)))
    others = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
    by_points: dict[Fraction, list[Category]] = {}
    for value in listed:
        points = sum((item.points * item.rule.of_one(value, column) for item in items), Fraction(0))
        by_points.setdefault(points, []).append(value)
    bands = []
    for points, values in by_points.items():
        if refuses or points != others:
            bands.append(Band(rule=IsOneOf(column, _truths(values, known)), points=points))
    if not refuses:
        others_values = [v for points, values in by_points.items() if points != others for v in values]
        bands.append(Band(rule=IsNoneOf(column, _truths(others_values, known)), points=others))
    return bands


def _truths(values: Sequence[Category], known: Sequence[Category]) -> tuple[Category, ...]:
    """The values, as yes and no where the column knows 0 and 1 only."""
    if any(isinstance(v, str) for v in known) or {Fraction(v) for v in known} != {0, 1}:
        return tuple(values)
    return tuple(bool(v) if v in (0, 1) else v for v in values)


def _two_values(item: Item, domain: Domain | None) -> list[Band]:
    """A column of two numbers, such as 0 and 1, is a question with two answers if it accepts nothing else."""
    if domain is None or domain.values is None or domain.outside != "refuse" or len(domain.values) != 2:
        return []
    numbers = sorted(domain.numbers)
    if len(numbers) < 2:
        return []
    answers: list[Category] = [False, True] if numbers == [0, 1] else list(numbers)
    return [
        Band(rule=IsOneOf(item.column, (answer,)), points=item.points * number)
        for answer, number in zip(answers, numbers, strict=True)
    ]


def asks_for_yes(rule: Rule) -> bool:
    """Whether a rule asks for yes, so that its question can also be answered with no."""
    return isinstance(rule, IsOneOf) and len(rule.values) == 1 and rule.values[0] is True


def asks_for_no(rule: Rule) -> bool:
    if isinstance(rule, IsNoneOf):
        return len(rule.values) == 1 and rule.values[0] is True
    return isinstance(rule, IsOneOf) and len(rule.values) == 1 and rule.values[0] is False


def items_of_bands(bands: Sequence[Band], like: Item) -> tuple[Item, ...]:
    """Return items that give these points, none for 0 points; `like` tells the unit and the place."""
    accepts_missing = any(isinstance(band.rule, IsMissing) for band in bands)
    return tuple(
        replace(
            like,
            rule=band.rule,
            points=band.points,
            missing=None if isinstance(band.rule, IsMissing) or not accepts_missing else Fraction(0),
            question=like.question if band.rule == like.rule or asks_for_yes(like.rule) else None,
        )
        for band in bands
        if band.points
    )


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
    totals = {Fraction(0)}
    for _, items, domain in card.by_column():
        points = points_of_column(items, domain)
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
    missing = _points_when_missing(items)
    return frozenset([*(item.points * number for number in numbers), *([] if missing is None else [missing])])


def _numbers(domain: Domain | None) -> list[Fraction] | None:
    if domain is None:
        return None
    if domain.values is not None:
        return domain.numbers
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
        return min(domain.numbers, key=lambda number: (number == 0, abs(number - three)), default=three)
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
        return any(map(rule.contains, domain.numbers))
    lows = [(end, inside) for end, inside in ((rule.low, rule.low_included), (domain.low, True)) if end is not None]
    highs = [(end, inside) for end, inside in ((rule.high, rule.high_included), (domain.high, True)) if end is not None]
    low, low_in = max(lows, key=lambda pair: (pair[0], not pair[1]), default=(None, False))
    high, high_in = min(highs, default=(None, False))
    if low is None or high is None:
        return True
    if domain.whole:
        first = ceil(low) if low_in or low.denominator > 1 else int(low) + 1
        last = floor(high) if high_in or high.denominator > 1 else int(high) - 1
        return first <= last
    return low < high or (low == high and low_in and high_in)

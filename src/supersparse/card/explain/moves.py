"""Moves: the values that a column can change to, and the points that each gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, inf, lcm

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import exact_value
from supersparse.card.card import Item
from supersparse.card.rules import Domain, InRange, IsNoneOf, IsOneOf, ValueOf, looks_at_value
from supersparse.card.scoring import item_points
from supersparse.table.values import Category, is_beyond, is_missing


class _Other:
    """Any value that no item of the column names."""

    def __repr__(self) -> str:
        return "another value"


OTHER = _Other()
FlipTarget = Category | _Other


@dataclass(frozen=True, slots=True)
class Piece:
    """Grid points first..last (None: endless) on which the points are base + slope·value."""

    first: int | None
    last: int | None
    base: Fraction
    slope: Fraction


@dataclass(frozen=True, slots=True)
class Grid:
    """Multiples of a step, piece by piece, and the person's position."""

    step: Fraction
    pieces: tuple[Piece, ...]
    start: int  # the grid point nearest to the current value; 0 if it is missing


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of one column: single targets with their points, or a grid."""

    column: str
    before: object
    points: Fraction  # at present
    targets: tuple[tuple[FlipTarget, Fraction], ...] = ()
    grid: Grid | None = None


def moves_of(column: str, items: Sequence[Item], domain: Domain | None, value: object) -> Moves:
    """Find the values that a column can change to."""
    points = _points(items, value)
    if domain is not None and domain.values is not None:
        return Moves(column, value, points, _targets(items, domain.values))
    rules = [item.rule for item in items]
    if not any(looks_at_value(rule) for rule in rules):
        known = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
        return Moves(column, value, points, ((OTHER, known),))
    numeric = any(isinstance(rule, ValueOf | InRange) for rule in rules)
    if not numeric:
        named = [c for rule in rules if isinstance(rule, IsOneOf | IsNoneOf) for c in rule.values]
        if named and all(isinstance(c, bool) for c in named):
            return Moves(column, value, points, _targets(items, (True, False)))
        targets = _targets(items, tuple(dict.fromkeys(named)))
        others = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
        return Moves(column, value, points, (*targets, (OTHER, others)))
    return Moves(column, value, points, grid=_grid(items, domain, value))


def _points(items: Sequence[Item], value: object) -> Fraction:
    return sum((item_points(item, value) for item in items), Fraction(0))


def _targets(items: Sequence[Item], values: Sequence[Category]) -> tuple[tuple[FlipTarget, Fraction], ...]:
    found: list[tuple[FlipTarget, Fraction]] = []
    for value in values:
        try:
            found.append((value, _points(items, value)))
        except InvalidDataError:  # a known text, but an item needs a number: nobody can have it
            continue
    return tuple(found)


def _grid(items: Sequence[Item], domain: Domain | None, value: object) -> Grid:
    low, high = (None, None) if domain is None else (domain.low, domain.high)
    cuts = sorted(_cuts(items))
    if is_beyond(value):  # it stands before the first cut, or behind the last
        now = cuts[0] - 1 if value == -inf else cuts[-1] + 1
    else:
        now = Fraction(0) if is_missing(value) else exact_value(value, "the value")
    step = _step([now, *cuts], whole=domain is not None and domain.whole)
    slope = sum((item.points for item in items if isinstance(item.rule, ValueOf)), Fraction(0))
    edges = [None, *cuts, None]
    pieces = []
    for left, right in pairwise(edges):
        # the open interval between two cuts, then the right cut itself
        inside = _inside(left, right)
        pieces.append(_piece(items, slope, step, left, right, inside, low, high))
        if right is not None:
            pieces.append(_piece(items, slope, step, right, right, right, low, high))
    return Grid(step, tuple(p for p in pieces if p is not None), round(now / step))


def _cuts(items: Sequence[Item]) -> set[Fraction]:
    found: set[Fraction] = set()
    for item in items:
        if isinstance(item.rule, InRange):
            found |= {b for b in (item.rule.low, item.rule.high) if b is not None}
        elif isinstance(item.rule, IsOneOf | IsNoneOf):
            found |= {Fraction(c) for c in item.rule.values if not isinstance(c, str)}
    return found


def _step(numbers: Sequence[Fraction], *, whole: bool) -> Fraction:
    common = 1 if whole else lcm(*(n.denominator for n in numbers))
    places = 0
    while places < 30 and 10**places % common:
        places += 1
    return Fraction(1, 10**places if 10**places % common == 0 else common)


def _inside(left: Fraction | None, right: Fraction | None) -> Fraction:
    if left is None:
        return Fraction(0) if right is None else right - 1
    return left + 1 if right is None else (left + right) / 2


def _piece(
    items: Sequence[Item],
    slope: Fraction,
    step: Fraction,
    left: Fraction | None,
    right: Fraction | None,
    inside: Fraction,
    low: Fraction | None,
    high: Fraction | None,
) -> Piece | None:
    closed = left is not None and left == right
    first = None if left is None else (ceil(left / step) if closed else floor(left / step) + 1)
    last = None if right is None else (floor(right / step) if closed else ceil(right / step) - 1)
    if low is not None:
        first = ceil(low / step) if first is None else max(first, ceil(low / step))
    if high is not None:
        last = floor(high / step) if last is None else min(last, floor(high / step))
    if first is not None and last is not None and first > last:
        return None
    base = _points(items, inside) - slope * inside
    return Piece(first, last, base, slope)

"""Seen: what an item gave on a table, kept with the card so that later tables can be compared with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from supersparse.errors import InvalidCardError

MOST_VALUES = 10  # of points that are told apart; beyond, they are put into so many ranges


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSeen:
    """The points that one item gave, with weights of rows; a row of weight k counts as k rows.

    Points of up to ten values stand by themselves. More of them are put into ranges of about equal weight,
    so that a card tells of no single row.
    """

    points: tuple[Fraction, ...]  # rising: the values, or the upper ends of the ranges
    weights: tuple[Fraction, ...]  # of the rows at each value, or in each range
    in_ranges: bool
    given: Fraction  # the weight of the rows that got points other than 0
    missing: Fraction  # of those whose value was missing
    mean_points: Fraction

    def __post_init__(self) -> None:
        if not self.points or any(weight <= 0 for weight in self.weights):
            raise InvalidCardError("what an item has seen has no rows, or a weight that is not above 0")
        for low, high in pairwise(self.points):
            if low >= high:
                raise InvalidCardError(f"what an item has seen has {low} before {high} points; let them rise")
        for name in ("given", "missing"):
            if not 0 <= getattr(self, name) <= self.n:
                raise InvalidCardError(
                    f"an item has seen {self.n} rows, of which {getattr(self, name)} {name}"
                )
        if not self.in_ranges and (self.given, self.mean_points) != _given_and_mean(self._by_points()):
            raise InvalidCardError("the points that an item has given contradict their mean or their number")

    @classmethod
    def of(cls, by_points: Mapping[Fraction, Fraction], missing: Fraction) -> "ItemSeen":
        """Keep the weight of rows at each value of the points."""
        given, mean = _given_and_mean(by_points)
        kept = {points: by_points[points] for points in sorted(by_points)}
        if in_ranges := len(kept) > MOST_VALUES:
            kept = _ranges(kept)
        return cls(
            points=tuple(kept),
            weights=tuple(kept.values()),
            in_ranges=in_ranges,
            given=given,
            missing=missing,
            mean_points=mean,
        )

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return sum(self.weights, Fraction(0))

    def _by_points(self) -> dict[Fraction, Fraction]:
        return dict(zip(self.points, self.weights, strict=True))

    def upper_ends(self, others: Mapping[Fraction, Fraction]) -> list[Fraction]:
        """Ranges in which to compare these points with others: the upper ends of all but the last one."""
        if self.in_ranges:
            return list(self.points[:-1])
        values = sorted({*self.points, *others})
        return values[:-1] if len(values) <= MOST_VALUES else list(_ranges(self._by_points()))[:-1]


def _given_and_mean(by_points: Mapping[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    given = sum((weight for points, weight in by_points.items() if points), Fraction(0))
    total = sum((points * weight for points, weight in by_points.items()), Fraction(0))
    return given, total / sum(by_points.values(), Fraction(0))


def _ranges(by_points: Mapping[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    """Join rising points into ranges of about equal weight: the upper end of each, and its weight."""
    whole = sum(by_points.values(), Fraction(0))
    found: dict[Fraction, Fraction] = {}
    below = own = Fraction(0)
    for points, weight in by_points.items():
        below, own = below + weight, own + weight
        if below * MOST_VALUES >= whole * (len(found) + 1):
            found[points], own = own, Fraction(0)
    return found

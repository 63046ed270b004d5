"""What a table is like, as far as a card can see it, and a card that remembers it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from supersparse.card.card import Card
from supersparse.card.scoring import checked_table, multiplied, points_when_missing
from supersparse.card.seen import ItemSeen
from supersparse.errors import InvalidDataError
from supersparse.evaluate.outcomes import added_up, read_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The weight of rows at each value of the points that one item gave, and of those with none there."""

    by_points: dict[Fraction, Fraction]
    missing: Fraction

    @property
    def seen(self) -> ItemSeen:
        """The same in few numbers."""
        return ItemSeen.of(self.by_points, self.missing)


def points_given(
    card: Card, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
) -> tuple[Given, ...]:
    """Return what each item gave on a table."""
    table = checked_table(card, X, names)
    weights, unit = read_weights(sample_weight, table.n_rows)
    if not np.any(weights > 0):
        raise InvalidDataError("there is nothing to remember: no rows, or none with a weight above 0")
    found = []
    for item in card.items:
        cells = table.columns[item.column]
        integers, scale = multiplied(item.rule, cells)
        gone = np.zeros(table.n_rows, dtype=bool) if cells.missing is None else cells.missing
        distinct, groups = np.unique(np.where(gone, 0, integers), return_inverse=True)
        sums = added_up(weights, groups, len(distinct), ~gone)
        missing = Fraction(sum(map(int, weights[gone])), unit)
        by_points = {
            item.points * int(v) / scale: Fraction(int(w), unit) for v, w in zip(distinct, sums, strict=True)
        }
        if missing:
            own = points_when_missing(item)
            by_points[own] = by_points.get(own, Fraction(0)) + missing
        found.append(Given(by_points={p: w for p, w in by_points.items() if w}, missing=missing))
    return tuple(found)


def remember(
    card: Card, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
) -> Card:
    """Return the card with what its items gave on a table; see `ScoringSystem.remember`."""
    given = points_given(card, X, sample_weight=sample_weight, names=names)
    return replace(card, seen=tuple(g.seen for g in given))

"""Drift: how the points of each item differ between old and new data. No labels are needed."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.card.card import Card, Item
from supersparse.card.checks import accepting, outside_values
from supersparse.card.evaluate.rates import Rate, added_up, read_row_weights
from supersparse.card.provenance import ItemSeen
from supersparse.card.raw_values import read_card_table
from supersparse.card.scoring import checked_table, multiplied, points_when_missing
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Given(Tabular):
    """Weight of rows by the points that one item gave, and of rows with a missing value."""

    by_points: dict[Fraction, Fraction]
    missing: Fraction

    @property
    def seen(self) -> ItemSeen:
        return ItemSeen.of(self.by_points, self.missing)

    def _brief(self) -> str:
        return f"{counted(len(self.by_points), 'number')} of points, {number(self.missing)} rows missing"

    def _small_table(self) -> SmallTable:
        rows = [(number(points), number(self.by_points[points])) for points in sorted(self.by_points)]
        return SmallTable(("points", "rows"), rows)


def points_given(
    card: Card, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
) -> tuple[Given, ...]:
    """Return the points that each item gave on a table."""
    table = checked_table(accepting(card), X, names)  # far from what was seen is what drift looks for
    weights, unit = read_row_weights(sample_weight, table.n_rows)
    if not np.any(weights > 0):
        raise InvalidDataError("the table has no rows with a weight above 0", "there is nothing to remember")
    by_item = []
    for item in card.items:
        cells = table.columns[item.column]
        integers, scale = multiplied(item.rule, cells)
        gone = np.zeros(table.n_rows, dtype=bool) if cells.missing is None else cells.missing
        distinct, groups = np.unique(np.where(gone, 0, integers), return_inverse=True)
        sums = added_up(weights, groups, len(distinct), ~gone)
        missing = Fraction(sum(map(int, weights[gone])), unit)
        by_points = {item.points * int(v) / scale: Fraction(int(w), unit) for v, w in zip(distinct, sums, strict=True)}
        if missing:
            of_missing = points_when_missing(item)
            by_points[of_missing] = by_points.get(of_missing, Fraction(0)) + missing
        by_item.append(Given(by_points={p: w for p, w in by_points.items() if w}, missing=missing))
    return tuple(by_item)


def remember(card: Card, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None) -> Card:
    """Return the card with the points of its items on a table; see `ScoringSystem.remember`."""
    by_item = points_given(card, X, sample_weight=sample_weight, names=names)
    return replace(card, seen=tuple(g.seen for g in by_item))


_HEADER = ["item", "gave points then", "now", "shift", "stability", "outside"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ItemDrift(Tabular):
    """One item on old and new data.

    `then` and `now` are the shares of rows with nonzero points. `stability` is the population stability index
    of the points: Σ (now - then)·ln(now / then) over their values, or over ten ranges of about equal weight
    in the old data. What only one of the two has counts as half a row in the other. 0 means no change;
    above 0.25 is commonly considered large.
    """

    name: str
    then: Rate
    now: Rate
    missing_then: Rate
    missing_now: Rate
    mean_points_then: float
    mean_points_now: float
    stability: float
    outside_now: tuple[object, ...]  # a few values outside the column's domain

    _facts = "name then now shift stability"

    @property
    def shift(self) -> float:
        """Change of the mean total due to this item, in points."""
        return self.mean_points_now - self.mean_points_then

    def _row(self) -> list[str]:
        return [
            self.name,
            str(self.then),
            str(self.now),
            f"{self.shift:+.3g}",
            f"{self.stability:.3f}",
            str(len(self.outside_now)),
        ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Drift(ResultTable):
    """Drift of every item; the shifts add up to the shift of the mean total."""

    items: tuple[ItemDrift, ...]

    @property
    def shift(self) -> float:
        """Change of the mean total, in points."""
        return sum(item.shift for item in self.items)

    def table(self) -> list[dict[str, Any]]:
        """Return one row per item."""
        return [
            {
                "item": i.name,
                "then": i.then.value,
                "now": i.now.value,
                "mean_points_then": i.mean_points_then,
                "mean_points_now": i.mean_points_now,
                "shift": i.shift,
                "stability": i.stability,
                "missing_then": i.missing_then.value,
                "missing_now": i.missing_now.value,
                "outside_now": list(i.outside_now),
            }
            for i in self.items
        ]

    def in_words(self) -> str:
        """Describe the change of the mean total, and the item that changed most."""
        text = f"The mean total moved by {self.shift:+.3g} points"
        if not self.items:
            return text + "."
        most = max(self.items, key=lambda i: i.stability)
        return f"{text}. The largest change is in {most.name!r}: {most.then} got points then, {most.now} now."

    def _brief(self) -> str:
        return f"{counted(len(self.items), 'item')}; {self.in_words()}"

    def _small_table(self) -> SmallTable:
        return SmallTable(_HEADER, [item._row() for item in self.items])


def drift(
    card: Card,
    now: object,
    then: object = None,
    *,
    weight_now: object = None,
    weight_then: object = None,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> Drift:
    """Compare new data with old data, or with what the card remembers; see `ScoringSystem.drift`."""
    if then is not None:
        before = tuple(g.seen for g in points_given(card, then, sample_weight=weight_then, names=names))
    elif card.seen is not None:
        before = card.seen
    else:
        raise InvalidDataError("the card remembers no data", "pass the old data as `then`, or call `remember` first")
    after = points_given(card, now, sample_weight=weight_now, names=names)
    strange: dict[str, list[object]] = {}
    for outside in outside_values(card, read_card_table(card, now, names)):
        strange.setdefault(outside.column, []).append(outside.value)
    return Drift(
        items=tuple(
            _compared(item, old, new, strange, level) for item, old, new in zip(card.items, before, after, strict=True)
        )
    )


def _compared(item: Item, old: ItemSeen, now: Given, strange: Mapping[str, list[object]], level: float) -> ItemDrift:
    def rate(events: Fraction, of: Fraction) -> Rate:
        return Rate(events=events, of=of, level=level)

    new = now.seen
    return ItemDrift(
        name=item.name,
        then=rate(old.given, old.n),
        now=rate(new.given, new.n),
        missing_then=rate(old.missing, old.n),
        missing_now=rate(new.missing, new.n),
        mean_points_then=float(old.mean_points),
        mean_points_now=float(new.mean_points),
        stability=_stability(old, now.by_points),
        outside_now=tuple(strange.get(item.column, ())),
    )


def _stability(old: ItemSeen, new: Mapping[Fraction, Fraction]) -> float:
    """The population stability index; what only one of the two has counts as half a row in the other."""
    ends = old.upper_ends(new)
    sums = [[Fraction(0)] * (len(ends) + 1) for _ in range(2)]
    for table, by_points in zip(sums, (dict(zip(old.points, old.weights, strict=True)), new), strict=True):
        for points, weight in by_points.items():
            table[bisect_left(ends, points)] += weight
    pairs = [pair for pair in zip(*sums, strict=True) if any(pair)]
    shares = []
    for weights in zip(*pairs, strict=True):
        filled = [weight or Fraction(1, 2) for weight in weights]
        whole = sum(filled, Fraction(0))
        shares.append([float(weight / whole) for weight in filled])
    return math.fsum((after - before) * math.log(after / before) for before, after in zip(*shares, strict=True))

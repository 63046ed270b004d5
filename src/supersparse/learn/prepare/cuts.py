"""Cut points: round numbers that separate the rows of a column, and which of them to offer.

Two rules keep a card from singling out a few rows. The parts between the cuts that are offered hold enough
rows. And a cut has a price for each step that it is less round than others, so that it is offered in place of
a rounder one only if it tells that much more about the class (`price_of_a_step`).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import exact_value, shown
from supersparse.learn.prepare.round_numbers import Roundness, roundest
from supersparse.table.values import from_on

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassTarget:
    """The weight of each row, and its class if labels are known."""

    weights: Floats
    positive: NDArray[np.bool_] | None

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weights.sum())

    @property
    def price_of_a_step(self) -> float:
        """How much more a cut that is one step less round must tell about the class, in nats: ln(rows).

        It is twice the price of one more number in Schwarz's criterion (BIC), because the place of a cut is
        the best of many.
        """
        return 2 * self.by_chance

    @property
    def by_chance(self) -> float:
        """The information about the class that chance gives easily, in nats: ½·ln(rows)."""
        return log(max(self.total, 1.0)) / 2

    def take(self, rows: NDArray[np.bool_]) -> "ClassTarget":
        return ClassTarget(self.weights[rows], None if self.positive is None else self.positive[rows])

    def by_code(self, codes: NDArray[np.intp], n_codes: int) -> "ClassCounts":
        """Sum the weights of each class by code, as for the distinct values of a column."""
        everything = sums_by_code(codes, self.weights, n_codes)
        if self.positive is None:
            return ClassCounts(everything, np.zeros(n_codes))
        positive = sums_by_code(codes, self.weights * self.positive, n_codes)
        return ClassCounts(everything - positive, positive)


def sums_by_code(codes: NDArray[np.intp], weights: Floats, n_codes: int) -> Floats:
    """Sum the weights of the rows with each code."""
    return np.bincount(codes, weights, n_codes).astype(np.float64)


LEAST_ROWS, LEAST_SHARE, FEW_ROWS = 10, Fraction(1, 50), 50


@dataclass(frozen=True, slots=True)
class Enough:
    """How many rows each answer to a question must hold: their weight, and in words."""

    weight: float
    in_words: str

    @classmethod
    def of(cls, target: ClassTarget, share: Fraction | None) -> "Enough":
        """A share of the rows; None for 10 rows or 2 %, whichever is more, or a fifth of fewer than 50 rows.

        >>> [Enough.of(ClassTarget(np.ones(n), None), None).in_words for n in (1000, 200, 30)]
        ['20 rows', '10 rows', '6 rows']
        """
        if share is not None:
            return cls(float(share) * target.total, f"{shown(share)} of the rows")
        rows = min(Fraction(LEAST_ROWS), Fraction(target.total) * LEAST_ROWS / FEW_ROWS)
        least = ceil(max(rows, Fraction(target.total) * LEAST_SHARE))
        return cls(float(least), "1 row" if least == 1 else f"{least} rows")


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """The weight of each class at each value; without labels, all weight is `negative`."""

    negative: Floats
    positive: Floats

    @property
    def both(self) -> Floats:
        """The weight of both classes together."""
        return self.negative + self.positive


def surprise(negative: Floats, positive: Floats) -> Floats:
    """Return the entropy of the class times the weight, in nats; 0 if there is only one class."""
    total = negative + positive
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(n > 0, -n * np.log(n / total), 0.0) for n in (negative, positive)]
    return np.asarray(np.maximum(parts[0] + parts[1], 0.0), dtype=np.float64)


def gain(counts: ClassCounts, inside: NDArray[np.bool_]) -> float:
    """Return the information about the class, in nats, from knowing whether a value is inside."""
    negative = np.array([counts.negative[inside].sum(), counts.negative[~inside].sum()])
    positive = np.array([counts.positive[inside].sum(), counts.positive[~inside].sum()])
    whole = surprise(negative.sum(keepdims=True), positive.sum(keepdims=True))
    return float(whole[0] - surprise(negative, positive).sum())


def cut_gains(bins: ClassCounts) -> Floats:
    """Return the information about the class from each cut: the first separates bin 0 from the others."""
    below = [np.cumsum(counts)[:-1] for counts in (bins.negative, bins.positive)]
    total = [counts.sum(keepdims=True) for counts in (bins.negative, bins.positive)]
    parts = surprise(*below) + surprise(*(t - b for t, b in zip(total, below, strict=True)))
    return np.asarray(surprise(*total) - parts, dtype=np.float64)


def optimal_cuts(bins: ClassCounts, most: int, least: float, price: Floats | None = None) -> list[int]:
    """Return the best single cut, the best pair, the best three, ..., up to `most` distinct cuts.

    Best means the lowest class entropy within the parts plus the prices of the cuts, for parts with a weight
    of at least `least`. Exact, by dynamic programming over the last cut: O(most·b²) for b bins. Cuts of later
    sets that are too near to an earlier cut are left out, so any two enclose that weight.
    """
    n_bins = len(bins.negative)
    cost = _cost_of_parts(bins, least)
    if price is not None:
        cost[1:n_bins] += price[:, None]  # of the cut at which a part begins
    best = cost[0].copy()  # best[j]: the lowest cost of bins 0..j-1 in the parts so far
    came_from: list[NDArray[np.intp]] = []
    offered: dict[int, None] = {}
    gains = cut_gains(bins)
    for _ in range(min(most, n_bins - 1)):
        ways = best[:, None] + cost
        came_from.append(ways.argmin(axis=0))
        reached = ways.min(axis=0)
        if not reached[n_bins] < best[n_bins] - 1e-9 * max(1.0, best[n_bins]):
            break  # one more cut adds no information, or leaves too small a part
        best = reached
        place = n_bins
        cuts = []
        for step in reversed(came_from):
            place = int(step[place])
            cuts.append(place - 1)
        for cut in sorted(cuts, key=lambda c: -gains[c]):
            offered.setdefault(cut)
        spaced = apart(bins.both, list(offered), least)
        offered = dict.fromkeys(spaced)
        if len(offered) >= most:
            break
    return list(offered)[:most]


def apart(weights: Floats, cuts: list[int], least: float) -> list[int]:
    """Keep the cuts, earlier ones first, of which any two enclose a weight of at least `least`."""
    below = np.cumsum(weights)
    enough = least - 1e-9 * max(1.0, float(below[-1]))
    kept: list[int] = []
    for cut in cuts:
        if all(abs(below[cut] - below[other]) >= enough for other in kept):
            kept.append(cut)
    return kept


def _cost_of_parts(bins: ClassCounts, least: float) -> Floats:
    """cost[i, j]: the entropy of bins i..j-1 as one part; infinite if the part is too small."""
    negative, positive = (np.concatenate([[0.0], np.cumsum(c)]) for c in (bins.negative, bins.positive))
    size = len(negative)
    n0, n1 = (c[None, :] - c[:, None] for c in (negative, positive))
    n0, n1 = np.maximum(n0, 0.0), np.maximum(n1, 0.0)
    cost = surprise(n0, n1)
    tolerance = 1e-9 * max(1.0, float(negative[-1] + positive[-1]))
    too_small = n0 + n1 < least - tolerance
    backwards = np.arange(size)[:, None] >= np.arange(size)[None, :]
    return np.where(too_small | backwards, np.inf, cost)


def tree_cuts(bins: ClassCounts, most: int, least: float, price: Floats | None = None) -> list[int]:
    """Return the cuts of a decision tree on this column alone, the most informative first.

    Each is moved to a rounder place between its neighbours if that loses less than the difference in price.
    """
    from sklearn.tree import DecisionTreeClassifier

    n_bins = len(bins.negative)
    column = np.tile(np.arange(n_bins, dtype=np.float64), 2)[:, None]
    classes = np.repeat([0, 1], n_bins)
    weights = np.concatenate([bins.negative, bins.positive])
    kept = weights > 0
    share = min(0.5, max(0.0, least * (1 - 1e-9) / weights.sum()))
    tree = DecisionTreeClassifier(
        criterion="entropy", max_leaf_nodes=most + 1, min_weight_fraction_leaf=share, random_state=0
    )
    tree.fit(column[kept], classes[kept], sample_weight=weights[kept])
    thresholds = tree.tree_.threshold[tree.tree_.feature == 0]
    cuts = np.unique(np.floor(thresholds).astype(int)).tolist()
    return by_gain(bins, cuts if price is None else _moved(bins, cuts, least, price))


def _moved(bins: ClassCounts, cuts: list[int], least: float, price: Floats) -> list[int]:
    """Move one cut after the other to the place of the lowest entropy plus price between its neighbours."""
    cost = _cost_of_parts(bins, least)
    ends = [0, *(cut + 1 for cut in cuts), len(bins.negative)]
    for k in range(1, len(ends) - 1):
        before, after = ends[k - 1], ends[k + 1]
        places = np.arange(before + 1, after)
        total = cost[before, places] + cost[places, after] + price[places - 1]
        ends[k] = int(places[total.argmin()])
    return [end - 1 for end in ends[1:-1]]


def by_gain(bins: ClassCounts, cuts: list[int]) -> list[int]:
    """Sort cuts by their individual information; without labels, by how evenly they split the rows."""
    if bins.positive.any():
        gains = cut_gains(bins)
        return sorted(cuts, key=lambda c: -gains[c])
    below = np.cumsum(bins.both) / bins.both.sum()
    return sorted(cuts, key=lambda c: abs(float(below[c]) - 0.5))


_BINS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Cut points, ascending, and the class counts of the bins between them."""

    cuts: tuple[Fraction, ...]
    bins: ClassCounts  # one bin more than cuts

    def prices(self, roundness: Roundness, of_a_step: float) -> Floats:
        """The price of each cut, by how much less round it is than the roundest of them."""
        off = np.array([roundness.steps_off(cut) for cut in self.cuts], dtype=np.float64)
        return off if not len(off) else (off - off.min()) * of_a_step


def roundness_of(values: NDArray[np.generic], both: Floats, column: str) -> Roundness:
    """The roundness of a column, from its sorted distinct values and their weights."""
    below = np.cumsum(both) / both.sum()
    low, high = (values[min(int(np.searchsorted(below, s)), len(values) - 1)] for s in (0.05, 0.95))
    whole = values.dtype.kind in "iu" or bool((np.mod(values, 1) == 0).all())
    what = f"column {column!r}"
    return Roundness.of(exact_value(low, what), exact_value(high, what), whole=whole)


def find_edges(values: NDArray[np.generic], counts: ClassCounts, least: float, column: str) -> Edges:
    """Return edges of sorted distinct values, each with a weight of at least `least` on both sides."""
    allowed = _positions(counts.both, least)
    if len(allowed) <= _BINS:
        windows = [(i, i) for i in allowed.tolist()]
    else:
        shares = np.arange(1, _BINS) / _BINS
        windows = _windows(allowed, counts.both, shares, 0.5 / _BINS)
    return _edges(values, counts, windows, column)


def quantile_edges(values: NDArray[np.generic], counts: ClassCounts, least: float, n_cuts: int, column: str) -> Edges:
    """Return edges near the quantiles, moved by at most two fifths of a bin to round numbers."""
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    allowed = _positions(counts.both, least)
    return _edges(values, counts, _windows(allowed, counts.both, shares, 0.4 / (n_cuts + 1)), column)


def _positions(both: Floats, least: float) -> NDArray[np.intp]:
    """Allowed positions of cuts: position i separates the first i values from the others."""
    below = np.cumsum(both)[:-1]
    tolerance = 1e-9 * max(1.0, float(both.sum()))
    fits = (below >= least - tolerance) & (float(both.sum()) - below >= least - tolerance)
    return np.flatnonzero(fits) + 1


def _windows(allowed: NDArray[np.intp], both: Floats, shares: Floats, reach: float) -> list[tuple[int, int]]:
    """For each share of the rows, the allowed positions with about that share below.

    If no position is that close, for example next to a very common value, only the nearest one.
    """
    if not len(allowed):
        return []
    below = np.cumsum(both)[allowed - 1] / both.sum()
    starts = np.searchsorted(below, shares - reach, side="left")
    ends = np.searchsorted(below, shares + reach, side="right")
    windows = []
    for share, start, end in zip(shares.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if start == end:
            before, after = max(start - 1, 0), min(start, len(below) - 1)
            start = before if share - below[before] <= below[after] - share else after
            end = start + 1
        windows.append((int(allowed[start]), int(allowed[end - 1])))
    return list(dict.fromkeys(windows))


def _edges(values: NDArray[np.generic], counts: ClassCounts, windows: list[tuple[int, int]], column: str) -> Edges:
    what = f"column {column!r}"
    ends = {at: exact_value(values[at], what) for first, last in windows for at in (first - 1, last)}
    cuts: dict[int, Fraction] = {}
    for first, last in windows:
        cut, position = roundest(ends[first - 1], ends[last]), first
        if first < last:
            position += int(from_on(values[first : last + 1], cut, included=True).argmax())
        cuts.setdefault(position, cut)
    places = sorted(cuts)
    starts = np.array([0, *places], dtype=np.intp)
    bins = ClassCounts(np.add.reduceat(counts.negative, starts), np.add.reduceat(counts.positive, starts))
    return Edges(tuple(cuts[i] for i in places), bins)

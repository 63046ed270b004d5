"""Cut points: round numbers that separate the rows of a column, and which of them to offer."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from supersparse.data.values import from_on
from supersparse.exact import exact_value

_HALF = Fraction(1, 2)


def roundest(above: Fraction, up_to: Fraction) -> Fraction:
    """Return the roundest number t with ``above < t <= up_to``, so that ``x >= t`` separates the two.

    A multiple of 10 is rounder than a multiple of 5, which is rounder than a whole number, and so on for
    every power of ten. Ties go to the number nearest to the middle, then to the smaller one.

    >>> [str(roundest(Fraction(a), Fraction(b))) for a, b in [("58.2", "61"), ("7", "8"), ("0.41", "0.57")]]
    ['60', '8', '1/2']
    """
    if above < 0 <= up_to:
        return Fraction(0)
    middle = (above + up_to) / 2
    power = floor(log10(max(abs(float(above)), abs(float(up_to))))) + 1
    while True:
        for step in (Fraction(10) ** power, Fraction(10) ** power * _HALF):
            found = _nearest_multiple(step, above, up_to, middle)
            if found is not None:
                return found
        power -= 1


def _nearest_multiple(step: Fraction, above: Fraction, up_to: Fraction, middle: Fraction) -> Fraction | None:
    least, most = above // step + 1, up_to // step  # multiples k·step with above < k·step <= up_to
    if least > most:
        return None
    lower = min(max(middle // step, least), most)
    upper = min(lower + 1, most)
    return min(lower * step, upper * step, key=lambda t: (abs(t - middle), t))


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

    def take(self, rows: NDArray[np.bool_]) -> "ClassTarget":
        """Select rows."""
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


def optimal_cuts(bins: ClassCounts, most: int, least: float) -> list[int]:
    """Return the best single cut, the best pair, the best three, ..., up to `most` distinct cuts.

    Best means the lowest class entropy within the parts, each with a weight of at least `least`. Exact, by
    dynamic programming over the last cut: O(most·b²) for b bins.
    """
    n_bins = len(bins.negative)
    cost = _cost_of_parts(bins, least)
    best = cost[0].copy()  # best[j]: the lowest cost of bins 0..j-1 in the parts so far
    came_from: list[NDArray[np.intp]] = []
    offered: dict[int, None] = {}
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
        for cut in sorted(cuts, key=lambda c: -gain(bins, np.arange(n_bins) > c)):
            offered.setdefault(cut)
        if len(offered) >= most:
            break
    return list(offered)[:most]


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


def tree_cuts(bins: ClassCounts, most: int, least: float) -> list[int]:
    """Return the cuts of a decision tree on this column alone, the most informative first."""
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
    return by_gain(bins, np.unique(np.floor(thresholds).astype(int)).tolist())


def by_gain(bins: ClassCounts, cuts: list[int]) -> list[int]:
    """Sort cuts by their individual information; without labels, by how evenly they split the rows."""
    places = np.arange(len(bins.negative))
    if bins.positive.any():
        return sorted(cuts, key=lambda c: -gain(bins, places > c))
    below = np.cumsum(bins.both) / bins.both.sum()
    return sorted(cuts, key=lambda c: abs(float(below[c]) - 0.5))


_BINS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Cut points, ascending, and the class counts of the bins between them."""

    cuts: tuple[Fraction, ...]
    bins: ClassCounts  # one bin more than cuts


def find_edges(values: NDArray[np.generic], counts: ClassCounts, least: float, column: str) -> Edges:
    """Return edges of sorted distinct values, each with a weight of at least `least` on both sides."""
    allowed = _positions(counts.both, least)
    if len(allowed) <= _BINS:
        windows = [(i, i) for i in allowed.tolist()]
    else:
        shares = np.arange(1, _BINS) / _BINS
        windows = _windows(allowed, counts.both, shares, 0.5 / _BINS)
    return _edges(values, counts, windows, column)


def quantile_edges(
    values: NDArray[np.generic], counts: ClassCounts, least: float, n_cuts: int, column: str
) -> Edges:
    """Return edges near the quantiles, moved by at most a quarter of a bin to round numbers."""
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    allowed = _positions(counts.both, least)
    return _edges(values, counts, _windows(allowed, counts.both, shares, 0.25 / (n_cuts + 1)), column)


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
    found = []
    for share, start, end in zip(shares.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if start == end:
            before, after = max(start - 1, 0), min(start, len(below) - 1)
            start = before if share - below[before] <= below[after] - share else after
            end = start + 1
        found.append((int(allowed[start]), int(allowed[end - 1])))
    return list(dict.fromkeys(found))


def _edges(
    values: NDArray[np.generic], counts: ClassCounts, windows: list[tuple[int, int]], column: str
) -> Edges:
    what = f"column {column!r}"
    cuts: dict[int, Fraction] = {}
    for first, last in windows:
        cut = roundest(exact_value(values[first - 1], what), exact_value(values[last], what))
        position = first + int(from_on(values[first : last + 1], cut, included=True).argmax())
        cuts.setdefault(position, cut)
    places = sorted(cuts)
    starts = np.array([0, *places], dtype=np.intp)
    bins = ClassCounts(np.add.reduceat(counts.negative, starts), np.add.reduceat(counts.positive, starts))
    return Edges(tuple(cuts[i] for i in places), bins)

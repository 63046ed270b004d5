"""Choosing among the edges of one column: which cuts to offer, the most useful first."""

import numpy as np
from numpy.typing import NDArray

from supersparse.prepare.counts import ClassCounts, Floats, gain, surprise


def optimal_cuts(bins: ClassCounts, most: int, least: float) -> list[int]:
    """Return the best single cut, the best pair, the best three, ..., until `most` cuts are named.

    Best is the least entropy of the class within the parts, each of which has a weight of at least
    `least`. Exact, by dynamic programming over the last cut: O(most·b²) for b bins.
    """
    n_bins = len(bins.negative)
    cost = _cost_of_parts(bins, least)
    best = cost[0].copy()  # best[j]: the least cost of bins 0..j-1 in the parts made so far
    came_from: list[NDArray[np.intp]] = []
    offered: dict[int, None] = {}
    for _ in range(min(most, n_bins - 1)):
        ways = best[:, None] + cost
        came_from.append(ways.argmin(axis=0))
        reached = ways.min(axis=0)
        if not reached[n_bins] < best[n_bins] - 1e-9 * max(1.0, best[n_bins]):
            break  # one more cut tells nothing, or leaves too small a part
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
    """cost[i, j]: the entropy of bins i..j-1 taken as one part, infinite where it is too small."""
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
    """Return the cuts of a decision tree on this column alone, the most telling first."""
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
    """Sort cuts by the information that each gives alone; without labels by how evenly it parts the rows."""
    places = np.arange(len(bins.negative))
    if bins.positive.any():
        return sorted(cuts, key=lambda c: -gain(bins, places > c))
    below = np.cumsum(bins.both) / bins.both.sum()
    return sorted(cuts, key=lambda c: abs(float(below[c]) - 0.5))

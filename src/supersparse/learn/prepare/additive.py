"""An additive logistic model of soft labels: a shape for each column, on which its answers are chosen.

Numbers are binned by quantiles, categories by level. First differences along the order of a column are penalised, and
all effects a little, so that the fit exists and rare bins borrow from their neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

_OF_DIFFERENCES, _OF_EFFECTS, _OF_OFFSET = 1.0, 0.2, 1e-6
_MOST_STEPS, _NEAR, _LONGEST = 20, 1e-4, 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bin of each row in one column: 0 to ``count - 1``, and ``count`` where the value is missing."""

    codes: NDArray[np.intp]
    count: int
    in_order: bool

    def sums(self, of_rows: Floats) -> Floats:
        """The sum over the rows of each bin, the missing last."""
        return np.bincount(self.codes, of_rows, self.count + 1).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """The effect of each bin in log odds, by column, and the weight of each row's working response."""

    effects: tuple[Floats, ...]
    weights: Floats
    null_deviance: float  # of the mean risk for every row


def additive_shapes(columns: Sequence[Bins], labels: Floats, weights: Floats) -> Shapes:
    """Fit the shapes of all columns together, by Newton's method."""
    n_rows, ends = len(labels), np.cumsum([0, *(bins.count + 1 for bins in columns)])
    size = int(ends[-1]) + 1
    places = [bins.codes + start for bins, start in zip(columns, ends.tolist(), strict=False)]
    indices = np.column_stack([*places, np.full(n_rows, size - 1)])
    X = csr_matrix(
        (np.ones(indices.size), indices.ravel(), np.arange(0, indices.size + 1, indices.shape[1])), (n_rows, size)
    )
    penalty = _penalty(columns, ends, size)
    mean = float(labels @ weights / weights.sum())
    effects = np.zeros(size)
    effects[-1] = np.log(mean / (1 - mean))
    working = weights
    for _ in range(_MOST_STEPS):
        risks = 1 / (1 + np.exp(-(X @ effects)))
        working = weights * np.maximum(risks * (1 - risks), 1e-9)
        gradient = X.T @ (weights * (risks - labels)) + penalty @ effects
        curvature = (X.T @ X.multiply(working[:, None]).tocsr()).toarray() + penalty
        step = cho_solve(cho_factor(curvature, overwrite_a=True, check_finite=False), gradient, check_finite=False)
        effects -= step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _NEAR:
            break
    null = -2 * weights.sum() * (mean * np.log(mean) + (1 - mean) * np.log(1 - mean))
    shapes = tuple(effects[start:end] for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
    return Shapes(shapes, working, float(null))


def _penalty(columns: Sequence[Bins], ends: NDArray[np.intp], size: int) -> Floats:
    penalty = np.zeros((size, size))
    np.fill_diagonal(penalty, _OF_EFFECTS)
    penalty[-1, -1] = _OF_OFFSET
    for bins, start in zip(columns, ends.tolist(), strict=False):
        if bins.in_order:
            at = np.arange(start, start + bins.count - 1)
            penalty[at, at] += _OF_DIFFERENCES
            penalty[at + 1, at + 1] += _OF_DIFFERENCES
            penalty[at, at + 1] -= _OF_DIFFERENCES
            penalty[at + 1, at] -= _OF_DIFFERENCES
    return penalty


def monotone(values: Floats, weights: Floats, shape: str = "either") -> Floats:
    """Return the nearest values that go up, down, or either way (pool adjacent violators).

    >>> monotone(np.array([3.0, 1.0, 2.0, 0.0]), np.ones(4)).tolist()
    [3.0, 1.5, 1.5, 0.0]
    """
    rising, falling = _rising(values, weights), -_rising(-values, weights)
    if shape != "either":
        return {"up": rising, "down": falling, "free": values}[shape]
    off = [float(weights @ (fitted - values) ** 2) for fitted in (rising, falling)]
    return rising if off[0] <= off[1] else falling


def _rising(values: Floats, weights: Floats) -> Floats:
    pools: list[tuple[float, float, int]] = []  # mean, weight, bins
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, wa, na), (b, wb, nb) = pools[-2:]
            pools[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.repeat([mean for mean, _, _ in pools], [bins for _, _, bins in pools])


def best_parts(values: Floats, weights: Floats, rows: Floats, most: int, least: float) -> list[int]:
    """Divide a sequence into at most `most` parts of at least `least` rows, nearest to it by weighted squares.

    Returns where parts begin, by dynamic programming; a part more must gain something.

    >>> best_parts(np.array([0.0, 0.0, 1.0, 3.0]), np.ones(4), np.ones(4), 3, 1)
    [0, 2, 3]
    """
    n = len(values)
    w, s, q, c = (np.concatenate([[0.0], np.cumsum(x)]) for x in (weights, weights * values, weights * values**2, rows))

    def squares(ends: Floats) -> Floats:
        return ends[None, :] - ends[:, None]

    with np.errstate(invalid="ignore", divide="ignore"):
        off = squares(q) - squares(s) ** 2 / np.maximum(squares(w), 1e-300)
    too_small = (squares(c) < least - 1e-9 * max(1.0, float(c[-1]))) | (np.arange(n + 1)[:, None] >= np.arange(n + 1))
    cost = np.where(too_small, np.inf, np.maximum(off, 0.0))
    best, came_from = [cost[0]], [np.zeros(n + 1, dtype=np.intp)]
    for _ in range(1, min(most, n)):
        through = best[-1][:, None] + cost
        came_from.append(through.argmin(axis=0))
        best.append(through.min(axis=0))
    reachable = [(float(one[n]), k) for k, one in enumerate(best) if np.isfinite(one[n])]
    if not reachable:
        return [0]
    price = 1e-6 * (reachable[0][0] + 1e-12)
    _, parts = min(reachable, key=lambda one: (one[0] + price * (one[1] + 1), one[1]))
    starts, end = [], n
    for k in range(parts, -1, -1):
        end = int(came_from[k][end])
        starts.append(end)
    return starts[::-1]

"""Balanced sets: four points that cannot all be right.

Let P be positives and N negatives, as many of each (repeats allowed), with

    Σ_{p ∈ P} x_p = Σ_{n ∈ N} x_n      on the available columns.

All other coefficients are 0, so Σ_P score = Σ_N score whatever λ and b are. If all points were right
the left side would be positive and the right side negative. So at least one of them is wrong:

    Σ_{i ∈ P ∪ N} z_i >= 1 .

Fewer available columns ask for less, so the set stays balanced when columns are removed. With as many
positives as negatives, shifting and scaling a column changes nothing: its levels are compared.

Pairs (p1, p2) are matched with pairs (n1, n2) by a 64-bit fingerprint of the sum; what a
fingerprint says is checked in integers (`are_balanced`) before it is believed.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.exact.instance import Flags, Ints
from supersparse.solving.exact.partition.net_points import NetPoints

Floats = NDArray[np.float64]

_MOST_PASSES = 12


def are_balanced(points: NetPoints, quads: Ints, columns: list[int]) -> Flags:
    """Say of each (p1, p2, n1, n2) whether it is a balanced set on the columns, in integers."""
    level = points.level[:, columns]
    classes = (points.sign[quads] == np.array([1, 1, -1, -1])).all(axis=1)
    sums = level[quads[:, 0]] + level[quads[:, 1]] - level[quads[:, 2]] - level[quads[:, 3]]
    return np.asarray(classes & ~sums.any(axis=1))


def points_of(quad: Ints) -> list[int]:
    """The points of one set, each once."""
    return sorted(set(quad.tolist()))


class BalancedSets:
    """All balanced sets of two and two points on some columns, ready to be priced."""

    def __init__(self, points: NetPoints, columns: list[int]) -> None:
        multipliers = np.random.default_rng(0).integers(0, 2**63, points.n_features, dtype=np.uint64)
        code = (points.level.astype(np.uint64)[:, columns] * multipliers[columns]).sum(
            axis=1, dtype=np.uint64
        )
        first, second, ids = zip(*(_pairs(points, code, s) for s in (1, -1)), strict=True)
        common = np.intersect1d(ids[0], ids[1])
        self.n_sums = len(common)
        self.n_pairs = sum(len(i) for i in ids)
        self._sides = [_Side(a, b, c, common) for a, b, c in zip(first, second, ids, strict=True)]

    def price(self, price: Floats, below: float, most: int, noise: np.random.Generator) -> tuple[Ints, float]:
        """Return about `most` sets that cost less than `below`, and the least cost of any set.

        The cost of a set is the sum of its points' prices, a repeated point's taken once. Of each sum
        the cheapest set is taken; where sums are few, again with the points used so far made dearer.
        """
        if self.n_sums == 0:
            return np.zeros((0, 4), np.int64), np.inf
        quads, sums, least = self._cheapest(price, below, most, noise)
        found = [quads]
        dearer = price.copy()
        for _ in range(min(_MOST_PASSES, most // max(1, 4 * len(sums))) - 1):
            dearer[np.unique(found[-1])] += below / 4
            quads, sums, _ = self._cheapest(dearer, below, most, noise)
            if len(quads) == 0:
                break
            found.append(quads)
        return np.concatenate(found), least

    def _cheapest(
        self, price: Floats, below: float, most: int, noise: np.random.Generator
    ) -> tuple[Ints, Ints, float]:
        costs = [side.costs(price, noise) for side in self._sides]
        up, down = (np.minimum.reduceat(c, s.start) for c, s in zip(costs, self._sides, strict=True))
        total = up + down
        sums = np.flatnonzero(total < below)
        if len(sums) > most:
            sums = sums[np.argpartition(total[sums], most)[:most]]
        ends = [side.cheapest(c, sums) for c, side in zip(costs, self._sides, strict=True)]
        return np.column_stack(ends), sums, float(np.min(total))


def _pairs(points: NetPoints, code: NDArray[np.uint64], sign: int) -> tuple[Ints, Ints, NDArray[np.uint64]]:
    of_class = np.flatnonzero(points.sign == sign)
    a, b = np.triu_indices(len(of_class))
    first, second = of_class[a], of_class[b]
    return first, second, code[first] + code[second]


class _Side:
    """The pairs of one class that have a partner, sorted by their sum."""

    def __init__(
        self, first: Ints, second: Ints, code: NDArray[np.uint64], common: NDArray[np.uint64]
    ) -> None:
        at = np.searchsorted(common, code)
        at[at == len(common)] = 0
        kept = common[at] == code if len(common) else np.zeros(len(code), bool)
        order = np.argsort(at[kept], kind="stable")
        self.first, self.second = first[kept][order], second[kept][order]
        self.start = np.searchsorted(at[kept][order], np.arange(len(common)))
        self.end = np.append(self.start[1:], len(self.first))
        self.twice = self.first == self.second

    def costs(self, price: Floats, noise: np.random.Generator) -> Floats:
        """Price each pair, a repeated point once; the noise spreads ties over many points."""
        cost: Floats = price[self.first] + np.where(self.twice, 0.0, price[self.second])
        return cost + 1e-7 * noise.random(len(cost))

    def cheapest(self, cost: Floats, sums: Ints) -> Ints:
        """The cheapest pair of each of some sums."""
        best = [s + int(np.argmin(cost[s:e])) for s, e in zip(self.start[sums], self.end[sums], strict=True)]
        return np.column_stack([self.first[best], self.second[best]]).reshape(-1, 2)

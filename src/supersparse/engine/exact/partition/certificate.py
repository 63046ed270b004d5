"""Cost partitioning: the inequality behind the partition bound, and a check that trusts no solver.

At a node each group j may be in one of the states A_j. Its *top* is the union of what those states
make available. Let u0 >= 0 be multipliers for sets that are balanced with every group at its top, and
u^{j,c} >= 0 for sets that are balanced with group j in state c and the others at their tops. If at every
point i the loads (sums of multipliers of sets that contain i) obey

    load0_i + Σ_j max_{c ∈ A_j} load^{j,c}_i  <=  w_i ,

then every model whose groups are in states c_j ∈ A_j pays

    cost >= base loss + Σ_i w_i z_i + Σ_j penalty(c_j)
         >= base loss + Σ_i z_i (load0_i + Σ_j load^{j,c_j}_i) + Σ_j penalty(c_j)
         >= base loss + Σ u0 + Σ_j (Σ u^{j,c_j} + penalty(c_j))
         >= base loss + Σ u0 + Σ_j min_{c ∈ A_j} (Σ u^{j,c} + penalty(c)) .

The third line holds because fewer available columns keep a set balanced: each set counted there has a
wrong point in this model. States of one group share the capacity of a point, since only one of them occurs; a
relaxation with one variable for each column cannot say that.

Multipliers are integers in units of 1/`fine` of a kernel unit, so all of this is integer arithmetic. The
check uses the points, the groups' columns and the multipliers, no symmetry and nothing a linear program said.

The data of the partition bound: net points and groups of columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import VerificationError
from supersparse.base.integer_arrays import Flags, Floats, Ints, Words
from supersparse.engine.integer_form import OPEN, IntegerForm

MOST_ROWS = 50_000
"""Points times states of single columns: about the rows of a node's linear program without symmetries."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetPoints:
    """Points of one sign each; entries, coefficients and b are those of the integer form."""

    x: Ints  # (points, features)
    level: Ints  # the same less each column's least entry, over the common divisor: 0 and 1 for two values
    sign: Ints  # +1 or -1
    weight: Ints
    base_loss: int
    feature_penalty: Ints  # the least penalty of each feature that is used, C1 included
    low: Ints  # the hull of each feature's coefficients and 0
    high: Ints
    usable: Ints  # features that may be different from 0
    forced: Ints  # features that must be
    margin: Fraction  # how far a right point's score is from 0 at least

    @property
    def n(self) -> int:
        return len(self.sign)

    @property
    def n_features(self) -> int:
        return int(self.x.shape[1])


def net_points(form: IntegerForm) -> NetPoints:
    """Read the points of an exact form."""
    difference = form.positive - form.negative
    level = form.columns - form.columns.min(axis=1, initial=OPEN, keepdims=True)
    level //= np.maximum(1, np.gcd.reduce(level, axis=1, keepdims=True))
    most = MOST_ROWS // (1 + 4 * sum(1 for values in form.values if values.largest) // 3)
    kept = np.flatnonzero(difference)
    if len(kept) > most:
        kept = np.sort(np.concatenate([_heaviest(difference, most // 2), _heaviest(-difference, most // 2)]))
    least = np.array([values.smallest or 0 for values in form.values], np.int64)
    return NetPoints(
        x=np.ascontiguousarray(form.columns.T[kept]),
        level=np.ascontiguousarray(level.T[kept]),
        sign=np.sign(difference[kept]),
        weight=np.abs(difference[kept]),
        base_loss=int(np.minimum(form.positive, form.negative).sum()),
        feature_penalty=form.used_penalty + form.l1_penalty * least,
        low=np.array([min(0, values.least) for values in form.values], np.int64),
        high=np.array([max(0, values.greatest) for values in form.values], np.int64),
        usable=np.array([f for f, values in enumerate(form.values) if values.largest], np.int64),
        forced=np.array([f for f, values in enumerate(form.values) if not values.has_zero], np.int64),
        margin=Fraction(1, 2) if form.half else Fraction(1),
    )


def _heaviest(weight: Ints, most: int) -> Ints:
    of_class = np.flatnonzero(weight > 0)
    by_weight = of_class[np.argsort(-weight[of_class], kind="stable")]
    return by_weight[:most]


LARGEST = 4
_MOST_STEPS = 200  # of the search for the columns that complete a group


@dataclass(frozen=True)
class GroupState:
    """Columns that may have a coefficient other than 0, and the least penalty of that state."""

    available: frozenset[int]
    penalty: int


@dataclass(frozen=True)
class ColumnGroup:
    """Columns and their states; in the first state all columns are available."""

    columns: tuple[int, ...]
    states: tuple[GroupState, ...]


def find_groups(points: NetPoints) -> tuple[ColumnGroup, ...]:
    """Split the usable columns into one-hot groups and single columns."""
    left = [int(f) for f in points.usable]
    holds, two_valued = points.level > 0, points.level.max(axis=0, initial=0) <= 1
    groups = []
    while left:
        columns = _one_hot([f for f in left if two_valued[f]], holds) if two_valued[left[0]] else None
        if columns is not None:
            groups.append(_one_hot_group(points, columns))
        else:
            columns = (left[0],)
            groups.append(ColumnGroup(columns, tuple(_states(points, columns, most=1))))
        left = [f for f in left if f not in columns]
    return tuple(groups)


def _one_hot(columns: list[int], holds: Flags) -> tuple[int, ...] | None:
    """Find a few columns, the first one among them, that hold every point exactly once."""
    near = columns[1:]
    steps = 0

    def complete(chosen: list[int], open_points: Flags) -> list[int] | None:
        nonlocal steps
        steps += 1
        if not open_points.any():
            return chosen
        if steps > _MOST_STEPS or len(chosen) == LARGEST:
            return None
        point = int(np.argmax(open_points))
        for f in near:
            if holds[point, f] and not (holds[:, f] & ~open_points).any():
                completed = complete([*chosen, f], open_points & ~holds[:, f])
                if completed is not None:
                    return completed
        return None

    group = complete([columns[0]], ~holds[:, columns[0]])
    return None if group is None or len(group) == 1 else tuple(sorted(group))


def _one_hot_group(points: NetPoints, columns: tuple[int, ...]) -> ColumnGroup:
    penalties = sorted(int(points.feature_penalty[f]) for f in columns)
    full = GroupState(frozenset(columns), sum(penalties[:-1]))
    return ColumnGroup(columns, (full, *_states(points, columns, most=len(columns) - 2)))


def _states(points: NetPoints, columns: tuple[int, ...], *, most: int) -> list[GroupState]:
    """Sets of at most `most` columns, larger ones first; those without a forced column do not occur."""
    forced = set(points.forced.tolist()) & set(columns)
    return [
        GroupState(frozenset(chosen), sum(int(points.feature_penalty[f]) for f in chosen))
        for size in range(most, -1, -1)
        for chosen in combinations(columns, size)
        if forced <= set(chosen)
    ]


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
        code = (points.level.astype(np.uint64)[:, columns] * multipliers[columns]).sum(axis=1, dtype=np.uint64)
        first, second, ids = zip(*(_pairs(points, code, s) for s in (1, -1)), strict=True)
        common = np.intersect1d(ids[0], ids[1])
        self.n_sums = len(common)
        self.n_pairs = sum(len(i) for i in ids)
        self._sides = [_Side(a, b, c, common) for a, b, c in zip(first, second, ids, strict=True)]

    def price(self, price: Floats, below: float, most: int, noise: np.random.Generator) -> tuple[Ints, float]:
        """Return about `most` sets whose price is less than `below`, and the least price of any set.

        The price of a set is the sum of its points' prices, a repeated point's taken once. Of each sum
        the cheapest set is taken; where sums are few, again with the points used so far made dearer.
        """
        if self.n_sums == 0:
            return np.zeros((0, 4), np.int64), np.inf
        quads, sums, least = self._cheapest(price, below, most, noise)
        passes = [quads]
        dearer = price.copy()
        for _ in range(min(_MOST_PASSES, most // max(1, 4 * len(sums))) - 1):
            dearer[np.unique(passes[-1])] += below / 4
            quads, sums, _ = self._cheapest(dearer, below, most, noise)
            if len(quads) == 0:
                break
            passes.append(quads)
        return np.concatenate(passes), least

    def _cheapest(self, price: Floats, below: float, most: int, noise: np.random.Generator) -> tuple[Ints, Ints, float]:
        prices = [side.prices(price, noise) for side in self._sides]
        up, down = (np.minimum.reduceat(p, s.start) for p, s in zip(prices, self._sides, strict=True))
        total = up + down
        sums = np.flatnonzero(total < below)
        if len(sums) > most:
            sums = sums[np.argpartition(total[sums], most)[:most]]
        ends = [side.cheapest(p, sums) for p, side in zip(prices, self._sides, strict=True)]
        return np.column_stack(ends), sums, float(np.min(total))


def _pairs(points: NetPoints, code: Words, sign: int) -> tuple[Ints, Ints, Words]:
    of_class = np.flatnonzero(points.sign == sign)
    a, b = np.triu_indices(len(of_class))
    first, second = of_class[a], of_class[b]
    return first, second, code[first] + code[second]


class _Side:
    """The pairs of one class that have a partner, sorted by their sum."""

    def __init__(self, first: Ints, second: Ints, code: Words, common: Words) -> None:
        at = np.searchsorted(common, code)
        at[at == len(common)] = 0
        kept = common[at] == code if len(common) else np.zeros(len(code), bool)
        order = np.argsort(at[kept], kind="stable")
        self.first, self.second = first[kept][order], second[kept][order]
        self.start = np.searchsorted(at[kept][order], np.arange(len(common)))
        self.end = np.append(self.start[1:], len(self.first))
        self.twice = self.first == self.second

    def prices(self, price: Floats, noise: np.random.Generator) -> Floats:
        """Price each pair, a repeated point once; the noise spreads ties over many points."""
        of_pair: Floats = price[self.first] + np.where(self.twice, 0.0, price[self.second])
        return of_pair + 1e-7 * noise.random(len(of_pair))

    def cheapest(self, of_pair: Floats, sums: Ints) -> Ints:
        best = [s + int(np.argmin(of_pair[s:e])) for s, e in zip(self.start[sums], self.end[sums], strict=True)]
        return np.column_stack([self.first[best], self.second[best]]).reshape(-1, 2)


Allowed = tuple[tuple[int, ...], ...]
"""The states each group may be in, at one node."""

_LARGEST_TOTAL = 2**61
Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Balanced sets (p1, p2, n1, n2), a point possibly twice, and the multiplier of each."""

    quads: Ints
    value: Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """Multipliers that prove a bound at a node."""

    fine: int
    common: Multipliers
    by_state: Mapping[tuple[int, int], Multipliers]


@dataclass(frozen=True, kw_only=True)
class ProvenBound:
    """The claim of a certificate: no model of the node costs less than `bound`/`fine` kernel units.

    `in_state[j][c]` is the same for the models of the node with group j in state c.
    """

    fine: int
    bound: int
    in_state: tuple[dict[int, int], ...]


def finest(points: NetPoints, groups: tuple[ColumnGroup, ...]) -> int:
    """The finest unit in which every sum of a certificate fits 64 bits."""
    most = points.base_loss + int(points.weight.sum()) + sum(s.penalty for g in groups for s in g.states) + 1
    return max(1, min(2**30, _LARGEST_TOTAL // (4 * most)))


def top(groups: tuple[ColumnGroup, ...], allowed: Allowed, group: int = -1, state: int = 0) -> list[int]:
    """The available columns with every group at its top, one of them possibly in a state."""
    return sorted(
        f
        for j, (g, states) in enumerate(zip(groups, allowed, strict=True))
        for f in frozenset().union(*(g.states[c].available for c in ((state,) if j == group else states)))
    )


def check_certificate(
    points: NetPoints, groups: tuple[ColumnGroup, ...], allowed: Allowed, certificate: Certificate
) -> ProvenBound:
    """Recompute everything a certificate claims; raise if any of it is false."""
    load = _load(points, certificate.common, top(groups, allowed))
    gained = [dict.fromkeys(states, 0) for states in allowed]
    for j, states in enumerate(allowed):
        largest = np.zeros(points.n, np.int64)
        for c in states:
            multipliers = certificate.by_state.get((j, c))
            if multipliers is not None:
                largest = np.maximum(largest, _load(points, multipliers, top(groups, allowed, j, c)))
                gained[j][c] = int(multipliers.value.sum())
        load = load + largest
        if int(load.max(initial=0)) >= _LARGEST_TOTAL:
            raise VerificationError("the multipliers of a cost partition exceed every capacity")
    if (load > points.weight * certificate.fine).any():
        raise VerificationError("the multipliers of a cost partition exceed the weight of a point")
    by_state = [
        {c: gained[j][c] + certificate.fine * groups[j].states[c].penalty for c in states}
        for j, states in enumerate(allowed)
    ]
    least = [min(p.values()) for p in by_state]
    bound = certificate.fine * points.base_loss + int(certificate.common.value.sum()) + sum(least)
    return ProvenBound(
        fine=certificate.fine,
        bound=bound,
        in_state=tuple({c: bound - m + v for c, v in p.items()} for m, p in zip(least, by_state, strict=True)),
    )


def _load(points: NetPoints, multipliers: Multipliers, columns: list[int]) -> Ints:
    """Sum the multipliers at each point, having checked that they may be used."""
    quads, value = multipliers.quads, multipliers.value
    if (value < 0).any() or sum(value.tolist()) >= _LARGEST_TOTAL // 4:
        raise VerificationError("a multiplier of a cost partition is negative or too large")
    if not are_balanced(points, quads, columns).all():
        raise VerificationError("a set in a cost partition is not balanced on the available columns")
    return loads(points.n, quads, value)


def loads(n: int, quads: Ints, value: NDArray[Number]) -> NDArray[Number]:
    """Sum the multipliers of the sets at each of n points; a repeated point carries its set once."""
    load = np.zeros(n, value.dtype)
    for k in range(4):
        repeated = quads[:, k] == quads[:, k - 1] if k in (1, 3) else np.zeros(len(quads), bool)
        np.add.at(load, quads[:, k], np.where(repeated, 0, value))
    return load

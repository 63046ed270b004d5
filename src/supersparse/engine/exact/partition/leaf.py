"""The leaf: every group is decided, so only the wrong points cost more.

What is left is a hitting set: every infeasible set (`is_infeasible`) of the available columns has a wrong point, at
weight w_i each. Sets are found as they are needed. The search branches on points: in a part the points W are wrong and
R are right. For any u >= 0 on known sets, with load_i = Σ_{Q ∋ i} u_Q, every choice of the part pays

    Σ_i w_i z_i  >=  Σ_i w_i z_i + Σ_Q u_Q (1 - Σ_{i ∈ Q} z_i)  =  Σ_Q u_Q + Σ_i (w_i - load_i) z_i
                 >=  Σ_Q u_Q + Σ_{i ∈ W} (w_i - load_i) + Σ_{i not in W or R} min(0, w_i - load_i) ,

which is computed in integers. All wrong points together weigh a multiple of the weights' common divisor,
so a bound is rounded up to one. A part in which a whole infeasible set is right holds nothing.

Branching uses the symmetries that leave W and R alone: either all points of an orbit are right, or one of
them is wrong and, up to symmetry, it is the first.
"""

import heapq
from dataclasses import dataclass
from math import gcd

import numpy as np

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.exact.partition.certificate import NetPoints
from supersparse.engine.exact.partition.lp import FarkasLP, HittingLP

_MARGIN = 2e-3  # by how much the inequality must be violated where Σ μ = 1
_FINE = 2**36


def is_infeasible(points: NetPoints, columns: list[int], chosen: Ints, mu: Ints) -> bool:
    """Check in Python's integers that multipliers prove a set of points to have a wrong one."""
    if len(mu) == 0 or (mu < 0).any():
        return False
    signed = [int(y) * int(m) for y, m in zip(points.sign[chosen], mu, strict=True)]
    if sum(signed) != 0:
        return False
    reach = 0
    for f in columns:
        g = sum(s * int(x) for s, x in zip(signed, points.x[chosen, f], strict=True))
        reach += max(int(points.low[f]) * g, int(points.high[f]) * g)
    return reach < points.margin * sum(int(m) for m in mu)


def to_integers(sign: Ints, mu: Floats) -> Ints:
    """Round multipliers to integers with Σ y μ = 0 exactly: the largest ones take up the difference."""
    rounded = np.rint(mu * (_FINE / max(float(mu.max(initial=0.0)), 1e-300))).astype(np.int64)
    excess = int((rounded * sign).sum())
    heavier = np.flatnonzero(sign == np.sign(excess)) if excess else np.zeros(0, np.int64)
    if len(heavier):
        rounded[heavier[np.argmax(rounded[heavier])]] -= abs(excess)
    return rounded


class InfeasibleSets:
    """Finds infeasible sets among some points, with the columns available at one leaf."""

    def __init__(self, points: NetPoints, columns: list[int]) -> None:
        self._points, self._columns = points, columns
        # in units of the margin, so that the linear program knows none
        x = points.x[:, columns].astype(np.float64) / float(points.margin)
        sign = points.sign.astype(np.float64)
        low, high = points.low[columns].astype(np.float64), points.high[columns].astype(np.float64)
        self._lp = FarkasLP(x, sign, low, high, margin=_MARGIN)

    def find(self, price: Floats, usable: Flags) -> Ints | None:
        """Return an infeasible set of usable points, cheap ones preferred; None when it finds none."""
        mu = self._lp.solve(price, usable)
        if mu is None:
            return None
        chosen = np.flatnonzero(mu > 1e-9)
        exact = to_integers(self._points.sign[chosen], mu[chosen])
        if not is_infeasible(self._points, self._columns, chosen, exact):
            return None
        return chosen[exact > 0]


_ROUNDS = 6
_SETS_PER_ROUND = 8
_HIT = 0.999  # a set whose z add up to this much is hit


@dataclass(frozen=True, eq=False)
class LeafPart:
    """Points that are wrong, points that are right, and what is proven of the rest."""

    bound: int
    wrong: Flags
    right: Flags


class Leaf:
    """Bounds the weight of the wrong points when only some columns are available.

    Each `step` treats one part, the one with the least bound. `bound` is proven at any time; it stops
    rising at `enough`, or where the known sets do not tell a part from a model.
    """

    def __init__(self, points: NetPoints, columns: list[int], symmetries: list[Ints], enough: int, fine: int) -> None:
        self._points = points
        self._symmetries = symmetries
        self._enough = enough
        self._fine = fine
        self._finder = InfeasibleSets(points, columns)
        self._unit = float(np.median(points.weight))
        self._lp = HittingLP(points.weight / self._unit)
        self._divisor = gcd(*points.weight.tolist())
        self._known: set[bytes] = set()
        self._sets: list[Ints] = []
        self._random = np.random.default_rng(0)
        self._open: list[tuple[int, int, LeafPart]] = []
        self._pushed = 0
        self._stuck = enough
        nothing = np.zeros(points.n, bool)
        self._push(LeafPart(0, nothing, nothing))

    @property
    def bound(self) -> int:
        """Proven: the wrong points weigh at least this, in kernel units."""
        return min(self._stuck, self._open[0][0]) if self._open else self._stuck

    @property
    def done(self) -> bool:
        """Whether the bound is final."""
        return not self._open or self._stuck <= self._open[0][0]

    def add(self, q: Ints) -> None:
        """Add a set that the caller knows to be infeasible, and its images."""
        new = []
        for s in self._symmetries:
            image = np.sort(s[q])
            if image.tobytes() not in self._known:
                self._known.add(image.tobytes())
                new.append(image)
        if new:
            self._lp.add(new)
            self._sets += new

    def step(self) -> None:
        """Bound the part with the least bound, and split it."""
        _, _, part = heapq.heappop(self._open)
        bound, z, is_settled = part.bound, part.wrong.astype(np.float64), False
        for _ in range(_ROUNDS):
            if self._sets:
                solved = self._lp.solve(part.wrong.astype(np.float64), (~part.right).astype(np.float64))
                if solved is None:
                    if any(part.right[q].all() for q in self._sets):
                        return
                    is_settled = True
                    break
                z = solved[0]
                bound = max(bound, self._proven(part, solved[1]))
            if bound >= self._enough:
                return
            if not self._separate(z):
                is_settled = True
                break
        self._split(part, bound, z, is_settled)

    def _proven(self, part: LeafPart, price: Floats) -> int:
        if float(price.sum()) * self._unit > 2.0 * float(self._points.weight.sum()):
            return 0
        u = np.floor(price * self._unit * self._fine).astype(np.int64)
        load = np.zeros(self._points.n, np.int64)
        for k in np.flatnonzero(u):
            load[self._sets[k]] += u[k]
        left = self._points.weight * self._fine - load
        free = ~part.wrong & ~part.right
        total = int(u.sum()) + int(left[part.wrong].sum()) + int(np.minimum(0, left[free]).sum())
        unit = self._fine * self._divisor
        return -(-total // unit) * self._divisor

    def _separate(self, z: Floats) -> int:
        """Add infeasible sets that z does not hit, different ones; return how many."""
        added = 0
        usable = z <= _HIT
        for k in range(_SETS_PER_ROUND):
            spread = self._random.random(len(z))
            q = self._finder.find(z + (0.02 * spread if k % 2 == 0 else spread**3), usable)
            if q is None:
                if k == 0:
                    break
                usable = z <= _HIT
                continue
            if z[q].sum() < _HIT:
                added += 1
                self.add(q)
            usable[q] = False
        return added

    def _split(self, part: LeafPart, bound: int, z: Floats, is_settled: bool) -> None:
        """Decide a point; where z decides all of them, the part is stuck if no set tells z from a model."""
        free = ~part.wrong & ~part.right
        undecided = np.where(free, np.minimum(z, 1 - z), -1.0)
        if undecided.max(initial=-1.0) < 1e-6:
            undecided = np.where(free & (z > 0.5), z, -1.0)
        if undecided.max(initial=-1.0) < 0.0:
            if is_settled:
                self._stuck = min(self._stuck, bound)
            else:  # the sets found last are not in this bound yet
                self._push(LeafPart(bound, part.wrong, part.right))
            return
        i = int(np.argmax(undecided))
        fixing = [
            s for s in self._symmetries if (part.wrong[s] == part.wrong).all() and (part.right[s] == part.right).all()
        ]
        right, wrong = part.right.copy(), part.wrong.copy()
        right[[s[i] for s in fixing]] = True
        wrong[i] = True
        self._push(LeafPart(bound, part.wrong, right))
        self._push(LeafPart(bound, wrong, part.right))

    def _push(self, part: LeafPart) -> None:
        self._pushed += 1
        heapq.heappush(self._open, (part.bound, self._pushed, part))

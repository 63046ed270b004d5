"""The first bound for errors, `pair_covers`: the tree over supports, each node bounded by a packing of pair covers.

If a positive point i and a negative point j are both right, then x_i·λ + b > 0 > x_j·λ + b, so
Σ_f λ_f·(x_if - x_jf) > 0 and some literal of D_ij = {(f, sign): sign·(x_if - x_jf) > 0} is in the
model. With z for "wrong" and α for "literal used" this is the pair cover

    z_i + z_j + Σ_{l ∈ D_ij} α_l >= 1 .

Let u >= 0 be multipliers with Σ_{pairs at i} u <= w_i at every point, and load_l = Σ_{pairs with l} u.
Then for every model that extends the support S by a set T of at most r literals, one per feature,

    cost >= fixed(S) + Σ_i w_i z_i + Σ_{l ∈ T} c_l
         >= fixed(S) + Σ u - Σ_{l ∈ T} (load_l - c_l)
         >= fixed(S) + Σ u - (the r largest (load_l - c_l)+ over features)

with c_l for `literal_penalty` and fixed(S) for the base cost and the penalties of S and b (see `instance.fixed_cost`).

Pairs that S covers are left out, and literals that are not allowed carry no load. When l must be
in T, the same sum with l's term and r - 1 others bounds the models that use l: `by_literal`. A literal that
is used only after a better one (`literals.py`) has no pairs: the better one covers all of them.

What it sees is signs: how large coefficients are is known only once a support is complete, which then is searched
in boxes of magnitudes (`native/errors/boxes.hpp`). It proves F and, among models of equal F, the smallest points.
"""

import threading
from collections.abc import Iterable, Sequence

from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance, fixed_cost
from supersparse.engine.exact.literals import n_supports
from supersparse.engine.exact.open_parts import (
    Part,
    after_slice,
    checked_part,
    coefficients_of,
    divided,
    from_bytes,
    to_bytes,
)
from supersparse.engine.exact.slices import CaseData, Outcome, Slicer, run_remotely
from supersparse.engine.exact.tree_data import TreeData
from supersparse.engine.proving.cluster import Answer, RemoteEngine, Request, checked_count, packed
from supersparse.engine.proving.open_parts import Taken
from supersparse.engine.proving.proof import Budget, Cancelled, CancelledError, Left

WORK_PER_NODE = 100_000
"""Touched rows that count as one unit of the node limit."""

_FIRST_SLICE = 5 * WORK_PER_NODE  # the first slice; each may do twice as much as the one before
_LEAST_SLICE = 2 * WORK_PER_NODE  # what a slice does even where other threads have nothing to do
_FAR, _FAR_SLICE = 0.75, 10 * WORK_PER_NODE  # where a part's bound is far below the cut, slices are short:
# the best bound then comes first more often, and the bound of all rises faster
_PARTS_COUNTED = 5_000  # at most, to tell which share of the supports is open: a few milliseconds


class PairCovers(RemoteEngine[Part]):
    """The tree over supports, for both cases of the intercept."""

    at_once = 32
    slice_work = 100 * WORK_PER_NODE  # about 50 ms
    least_work, most_work = 100 * WORK_PER_NODE, 2000 * WORK_PER_NODE

    def __init__(self, cuts: Judge, cases: Sequence[Instance], *, lists: bool = False) -> None:
        super().__init__()
        self.cuts = cuts
        self.cases = {case.case: case for case in cases}
        self._data = {case.case: CaseData(case, lists=lists) for case in cases}
        self._preparing = threading.Lock()
        self._packed: dict[int, tuple[str, bytes]] = {}
        self._slice = _FIRST_SLICE

    def roots(self) -> Iterable[Part]:
        """All supports except the empty one, whose model is the start of every solve."""
        for case in self.cases.values():
            yield Part(fixed_cost(case, ()), case.case, (), case.allowed.copy())

    def bound_of(self, part: Part) -> int:
        """In kernel units."""
        return part.bound

    def is_closed(self, bound: int) -> bool:
        """Whether nothing as good as the best model has this cost."""
        return bound > self.cuts.tie

    def joins(self, first: Part, other: Part) -> bool:
        """A slice is of one case, and begins with at most one support that is half searched."""
        return other.case == first.case and other.boxes is None

    def settled(self, taken: Taken[Part], left: Sequence[Part]) -> Sequence[Part]:
        """With the second phase of a support if the first is over."""
        return after_slice(taken.parts[0], left)

    def pieces(self, part: Part, most: int) -> Sequence[Part]:
        """The boxes of a support that is half searched, divided."""
        return divided(part, most)

    def count_idle(self, workers: int) -> None:
        """Slices end early while others have nothing to do."""
        self.cuts.shared[1] = workers

    def worker(self) -> "_Worker":
        return _Worker(self)

    def budget(self, parts: Sequence[Part], most: int | None, threads: int) -> tuple[int, int]:
        """How much a slice does, and how much of it even where others have nothing to do."""
        work = min(self._slice, self.slice_work)
        self._slice = 2 * work
        if parts[0].bound < _FAR * self.cuts.tie:
            work = min(work, _FAR_SLICE * max(1, threads // 2))  # Python is for one thread at a time
        if most is not None:
            work = max(1, min(work, most))
        return work, work if threads == 1 else _LEAST_SLICE

    def data_of(self, case: int, cancelled: Cancelled) -> TreeData:
        """The arrays of a case, made when first asked for."""
        with self._preparing:
            return self._data[case].data(cancelled)

    def share_closed(self, parts: Sequence[Part]) -> float:
        """The share of all supports that none of these open parts holds; of many parts, some stand for all."""
        every = sum(n_supports(of.allowed, of.max_features) for of in self.cases.values())
        step = 1 + len(parts) // _PARTS_COUNTED
        left = step * sum(
            1 if p.allowed is None else n_supports(p.allowed, self.cases[p.case].max_features - len(p.literals))
            for p in parts[::step]
        )
        return max(0.0, 1 - left / every) if every else 1.0

    def to_bytes(self, parts: Sequence[Part]) -> bytes:
        """Parts as 64-bit numbers."""
        return to_bytes(parts)

    def request(self, parts: Sequence[Part], cancelled: Cancelled) -> Request | None:
        """A slice, with the cuts that hold now; None if its arrays are not made in time."""
        case, now = parts[0].case, self.cuts.now
        if case not in self._packed:
            try:
                data = self.data_of(case, cancelled)
            except CancelledError:
                return None
            self._packed[case] = packed(value for part in data for value in part)
        digest, content = self._packed[case]
        return Request(run_remotely, digest, content, (case, to_bytes(parts), (now.tie, now.strict, now.l1)))

    def read(self, parts: Sequence[Part], outcome: Outcome) -> Answer[Part]:
        instance = self.cases[parts[0].case]
        left = [
            checked_part(part, self.cases[part.case], is_piece=True)
            for part in from_bytes(outcome.parts, instance.n_features)
        ]
        models = [_model(coefficients, instance) for coefficients in outcome.found]
        return Answer(Left(left, checked_count(outcome.work)), models)

    def judge(self, models: list[list[int]]) -> None:
        for coefficients in models:
            self.cuts.offer(coefficients)


class _Worker:
    """One thread's scratch space: a slicer for each case."""

    def __init__(self, engine: PairCovers) -> None:
        self._engine = engine
        self._slicers: dict[int, Slicer] = {}

    def work_on(self, parts: Sequence[Part], budget: Budget) -> Left[Part]:
        """Do a slice; parts are of one case."""
        engine, case = self._engine, parts[0].case
        if case not in self._slicers:
            self._slicers[case] = Slicer(case, engine.data_of(case, budget.cancelled))
        work, least = engine.budget(parts, budget.most, budget.threads)
        return Left(*self._slicers[case].run(parts, engine.cuts, work, least, budget.cancelled))

    def let_go(self) -> None:
        """Nothing is kept between slices."""


def _model(values: Sequence[object], instance: Instance) -> list[int]:
    """The coefficients of a model that the tree of this case can find."""
    coefficients = coefficients_of(values, instance)
    used = sum(value != 0 for value in coefficients)
    if used > instance.max_features:
        raise ValueError(f"a model has {used} features, more than the problem allows")
    return coefficients

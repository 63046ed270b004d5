"""The tree over signed supports, as plain bookkeeping.

A node represents the proper extensions of its literals: the supports that contain all of them and at least
one more literal that is still allowed. The support of exactly those literals is not part of the node; if a
model may stop there, it became a separate task when the node was created.

A node is bounded by a packing of pair covers, literals that cannot be in a better model are dropped, and
it is split on the most loaded one: in the model, or not. Tasks are taken best bound first.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.exact.covers import Packed, PairPool, multipliers, packing_bound, pair_pool
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Flags, Instance
from supersparse.engine.exact.literals import (
    Literal,
    Literals,
    both_literals,
    by_feature,
    feature_of,
    flags_of,
    for_both_signs,
    literals_where,
)
from supersparse.engine.exact.log import Multipliers, NodePruned, NodeSplit
from supersparse.engine.exact.reference import Log
from supersparse.engine.exact.supports import SupportSearch
from supersparse.engine.kernels.pairs import uncovered


@dataclass(frozen=True, eq=False, kw_only=True)
class SupportNode:
    """The supports that extend `literals` by one or more allowed ones, one per feature.

    `pairs` are those of the parent; pairs that `added` covers must still be removed.
    """

    instance: Instance
    literals: Literals
    allowed: Flags
    theta: int  # the best θ of the node that it was split off, 0 to try the whole range: see `packing_bound`
    pool: PairPool | None = None  # None: created when the node is bounded
    pairs: NDArray[np.int32] | None = None
    added: Literal | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Support:
    """One support to search; `search` is set once it has started."""

    instance: Instance
    literals: Literals
    search: SupportSearch | None = None


Work = TypeVar("Work")


class Task(NamedTuple, Generic[Work]):
    """An open part of the search space with its bound; ties in the bound go to the older.

    No two tasks share an age, so comparing tasks never looks at their work.
    """

    bound: int
    age: int
    work: Work


class OpenTasks(Generic[Work]):
    """The open tasks, best bound first."""

    def __init__(self) -> None:
        self._heap: list[Task[Work]] = []
        self._age = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, bound: int, work: Work) -> None:
        """Add a task; ties in the bound go to the older one."""
        self._age += 1
        heapq.heappush(self._heap, Task(bound, self._age, work))

    def pop(self) -> Task[Work]:
        """Take the task with the lowest bound."""
        return heapq.heappop(self._heap)

    @property
    def first(self) -> Task[Work]:
        """The task with the lowest bound, which stays."""
        return self._heap[0]

    @property
    def bound(self) -> int | None:
        """The lowest bound of all open tasks; None if there are none."""
        return self._heap[0].bound if self._heap else None

    def __iter__(self) -> Iterator[Task[Work]]:
        return iter(self._heap)


def root(instance: Instance) -> SupportNode:
    """The node of all supports except the empty one, whose model is the start of every solve."""
    return SupportNode(instance=instance, literals=(), allowed=instance.allowed.copy(), theta=0)


def fixed_cost(instance: Instance, literals: Literals) -> int:
    """The cost of every model with these literals before its loss: base cost, penalties of literals and b."""
    return (
        instance.base_cost + instance.intercept_penalty + int(instance.literal_penalty[list(literals)].sum())
    )


def expand(
    node: SupportNode, bound: int, cuts: Judge, *, cancelled: Callable[[], bool], log: Log | None = None
) -> list[tuple[int, SupportNode | Support]]:
    """Bound a node and split it; return the remaining parts with their bounds."""
    instance, room = node.instance, node.instance.max_features - len(node.literals)
    if room <= 0:
        return []
    allowed = node.allowed
    if instance.limits:
        kept = instance.limits.keep(node.literals, allowed, room)
        if kept is None:
            return []
        allowed = kept
    pool, pairs = _uncovered_pairs(node, cancelled)
    fixed = fixed_cost(instance, node.literals)
    cut = cuts.tie
    packed = packing_bound(instance, pool, pairs, allowed, room, node.theta, cut - fixed)
    bound = max(bound, fixed + packed.bound)
    by_literal = np.maximum(bound, fixed + packed.by_literal)
    branch = None
    if bound <= cut:
        allowed = allowed & (by_literal <= cut)
        _drop_orphans(instance, node.literals, allowed)
        if room > 1:
            branch = _branching_literal(instance, node.literals, allowed, packed)
    if log is not None:
        u = multipliers(instance, pool, pairs, node.allowed, room, packed.theta, cut - fixed)
        log(_event(node, allowed, bound, cut, room, u, branch))
    if bound > cut:
        return []
    if room == 1:
        return [
            (int(by_literal[literal]), Support(instance=instance, literals=(*node.literals, literal)))
            for literal in literals_where(allowed)
            if _may_enter(instance, node.literals, literal) and _may_stop(instance, (*node.literals, literal))
        ]
    if branch is None:
        return []
    parts: list[tuple[int, SupportNode | Support]] = []
    literals, with_literal = (*node.literals, branch), int(by_literal[branch])
    if _may_stop(instance, literals):
        parts.append((with_literal, Support(instance=instance, literals=literals)))
    rest = allowed.copy()
    rest[list(both_literals(feature_of(branch)))] = False
    child = SupportNode(
        instance=instance,
        literals=literals,
        allowed=rest,
        pool=pool,
        pairs=pairs,
        added=branch,
        theta=-packed.theta,  # one place less
    )
    parts.append((with_literal, child))
    if _may_be_out(instance, branch, allowed):
        without = allowed.copy()
        without[branch] = False
        _drop_orphans(instance, node.literals, without)
        out = SupportNode(
            instance=instance,
            literals=node.literals,
            allowed=without,
            pool=pool,
            pairs=pairs,
            added=None,
            theta=packed.theta,
        )
        parts.append((bound, out))
    return parts


def _event(
    node: SupportNode,
    kept: Flags,
    bound: int,
    cut: int,
    room: int,
    u: Multipliers,
    branch: Literal | None,
) -> NodeSplit | NodePruned:
    allowed = literals_where(node.allowed)
    case, literals = node.instance.case, node.literals
    if bound > cut:
        return NodePruned(
            case=case, literals=literals, allowed=allowed, bound=bound, cut=cut, room=room, multipliers=u
        )
    return NodeSplit(
        case=case,
        literals=literals,
        allowed=allowed,
        dropped=literals_where(node.allowed & ~kept),
        bound=bound,
        cut=cut,
        room=room,
        multipliers=u,
        parts=literals_where(kept) if branch is None else (branch,),
        out=branch is not None and _may_be_out(node.instance, branch, kept),
    )


def _uncovered_pairs(node: SupportNode, cancelled: Callable[[], bool]) -> tuple[PairPool, NDArray[np.int32]]:
    """The pairs that the node's literals leave uncovered.

    The parent's pairs are filtered. We tried new, nearer pairs for each node, which was worse: on adult_reg
    the tree grew from 30 to 1502 nodes.
    """
    if node.pool is None or node.pairs is None:
        pool = pair_pool(node.instance, node.literals, node.allowed, cancelled=cancelled)
        return pool, pool.all
    if node.added is None:
        return node.pool, node.pairs
    return node.pool, uncovered(node.pairs, node.pool.start, node.pool.literal, node.added)


def _branching_literal(
    instance: Instance, literals: Literals, allowed: Flags, packed: Packed
) -> Literal | None:
    """The most loaded literal, of a forced feature where one is missing; None if none can be used.

    Of several without capacity left, the one that has refused most. Its feature with the other sign waits:
    where the literal is out, the bound is higher, and fewer others are left to go with it.
    """
    present = set(map(feature_of, literals))
    missing = next((f for f in instance.forced if f not in present), None)
    choices = [
        literal
        for literal in literals_where(allowed)
        if missing in (None, feature_of(literal)) and _may_enter(instance, literals, literal)
    ]
    return max(choices, key=lambda literal: (packed.load[literal], packed.refused[literal]), default=None)


def _may_be_out(instance: Instance, literal: Literal, allowed: Flags) -> bool:
    """Whether a model may do without a literal: a forced feature then needs the other sign."""
    one, other = both_literals(feature_of(literal))
    return feature_of(literal) not in instance.forced or bool(allowed[other if literal == one else one])


def _may_enter(instance: Instance, literals: Literals, literal: Literal) -> bool:
    """Whether the model has what must be used before a literal: see `exchanges.py`."""
    twin, first = instance.twin_of[feature_of(literal)], instance.after[literal]
    return (twin < 0 or twin in map(feature_of, literals)) and (first < 0 or first in literals)


def _may_stop(instance: Instance, literals: Literals) -> bool:
    """Whether a model of exactly these literals is allowed."""
    present = set(map(feature_of, literals))
    return all(f in present for f in instance.forced) and (
        not instance.limits or instance.limits.may_stop(literals)
    )


def _drop_orphans(instance: Instance, literals: Literals, allowed: Flags) -> None:
    """Disallow what must follow something that is neither in the model nor allowed, and so on in turn."""
    if not instance.has_order:
        return
    twin, first = for_both_signs(np.array(instance.twin_of)), np.array(instance.after)
    present = flags_of(literals, instance.n_features)
    while True:
        can_be = allowed | present
        used = np.any(by_feature(can_be), axis=1)
        orphan = allowed & (((twin >= 0) & ~used[twin]) | ((first >= 0) & ~can_be[first]))
        if not orphan.any():
            return
        allowed &= ~orphan

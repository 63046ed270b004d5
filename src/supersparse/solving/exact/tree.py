"""The tree over signed supports, as plain bookkeeping.

A node stands for all supports that contain its literals and, beyond them, only literals still
allowed. It is bounded by a packing of pair covers, literals that cannot be in a better model are
dropped, and it is split on the most loaded feature: in with +, in with -, or out. Each support
that is reached becomes a task of its own, searched in boxes. Tasks are taken best bound first.
"""

import heapq
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.exact.covers import PairPool, packing_bound, pair_pool
from supersparse.solving.exact.cuts import Cuts
from supersparse.solving.exact.instance import Flags, Instance
from supersparse.solving.exact.supports import SupportSearch
from supersparse.solving.kernels.packing import uncovered

_MOST_NEW_PAIRS = 400_000_000  # comparisons worth spending on fresh pairs for one node


@dataclass(frozen=True, eq=False, kw_only=True)
class Node:
    """Supports that extend `literals` by allowed ones; `added` still has to be taken out of `pairs`."""

    instance: Instance
    literals: tuple[int, ...]
    allowed: Flags
    pool: PairPool
    pairs: NDArray[np.int32]
    added: int | None
    theta: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Support:
    """One support to be searched; `search` is set once it has begun."""

    instance: Instance
    literals: tuple[int, ...]
    search: SupportSearch | None = None


@dataclass(order=True)
class Task:
    """An open part of the search space with its bound; ties in the bound go to the older."""

    bound: int
    age: int
    work: Node | Support = field(compare=False)


class OpenTasks:
    """The open tasks, best bound first."""

    def __init__(self) -> None:
        self._heap: list[Task] = []
        self._age = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, bound: int, work: Node | Support) -> None:
        """Add a task."""
        self._age += 1
        heapq.heappush(self._heap, Task(bound, self._age, work))

    def pop(self) -> Task:
        """Take the task with the least bound."""
        return heapq.heappop(self._heap)

    @property
    def bound(self) -> int | None:
        """The least bound of all open tasks, None when there are none."""
        return self._heap[0].bound if self._heap else None

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._heap)


def root(instance: Instance) -> Node:
    """The node of all supports."""
    pool = pair_pool(instance, (), instance.allowed)
    return Node(
        instance=instance,
        literals=(),
        allowed=instance.allowed.copy(),
        pool=pool,
        pairs=pool.all,
        added=None,
        theta=0,
    )


def fixed_cost(instance: Instance, literals: tuple[int, ...]) -> int:
    """What every support with these literals pays: base, the literals, and b where it has a price."""
    return instance.base + instance.intercept_cost + int(instance.cost[list(literals)].sum())


def expand(node: Node, bound: int, cuts: Cuts) -> list[tuple[int, Node | Support]]:
    """Bound a node and split it; return what is left of it, with bounds."""
    instance, room = node.instance, node.instance.max_features - len(node.literals)
    if room <= 0:
        return []
    pool, pairs = _own_pairs(node)
    paid = fixed_cost(instance, node.literals)
    allowed = node.allowed
    packed = packing_bound(instance, pool, pairs, allowed, room, node.theta, cuts.tie - paid)
    bound = max(bound, paid + packed.bound)
    if bound > cuts.tie:
        return []
    by_literal = np.maximum(bound, paid + packed.by_literal)
    allowed = allowed & (by_literal <= cuts.tie)
    _drop_orphans(instance, node.literals, allowed)
    if room == 1:
        return [
            (int(by_literal[literal]), Support(instance=instance, literals=(*node.literals, int(literal))))
            for literal in np.flatnonzero(allowed)
            if _partner_present(instance, node.literals, int(literal) // 2)
            and _forced_present(instance, (*node.literals, int(literal)))
        ]
    feature = _branching_feature(instance, node.literals, allowed, packed.load)
    if feature is None:
        return []
    parts: list[tuple[int, Node | Support]] = []
    rest = allowed.copy()
    rest[2 * feature : 2 * feature + 2] = False
    for literal in (2 * feature, 2 * feature + 1):
        if allowed[literal]:
            literals = (*node.literals, literal)
            with_literal = int(by_literal[literal])
            if _forced_present(instance, literals):
                parts.append((with_literal, Support(instance=instance, literals=literals)))
            child = Node(
                instance=instance,
                literals=literals,
                allowed=rest,
                pool=pool,
                pairs=pairs,
                added=literal,
                theta=packed.theta,
            )
            parts.append((with_literal, child))
    if feature not in instance.forced:
        without = rest.copy()
        _drop_orphans(instance, node.literals, without)
        out = Node(
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


def _own_pairs(node: Node) -> tuple[PairPool, NDArray[np.int32]]:
    """The pairs the node's literals leave uncovered; near the root fresh ones, which are nearer."""
    if node.added is None:
        return node.pool, node.pairs
    instance = node.instance
    comparisons = len(instance.positive) * len(instance.negative) * instance.n_features
    if len(node.literals) == 1 and comparisons <= _MOST_NEW_PAIRS:
        pool = pair_pool(instance, node.literals, node.allowed)
        return pool, pool.all
    return node.pool, uncovered(node.pairs, node.pool.start, node.pool.literal, node.added)


def _branching_feature(instance: Instance, literals: tuple[int, ...], allowed: Flags, load: np.ndarray) -> int | None:  # type: ignore[type-arg]
    """A forced feature first, else the one whose literals carry the most load."""
    present = {literal // 2 for literal in literals}
    for f in instance.forced:
        if f not in present:
            return f
    weight = np.where(allowed, load, -1).reshape(-1, 2).max(axis=1)
    for f in np.argsort(-weight, kind="stable"):
        if weight[f] < 0:
            return None
        if _partner_present(instance, literals, int(f)):
            return int(f)
    return None


def _partner_present(instance: Instance, literals: tuple[int, ...], feature: int) -> bool:
    partner = instance.twin_of[feature]
    return partner < 0 or any(literal // 2 == partner for literal in literals)


def _forced_present(instance: Instance, literals: tuple[int, ...]) -> bool:
    present = {literal // 2 for literal in literals}
    return all(f in present for f in instance.forced)


def _drop_orphans(instance: Instance, literals: tuple[int, ...], allowed: Flags) -> None:
    """Take out twins whose partner is neither in the model nor allowed any more."""
    present = {literal // 2 for literal in literals}
    for f, partner in enumerate(instance.twin_of):
        if partner >= 0 and partner not in present and not allowed[2 * partner : 2 * partner + 2].any():
            allowed[2 * f : 2 * f + 2] = False

"""The tree over states of groups, best bound first.

A node says which states each group may be in. Where its bound does not suffice, states that the
certificate already rules out are dropped. If there are none, an orbit of undecided groups is split: with
the node's symmetries, either all groups of the orbit are in their first state, or one of them is not and,
up to symmetry, it is the first of them, which gets a child for each of its other states. Where a symmetry
of the node takes the first state to another state of the same group, one group is split alone. The
smallest orbit goes first: it leaves its children the most symmetries, and so the smallest programs. Where
every group is decided, the leaf takes over.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.engine.exact.partition.bound import NodeBound, Sets
from supersparse.engine.exact.partition.certificate import Allowed, Proven, points_of, top
from supersparse.engine.exact.partition.leaf import Leaf
from supersparse.engine.exact.partition.symmetry import Context, group_orbits, stabiliser

_STALLED_ROUNDS = 3
_STALLED_GAIN = 0.003  # of the bound, over those rounds


@dataclass(frozen=True, eq=False)
class PartitionNode:
    """States the groups may be in, and what is proven of them, in kernel units."""

    bound: Fraction
    allowed: Allowed
    sets: Sets = ()  # balanced sets that an earlier run found here


@dataclass(frozen=True, eq=False)
class OpenNodes:
    """What a tree has left to do: enough to go on in another process."""

    nodes: tuple[PartitionNode, ...]
    given_up: tuple[Fraction, ...]  # bounds of leaves that could not be closed


class PartitionTree:
    """Proves that no model costs less than `target` kernel units, or how far that can be proven."""

    def __init__(self, context: Context, target: Fraction) -> None:
        self._context = context
        self.target = target
        self.nodes = 0
        self._open: list[tuple[Fraction, int, PartitionNode]] = []
        self._pushed = 0
        self._given_up: list[Fraction] = []
        self._now: Fraction | None = None  # proven of the node that is worked on
        self._working_on: PartitionNode | None = None
        self._search: NodeBound | None = None
        least = sum(min(s.penalty for s in g.states) for g in context.groups)
        everything = tuple(tuple(range(len(g.states))) for g in context.groups)
        self._push(PartitionNode(Fraction(context.points.base_loss + least), everything))

    def open_nodes(self) -> OpenNodes:
        """What is left, the node that is worked on with the sets found for it; ask between two steps."""
        waiting = [node for _, _, node in self._open]
        if self._working_on is not None:
            sets = () if self._search is None else tuple(self._search.sets)
            waiting.append(replace(self._working_on, sets=sets))
        return OpenNodes(tuple(waiting), tuple(self._given_up))

    def resume(self, left: OpenNodes) -> None:
        """Go on with what an earlier run left open, before the first step; refuse what does not fit."""
        groups, n_points = self._context.groups, self._context.points.n
        for node in left.nodes:
            fits = len(node.allowed) == len(groups) and all(
                states and max(states) < len(group.states) for states, group in zip(node.allowed, groups, strict=False)
            )
            if not fits or any(len(quad) != 4 or quad.max() >= n_points for _, quad in node.sets):
                raise InvalidOptionError(
                    "the checkpoint's partition bound does not fit the problem", "delete it to start again"
                )
        self._open.clear()
        self._given_up = list(left.given_up)
        for node in left.nodes:
            self._push(node)

    @property
    def bound(self) -> Fraction | None:
        """Proven of all models; None when nothing is left below the target."""
        known = [*self._given_up, *(b for b, _, _ in self._open[:1])]
        return min(known if self._now is None else [*known, self._now], default=None)

    def steps(self) -> Iterator[None]:
        """Work to the end; pause after each linear program."""
        while self._open:
            _, _, node = heapq.heappop(self._open)
            if node.bound >= self.target:
                continue
            self.nodes += 1
            self._now, self._working_on = node.bound, node
            decided = all(len(states) == 1 for states in node.allowed)
            yield from self._leaf(node) if decided else self._expand(node)
            self._now = self._working_on = self._search = None

    def _push(self, node: PartitionNode) -> None:
        self._pushed += 1
        heapq.heappush(self._open, (node.bound, self._pushed, node))

    def _expand(self, node: PartitionNode) -> Iterator[None]:
        search = NodeBound(self._context, node.allowed)
        yield from search.prepare()
        search.start_with(node.sets)
        self._search = search
        best: Proven | None = None
        history: list[Fraction] = []
        while not search.finished:
            proven = search.step()
            if proven is None:
                yield
                continue
            if best is None or proven.bound > best.bound:
                best = proven
            self._now = max(node.bound, Fraction(best.bound, best.fine))
            history.append(self._now)
            if self._now >= self.target:
                return
            yield
            if search.ceiling < self.target or _has_stalled(history):
                break
        assert best is not None
        self._split(node, best)

    def _split(self, node: PartitionNode, best: Proven) -> None:
        kept = tuple(
            tuple(c for c in states if Fraction(best.in_state[j][c], best.fine) < self.target)
            for j, states in enumerate(node.allowed)
        )
        if not all(kept):
            return
        if kept != node.allowed:
            self._push(PartitionNode(max(node.bound, Fraction(best.bound, best.fine)), kept))
            return
        symmetries = stabiliser(self._context.symmetries, kept)
        members = min(group_orbits(symmetries, kept), key=lambda m: (len(m), m[0]))
        j = members[0]
        first, *others = kept[j]
        images = {(s.group[j], s.state[j][first]) for s in symmetries}
        self._child(node, best, dict(images) if len(images) == len(members) else {j: first})
        for c in others:
            self._child(node, best, {j: c})

    def _child(self, node: PartitionNode, best: Proven, decided: dict[int, int]) -> None:
        inherited = max(best.in_state[j][c] for j, c in decided.items())
        states = tuple((decided[j],) if j in decided else s for j, s in enumerate(node.allowed))
        self._push(PartitionNode(max(node.bound, Fraction(inherited, best.fine)), states))

    def _leaf(self, node: PartitionNode) -> Iterator[None]:
        points, groups = self._context.points, self._context.groups
        fixed = points.base_loss + sum(groups[j].states[c].penalty for j, (c,) in enumerate(node.allowed))
        symmetries = [s.point for s in stabiliser(self._context.symmetries, node.allowed)]
        columns, enough = top(groups, node.allowed), ceil(self.target - fixed)
        leaf = Leaf(points, columns, symmetries, enough, self._context.fine)
        balanced = NodeBound(self._context, node.allowed)
        yield from balanced.prepare()
        while not balanced.finished:
            balanced.step()
            yield
        for quad in balanced.quads:
            leaf.add(np.array(points_of(quad)))
        while not leaf.done:
            leaf.step()
            self._now = max(node.bound, Fraction(fixed + leaf.bound))
            yield
        if fixed + leaf.bound < self.target:
            self._given_up.append(max(node.bound, Fraction(fixed + leaf.bound)))


def _has_stalled(history: list[Fraction]) -> bool:
    if len(history) <= 2 * _STALLED_ROUNDS:
        return False
    gained = history[-1] - history[-1 - _STALLED_ROUNDS]
    return float(gained) < _STALLED_GAIN * float(history[-1])

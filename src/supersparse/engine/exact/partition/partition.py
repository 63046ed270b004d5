"""The second bound for errors, `partition`: one-hot, binary and short columns, many of which are used at once.

The tree over states of groups, best bound first.

A node says which states each group may be in. Where its bound does not suffice, states that the certificate already
rules out are dropped. If there are none, an orbit of undecided groups is split: with the node's symmetries, either all
groups of the orbit are in their first state, or one of them is not and, up to symmetry, it is the first of them, which
gets a child for each of its other states. Where a symmetry of the node takes the first state to another state of the
same group, one group is split alone. The smallest orbit goes first: it leaves its children the most symmetries, and so
the smallest programs. Where every group is decided, the leaf takes over.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.engine.exact.open_parts import fraction, whole
from supersparse.engine.exact.partition.bound import NodeBound, Sets
from supersparse.engine.exact.partition.certificate import Allowed, ProvenBound, find_groups, net_points, points_of, top
from supersparse.engine.exact.partition.leaf import Leaf
from supersparse.engine.exact.partition.lp import never
from supersparse.engine.exact.partition.symmetry import Context, find_symmetries, group_orbits, stabiliser
from supersparse.engine.integer_form import IntegerForm
from supersparse.engine.proving.bounds import Bound, Known
from supersparse.engine.proving.open_parts import OpenParts
from supersparse.engine.proving.proof import Budget
from supersparse.problem.variants import next_attainable, previous_attainable

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
    """The open work of a tree: enough to go on in another process."""

    nodes: tuple[PartitionNode, ...]
    given_up: tuple[Fraction, ...]  # bounds of leaves that could not be closed


class PartitionTree:
    """Proves that no model costs less than `target` kernel units, or how far that can be proven."""

    def __init__(self, context: Context, target: Fraction) -> None:
        self._context = context
        self.target = target
        self._open: OpenParts[PartitionNode] = OpenParts()
        self._given_up: list[Fraction] = []
        self._now: Fraction | None = None  # proven of the node that is worked on
        self._search: NodeBound | None = None
        least = sum(min(s.penalty for s in g.states) for g in context.groups)
        everything = tuple(tuple(range(len(g.states))) for g in context.groups)
        self._push(PartitionNode(Fraction(context.points.base_loss + least), everything))

    def open_nodes(self) -> OpenNodes:
        """The open nodes, the current one with the sets found for it; ask between two steps."""
        nodes = list(self._open)
        if self._search is not None:
            nodes[-1] = replace(nodes[-1], sets=tuple(self._search.sets))
        return OpenNodes(tuple(nodes), tuple(self._given_up))

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
        self._open.drop()
        self._given_up = list(left.given_up)
        for node in left.nodes:
            self._push(node)

    @property
    def bound(self) -> Fraction | None:
        """Proven of all models; None when nothing is left below the target."""
        return min((b for b in (*self._given_up, self._open.first, self._now) if b is not None), default=None)

    def steps(self) -> Iterator[None]:
        """Work to the end; pause after each linear program."""
        while (taken := self._open.take()) is not None:
            (node,) = taken.parts
            if node.bound < self.target:
                self._now = node.bound
                decided = all(len(states) == 1 for states in node.allowed)
                yield from self._leaf(node) if decided else self._expand(node)
            self._open.put(taken, ())  # its children wait
            self._now = self._search = None

    def _push(self, node: PartitionNode) -> None:
        self._open.push(node.bound, node)

    def _expand(self, node: PartitionNode) -> Iterator[None]:
        search = NodeBound(self._context, node.allowed)
        yield from search.prepare()
        search.start_with(node.sets)
        self._search = search
        best: ProvenBound | None = None
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

    def _split(self, node: PartitionNode, best: ProvenBound) -> None:
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

    def _child(self, node: PartitionNode, best: ProvenBound, decided: dict[int, int]) -> None:
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


_MOST_VALUES = 6  # of a column; on finer scales sums of points hardly ever coincide


class PartitionBound:
    """Proves lower bounds on F where columns have few values and many of them are used.

    It has something to say where columns are one-hot, binary or short scales, so that sums of points coincide. It holds
    for every problem whose form is exact: any finite coefficient sets, C0 for each feature, a numeric C1 (a used
    feature pays at least its smallest magnitude), class and sample weights, repeated and contradicting rows, forced
    features, and every intercept: sets take as much of one class as of the other, so b drops out, and b's penalty is
    not negative and left out. A size limit is ignored, which is a relaxation.

    `lower_bound` is proven and never falls. When it reaches the objective of a known model, that model is
    optimal in F; nothing is said about ties in l1.
    """

    def __init__(self, form: IntegerForm, target: Fraction, *, interrupted: Callable[[], bool] = never) -> None:
        """Prepare to prove that no model has F < target, usually the best known objective.

        `interrupted` is asked while a linear program runs, a few times a second; its work is then lost.
        """
        self._form = form
        points = net_points(form)
        groups = find_groups(points)
        context = Context(points, groups, find_symmetries(points, groups))
        context.interrupted = interrupted
        self._interrupted = interrupted
        self._target = target
        self._tree = PartitionTree(context, self._needed())
        self._steps = self._tree.steps()
        self.lower_bound = Fraction(0)
        self.done = False
        self._read()

    @staticmethod
    def applies(form: IntegerForm) -> bool:
        """Say whether the bound holds and is worth trying."""
        both = bool((form.positive > form.negative).any() and (form.positive < form.negative).any())
        used = [c for c, values in zip(form.columns, form.values, strict=True) if values.largest]
        return form.slack == 0 and both and all(len(np.unique(c)) <= _MOST_VALUES for c in used)

    @property
    def target(self) -> Fraction:
        """The objective below which there shall be no model; it can be lowered only."""
        return self._target

    @target.setter
    def target(self, value: Fraction) -> None:
        self._target = min(self._target, value)
        self._tree.target = min(self._tree.target, self._needed())
        self._read()

    def open_nodes(self) -> OpenNodes:
        """The open nodes; ask between two runs."""
        return self._tree.open_nodes()

    def resume(self, left: OpenNodes) -> None:
        """Go on with what an earlier run on the same problem left open, before the first run."""
        self._tree.resume(left)
        self._read()

    def run(self, deadline: float) -> None:
        """Work until `time.perf_counter()` reaches the deadline, or to the end.

        A linear program is not cut short by the deadline, only by `interrupted`; it may take seconds.
        """
        while not self.done and time.perf_counter() < deadline and not self._interrupted():
            try:
                next(self._steps)
            except StopIteration:
                self.done = True
            self._read()

    def _needed(self) -> Fraction:
        """The bound that the tree has to prove, in kernel units: F exceeds the last value below the target."""
        below = previous_attainable(self._form.problem, self._target)
        if below is None:
            return Fraction(0)
        return (below + (self._target - below) / 1000) * self._form.scale

    def _read(self) -> None:
        bound = self._tree.bound
        if bound is None:
            proven = self.target
        else:
            proven = min(self.target, next_attainable(self._form.problem, bound / self._form.scale))
        self.lower_bound = max(self.lower_bound, proven)
        self.done = self.done or self.lower_bound >= self.target


def written_nodes(left: OpenNodes) -> dict[str, Any]:
    return {
        "given_up": [str(bound) for bound in left.given_up],
        "nodes": [
            {
                "bound": str(node.bound),
                "allowed": node.allowed,
                "sets": [[family, *quad.tolist()] for family, quad in node.sets],
            }
            for node in left.nodes
        ],
    }


_LARGEST, _MOST_FAMILIES = 2**62, 2**31


def read_nodes(content: dict[str, Any]) -> OpenNodes:
    """Read open nodes; what does not fit the problem is refused when they are taken up."""
    return OpenNodes(
        nodes=tuple(
            PartitionNode(
                fraction(node["bound"]),
                tuple(tuple(whole(c, 0, _LARGEST) for c in states) for states in node["allowed"]),
                tuple(
                    (whole(family, 0, _MOST_FAMILIES), np.array([whole(i, 0, _LARGEST) for i in quad], np.int64))
                    for family, *quad in node["sets"]
                ),
            )
            for node in content["nodes"]
        ),
        given_up=tuple(fraction(bound) for bound in content["given_up"]),
    )


_WORK_PER_STEP = 50_000_000  # what one step counts for, in touched rows
_ONE_STEP = 0.001  # seconds: a step begun before this is over is finished
_LOOK_EVERY = 0.05  # seconds


class PartitionProof(Bound):
    """The tree over states of groups next to the tree over supports.

    It helps where many two-valued columns are used at once, which is where pair covers stop short. Without room
    for most features a size limit decides, which it ignores; then it is left out.
    """

    name: ClassVar[str] = "partition"

    def __init__(self, form: IntegerForm) -> None:
        self._form = form
        self._bound: PartitionBound | None = None
        self._giving_up = threading.Event()
        self._resumed: OpenNodes | None = None
        self._left: OpenNodes | None = None
        self._work = 0

    def applies(self) -> bool:
        """Whether columns are short, and there is room for most of them."""
        form = self._form
        return form.problem.is_plain and 2 * form.max_size >= form.n_features and PartitionBound.applies(form)

    @property
    def work(self) -> int:
        return self._work

    @property
    def bound(self) -> Fraction:
        return Fraction(0) if self._bound is None or self._left is None else self._bound.lower_bound

    @property
    def is_done(self) -> bool:
        """Whether its tree is closed, or reached its target."""
        return self._bound is not None and self._bound.done

    @property
    def left(self) -> dict[str, Any] | None:
        return None if self._left is None else written_nodes(self._left)

    def resume(self, left: dict[str, Any]) -> None:
        self._resumed = self._left = read_nodes(left)

    def step(self, known: Known, budget: Budget) -> None:
        """Solve a linear program, which may take seconds: in a thread of its own while this one watches the limits."""
        if self._bound is None:
            self._bound = PartitionBound(self._form, known.objective, interrupted=self._giving_up.is_set)
            if self._resumed is not None:
                self._bound.resume(self._resumed)
        bound = self._bound
        bound.target = known.objective
        failures: list[BaseException] = []

        def one_step() -> None:
            try:
                bound.run(time.perf_counter() + _ONE_STEP)
            except BaseException as failure:  # raised again below, in the solver's own thread
                failures.append(failure)

        # not a daemon: a process that ends waits for it, since a linear program must not be torn down
        worker = threading.Thread(target=one_step, name="partition-bound")
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_LOOK_EVERY)
                if budget.cancelled() and worker.is_alive():
                    return
        finally:
            if worker.is_alive():
                self._giving_up.set()  # the linear program ends early and its work is lost
        if failures:
            raise failures[0]
        self._work += _WORK_PER_STEP
        self._left = bound.open_nodes()

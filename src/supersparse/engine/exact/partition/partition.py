"""The partition bound in slices: when it starts, and how much of the time it gets."""

import threading
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from supersparse.engine.exact.partition.lp import never
from supersparse.engine.exact.partition.points import find_groups, net_points
from supersparse.engine.exact.partition.symmetry import Context, find_symmetries
from supersparse.engine.exact.partition.tree import OpenNodes, PartitionTree
from supersparse.engine.integer_form import IntegerForm
from supersparse.problem.variants import next_attainable, previous_attainable

_MOST_VALUES = 6  # of a column; on finer scales sums of points hardly ever coincide


class PartitionBound:
    """Proves lower bounds on F where columns have few values and many of them are used.

    It has something to say where columns are one-hot, binary or short scales, so that sums of points
    coincide. It holds for every problem whose form is exact: any finite coefficient sets, C0 for each
    feature, a numeric C1 (a used feature pays at least its smallest magnitude), class and sample weights,
    repeated and contradicting rows, forced features, and every intercept: sets take as much of one class
    as of the other, so b drops out, and b's penalty is not negative and left out. A size limit is
    ignored, which is a relaxation.

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

    @property
    def nodes(self) -> int:
        """How many nodes of the tree were opened."""
        return self._tree.nodes

    def open_nodes(self) -> OpenNodes:
        """What is left to prove; ask between two runs."""
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
        """What the tree has to prove, in kernel units: that F exceeds the last value below the target."""
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


_START_AFTER = 3_000_000_000  # work of the first proof, ten seconds or so: what closes sooner needs no help
_SHARE = 4  # once it runs it gets four parts of the work, the tree over supports one
_WORK_PER_STEP = 50_000_000  # what one step counts for, in touched rows
_ONE_STEP = 0.001  # seconds: a step begun before this is over is finished
_LOOK_EVERY = 0.05  # seconds


class PartitionProof:
    """Runs the partition bound in steps next to the tree over supports.

    It holds where many two-valued columns are used at once, which is where pair covers stop short.
    Without room for most features a size limit decides, which it ignores; then it is left out.
    """

    def __init__(self, form: IntegerForm) -> None:
        self._form = form
        self._bound: PartitionBound | None = None
        is_plain = form.problem.is_plain
        self._may_help = is_plain and 2 * form.max_size >= form.n_features and PartitionBound.applies(form)
        self._began_at = 0
        self._giving_up = threading.Event()
        self._resumed: OpenNodes | None = None
        self.work = 0
        self.left: OpenNodes | None = None  # after the last step; None before the first

    def resume(self, left: OpenNodes) -> None:
        """Go on with what an earlier run left open, at once."""
        self._resumed = self.left = left

    def is_due(self, proof_work: int) -> bool:
        """Whether this bound should take the next step, after so much work of the first proof."""
        if not self._may_help or (self._bound is not None and self._bound.done):
            return False
        if self._bound is None:
            return proof_work >= _START_AFTER or self._resumed is not None
        return self.work < _SHARE * (proof_work - self._began_at)

    def step(self, target: Fraction, proof_work: int, should_stop: Callable[[], bool]) -> Fraction:
        """Take one step and return the bound proven so far, or 0 when asked to stop in the middle of it.

        A step solves a linear program, which may take seconds: it runs in a thread of its own while
        this one watches the limits.
        """
        if self._bound is None:
            self._bound = PartitionBound(self._form, target, interrupted=self._giving_up.is_set)
            self._began_at = proof_work
            if self._resumed is not None:
                self._bound.resume(self._resumed)
        bound = self._bound
        bound.target = target
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
                if should_stop() and worker.is_alive():
                    return Fraction(0)
        finally:
            if worker.is_alive():
                self._giving_up.set()  # the linear program ends early and its work is lost
        if failures:
            raise failures[0]
        self.work += _WORK_PER_STEP
        self.left = bound.open_nodes()
        return bound.lower_bound

"""The second bound beside the first: when it starts, and how much of the time it gets."""

import threading
import time
from collections.abc import Callable
from fractions import Fraction

from supersparse.engine.exact.partition.partition import PartitionBound
from supersparse.engine.exact.partition.tree import OpenNodes
from supersparse.engine.integer_form import IntegerForm

_START_AFTER = 3_000_000_000  # work of the first proof, ten seconds or so: what closes sooner needs no help
_SHARE = 4  # once it runs it gets four parts of the work, the tree over supports one
_WORK_PER_STEP = 50_000_000  # what one step counts for, in touched rows
_ONE_STEP = 0.001  # seconds: a step begun before this is over is finished
_LOOK_EVERY = 0.05  # seconds


class SecondBound:
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
        worker = threading.Thread(target=one_step, name="second-bound")
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

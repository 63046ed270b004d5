"""The third bound beside the others: when it starts, and how much of the time it gets."""

import threading
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from supersparse.engine.compiling import is_ready
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance, instances
from supersparse.engine.exact.whole_arrays import first_box, first_literals, point_pairs, stack_for
from supersparse.engine.exact.whole_boxes import WholeBoxes
from supersparse.engine.integer_form import integer_form
from supersparse.engine.kernels.jit import compile_for
from supersparse.engine.kernels.whole_boxes import run_whole_boxes
from supersparse.problem.problem import Problem

_START_AFTER = 150_000_000  # work of the first proof, about a second: what closes sooner needs no help
_SHARE = 4  # once it runs it gets four parts of the work, about half of the time, the tree over supports one
_SHARE_ON_COURSE = 64  # ... while its rounds take about as long as was to be expected: it will be first
_WORK_PER_STEP = 10_000_000  # touched rows, some thirty milliseconds
_MOMENT = 0.005  # seconds to wait for boxes


def compile_boxes() -> None:
    """Compile the kernel of the boxes."""
    X, y = np.array([[0, 3], [1, 1], [2, 2], [3, 0]]), np.array([0, 1, 0, 1])
    (case,) = instances(integer_form(Problem.of(X, y, C0=0.1, max_points=2)))
    pairs = point_pairs(case)
    ratios, _, _ = first_box(case, first_literals(case), 0)
    compile_for(run_whole_boxes, pairs, ratios, stack_for(pairs), 0, 0)


class ThirdBound:
    """Runs boxes of all coefficients in steps next to the tree over supports.

    They are left out where the second bound applies, and where boxes as wide as these say nothing. Several
    threads may ask and take steps at once.

    Few problems need them, so their kernel is compiled when one does, in another process while the tree goes
    on; or here, where `waits`, so that a run can be repeated exactly.
    """

    def __init__(self, cases: list[Instance], cuts: Judge, threads: int = 1, *, waits: bool = False) -> None:
        self._case = cases[0] if len(cases) == 1 else None
        self._cuts = cuts
        self._threads = threads
        self._waits = waits
        self._boxes: WholeBoxes | None = None
        self._may_help: bool | None = None  # not yet asked: the answer takes a look at the whole table
        self._began_at = 0
        self._beginning = threading.Lock()

    @property
    def work(self) -> int:
        """The work done so far, in touched rows."""
        return 0 if self._boxes is None else self._boxes.work

    @property
    def lower_bound(self) -> Fraction:
        """The bound proven so far."""
        return Fraction(0) if self._boxes is None else self._boxes.lower_bound

    @property
    def share(self) -> int:
        """Its work for a unit of the tree's."""
        is_on_course = self._boxes is not None and self._boxes.is_on_course
        return _SHARE_ON_COURSE if is_on_course else _SHARE

    @property
    def work_in_turn(self) -> int:
        """What the tree's work would be if both had their usual turns."""
        return self.work // _SHARE

    @property
    def may_help(self) -> bool:
        """Whether it is at work, or may begin yet."""
        return self._case is not None and self._may_help is not False

    def is_due(self, proof_work: int) -> bool:
        """Whether this bound should take the next step, after so much work of the first proof."""
        if self._boxes is not None:
            is_behind = self.work < self.share * (proof_work - self._began_at)
            return is_behind and self._boxes.has_boxes and not self._boxes.is_done
        if self._case is None or proof_work < _START_AFTER or self._may_help is False:
            return False
        if self._may_help is None:
            self._may_help = WholeBoxes.applies(self._case)
        return self._may_help and (
            self._waits or is_ready(run_whole_boxes, "whole_boxes.run_whole_boxes*.nbi", compile_boxes)
        )

    def wait(self) -> bool:
        """Wait a moment, if boxes are almost all that is worth working on and others have them; whether so.

        The tree's slices are long: who begins one now would miss what comes back, or the next round.
        """
        boxes = self._boxes
        if boxes is None or not (boxes.is_on_course or boxes.has_just_begun):
            return False
        return boxes.wait(_MOMENT)

    def step(
        self, lower_bound: Fraction, proof_work: int, should_stop: Callable[[], bool], most: int | None = None
    ) -> None:
        """Take one step, of at most so much work, if it is due; from a bound that is proven already."""
        boxes = self.boxes(lower_bound, proof_work)
        if boxes is not None:
            boxes.run(_WORK_PER_STEP if most is None else min(most, _WORK_PER_STEP), should_stop)

    def boxes(self, lower_bound: Fraction, proof_work: int) -> WholeBoxes | None:
        """The boxes, which begin from a bound that is proven already; None before they are due."""
        with self._beginning:
            if self._boxes is None and self.is_due(proof_work):
                assert self._case is not None
                self._boxes = WholeBoxes(self._case, self._cuts, lower_bound, self._threads)
                self._began_at = proof_work
        return self._boxes

"""The same proof by the tree in plain Python: it writes proof logs, and tests the compiled one.

It takes one part at a time, in one thread: a node is expanded, a support is searched for a while.
"""

from collections.abc import Callable

import numpy as np

from supersparse.engine.exact.covers import CancelledError
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.parts import Part
from supersparse.engine.exact.proof import WORK_PER_NODE
from supersparse.engine.exact.reference import Log
from supersparse.engine.exact.supports import SupportSearch
from supersparse.engine.exact.tree import OpenTasks, Support, SupportNode, Task, expand, fixed_cost, root

_SLICE_WORK = 100 * WORK_PER_NODE  # how long one support is searched at a time


class ReferenceProof:
    """Open nodes and supports, best bound first."""

    def __init__(self, cuts: Judge, cases: list[Instance], log: Log | None = None) -> None:
        self.tasks: OpenTasks[SupportNode | Support] = OpenTasks()
        self.cuts = cuts
        self.work = 0  # touched rows, roughly
        self._log = log
        self._cases = {case.case: case for case in cases}

    def open_roots(self) -> None:
        """Open all supports except the empty one, whose model is the start of every solve."""
        for instance in self._cases.values():
            self.tasks.push(fixed_cost(instance, ()), root(instance))

    def push(self, part: Part) -> None:
        """Add an open part."""
        instance = self._cases[part.case]
        work: SupportNode | Support
        if part.allowed is not None:
            work = SupportNode(
                instance=instance, literals=part.literals, allowed=part.allowed, theta=part.theta
            )
        else:
            search = None
            if part.boxes is not None:
                search = SupportSearch(instance, part.literals, self.cuts, self._log)
                search.resume((part.phase, part.boxes.tolist()))
            work = Support(instance=instance, literals=part.literals, search=search)
        self.tasks.push(part.bound, work)

    @property
    def is_open(self) -> bool:
        """Whether any part is left."""
        return len(self.tasks) > 0

    @property
    def bound(self) -> int | None:
        """The lowest bound of everything open, in kernel units."""
        return self.tasks.bound

    def open_parts(self) -> list[Part]:
        """Everything open."""
        return [_part_of(task) for task in self.tasks]

    def step(self, cancelled: Callable[[], bool], most: int | None = None) -> None:
        """Do one task, of at most so much work."""
        if not len(self.tasks):
            return
        task = self.tasks.pop()
        parts: list[tuple[int, SupportNode | Support]] = [(task.bound, task.work)]
        try:
            parts, work = self._parts(task, cancelled, most)
            self.work += work
        except CancelledError:
            pass  # the task goes back as it was
        finally:
            for bound, part in parts:
                self.tasks.push(bound, part)

    def _parts(
        self, task: Task[SupportNode | Support], cancelled: Callable[[], bool], most: int | None
    ) -> tuple[list[tuple[int, SupportNode | Support]], int]:
        if task.bound > self.cuts.tie:
            return [], 0
        if isinstance(task.work, SupportNode):
            parts = expand(task.work, task.bound, self.cuts, cancelled=cancelled, log=self._log)
            pairs = task.work.pairs
            return parts, WORK_PER_NODE + 4 * (0 if pairs is None else len(pairs))
        support = task.work
        search = support.search or SupportSearch(support.instance, support.literals, self.cuts, self._log)
        if search.bound > self.cuts.tie and self._log is None:
            return [], WORK_PER_NODE // 4
        before = search.boxes
        cells, k = search.data.cell_x.shape
        work_per_box = cells * (k + 8) + 200
        work = _SLICE_WORK if most is None else min(most, _SLICE_WORK)
        closed = search.run(1 + work // work_per_box, cancelled)
        done = WORK_PER_NODE // 2 + (search.boxes - before) * work_per_box
        if closed:
            return [], done
        paused = Support(instance=support.instance, literals=support.literals, search=search)
        return [(max(task.bound, search.bound), paused)], done


def _part_of(task: Task[SupportNode | Support]) -> Part:
    work = task.work
    if isinstance(work, SupportNode):
        return Part(task.bound, work.instance.case, work.literals, work.allowed, work.theta)
    if work.search is None:
        return Part(task.bound, work.instance.case, work.literals)
    phase, boxes = work.search.state
    sides = len(work.literals) + (len(work.instance.intercepts) > 0)
    array = np.array(boxes, np.int64).reshape(-1, 2, sides)
    return Part(task.bound, work.instance.case, work.literals, phase=phase, boxes=array)

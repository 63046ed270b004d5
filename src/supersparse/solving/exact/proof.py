"""Proof: the open tasks and the workers that close them, one thread or several."""

import threading
from collections.abc import Callable

from supersparse.solving.exact.covers import CancelledError
from supersparse.solving.exact.cuts import Judge
from supersparse.solving.exact.reference import Log
from supersparse.solving.exact.supports import SupportSearch
from supersparse.solving.exact.tree import OpenTasks, Support, SupportNode, Task, expand

WORK_PER_NODE = 100_000
"""Touched rows that count as one unit of the node limit."""

_SLICE_WORK = 100 * WORK_PER_NODE  # about 50 ms: how long one support is searched at a time


class Proof:
    """Open tasks, best bound first, and tasks in progress.

    The global bound is the minimum over both, so it holds at every moment, whatever the threads do.
    """

    def __init__(self, cuts: Judge, log: Log | None, searching: type[SupportSearch] = SupportSearch) -> None:
        self._searching = searching
        self.tasks = OpenTasks()
        self.cuts = cuts
        self.work = 0  # touched rows, roughly
        self._log = log
        self._busy: dict[int, Task] = {}
        self._changed = threading.Condition()
        self._stopping = False
        self._failure: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """Whether any task is left."""
        with self._changed:
            return bool(len(self.tasks) or self._busy) and self._failure is None

    @property
    def bound(self) -> int | None:
        """The lowest bound of everything open, in kernel units."""
        with self._changed:
            bounds = [task.bound for task in self._busy.values()]
            if self.tasks.bound is not None:
                bounds.append(self.tasks.bound)
            return min(bounds, default=None)

    def open_tasks(self) -> list[Task]:
        """Everything open: waiting tasks, and tasks in progress as they were when taken."""
        with self._changed:
            return [*self.tasks, *self._busy.values()]

    def step(self, cancelled: Callable[[], bool]) -> None:
        """Do one slice of work in this thread."""
        task = self._take(wait=False)
        if task is not None:
            self._do(task, cancelled)

    def start(self, threads: int, cancelled: Callable[[], bool]) -> list[threading.Thread]:
        """Start threads that work until nothing is open."""
        workers = [
            threading.Thread(
                target=self._work_until_closed, args=(cancelled,), name=f"proof-{t}", daemon=True
            )
            for t in range(threads)
        ]
        for worker in workers:
            worker.start()
        return workers

    def finish(self, workers: list[threading.Thread]) -> None:
        """Stop the workers, which put their tasks back, and raise any error from one."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for worker in workers:
            worker.join()
        if self._failure is not None:
            raise self._failure

    def _work_until_closed(self, cancelled: Callable[[], bool]) -> None:
        try:
            while (task := self._take(wait=True)) is not None:
                self._do(task, lambda: self._stopping or cancelled())
        except BaseException as failure:  # passed to the main thread by `finish`
            with self._changed:
                self._failure = failure
                self._stopping = True
                self._changed.notify_all()

    def _take(self, *, wait: bool) -> Task | None:
        with self._changed:
            while not self._stopping:
                if len(self.tasks):
                    task = self.tasks.pop()
                    self._busy[task.age] = task
                    return task
                if not wait or not self._busy:
                    self._changed.notify_all()
                    return None
                self._changed.wait(0.1)
            return None

    def _do(self, task: Task, cancelled: Callable[[], bool]) -> None:
        parts: list[tuple[int, SupportNode | Support]] = [(task.bound, task.work)]
        work = 0
        try:
            parts, work = self._parts(task, cancelled)
        except CancelledError:
            pass  # the task goes back as it was
        finally:
            with self._changed:
                del self._busy[task.age]
                for bound, part in parts:
                    self.tasks.push(bound, part)
                self.work += work
                self._changed.notify_all()

    def _parts(
        self, task: Task, cancelled: Callable[[], bool]
    ) -> tuple[list[tuple[int, SupportNode | Support]], int]:
        if task.bound > self.cuts.tie:
            return [], 0
        if isinstance(task.work, SupportNode):
            parts = expand(task.work, task.bound, self.cuts, cancelled=cancelled, log=self._log)
            pairs = task.work.pairs
            return parts, WORK_PER_NODE + 4 * (0 if pairs is None else len(pairs))
        support = task.work
        search = support.search or self._searching(support.instance, support.literals, self.cuts, self._log)
        if search.bound > self.cuts.tie and self._log is None:
            return [], WORK_PER_NODE // 4
        before = search.boxes
        cells, k = search.data.cell_x.shape
        work_per_box = cells * (k + 8) + 200
        closed = search.run(1 + _SLICE_WORK // work_per_box, cancelled)
        work = WORK_PER_NODE // 2 + (search.boxes - before) * work_per_box
        if closed:
            return [], work
        paused = Support(instance=support.instance, literals=support.literals, search=search)
        return [(max(task.bound, search.bound), paused)], work

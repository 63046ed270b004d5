"""Proof: the open parts of the tree and the workers that close them, one thread or several."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import zip_longest
from typing import Generic, NamedTuple, TypeVar

from supersparse.engine.exact.covers import CancelledError
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance, fixed_cost
from supersparse.engine.exact.literals import n_supports
from supersparse.engine.exact.open_parts import Part, after_slice, divided
from supersparse.engine.exact.slices import CaseData, Slicer
from supersparse.engine.exact.tree_data import TreeData

WORK_PER_NODE = 100_000
"""Touched rows that count as one unit of the node limit."""

_SLICE_WORK = 100 * WORK_PER_NODE  # about 50 ms
_FIRST_SLICE = 5 * WORK_PER_NODE  # the first slice; each may do twice as much as the one before
_LEAST_SLICE = 2 * WORK_PER_NODE  # what a slice does even where other threads have nothing to do
_FAR, _FAR_SLICE = 0.75, 10 * WORK_PER_NODE  # where a part's bound is far below the cut, slices are short:
# the best bound then comes first more often, and the bound of all rises faster
_BATCH = 32  # parts that a slice takes at most
_PARTS_COUNTED = 5_000  # at most, to tell which share of the supports is open: a few milliseconds
_SWITCH_SECONDS = 0.0005


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let threads switch often: between kernels, each needs Python for well under a millisecond.

    With the default of 5 ms, one thread would wait for the other most of the time.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _SWITCH_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


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
        heappush(self._heap, Task(bound, self._age, work))

    def pop(self) -> Task[Work]:
        """Take the task with the lowest bound."""
        return heappop(self._heap)

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


class Proof:
    """Open parts, best bound first, and parts in progress.

    The global bound is the minimum over both, so it holds at every moment, whatever the threads do.
    """

    def __init__(self, cuts: Judge, cases: list[Instance], *, lists: bool = False) -> None:
        self.tasks: OpenTasks[Part] = OpenTasks()
        self.cuts = cuts
        self.work = 0  # touched rows, roughly
        self.threads = 1
        self._cases = {case.case: CaseData(case, lists=lists) for case in cases}
        self._mine = threading.local()
        self._preparing = threading.Lock()
        self._busy: dict[int, Task[Part]] = {}
        self._idle = 0
        self._slice = _FIRST_SLICE
        lock = threading.RLock()
        self._changed, self._ended = threading.Condition(lock), threading.Condition(lock)
        self._stopping = False
        self._failure: BaseException | None = None

    def open_roots(self) -> None:
        """Open all supports except the empty one, whose model is the start of every solve."""
        for case in self._cases.values():
            instance = case.instance
            self.push(Part(fixed_cost(instance, ()), instance.case, (), instance.allowed.copy()))

    def push(self, part: Part) -> None:
        with self._changed:
            self.tasks.push(part.bound, part)

    @property
    def is_open(self) -> bool:
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

    @property
    def share_closed(self) -> float:
        """The share of all supports that no open part holds; of many parts, some stand for all."""
        cases = {case: of.instance for case, of in self._cases.items()}
        every = sum(n_supports(of.allowed, of.max_features) for of in cases.values())
        parts = self.open_parts()
        step = 1 + len(parts) // _PARTS_COUNTED
        left = step * sum(
            1 if part.allowed is None else n_supports(part.allowed, cases[part.case].max_features - len(part.literals))
            for part in parts[::step]
        )
        return max(0.0, 1 - left / every) if every else 1.0

    def open_parts(self) -> list[Part]:
        """Everything open: waiting parts, and parts in progress as they were when taken."""
        with self._changed:
            return [task.work for task in (*self.tasks, *self._busy.values())]

    def step(self, cancelled: Callable[[], bool], most: int | None = None) -> None:
        """Do one slice in this thread, of at most so much work."""
        tasks = self._take(wait=False)
        if tasks:
            self.do(tasks, cancelled, most)

    def start(
        self,
        threads: int,
        cancelled: Callable[[], bool],
        first: Sequence[Callable[[], None]] = (),
        between: Callable[[], bool] = lambda: False,
    ) -> list[threading.Thread]:
        """Start threads that work until nothing is open; some of them do something else first.

        What they do between slices is done again while it returns True.
        """
        self.threads = threads
        workers = [
            threading.Thread(
                target=self._work_until_closed, args=(cancelled, before, between), name=f"proof-{t}", daemon=True
            )
            for t, before in zip_longest(range(threads), first)
        ]
        for worker in workers:
            worker.start()
        return workers

    def finish(self, workers: list[threading.Thread]) -> None:
        """Stop the workers, which put their parts back, and raise any error from one."""
        with self._changed:
            self._stopping = True
            self._count_idle(1)  # slices end early, as if this thread had nothing to do
            self._changed.notify_all()
        for worker in workers:
            worker.join()
        if self._failure is not None:
            raise self._failure

    def wait(self, seconds: float) -> None:
        """Wait so long, or until nothing is open."""
        with self._ended:
            if self.is_open:
                self._ended.wait(seconds)

    def _work_until_closed(
        self, cancelled: Callable[[], bool], before: Callable[[], None] | None, between: Callable[[], bool]
    ) -> None:
        try:
            if before is not None:
                before()
            while tasks := self._take(wait=True):
                self.do(tasks, lambda: self._stopping or cancelled(), None)
                while not self._stopping and between():
                    pass
        except BaseException as failure:  # passed to the main thread by `finish`
            with self._changed:
                self._failure = failure
                self._stopping = True
                self._changed.notify_all()
                self._ended.notify_all()

    def _take(self, *, wait: bool) -> list[Task[Part]]:
        """Take some parts of one case, the best first; nothing when all are closed or the proof stops."""
        with self._changed:
            while not self._stopping:
                if len(self.tasks):
                    return self._batch(_BATCH)
                if not wait or not self._busy:
                    self._changed.notify_all()
                    return []
                self._count_idle(1)
                self._changed.wait(0.1)
                self._count_idle(-1)
            return []

    def _count_idle(self, change: int) -> None:
        self._idle += change
        self.cuts.shared[1] = self._idle

    def _batch(self, most: int) -> list[Task[Part]]:
        size = min(most, 1 + len(self.tasks) // (2 * self.threads))
        first = self.tasks.pop()
        tasks = [first]
        while len(tasks) < size and len(self.tasks):
            following = self.tasks.first.work
            if following.case != first.work.case or following.boxes is not None:
                break
            tasks.append(self.tasks.pop())
        for task in tasks:
            self._busy[task.age] = task
        return tasks

    def do(self, tasks: list[Task[Part]], cancelled: Callable[[], bool], most: int | None) -> None:
        """Do a slice of parts that were taken, in this thread."""
        parts = [task.work for task in tasks]
        work = 0
        try:
            parts, work = self._worked(parts, cancelled, most)
        except CancelledError:
            pass  # the parts go back as they were
        finally:
            self.put(tasks, parts, work)

    def take(self, most: int) -> list[Task[Part]]:
        """Take at most `most` parts of one case, the best first; what is left of them must be put back."""
        with self._changed:
            return self._batch(most) if len(self.tasks) else []

    def put(self, tasks: list[Task[Part]], parts: list[Part], work: int) -> None:
        """Replace parts that were taken by what is left of them."""
        tie = self.cuts.tie
        with self._changed:
            for task in tasks:
                del self._busy[task.age]
            for part in after_slice(tasks[0].work, parts):
                if part.bound <= tie:
                    for piece in self._shared_out(part):
                        self.tasks.push(piece.bound, piece)
            self.work += work
            self._slice = min(_SLICE_WORK, 2 * self._slice)
            if len(self.tasks):
                self._changed.notify(min(self._idle, len(self.tasks)))
            elif not self._busy:
                self._changed.notify_all()
                self._ended.notify_all()

    def _shared_out(self, part: Part) -> list[Part]:
        """A part, or its pieces where others would have nothing to do."""
        if part.boxes is None or len(self.tasks) >= self.threads:
            return [part]
        return divided(part, self.threads)

    def data_of(self, case: int, cancelled: Callable[[], bool]) -> TreeData:
        """The arrays of a case, made when first asked for."""
        with self._preparing:
            return self._cases[case].data(cancelled)

    def _worked(self, parts: list[Part], cancelled: Callable[[], bool], most: int | None) -> tuple[list[Part], int]:
        """Work on parts of one case; return what is left of them, and the work done."""
        work = min(self._slice, _SLICE_WORK)
        if parts[0].bound < _FAR * self.cuts.tie:
            work = min(work, _FAR_SLICE * max(1, self.threads // 2))  # Python is for one thread at a time
        if most is not None:
            work = max(1, min(work, most))
        least = work if self.threads == 1 else _LEAST_SLICE
        return self._slicer(parts[0].case, cancelled).run(parts, self.cuts, work, least, cancelled)

    def _slicer(self, case: int, cancelled: Callable[[], bool]) -> Slicer:
        slicers: dict[int, Slicer] = self._mine.__dict__.setdefault("slicers", {})
        if case not in slicers:
            slicers[case] = Slicer(case, self.data_of(case, cancelled))
        return slicers[case]

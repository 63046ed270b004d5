"""Tasks on an executor: processes of this machine, or the workers of a cluster.

A task whose worker is lost is sent again, so nothing but its work is lost. One that failed three times is
handed back, to be done here, where its error, if it has one, can be seen. So is one without an answer for
much longer than the others took.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from supersparse.base.errors import SupersparseError, WorkerLostWarning, warn

_MOST_FAILURES = 3
_LOOK_SECONDS = 1.0  # between two looks at what is overdue
PATIENCE_SECONDS = 60.0  # seconds in which a task of `each_on` is not overdue, whatever the others took
START_SECONDS = 600.0  # seconds without any answer after which `each_on` does a task here
Given = TypeVar("Given")
Result = TypeVar("Result")


@dataclass(eq=False)
class Task(Generic[Given]):
    """A call that an executor makes; `given` is what the sender knows it by."""

    given: Given
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    failures: int = 0
    sent_at: float = 0.0  # as `time.monotonic` counts


class TaskResult(NamedTuple, Generic[Given]):
    """A task with its result; if it is not `done`, it must be done here."""

    task: Task[Given]
    result: Any
    done: bool


class Sender(Generic[Given]):
    """Sends tasks to an executor and takes back their results."""

    def __init__(self, executor: Executor, what: str) -> None:
        self.is_gone = False  # the executor takes no more tasks
        self.slowest = 0.0  # seconds that a task took, those included that came too late
        self.ready_at = 0.0  # what workers took to start before this does not count
        self._executor = executor
        self._what = what  # a task in a warning
        self._sent: dict[Future[Any], Task[Given]] = {}
        self.forgotten = 0  # tasks that were taken back and may be with a worker yet
        self._warned: set[str] = set()

    def __len__(self) -> int:
        return len(self._sent)

    def send(self, task: Task[Given]) -> bool:
        """Send a task; False where the executor takes none any more."""
        if not self.is_gone:
            try:
                future = self._executor.submit(task.function, *task.arguments)
                if not isinstance(future, Future):
                    raise TypeError(f"its submit returned {future!r}, which is not a concurrent.futures.Future")
            except Exception as error:  # a broken pool has its own kind, one that is shut down RuntimeError
                self._give_up(error)
            else:
                task.sent_at = time.monotonic()
                self._sent[future] = task
        return not self.is_gone

    def collect(self, seconds: float) -> list[TaskResult[Given]]:
        """Wait for tasks, but not longer; return those that are done and those to be done here.

        An error of ours, such as an infeasible problem, is raised: no worker was lost.
        """
        finished, _ = wait(self._sent, timeout=seconds, return_when=FIRST_COMPLETED)
        # what a pool cancels when it is shut down never ends as `wait` understands it
        finished |= {future for future in self._sent if future.cancelled()}
        back = []
        for future in finished:
            task = self._sent.pop(future)
            error = _error_of(future)
            if error is None:
                self._took(task.sent_at)
                back.append(TaskResult(task, future.result(), done=True))
            elif isinstance(error, SupersparseError):
                raise error
            else:  # whatever an executor says where a worker is lost
                back.extend(self.failed(task, error))
        return back

    def failed(self, task: Task[Given], error: BaseException) -> list[TaskResult[Given]]:
        """Send a task again whose worker was lost; return it if it is to be done here."""
        task.failures += 1
        self._warn("lost", f"a worker was lost ({_in_words(error)}); {self._what} is done again")
        if task.failures < _MOST_FAILURES and self.send(task):
            return []
        return [TaskResult(task, None, done=False)]

    def overdue(self, seconds: float) -> Task[Given] | None:
        """Take back the task that was sent first, if that was this long ago, to be done here."""
        first = next(iter(self._sent.values()), None)
        if first is None or time.monotonic() - first.sent_at < seconds:
            return None
        self.say_late(seconds)
        return self.take_back()

    def say_late(self, seconds: float) -> None:
        """Warn that a worker takes too long."""
        self._warn("late", f"a worker has not answered for {seconds:.0f} seconds; {self._what} is done here")

    def take_back(self) -> Task[Given] | None:
        """Forget the task that was sent first, and return it; an answer that comes later is ignored.

        It is not cancelled: a process pool that breaks with cancelled tasks leaves others without an end.
        """
        if not self._sent:
            return None
        future = next(iter(self._sent))
        task = self._sent.pop(future)
        sent_at = task.sent_at

        def came_late(_: Future[Any]) -> None:
            self.forgotten -= 1
            self._took(sent_at)

        self.forgotten += 1
        future.add_done_callback(came_late)
        return task

    def cancel(self) -> list[Task[Given]]:
        """Forget the calls under way, and return them."""
        tasks = list(self._sent.values())
        for future in self._sent:
            future.cancel()
        self._sent.clear()
        return tasks

    def _give_up(self, error: Exception) -> None:
        self.is_gone = True
        self._warn("gone", f"the executor takes no more work ({_in_words(error)}); the rest is done here")

    def _took(self, sent_at: float) -> None:
        self.slowest = max(self.slowest, time.monotonic() - max(sent_at, self.ready_at))

    def _warn(self, about: str, message: str) -> None:
        if about not in self._warned:
            warn(message, WorkerLostWarning)
        self._warned.add(about)


def _error_of(future: Future[Any]) -> BaseException | None:
    """The error of a task that has ended, never raised: a worker's Ctrl-C must not look like one here."""
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _in_words(error: BaseException) -> str:
    return (str(error) if isinstance(error, Exception) else "") or type(error).__name__


def each_on(
    executor: Executor,
    function: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
    what: str,
    is_result: Callable[[Any], bool] = lambda result: True,
) -> Iterator[Result]:
    """Yield the results of a function for each tuple of arguments, in order, as `map` does.

    Arguments are asked for when a worker is free. What a lost worker had is done again; where the executor
    takes no more, the rest is done here, and so is what takes four times as long as all that came back, or
    what comes next when none has come back for ten minutes. An invalid answer counts as a lost worker.
    """
    sender: Sender[int] = Sender(executor, what)
    numbered = enumerate(arguments)
    results: dict[int, Result] = {}
    most, following, is_last = workers_of(executor), 0, False
    begun = time.monotonic()
    try:
        while not is_last or len(sender) or results:
            while not is_last and len(sender) < most:
                n, given = next(numbered, (-1, ()))
                is_last = n < 0
                if not is_last and not sender.send(Task(n, function, given)):
                    results[n] = function(*given)
                    break
            for task, result, done in sender.collect(_LOOK_SECONDS) if len(sender) else []:
                if done and not is_result(result):
                    error = TypeError(f"it answered with {type(result).__name__}")
                    if not sender.failed(task, error):
                        continue
                    done = False
                results[task.given] = result if done else function(*task.arguments)
            late = None
            if sender.slowest:
                late = sender.overdue(max(PATIENCE_SECONDS, 4 * sender.slowest))
            elif len(sender) and time.monotonic() - begun > START_SECONDS:
                sender.say_late(START_SECONDS)
                late = sender.take_back()
            if late is not None:
                results[late.given] = function(*late.arguments)
            while following in results:
                yield results.pop(following)
                following += 1
    finally:
        sender.cancel()


def workers_of(executor: Executor) -> int:
    """How many workers an executor has, as far as it says; else one a core of this machine."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):  # dask's
        return max(1, int(sum(client.nthreads().values())))
    known = getattr(executor, "_max_workers", None)
    return max(1, known if isinstance(known, int) else os.cpu_count() or 1)

"""Run: one call of a foreign solver, and the talk with it while it works.

The solver works in a thread of its own. The caller's thread receives what it reports, watches
the limits, and asks it to stop; so Ctrl-C, cancellation and the user's callbacks work the same
with every solver, whatever its API lets through.
"""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse.solution.stop import Stop

POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """What one call takes, gaps in the numbers of the model's cost; None is open."""

    seconds: float | None
    nodes: int | None
    relative_gap: float
    absolute_gap: float
    threads: int
    seed: int
    start: NDArray[np.float64] | None
    own: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Report:
    """Something a solver says while it works."""

    values: NDArray[np.float64] | None = None  # a solution
    bound: float | None = None  # on the model's cost
    nodes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a call ended. `stop` is None when the solver says that the model has no solution."""

    stop: Stop | None
    values: NDArray[np.float64] | None
    bound: float | None
    nodes: int


class Talk:
    """The solver's end: it reports, and either looks at `stopping` or is interrupted."""

    def __init__(self, report: Callable[[Report], None]) -> None:
        self.report = report
        self._stopping = threading.Event()
        self._interrupt: Callable[[], object] | None = None
        self._lock = threading.Lock()  # so that nothing is interrupted after it is over

    @property
    def stopping(self) -> bool:
        """Whether the solver has been asked to stop."""
        return self._stopping.is_set()

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Say how the solver can be interrupted, from another thread, while the body runs."""
        with self._lock:
            self._interrupt = interrupt
            if self.stopping:
                interrupt()
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = None

    def stop(self) -> None:
        """Ask the solver to stop."""
        with self._lock:
            if not self.stopping:
                self._stopping.set()
                if self._interrupt is not None:
                    self._interrupt()


def attend(
    work: Callable[[Talk], Outcome], listen: Callable[[Report], None], should_stop: Callable[[], bool]
) -> Outcome:
    """Run `work` in a thread; hear its reports here, and ask it to stop when `should_stop` says so.

    What `listen` or `should_stop` raise stops the solver and is raised; so is what `work` raises.
    """
    mail: queue.SimpleQueue[Report | Outcome | BaseException] = queue.SimpleQueue()
    talk = Talk(mail.put)

    def run() -> None:
        try:
            mail.put(work(talk))
        except BaseException as error:
            mail.put(error)

    thread = threading.Thread(target=run, name="supersparse-mip", daemon=True)
    thread.start()
    try:
        while True:
            try:
                message = mail.get(timeout=POLL_SECONDS)
            except queue.Empty:
                pass
            else:
                if isinstance(message, BaseException):
                    raise message
                if isinstance(message, Outcome):
                    return message
                listen(message)
            if should_stop():
                talk.stop()
    finally:
        talk.stop()
        thread.join()

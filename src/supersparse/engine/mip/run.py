"""One call of an external solver: what it is told, what it reports while it runs, and how it ends."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from supersparse.base.stop import Stop
from supersparse.engine.mip.model import Model

POLL_SECONDS = 0.05
MOST_NODES = 2**31 - 1  # that the packages take
_INFINITE = 1e20  # a bound of that size is none


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings of one call; gaps are in the units of the model's cost, and None means no limit."""

    seconds: float | None
    nodes: int | None
    relative_gap: float
    absolute_gap: float
    threads: int
    seed: int
    start: NDArray[np.float64] | None
    own: Mapping[str, object]
    tuning_seconds: float = 0.0  # in which the solver chooses more of its own options
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """The time that is left of `seconds`."""
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self.began))


@dataclass(frozen=True, kw_only=True)
class BoundReport:
    """A report from a running solver."""

    values: NDArray[np.float64] | None = None  # a solution
    bound: float | None = None  # on the model's cost
    nodes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a call ended. `stop` is None if the solver reports that the model has no solution."""

    stop: Stop | None
    values: NDArray[np.float64] | None
    bound: float | None
    nodes: int
    tuned: Mapping[str, object] = field(default_factory=dict)  # own options that tuning chose


class Talk:
    """The solver's side: it reports, and either checks `stopping` or is interrupted."""

    def __init__(self, report: Callable[[BoundReport], None]) -> None:
        self.report = report
        self._best_bound, self._best_cost = -inf, inf
        self._stopping = threading.Event()
        self._interrupt: Callable[[], object] | None = None
        self._lock = threading.Lock()  # so that nothing is interrupted after the call ends

    @property
    def stopping(self) -> bool:
        """Whether the solver has been asked to stop."""
        return self._stopping.is_set()

    def report_values(self, values: object, nodes: float) -> None:
        """Report a better solution."""
        self.report(BoundReport(values=np.array(values), nodes=int(nodes)))

    def report_better(self, cost: float, values: Callable[[], object], nodes: float) -> None:
        """Report a solution if its cost is finite and smaller than before."""
        if cost < min(self._best_cost, _INFINITE):
            self._best_cost = cost
            self.report_values(values(), nodes)

    def report_bound(self, bound: float, nodes: float) -> None:
        """Report a bound if it is finite and better than those before."""
        if bound > self._best_bound and abs(bound) < _INFINITE:
            self._best_bound = bound
            self.report(BoundReport(bound=float(bound), nodes=int(nodes)))

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Set how another thread can interrupt the solver while the body runs."""
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


Run = Callable[[Model, RunSettings, Talk], Outcome]


def attend(
    work: Callable[[Talk], Outcome], listen: Callable[[BoundReport], None], should_stop: Callable[[], bool]
) -> Outcome:
    """Run `work` in a thread, receive its reports here, and ask it to stop when `should_stop` returns True.

    Exceptions from `listen` or `should_stop` stop the solver and are raised; so are those from `work`.
    """
    mail: queue.SimpleQueue[BoundReport | Outcome | BaseException] = queue.SimpleQueue()
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

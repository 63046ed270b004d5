"""One call of an external solver: communication while it runs, and its own options."""

import queue
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.solving.mip.model import Model
from supersparse.stop import Stop

POLL_SECONDS = 0.05
MOST_NODES = 2**31 - 1  # that the packages take


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


class Talk:
    """The solver's side: it reports, and either checks `stopping` or is interrupted."""

    def __init__(self, report: Callable[[BoundReport], None]) -> None:
        self.report = report
        self._stopping = threading.Event()
        self._interrupt: Callable[[], object] | None = None
        self._lock = threading.Lock()  # so that nothing is interrupted after the call ends

    @property
    def stopping(self) -> bool:
        """Whether the solver has been asked to stop."""
        return self._stopping.is_set()

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


LARGEST_PRIORITY = 1_000_000

# Why a name is reserved, for the tables of the back ends.
LIMIT = "use time_limit, node_limit, gap or absolute_gap"
TOLERANCE = "its proofs depend on this value"
RESOURCES = "use threads and seed"
SILENT = "it runs silently; use on_progress"


_NAMES_A_FILE = re.compile("file|path|workdir|directory|clonelog", re.IGNORECASE)


def check_option_names(
    who: str, given: Mapping[str, object], known: Iterable[str], reserved: Mapping[str, str]
) -> None:
    """Raise for an option that the solver does not have or that this package sets."""
    names = list(known)
    for name in given:
        if _NAMES_A_FILE.search(name):
            raise InvalidOptionError(
                f"solver_options: {name!r} of {who} names a file; supersparse lets no solver "
                "write files, so that settings are safe to share"
            )
        if name in reserved:
            raise InvalidOptionError(
                f"solver_options: {name!r} of {who} is set by supersparse; {reserved[name]}"
            )
        if name not in names:
            raise InvalidOptionError(f"solver {who!r} has no option {name!r}; {did_you_mean(name, names)}")


def check_kind(who: str, name: str, value: object, current: object) -> None:
    """Raise if a solver's API would silently convert the value to the option's type."""
    is_bool = isinstance(value, bool)
    if isinstance(current, bool):
        if not is_bool:
            raise bad_value(who, name, value, "it takes True or False")
    elif isinstance(current, int) and (is_bool or not isinstance(value, int)):
        raise bad_value(who, name, value, "it takes a whole number")


def check_priorities(given: Mapping[str, object]) -> None:
    """Raise for a priority that some solver does not accept."""
    for feature, priority in given.items():
        is_whole = isinstance(priority, SupportsIndex) and not isinstance(priority, bool)
        if not is_whole or not 0 <= index(priority) <= LARGEST_PRIORITY:  # type: ignore[arg-type]
            raise InvalidOptionError(
                f"branching_priorities: {feature!r} has {priority!r}; give a whole number from 0 to "
                f"{LARGEST_PRIORITY}; higher priorities are branched on first"
            )


def bad_value(who: str, name: str, value: object, reason: object = None) -> InvalidOptionError:
    """Return the error for a value that the solver refuses."""
    tail = f" ({reason})" if reason else ""
    return InvalidOptionError(
        f"solver {who!r} refuses {value!r} for its option {name!r}{tail}; see its manual"
    )

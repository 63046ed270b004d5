"""One call of an external solver: what it is told, what it reports while it runs, and how it ends.

A solver's own options are passed on by its names, unless it has none of that name or this package sets it.
"""

import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.integer_arrays import Floats
from supersparse.base.stop import Stop
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import Precision
from supersparse.engine.options import Priorities

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
    start: Floats | None
    own: Mapping[str, object]
    tuning_seconds: float = 0.0  # in which the solver chooses more of its own options
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self.began))


@dataclass(frozen=True, kw_only=True)
class BoundReport:
    values: Floats | None = None  # a solution
    bound: float | None = None  # on the model's cost
    nodes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a call ended. `stop` is None if the solver reports that the model has no solution."""

    stop: Stop | None
    values: Floats | None
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

# What this package sets, and what to use instead of the solver's own name for it.
_LIMITS = "use time_limit, node_limit, gap or absolute_gap"
_RESOURCES = "use n_jobs and random_state"
_REMEDIES = {
    "seconds": _LIMITS,
    "nodes": _LIMITS,
    "relative_gap": _LIMITS,
    "absolute_gap": _LIMITS,
    "limits": _LIMITS,  # others that it has
    "threads": _RESOURCES,
    "seed": _RESOURCES,
    "resources": _RESOURCES,
    "tuning": "use tuning_time",
    "tolerance": "its proofs depend on this value",
    "proofs": "its proofs depend on this value",
    "output": "it runs silently; use on_progress",
    "interrupts": "Ctrl-C keeps the best model found",
}
_TUNING_RUNS = 5
_LARGEST_SEED = 2_000_000_000  # that all of them take


class OptionTable:
    """The names that one solver has for what this package sets, by what that is; blanks separate names."""

    def __init__(self, who: str, precision: Precision, **ours: str) -> None:
        self.who, self._precision = who, precision
        self._ours = {what: listed.split() for what, listed in ours.items()}
        self._reserved = {name: _REMEDIES[what] for what, listed in self._ours.items() for name in listed}

    def set_ours(
        self,
        settings: RunSettings,
        set_option: Callable[[str, Any], object],
        tune: Callable[[], dict[str, object]] | None = None,
    ) -> dict[str, object]:
        """Set the limits, gaps, threads, seed and tolerances of a call; a limit of None is left out.

        If the settings ask for it, first tune the solver's other options, and return what was chosen. A run
        of the tuning tool may take a part of its time only, or it would have no other to compare it with.
        """
        if tune is not None and settings.tuning_seconds:
            of_a_run = settings.tuning_seconds / _TUNING_RUNS
            self.set_ours(replace(settings, seconds=of_a_run, began=time.monotonic()), set_option)
            tuned = tune()
            self.set_ours(settings, set_option)
            return tuned
        values: dict[str, object] = {
            "relative_gap": settings.relative_gap,
            "absolute_gap": settings.absolute_gap,
            "threads": settings.threads,
            "seed": settings.seed % _LARGEST_SEED,
            "tolerance": self._precision.tolerance,
            "nodes": settings.nodes,
            "seconds": settings.seconds_left,
            "tuning": settings.tuning_seconds or None,
        }
        for what, value in values.items():
            for name in self._ours.get(what, ()) if value is not None else ():
                set_option(name, value)
        return {}

    def set_own(
        self,
        options: Mapping[str, object],
        known: Iterable[str],
        set_option: Callable[[str, Any], object],
        current: Callable[[str], object] | None = None,
        *refusals: type[Exception],
    ) -> None:
        """Set what the user asks for, or raise for a name or a value that the solver does not take.

        With `current`, a value must be of the type that the option has now.
        """
        refused_by: tuple[type[Exception], ...] = (*refusals, TypeError, ValueError)
        check_option_names(self.who, options, known, self._reserved)
        for name, value in options.items():
            if current is not None:
                check_kind(self.who, name, value, current(name))
            try:
                set_option(name, value)
            except refused_by as refused:
                raise bad_value(self.who, name, value, refused) from None

    def chosen(self, before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, object]:
        """Return the options that changed, without those that this package sets."""
        return {
            name: value
            for name, value in after.items()
            if name not in self._reserved and (name not in before or before[name] != value)
        }


_NAMES_A_FILE = re.compile("file|path|workdir|directory|clonelog", re.IGNORECASE)


def check_option_names(
    who: str, options: Mapping[str, object], known: Iterable[str], reserved: Mapping[str, str]
) -> None:
    """Raise for an option that the solver does not have or that this package sets."""
    names = list(known)
    for name in options:
        if _NAMES_A_FILE.search(name):
            raise InvalidOptionError(
                f"solver_options: {name!r} of {who} names a file",
                "supersparse lets no solver write files, so that settings are safe to share",
            )
        if name in reserved:
            raise InvalidOptionError(f"solver_options: {name!r} of {who} is set by supersparse", reserved[name])
        if name not in names:
            raise InvalidOptionError(f"solver {who!r} has no option {name!r}", did_you_mean(name, names))


def check_kind(who: str, name: str, value: object, current: object) -> None:
    """Raise if a solver's API would silently convert the value to the option's type."""
    is_bool = isinstance(value, bool)
    if isinstance(current, bool):
        if not is_bool:
            raise bad_value(who, name, value, "it takes True or False")
    elif isinstance(current, int) and (is_bool or not isinstance(value, int)):
        raise bad_value(who, name, value, "it takes a whole number")


def check_priorities(priorities: Priorities) -> None:
    """Raise for a priority that some solver does not accept."""
    for feature, priority in priorities.items():
        is_whole = isinstance(priority, SupportsIndex) and not isinstance(priority, bool)
        if not is_whole or not 0 <= index(priority) <= LARGEST_PRIORITY:
            raise InvalidOptionError(
                f"branching_priorities: {feature!r} has {priority!r}; give a whole number from 0 to {LARGEST_PRIORITY}",
                "higher priorities are branched on first",
            )


def bad_value(who: str, name: str, value: object, reason: object = None) -> InvalidOptionError:
    """Return the error for a value that the solver refuses."""
    tail = f" ({reason})" if reason else ""
    return InvalidOptionError(
        f"solver {who!r} refuses {value!r} for its option {name!r}{tail}", "see its manual", subject=who
    )

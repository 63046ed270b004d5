"""Monitor: the record of a running solve, and the only place that decides when to stop."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import FrameType

from supersparse.base.errors import SolverFailedError, UnsupportedProblemError
from supersparse.base.exact import exact
from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.projection import Look, Projection, projected
from supersparse.engine.solution import Claim, Trace, TraceEvent
from supersparse.problem.objective import PointsEvaluation, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_TELL_EVERY = 0.25  # seconds between progress reports when nothing changes
_WEIGH_EVERY = 0.2
_LOOK_EVERY, _LOOK_AGAIN = 0.1, 1.05  # seconds, and times the seconds so far, between two looks of a projection
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def resident_megabytes() -> float:
    """Memory of this process: the current value, or the peak if only that is available."""
    if sys.platform == "win32":
        raise UnsupportedProblemError("memory_limit is not supported on Windows", "remove it")
    import resource

    try:
        with open("/proc/self/statm", encoding="ascii") as status:
            return int(status.read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


class Monitor:
    """Keeps the best model and bound, reports progress, and watches the limits.

    Solvers report results with `incumbent` and `bound`, and call `stop_reason` often enough to respect limits
    within a fraction of a second. Points reported here are for the presolved problem; `restore` converts them
    to the user's problem.
    """

    def __init__(
        self, problem: Problem, options: SolveOptions, restore: Callable[[Points], Points], began: float | None = None
    ) -> None:
        self.problem = problem
        self.options = options
        self.best: Points | None = None
        self.best_evaluation: PointsEvaluation | None = None
        self.lower_bound = Fraction(0)
        self.nodes = 0
        self.reserved = 0.0  # seconds of the time limit for what follows the search
        self.progress: Callable[[], tuple[float, float] | None] = self._bound_and_objective
        """How far the proof is, and where it ends, for a projection of its time."""
        self._restore = restore
        self._events: list[TraceEvent] = []
        self._began = time.perf_counter() if began is None else began
        self._last_report = self._began
        self._last_weighed = self._began
        self._looks: list[Look] = []
        self._projection: Projection | None = None
        self._interrupted = threading.Event()
        self._lock = threading.RLock()
        self._relative_gap = exact(options.gap, "gap")
        self._absolute_gap = exact(options.absolute_gap, "absolute_gap")

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def time_limit(self) -> float | None:
        """Seconds that the search may take; None without a limit."""
        limit = self.options.time_limit
        return None if limit is None else max(0.0, limit - self.reserved)

    @property
    def ends(self) -> float | None:
        """When the search has to end, as `time.perf_counter` counts; None without a limit."""
        return None if self.time_limit is None else self._began + self.time_limit

    @property
    def seconds_left(self) -> float | None:
        """Time until the search has to end; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    def incumbent(self, points: Points | None) -> bool:
        """Report a model; return whether it is the best so far by (F, l1).

        None, which stands for coefficients without an allowed intercept, is ignored.
        """
        if points is None:
            return False
        evaluation = evaluate(self.problem, points)
        with self._lock:
            known = self.best_evaluation
            if known is not None and (known.objective, known.l1) <= (evaluation.objective, evaluation.l1):
                return False
            self.best, self.best_evaluation = points, evaluation
            self._record(self._restore(points))
        return True

    def bound(self, lower_bound: Fraction) -> None:
        """Report a proven bound; weaker bounds than the current one are ignored."""
        with self._lock:
            if self.best_evaluation is not None:
                lower_bound = min(lower_bound, self.best_evaluation.objective)
            if lower_bound > self.lower_bound:
                self.lower_bound = lower_bound
                self._record(None)

    def _record(self, points: Points | None) -> None:
        event = self._state(points)
        self._events.append(event)
        self._tell(event)

    def _state(self, points: Points | None) -> TraceEvent:
        return TraceEvent(
            seconds=self.seconds,
            nodes=self.nodes,
            objective=None if self.best_evaluation is None else self.best_evaluation.objective,
            lower_bound=self.lower_bound,
            points=points,
            projection=self._projection,
        )

    def _tell(self, event: TraceEvent) -> None:
        if self.options.on_progress is not None:
            self._last_report = time.perf_counter()
            self.options.on_progress(event)

    def stop_reason(self) -> Stop | None:
        """Return why to stop now, or None to continue; reports progress from time to time."""
        self._look()
        if self.options.on_progress is not None and time.perf_counter() - self._last_report > _TELL_EVERY:
            self._tell(self._state(None))
        if self._interrupted.is_set() or (self.options.cancel is not None and self.options.cancel()):
            return Stop.INTERRUPTED
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return Stop.TIME_LIMIT
        if self.options.node_limit is not None and self.nodes >= self.options.node_limit:
            return Stop.NODE_LIMIT
        if self.options.memory_limit is not None and self._too_heavy(self.options.memory_limit):
            return Stop.MEMORY_LIMIT
        return Stop.GAP if self.gap_reached else None

    def _bound_and_objective(self) -> tuple[float, float] | None:
        best = self.best_evaluation
        return None if best is None else (float(self.lower_bound), float(best.objective))

    def _look(self) -> None:
        """Project the time of the proof again, if the last look was long enough ago."""
        now, last = self.seconds, self._looks[-1].seconds if self._looks else 0.0
        if now < max(last + _LOOK_EVERY, last * _LOOK_AGAIN):
            return
        at = self.progress()
        if at is not None:
            self._looks.append(Look(now, at[0]))
            most = self.problem.max_features if self.problem.questions else None
            self._projection = projected(self._looks, at[1], most)

    @property
    def gap_reached(self) -> bool:
        """Whether the requested gap has been proven (never for a gap of 0)."""
        if self.best_evaluation is None:
            return False
        if not self._relative_gap and not self._absolute_gap:
            return False
        objective = self.best_evaluation.objective
        allowed = max(self._relative_gap * objective, self._absolute_gap)
        return allowed > 0 and objective - self.lower_bound <= allowed

    def _too_heavy(self, megabytes: float) -> bool:
        now = time.perf_counter()
        if now - self._last_weighed < _WEIGH_EVERY:
            return False
        self._last_weighed = now
        return resident_megabytes() > megabytes

    def claim(self, *, stop: Stop, smallest: bool, objective: Fraction | None = None) -> Claim:
        if self.best is None:
            raise SolverFailedError(
                f"the solver stopped before it found a scoring system: {stop.value}",
                "raise the limits",
                interrupted=stop is Stop.INTERRUPTED,
            )
        return Claim(
            points=self.best,
            objective=objective,
            lower_bound=self.lower_bound,
            smallest=smallest,
            stop=stop,
            nodes=self.nodes,
            seconds=self.seconds,
            trace=Trace(tuple(self._events)),
            projection=None if stop is Stop.OPTIMAL else self._projection,
        )

    @contextmanager
    def keeping_best_on_interrupt(self) -> Iterator[None]:
        """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request to stop; a second one acts as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may receive signals
            return
        previous = {number: signal.getsignal(number) for number in _SIGNALS}
        # None: not installed by Python, which could not restore it; ignored signals, as under nohup, stay so
        previous = {n: handler for n, handler in previous.items() if handler not in (None, signal.SIG_IGN)}

        def restore() -> None:
            for number, handler in previous.items():
                signal.signal(number, handler)

        def ask_to_stop(_signal: int, _frame: FrameType | None) -> None:
            self._interrupted.set()
            restore()

        for number in previous:
            signal.signal(number, ask_to_stop)
        try:
            yield
        finally:
            restore()

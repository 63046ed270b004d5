"""The history of one solve: incumbents and bounds over time (appendix D)."""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.problem.points import Points


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvent:
    """The state after a new incumbent or a new bound."""

    seconds: float
    nodes: int
    objective: Fraction | None  # of the best model so far
    lower_bound: Fraction
    points: Points | None  # the model, when this event is a new incumbent

    @property
    def gap(self) -> float | None:
        """(UB - LB)/UB, 0 when UB is 0, None before the first model."""
        return None if self.objective is None else relative_gap(self.objective, self.lower_bound)


@dataclass(frozen=True, slots=True)
class Trace:
    """All events of one solve, oldest first."""

    events: tuple[TraceEvent, ...] = ()

    @property
    def incumbents(self) -> tuple[TraceEvent, ...]:
        """The events that brought a better model."""
        return tuple(e for e in self.events if e.points is not None)


def relative_gap(objective: Fraction, lower_bound: Fraction) -> float:
    """(UB - LB)/UB, and 0 when UB is 0."""
    return 0.0 if objective == 0 else float((objective - lower_bound) / objective)

"""Solution: a verified scoring system with its bound. Claim: a solver's report, before verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from supersparse.base.exact import counted, shown
from supersparse.base.stop import Stop
from supersparse.engine.proving.projection import Projection
from supersparse.problem.limits import Constraint
from supersparse.problem.log_loss import slope_at_limit, slope_of
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import PointsEvaluation
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import SmallTable, Tabular, cell, facts, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TraceEvent(Tabular):
    """The state after a new incumbent or a new bound."""

    seconds: float
    nodes: int
    objective: Fraction | None  # of the best model so far
    lower_bound: Fraction
    points: Points | None  # the model, if this event is a new incumbent
    projection: Projection | None = None  # of the time that a proof still needs; None: cannot be told yet

    @property
    def gap(self) -> float | None:
        """(UB - LB)/UB; 0 if UB is 0, None before the first model."""
        return None if self.objective is None else relative_gap(self.objective, self.lower_bound)

    def _brief(self) -> str:
        state = "no model yet" if self.objective is None else f"objective {float(self.objective):.6g}"
        return f"{state}, lower bound {float(self.lower_bound):.6g} after {self.seconds:.2f} s"


_EVENT = ("seconds", "nodes", "objective", "lower bound", "gap")


def _event_cells(event: TraceEvent) -> tuple[str, ...]:
    objective = None if event.objective is None else float(event.objective)
    gap = "-" if event.gap is None else f"{100 * event.gap:.1f} %"
    return (f"{event.seconds:.2f}", str(event.nodes), cell(objective), cell(float(event.lower_bound)), gap)


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Tabular):
    """All events of one solve, oldest first; the last one is the state at its end."""

    __module__ = "supersparse"

    events: tuple[TraceEvent, ...] = ()

    def to(self, last: TraceEvent) -> "Trace":
        """The trace to the end of the search: its last state, unless the last event is that already."""
        known = self.events[-1] if self.events else None
        if known is not None and known.seconds >= last.seconds and known.lower_bound == last.lower_bound:
            return self
        return Trace((*self.events, last))

    @property
    def incumbents(self) -> tuple[TraceEvent, ...]:
        """The events with a better model."""
        return tuple(e for e in self.events if e.points is not None)

    def _brief(self) -> str:
        if not self.events:
            return "no events"
        models = counted(len(self.incumbents), "model")
        return f"{counted(len(self.events), 'event')}, {models}; {self.events[-1]._brief()}"

    def _small_table(self) -> SmallTable:
        """The events with a better model, and the last one."""
        events = [*self.incumbents, *(e for e in self.events[-1:] if e.points is None)]
        return SmallTable(_EVENT, [_event_cells(event) for event in events])


def relative_gap(objective: Fraction, lower_bound: Fraction) -> float:
    """(UB - LB)/UB, and 0 if UB is 0."""
    return 0.0 if objective == 0 else float((objective - lower_bound) / objective)


@dataclass(frozen=True, kw_only=True, repr=False)
class Solution(Tabular):
    """A verified scoring system: every number was recomputed from the original rows."""

    __module__ = "supersparse"

    problem: Problem
    solver: str
    points: Points
    evaluation: PointsEvaluation
    lower_bound: Fraction
    smallest: bool
    stop: Stop
    nodes: int
    seconds: float
    trace: Trace
    seed: int | None = None  # random seed of the search; None if not recorded
    projection: Projection | None = None  # of the time that a proof would still have needed, where that can be told
    tuned_options: Mapping[str, object] = field(default_factory=dict)  # of CPLEX or Gurobi, see `tuning_time`

    @property
    def objective(self) -> Fraction:
        """The exact F of the model."""
        return self.evaluation.objective

    @property
    def gap(self) -> float:
        """(UB - LB)/UB, and 0 if UB is 0."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def proven_optimal(self) -> bool:
        """Whether it is proven that no feasible scoring system has a smaller F; a log loss, by over 1e-9."""
        return loss_of(self.problem).proves(self.objective, self.lower_bound)

    @property
    def slope(self) -> float | None:
        """The log odds of one point of a risk model: risk = 1 / (1 + exp(-(slope·total + offset)))."""
        return float(slope_of(self.points)) if loss_of(self.problem).gives_risks else None

    @property
    def offset(self) -> float | None:
        """The log odds of a risk model at a total of 0."""
        if not loss_of(self.problem).gives_risks:
            return None
        return float(slope_of(self.points) * self.points.intercept_value)

    @property
    def slope_at_limit(self) -> bool:
        """Whether the slope is the largest allowed one, because the classes are separated, or nearly.

        The risks of such a model are near 0 and 1 and say little; allow fewer features, or use goal "errors".
        """
        return loss_of(self.problem).gives_risks and slope_at_limit(self.problem, self.points)

    @property
    def proven_smallest(self) -> bool:
        """Whether it is also proven that no scoring system with this F has a smaller l1.

        Of cards of questions: that none asks fewer questions, or as many with a smaller largest total.
        """
        return self.proven_optimal and self.smallest

    def with_proof_of(self, other: "Solution") -> "Solution":
        """Return this answer with what another search for the same problem proved, where that is more."""
        as_good = other.objective == self.objective and other.evaluation.l1 == self.evaluation.l1
        bound = min(max(self.lower_bound, other.lower_bound), self.objective)
        proven = replace(self, lower_bound=bound, smallest=self.smallest or (as_good and other.smallest))
        return replace(proven, stop=other.stop) if proven.proven_optimal > self.proven_optimal else proven

    def __repr__(self) -> str:
        state = "proven optimal" if self.proven_optimal else f"gap {self.gap:.1%}"
        return (
            f"Solution(objective={float(self.objective):.6f}, {state}, "
            f"errors={shown(self.evaluation.training_errors)}, sensitivity={float(self.evaluation.sensitivity):.4g}, "
            f"specificity={float(self.evaluation.specificity):.4g}, size={self.evaluation.size}, "
            f"l1={shown(self.evaluation.l1)}, solver={self.solver!r}, stop={self.stop.name})"
        )

    def _brief(self) -> str:
        state = "proven optimal" if self.proven_optimal else f"not proven optimal, gap {100 * self.gap:.1f} %"
        return f"{state}; {self.evaluation._brief()}"

    def _small_table(self) -> SmallTable:
        """The points by feature, then their evaluation."""
        names, values = self.problem.rows.names, [number(v) for v in self.points.values]
        if self.points.answers is not None:
            values = ["/".join(map(str, answer)) for answer in self.points.answers]
        points: list[tuple[str, Any]] = [(names[j], values[j]) for j in self.points.support]
        if self.slope_at_limit:
            points.append(("slope", "at its limit: the classes are separated, or nearly"))
        shown = facts(
            intercept=self.points.intercept_value,
            training_errors=self.evaluation.training_errors,
            sensitivity=float(self.evaluation.sensitivity),
            specificity=float(self.evaluation.specificity),
            objective=float(self.objective),
            lower_bound=float(self.lower_bound),
            stop=self.stop.value,
            solver=f"{self.solver}, {self.seconds:.1f} s",
        )
        return SmallTable((), [*points, *shown.rows])


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The result that a solver reports, before verification."""

    points: Points
    objective: Fraction | None  # the model's cost according to the solver, if it reports one
    lower_bound: Fraction  # claimed proven: no feasible scoring system is better
    smallest: bool  # claimed proven: no model with this objective has a smaller l1
    stop: Stop
    nodes: int
    seconds: float
    trace: Trace
    tuned_options: Mapping[str, object] = field(default_factory=dict)
    projection: Projection | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Conflict(Tabular):
    """Constraints that are proven infeasible together with the coefficient sets of the problem."""

    __module__ = "supersparse"

    constraints: tuple[Constraint, ...]
    irreducible: bool  # proven: without any one of them, the others can be satisfied
    smallest: bool  # also proven: no smaller set of the constraints conflicts

    def in_words(self) -> str:
        """Name the constraints that conflict, and say whether the set is proven smallest."""
        words = [repr(constraint.in_words()) for constraint in self.constraints]
        if len(words) == 1:
            text = f"{words[0]} cannot be satisfied, even alone"
        else:
            listed = ", ".join(words[:-1]) + " and " + words[-1]
            text = f"{listed} cannot be satisfied together"
        if self.smallest:
            return text if len(words) == 1 else f"{text}, and no smaller set conflicts"
        if self.irreducible:
            return f"{text}; dropping any one of them resolves this conflict, but a smaller set may conflict too"
        return f"{text}; some of them may not be part of the conflict"

    def __str__(self) -> str:
        return self.in_words()

    def _small_table(self) -> SmallTable:
        return SmallTable(("constraint",), [(constraint.in_words(),) for constraint in self.constraints])

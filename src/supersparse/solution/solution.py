"""Solution: a claim that exact arithmetic has confirmed."""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.decimals import shown
from supersparse.problem.objective import Evaluation
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solution.stop import Stop
from supersparse.solution.trace import Trace, relative_gap


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A scoring system whose every number was recomputed from the original rows; see `verify`."""

    problem: Problem
    solver: str
    points: Points
    evaluation: Evaluation
    lower_bound: Fraction
    smallest: bool
    stop: Stop
    nodes: int
    seconds: float
    trace: Trace
    seed: int | None = None  # of what is random in the search; None: not recorded

    @property
    def objective(self) -> Fraction:
        """F of the model, exactly."""
        return self.evaluation.objective

    @property
    def gap(self) -> float:
        """(UB - LB)/UB, and 0 when UB is 0."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def proven_optimal(self) -> bool:
        """Whether no feasible scoring system has a smaller F."""
        return self.lower_bound == self.objective

    @property
    def proven_smallest(self) -> bool:
        """Whether, besides, no scoring system of this F has a smaller l1."""
        return self.proven_optimal and self.smallest

    def __repr__(self) -> str:
        state = "proven optimal" if self.proven_optimal else f"gap {self.gap:.1%}"
        return (
            f"Solution(objective={float(self.objective):.6f}, {state}, "
            f"errors={shown(self.evaluation.training_errors)}, "
            f"sensitivity={float(self.evaluation.sensitivity):.4g}, "
            f"specificity={float(self.evaluation.specificity):.4g}, size={self.evaluation.size}, "
            f"l1={shown(self.evaluation.l1)}, solver={self.solver!r}, stop={self.stop.name})"
        )

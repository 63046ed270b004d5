"""Losses: the first term of F by the goal of a problem, its names, and how exactly a proof of it holds."""

from fractions import Fraction
from typing import ClassVar

from supersparse.problem.log_loss import PROOF_TOLERANCE, log_loss
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_EVALUATION = Fraction(1, 10**11)  # the evaluator's log loss and that of the solver may differ by as much


class Errors:
    """The weight of the rows in error, by class, as a share of all: exact."""

    measure: ClassVar[str] = "error rate"
    solver: ClassVar[str] = "exact"
    gives_risks: ClassVar[bool] = False
    tolerance: ClassVar[Fraction] = Fraction(0)
    tolerance_in_words: ClassVar[str] = ""
    counts_rows: ClassVar[bool] = True
    proves_smallest: ClassVar[bool] = True  # of equally good cards, that with the smallest points

    def has_form(self, points: Points) -> bool:
        """Whether points are of a model that this loss judges: it has no slope."""
        return points.slope is None

    def name(self, problem: Problem) -> str:
        negative, positive = problem.class_weights
        return "errors" if negative == positive else "weighted error"

    def of(self, problem: Problem, points: Points, wrong: tuple[Fraction, Fraction]) -> Fraction:
        """The loss of points whose wrong rows have these weights, negative and positive."""
        return sum((w * weight for w, weight in zip(problem.class_weights, wrong, strict=True)), Fraction(0)) / (
            problem.total_weight
        )

    def proves(self, objective: Fraction, lower_bound: Fraction) -> bool:
        return lower_bound == objective


class LogLoss:
    """The mean log loss of the risks, rounded up; proven best up to a tolerance."""

    measure: ClassVar[str] = "log loss"
    solver: ClassVar[str] = "risk"
    gives_risks: ClassVar[bool] = True
    tolerance: ClassVar[Fraction] = PROOF_TOLERANCE
    tolerance_in_words: ClassVar[str] = " by more than 0.000000001"
    counts_rows: ClassVar[bool] = False
    proves_smallest: ClassVar[bool] = False

    def has_form(self, points: Points) -> bool:
        """Whether points are of a model that this loss judges: risks have a slope."""
        return points.slope is not None

    def name(self, problem: Problem) -> str:
        return self.measure

    def of(self, problem: Problem, points: Points, wrong: tuple[Fraction, Fraction]) -> Fraction:
        return log_loss(problem, points)

    def proves(self, objective: Fraction, lower_bound: Fraction) -> bool:
        """Whether a bound proves an objective best, up to 1e-9."""
        return objective - lower_bound <= self.tolerance + _EVALUATION


Loss = Errors | LogLoss
_OF_GOAL: dict[str, Loss] = {"errors": Errors(), "risk": LogLoss()}


def loss_of(problem: Problem) -> Loss:
    """The loss that a problem minimises.

    >>> loss_of(Problem.of([[0], [1]], [0, 1])).measure
    'error rate'
    """
    return loss_called(problem.goal)


def loss_called(goal: str) -> Loss:
    return _OF_GOAL[goal]

"""The two questions that have many answers: the best of each size, and all within a factor of the best."""

from fractions import Fraction

from supersparse.errors import InvalidOptionError
from supersparse.problem.decimals import exact
from supersparse.problem.problem import Problem
from supersparse.solution.models import Models, verify_models
from supersparse.solving.contract import AnswersAllWithin, AnswersPerSize, Question
from supersparse.solving.monitor import Monitor
from supersparse.solving.solve import chosen_solver


def solve_each_size(problem: Problem, solver: str = "exhaustive", **options: object) -> Models:
    """Find, for each size, the model with the least (F, l1) of exactly that size.

    >>> problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_coef=3)
    >>> [(m.evaluation.size, str(m.evaluation.objective)) for m in solve_each_size(problem).models]
    [(0, '1/2'), (1, '3/10')]
    """
    chosen, settings = chosen_solver(problem, solver, options, Question.BEST_PER_SIZE)
    assert isinstance(chosen, AnswersPerSize)
    monitor = Monitor(problem, settings, lambda points: points)
    with monitor.keeping_best_on_interrupt():
        claimed = chosen.best_per_size(problem, settings, monitor)
    return verify_models(problem, claimed.models, complete=claimed.complete, solver=chosen.name)


def solve_all_within(
    problem: Problem, epsilon: float | Fraction = 0, solver: str = "exhaustive", **options: object
) -> Models:
    """Find every coefficient vector, with its best intercept, of F <= (1 + epsilon)·F*."""
    factor = exact(epsilon, "epsilon", InvalidOptionError)
    if factor < 0:
        raise InvalidOptionError(f"epsilon is {epsilon}, which is negative; give 0 or more")
    chosen, settings = chosen_solver(problem, solver, options, Question.ALL_WITHIN)
    assert isinstance(chosen, AnswersAllWithin)
    monitor = Monitor(problem, settings, lambda points: points)
    with monitor.keeping_best_on_interrupt():
        claimed = chosen.all_within(problem, factor, settings, monitor)
    return verify_models(problem, claimed.models, complete=claimed.complete, solver=chosen.name)

"""The incumbent search: good models before, and while, anything is proven."""

from supersparse.problem.objective import with_best_intercept
from supersparse.problem.problem import Problem
from supersparse.solving.monitor import Monitor


def search(problem: Problem, monitor: Monitor) -> None:
    """Report ever better models to the monitor until the search budget is spent."""
    monitor.incumbent(with_best_intercept(problem, smallest_coefficients(problem)))


def smallest_coefficients(problem: Problem) -> list[int]:
    """Return the coefficients nearest 0 that the sets allow: all zeros, unless a set leaves out 0."""
    return [int(min(s.values, key=lambda v: (abs(v), v)) * problem.unit) for s in problem.sets]

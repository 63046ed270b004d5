"""Which of the constraints asked a model breaks, in exact arithmetic."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from supersparse.problem.constraints.support import MaxFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.objective import classified, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem


def violated(problem: Problem, points: Points) -> list[Constraint]:
    """Return the constraints that a model breaks, in the order asked, each once.

    >>> from supersparse import constraints as c
    >>> problem = Problem.of([[0], [1]], [0, 1], constraints=[c.min_sensitivity(1), c.must_use("x0")])
    >>> [broken.in_words() for broken in violated(problem, Points((0,), 1))]
    ['x0 used']
    """
    broken = set(_broken(problem, points))
    return [constraint for constraint in problem.asked if constraint in broken]


def completed(problem: Problem, coefficients: Sequence[int]) -> Points | None:
    """Complete coefficients by the intercept of the conventions; None where no b makes them obey."""
    if not problem.is_plain and not obeys_without_intercept(problem, coefficients):
        return None
    return with_best_intercept(problem, coefficients)


def obeys_without_intercept(problem: Problem, coefficients: Sequence[int]) -> bool:
    """Whether coefficients, in the problem's unit, obey the limits in which b does not count."""
    return all(
        limit.total(coefficients) <= limit.at_most
        for limit in problem.support_limits
        if not limit.intercept_weight
    ) and all(
        limit.total([Fraction(c, problem.unit) for c in coefficients]) <= limit.at_most
        for limit in problem.score_limits
    )


def _broken(problem: Problem, points: Points) -> Iterator[Constraint]:
    values = points.values
    by_name = dict(zip(problem.rows.names, values, strict=True))
    for value_limit in problem.value_limits:
        # a column that presolve dropped has the coefficient 0
        if not value_limit.allows(by_name.get(value_limit.name, Fraction(0))):
            yield value_limit.source
    counts_intercept = problem.intercept.is_penalised and points.intercept != 0
    for constraint in problem.asked:
        if isinstance(constraint, MaxFeatures) and len(points.support) + counts_intercept > constraint.most:
            yield constraint
    for support_limit in problem.support_limits:
        total = support_limit.total(values) + support_limit.intercept_weight * (points.intercept != 0)
        if total > support_limit.at_most:
            yield support_limit.source
    for score_limit in problem.score_limits:
        if score_limit.total(values) > score_limit.at_most:
            yield score_limit.source
    if problem.rate_limits:
        above, below = classified(problem, points)
        wrong = np.where(problem.rows.positive, ~above, ~below)
        for rate_limit in problem.rate_limits:
            if rate_limit.total(wrong) > rate_limit.at_most:
                yield rate_limit.source

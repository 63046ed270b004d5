"""Constraints on a scoring system.

>>> from supersparse import Problem, solve
>>> from supersparse.constraints import at_most, min_sensitivity
>>> X, y = [[0, 1], [1, 1], [0, 0], [1, 0]], [1, 1, 0, 0]
>>> asked = [at_most(1, of="x*"), min_sensitivity(0.9)]
>>> solve(Problem.of(X, y, C0=0.3, max_points=2, constraints=asked)).evaluation.sensitivity
Fraction(1, 1)
"""

from supersparse.problem.constraints.rates import (
    max_difference,
    max_error,
    max_false_positive_rate,
    min_sensitivity,
    min_specificity,
)
from supersparse.problem.constraints.single import fixed, max_total_score, must_not_use, must_use, same_sign
from supersparse.problem.constraints.support import (
    at_least,
    at_most,
    budget,
    close_to,
    exactly,
    only_if,
    thresholds_per_variable,
)

__all__ = [
    "at_least",
    "at_most",
    "budget",
    "close_to",
    "exactly",
    "fixed",
    "max_difference",
    "max_error",
    "max_false_positive_rate",
    "max_total_score",
    "min_sensitivity",
    "min_specificity",
    "must_not_use",
    "must_use",
    "only_if",
    "same_sign",
    "thresholds_per_variable",
]

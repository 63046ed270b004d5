"""A bound on the errors of every model: equal rows of different classes."""

from fractions import Fraction

import numpy as np

from supersparse.problem.problem import Problem
from supersparse.solving.presolve.merge import row_groups


def least_loss(problem: Problem) -> Fraction:
    """No model, of whatever size, has a smaller loss: of equal rows one class is wrong.

    >>> str(least_loss(Problem.of([[1], [1], [1], [2]], [0, 1, 1, 1])))
    '1/4'
    """
    rows = problem.rows
    usable = [c for c, s in zip(rows.columns, problem.sets, strict=True) if s.largest_magnitude]
    group, first = row_groups(usable or [np.zeros(rows.n_rows, dtype=np.int64)])
    negative, positive = (np.zeros(len(first), dtype=object) for _ in range(2))
    np.add.at(negative, group, np.where(rows.positive, 0, rows.weights).astype(object))
    np.add.at(positive, group, np.where(rows.positive, rows.weights, 0).astype(object))
    of_negative, of_positive = problem.class_weights
    wrong = (min(of_negative * n, of_positive * p) for n, p in zip(negative, positive, strict=True))
    return sum(wrong, Fraction(0)) / problem.total_weight

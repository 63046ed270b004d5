"""Scores of rows by what was learned, exact, and as floats: the nearest ones, never of another sign."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import integer_column, largest_magnitude, quotients, weighted_sum
from supersparse.problem.points import Points
from supersparse.table.numeric import read_numeric_table
from supersparse.table.sources import as_frame


def score_rows(points: Points, used: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.float64]:
    """Return each row's score as the nearest float; `used` are the columns of ``points.support``.

    A float in a column is read as its shortest decimal. A score depends on its own row only.
    """
    read = [integer_column(column) for column in used]
    step = math.lcm(*(scale for _, scale in read))
    b = Fraction(points.intercept)
    terms = [
        (integers, largest_magnitude(integers), points.coefficients[j] * (step // scale) * b.denominator)
        for (integers, scale), j in zip(read, points.support, strict=True)
    ]
    numerators = weighted_sum(terms, b.numerator * step, n_rows)
    return quotients(numerators, step * points.denominator * b.denominator)


def scores_of_points(points: Points, X: Any) -> NDArray[np.float64]:
    """Score the rows of a table of numbers whose columns are the features."""
    support = points.support
    if as_frame(X) is not None:
        columns = read_numeric_table(X)[1]
        return score_rows(points, [columns[j] for j in support], len(columns[0]))
    part = X[:, list(support)]
    dense = part.toarray() if hasattr(part, "toarray") else part
    return score_rows(points, list(dense.T), len(dense))

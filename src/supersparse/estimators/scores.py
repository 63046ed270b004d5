"""Scores of any rows, exact, and as floats: the nearest ones, but never of another sign."""

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray, integer_column, largest_magnitude, weighted_sum
from supersparse.problem.points import Points

_EXACT_IN_A_DOUBLE = 2**53


def score_rows(points: Points, used: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.float64]:
    """Return each row's score as the nearest float; `used` are the columns of ``points.support``.

    A float in a column is read as its shortest decimal. A score depends on its own row only.
    """
    read = [integer_column(column) for column in used]
    step = math.lcm(*(scale for _, scale in read))
    terms = [
        (integers, largest_magnitude(integers), points.coefficients[j] * (step // scale))
        for (integers, scale), j in zip(read, points.support, strict=True)
    ]
    numerators = weighted_sum(terms, points.intercept * step, n_rows)
    return quotients(numerators, step * points.denominator)


def nearest_float(value: Fraction) -> float:
    """Return the nearest float; what is not 0 stays so, and what is finite stays so."""
    return _quotient(value.numerator, value.denominator)


def quotients(numerators: IntArray, denominator: int) -> NDArray[np.float64]:
    """Return the nearest floats; what is not 0 stays so, and what is finite stays so."""
    if numerators.dtype != object:
        if denominator == 1:
            return numerators.astype(np.float64)
        if max(largest_magnitude(numerators), denominator) <= _EXACT_IN_A_DOUBLE:
            quotients: NDArray[np.float64] = numerators / denominator  # both exact: rounded once
            return quotients
    return np.array([_quotient(n, denominator) for n in numerators.tolist()], dtype=np.float64)


def _quotient(numerator: int, denominator: int) -> float:
    try:
        quotient = numerator / denominator  # Python rounds the quotient of any two integers correctly
    except OverflowError:
        return sys.float_info.max if numerator > 0 else -sys.float_info.max
    if quotient == 0 and numerator:
        return math.ulp(0.0) if numerator > 0 else -math.ulp(0.0)
    return quotient

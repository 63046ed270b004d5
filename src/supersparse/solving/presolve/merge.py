"""Merge equal rows: the canonical form of the data.

Equal rows of one class become one row with the sum of their weights, sorted by value. So
weight k equals k copies, and the order of the rows has no effect on anything that follows. Equal
rows of one class are right or wrong together, so limits on wrong rows are summed likewise.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray, fits_int64, gcd_of
from supersparse.problem.problem import Problem


class MergeRows:
    """Holds for every problem: objective and limits depend on the rows only through these sums.

    Coefficients are untouched, so an answer needs no way back.
    """

    @staticmethod
    def apply(problem: Problem) -> Problem:
        """Return the problem with distinct, sorted rows; F of any points is unchanged."""
        rows = problem.rows
        group, first = row_groups([*rows.columns, rows.positive.astype(np.int8)])
        dtype = np.int64 if fits_int64(problem.total_weight) else object
        weights = np.zeros(len(first), dtype=dtype)
        np.add.at(weights, group, rows.weights.astype(dtype))
        common = gcd_of(weights)
        merged = replace(
            rows,
            columns=tuple(c[first] for c in rows.columns),
            positive=rows.positive[first],
            weights=weights // common,
            weight_unit=rows.weight_unit * Fraction(common),
            groupings=(),  # rows of several groups are merged: the limits hold what was asked of them
        )
        limits = tuple(limit.merged(group, len(first)) for limit in problem.rate_limits)
        return replace(problem, rows=merged, rate_limits=limits)


def row_groups(columns: list[IntArray]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group equal rows: return each row's group, in order of value, and one row of each group.

    Columns are ranked and mixed into one integer a row, which is ranked anew whenever the
    next column would not fit.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column in columns:
        distinct, rank = np.unique(column, return_inverse=True)
        if span > 2**62 // max(1, len(distinct)):
            known, code = np.unique(code, return_inverse=True)
            code, span = code.reshape(-1), len(known)
        code = code * len(distinct) + rank.reshape(-1)
        span *= len(distinct)
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return group.reshape(-1), first

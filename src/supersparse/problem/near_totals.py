"""Totals of large tables: floats with a proven margin, and exact numbers only where rows are that close.

A total is Σ c_j·x_j over the k columns used, with whole c_j; x_j, a decimal, differs from its double by at
most 2^-53 of it. So a total in doubles is off by less than (k + 3)·2^-53·Σ|c_j·x_j|. Rows further apart than
twice that are in the right order; the others are computed exactly. Nothing is rounded in what is returned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import (
    Flags,
    Floats,
    IntArray,
    Ints,
    integer_column,
    largest_magnitude,
    weighted_sum,
)
from supersparse.problem.problem import Problem

_MOST_EXACT = 50_000  # rows that are computed exactly; with more, all are


def step_of(problem: Problem, coefficients: Sequence[int]) -> int:
    """The common scale of the columns that are used; in small tables that of all, which is at hand."""
    if problem.rows.raw is None:
        return problem.score_step
    return lcm(*(problem.rows.scales[j] for j, c in enumerate(coefficients) if c))


def integer_totals(
    problem: Problem, coefficients: Sequence[int], answers: Sequence[Sequence[int]] | None = None
) -> IntArray:
    """Return the totals, without b, times unit·`step_of`; Python integers if 64 bits are not enough.

    Where columns are questions, points are those of the `answers`.
    """
    if answers is not None:
        asked = [
            (problem.rows.columns[j], answer_points) for j, answer_points in enumerate(answers) if any(answer_points)
        ]
        columns = [np.array(answer_points, np.int64)[column] for column, answer_points in asked]
        return np.sum(columns, axis=0) if columns else np.zeros(problem.rows.n_rows, np.int64)
    rows, step = problem.rows, step_of(problem, coefficients)
    terms = [
        (rows.columns[j], rows.magnitudes[j], int(c) * (step // rows.scales[j]))
        for j, c in enumerate(coefficients)
        if c
    ]
    # leave room for the step: the intercept is a multiple of it, even if all totals are zero
    return weighted_sum(terms, 0, rows.n_rows, room=step)


@dataclass(frozen=True, eq=False)
class NearTotals:
    """The totals of all rows in the unit of the coefficients, and the exact ones of some."""

    problem: Problem
    coefficients: tuple[int, ...]
    floats: Floats
    margin: float

    @classmethod
    def of(cls, problem: Problem, coefficients: Sequence[int]) -> "NearTotals | None":
        """Compute them; None for tables that are exact already, and numbers beyond doubles."""
        raw = problem.rows.raw
        used = [j for j, c in enumerate(coefficients) if c]
        if raw is None or any(raw[j].dtype != np.float64 or abs(coefficients[j]) > 2**53 for j in used):
            return None
        floats = np.zeros(problem.rows.n_rows)
        reach = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for j in used:
                term = raw[j] * float(coefficients[j])
                reach += float(np.abs(term).max(initial=0.0))
                floats += term
        margin = (2 * len(used) + 8) * 2.0**-53 * reach + 1e-300
        if not np.isfinite(2 * margin) or not np.isfinite(reach):
            return None
        return cls(problem, tuple(coefficients), floats, margin)

    def exact(self, rows: NDArray[np.intp]) -> tuple[list[int], int]:
        """The exact totals of some rows: whole numbers, and their common denominator."""
        raw = self.problem.rows.raw
        assert raw is not None
        used = [j for j, c in enumerate(self.coefficients) if c] if len(rows) else []
        columns = [integer_column(raw[j][rows]) for j in used]
        unit = lcm(*(scale for _, scale in columns))
        terms = [
            (integers, largest_magnitude(integers), self.coefficients[j] * (unit // scale))
            for j, (integers, scale) in zip(used, columns, strict=True)
        ]
        return weighted_sum(terms, 0, len(rows)).tolist(), unit

    def classified(self, threshold: Fraction) -> "tuple[Flags, Flags] | None":
        """The rows above and below a threshold; None if too many are too close to it."""
        cut = float(threshold)
        margin = self.margin + 2.0**-52 * abs(cut)
        above, below = self.floats > cut + margin, self.floats < cut - margin
        close = np.flatnonzero(~(above | below))
        if len(close) > _MOST_EXACT:
            return None
        totals, unit = self.exact(close)
        for i, total in zip(close.tolist(), totals, strict=True):
            above[i], below[i] = total > threshold * unit, total < threshold * unit
        return above, below

    def ranks(self) -> "tuple[Ints, NDArray[np.intp]] | None":
        """The place of each row's total among the distinct ones, rising, and a row for each of these.

        None if too many rows are too close to each other.
        """
        order = np.argsort(self.floats, kind="stable")
        close = np.diff(self.floats[order]) <= 2 * self.margin
        near = np.zeros(len(order), dtype=bool)
        near[1:] |= close
        near[:-1] |= close
        at = np.flatnonzero(near)
        if len(at) > _MOST_EXACT:
            return None
        exact = dict(zip(at.tolist(), self.exact(order[at])[0], strict=True))
        is_new = np.ones(len(order), dtype=bool)
        start = 0
        while start < len(at):
            end = start + 1
            while end < len(at) and at[end] == at[end - 1] + 1 and close[at[end - 1]]:
                end += 1
            run = at[start:end]
            rising = sorted(run.tolist(), key=exact.__getitem__)
            order[run] = order[rising]
            values = [exact[i] for i in rising]
            is_new[run[1:]] = [a != b for a, b in zip(values[1:], values, strict=False)]
            start = end
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.cumsum(is_new) - 1
        return ranks, order[is_new]

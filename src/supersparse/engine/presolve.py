"""Reductions of a problem: each says when it applies, applies, and restores solutions; `presolve` takes all."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import IntArray, Lazily, fits_int64, gcd_of, row_groups
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO


@dataclass(frozen=True)
class DropColumns:
    """Drops columns whose coefficient can only be 0, as long as another column remains."""

    kept: tuple[int, ...]
    n_features: int

    @classmethod
    def of(cls, problem: Problem) -> "DropColumns":
        """Find the columns to keep; at least one is kept, so that the problem has columns.

        A column whose 0 has a cost, which levels allow, is kept with its cost.
        """
        kept = [
            j for j, s in enumerate(problem.sets) if s != NOTHING_ALLOWED_BUT_ZERO or problem.penalty(j, Fraction(0))
        ]
        return cls(tuple(kept or [0]), problem.n_features)

    def accepts(self, problem: Problem) -> bool:
        return len(self.kept) < problem.n_features

    def apply(self, problem: Problem) -> Problem:
        """Return the problem with only these columns, in the same unit."""

        def pick(values: tuple) -> tuple:  # type: ignore[type-arg]
            return tuple(values[j] for j in self.kept)

        return replace(
            problem,
            rows=problem.rows.with_columns(self.kept),
            sets=pick(problem.sets),
            C0=pick(problem.C0),
            levels=pick(problem.levels),
            given_sets=pick(problem.given_sets),
            support_limits=tuple(replace(limit, weights=pick(limit.weights)) for limit in problem.support_limits),
            sign_limits=tuple(replace(limit, together=pick(limit.together)) for limit in problem.sign_limits),
            score_limits=tuple(
                replace(limit, low=pick(limit.low), high=pick(limit.high)) for limit in problem.score_limits
            ),
        )

    def restore(self, points: Points) -> Points:
        """Restore the dropped columns with coefficient 0."""
        return Points.at(
            self.kept, points.coefficients, self.n_features, points.intercept, points.denominator, points.slope
        )

    def reduce(self, points: Points) -> Points:
        kept = tuple(points.coefficients[j] for j in self.kept)
        return Points(kept, points.intercept, points.denominator, points.slope)


class MergeRows:
    """Merges equal rows. The objective and limits depend on the rows only through these sums.

    Coefficients do not change, so solutions need no restoring.
    """

    @staticmethod
    def apply(problem: Problem) -> Problem:
        """Return the problem with distinct, sorted rows; F of any points is unchanged."""
        rows = problem.rows
        group, first, weights = merged_weights(problem)
        common = gcd_of(weights)
        merged = replace(
            rows,
            columns=tuple(c[first] for c in rows.columns),
            scales=tuple(rows.scales),
            raw=None,
            positive=rows.positive[first],
            weights=weights // common,
            weight_unit=rows.weight_unit * Fraction(common),
            groupings=(),  # merged rows have no group; the limits already contain the group constraints
        )
        limits = tuple(limit.merged(group, len(first)) for limit in problem.rate_limits)
        return replace(problem, rows=merged, rate_limits=limits)


def merged_weights(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.intp], IntArray]:
    """Group equal rows of one class: each row's group, one row of each group, and the weight of each."""
    rows = problem.rows
    label = rows.positive.astype(np.int8)
    group, first = row_groups(Lazily(rows.n_features + 1, lambda j: rows.columns[j] if j < rows.n_features else label))
    dtype = np.int64 if fits_int64(problem.total_weight) else object
    weights = np.zeros(len(first), dtype=dtype)
    np.add.at(weights, group, rows.weights.astype(dtype))
    return group, first, weights


@dataclass(frozen=True)
class Reduction:
    """A smaller problem, how to restore its solutions, and where its features and rows come from."""

    problem: Problem
    restore: Callable[[Points], Points]
    reduce: Callable[[Points], Points]
    features: tuple[int, ...]  # that are left
    groups: Callable[[], NDArray[np.intp]]  # for each original row, the row here that it is merged into


def presolve(problem: Problem) -> Reduction:
    """Drop dead columns, then merge equal rows."""
    if problem.questions:  # the core merges rows, and leaves out what cannot be asked
        everything = tuple(range(problem.n_features))
        return Reduction(problem, lambda p: p, lambda p: p, everything, lambda: np.arange(problem.rows.n_rows))
    drop = DropColumns.of(problem)
    smaller = drop.apply(problem) if drop.accepts(problem) else problem
    return Reduction(
        problem=MergeRows.apply(smaller),
        restore=drop.restore,
        reduce=drop.reduce,
        features=drop.kept,
        groups=lambda: merged_weights(smaller)[0],
    )

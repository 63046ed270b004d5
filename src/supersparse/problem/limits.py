"""Limits: the exact inequalities that constraints become, which solvers satisfy and the evaluator checks.

A `Constraint` is what the user wrote, with the user's names. Applied to the rows of a problem it becomes
limits on single values, on the support, on signs, on wrong rows, or on the largest score.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, IntArray, fits_int64, gcd_of
from supersparse.problem.rows import Rows
from supersparse.table.small_table import Tabular


def in_whole_numbers(weights: Iterable[Fraction | int], at_most: Fraction) -> tuple[tuple[int, ...], int]:
    """A limit on a sum with whole weights, of which sums are at most the whole part of what is allowed."""
    exact = [Fraction(weight) for weight in weights]
    unit = lcm(*(weight.denominator for weight in exact))
    return tuple(int(weight * unit) for weight in exact), floor(at_most * unit)


class Constraint(Tabular, ABC):
    """A constraint as the user wrote it; see `supersparse.constraints`."""

    @abstractmethod
    def in_words(self) -> str:
        """Describe the constraint, for messages and reports."""

    @abstractmethod
    def limits(self, rows: Rows, *, counts_intercept: bool) -> "tuple[Limit, ...]":
        """Return the limits on these rows; names that match nothing raise an error.

        `counts_intercept` is whether b counts towards the size, as with ``intercept="paper"``.
        """

    def __str__(self) -> str:
        return self.in_words()


@dataclass(frozen=True, kw_only=True, repr=False)
class ValueLimit(Tabular):
    """The coefficient of one feature is nonzero (`equals` is None) or equals a value."""

    name: str
    equals: Fraction | None
    source: Constraint

    def allows(self, value: Fraction) -> bool:
        return value != 0 if self.equals is None else value == self.equals


@dataclass(frozen=True, kw_only=True, repr=False)
class SupportLimit(Tabular):
    """Σ_j weights_j·[λ_j ≠ 0] + intercept_weight·[b ≠ 0] <= at_most.

    The intercept's weight is 0 unless b counts towards the size (``intercept="paper"``).
    """

    weights: tuple[Fraction | int, ...]  # one a feature
    at_most: Fraction
    source: Constraint
    intercept_weight: int = 0

    def total(self, coefficients: Sequence[int | Fraction]) -> Fraction | int:
        """The weight of the features in use, without the intercept."""
        return sum(w for w, c in zip(self.weights, coefficients, strict=True) if c)


@dataclass(frozen=True, kw_only=True, repr=False)
class SignLimit(Tabular):
    """Some coefficients have one sign: none of them is negative, or none is positive."""

    together: tuple[bool, ...]  # one a feature: whether it is one of them
    source: Constraint

    def allows(self, coefficients: Sequence[int | Fraction]) -> bool:
        """Whether no two of the coefficients have opposite signs."""
        return _of_one_sign(c for c, member in zip(coefficients, self.together, strict=True) if member)

    def allows_answers(self, in_order: Sequence[Sequence[int]]) -> bool:
        """Whether the points of all these questions rise along the answers in order, or all fall."""
        members = [points for points, member in zip(in_order, self.together, strict=True) if member]
        return _of_one_sign(b - a for points in members for a, b in pairwise(points))


def _of_one_sign(values: Iterable[int | Fraction]) -> bool:
    signs = {value > 0 for value in values if value}
    return len(signs) < 2


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RateLimit(Tabular):
    """Σ_i weights_i·[row i is wrong] <= at_most, in integers; a score of 0 is wrong for both classes.

    The weights have no common divisor. They may be negative if the limit compares two groups.
    """

    weights: IntArray  # one per row; int64, or Python integers if their sum could overflow
    at_most: int
    source: Constraint

    @classmethod
    def of(cls, weights: IntArray, at_most: int, source: Constraint) -> "RateLimit":
        """Divide by the common divisor of the weights, round the limit down, and choose the dtype."""
        common = max(1, gcd_of(weights))
        lean = weights // common
        dtype = np.int64 if fits_int64(sum(abs(int(w)) for w in lean)) else object
        return cls(weights=lean.astype(dtype), at_most=at_most // common, source=source)

    def total(self, wrong: Flags) -> int:
        return int(self.weights[wrong].sum(dtype=self.weights.dtype))

    def merged(self, group: NDArray[np.intp], n_groups: int) -> "RateLimit":
        """Return the same limit over merged rows: equal rows of one class are wrong together."""
        dtype = object if self.weights.dtype == object else np.int64
        weights = np.zeros(n_groups, dtype=dtype)
        np.add.at(weights, group, self.weights)
        return RateLimit.of(weights, self.at_most, self.source)


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreLimit(Tabular):
    """Σ_j max(λ_j·low_j, λ_j·high_j) <= at_most: the largest reachable score, without the intercept."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    at_most: Fraction
    source: Constraint

    def term(self, j: int, value: Fraction) -> Fraction:
        """The largest number of points that feature j can give."""
        return max(value * self.low[j], value * self.high[j])

    def total(self, values: Sequence[Fraction]) -> Fraction:
        """The largest score of any row within the ranges."""
        return sum((self.term(j, v) for j, v in enumerate(values) if v), Fraction(0))


Limit = ValueLimit | SupportLimit | SignLimit | RateLimit | ScoreLimit


class Limits(NamedTuple):
    """The limits that constraints become, by kind, as a problem holds them."""

    value_limits: tuple[ValueLimit, ...]
    support_limits: tuple[SupportLimit, ...]
    sign_limits: tuple[SignLimit, ...]
    rate_limits: tuple[RateLimit, ...]
    score_limits: tuple[ScoreLimit, ...]

    @classmethod
    def of(cls, constraints: Iterable[Constraint], rows: Rows, *, counts_intercept: bool) -> "Limits":
        """Apply constraints to rows; `counts_intercept` as in `Constraint.limits`."""
        limits = [limit for one in constraints for limit in one.limits(rows, counts_intercept=counts_intercept)]
        kinds: Any = (ValueLimit, SupportLimit, SignLimit, RateLimit, ScoreLimit)
        return cls(*(tuple(limit for limit in limits if isinstance(limit, kind)) for kind in kinds))

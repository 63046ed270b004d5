"""Loss rows in the smallest integers, and the limits of a solver's arithmetic."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import Flags, IntArray, largest_magnitude
from supersparse.engine.mip.terms import Term, Wants, read_terms, score_range
from supersparse.engine.options import Formulation
from supersparse.problem.limits import Constraint, RateLimit, in_whole_numbers
from supersparse.problem.problem import Problem


@dataclass(frozen=True, kw_only=True)
class SupportRow:
    """Σ_t weights_t·[c_t ≠ 0] <= at_most."""

    weights: tuple[int, ...]
    at_most: int
    source: Constraint


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """Σ_t max(low_t·c_t, high_t·c_t) <= at_most, with low_t <= high_t.

    This is Σ_t low_t·c_t + (high_t - low_t)·max(c_t, 0), the form in which it is written.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    at_most: int
    source: Constraint


@dataclass(frozen=True, kw_only=True)
class Weight:
    """The largest number in a limit, and the largest possible sum of its numbers."""

    source: Constraint
    largest: int
    total: int


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitRows:
    """All limits of a problem; those on wrong rows are already whole."""

    terms: tuple[Term, ...]
    support: tuple[SupportRow, ...]
    score: tuple[ScoreRow, ...]
    rates: tuple[RateLimit, ...]
    n_rows: int

    def wants(self, t: int) -> Wants:
        """The quantities of a term that the limits need.

        A size that only counts against a limit may be too large; one that helps to satisfy it must be exact.
        """
        weights = [row.weights[t] for row in self.support]
        return Wants(
            size=any(weights),
            exact_size=any(w < 0 for w in weights),
            positive_part=any(row.low[t] != row.high[t] for row in self.score),
        )

    @cached_property
    def rows_that_count(self) -> Flags:
        """Which rows of the data some limit includes."""
        return self._any([limit.weights != 0 for limit in self.rates])

    @cached_property
    def rows_that_help(self) -> Flags:
        """Which rows help to satisfy some limit by being wrong; a right one must not be called wrong."""
        return self._any([limit.weights < 0 for limit in self.rates])

    def _any(self, of_each: Sequence[Flags]) -> Flags:
        any_row = np.zeros(self.n_rows, dtype=bool)
        for some in of_each:
            any_row |= some.astype(bool)
        return any_row

    def weights(self) -> Iterator[Weight]:
        """The size of the numbers in each limit."""
        for support in self.support:
            sizes = [abs(w) for w in support.weights]
            yield Weight(source=support.source, largest=max(sizes), total=sum(sizes))
        for rate in self.rates:
            sizes = [abs(w) for w in rate.weights.tolist()]
            yield Weight(source=rate.source, largest=max(sizes), total=sum(sizes))
        for score in self.score:
            reach, factors = [], []
            for term, low, high in zip(self.terms, score.low, score.high, strict=True):
                ends = (term.values[0], term.values[-1])
                reach.append(max(abs(max(low * v, high * v)) for v in ends))
                in_steps = term.step * max(abs(low), high - low) if term.is_progression else 0
                factors.append(in_steps or reach[-1])
            yield Weight(source=score.source, largest=max(factors), total=sum(reach))


def limit_rows(problem: Problem, terms: Sequence[Term]) -> LimitRows:
    """Convert the limits of a problem to whole numbers, without rounding."""
    others = len(terms) - problem.n_features  # the intercept, where there is one
    support = []
    for limit in problem.support_limits:
        of_intercept = [limit.intercept_weight] * others
        weights, at_most = _whole([*limit.weights, *of_intercept], limit.at_most)
        support.append(SupportRow(weights=weights, at_most=at_most, source=limit.source))
    score = []
    for bound in problem.score_limits:
        ends, at_most = _whole([*bound.low, *bound.high], bound.at_most * problem.unit)
        n = problem.n_features
        none = (0,) * others
        score.append(ScoreRow(low=ends[:n] + none, high=ends[n:] + none, at_most=at_most, source=bound.source))
    return LimitRows(
        terms=tuple(terms),
        support=tuple(support),
        score=tuple(score),
        rates=problem.rate_limits,
        n_rows=problem.rows.n_rows,
    )


def _whole(weights: Sequence[Fraction | int], at_most: Fraction) -> tuple[tuple[int, ...], int]:
    """Make the weights whole, without a common divisor; the limit can then be rounded down."""
    whole, most = in_whole_numbers(weights, at_most)
    common = gcd(*whole) or 1
    return tuple(w // common for w in whole), most // common


@dataclass(frozen=True, kw_only=True)
class LossRows:
    """Row i is right exactly when ``factors[i] · k >= needed[i]``, for the k of the terms.

    `worst` and `best` are the ends of that sum over all models; a row with best < needed is
    always wrong, one with worst >= needed always right.
    """

    factors: IntArray  # rows x terms
    needed: IntArray
    worst: IntArray
    best: IntArray

    @property
    def big_m(self) -> IntArray:
        """The M for z = 1: needed minus the WORST margin, not the best as the paper prints."""
        return self.needed - self.worst

    @property
    def reverse_big_m(self) -> IntArray:
        """The M for z = 0 if z = 1 must mean wrong: the BEST margin minus the last wrong one."""
        return self.best - self.needed + 1

    @property
    def is_open(self) -> Flags:
        """Which rows can be both right and wrong."""
        return np.asarray((self.best >= self.needed) & (self.worst < self.needed), dtype=bool)

    @property
    def is_always_wrong(self) -> Flags:
        """Which rows no model gets right."""
        return np.asarray(self.best < self.needed, dtype=bool)

    def largest_big_m(self, exact: Flags) -> int:
        """The largest M of an open row, in units of γ; rows whose z is `exact` have one in each direction."""
        return max(
            largest_magnitude(self.big_m[self.is_open]), largest_magnitude(self.reverse_big_m[self.is_open & exact])
        )

    @property
    def largest_factor(self) -> int:
        """The largest change in the score of an open row by one step of one coefficient."""
        return largest_magnitude(self.factors[self.is_open])

    @property
    def largest_score(self) -> int:
        return max(largest_magnitude(self.worst[self.is_open]), largest_magnitude(self.best[self.is_open]))


def loss_rows(problem: Problem, terms: Sequence[Term]) -> LossRows:
    """Write the loss constraint of every row over the k of the terms."""
    least, greatest = score_range(terms, problem.max_features)
    dtype: Any = least.dtype
    y = np.where(problem.rows.positive, 1, -1).astype(dtype)
    # with a free threshold, a score of 0 means 1/2, on the positive side
    least_right = (y < 0).astype(dtype) if problem.intercept.mode == "free" else np.ones_like(y)
    fixed = sum((t.column.astype(dtype) * t.offset for t in terms), np.zeros(len(y), dtype=dtype))
    steps = [0 if t.is_fixed else t.step for t in terms]
    factors = np.stack([t.column.astype(dtype) * step for t, step in zip(terms, steps, strict=True)], axis=1)
    shared = np.gcd.reduce(factors, axis=1)
    shared = np.where(shared == 0, 1, shared).astype(dtype)
    return LossRows(
        factors=factors * y[:, None] // shared[:, None],
        needed=-((y * fixed - least_right) // shared),  # ceil((least_right - y·fixed) / shared)
        worst=(np.where(y > 0, least, -greatest) - y * fixed) // shared,
        best=(np.where(y > 0, greatest, -least) - y * fixed) // shared,
    )


@dataclass(frozen=True, kw_only=True)
class Precision:
    """The limits of a solver's arithmetic, in units of γ.

    `tolerance` is the setting for feasibility, integrality and optimality. A binary that close to 0 counts as 0, so a
    row may be violated by tolerance·M and still look right: M must be small enough that this is a small part of γ. In
    the same way, an integer that close to its value shifts a score by tolerance·factor. And a sum of 10^8 is rounded by
    up to 10^-8 in double precision, which is already more than the tolerance for rows.
    """

    tolerance: float
    largest_big_m: int
    largest_factor: int
    largest_score: int


# A hundredth of γ at most. Measured on 60 problems each with M up to 6·10^6: SCIP, Gurobi and CPLEX were
# right on all of them with this tolerance.
FLOATS = Precision(tolerance=1e-9, largest_big_m=10**7, largest_factor=10**7, largest_score=10**8)

# For files: the model stores its integers in doubles, which are exact up to 2^53. What a solver makes of them
# is checked when its solution is read.
WRITTEN = Precision(tolerance=0.0, largest_big_m=2**53, largest_factor=2**53, largest_score=2**53)


def refuse_too_wide(who: str, problem: Problem, formulation: Formulation, precision: Precision) -> LossRows:
    """Return the loss rows, or raise if the solver could not tell right rows from wrong ones.

    Also raise if it could not tell satisfied limits from violated ones.
    """
    terms = read_terms(problem)
    rows, limits = loss_rows(problem, terms), limit_rows(problem, terms)
    checks = [
        ("scores reach", rows.largest_score, precision.largest_score),
        ("values reach", rows.largest_factor, precision.largest_factor),
    ]
    if formulation == "bigm":
        checks.append(("big-M is", rows.largest_big_m(limits.rows_that_help), precision.largest_big_m))
    for what, size, limit in checks:
        if size > limit:
            raise UnsupportedProblemError(
                f"{who}: {what} {size:.3g} times the smallest step between scores, and its arithmetic tells "
                f"right from wrong only up to {limit:.3g}",
                (
                    "round the data to fewer digits, bring the columns to one scale, allow smaller "
                    "coefficients, or use a solver with exact arithmetic"
                ),
            )
    _refuse_heavy_limits(who, limits, precision)
    return rows


def _refuse_heavy_limits(who: str, limits: LimitRows, precision: Precision) -> None:
    for weight in limits.weights():
        for what, size, limit in (
            ("its weights reach", weight.largest, precision.largest_factor),
            ("its weights add up to", weight.total, precision.largest_score),
        ):
            if size > limit:
                raise UnsupportedProblemError(
                    f"{who} cannot express {weight.source.in_words()!r}: in whole numbers {what} "
                    f"{Decimal(size):.3g}, and its arithmetic is sure only up to {limit:.3g}",
                    ("round weights, ranges and bounds to fewer digits, or use a solver with exact arithmetic"),
                )

"""IntegerForm: a presolved problem as 64-bit integer arrays, the input of our kernels.

Scores become ``columns.T @ v + step * b`` for coefficients v and b in the problem's unit. If they fit 64 bits
exactly, ``slack`` is 0. If not, every entry is rounded to the nearest integer of a coarser unit and ``slack``
is 1: an entry may then be off by one half, and every proof must allow for it.

With a free threshold, ``half`` is 1: a whole b then means b + 1/2, so that no score is 0. As the columns have
no common divisor, such thresholds lie between all neighbouring totals.

The objective is counted in kernel units, 1/scale of F, rounded down where necessary: a bound computed from
these numbers may be weak, but never wrong. A model's *cost* is its *loss* (the
weights of its wrong rows) plus its *penalties* (what F charges for its coefficients and b); the table in
`exact/README.md` names every quantity that is counted in these units.

The size of all numbers is checked here, in Python integers, before any kernel runs: scores and sums of two
stay within 2^61 (`_SCORE_LIMIT`), points within 2^50 (`LARGEST_POINTS`), costs within 2^51
(`_OBJECTIVE_LIMIT`, and what rounding adds), with prices on rates within 2^58 (`_PRICED_LIMIT`).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import (
    Floats,
    IntArray,
    Ints,
    distinct_of,
    fits_int64,
    gcd_of,
    largest_magnitude,
    row_groups,
)
from supersparse.base.stop import check_deadline
from supersparse.engine.integer_sets import (
    LARGEST_POINTS,
    FeaturePenalties,
    IntegerSet,
    feature_penalties,
    intercept_penalties,
    is_flat,
)
from supersparse.problem.objective import intercept_choice
from supersparse.problem.problem import Problem

_SCORE_LIMIT = 2**60  # scores and sums of two scores fit 64 bits
_ROUNDED_LIMIT = 2**50
_OBJECTIVE_LIMIT = 2**50
_PRICED_LIMIT = 2**58
_PRICE_UNIT = 2**20  # prices on rates are multiples of its inverse
OPEN = 2**60
"""Represents an open intercept bound."""


@dataclass(frozen=True, eq=False, kw_only=True)
class IntegerForm:
    """A problem in kernel units; see the module's docstring."""

    problem: Problem
    columns: Ints  # (features, distinct rows)
    step: int
    slack: int
    half: int
    positive: Ints  # loss of scoring a distinct row <= 0
    negative: Ints  # loss of scoring it >= 0
    scale: Fraction
    values: tuple[IntegerSet, ...]  # allowed coefficients
    penalties: tuple[FeaturePenalties, ...]  # of those coefficients, without C1
    is_flat: bool  # whether a feature's penalty is the same at all its values, and 0 when it is not used
    l1_penalty: int  # C1: the penalty of one unit of magnitude
    max_size: int
    intercept_low: int
    intercept_high: int
    intercept_values: Ints  # the allowed b of intercept="paper", else empty
    intercept_penalties: Ints  # of each of them, without C1
    ranks: NDArray[np.int32]  # of each entry in its column: exact for any slack
    rates: "Rates"
    shift: int = 0  # added to every loss counted in `positive` and `negative`; see `priced`

    @property
    def n_features(self) -> int:
        """Number of features of the presolved problem."""
        return len(self.columns)

    @property
    def n_rows(self) -> int:
        """Number of distinct rows; equal rows of both classes count once."""
        return int(self.columns.shape[1])

    def in_kernel_units(self, value: Fraction) -> int:
        """The largest kernel value not above a value of F."""
        return floor(value * self.scale)

    @cached_property
    def unused_penalty(self) -> Ints:
        """The penalty of each feature when unused: 0, except with levels."""
        return np.array([penalties.unused for penalties in self.penalties], np.int64)

    @cached_property
    def used_penalty(self) -> Ints:
        """The smallest penalty of each feature when used, without C1."""
        return np.array([penalties.least_used for penalties in self.penalties], np.int64)

    @cached_property
    def most_penalty(self) -> int:
        """The largest total penalty of features and b, including C1."""
        features = sum(
            penalties.most + self.l1_penalty * values.largest
            for penalties, values in zip(self.penalties, self.values, strict=True)
        )
        b = self.intercept_penalties.max(initial=0)
        return features + int(b) + self.l1_penalty * int(np.abs(self.intercept_values).max(initial=0))

    @cached_property
    def worst_cost(self) -> int:
        """More than the cost of any model, including rounding."""
        rows = int(self.rates.true_positive.sum() + self.rates.true_negative.sum())
        return rows + self.most_penalty + 2 * self.n_rows + self.n_features + 2

    def priced(self, prices: Floats) -> "IntegerForm":
        """Put prices on the rates: the Lagrangian form, whose F is never larger for models within the limits.

        With prices u >= 0 on limits Σ_i a_ki·[i wrong] <= most_k, every model that satisfies them has

            loss >= loss + Σ_k u_k·(Σ_i a_ki·[i wrong] - most_k) ,

        and the right side is a loss with other weights plus a constant, the `shift`. Rounding the weights down and
        u_k·most_k up keeps it a lower bound. A weight that becomes negative (limits on differences) is replaced by 0
        and added to the shift: c·[wrong] >= c. Any prices are valid, so prices that could overflow a sum are lowered.
        """
        chosen = _affordable([max(0, int(u * _PRICE_UNIT)) for u in prices.tolist()], self.rates)
        positive, negative = self.rates.true_positive.astype(object), self.rates.true_negative.astype(object)
        shift = 0
        for u, of_positive, of_negative, most in zip(
            chosen, self.rates.positive, self.rates.negative, self.rates.most.tolist(), strict=True
        ):
            if u:
                positive = positive + of_positive.astype(object) * u // _PRICE_UNIT
                negative = negative + of_negative.astype(object) * u // _PRICE_UNIT
                shift -= -(-u * most // _PRICE_UNIT)
        shift += sum(min(w, 0) for w in (*positive, *negative))
        return replace(
            self,
            positive=np.array([max(w, 0) for w in positive], np.int64),
            negative=np.array([max(w, 0) for w in negative], np.int64),
            shift=shift,
        )


def _affordable(prices: list[int], rates: "Rates") -> list[int]:
    """Lower the prices until all products add up to at most `_PRICED_LIMIT`."""
    sizes = [
        sum(abs(w) for w in (*of_positive.tolist(), *of_negative.tolist())) + abs(most)
        for of_positive, of_negative, most in zip(rates.positive, rates.negative, rates.most.tolist(), strict=True)
    ]
    total = sum(u * size for u, size in zip(prices, sizes, strict=True))
    room = _PRICED_LIMIT * _PRICE_UNIT
    return prices if total <= room else [u * room // total for u in prices]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rates:
    """The true weights of the distinct rows, and the limits on wrong rows that fit 64 bits."""

    true_positive: Ints
    true_negative: Ints
    positive: Ints  # (limits, distinct rows): what a limit counts when the row is scored <= 0
    negative: Ints  # when it is scored >= 0
    most: Ints
    is_complete: bool  # whether all limits fit 64 bits; the evaluator always checks them all


def integer_form(problem: Problem) -> IntegerForm:
    """Convert a problem, merged or not, to kernel units."""
    rows = problem.rows
    group, first = row_groups(rows.columns)
    columns = [c[first] for c in rows.columns]
    values = _integer_sets(problem)
    intercept_low, intercept_high, allowed = _intercepts(problem)
    intercept_values = _intercept_values(allowed)
    matrix, step, slack = _score_matrix(problem, columns, values)
    scale = _objective_scale(problem, values)
    positive, negative = _loss_weights(problem, group, len(first), scale)
    return IntegerForm(
        problem=problem,
        columns=matrix,
        step=step,
        slack=slack,
        half=int(problem.intercept.mode == "free"),
        positive=positive,
        negative=negative,
        scale=scale,
        values=values,
        penalties=tuple(
            feature_penalties(problem, j, allowed_values, scale) for j, allowed_values in enumerate(values)
        ),
        is_flat=is_flat(problem),
        l1_penalty=floor((problem.C1 or 0) * scale / problem.unit),
        max_size=_max_size(problem),
        intercept_low=intercept_low,
        intercept_high=intercept_high,
        intercept_values=intercept_values,
        intercept_penalties=intercept_penalties(problem, intercept_values, scale),
        rates=_rates(problem, group, len(first), positive, negative),
        ranks=_ranks(columns),
    )


def _ranks(columns: list[IntArray]) -> NDArray[np.int32]:
    ranks = np.empty((len(columns), len(columns[0])), np.int32)
    for j, column in enumerate(columns):
        check_deadline()
        ranks[j] = distinct_of(column)[1]
    return ranks


def _intercepts(problem: Problem) -> tuple[int, int, IntArray | None]:
    """The ends of b's range, clipped to `OPEN`, and its allowed values if they are listed."""
    if problem.intercept.mode == "free":
        return -OPEN, OPEN, None
    choice = intercept_choice(problem, features=0)
    low, high = (-OPEN if choice.low is None else choice.low), (OPEN if choice.high is None else choice.high)
    return min(max(-OPEN, low), OPEN), max(min(OPEN, high), -OPEN), choice.allowed


def _intercept_values(allowed: IntArray | None) -> Ints:
    if allowed is None:
        return np.zeros(0, np.int64)
    if largest_magnitude(allowed) > LARGEST_POINTS:
        raise UnsupportedProblemError(
            f"the intercept's set reaches {largest_magnitude(allowed)} units, over 2^50", "use a coarser set"
        )
    return allowed.astype(np.int64)


def _integer_sets(problem: Problem) -> tuple[IntegerSet, ...]:
    known = {s: IntegerSet.of(s, problem.unit) for s in dict.fromkeys(problem.sets)}
    longest = sum(known[s].largest for s in problem.sets)
    if longest > _SCORE_LIMIT:
        raise UnsupportedProblemError(
            f"the largest points of all features add up to {longest} units of 1/{problem.unit}, over 2^60",
            "use smaller points",
        )
    return tuple(known[s] for s in problem.sets)


def _rates(problem: Problem, group: NDArray[np.intp], n: int, positive: Ints, negative: Ints) -> Rates:
    """Sum each limit over the distinct rows; limits beyond 64 bits are left to the evaluator."""
    limits = [limit for limit in problem.rate_limits if limit.weights.dtype != object]
    of_class = [np.zeros((len(limits), n), np.int64) for _ in range(2)]
    for k, limit in enumerate(limits):
        for total, members in zip(of_class, (problem.rows.positive, ~problem.rows.positive), strict=True):
            np.add.at(total[k], group[members], limit.weights[members])
    return Rates(
        true_positive=positive,
        true_negative=negative,
        positive=of_class[0],
        negative=of_class[1],
        most=np.array([max(-OPEN, min(OPEN, limit.at_most)) for limit in limits], np.int64),
        is_complete=len(limits) == len(problem.rate_limits),
    )


def _max_size(problem: Problem) -> int:
    most = problem.n_features + problem.intercept.is_penalised
    return most if problem.max_features is None else min(most, problem.max_features)


def _score_matrix(problem: Problem, columns: list[IntArray], values: tuple[IntegerSet, ...]) -> tuple[Ints, int, int]:
    """Scale all columns to the score step's unit, divide by their common divisor, and round if necessary.

    A free threshold has a step of its own: one unit of what is left.
    """
    step = problem.score_step
    factors = [step // s for s in problem.rows.scales]
    shares_step = problem.intercept.mode in ("range", "paper")
    common = step if shares_step else 0
    for column, factor in zip(columns, factors, strict=True):
        check_deadline()
        common = gcd(common, gcd_of(column) * factor)
    common = common or 1
    largest = [v.largest * m * f for v, m, f in zip(values, problem.rows.magnitudes, factors, strict=True)]
    reach = sum(sorted(largest, reverse=True)[: _max_size(problem)]) + (step if shares_step else common)
    reach = max(
        reach, _intercept_reach(problem) * step, *(m * f for m, f in zip(problem.rows.magnitudes, factors, strict=True))
    )
    if reach <= _SCORE_LIMIT * common:
        scaled = [_times(c, f, common) for c, f in zip(columns, factors, strict=True)]
        return np.array(scaled, dtype=np.int64), max(1, step // common) if shares_step else 1, 0
    coarse = reach // _ROUNDED_LIMIT + 1
    rounded = np.empty((len(columns), len(columns[0])), np.int64)
    for j, (column, factor) in enumerate(zip(columns, factors, strict=True)):
        check_deadline()
        rounded[j] = (column.astype(object) * (2 * factor) + coarse) // (2 * coarse)
    coarse_step = max(1, (2 * step + coarse) // (2 * coarse)) if shares_step else 1
    return rounded, coarse_step, 1


def _intercept_reach(problem: Problem) -> int:
    """Twice the largest |b|, 0 where b is free: the kernels then look no further than the totals."""
    if problem.intercept.mode == "free":
        return 0
    choice = intercept_choice(problem, features=0)
    bounds = [b for b in (choice.low, choice.high) if b is not None]
    if choice.allowed is not None and len(choice.allowed):
        bounds.append(int(np.abs(choice.allowed).max()))
    return 2 * max((abs(b) for b in bounds), default=1)


def _times(column: IntArray, factor: int, divisor: int) -> Ints:
    check_deadline()
    if factor % divisor == 0 and column.dtype != object and abs(factor // divisor) <= _SCORE_LIMIT:
        return column.astype(np.int64) * (factor // divisor)
    return np.array([int(x) * factor // divisor for x in column], dtype=np.int64)


def _objective_scale(problem: Problem, values: tuple[IntegerSet, ...]) -> Fraction:
    """Choose kernel units: exact where 2^50 holds all that a model can cost, row weights exact first."""
    row_unit = problem.total_weight * lcm(*(w.denominator for w in problem.class_weights))
    penalties = {*problem.C0, problem.intercept_C0, (problem.C1 or Fraction(0)) / problem.unit}
    levels = [kind for kind in (*problem.levels, problem.intercept_levels) if kind is not None]
    penalties.update(penalty for kind in levels for penalty in kind.penalties)
    whole = lcm(row_unit, *(penalty.denominator for penalty in penalties))
    longest = sum(v.largest for v in values)
    if problem.intercept.allowed is not None:
        longest += int(problem.intercept.allowed.largest_magnitude * problem.unit)
    most = max(problem.class_weights) + sum(problem.C0) + problem.intercept_C0 + 1
    most += sum(max(kind.penalties) for kind in levels) + Fraction(problem.C1 or 0) * longest / problem.unit
    if whole * most <= _OBJECTIVE_LIMIT:
        return Fraction(whole)
    if row_unit * most <= _OBJECTIVE_LIMIT:
        return Fraction(row_unit * int(_OBJECTIVE_LIMIT // (row_unit * most)))
    return Fraction(_OBJECTIVE_LIMIT) / most


def _loss_weights(problem: Problem, group: NDArray[np.intp], n: int, scale: Fraction) -> tuple[Ints, Ints]:
    rows = problem.rows
    result = []
    for of_class, weight in zip((rows.positive, ~rows.positive), reversed(problem.class_weights), strict=True):
        unit = weight * scale / problem.total_weight
        # the weights themselves must fit too, even where a class counts nothing
        fits = fits_int64(max(problem.total_weight * max(1, unit.numerator), unit.denominator))
        dtype = np.int64 if fits else object
        total = np.zeros(n, dtype=dtype)
        np.add.at(total, group[of_class], rows.weights[of_class].astype(dtype))
        result.append((total * unit.numerator // unit.denominator).astype(np.int64))
    return result[0], result[1]

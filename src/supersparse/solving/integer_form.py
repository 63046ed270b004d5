"""IntegerForm: a presolved problem as 64-bit integer arrays, the common ground of our kernels.

Scores become ``columns.T @ v + step * b`` for coefficients v and b in the problem's unit. Where
64 bits hold them exactly, ``slack`` is 0. Where they do not, every entry is rounded to the
nearest integer of a coarser unit and ``slack`` is 1: an entry may then be off by one half, and
whoever proves something must allow for it.

The objective is counted in units of 1/scale of F, rounded down wherever it does not come out
even: a bound computed from these numbers may be weak, never wrong.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray, gcd_of, largest_magnitude
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.objective import intercept_choice
from supersparse.problem.problem import Problem
from supersparse.solving.presolve.merge import row_groups

Ints = NDArray[np.int64]

_SCORE_LIMIT = 2**60  # no score, and no sum of two, leaves 64 bits
_ROUNDED_LIMIT = 2**50
_OBJECTIVE_LIMIT = 2**50
OPEN = 2**60
"""Stands for an intercept bound that is open."""


@dataclass(frozen=True, eq=False, kw_only=True)
class IntegerForm:
    """A problem in kernel units; see the module's docstring."""

    problem: Problem
    columns: Ints  # (features, distinct rows)
    step: int
    slack: int
    positive: Ints  # loss of scoring a distinct row <= 0
    negative: Ints  # loss of scoring it >= 0
    scale: Fraction
    values: tuple[Ints, ...]  # allowed coefficients, sorted
    value_cost: tuple[Ints, ...]  # what each of them costs, C1 apart
    cost_l1: int  # C1 for one unit of a coefficient
    max_size: int
    intercept_low: int
    intercept_high: int
    intercept_values: Ints  # the allowed b of intercept="paper", else empty
    intercept_value_cost: Ints  # what each of them costs, C1 apart
    ranks: NDArray[np.int32]  # of each entry in its column: exact whatever the slack
    rates: "Rates"
    shift: int = 0  # to be added to every loss counted in `positive` and `negative`; see `priced`

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.columns)

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self.columns.shape[1])

    def in_kernel_units(self, value: Fraction) -> int:
        """The largest kernel value not above a value of F."""
        return floor(value * self.scale)

    @cached_property
    def zero_cost(self) -> Ints:
        """What each feature costs when it is not used: 0 unless levels say otherwise."""
        costs = [
            int(c[v == 0][0]) if (v == 0).any() else 0
            for v, c in zip(self.values, self.value_cost, strict=True)
        ]
        return np.array(costs, np.int64)

    @cached_property
    def cost(self) -> Ints:
        """What each feature costs at least when it is used."""
        costs = [
            int(c[v != 0].min(initial=2**62)) if (v != 0).any() else 0
            for v, c in zip(self.values, self.value_cost, strict=True)
        ]
        return np.array(costs, np.int64)

    @cached_property
    def is_flat(self) -> bool:
        """Whether each feature costs the same at all its values and nothing when it is not used."""
        used = (
            (c[v != 0] == cost).all()
            for v, c, cost in zip(self.values, self.value_cost, self.cost, strict=True)
        )
        b = self.intercept_value_cost[self.intercept_values != 0]
        return not self.zero_cost.any() and all(used) and (len(b) == 0 or int(b.min()) == int(b.max()))

    @cached_property
    def worst(self) -> int:
        """More than any model costs, rounding included."""
        costs = sum(
            int(own.max()) + self.cost_l1 * int(np.abs(v).max())
            for v, own in zip(self.values, self.value_cost, strict=True)
        )
        b = self.intercept_value_cost.max(initial=0) + self.cost_l1 * np.abs(self.intercept_values).max(
            initial=0
        )
        rows = int(self.rates.true_positive.sum() + self.rates.true_negative.sum())
        return rows + costs + int(b) + 2 * self.n_rows + self.n_features + 2

    def priced(self, prices: Ints) -> "IntegerForm":
        """Put a price on the rates: the Lagrangian form, whose F is nowhere larger where limits hold.

        With prices u >= 0 on limits Σ_i a_ki·[i wrong] <= most_k, every model that obeys them has

            loss >= loss + Σ_k u_k·(Σ_i a_ki·[i wrong] - most_k) ,

        and the right side is a loss with other weights plus a constant, the `shift`. A weight that
        becomes negative (limits on differences) is replaced by 0 and added to the shift: c·[wrong] >= c.
        """
        positive = self.rates.true_positive + prices @ self.rates.positive
        negative = self.rates.true_negative + prices @ self.rates.negative
        below = int(np.minimum(positive, 0).sum() + np.minimum(negative, 0).sum())
        return replace(
            self,
            positive=np.maximum(positive, 0),
            negative=np.maximum(negative, 0),
            shift=below - int(prices @ self.rates.most),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Rates:
    """The true weights of the distinct rows, and the limits on wrong rows that fit 64 bits."""

    true_positive: Ints
    true_negative: Ints
    positive: Ints  # (limits, distinct rows): what a limit counts when the row is scored <= 0
    negative: Ints  # when it is scored >= 0
    most: Ints


def integer_form(problem: Problem) -> IntegerForm:
    """Bring a problem, merged or not, into kernel units."""
    rows = problem.rows
    group, first = row_groups(list(rows.columns))
    columns = [c[first] for c in rows.columns]
    values = _integer_values(problem)
    matrix, step, slack = _score_matrix(problem, columns, values)
    scale = _objective_scale(problem)
    positive, negative = _loss_weights(problem, group, len(first), scale)
    choice = intercept_choice(problem, features=0)
    intercept_values = _intercept_values(choice.allowed)
    return IntegerForm(
        problem=problem,
        columns=matrix,
        step=step,
        slack=slack,
        positive=positive,
        negative=negative,
        scale=scale,
        values=values,
        value_cost=_value_costs(problem, values, scale),
        cost_l1=floor((problem.C1 or 0) * scale / problem.unit),
        max_size=_max_size(problem),
        intercept_low=-OPEN if choice.low is None else max(-OPEN, choice.low),
        intercept_high=OPEN if choice.high is None else min(OPEN, choice.high),
        intercept_values=intercept_values,
        intercept_value_cost=np.array(
            [
                floor(problem.intercept_penalty(Fraction(int(b), problem.unit)) * scale)
                for b in intercept_values
            ],
            np.int64,
        ),
        rates=_rates(problem, group, len(first), positive, negative),
        ranks=np.array([np.unique(c, return_inverse=True)[1].reshape(-1) for c in columns], dtype=np.int32),
    )


def _intercept_values(allowed: IntArray | None) -> Ints:
    if allowed is None:
        return np.zeros(0, np.int64)
    if largest_magnitude(allowed) > OPEN:
        raise UnsupportedProblemError(
            f"the intercept's set reaches {largest_magnitude(allowed)} units, over 2^60; use a coarser set"
        )
    return allowed.astype(np.int64)


def _integer_values(problem: Problem) -> tuple[Ints, ...]:
    known = {
        s: np.array([int(v * problem.unit) for v in s.values], dtype=np.int64)
        for s in dict.fromkeys(problem.sets)
    }
    return tuple(known[s] for s in problem.sets)


def _value_costs(problem: Problem, values: tuple[Ints, ...], scale: Fraction) -> tuple[Ints, ...]:
    costs = []
    for j, own in enumerate(values):
        if problem.levels[j] is None:
            costs.append(np.where(own != 0, floor(problem.C0[j] * scale), 0))
        else:
            penalties = (problem.penalty(j, Fraction(int(v), problem.unit)) for v in own)
            costs.append(np.array([floor(penalty * scale) for penalty in penalties], np.int64))
    return tuple(costs)


def _rates(problem: Problem, group: NDArray[np.intp], n: int, positive: Ints, negative: Ints) -> Rates:
    """Sum each limit over the distinct rows; one beyond 64 bits is left to the evaluator."""
    limits = [limit for limit in problem.rate_limits if limit.weights.dtype != object]
    of_class = [np.zeros((len(limits), n), np.int64) for _ in range(2)]
    for k, limit in enumerate(limits):
        for total, own in zip(of_class, (problem.rows.positive, ~problem.rows.positive), strict=True):
            np.add.at(total[k], group[own], limit.weights[own])
    return Rates(
        true_positive=positive,
        true_negative=negative,
        positive=of_class[0],
        negative=of_class[1],
        most=np.array([limit.at_most for limit in limits], np.int64),
    )


def _max_size(problem: Problem) -> int:
    most = problem.n_features + problem.intercept.is_penalised
    return most if problem.max_features is None else min(most, problem.max_features)


def _score_matrix(
    problem: Problem, columns: list[IntArray], values: tuple[Ints, ...]
) -> tuple[Ints, int, int]:
    """Scale all columns to the score step's unit, divide out what they share, round if need be."""
    step = problem.score_step
    factors = [step // s for s in problem.rows.scales]
    common = 0 if problem.intercept.mode == "none" else step
    for column, factor in zip(columns, factors, strict=True):
        common = gcd(common, gcd_of(column) * factor)
    common = common or 1
    largest = [
        int(np.abs(v).max()) * m * f for v, m, f in zip(values, problem.rows.magnitudes, factors, strict=True)
    ]
    reach = sum(sorted(largest, reverse=True)[: _max_size(problem)]) + step
    reach = max(reach, _intercept_reach(problem) * step)
    if reach <= _SCORE_LIMIT * common:
        scaled = [_times(c, f, common) for c, f in zip(columns, factors, strict=True)]
        return np.array(scaled, dtype=np.int64), max(1, step // common), 0
    coarse = reach // _ROUNDED_LIMIT + 1
    rounded = [
        [(2 * int(x) * f + coarse) // (2 * coarse) for x in c] for c, f in zip(columns, factors, strict=True)
    ]
    return np.array(rounded, dtype=np.int64), max(1, (2 * step + coarse) // (2 * coarse)), 1


def _intercept_reach(problem: Problem) -> int:
    choice = intercept_choice(problem, features=0)
    bounds = [b for b in (choice.low, choice.high) if b is not None]
    if choice.allowed is not None and len(choice.allowed):
        bounds.append(int(np.abs(choice.allowed).max()))
    return 2 * max((abs(b) for b in bounds), default=1)


def _times(column: IntArray, factor: int, divisor: int) -> Ints:
    if factor % divisor == 0:
        return (
            column.astype(np.int64) * (factor // divisor)
            if column.dtype != object
            else _exactly(column, factor, divisor)
        )
    return _exactly(column, factor, divisor)


def _exactly(column: IntArray, factor: int, divisor: int) -> Ints:
    return np.array([int(x) * factor // divisor for x in column], dtype=np.int64)


def _objective_scale(problem: Problem) -> Fraction:
    """Choose kernel units: exact where 2^50 suffices, else fine enough, row weights exact first."""
    row_unit = problem.total_weight * lcm(*(w.denominator for w in problem.class_weights))
    costs = {*problem.C0, problem.intercept_C0, (problem.C1 or Fraction(0)) / problem.unit}
    levels = [own for own in (*problem.levels, problem.intercept_levels) if own is not None]
    costs.update(penalty for own in levels for penalty in own.penalties)
    whole = lcm(row_unit, *(c.denominator for c in costs))
    most = max(problem.class_weights) + sum(problem.C0) + sum(max(own.penalties) for own in levels) + 1
    if whole * most <= _OBJECTIVE_LIMIT:
        return Fraction(whole)
    if row_unit * most <= _OBJECTIVE_LIMIT:
        return Fraction(row_unit * int(_OBJECTIVE_LIMIT // (row_unit * most)))
    return Fraction(_OBJECTIVE_LIMIT) / most


def _loss_weights(problem: Problem, group: NDArray[np.intp], n: int, scale: Fraction) -> tuple[Ints, Ints]:
    rows = problem.rows
    result = []
    for of_class, weight in zip(
        (rows.positive, ~rows.positive), reversed(problem.class_weights), strict=True
    ):
        total = np.zeros(n, dtype=object)
        np.add.at(total, group[of_class], rows.weights[of_class].astype(object))
        unit = weight * scale / problem.total_weight
        result.append(np.array([int(t) * unit.numerator // unit.denominator for t in total], dtype=np.int64))
    return result[0], result[1]

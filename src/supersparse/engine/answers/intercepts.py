"""All intercepts that keep F within a limit for fixed coefficients, not only the best one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import IntArray
from supersparse.problem.intercept import InterceptChoice, gaps_of, nearest_to_middle
from supersparse.problem.near_totals import integer_totals, step_of
from supersparse.problem.objective import classified, intercept_choice, row_costs, with_threshold_in
from supersparse.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class WithIntercept:
    """One choice of b, in the problem's unit, with its cost and its prediction for each row."""

    intercept: int | Fraction
    objective: Fraction
    l1: Fraction
    predicted: bytes  # one bit per row: score > 0


def intercepts_within(
    problem: Problem, coefficients: Sequence[int], limit: Fraction
) -> Iterator[WithIntercept]:
    """Yield one b for each way to classify the rows with F <= limit that satisfies all constraints.

    b is chosen like the best intercept: for a free threshold, the roundest number between two totals; in a
    range of whole b, the one nearest the middle of its interval. If b is penalised, every allowed value is
    used.
    """
    totals = integer_totals(problem, coefficients)
    if problem.intercept.mode == "free":
        found = _thresholds(problem, coefficients, totals, limit)
    else:
        found = _restricted(problem, coefficients, totals, limit)
    for choice, wrong in found:
        if choice.objective <= limit and _obeys(problem, coefficients, choice.intercept, wrong):
            yield choice


def _thresholds(
    problem: Problem, coefficients: Sequence[int], totals: IntArray, limit: Fraction
) -> Iterator[tuple[WithIntercept, NDArray[np.bool_]]]:
    spent, l1 = _without_intercept(problem, coefficients)
    costs = _Costs(problem, limit - spent)
    gaps = gaps_of(totals, *costs.by_class)
    for gap in np.flatnonzero((gaps.losses <= costs.cap).astype(bool)).tolist():
        points = with_threshold_in(problem, coefficients, *gaps.ends(gap))
        above, below = classified(problem, points)
        wrong = np.where(problem.rows.positive, ~above, ~below)
        objective = costs.value(int(gaps.losses[gap])) + spent
        yield WithIntercept(points.intercept, objective, l1, np.packbits(above).tobytes()), wrong


def _restricted(
    problem: Problem, coefficients: Sequence[int], totals: IntArray, limit: Fraction
) -> Iterator[tuple[WithIntercept, NDArray[np.bool_]]]:
    step, positive = step_of(problem, coefficients), problem.rows.positive
    predicted_from = (-totals) // step + 1
    wrong_from = -(totals // step)  # of the negative rows; a score of 0 is wrong for both classes
    choice = intercept_choice(problem, features=sum(1 for c in coefficients if c))
    candidates, ends = _candidates(choice, np.unique(np.concatenate([predicted_from, wrong_from[~positive]])))
    spent, l1 = _without_intercept(problem, coefficients)
    costs = _Costs(problem, limit - spent)
    of_positive, of_negative = costs.by_class
    loss = _total_above(predicted_from[positive], of_positive[positive], candidates) + _total_up_to(
        wrong_from[~positive], of_negative[~positive], candidates
    )
    for i in np.flatnonzero((loss <= costs.cap).astype(bool)).tolist():
        b = int(candidates[i]) if ends is None else nearest_to_middle(*ends[i], choice)
        if b is None:
            continue
        magnitude = Fraction(abs(b), problem.unit) if problem.intercept.is_penalised else Fraction(0)
        objective = (
            costs.value(int(loss[i]))
            + spent
            + problem.intercept_penalty(Fraction(b, problem.unit))
            + (problem.C1 or 0) * magnitude
        )
        predicted = (predicted_from <= b).astype(bool)
        wrong = np.where(positive, ~predicted, (wrong_from <= b).astype(bool))
        yield WithIntercept(b, objective, l1 + magnitude, np.packbits(predicted).tobytes()), wrong


class _Costs:
    """Losses in whole numbers, and their limit."""

    def __init__(self, problem: Problem, left: Fraction) -> None:
        of_negative, of_positive = problem.class_weights
        scale = lcm(of_negative.denominator, of_positive.denominator)
        self.by_class = row_costs(problem, int(of_positive * scale), int(of_negative * scale))
        self._unit = problem.total_weight * scale
        self.cap = floor(left * self._unit)

    def value(self, loss: int) -> Fraction:
        """A loss as a part of F."""
        return Fraction(loss, self._unit)


def _candidates(
    choice: InterceptChoice, starts: IntArray
) -> tuple[IntArray, list[tuple[int | None, int | None]] | None]:
    """One b per interval, with the intervals; or all values of a finite choice, and None."""
    if choice.allowed is not None:
        return choice.allowed, None
    ends = [None, *(int(s) for s in starts)]
    intervals = [
        (low, None if high is None else high - 1) for low, high in zip(ends, [*ends[1:], None], strict=True)
    ]
    return np.concatenate([starts[:1] - 1, starts]), intervals


def _without_intercept(problem: Problem, coefficients: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The cost of the coefficients, including the C1 term, and their l1."""
    l1 = Fraction(sum(abs(c) for c in coefficients), problem.unit)
    penalty = sum(
        (problem.penalty(j, Fraction(c, problem.unit)) for j, c in enumerate(coefficients)), Fraction(0)
    )
    return penalty + (problem.C1 or 0) * l1, l1


def _total_up_to(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at`, the weight of all rows with where <= b."""
    order = np.argsort(where, kind="stable")
    totals = np.concatenate([np.zeros(1, dtype=weights.dtype), np.cumsum(weights[order])])
    summed: IntArray = totals[np.searchsorted(where[order], at, side="right")]
    return summed


def _total_above(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at`, the weight of all rows with where > b."""
    rest: IntArray = weights.sum(dtype=weights.dtype) - _total_up_to(where, weights, at)
    return rest


def _obeys(
    problem: Problem, coefficients: Sequence[int], b: int | Fraction, wrong: NDArray[np.bool_]
) -> bool:
    """Whether b satisfies the limits that include it; the coefficients already satisfy theirs."""
    return all(
        limit.total(coefficients) + limit.intercept_weight * (b != 0) <= limit.at_most
        for limit in problem.support_limits
    ) and all(limit.total(wrong) <= limit.at_most for limit in problem.rate_limits)

"""Every intercept beside given coefficients that keeps F within a limit, not only the best one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray, fits_int64
from supersparse.problem.intercept import InterceptChoice, nearest_to_middle
from supersparse.problem.objective import integer_scores, intercept_choice
from supersparse.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class WithIntercept:
    """One choice of b, in the problem's unit: what it costs and what it predicts for each row."""

    intercept: int
    objective: Fraction
    l1: Fraction
    predicted: bytes  # one bit a row: score > 0


def intercepts_within(
    problem: Problem, coefficients: Sequence[int], limit: Fraction
) -> Iterator[WithIntercept]:
    """Give, of each interval of b that treats all rows alike, one b, if F <= limit and all is obeyed.

    The one nearest the middle of its interval stands for it, as for the best intercept. Where b
    is penalised every allowed value is an interval of its own.
    """
    scores = integer_scores(problem, coefficients, 0)
    step, positive, weights = problem.score_step, problem.rows.positive, problem.rows.weights
    predicted_from = (-scores) // step + 1
    wrong_from = -(scores // step)  # of the negative rows; a score of 0 is wrong for both classes
    choice = intercept_choice(problem, features=sum(1 for c in coefficients if c))
    candidates, ends = _candidates(choice, np.unique(np.concatenate([predicted_from, wrong_from[~positive]])))
    spent, l1 = _without_intercept(problem, coefficients)
    wrong_positive = _total_above(predicted_from[positive], weights[positive], candidates)
    wrong_negative = _total_up_to(wrong_from[~positive], weights[~positive], candidates)
    of_negative, of_positive = problem.class_weights
    scale = lcm(of_negative.denominator, of_positive.denominator)
    cap = floor((limit - spent) * problem.total_weight * scale)
    largest = problem.total_weight * scale * max(Fraction(1), of_negative, of_positive)
    kind = np.int64 if fits_int64(int(largest)) else object
    loss = wrong_positive.astype(kind) * int(of_positive * scale) + wrong_negative.astype(kind) * int(
        of_negative * scale
    )
    for i in np.flatnonzero((loss <= cap).astype(bool)).tolist():
        b = int(candidates[i]) if ends is None else nearest_to_middle(*ends[i], choice)
        if b is None:
            continue
        magnitude = Fraction(abs(b), problem.unit) if problem.intercept.is_penalised else Fraction(0)
        objective = (
            Fraction(int(loss[i]), problem.total_weight * scale)
            + spent
            + problem.intercept_penalty(Fraction(b, problem.unit))
            + (problem.C1 or 0) * magnitude
        )
        predicted = (predicted_from <= b).astype(bool)
        wrong = np.where(positive, ~predicted, (wrong_from <= b).astype(bool))
        if objective <= limit and _obeys(problem, coefficients, b, wrong):
            yield WithIntercept(b, objective, l1 + magnitude, np.packbits(predicted).tobytes())


def _candidates(
    choice: InterceptChoice, starts: IntArray
) -> tuple[IntArray, list[tuple[int | None, int | None]] | None]:
    """One b of each interval, and the intervals; of a finite choice all values, and None."""
    if choice.allowed is not None:
        return choice.allowed, None
    ends = [None, *(int(s) for s in starts)]
    intervals = [
        (low, None if high is None else high - 1) for low, high in zip(ends, [*ends[1:], None], strict=True)
    ]
    return np.concatenate([starts[:1] - 1, starts]), intervals


def _without_intercept(problem: Problem, coefficients: Sequence[int]) -> tuple[Fraction, Fraction]:
    """What the coefficients cost, the term of C1 included, and their l1."""
    l1 = Fraction(sum(abs(c) for c in coefficients), problem.unit)
    penalty = sum(
        (problem.penalty(j, Fraction(c, problem.unit)) for j, c in enumerate(coefficients)), Fraction(0)
    )
    return penalty + (problem.C1 or 0) * l1, l1


def _total_up_to(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at` the weight of all rows with where <= b."""
    order = np.argsort(where, kind="stable")
    totals = np.concatenate([np.zeros(1, dtype=weights.dtype), np.cumsum(weights[order])])
    summed: IntArray = totals[np.searchsorted(where[order], at, side="right")]
    return summed


def _total_above(where: IntArray, weights: IntArray, at: IntArray) -> IntArray:
    """For each b in `at` the weight of all rows with where > b."""
    rest: IntArray = weights.sum(dtype=weights.dtype) - _total_up_to(where, weights, at)
    return rest


def _obeys(problem: Problem, coefficients: Sequence[int], b: int, wrong: NDArray[np.bool_]) -> bool:
    """Whether b obeys the limits in which it counts; the coefficients obey theirs."""
    return all(
        limit.total(coefficients) + limit.intercept_weight * (b != 0) <= limit.at_most
        for limit in problem.support_limits
    ) and all(limit.total(wrong) <= limit.at_most for limit in problem.rate_limits)

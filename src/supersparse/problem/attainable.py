"""Rounding a bound to values that F can take.

F is a number of wrong rows plus penalties, so it cannot take every value. A floating-point
bound, lowered by its tolerance, may therefore be raised to the next value that can occur.
"""

from fractions import Fraction
from math import ceil, gcd

from supersparse.decimals import gcd_of
from supersparse.problem.penalty_range import objective_step
from supersparse.problem.problem import NOTHING_ALLOWED_BUT_ZERO, Problem


def next_attainable(problem: Problem, bound: Fraction) -> Fraction:
    """Return a value v >= bound such that no objective of the problem lies in [bound, v)."""
    step, penalties = _loss_step_and_penalties(problem)
    if penalties is None:
        whole = step_with_l1(problem)
        return max(Fraction(0), ceil(bound / whole) * whole)
    return min(p + max(0, ceil((bound - p) / step)) * step for p in penalties)


def previous_attainable(problem: Problem, value: Fraction) -> Fraction | None:
    """Return v < value such that no objective lies strictly between, None if none lies below."""
    step, penalties = _loss_step_and_penalties(problem)
    if penalties is None:
        whole = step_with_l1(problem)
        return (ceil(value / whole) - 1) * whole if value > 0 else None
    below = [p + (ceil((value - p) / step) - 1) * step for p in penalties if p < value]
    return max(below, default=None)


def _loss_step_and_penalties(problem: Problem) -> tuple[Fraction, list[Fraction] | None]:
    """The step of the loss, and all values of the penalty when one C0, and no levels, serve all features."""
    rows = problem.rows
    parts = [
        gcd_of(rows.weights[of_class]) * weight / problem.total_weight
        for of_class, weight in zip((~rows.positive, rows.positive), problem.class_weights, strict=True)
    ]
    denominator = parts[0].denominator * parts[1].denominator
    step = Fraction(gcd(int(parts[0] * denominator), int(parts[1] * denominator)), denominator)
    usable = {c for c, s in zip(problem.C0, problem.sets, strict=True) if s != NOTHING_ALLOWED_BUT_ZERO}
    if problem.intercept.is_penalised:
        usable.add(problem.intercept_C0)
    if len(usable) > 1 or step == 0 or problem.C1 or problem.has_levels:
        return step, None
    count = problem.n_features + problem.intercept.is_penalised
    if problem.max_features is not None:
        count = min(count, problem.max_features)
    C0 = usable.pop() if usable else Fraction(0)
    return step, [k * C0 for k in range(count + 1)]


def step_with_l1(problem: Problem) -> Fraction:
    """A number that divides every value of F, a numeric C1 included."""
    step = objective_step(problem)
    if not problem.C1:
        return step
    l1_step = problem.C1 / problem.unit
    denominator = step.denominator * l1_step.denominator
    return Fraction(gcd(int(step * denominator), int(l1_step * denominator)), denominator)

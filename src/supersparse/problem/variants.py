"""Variants of a problem with other penalties, weights or sets, and useful penalties (section 3.2)."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from fractions import Fraction
from math import ceil, gcd, lcm

import numpy as np

from supersparse.base.errors import PenaltyRangeWarning, warn
from supersparse.base.exact import shown
from supersparse.base.integer_arrays import Flags, IntArray, gcd_of, row_groups
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO


def with_size_penalty(problem: Problem, C0: Fraction) -> Problem:
    """Return the problem with one C0 for all; features with levels keep them."""
    of_intercept = problem.intercept.is_penalised and problem.intercept_levels is None
    return replace(
        problem,
        C0=tuple(C0 if level is None else Fraction(0) for level in problem.levels),
        intercept_C0=C0 if of_intercept else Fraction(0),
    )


def errors_only(problem: Problem) -> Problem:
    """Return the problem in which only errors (and a numeric C1) have a cost."""
    free = replace(
        problem,
        C0=(Fraction(0),) * problem.n_features,
        intercept_C0=Fraction(0),
        levels=(None,) * problem.n_features,
        intercept_levels=None,
        change_price=Fraction(0),
    )
    return free.asking()  # levels may have kept a constant column


def of_classes(problem: Problem) -> Problem:
    """The same problem with the rows' own classes, where it has those that soft labels favour; rates are not kept."""
    rows = problem.rows.of_classes
    return problem if rows is None else replace(problem, rows=rows, rate_limits=())


def with_class_weights(problem: Problem, negative: Fraction, positive: Fraction) -> Problem:
    return replace(problem, class_weights=(negative, positive))


def with_sets(problem: Problem, sets: Mapping[int, CoefficientSet]) -> Problem:
    """Return the problem with other sets for some features; constraints then narrow them."""
    all_sets = tuple(sets.get(j, usual) for j, usual in enumerate(problem.given_sets))
    return replace(problem, given_sets=all_sets).asking()


def most_features(problem: Problem) -> int:
    """The largest size that the sets and the size limit allow, as the problem counts it."""
    usable = sum(1 for s in problem.sets if s.largest_magnitude)
    allowed = problem.intercept.allowed
    usable += problem.intercept.is_penalised and allowed is not None and bool(allowed.largest_magnitude)
    return usable if problem.max_features is None else min(usable, problem.max_features)


ROUNDING = Fraction(1, 10**9)  # C0 = 1/N, written as a float, is not below 1/N


def smallest_loss_step(problem: Problem) -> Fraction:
    """The loss of the lightest row, which one more correct row saves at least (1/N without weights)."""
    return loss_of_lightest(problem, problem.rows.weights, problem.rows.positive)


def loss_of_lightest(problem: Problem, weights: IntArray, positive: Flags) -> Fraction:
    """The loss of the lightest of some rows of the problem, or of groups of them."""
    steps = [
        int(weights[of_class].min()) * weight
        for of_class, weight in zip((~positive, positive), problem.class_weights, strict=True)
        if weight > 0
    ]
    return min(steps) / problem.total_weight


def loss_of_one_row(problem: Problem) -> Fraction:
    """The loss of one row (1/N without weights), the lightest if weights are not whole numbers.

    A row of weight 3 is the same as three equal rows, so whole weights count rows, and one row is one of these.
    """
    unit = problem.rows.weight_unit
    if unit.denominator > 1:
        return smallest_loss_step(problem)
    return min(weight for weight in problem.class_weights if weight > 0) / (unit * problem.total_weight)


def constant_model_loss(problem: Problem) -> Fraction:
    """The loss of the best model without features, ignoring limits; features cannot save more."""
    free = problem if problem.is_plain else replace(problem, support_limits=(), rate_limits=())
    constant = with_best_intercept(free, [0] * problem.n_features)
    assert constant is not None, "without limits there is always an intercept"
    return evaluate(free, constant).loss


def loss_step(problem: Problem) -> Fraction:
    """A number that divides every difference of the loss (1/N without weights)."""
    return common_step(_loss_parts(problem))


def objective_step(problem: Problem) -> Fraction:
    """A number that divides every difference of F, without the C1 term."""
    parts = [*_loss_parts(problem), *set(problem.C0), problem.intercept_C0]
    for levels in {*problem.levels, problem.intercept_levels} - {None}:
        assert levels is not None
        parts += levels.penalties
    return common_step(parts)


def _loss_parts(problem: Problem) -> list[Fraction]:
    rows = problem.rows
    return [
        gcd_of(rows.weights[of_class]) * weight / problem.total_weight
        for of_class, weight in zip((~rows.positive, rows.positive), problem.class_weights, strict=True)
    ]


def common_step(parts: Collection[Fraction]) -> Fraction:
    """The largest number that divides all of these; 0 where there is none but 0."""
    denominator = lcm(*(p.denominator for p in parts))
    return Fraction(gcd(*(int(p * denominator) for p in parts)), denominator)


def largest_l1(problem: Problem) -> Fraction:
    """The largest ‖λ‖1 that the sets and the size limit allow."""
    magnitudes = [s.largest_magnitude for s in problem.sets]
    if problem.intercept.allowed is not None:
        magnitudes.append(problem.intercept.allowed.largest_magnitude)
    magnitudes.sort(reverse=True)
    return sum(magnitudes[: problem.max_features], Fraction(0))


_is_quiet: ContextVar[bool] = ContextVar("is_quiet", default=False)


@contextmanager
def quiet_about_penalties() -> Iterator[None]:
    """Let `warn_about_penalties` say nothing inside, in this thread only: other fits may run in others."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn_about_penalties(problem: Problem) -> None:
    """Warn if C0 or a numeric C1 is outside its useful range."""
    if _is_quiet.get():
        return
    low, high = loss_of_one_row(problem), constant_model_loss(problem)
    useful = (
        f"useful values of C0 lie between {float(low):.3g} (one row) and {float(high):.3g} (the best constant model)"
    )
    counts_rows = loss_of(problem).counts_rows
    if not counts_rows:
        useful = f"useful values of C0 lie below {float(high):.3g}, the log loss of the best constant risk"
    active = [
        c
        for c, s, levels in zip(problem.C0, problem.sets, problem.levels, strict=True)
        if len(s) > 1 and levels is None
    ]
    may_be_needed = problem.support_limits or problem.rate_limits or problem.has_levels
    if counts_rows and active and min(active) < low * (1 - ROUNDING):
        warn(
            f"C0 = {shown(min(active))} is below the loss of a single row, "
            f"so a feature may enter to fix one row; {useful}",
            PenaltyRangeWarning,
        )
    if active and min(active) > high * (1 + ROUNDING) and not may_be_needed:
        warn(
            f"C0 = {shown(min(active))} exceeds what features can save, so no feature will be used; {useful}",
            PenaltyRangeWarning,
        )
    if counts_rows and problem.C1:
        safe = objective_step(problem) / max(largest_l1(problem), Fraction(1, 10**9))
        if safe <= problem.C1:
            warn(
                f"C1 = {shown(problem.C1)} can change errors or size; "
                f"it only breaks ties below {float(safe):.3g}, and C1='auto' breaks them exactly",
                PenaltyRangeWarning,
            )


def next_attainable(problem: Problem, bound: Fraction) -> Fraction:
    """Return a value v >= bound such that no objective of the problem is in [bound, v)."""
    step, penalties = _loss_step_and_penalties(problem)
    if penalties is None:
        whole = step_with_l1(problem)
        return max(Fraction(0), ceil(bound / whole) * whole)
    return min(p + max(0, ceil((bound - p) / step)) * step for p in penalties)


def previous_attainable(problem: Problem, value: Fraction) -> Fraction | None:
    """Return v < value such that no objective is strictly between; None if none is below."""
    step, penalties = _loss_step_and_penalties(problem)
    if penalties is None:
        whole = step_with_l1(problem)
        return (ceil(value / whole) - 1) * whole if value > 0 else None
    below = [p + (ceil((value - p) / step) - 1) * step for p in penalties if p < value]
    return max(below, default=None)


def _loss_step_and_penalties(problem: Problem) -> tuple[Fraction, list[Fraction] | None]:
    """The step of the loss, and all penalty values if one C0 applies to all features, without levels."""
    step = loss_step(problem)
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
    """A number that divides every value of F, including a numeric C1."""
    step = objective_step(problem)
    return common_step([step, problem.C1 / problem.unit]) if problem.C1 else step


def unavoidable_loss(problem: Problem) -> Fraction:
    """A lower bound on the loss of any model: among equal rows, one class is wrong.

    It holds for the log loss too: with weights p <= q of the two classes, equal rows lose at least 2·p·log 2.

    >>> str(unavoidable_loss(Problem.of([[1], [1], [1], [2]], [0, 1, 1, 1])))
    '1/4'
    """
    rows = problem.rows
    usable = [c for c, s in zip(rows.columns, problem.sets, strict=True) if s.largest_magnitude]
    group, first = row_groups(usable or [np.zeros(rows.n_rows, dtype=np.int64)])
    negative, positive = (np.zeros(len(first), dtype=object) for _ in range(2))
    own_negative, own_positive, unit = rows.halves
    np.add.at(negative, group, own_negative.astype(object))
    np.add.at(positive, group, own_positive.astype(object))
    of_negative, of_positive = problem.class_weights
    wrong = (min(of_negative * n, of_positive * p) for n, p in zip(negative, positive, strict=True))
    return sum(wrong, Fraction(0)) / (unit * problem.total_weight)

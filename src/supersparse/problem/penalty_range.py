"""Which penalties do what their names say (section 3.2), and a warning for those that do not."""

import sys
import warnings
from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm

from supersparse.decimals import gcd_of
from supersparse.errors import PenaltyRangeWarning
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

ROUNDING = Fraction(1, 10**9)  # C0 = 1/N, written as a float, is not below 1/N


def smallest_loss_step(problem: Problem) -> Fraction:
    """The loss of the lightest row: the least that one more correct row can save (1/N without weights)."""
    rows = problem.rows
    steps = [
        int(rows.weights[of_class].min()) * weight
        for of_class, weight in zip((~rows.positive, rows.positive), problem.class_weights, strict=True)
        if weight > 0
    ]
    return min(steps) / problem.total_weight


def constant_model_loss(problem: Problem) -> Fraction:
    """The loss of the best model without features, limits left aside: no feature can save more."""
    free = problem if problem.is_plain else replace(problem, support_limits=(), rate_limits=())
    constant = with_best_intercept(free, [0] * problem.n_features)
    assert constant is not None, "without limits there is always an intercept"
    return evaluate(free, constant).loss


def loss_step(problem: Problem) -> Fraction:
    """A number that divides every difference of the loss (1/N without weights)."""
    return _common_step(_loss_parts(problem))


def objective_step(problem: Problem) -> Fraction:
    """A number that divides every difference of F, the C1 term left out."""
    parts = [*_loss_parts(problem), *set(problem.C0), problem.intercept_C0]
    for levels in {*problem.levels, problem.intercept_levels} - {None}:
        assert levels is not None
        parts += levels.penalties
    return _common_step(parts)


def _loss_parts(problem: Problem) -> list[Fraction]:
    rows = problem.rows
    return [
        gcd_of(rows.weights[of_class]) * weight / problem.total_weight
        for of_class, weight in zip((~rows.positive, rows.positive), problem.class_weights, strict=True)
    ]


def _common_step(parts: list[Fraction]) -> Fraction:
    denominator = lcm(*(p.denominator for p in parts))
    return Fraction(gcd(*(int(p * denominator) for p in parts)), denominator)


def largest_l1(problem: Problem) -> Fraction:
    """The largest ‖λ‖1 that the sets and the size limit allow."""
    magnitudes = [s.largest_magnitude for s in problem.sets]
    if problem.intercept.allowed is not None:
        magnitudes.append(problem.intercept.allowed.largest_magnitude)
    magnitudes.sort(reverse=True)
    return sum(magnitudes[: problem.max_features], Fraction(0))


def warn_about_penalties(problem: Problem) -> None:
    """Warn when C0 or a numeric C1 lies outside its useful range, naming that range."""
    low, high = smallest_loss_step(problem), constant_model_loss(problem)
    useful = (
        f"useful values of C0 lie between {float(low):.3g} (one row) "
        f"and {float(high):.3g} (the best constant model)"
    )
    active = [
        c
        for c, s, levels in zip(problem.C0, problem.sets, problem.levels, strict=True)
        if len(s) > 1 and levels is None
    ]
    may_be_needed = problem.support_limits or problem.rate_limits or problem.has_levels
    if active and min(active) < low * (1 - ROUNDING):
        warnings.warn(
            f"C0 = {float(min(active)):g} is below the loss of a single row, "
            f"so a feature may enter to fix one row; {useful}",
            PenaltyRangeWarning,
            stacklevel=_callers_level(),
        )
    if active and min(active) > high * (1 + ROUNDING) and not may_be_needed:
        warnings.warn(
            f"C0 = {float(min(active)):g} exceeds all that any features can save, "
            f"so no feature will be used; {useful}",
            PenaltyRangeWarning,
            stacklevel=_callers_level(),
        )
    if problem.C1:
        safe = objective_step(problem) / max(largest_l1(problem), Fraction(1, 10**9))
        if safe <= problem.C1:
            warnings.warn(
                f"C1 = {float(problem.C1):g} can change errors or size; "
                f"it only breaks ties below {float(safe):.3g}, and C1='auto' breaks them exactly",
                PenaltyRangeWarning,
                stacklevel=_callers_level(),
            )


def _callers_level() -> int:
    """The stack level of the user's line, past this package and scikit-learn's wrapper of fit."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "supersparse",
        "sklearn",
    ):
        frame, level = frame.f_back, level + 1
    return level

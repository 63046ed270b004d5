"""The log loss of a scoring system as a risk model: risk = 1 / (1 + exp(-slope·score)).

The score is the total plus the intercept, so a score of 0 is a risk of one half. Log losses cannot be
computed exactly. What is reported is rounded up by more than the rounding errors of its terms, and the terms
are added without any (`math.fsum`), so no true loss is above it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Floats, IntArray, distinct_of, largest_magnitude
from supersparse.problem.near_totals import NearTotals, integer_totals, step_of
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

EFFECT_CAP = 30.0  # slope·|points|·(standard deviation of the feature) is at most this
PROOF_TOLERANCE = Fraction(1, 10**9)  # proven optimal: no allowed card is better by more than this
_ROUNDING = 2.0**-53
_HALF = Fraction(1, 2)
_DIGITS = 15  # of slope and intercept, so that they can be printed and read back; of an intercept, more if needed
_INTERCEPT_ERROR = Fraction(1, 10**13)  # log odds that the digits of an intercept may change
_NEAR_ERROR = 1e-11  # log odds by which totals in doubles may be off; beyond, they are added up exactly
_TIE = 1e-9  # log odds: a fitted risk as near as this to the threshold counts as above it
_LEAST_SLOPE = 1e-13  # of the largest, in place of 0, which is best for a card that points the wrong way
_MANY_ROWS = 100_000


def log_loss(problem: Problem, points: Points) -> Fraction:
    """(1/N)·Σ s_i·W(y_i)·log(1 + exp(-y_i·slope·score_i)), rounded up.

    A row with a soft label p counts p times as a positive and 1 - p times as a negative one.

    >>> problem = Problem.of([[0], [1]], [0, 1], goal="risk")
    >>> float(log_loss(problem, Points((0,), 0, slope=Fraction(1))))  # doctest: +ELLIPSIS
    0.69314718055994...
    """
    slope = slope_of(points)
    near = _near_totals(problem, points.coefficients, float(slope) / points.denominator)
    if near is not None:
        return _near_log_loss(problem, points, near)
    totals = integer_totals(problem, points.coefficients, points.answers)
    distinct, position = distinct_of(totals)
    unit = points.denominator * step_of(problem, points.coefficients)
    logits = _logits(distinct.tolist(), unit, slope, points.intercept_value)
    weights, labels = np.array(problem.rows.weights, dtype=float), problem.rows.labels
    sums = [
        np.bincount(position.reshape(-1), weights * share, len(distinct)).tolist() for share in (labels, 1 - labels)
    ]
    negative_weight, positive_weight = (w / problem.total_weight for w in problem.class_weights)
    total = Fraction(0)
    for weight, of_row, sign in ((positive_weight, sums[0], -1), (negative_weight, sums[1], 1)):
        terms, sizes = [], []
        for z, row in zip(logits, of_row, strict=True):
            if not row:  # most totals of many-valued columns belong to one class
                continue
            tail = math.exp(-abs(z))
            cost = max(sign * z, 0.0) + math.log1p(tail)
            terms.append(row * cost)
            sizes.append(row * (cost + abs(z) * (1.0 if sign * z > 0 else tail)))  # z itself is rounded
        error = 16 * _ROUNDING * math.fsum(sizes)
        total += weight * (Fraction(math.fsum(terms)) + Fraction(error))
    return total


def slope_of(points: Points) -> Fraction:
    """The slope of the points of a risk model."""
    assert points.slope is not None, "the points of a risk model have a slope"
    return points.slope


def _logits(totals: list[int], unit: int, slope: Fraction, intercept: Fraction) -> list[float]:
    """slope·(total / unit + intercept), rounded once: whole numbers up to the division."""
    factor, added = slope.numerator * intercept.denominator, slope.numerator * intercept.numerator * unit
    divisor = slope.denominator * intercept.denominator * unit
    return [(factor * total + added) / divisor for total in totals]


def _near_totals(problem: Problem, coefficients: Sequence[int], slope: float) -> NearTotals | None:
    """Totals in doubles, for large tables; None where they are too rough for this slope by unit of a total.

    Far from 0 a double has few digits left for the differences that risks are about.
    """
    near = NearTotals.of(problem, coefficients)
    return None if near is None or not slope * near.margin <= _NEAR_ERROR else near


def _near_log_loss(problem: Problem, points: Points, near: NearTotals) -> Fraction:
    """The same for large tables, from totals in doubles; what these may be off by is added.

    A row's loss changes by at most as much as its logit does.
    """
    slope, b, unit = float(slope_of(points)), float(points.intercept_value), float(points.denominator)
    terms, errors = [], []
    for weight, of_class, sign in zip(
        problem.class_weights, (~problem.rows.positive, problem.rows.positive), (1.0, -1.0), strict=True
    ):
        totals = near.floats[of_class] / unit
        z = slope * (totals + b)
        cost = np.maximum(sign * z, 0.0) + np.log1p(np.exp(-np.abs(z)))
        sizes = cost + np.abs(z) + slope * (np.abs(totals) + abs(b))
        off = slope * near.margin / unit + 64 * _ROUNDING * sizes
        rows = np.array(problem.rows.weights[of_class], dtype=float)
        terms.append(weight / problem.total_weight * Fraction(math.fsum((rows * cost).tolist())))
        errors.append(weight / problem.total_weight * Fraction(math.fsum((rows * off).tolist())))
    return sum(terms, Fraction(0)) + 2 * sum(errors, Fraction(0))


def deviation(problem: Problem, j: int) -> float:
    """The standard deviation of one column, by sample weight."""
    return _deviation(problem, j, np.array(problem.rows.weights, dtype=float))


def _deviation(problem: Problem, j: int, weights: Floats) -> float:
    """The standard deviation of a column; in large tables of doubles, unless it is small compared with the mean."""
    raw = None if problem.rows.raw is None else problem.rows.raw[j]
    if raw is not None and raw.dtype == np.float64:
        share = weights / weights.sum()
        mean = float(share @ raw)
        deviation = float(np.sqrt(share @ (raw - mean) ** 2))
        if 1e-150 < deviation < 1e150 and abs(mean) < 1e3 * deviation:
            return deviation
    return float(centred_column(problem.rows.columns[j], weights)[2] / problem.rows.scales[j])


def centred_column(column: IntArray, weights: Floats) -> tuple[Floats, int, float]:
    """A whole column less about its mean, that number, and the column's standard deviation."""
    share = weights / weights.sum()
    wide = column.astype(object if largest_magnitude(column) > 2**61 else np.int64)  # differences must fit
    shift = int(wide[0]) + round(float(share @ np.array(wide - wide[0], dtype=float)))
    x = np.array(wide - shift, dtype=float)
    mean = float(share @ x)
    return x, shift, float(np.sqrt(share @ (x - mean) ** 2))


def largest_slope(
    problem: Problem, coefficients: Sequence[int], unit: int, answers: Sequence[Sequence[int]] | None = None
) -> float:
    """The largest slope that the cap on effects allows for these coefficients, in 1/unit.

    The effect of a question is the deviation of its points, rows weighed as in the loss.
    """
    if answers is not None:
        share = _loss_weights(problem)[0]
        points = [
            np.array(answer_points, float)[problem.rows.columns[j]]
            for j, answer_points in enumerate(answers)
            if any(answer_points)
        ]
        spread = max(
            (float(share @ (answer_points - share @ answer_points) ** 2) for answer_points in points), default=0.0
        )
        return EFFECT_CAP / math.sqrt(spread) if spread > 0 else math.inf
    weights = np.array(problem.rows.weights, dtype=float)
    effects = [abs(c) / unit * _deviation(problem, j, weights) for j, c in enumerate(coefficients) if c]
    return EFFECT_CAP / max(effects) if any(effects) else math.inf


def slope_at_limit(problem: Problem, points: Points) -> bool:
    """Whether the best slope is the largest allowed one: the classes are separated, or nearly.

    >>> problem = Problem.of([[0], [1]], [0, 1], goal="risk", C0=0)
    >>> slope_at_limit(problem, with_best_risk(problem, (1,)))
    True
    """
    most = largest_slope(problem, points.coefficients, points.denominator, points.answers)
    return problem.slope == "free" and points.slope is not None and float(points.slope) > 0.999 * most


def threshold_total(problem: Problem, points: Points) -> Fraction:
    """The total above which the risk is above the problem's threshold; exact where that is one half.

    >>> problem = Problem.of([[0], [1]], [0, 1], goal="risk", risk_threshold=0.2)
    >>> round(float(threshold_total(problem, Points((1,), -2, slope=Fraction(1)))), 4)
    0.6137
    """
    return -points.intercept_value + threshold_odds(problem) / slope_of(points)


def at_threshold(problem: Problem, points: Points) -> Points:
    """Move the intercept so that the score is above 0 where the risk is above the problem's threshold."""
    if points.slope is None or problem.risk_threshold == _HALF:
        return points
    return replace(points, intercept=-threshold_total(problem, points) * points.denominator)


def threshold_odds(problem: Problem) -> Fraction:
    """The log odds of the risk threshold, rounded unless it is one half."""
    threshold = problem.risk_threshold
    if threshold == _HALF:
        return Fraction(0)
    return _short(math.log(threshold.numerator) - math.log(threshold.denominator - threshold.numerator))


def _loss_weights(problem: Problem) -> tuple[Floats, Floats]:
    """The weight of each row in the loss, adding up to 1, and the share of it that counts as positive."""
    weights, labels = np.array(problem.rows.weights, dtype=float), problem.rows.labels
    negative, positive = (float(w / max(problem.class_weights)) for w in problem.class_weights)
    shares = weights / weights.sum() * (positive * labels + negative * (1 - labels))
    shares /= shares.sum()
    return shares, positive * labels / (positive * labels + negative * (1 - labels))


def with_best_risk(
    problem: Problem, coefficients: Sequence[int], answers: tuple[tuple[int, ...], ...] | None = None
) -> Points:
    """Add the slope and the intercept with the least loss to coefficients in the problem's unit.

    With a free slope, fitted risks that equal the risk threshold but for rounding are put above it, by a
    change of the intercept that costs less than 1e-17: rounding then decides nothing.
    """
    weights = np.array(problem.rows.weights, dtype=float)
    share = weights / weights.sum()
    most = largest_slope(problem, coefficients, problem.unit, answers)
    near = _near_totals(problem, coefficients, (1.0 if most == math.inf else most) / problem.unit)
    if near is None:
        totals = integer_totals(problem, coefficients, answers)
        unit = problem.unit * step_of(problem, coefficients)
        centre = int(totals[0]) + round(float(share @ np.array(totals - totals[0], dtype=float)))
        score = np.array(totals - centre, dtype=float) / float(unit)
    else:
        unit, centre = problem.unit, round(float(share @ near.floats))
        score = (near.floats - centre) / float(unit)
    row_weight, label = _loss_weights(problem)  # the fit does not depend on their scale
    moved = Fraction(centre, unit)
    if problem.slope != "free":
        return _with_whole_intercept(problem, coefficients, score, label, row_weight, moved)
    if most == math.inf:  # all totals are equal
        slope, b = Fraction(1), _best_intercept(score, label, row_weight, 1.0)
    else:
        a, b = _best_slope(score, label, row_weight, most)
        slope = _short(min(max(a, _LEAST_SLOPE * most), most), down=True)
    intercept = _short_intercept(Fraction(b) / slope - moved, slope)
    points = Points(tuple(coefficients), intercept * problem.unit, problem.unit, slope, answers)
    return _off_threshold(problem, points, near)


def _with_whole_intercept(
    problem: Problem, coefficients: Sequence[int], score: Floats, label: Floats, weight: Floats, moved: Fraction
) -> Points:
    """Add the whole intercept with the least loss at slope 1, in which the loss is convex.

    The best real one is that of scores that are totals less `moved`. It is as rough as they are large, so the
    whole ones next to it are compared until the loss rises.
    """

    def at(whole: int) -> tuple[Fraction, Points]:
        points = Points(tuple(coefficients), whole * problem.unit, problem.unit, slope=Fraction(1))
        return log_loss(problem, points), points

    below = math.floor(Fraction(_best_intercept(score, label, weight, 1.0)) - moved)
    best, other = at(below), at(below + 1)
    step = -1
    if other[0] < best[0]:
        best, step = other, 1
    whole = int(best[1].intercept_value) + step
    while (further := at(whole))[0] < best[0]:
        best, whole = further, whole + step
    return best[1]


def _short_intercept(value: Fraction, slope: Fraction) -> Fraction:
    """A decimal near an intercept, of as many digits as its log odds need where totals are far from 0."""
    short = _short(float(value))
    digits = _DIGITS
    while abs(short - value) * slope > _INTERCEPT_ERROR:
        digits += 1
        short = Fraction(Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator)))
    return short


def _off_threshold(problem: Problem, points: Points, near: NearTotals | None) -> Points:
    """Raise the intercept a little if some total gives the threshold itself as its risk."""
    threshold, margin = threshold_total(problem, points), Fraction(_TIE) / slope_of(points)
    totals, step = _totals_near(problem, points, near, threshold, margin)
    above = totals[(totals >= math.ceil((threshold - margin) * step)).astype(bool)]
    least = Fraction(int(above.min()), step) if len(above) else None
    if least is None or least > threshold + margin:
        return points
    raised = points.intercept_value + _short(float(threshold + margin - least))
    return replace(points, intercept=raised * points.denominator)


def _totals_near(
    problem: Problem, points: Points, near: NearTotals | None, threshold: Fraction, margin: Fraction
) -> tuple[IntArray, int]:
    """All totals within a margin of a threshold, and maybe others: whole numbers, and their divisor."""
    if near is None:
        coefficients = points.coefficients
        totals = integer_totals(problem, coefficients, points.answers)
        return totals, problem.unit * step_of(problem, coefficients)
    cut = float(threshold * problem.unit)
    reach = float(margin * problem.unit) + near.margin + 2.0**-51 * abs(cut)
    close, scale = near.exact(np.flatnonzero(np.abs(near.floats - cut) <= reach))
    return np.array(close, dtype=object), problem.unit * scale


def _short(value: float, *, down: bool = False) -> Fraction:
    """The decimal of some digits nearest to a value, or one that is not above it."""
    short = Fraction(f"{value:.{_DIGITS}g}")
    return short * (1 - Fraction(1, 10**_DIGITS)) if down and short > value else short


def _loss(z: Floats, label: Floats, weight: Floats) -> float:
    flipped = label > 0.5
    cost = np.logaddexp(0.0, np.where(flipped, -z, z)) + z * np.where(flipped, 1 - label, -label)
    return float((weight * cost).sum())


def _best_intercept(score: Floats, label: Floats, weight: Floats, slope: float) -> float:
    """The root of the derivative, which rises, by Newton steps within a bracket."""
    z = slope * score
    of_positive, of_negative = float(weight @ label), float(weight @ (1 - label))
    odds = math.log(of_positive / of_negative)
    low, high = odds - float(z.max()) - 1e-9, odds - float(z.min()) + 1e-9
    b = min(max(odds, low), high)
    for _ in range(200):
        risk = 0.5 * (1 + np.tanh((z + b) / 2))
        rise = float(weight @ (risk - label))
        low, high = (low, b) if rise > 0 else (b, high)
        curve = float(weight @ (risk * (1 - risk)))
        new = b - rise / curve if curve > 0 else low
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - b) <= 1e-15 * (1 + abs(b)):
            break
        b = new
    return b


class _Newton(NamedTuple):
    """A step in slope and intercept, and twice what it promises to save; a slope at its end stays there."""

    slope: float
    intercept: float
    saved: float


def _newton(score: Floats, label: Floats, weight: Floats, most: float, a: float, b: float) -> _Newton | None:
    """The step from (a, b); None where the curvature does not separate slope and intercept."""
    risk = 0.5 * (1 + np.tanh((a * score + b) / 2))
    residual, curve = weight * (risk - label), weight * risk * (1 - risk)
    ga, gb = float(residual @ score), float(residual.sum())
    haa, hab, hbb = float(curve @ score**2), float(curve @ score), float(curve.sum())
    if (a >= most and ga <= 0) or (a <= 0 and ga >= 0):
        da, db = 0.0, -gb / max(hbb, 1e-300)
    else:
        det = haa * hbb - hab**2
        if not det > 1e-13 * haa * hbb:
            return None
        da, db = -(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det
    return _Newton(da, db, abs(ga * da + gb * db))


def _best_slope(score: Floats, label: Floats, weight: Floats, most: float) -> tuple[float, float]:
    """The best slope in [0, most] and its intercept: Newton steps in both, then bisection if they fail."""
    size = float(np.abs(score).max())
    a = min(1 / size, most) if size else 0.0
    b = _best_intercept(score, label, weight, a)
    best = _loss(a * score + b, label, weight)
    for _ in range(60):
        step = _newton(score, label, weight, most, a, b)
        if step is None:
            break
        if step.saved < 1e-24:
            return _polished(score, label, weight, most, a, b)
        share = 1.0
        # sums over many rows are too rough to distinguish smaller steps
        while share > (0.1 if step.saved < 1e-13 and len(score) > _MANY_ROWS else 1e-9):
            new_a, new_b = min(max(a + share * step.slope, 0.0), most), b + share * step.intercept
            new = _loss(new_a * score + new_b, label, weight)
            if new < best:
                break
            share *= 0.5
        else:
            if step.saved < 1e-13:
                return _polished(score, label, weight, most, a, b)
            break
        a, b, best = new_a, new_b, new
    low, high, a = 0.0, most, most
    for _ in range(200):
        b = _best_intercept(score, label, weight, a)
        rise = float((weight * (0.5 * (1 + np.tanh((a * score + b) / 2)) - label)) @ score)
        low, high = (low, a) if rise > 0 else (a, high)
        if a == most and rise <= 0:
            break
        middle = 0.5 * (low + high) if low > 0.01 * high else 0.1 * high
        if middle in (low, high) or high < 1e-300:
            break
        a = middle
    return a, _best_intercept(score, label, weight, a)


def _polished(score: Floats, label: Floats, weight: Floats, most: float, a: float, b: float) -> tuple[float, float]:
    """Go on while steps become much shorter: the loss distinguishes log odds to 1e-7, its gradient to 1e-15."""
    before = math.inf
    for _ in range(10):
        step = _newton(score, label, weight, most, a, b)
        if step is None or not 0 < step.saved < 0.1 * before:
            break
        new_a, new_b, before = a + step.slope, b + step.intercept, step.saved
        if not 0 <= new_a <= most:
            new_a = min(max(new_a, 0.0), most)
            new_b = _best_intercept(score, label, weight, new_a)
        if _loss(new_a * score + new_b, label, weight) > _loss(a * score + b, label, weight) + 1e-12:
            break
        a, b = new_a, new_b
    return a, b

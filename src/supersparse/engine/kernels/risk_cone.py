"""The relaxation of a box of points on one support: quadratics in turn, each solved over the box's cone.

A box allows a·low_j <= beta_j <= a·high_j. The loss is expanded to second order, the least value of that in
the cone is where it is expanded next. The columns are few, so the work is in the passes over the rows, and a
good start saves most of them. `quadratic_below` then finds a quadratic below the loss of all cards that
matter.

At a point v = (intercept, beta) let g be the gradient of the loss and h_i the second derivative of row i. The
second derivative of a row's loss falls by at most e^-u when its logit moves by u, so for every step d

    loss(v + d)  >=  loss(v) + g·d + Σ_i h_i·(e^-u_i + u_i - 1),     u_i = |x_i·d|,

and where u_i <= R_i the last sum is at least d·Q·d/2, with Q = Σ_i w_i·x_i·x_i' and w_i = 2·h_i·(e^-R_i + R_i
- 1)/R_i². The R_i hold on an ellipsoid around v. At the relaxed optimum of a box g·d is at least about 0 for
every card of the box. If loss(v) + d·Q·d/2 reaches the threshold on all of the ellipsoid's surface, then a
card outside, where the sum is larger still, is not below the threshold; and inside the quadratic is below the
loss. Parts of the box cost k³ operations then, whatever the number of rows. Where that does not exclude them,
loss and gradient at one more point often do, since the second derivative in the region is above the matrix
Σ_i h_i·e^-R_i·x_i·x_i'.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.risk_bound import HUGE, curvature_of, scores_at, solve, value_of_bound
from supersparse.engine.kernels.risk_loss import ANY_ORDER, copy_floats, dot, exp_of_negative, loss_at, slopes_at
from supersparse.engine.risk.data import BELOW, CONVEX, REGION

_STEPS = 25
_SHRINKS = 12  # of the slope, to a tenth each
_STEEP = 1.0  # a loss above this is worse than that of a constant risk


@reader(error_model="numpy")
def without_intercept(f: float, g: Floats, h: Floats, point: Floats, m: int, out: Floats) -> None:
    """f + g·d + d·h·d/2 as a function of beta alone, least over the intercept.

    out[q] = (linear, curvature...) of each column, out[m] = (constant, 1, and the intercept's own:
    -b = out[m, 2] + Σ out[m, 3 + q]·beta_q).
    """
    base, magnitude = f, 1.0
    for j in range(m + 1):
        base -= g[j] * point[j]
        for k in range(m + 1):
            term = 0.5 * point[j] * h[j, k] * point[k]
            base += term
            magnitude += abs(term)
    first = g[0]
    for k in range(m + 1):
        first -= h[0, k] * point[k]
    base -= 0.5 * first * first / h[0, 0]
    out[m, 0], out[m, 1], out[m, 2] = base - 1e-13 * magnitude, 1.0, first / h[0, 0]
    for j in range(m):
        linear = g[1 + j]
        for k in range(m + 1):
            linear -= h[1 + j, k] * point[k]
        out[m, 3 + j] = h[1 + j, 0] / h[0, 0]
        out[j, 0] = linear - first * out[m, 3 + j]
        for k in range(m):
            out[j, 1 + k] = h[1 + j, 1 + k] - h[1 + j, 0] * h[1 + k, 0] / h[0, 0]


@inner(error_model="numpy")
def least_in_cone(
    model: Floats, low: Floats, high: Floats, m: int, slope_is_free: int, slope_high: float, point: Floats
) -> float:
    """A lower bound of the quadratic over a·low <= beta <= a·high, near its least value; a = 1 if not free.

    point = (a, b, beta...) is the start and receives where it ends. An active set method: the sides on which
    columns lie change one at a time.
    """
    size = m + 1
    h, new, side = np.empty((size, size)), np.empty(size), np.empty(m, np.int64)
    a = max(point[0], 1e-12) if slope_is_free else 1.0
    beta = point[2:]
    for j in range(m):
        side[j] = 0
        if low[j] == high[j]:
            side[j], beta[j] = 2, a * low[j]
        elif beta[j] <= a * low[j]:
            side[j], beta[j] = -1, a * low[j]
        elif beta[j] >= a * high[j]:
            side[j], beta[j] = 1, a * high[j]
    for _ in range(6 * m + 6):
        # the least value with the columns on their sides: over the others and, if free, the slope (last)
        count = 0
        for j in range(m):
            if side[j] == 0:
                others = 0
                for k in range(j + 1):
                    if side[k] == 0:
                        h[count, others] = model[j, 1 + k]
                        others += 1
                new[count] = -model[j, 0]
                count += 1
        along, square = 0.0, 0.0
        for q in range(count):
            h[count, q] = 0.0
        for j in range(m):
            c = 0.0 if side[j] == 0 else (high[j] if side[j] == 1 else low[j])
            if c != 0:
                along -= model[j, 0] * c
                others = 0
                for k in range(m):
                    if side[k] == 0:
                        h[count, others] += c * model[k, 1 + j]
                        others += 1
                    else:
                        square += c * model[j, 1 + k] * (high[k] if side[k] == 1 else low[k])
        moves = slope_is_free and square > 0
        if moves:
            h[count, count], new[count] = square, along
        else:
            for q in range(count):
                new[q] -= a * h[count, q]
        if not solve(h, count + (1 if moves else 0), new):
            break
        # go there, or as far as the next side
        new_a = new[count] if moves else a
        t, at, to, count = 1.0, -1, 0, 0
        for j in range(m):
            if side[j] == 0:
                for s in range(2):
                    bound = low[j] if s == 0 else high[j]
                    sign = 1.0 if s == 0 else -1.0
                    room = max(sign * (beta[j] - a * bound), 0.0)
                    then = sign * (new[count] - new_a * bound)
                    if then < 0 and room / (room - then) < t:
                        t, at, to = room / (room - then), j, -1 if s == 0 else 1
                count += 1
        if moves and new_a <= 0 and a / (a - new_a) <= t:  # the cone ends here: no points at all
            a = 0.0
            for j in range(m):
                beta[j] = 0.0
            break
        a += t * (new_a - a)
        count = 0
        for j in range(m):
            if side[j] == 0:
                beta[j] += t * (new[count] - beta[j])
                count += 1
            else:
                beta[j] = a * (high[j] if side[j] == 1 else low[j])
        if at >= 0:
            side[at] = to
            beta[at] = a * (high[at] if to == 1 else low[at])
            continue
        worst, at = 1e-13, -1
        for j in range(m):
            if side[j] in (-1, 1):
                slope = model[j, 0]
                for k in range(m):
                    slope += model[j, 1 + k] * beta[k]
                if side[j] * slope > worst:
                    worst, at = side[j] * slope, j
        if at < 0:
            break
        side[at] = 0
    square, reach, magnitude, b = 0.0, 0.0, 0.0, -model[m, 2]
    for j in range(m):
        slope, terms = model[j, 0], abs(model[j, 0])
        for k in range(m):
            term = model[j, 1 + k] * beta[k]
            slope += term
            terms += abs(term)
            square += beta[j] * term
        reach += min(slope * low[j], slope * high[j])
        magnitude += terms * (abs(beta[j]) + slope_high * max(abs(low[j]), abs(high[j])))
        b -= model[m, 3 + j] * beta[j]
    point[0], point[1] = a, b
    if slope_is_free:
        reach = slope_high * min(reach, 0.0)
    return model[m, 0] - 0.5 * square + reach - 1e-14 * magnitude


@inner(error_model="numpy")
def relax_box(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, m: int, low: Floats, high: Floats,
    slope_is_free: int, slope_high: float, threshold: float, limits: Floats, accuracy: float, point: Floats,
    dual: Floats, work: Floats, gradient: Floats, model: Floats,
) -> tuple[bool, float, float]:  # fmt: skip
    """Relax a box until its bound passes the threshold, or cannot and a step gains less than `accuracy`.

    point = (a, b, beta...) is the start and receives the end, `gradient` the gradient there, `model` the
    expansion, and the first rows of `work` logits, residuals and curvature. dual receives the tangent's
    constant and gradient at the best bound. Returns whether the bound passed, the best bound, and the loss
    at the end.
    """
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    size = m + 1
    h, centre = np.empty((size, size)), np.empty(size)
    start, trial = np.empty(2 + m), np.empty(2 + m)
    a = max(point[0], 1e-12) if slope_is_free else 1.0
    for j in range(m):
        point[2 + j] = min(max(point[2 + j], a * low[j]), a * high[j])
    point[0] = a
    best = -HUGE
    scores_at(z, point[1:], np.int64(1), x, columns, m, n)
    f = loss_at(z, positive, negative, e, n)
    for _ in range(_SHRINKS):  # from where no row says anything, no step leads back
        if f < _STEEP or not slope_is_free:
            break
        of_positive, of_negative = 0.0, 0.0
        for i in range(n):
            of_positive += positive[i]
            of_negative += negative[i]
        a *= 0.1
        point[0], point[1] = a, np.log(of_positive / of_negative)
        for j in range(m):
            point[2 + j] = min(max(point[2 + j], a * low[j]), a * high[j])
        scores_at(z, point[1:], np.int64(1), x, columns, m, n)
        f = loss_at(z, positive, negative, e, n)
    for step in range(_STEPS):
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        gradient[0] = gb
        reach, magnitude = 0.0, 0.0
        for j in range(m):
            g = dot(residual, x[columns[j]], n)
            gradient[1 + j] = g
            reach += min(g * low[j], g * high[j])
            magnitude += abs(g) * max(abs(low[j]), abs(high[j]))
        slope_low = 0.0 if slope_is_free else 1.0
        bound = value_of_bound(f - moment, f + moments, gb, reach, magnitude, slope_low, slope_high, limits)
        if bound > best:
            best = bound
            dual[0] = f - moment - abs(gb) * limits[0] - limits[1] * (f + moments) - limits[2]
            for j in range(m):
                dual[1 + j] = gradient[1 + j]
        if best >= threshold:
            return True, best, f
        curvature_of(x, columns, curve, m, n, h)
        for j in range(size):
            h[j, j] += 1e-13
            centre[j] = point[1 + j]
        without_intercept(f, gradient, h, centre, m, model)
        if step == _STEPS - 1:
            break
        copy_floats(trial, point, 2 + m)
        least_in_cone(model, low, high, m, slope_is_free, slope_high, trial)
        gain = 0.0
        for j in range(size):
            gain -= gradient[j] * (trial[1 + j] - point[1 + j])
        if not gain > 1e-10 or (f < threshold and gain < accuracy):
            break
        copy_floats(start, point, 2 + m)
        t, moved = 1.0, False
        for _ in range(12):
            for j in range(2 + m):
                point[j] = start[j] + t * (trial[j] - start[j])
            scores_at(z, point[1:], np.int64(1), x, columns, m, n)
            new = loss_at(z, positive, negative, e, n)
            if new <= f - 1e-4 * t * gain:
                moved = True
                break
            t *= 0.5
        if not moved:  # rounding leaves nothing to gain
            copy_floats(point, start, 2 + m)
            scores_at(z, point[1:], np.int64(1), x, columns, m, n)
            f = loss_at(z, positive, negative, e, n)
            slopes_at(z, e, positive, negative, residual, curve, n)
            break
        f = new
    return False, best, f


_SHRINK = 1e-10  # of the curvature, relative to its diagonal: more than rounding can have added to it
_LEAST_SHARE = 0.04  # of the curvature that must be left for the quadratic to be worth anything
_REFINEMENTS = 2
_FARTHEST = 2.5  # how far the logits of most rows may be from the relaxed ones


@reader(error_model="numpy", fastmath=ANY_ORDER)
def _weights(curve: Floats, leverage: Floats, factor: float, out: Floats, n: int) -> float:
    """w_i for R_i = factor·leverage_i; returns Σ w_i·leverage_i²."""
    total = 0.0
    for i in range(n):
        r = factor * leverage[i]
        far = max(r, 0.05)
        share = 1.0 - r / 3.0 if r < 0.05 else 2.0 * (exp_of_negative(-far) + far - 1.0) / (far * far)
        out[i] = curve[i] * share * (1 - 1e-10)
        total += out[i] * leverage[i] * leverage[i]
    return total


@reader(error_model="numpy")
def _leverages(x: Floats, columns: Ints, factor_: Floats, m: int, n: int, rows: Floats, out: Floats) -> None:
    """sqrt(x_i·H^-1·x_i) of each row, from the lower triangular factor of H."""
    for i in range(n):
        rows[0, i] = 1.0 / factor_[0, 0]
        out[i] = rows[0, i] * rows[0, i]
    for j in range(m):
        own, row = x[columns[j]], rows[1 + j]
        for i in range(n):
            row[i] = own[i]
        for k in range(j + 1):
            minus, before = factor_[1 + j, k], rows[k]
            for i in range(n):
                row[i] -= minus * before[i]
        scale = 1.0 / factor_[1 + j, 1 + j]
        for i in range(n):
            row[i] *= scale
            out[i] += row[i] * row[i]
    for i in range(n):
        out[i] = np.sqrt(out[i]) * (1 + 1e-6)  # more than rounding


@reader(error_model="numpy")
def _factorised(h: Floats, size: int, factor_: Floats, step: Floats, less: float, of: Floats) -> bool:
    """The lower triangular factor of h - less·of; False if that is not positive definite."""
    for j in range(size):
        step[j] = 0.0
        for k in range(j + 1):
            factor_[j, k] = h[j, k] - less * of[j, k]
        factor_[j, j] -= _SHRINK * of[j, j]
    return solve(factor_, size, step)


@reader(error_model="numpy")
def _split_gradient(
    gradient: Floats, low: Floats, high: Floats, m: int, slope_is_free: int, slope_high: float, point: Floats,
    error: Floats,
) -> float:  # fmt: skip
    """Split a gradient into one that no card of the box can go against, up to what is returned, and an error.

    The first is 0 for columns inside their range, and for the others adds up to 0 along the cone.
    """
    a, rises, falls = point[0], 0.0, 0.0
    error[0] = gradient[0]
    for j in range(m):
        g, tiny = gradient[1 + j], 1e-9 * a * (high[j] - low[j])
        is_kept = (
            low[j] == high[j]
            or (point[2 + j] - a * low[j] <= tiny and g >= 0)
            or (a * high[j] - point[2 + j] <= tiny and g <= 0)
        )
        error[1 + j] = 0.0 if is_kept else g
        if is_kept:
            term = min(g * low[j], g * high[j])
            rises += max(term, 0.0)
            falls -= min(term, 0.0)
    total, against = 0.0, 0.0
    for j in range(m):
        g = gradient[1 + j]
        if error[1 + j] == 0:
            term = min(g * low[j], g * high[j])
            share = 1.0
            if slope_is_free and term > 0 and rises > falls:
                share = falls / rises
            if slope_is_free and term < 0 and falls > rises:
                share = rises / falls * (1 - 1e-14)
            error[1 + j] = g - share * g
            total += share * term
            against += share * g * point[2 + j]
    if slope_is_free:
        return max(against, 0.0) + 1e-14 * slope_high * (rises + falls)
    return against - total + 1e-14 * (rises + falls)


@reader(error_model="numpy")
def _squared(factor_: Floats, error: Floats, size: int, out: Floats) -> float:
    """error·A^-1·error from the lower triangular factor of A."""
    total = 0.0
    for j in range(size):
        t = error[j]
        for k in range(j):
            t -= factor_[j, k] * out[k]
        out[j] = t / factor_[j, j]
        total += out[j] * out[j]
    return total * (1 + 1e-6)


@reader(error_model="numpy")
def _rounding(f: float, z: Floats, residual: Floats, n: int, limits: Floats) -> float:
    moments = 0.0
    for i in range(n):
        moments += abs(residual[i] * z[i])
    return limits[1] * (f + moments) + 2 * limits[2]


@inner(error_model="numpy")
def quadratic_below(
    x: Floats, columns: Ints, n: int, m: int, low: Floats, high: Floats, slope_is_free: int,
    slope_high: float, threshold: float, limits: Floats, point: Floats, f: float, g: Floats, work: Floats,
    out: Floats,
) -> int:  # fmt: skip
    """Make a quadratic for the cards of a box; returns 0 if none is of use, 2 if all are above the threshold.

    `relax_box` has ended at point = (a, b, beta...) with loss f and gradient g. Receives: out[BELOW] the
    quadratic, without the intercept; out[CONVEX] the factor of a matrix that the second derivative of the
    loss is above in the region; out[REGION] the matrix, centre and squared radius of the region.
    """
    out[BELOW, m, 1] = 0.0
    z, residual, curve, weights, leverage = work[0], work[2], work[3], work[5], work[6]
    size = m + 1
    matrices, vectors, rows = np.empty((3, size, size)), np.empty((2, size)), np.empty((size, n))
    h, below, factor_ = matrices[0], matrices[1], matrices[2]
    error, step = vectors[0], vectors[1]
    curvature_of(x, columns, curve, m, n, h)
    if not _factorised(h, size, factor_, step, 0.0, h):
        return 0
    against = _split_gradient(g, low, high, m, slope_is_free, slope_high, point, error)
    slack = np.sqrt(_squared(factor_, error, size, step))
    lowest = f - _rounding(f, z, residual, n, limits)
    left = max(threshold - (lowest - against), 1e-6)
    if 2 * left * size > _FARTHEST * _FARTHEST * h[0, 0]:
        return 0
    _leverages(x, columns, factor_, m, n, rows, leverage)
    # the share of the curvature that is left on an ellipsoid large enough for that share
    share, tried = 0.9, False
    while True:
        if share < _LEAST_SHARE:
            return 0
        radius = (slack + np.sqrt(slack * slack + 2 * share * left)) / share * (1 + 1e-9)
        kept = _weights(curve, leverage, radius, weights, n) / size
        if kept < share * (1.02 if tried else 1.0):
            share = min(0.95 * share, max(0.7 * share, kept)) if not tried else 0.85 * share
            continue
        curvature_of(x, columns, weights, m, n, below)
        if _factorised(below, size, factor_, step, share * (1 + 1e-9), h):
            break
        share, tried = 0.85 * share, True
    if lowest - against - slack * slack / (2 * share) >= threshold:
        return 2
    region = out[REGION]
    for again in range(_REFINEMENTS + 1):
        for j in range(size):
            below[j, j] *= 1 - _SHRINK
        if again == _REFINEMENTS:
            break
        if not _factorised(below, size, factor_, step, 0.0, below):
            return 0
        _leverages(x, columns, factor_, m, n, rows, leverage)
        slack = np.sqrt(_squared(factor_, error, size, step))
        radius = (slack + np.sqrt(slack * slack + 2 * left)) * (1 + 1e-9)
        for j in range(size):
            region[size, j] = point[1 + j]
            for k in range(size):
                region[j, k] = below[j, k]
        region[size, size] = radius * radius
        if again == _REFINEMENTS - 1:
            for i in range(n):
                weights[i] = curve[i] * exp_of_negative(-radius * leverage[i]) * (1 - 1e-10)
            curvature_of(x, columns, weights, m, n, h)
        _weights(curve, leverage, radius, weights, n)
        curvature_of(x, columns, weights, m, n, below)
    if not _factorised(h, size, out[CONVEX], step, 0.0, h):
        return 0
    without_intercept(lowest, g, below, point[1:], m, out[BELOW])
    return 1


@inner(error_model="numpy")
def is_above(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, m: int, low: Floats, high: Floats,
    slope_is_free: int, slope_high: float, threshold: float, limits: Floats, point: Floats, work: Floats,
    gradient: Floats, quadratic: Floats,
) -> bool:  # fmt: skip
    """Whether all cards of a part of the box are above the threshold, by loss and gradient at one point."""
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    region, size, square = quadratic[REGION], m + 1, 0.0
    for j in range(size):
        for k in range(size):
            square += (point[1 + j] - region[size, j]) * region[j, k] * (point[1 + k] - region[size, k])
    if not square <= region[size, size]:
        return False
    scores_at(z, point[1:], np.int64(1), x, columns, m, n)
    f = loss_at(z, positive, negative, e, n)
    if f < threshold:
        return False
    gradient[0], _, moments = slopes_at(z, e, positive, negative, residual, curve, n)
    for j in range(m):
        gradient[1 + j] = dot(residual, x[columns[j]], n)
    error, step = np.empty(size), np.empty(size)
    against = _split_gradient(gradient, low, high, m, slope_is_free, slope_high, point, error)
    lowest = f - limits[1] * (f + moments) - 2 * limits[2] - against
    return lowest - 0.5 * _squared(quadratic[CONVEX], error, size, step) >= threshold

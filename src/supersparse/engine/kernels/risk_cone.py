"""The relaxation of a box of points on one support: quadratics in turn, each solved over the box's cone.

A box allows a·low_j <= beta_j <= a·high_j. The loss is expanded to second order, the least value of that in
the cone is where it is expanded next. The columns are few, so the work is in the passes over the rows, and a
good start saves most of them.
"""

import numpy as np

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.risk_bound import HUGE, curvature_of, scores_at, solve, value_of_bound
from supersparse.engine.kernels.risk_data import Floats, Ints
from supersparse.engine.kernels.risk_loss import copy_floats, dot, loss_at, slopes_at

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
    model: Floats,
    low: Floats,
    high: Floats,
    m: int,
    slope_is_free: int,
    slope_high: float,
    point: Floats,
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
    x: Floats,
    columns: Ints,
    positive: Floats,
    negative: Floats,
    n: int,
    m: int,
    low: Floats,
    high: Floats,
    slope_is_free: int,
    slope_high: float,
    threshold: float,
    limits: Floats,
    accuracy: float,
    point: Floats,
    dual: Floats,
    work: Floats,
    gradient: Floats,
    model: Floats,
) -> tuple[bool, float, float]:
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

"""The relaxation of a box where every column may have points of either sign: a logistic regression.

With a free slope, such a box allows any weights: points are only ratios of them, and no column is tied to the
slope. So there is no barrier, and Newton steps from where the parent's curvature says need few passes over
the rows.
"""

import numpy as np

from supersparse.engine.kernels.jit import kernel, reader
from supersparse.engine.kernels.risk_bound import (
    HUGE,
    curvature_of,
    dots,
    least_reach,
    scores_at,
    solve,
    step_back,
    value_of_bound,
)
from supersparse.engine.kernels.risk_data import Floats, Ints
from supersparse.engine.kernels.risk_loss import copy_floats, loss_at, slopes_at
from supersparse.engine.kernels.risk_projection import projected_bound

_STEPS = 40
_ACCURACY = 1e-8  # gain of the last step where the bound cannot pass
_SLOW = 0.1  # of the gain of the step before: with more than that left, the curvature is computed again


@reader(error_model="numpy")
def _slope_of(low: Floats, high: Floats, optional: Ints, m: int, room: int, beta: Floats) -> float:
    """A slope at which the weights are well inside the box."""
    steepest, shares = 0.0, 0.0
    for j in range(m):
        share = abs(beta[j]) / (high[j] if beta[j] > 0 else -low[j])
        steepest = max(steepest, share)
        shares += share if optional[j] else 0.0
    return 1.4 * max(steepest, shares / max(room, 1))


@kernel(error_model="numpy")
def relax_open(
    x: Floats,
    columns: Ints,
    positive: Floats,
    negative: Floats,
    n: int,
    low: Floats,
    high: Floats,
    optional: Ints,
    cost: Floats,
    room: int,
    slope_high: float,
    threshold: float,
    limits: Floats,
    point: Floats,
    dual: Floats,
    work: Floats,
    gram: Floats,
) -> tuple[int, float, float]:
    """Solve the relaxation as `relax` does, where low < 0 < high in every column and nothing has a price.

    The largest slope counts in the bound alone: where the point has it, the relaxation itself may be better.
    """
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    m = len(columns)
    size = m + 1
    vectors, h = np.empty((5, size)), np.empty((size, size))
    theta, trial, step, g, pick = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    copy_floats(theta, point[1:], size)
    scores_at(z, theta, np.int64(1), x, columns, m, n)
    f = loss_at(z, positive, negative, e, n)
    best, passed, last, is_stale, before = -HUGE, 0, False, True, HUGE
    for _ in range(_STEPS):
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        dots(residual, x, columns, m, n, g)
        reach, magnitude = least_reach(g, low, high, optional, cost, m, room, pick)
        bound = value_of_bound(f - moment, f + moments, gb, reach, magnitude, 0.0, slope_high, limits)
        if bound > best:
            best = bound
            dual[0] = f - moment - abs(gb) * limits[0] - limits[1] * (f + moments) - limits[2]
            copy_floats(dual[1:], g, m)
        if best >= threshold:
            passed = 1
            break
        if last:
            break
        for again in range(2):
            if is_stale:
                curvature_of(x, columns, curve, m, n, gram)
            for j in range(size):
                copy_floats(h[j], gram[j], size)
                h[j, j] += 1e-13
                step[j] = -gb if j == 0 else -g[j - 1]
            if not solve(h, size, step):
                return 0, best, f
            gain = gb * -step[0]
            for j in range(m):
                gain -= g[j] * step[1 + j]
            if is_stale or again or gain < _SLOW * before:
                break
            is_stale = True
        before, is_stale = gain, False
        if not gain > 1e-15:
            break
        last = f - gain < threshold and gain < _ACCURACY
        if f - 0.5 * gain >= threshold:
            copy_floats(trial, step, size)
            bound = projected_bound(
                x, columns, positive, negative, n, m, low, high, optional, cost, room, slope_high,
                threshold, limits, gram, trial, f - 0.5 * gain, work[2:],
            )  # fmt: skip
            if bound >= threshold:
                passed, best = 1, bound
                break
        t, new = step_back(x, columns, positive, negative, n, m, theta, step, gain, f, trial, z, e)
        if t == 0.0:  # rounding leaves nothing to gain
            scores_at(z, theta, np.int64(1), x, columns, m, n)
            loss_at(z, positive, negative, e, n)
            slopes_at(z, e, positive, negative, residual, curve, n)
            break
        is_stale = t < 1
        f = new
        copy_floats(theta, trial, size)
    copy_floats(point[1:], theta, size)
    point[0] = min(_slope_of(low, high, optional, m, room, theta[1:]), slope_high)
    return passed, best, f

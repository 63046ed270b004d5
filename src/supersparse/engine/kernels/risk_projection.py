"""A bound on the loss from risks that agree with the data on every column.

The bound of `risk_bound` holds for any risks p_i in [0, 1], and is their entropy if Σ_i (weight_i·p_i -
positive_i)·x_ij is 0 for every column j and for the intercept. Risks of a regression that has not converged
miss that a little, which costs the bound far more than they miss of the loss. A Newton step says by how much
they should move: by their curvature times the change of the logits. Where that leads out of [0, 1] a risk
stays at the end, and another step, without these rows, makes up for it. No step needs exponentials or the
curvature of all rows, so a few of them cost less than one step of the regression, and the bound passes
sooner.

It is used on single supports, and in `relax_open`, the relaxation of a box where every column may have points
of either sign. With a free slope, such a box allows any weights: points are only ratios of them, and no
column is tied to the slope. So there is no barrier, and Newton steps from where the parent's curvature says
need few passes over the rows.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.risk_bound import (
    HUGE,
    curvature_of,
    dots,
    fit_support,
    least_reach,
    scores_at,
    solve,
    step_back,
    times,
    value_of_bound,
)
from supersparse.engine.kernels.risk_cards import merge_rows
from supersparse.engine.kernels.risk_loss import ANY_ORDER, copy_floats, dot, entropy_of, fill, loss_at, slopes_at
from supersparse.engine.risk.data import BLOCK, LOADED, ROWS, SIZE, WORK, RiskData, Support

_PROJECTIONS = 8
_MERGED = 6  # with fewer than one in this number of rows left on a support, regressions on those cost less
_FIT_ACCURACY = 1e-6  # of the regression without the last column


@reader(error_model="numpy", fastmath=ANY_ORDER)
def _move(
    residual: Floats, curve: Floats, shift: Floats, positive: Floats, negative: Floats, risk: Floats,
    moved: Floats, n: int,
) -> float:  # fmt: skip
    """Move risks as far as logits that move by `shift`, to first order, or to 0 or 1.

    `risk` and `moved` receive the risks and their residuals, of which the sum is returned.
    """
    total = 0.0
    for start in range(0, n, BLOCK):
        part = 0.0
        own_r, own_c, own_s, own_risk = residual[start:], curve[start:], shift[start:], risk[start:]
        own_p, own_n, own_moved = positive[start:], negative[start:], moved[start:]
        for i in range(min(n - start, BLOCK)):
            weight = own_p[i] + own_n[i]
            p = (own_r[i] + own_p[i] + own_c[i] * own_s[i]) / max(weight, 1e-300)
            p = min(max(p, 0.0), 1.0)
            own_risk[i] = p
            r = weight * p - own_p[i]
            own_moved[i] = r
            part += r
        total += part
    return total


@reader(error_model="numpy")
def _leave_out(x: Floats, columns: Ints, m: int, risk: Floats, curve: Floats, n: int, row: Floats, h: Floats) -> None:
    """Take the rows whose risk is at an end out of the curvature; its lower triangle is all that counts."""
    row[0] = 1.0
    for i in range(n):
        if risk[i] <= 0.0 or risk[i] >= 1.0:
            for j in range(m):
                row[1 + j] = x[columns[j], i]
            for j in range(m + 1):
                weighed = curve[i] * row[j]
                for k in range(j + 1):
                    h[j, k] -= weighed * row[k]


@inner(error_model="numpy")
def projected_bound(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, m: int, low: Floats, high: Floats,
    optional: Ints, cost: Floats, room: int, slope_high: float, threshold: float, limits: Floats,
    gram: Floats, step: Floats, expected: float, rows: Floats,
) -> float:  # fmt: skip
    """The bound that passes the threshold, from a regression that has not converged; -HUGE if none was found.

    rows[0] and rows[1] are residuals and curvature of its rows, three more rows are room; `gram` is the
    curvature with the intercept first, `step` the Newton step, which changes; `expected` the loss after it.
    """
    residual, curve, shift, risk, moved = rows[0], rows[1], rows[2], rows[3], rows[4]
    size = m + 1
    h, vectors = np.empty((size, size)), np.empty((4, size))
    g, pick, row, more = vectors[0], vectors[1], vectors[2], vectors[3]
    for _ in range(_PROJECTIONS):
        scores_at(shift, step, np.int64(1), x, columns, m, n)
        gb = _move(residual, curve, shift, positive, negative, risk, moved, n)
        more[0] = -gb
        dots(moved, x, columns, m, n, g)
        for j in range(m):
            more[1 + j] = -g[j]
        reach, magnitude = least_reach(g, low, high, optional, cost, m, room, pick)
        if value_of_bound(expected, expected, gb, reach, magnitude, 0.0, slope_high, limits) >= threshold:
            entropy = entropy_of(risk, positive, negative, n)
            bound = value_of_bound(entropy, entropy, gb, reach, magnitude, 0.0, slope_high, limits)
            if bound >= threshold:
                return bound
            expected = min(expected, entropy)
            if expected < threshold:
                break
        for j in range(size):
            for k in range(j + 1):
                h[j, k] = gram[j, k]
            h[j, j] += 1e-13
        _leave_out(x, columns, m, risk, curve, n, row, h)
        if not solve(h, size, more):
            break
        for j in range(size):
            step[j] += more[j]
    return -HUGE


@inner(error_model="numpy")
def fit_without_last(
    data: RiskData, support: Support, columns: Ints, k: int, point: Floats, rows: Floats, gram: Floats,
    g: Floats,
) -> float:  # fmt: skip
    """Fit the k columns of a support that lacks one, from point = (b, beta); returns its loss.

    `rows`, `gram` and g = (of b, of beta) receive what `excludes` needs. Returns -1 where rows are so few on
    the support that regressions with each last column cost less.
    """
    n = data.x.shape[1]
    for q in range(k):
        support.columns[q] = columns[q]
    support.state[LOADED], support.state[SIZE] = 0, k
    support.state[ROWS] = merge_rows(data, support, k)
    merged = support.state[ROWS]
    support.counts[WORK] += n * k
    if merged * _MERGED < n:
        return -1.0
    reach = np.empty(k)
    for q in range(k):
        reach[q] = data.reach[columns[q]]
        point[1 + q] = max(-reach[q], min(reach[q], point[1 + q]))
    support.counts[WORK] += 5 * merged * (k * k // 2 + 8) + n * (k * k // 2 + 2 * k + 12)
    fit_support(
        support.x, support.order, support.positive, support.negative, merged, k, reach, np.inf, data.limits,
        point, support.work, _FIT_ACCURACY,
    )  # fmt: skip
    z, e = rows[2], rows[3]
    scores_at(z, point, np.int64(1), data.x, columns, k, n)
    f = loss_at(z, data.positive, data.negative, e, n)
    g[0], _, _ = slopes_at(z, e, data.positive, data.negative, rows[0], rows[1], n)
    dots(rows[0], data.x, columns, k, n, g[1:])
    curvature_of(data.x, columns, rows[1], k, n, gram)
    return f


@inner(error_model="numpy")
def excludes(
    data: RiskData, columns: Ints, k: int, f: float, threshold: float, g: Floats, gram: Floats, rows: Floats,
    step: Floats,
) -> bool:  # fmt: skip
    """Whether no card on a support is below the threshold, from the regression without its last column.

    columns[k] is the last column, whose entries `gram` and g receive; `step` receives the Newton step.
    """
    n, size, j = data.x.shape[1], k + 2, columns[k]
    last, own = k + 1, data.x[j]
    weighed = rows[5]
    gram[last, 0] = gram[0, last] = times(weighed, rows[1], own, n)
    for q in range(k):
        gram[last, 1 + q] = gram[1 + q, last] = dot(weighed, data.x[columns[q]], n)
    gram[last, last] = dot(weighed, own, n)
    g[last] = dot(rows[0], own, n)
    h, vectors, none = np.empty((size, size)), np.empty((4, size)), np.zeros(size, np.int64)
    low, high, free, moves = vectors[0], vectors[1], vectors[2], vectors[3]
    for a in range(size):
        for b in range(a + 1):
            h[a, b] = gram[a, b]
        h[a, a] += 1e-12
        step[a] = -g[a]
    gain = np.inf
    if solve(h, size, step):
        gain = 0.0
        for a in range(size):
            gain -= g[a] * step[a]
    if not gain < f:  # columns that are almost the same: the step leads anywhere
        fill(step, 0.0, size)
        return False
    expected = f - 0.5 * gain
    if expected < threshold:
        return False
    for q in range(k + 1):
        high[q] = data.reach[columns[q]]
        low[q], free[q] = -high[q], 0.0
    copy_floats(moves, step, size)
    return (
        projected_bound(
            data.x, columns, data.positive, data.negative, n, k + 1, low, high, none, free, np.int64(0), 1.0,
            threshold, data.limits, gram, moves, expected, rows,
        )
        > -HUGE
    )  # fmt: skip


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
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, low: Floats, high: Floats,
    optional: Ints, cost: Floats, room: int, slope_high: float, threshold: float, limits: Floats,
    point: Floats, dual: Floats, work: Floats, gram: Floats,
) -> tuple[int, float, float]:  # fmt: skip
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

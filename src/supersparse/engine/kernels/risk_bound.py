"""Logistic regression on a support, and the lower bound on the loss that holds at any point.

A box allows a·low_j <= beta_j <= a·high_j for each column j, with slope a in [slope_low, slope_high], and at
most `room` nonzero columns among the optional ones. For any residuals r_i = weight_i·p_i - positive_i with
p_i in [0, 1], convexity gives for every card of the box

    loss  >=  Σ_i (loss_i(z_i) - r_i·z_i)  +  a·V  -  |Σ r_i|·B,     z_i = the logit with sigmoid p_i,

where V is the least Σ_j g_j·v_j over v in the box, g_j = Σ_i r_i·x_ij, and B bounds the intercept of every
card that matters. So a badly solved relaxation gives a weak bound, never a wrong one. With slope 1, `tighten`
cuts off the values whose use alone makes the bound of a box or node pass.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.risk_loss import ANY_ORDER, loss_at, slopes_at
from supersparse.engine.risk.data import BLOCK

HUGE = 1e300


@reader(error_model="numpy", fastmath=ANY_ORDER)
def solve(h: Floats, n: int, x: Floats) -> bool:
    """Solve h·s = x in place of x, with h in its lower triangle; False if h is not positive definite."""
    for j in range(n):
        s = h[j, j]
        for k in range(j):
            s -= h[j, k] * h[j, k]
        if not s > 0:
            return False
        s = np.sqrt(s)
        h[j, j] = s
        inverse = 1.0 / s
        for i in range(j + 1, n):
            t = h[i, j]
            for k in range(j):
                t -= h[i, k] * h[j, k]
            h[i, j] = t * inverse
    for i in range(n):
        t = x[i]
        for k in range(i):
            t -= h[i, k] * x[k]
        x[i] = t / h[i, i]
    for i in range(n - 1, -1, -1):
        t = x[i]
        for k in range(i + 1, n):
            t -= h[k, i] * x[k]
        x[i] = t / h[i, i]
    return True


@reader(error_model="numpy", fastmath=ANY_ORDER)
def _add_four(z: Floats, factors: Floats, a: Floats, b: Floats, c: Floats, d: Floats, n: int) -> None:
    """Add multiples of four columns at a time."""
    of_a, of_b, of_c, of_d = factors[0], factors[1], factors[2], factors[3]
    for i in range(n):
        z[i] += of_a * a[i] + of_b * b[i] + of_c * c[i] + of_d * d[i]


@reader(error_model="numpy", fastmath=ANY_ORDER)
def scores_at(z: Floats, point: Floats, first: int, x: Floats, columns: Ints, m: int, n: int) -> None:
    """z = point[0] + Σ_j point[first + j]·x[columns[j]], four columns at a time."""
    b, whole = point[0], m // 4 * 4
    for i in range(n):
        z[i] = b
    for j in range(0, whole, 4):
        _add_four(z, point[first + j :], x[columns[j]], x[columns[j + 1]], x[columns[j + 2]], x[columns[j + 3]], n)
    for j in range(whole, m):
        add_column(z, point[first + j], x[columns[j]], n)


@reader(error_model="numpy", fastmath=ANY_ORDER)
def dots(v: Floats, x: Floats, columns: Ints, m: int, n: int, out: Floats) -> None:
    """out = v·x[columns[j]] for every j, four columns at a time."""
    for j in range(m):
        out[j] = 0.0
    for start in range(0, n, BLOCK):
        own = v[start:]
        for j in range(0, m, 4):
            # what would be beyond the last column is the last once more, and goes nowhere
            a, b = x[columns[j], start:], x[columns[min(j + 1, m - 1)], start:]
            c, d = x[columns[min(j + 2, m - 1)], start:], x[columns[min(j + 3, m - 1)], start:]
            va, vb, vc, vd = 0.0, 0.0, 0.0, 0.0
            for i in range(min(n - start, BLOCK)):
                of_v = own[i]
                va += of_v * a[i]
                vb += of_v * b[i]
                vc += of_v * c[i]
                vd += of_v * d[i]
            out[j] += va
            if j + 1 < m:
                out[j + 1] += vb
            if j + 2 < m:
                out[j + 2] += vc
            if j + 3 < m:
                out[j + 3] += vd


@reader(error_model="numpy", fastmath=ANY_ORDER)
def add_column(z: Floats, factor_: float, x: Floats, n: int) -> None:
    """z += factor·x."""
    for i in range(n):
        z[i] += factor_ * x[i]


@reader(error_model="numpy", fastmath=ANY_ORDER)
def times(out: Floats, x: Floats, y: Floats, n: int) -> float:
    """out = x·y entry by entry; returns its sum."""
    total = 0.0
    for i in range(n):
        out[i] = x[i] * y[i]
        total += out[i]
    return total


@reader(error_model="numpy", fastmath=ANY_ORDER)
def _add_dots(v: Floats, w: Floats, a: Floats, b: Floats, c: Floats, d: Floats, n: int, out: Floats) -> None:
    """Add the products of v and of w with a, b, c and d to the two rows of `out`, reading each once."""
    va, vb, vc, vd = 0.0, 0.0, 0.0, 0.0
    wa, wb, wc, wd = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        of_v, of_w = v[i], w[i]
        va += of_v * a[i]
        vb += of_v * b[i]
        vc += of_v * c[i]
        vd += of_v * d[i]
        wa += of_w * a[i]
        wb += of_w * b[i]
        wc += of_w * c[i]
        wd += of_w * d[i]
    out[0, 0] += va
    out[0, 1] += vb
    out[0, 2] += vc
    out[0, 3] += vd
    out[1, 0] += wa
    out[1, 1] += wb
    out[1, 2] += wc
    out[1, 3] += wd


@inner(error_model="numpy")
def curvature_of(x: Floats, columns: Ints, weights: Floats, m: int, n: int, h: Floats) -> None:
    """h = Σ weight·x·x', with the intercept first; all of it, not a triangle.

    By blocks of rows, which stay in the processor's cache for all pairs of columns; of these, two and four
    columns at a time.
    """
    weighed, sums = np.empty((2, BLOCK)), np.zeros((m + 3, m + 5))
    for start in range(0, n, BLOCK):
        size, own = min(n - start, BLOCK), weights[start:]
        total = 0.0
        for i in range(size):
            total += own[i]
        sums[0, 0] += total
        for j in range(0, m, 2):
            # an odd last column counts twice, and goes where `sums` has more room than h
            for q in range(2):
                sums[1 + j + q, 0] += times(weighed[q], own, x[columns[min(j + q, m - 1)], start:], size)
            for k in range(0, j + 2, 4):
                _add_dots(
                    weighed[0], weighed[1], x[columns[k], start:], x[columns[min(k + 1, m - 1)], start:],
                    x[columns[min(k + 2, m - 1)], start:], x[columns[min(k + 3, m - 1)], start:], size,
                    sums[1 + j :, 1 + k :],
                )  # fmt: skip
    for j in range(m + 1):
        for k in range(j + 1):
            h[j, k] = sums[j, k]
            h[k, j] = sums[j, k]


@reader(error_model="numpy")
def value_of_bound(
    tangent: float, size: float, gb: float, reach: float, magnitude: float, slope_low: float,
    slope_high: float, limits: Floats,
) -> float:  # fmt: skip
    """The bound from its parts, less what rounding can have added.

    limits = (B, error relative to the terms of the tangent, fixed error).
    """
    linear = slope_low * reach if reach >= 0 else slope_high * reach
    return tangent - abs(gb) * limits[0] + linear - limits[1] * size - limits[2] - 2e-15 * slope_high * magnitude


@reader(error_model="numpy")
def least_reach(
    g: Floats, low: Floats, high: Floats, optional: Ints, cost: Floats, m: int, room: int, pick: Floats
) -> tuple[float, float]:
    """V, the least Σ g_j·v_j + costs over the box, and the sum of the magnitudes of its terms."""
    total, magnitude, count = 0.0, 0.0, 0
    for j in range(m):
        v = min(g[j] * low[j], g[j] * high[j])
        if optional[j]:
            v += cost[j]
            if v < 0:
                pick[count] = v
                count += 1
                magnitude -= v
        else:
            total += v
            magnitude += abs(v)
    for q in range(min(count, room)):  # the most negative, by selection: room is small
        if count > room:
            for c in range(q + 1, count):
                if pick[c] < pick[q]:
                    pick[q], pick[c] = pick[c], pick[q]
        total += pick[q]
    return total, magnitude


@reader(error_model="numpy")
def step_back(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, m: int, point: Floats, step: Floats,
    gain: float, f: float, trial: Floats, z: Floats, e: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Halve a Newton step from (b, beta) until the loss falls as it should; return its length and the loss.

    `trial` receives where it ends, z and e what belongs to it. The length is 0 where nothing is to be gained.
    """
    t = 1.0
    for _ in range(12):
        for j in range(m + 1):
            trial[j] = point[j] + t * step[j]
        scores_at(z, trial, np.int64(1), x, columns, m, n)
        new = loss_at(z, positive, negative, e, n)
        if new <= f - 1e-4 * t * gain:
            return t, new
        t *= 0.5
    return 0.0, f


@inner(error_model="numpy")
def fit_support(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, m: int, reach: Floats,
    threshold: float, limits: Floats, point: Floats, work: Floats, accuracy: float,
) -> tuple[bool, float]:  # fmt: skip
    """Logistic regression on m columns with |beta_j| <= reach_j kept in the bound only.

    Returns whether the bound passes the threshold, and the loss. point = (b, beta) is the start and receives
    the fit. A fit that cannot pass ends when a step would gain less than `accuracy`.
    """
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    size = m + 1
    h, vectors = np.empty((size, size)), np.empty((3, size))
    step, g, trial = vectors[0], vectors[1], vectors[2]
    scores_at(z, point, np.int64(1), x, columns, m, n)
    f = loss_at(z, positive, negative, e, n)
    for _ in range(9):
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        g[0] = gb
        far = 0.0
        dots(residual, x, columns, m, n, g[1:])
        for j in range(m):
            far += abs(g[1 + j]) * reach[j]
        if value_of_bound(f - moment, f + moments, gb, -far, far, 0.0, 1.0, limits) >= threshold:
            return True, f
        curvature_of(x, columns, curve, m, n, h)
        for j in range(size):
            h[j, j] += 1e-12
            step[j] = -g[j]
        if not solve(h, size, step):
            break
        gain = 0.0
        for j in range(size):
            gain -= g[j] * step[j]
        if not gain > 1e-13 or (f - gain < threshold and gain < accuracy):
            break  # it cannot pass any more
        t, new = step_back(x, columns, positive, negative, n, m, point, step, gain, f, trial, z, e)
        if t == 0.0:
            break
        for j in range(size):
            point[j] = trial[j]
        f = new
    return False, f


@kernel(error_model="numpy")
def tighten(
    values: Floats, zero: Ints, scale: Floats, columns: Ints, optional: Ints, cost: Floats, dual: Floats,
    room: int, threshold: float, low: Ints, high: Ints,
) -> bool:  # fmt: skip
    """Cut off the values whose use alone makes the bound pass, for slope 1; True if nothing is left.

    low and high are the ranges of these columns; that of an open column without any value left is its 0.
    """
    m = len(optional)
    least, terms, pick = np.empty(m), np.empty(m), np.empty(m)
    total, magnitude, count = dual[0], 1.0, 0
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        least[q] = min(g * values[j, low[q]], g * values[j, high[q]])
        magnitude += max(abs(g * values[j, low[q]]), abs(g * values[j, high[q]])) + cost[q]
        if optional[q]:
            terms[q] = min(0.0, least[q] + cost[q])
            pick[count] = terms[q]
            count += 1
        else:
            total += least[q]
    last, top = 0.0, 0.0
    for q in range(min(count, room)):
        for c in range(q + 1, count):
            if pick[c] < pick[q]:
                pick[q], pick[c] = pick[c], pick[q]
        top += pick[q]
        last = pick[q]
    if count < room:
        last = 0.0
    slack = 2e-15 * (m + 4) * magnitude
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        if optional[q]:  # the best others, and its own cost
            rest = total + (top - terms[q] if terms[q] <= last else top - last) + cost[q] - slack
        else:
            rest = total + top - least[q] - slack
        while high[q] >= low[q] and not (optional[q] and high[q] <= zero[j]):
            if rest + g * values[j, high[q]] < threshold:
                break
            high[q] -= 1
        while low[q] <= high[q] and not (optional[q] and low[q] >= zero[j]):
            if rest + g * values[j, low[q]] < threshold:
                break
            low[q] += 1
        if not optional[q] and low[q] > high[q]:
            return True
    return False

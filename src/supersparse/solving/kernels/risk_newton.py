"""Relaxations of a box of cards, and the lower bound that holds at any point.

A box allows a·low_j <= beta_j <= a·high_j for each column j, with slope a in [slope_low, slope_high], and at
most `room` nonzero columns among the optional ones. For any residuals r_i = weight_i·p_i - positive_i with
p_i in [0, 1], convexity gives for every card of the box

    loss  >=  Σ_i (loss_i(z_i) - r_i·z_i)  +  a·V  -  |Σ r_i|·B,     z_i = the logit with sigmoid p_i,

where V is the least Σ_j g_j·v_j over v in the box, g_j = Σ_i r_i·x_ij, and B bounds the intercept of every
card that matters. So a badly solved relaxation gives a weak bound, never a wrong one.
"""

import numpy as np
from numba import njit

from supersparse.solving.kernels.risk_loss import (
    ANY_ORDER,
    INTERNAL,
    Floats,
    Ints,
    copy_floats,
    dot,
    loss_at,
    slopes_at,
)

_HUGE = 1e300
_STEPS = 12  # Newton steps for each barrier weight


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def factor(h: Floats, n: int) -> bool:
    """Cholesky factor in the lower triangle; False if the matrix is not positive definite."""
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
    return True


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def solve_factored(h: Floats, n: int, x: Floats) -> None:
    """Solve with the factor of `factor`, in place."""
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


@njit(cache=True, error_model="numpy", nogil=True, fastmath=ANY_ORDER, **INTERNAL)
def add_column(z: Floats, factor_: float, x: Floats, n: int) -> None:
    """z += factor·x."""
    for i in range(n):
        z[i] += factor_ * x[i]


@njit(cache=True, error_model="numpy", nogil=True, fastmath=ANY_ORDER, **INTERNAL)
def _times(out: Floats, x: Floats, y: Floats, n: int) -> float:
    """out = x·y entry by entry; returns its sum."""
    total = 0.0
    for i in range(n):
        out[i] = x[i] * y[i]
        total += out[i]
    return total


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def value_of_bound(
    tangent: float,
    size: float,
    gb: float,
    reach: float,
    magnitude: float,
    slope_low: float,
    slope_high: float,
    limits: Floats,
) -> float:
    """The bound from its parts, less what rounding can have added.

    limits = (B, error relative to the terms of the tangent, fixed error).
    """
    linear = slope_low * reach if reach >= 0 else slope_high * reach
    return (
        tangent - abs(gb) * limits[0] + linear - limits[1] * size - limits[2] - 2e-15 * slope_high * magnitude
    )


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
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


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def fit_support(
    x: Floats,
    positive: Floats,
    negative: Floats,
    n: int,
    m: int,
    reach: Floats,
    threshold: float,
    limits: Floats,
    point: Floats,
    work: Floats,
    accuracy: float,
) -> tuple[bool, float]:
    """Logistic regression on m columns with |beta_j| <= reach_j kept in the bound only.

    Returns whether the bound passes the threshold, and the loss. point = (b, beta) is the start and receives
    the fit. A fit that cannot pass ends when a step would gain less than `accuracy`.
    """
    z, e, residual, curve, scratch = work[0], work[1], work[2], work[3], work[4]
    size = m + 1
    h, step, g, trial = np.empty((size, size)), np.empty(size), np.empty(size), np.empty(size)
    for i in range(n):
        z[i] = point[0]
    for j in range(m):
        add_column(z, point[1 + j], x[j], n)
    f = loss_at(z, positive, negative, e, n)
    best = -_HUGE
    for _ in range(9):
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        g[0] = gb
        far = 0.0
        for j in range(m):
            g[1 + j] = dot(residual, x[j], n)
            far += abs(g[1 + j]) * reach[j]
        bound = value_of_bound(f - moment, f + moments, gb, -far, far, 0.0, 1.0, limits)
        best = max(best, bound)
        if best >= threshold:
            return True, f
        total = 0.0
        for i in range(n):
            total += curve[i]
        h[0, 0] = total + 1e-12
        for j in range(m):
            h[1 + j, 0] = _times(scratch, curve, x[j], n)
            for k in range(j + 1):
                h[1 + j, 1 + k] = dot(scratch, x[k], n)
            h[1 + j, 1 + j] += 1e-12
        if not factor(h, size):
            break
        for j in range(size):
            step[j] = -g[j]
        solve_factored(h, size, step)
        gain = 0.0
        for j in range(size):
            gain -= g[j] * step[j]
        if not gain > 1e-13 or (f - gain < threshold and gain < accuracy):
            break  # it cannot pass any more
        t, moved = 1.0, False
        for _ in range(12):
            for i in range(n):
                z[i] = point[0] + t * step[0]
            for j in range(m):
                trial[j] = point[1 + j] + t * step[1 + j]
                add_column(z, trial[j], x[j], n)
            new = loss_at(z, positive, negative, e, n)
            if new <= f - 1e-4 * t * gain:
                moved = True
                break
            t *= 0.5
        if not moved:
            break
        point[0] += t * step[0]
        for j in range(m):
            point[1 + j] = trial[j]
        f = new
    return False, f


@njit(cache=True, error_model="numpy", nogil=True)
def tighten_node(
    values: Floats,
    zero: Ints,
    scale: Floats,
    columns: Ints,
    optional: Ints,
    cost: Floats,
    dual: Floats,
    room: int,
    threshold: float,
    low: Ints,
    high: Ints,
) -> bool:
    """Cut off the values whose use alone makes the bound pass, for slope 1; True if nothing is left.

    low and high are ranges of all columns; that of an open column without any value left is its 0.
    """
    m = len(columns)
    least, terms, pick = np.empty(m), np.empty(m), np.empty(m)
    total, magnitude, count = dual[0], 1.0, 0
    for q in range(m):
        j = columns[q]
        g = dual[1 + q] * scale[j]
        least[q] = min(g * values[j, low[j]], g * values[j, high[j]])
        magnitude += max(abs(g * values[j, low[j]]), abs(g * values[j, high[j]])) + cost[q]
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
        if optional[q]:  # the best others beside it, and its own cost
            rest = total + (top - terms[q] if terms[q] <= last else top - last) + cost[q] - slack
        else:
            rest = total + top - least[q] - slack
        while high[j] >= low[j] and not (optional[q] and high[j] <= zero[j]):
            if rest + g * values[j, high[j]] < threshold:
                break
            high[j] -= 1
        while low[j] <= high[j] and not (optional[q] and low[j] >= zero[j]):
            if rest + g * values[j, low[j]] < threshold:
                break
            low[j] += 1
        if not optional[q] and low[j] > high[j]:
            return True
    return False


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _barrier(
    theta: Floats,
    low: Floats,
    high: Floats,
    fixed: Ints,
    of_t: Ints,
    m: int,
    base: int,
    room: int,
    has_t: int,
    slope_is_free: int,
    slope_low: float,
    slope_high: float,
) -> float:
    """-Σ log of the distances to the sides of the box; _HUGE outside."""
    a = theta[1] if slope_is_free else 1.0
    total = 0.0
    if slope_is_free:
        if a <= slope_low or a >= slope_high:
            return _HUGE
        total -= np.log((slope_high - a) * (a - slope_low))
    used = 0.0
    for j in range(m):
        if fixed[j]:
            continue
        beta = theta[base + j]
        width = a
        if of_t[j] >= 0:
            width = theta[of_t[j]]
            used += width
            if width >= a:
                return _HUGE
            total -= np.log(a - width)
        above, below = high[j] * width - beta, beta - low[j] * width
        if above <= 0 or below <= 0:
            return _HUGE
        total -= np.log(above * below)
    if has_t:
        left = room * a - used
        if left <= 0:
            return _HUGE
        total -= np.log(left)
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def relax(
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
    slope_is_free: int,
    slope_low: float,
    slope_high: float,
    threshold: float,
    limits: Floats,
    point: Floats,
    dual: Floats,
    work: Floats,
) -> tuple[int, float, float]:
    """Solve the relaxation by a barrier method until its bound passes the threshold or cannot pass it.

    point = (a, b, beta...) is the start and receives the end. dual receives the tangent's constant and its
    gradient at the best bound. Returns 1 if the bound passed, else 0; the best bound; the relaxed loss.
    """
    m = len(columns)
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    scratch, joint = work[4], work[5]
    fixed, of_t = np.zeros(m, np.int64), np.empty(m, np.int64)
    base = 2 if slope_is_free else 1
    n_optional, any_fixed, priced = 0, False, False
    for j in range(m):
        fixed[j] = 1 if low[j] == high[j] else 0
        of_t[j] = -1
        any_fixed = any_fixed or fixed[j] == 1
        if optional[j] and not fixed[j]:
            n_optional += 1
            priced = priced or cost[j] > 0
    has_t = 1 if n_optional > room or priced else 0
    n_t = 0
    if has_t:
        for j in range(m):
            if optional[j] and not fixed[j]:
                of_t[j] = base + m + n_t
                n_t += 1
    nv = base + m + n_t
    theta, trial, gradient, step = np.zeros(nv), np.zeros(nv), np.zeros(nv), np.zeros(nv)
    h, g, pick = np.zeros((nv, nv)), np.zeros(m), np.empty(m)

    # a start inside the box
    a = 1.0
    if slope_is_free:
        least, most = 0.0, _HUGE
        for j in range(m):
            size = abs(point[2 + j])
            if not optional[j] and size > 0:
                least = max(least, size / max(abs(low[j]), abs(high[j])))
                if low[j] > 0 or high[j] < 0:
                    most = min(most, size / min(abs(low[j]), abs(high[j])))
        a = point[0]
        if least > 0:
            a = np.sqrt(least * most) if most < _HUGE else max(a, 1.3 * least)
        width = slope_high - slope_low
        a = min(max(a, slope_low + 1e-6 * width), slope_high - 0.1 * width)
        theta[1] = a
    theta[0] = point[1]
    for j in range(m):
        bottom, top = low[j] * a, high[j] * a
        margin = 0.15 * (top - bottom)
        theta[base + j] = max(bottom + margin, min(top - margin, point[2 + j]))
        if fixed[j]:
            theta[base + j] = bottom
    if has_t:
        total = 0.0
        for j in range(m):
            if of_t[j] >= 0:
                total += abs(theta[base + j]) / max(-low[j], high[j])
        allowed = 0.8 * room * a
        if total > 0.9 * allowed:
            shrink = 0.9 * allowed / total
            for j in range(m):
                if of_t[j] >= 0:
                    theta[base + j] *= shrink
            total *= shrink
        spare = (allowed - total) / max(1, n_t)
        for j in range(m):
            if of_t[j] >= 0:
                # the least t that holds beta on its side of 0
                beta = theta[base + j]
                side = high[j] if beta > 0 else -low[j]
                if beta != 0 and side <= 0:
                    beta = theta[base + j] = 0.0
                bottom = 0.0 if beta == 0 else abs(beta) / side
                t = bottom + spare
                if t >= 0.95 * a:
                    t = bottom + 0.5 * (a - bottom)
                theta[of_t[j]] = t
                # stay strictly inside where one side of the box is 0
                if high[j] == 0 and beta == 0:
                    theta[base + j] = 0.3 * low[j] * t
                if low[j] == 0 and beta == 0:
                    theta[base + j] = 0.3 * high[j] * t
    for i in range(n):
        z[i] = theta[0]
        joint[i] = 0.0
    for j in range(m):
        if theta[base + j] != 0:
            add_column(z, theta[base + j], x[columns[j]], n)
        if fixed[j] and low[j] != 0:
            add_column(joint, low[j], x[columns[j]], n)
    f = loss_at(z, positive, negative, e, n)
    wall = _barrier(theta, low, high, fixed, of_t, m, base, room, has_t, slope_is_free, slope_low, slope_high)
    best, passed = -_HUGE, 0
    price = 0.0
    for j in range(m):
        if of_t[j] >= 0:
            price += cost[j] * theta[of_t[j]]
    mu = 1e-3
    for _ in range(14):
        if wall >= _HUGE:
            break
        broken = False
        for _ in range(_STEPS):
            gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
            for j in range(m):
                g[j] = dot(residual, x[columns[j]], n)
            v, magnitude = least_reach(g, low, high, optional, cost, m, room, pick)
            bound = value_of_bound(f - moment, f + moments, gb, v, magnitude, slope_low, slope_high, limits)
            if bound > best:
                best = bound
                dual[0] = f - moment - abs(gb) * limits[0] - limits[1] * (f + moments) - limits[2]
                for j in range(m):
                    dual[1 + j] = g[j]
            if best >= threshold:
                passed = 1
                break
            # Newton step of loss + costs + mu·barrier
            for i in range(nv):
                gradient[i] = 0.0
                for k in range(i + 1):
                    h[i, k] = 0.0
            gradient[0] = gb
            total = 0.0
            for i in range(n):
                total += curve[i]
            h[0, 0] = total + 1e-13
            for j in range(m):
                row = base + j
                if fixed[j]:
                    h[row, row] = 1.0
                    continue
                column = x[columns[j]]
                gradient[row] = g[j]
                h[row, 0] = _times(scratch, curve, column, n)
                for k in range(j + 1):
                    if not fixed[k]:
                        h[row, base + k] = dot(scratch, x[columns[k]], n)
                h[row, row] += 1e-13
                if any_fixed and slope_is_free:
                    h[row, 1] = dot(scratch, joint, n)
            if slope_is_free:
                if any_fixed:
                    gradient[1] = dot(residual, joint, n)
                    h[1, 0] = _times(scratch, curve, joint, n)
                    h[1, 1] = dot(scratch, joint, n)
                a = theta[1]
                above, below = slope_high - a, a - slope_low
                gradient[1] += mu / above - mu / below
                h[1, 1] += mu / (above * above) + mu / (below * below)
            else:
                a = 1.0
            used = 0.0
            for j in range(m):
                if fixed[j]:
                    continue
                row, wide = base + j, 1
                width = a
                if of_t[j] >= 0:
                    wide = of_t[j]
                    width = theta[wide]
                    used += width
                    gradient[wide] += cost[j]
                    left = a - width
                    c = mu / (left * left)
                    gradient[wide] += mu / left
                    h[wide, wide] += c
                    if slope_is_free:
                        gradient[1] -= mu / left
                        h[1, 1] += c
                        h[wide, 1] -= c
                above, below = high[j] * width - theta[row], theta[row] - low[j] * width
                c1, c2 = mu / (above * above), mu / (below * below)
                gradient[row] += mu / above - mu / below
                h[row, row] += c1 + c2
                if of_t[j] >= 0 or slope_is_free:
                    gradient[wide] += -mu * high[j] / above + mu * low[j] / below
                    h[wide, wide] += c1 * high[j] * high[j] + c2 * low[j] * low[j]
                    cross = -c1 * high[j] - c2 * low[j]
                    if wide > row:
                        h[wide, row] += cross
                    else:
                        h[row, wide] += cross
            if has_t:
                left = room * a - used
                c = mu / (left * left)
                for t in range(base + m, nv):
                    gradient[t] += mu / left
                    for k in range(base + m, t + 1):
                        h[t, k] += c
                    if slope_is_free:
                        h[t, 1] -= c * room
                if slope_is_free:
                    gradient[1] -= mu * room / left
                    h[1, 1] += c * room * room
            for i in range(nv):
                step[i] = -gradient[i]
                h[i, i] *= 1 + 1e-14
            if not factor(h, nv):
                broken = True
                break
            solve_factored(h, nv, step)
            if slope_is_free and any_fixed:
                for j in range(m):
                    if fixed[j]:
                        step[base + j] = step[1] * low[j]
            gain = 0.0
            for i in range(nv):
                if i < base or i >= base + m or not fixed[i - base]:
                    gain -= gradient[i] * step[i]
            if not gain > 0:
                break
            centred = gain < 1e-3 * mu
            now = f + price + mu * wall
            t, moved = 1.0, False
            for tried in range(40):
                for i in range(nv):
                    trial[i] = theta[i] + t * step[i]
                new_wall = _barrier(
                    trial, low, high, fixed, of_t, m, base, room, has_t, slope_is_free, slope_low, slope_high
                )
                if new_wall < _HUGE:
                    for i in range(n):
                        z[i] = trial[0]
                    for j in range(m):
                        add_column(z, trial[base + j], x[columns[j]], n)
                    new = loss_at(z, positive, negative, e, n)
                    new_price = 0.0
                    for j in range(m):
                        if of_t[j] >= 0:
                            new_price += cost[j] * trial[of_t[j]]
                    value = new + new_price + mu * new_wall
                    if value <= now - 1e-3 * t * gain or (centred and value <= now):
                        moved = True
                        break
                t *= 0.5 if tried < 3 else 0.3
            if not moved:
                for i in range(n):
                    z[i] = theta[0]
                for j in range(m):
                    add_column(z, theta[base + j], x[columns[j]], n)
                f = loss_at(z, positive, negative, e, n)
                break
            copy_floats(theta, trial, nv)
            f, wall, price = new, new_wall, new_price
            if centred:
                break
        if passed or broken:
            break
        if (f + price < threshold and mu <= 2e-4) or mu < 2e-11:
            break
        mu *= 0.12
    if not passed and wall < _HUGE:
        for i in range(n):
            z[i] = theta[0]
        for j in range(m):
            add_column(z, theta[base + j], x[columns[j]], n)
        f = loss_at(z, positive, negative, e, n)
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        for j in range(m):
            g[j] = dot(residual, x[columns[j]], n)
        v, magnitude = least_reach(g, low, high, optional, cost, m, room, pick)
        bound = value_of_bound(f - moment, f + moments, gb, v, magnitude, slope_low, slope_high, limits)
        if bound > best:
            best = bound
            dual[0] = f - moment - abs(gb) * limits[0] - limits[1] * (f + moments) - limits[2]
            for j in range(m):
                dual[1 + j] = g[j]
        passed = 1 if best >= threshold else 0
    point[0], point[1] = (theta[1] if slope_is_free else 1.0), theta[0]
    for j in range(m):
        point[2 + j] = theta[base + j]
    return passed, best, f + price

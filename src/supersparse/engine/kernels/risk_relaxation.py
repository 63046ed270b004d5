"""The relaxation of a box of cards, by a barrier method, and what its bound says about single values.

Variables are the intercept, the slope a where it is free, beta_j of every column, and t_j <= a for each
optional column, which stands for its use: a·low_j <= beta_j <= a·high_j, or with t_j in place of a, and the
t_j add up to at most room·a.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import kernel, reader
from supersparse.engine.kernels.risk_bound import (
    HUGE,
    add_column,
    curvature_of,
    dots,
    least_reach,
    scores_at,
    solve,
    times,
    value_of_bound,
)
from supersparse.engine.kernels.risk_loss import copy_floats, dot, loss_at, slopes_at

_STEPS = 12  # Newton steps for each barrier weight
_WEIGHTS = 14  # barrier weights
_ALIKE = 1e-1  # relative change of the loss up to which its curvature is not computed again


@reader(error_model="numpy")
def _barrier(
    theta: Floats, low: Floats, high: Floats, fixed: Ints, of_t: Ints, m: int, base: int, room: int, n_t: int,
    slope_is_free: int, slope_low: float, slope_high: float,
) -> float:  # fmt: skip
    """-Σ log of the distances to the sides of the box; HUGE outside."""
    a = theta[1] if slope_is_free else 1.0
    total = 0.0
    if slope_is_free:
        if a <= slope_low or a >= slope_high:
            return HUGE
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
                return HUGE
            total -= np.log(a - width)
        above, below = high[j] * width - beta, beta - low[j] * width
        if above <= 0 or below <= 0:
            return HUGE
        total -= np.log(above * below)
    if n_t:
        left = room * a - used
        if left <= 0:
            return HUGE
        total -= np.log(left)
    return total


@reader(error_model="numpy")
def _start_inside(
    low: Floats, high: Floats, optional: Ints, fixed: Ints, of_t: Ints, m: int, n_t: int, base: int,
    room: int, slope_is_free: int, slope_low: float, slope_high: float, point: Floats, theta: Floats,
) -> None:  # fmt: skip
    """Move point = (a, b, beta...) into the box, away from its sides; theta receives it."""
    a = 1.0
    if slope_is_free:
        least, most = 0.0, HUGE
        for j in range(m):
            size = abs(point[2 + j])
            if not optional[j] and size > 0:
                least = max(least, size / max(abs(low[j]), abs(high[j])))
                if low[j] > 0 or high[j] < 0:
                    most = min(most, size / min(abs(low[j]), abs(high[j])))
        a = point[0]
        if least > 0:
            a = np.sqrt(least * most) if most < HUGE else max(a, 1.3 * least)
        width = slope_high - slope_low
        a = min(max(a, slope_low + 1e-6 * width), slope_high - 0.1 * width)
        theta[1] = a
    theta[0] = point[1]
    total = 0.0
    for j in range(m):
        bottom, top = low[j] * a, high[j] * a
        margin = 0.15 * (top - bottom)
        theta[base + j] = max(bottom + margin, min(top - margin, point[2 + j]))
        if fixed[j]:
            theta[base + j] = bottom
        if of_t[j] >= 0:
            total += abs(theta[base + j]) / max(-low[j], high[j])
    allowed = 0.8 * room * a
    shrink = 0.9 * allowed / total if total > 0.9 * allowed else 1.0
    spare = (allowed - total * shrink) / max(1, n_t)
    for j in range(m):
        if of_t[j] >= 0:
            # the least t that holds beta on its side of 0
            beta = theta[base + j] * shrink
            side = high[j] if beta > 0 else -low[j]
            if side <= 0:
                beta = 0.0
            bottom = 0.0 if beta == 0 else abs(beta) / side
            t = bottom + spare
            if t >= 0.95 * a:
                t = bottom + 0.5 * (a - bottom)
            theta[of_t[j]] = t
            # stay strictly inside where one side of the box is 0
            if beta == 0 and high[j] == 0:
                beta = 0.3 * low[j] * t
            if beta == 0 and low[j] == 0:
                beta = 0.3 * high[j] * t
            theta[base + j] = beta


@reader(error_model="numpy")
def _add_barrier(
    low: Floats, high: Floats, cost: Floats, fixed: Ints, of_t: Ints, m: int, base: int, nv: int, room: int,
    slope_is_free: int, slope_low: float, slope_high: float, mu: float, theta: Floats, gradient: Floats,
    h: Floats,
) -> None:  # fmt: skip
    """Add the costs and mu times the barrier to the gradient and the curvature."""
    a = 1.0
    if slope_is_free:
        a = theta[1]
        above, below = slope_high - a, a - slope_low
        gradient[1] += mu / above - mu / below
        h[1, 1] += mu / (above * above) + mu / (below * below)
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
            left = a - width
            c = mu / (left * left)
            gradient[wide] += cost[j] + mu / left
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
            h[max(wide, row), min(wide, row)] += cross
    if nv > base + m:
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


@kernel(error_model="numpy")
def relax(
    x: Floats, columns: Ints, positive: Floats, negative: Floats, n: int, low: Floats, high: Floats,
    optional: Ints, cost: Floats, room: int, slope_is_free: int, slope_low: float, slope_high: float,
    threshold: float, limits: Floats, point: Floats, dual: Floats, work: Floats, gram: Floats, haste: float,
) -> tuple[int, float, float]:  # fmt: skip
    """Solve the relaxation by a barrier method until its bound passes the threshold or cannot pass it.

    Where it cannot, it ends when a step gains less than `haste` of what the loss is below the threshold.
    point = (a, b, beta...) is the start and receives the end. dual receives the tangent's constant and its
    gradient at the best bound; gram the curvature of the loss near the end, with the intercept first. Returns
    1 if the bound passed, else 0; the best bound; the relaxed loss.
    """
    m = len(columns)
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    scratch, joint = work[4], work[5]
    indices = np.zeros((2, m), np.int64)
    fixed, of_t = indices[0], indices[1]
    base = np.int64(2 if slope_is_free else 1)
    n_optional, any_fixed, priced = 0, False, False
    for j in range(m):
        fixed[j] = 1 if low[j] == high[j] else 0
        any_fixed = any_fixed or fixed[j] == 1
        if optional[j] and not fixed[j]:
            n_optional += 1
            priced = priced or cost[j] > 0
    has_t = n_optional > room or priced
    n_t = np.int64(0)
    for j in range(m):
        of_t[j] = -1
        if has_t and optional[j] and not fixed[j]:
            of_t[j] = base + m + n_t
            n_t += 1
    nv = base + m + n_t
    vectors, h = np.zeros((6, nv)), np.zeros((nv, nv))
    theta, trial, gradient = vectors[0], vectors[1], vectors[2]
    step, g, pick = vectors[3], vectors[4], vectors[5]
    _start_inside(
        low, high, optional, fixed, of_t, m, n_t, base, room, slope_is_free, slope_low, slope_high, point,
        theta,
    )  # fmt: skip
    for i in range(n):
        joint[i] = 0.0
    for j in range(m):
        if fixed[j] and low[j] != 0:
            add_column(joint, low[j], x[columns[j]], n)
    wall = _barrier(theta, low, high, fixed, of_t, m, base, room, n_t, slope_is_free, slope_low, slope_high)
    f, price, now, gain = 0.0, 0.0, 0.0, 0.0
    best, passed, stale, last = -HUGE, 0, True, False
    mu, steps, f_of_gram = 1.2e-4, 0, HUGE
    for _ in range(_STEPS * _WEIGHTS + 1):
        if wall >= HUGE:
            break
        if stale:
            scores_at(z, theta, base, x, columns, m, n)
            f = loss_at(z, positive, negative, e, n)
            price = 0.0
            for j in range(m):
                if of_t[j] >= 0:
                    price += cost[j] * theta[of_t[j]]
            stale = False
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        dots(residual, x, columns, m, n, g)
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
        if last:
            break
        # Newton step of loss + costs + mu·barrier
        for i in range(nv):
            gradient[i] = 0.0
            for k in range(i + 1):
                h[i, k] = 0.0
        gradient[0] = gb
        if abs(f - f_of_gram) > _ALIKE * f:
            curvature_of(x, columns, curve, m, n, gram)
            f_of_gram = f
        h[0, 0] = gram[0, 0] + 1e-13
        for j in range(m):
            row = base + j
            if fixed[j]:
                h[row, row] = 1.0
                continue
            gradient[row] = g[j]
            h[row, 0] = gram[1 + j, 0]
            for k in range(j + 1):
                if not fixed[k]:
                    h[row, base + k] = gram[1 + j, 1 + k]
            h[row, row] += 1e-13
            if any_fixed and slope_is_free:
                times(scratch, curve, x[columns[j]], n)
                h[row, 1] = dot(scratch, joint, n)
        if slope_is_free and any_fixed:
            gradient[1] = dot(residual, joint, n)
            h[1, 0] = times(scratch, curve, joint, n)
            h[1, 1] = dot(scratch, joint, n)
        _add_barrier(
            low, high, cost, fixed, of_t, m, base, nv, room, slope_is_free, slope_low, slope_high, mu, theta,
            gradient, h,
        )  # fmt: skip
        for i in range(nv):
            step[i] = -gradient[i]
            h[i, i] *= 1 + 1e-14
        if not solve(h, nv, step):
            last = True  # nothing more to learn here
            continue
        gain = 0.0
        for i in range(nv):
            if i < base or i >= base + m or not fixed[i - base]:
                gain -= gradient[i] * step[i]
            elif slope_is_free:
                step[i] = step[1] * low[i - base]
        steps += 1
        enough = 1e-3 * mu if f + price >= threshold else max(0.1 * mu, haste * (threshold - f - price))
        centred, moved = gain < enough, False
        if gain > 0:
            now, t = f + price + mu * wall, 1.0
            for tried in range(40):
                for i in range(nv):
                    trial[i] = theta[i] + t * step[i]
                new_wall = _barrier(
                    trial, low, high, fixed, of_t, m, base, room, n_t, slope_is_free, slope_low, slope_high
                )
                if new_wall < HUGE:
                    scores_at(z, trial, base, x, columns, m, n)
                    new = loss_at(z, positive, negative, e, n)
                    new_price = 0.0
                    for j in range(m):
                        if of_t[j] >= 0:
                            new_price += cost[j] * trial[of_t[j]]
                    value = new + new_price + mu * new_wall
                    if value <= now - 1e-3 * t * gain or (centred and value <= now):
                        moved = True
                        f, wall, price = new, new_wall, new_price
                        copy_floats(theta, trial, nv)
                        break
                t *= 0.5 if tried < 3 else 0.3
            stale = not moved
        if centred or not moved or steps == _STEPS:
            last = (f + price < threshold and mu <= 2e-4) or mu < 2e-11
            mu, steps = 0.12 * mu, 0
    point[0], point[1] = (theta[1] if slope_is_free else 1.0), theta[0]
    for j in range(m):
        point[2 + j] = theta[base + j]
    return passed, best, f + price

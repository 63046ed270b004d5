"""Log loss of weighted rows: the arrays of a problem, the loss at scores, the best slope and intercept of a
card.

Rows are merged: `positive` and `negative` hold the weight of each class in a row, so a row at logit z costs
positive·log(1 + e^-z) + negative·log(1 + e^z). Sums run over blocks of rows, which keeps the rounding error
of a sum of n terms below (BLOCK + n/BLOCK)·2^-53 of the sum of their magnitudes, in whatever order the
processor adds within a block. A block is a slice, counted from 0: only so are its loops compiled for vectors
(an index that may be negative, for all the compiler knows, makes neighbouring rows of one array look as if
they overlapped), which is two to three times as fast.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import njit, reader
from supersparse.engine.kernels.memory import by_reference
from supersparse.engine.risk.data import BLOCK, Best, Boxes, RiskData, Support, SwapRecord

for _kind in (RiskData, Best, SwapRecord, Support, Boxes):
    by_reference(_kind)

ANY_ORDER = {"reassoc", "contract", "nsz"}  # sums may be reordered and fused; nothing else is relaxed
_HOPE = 2.0  # four times what a quadratic model promises
QUICK, ACCURATE = np.int64(0), np.int64(1)  # typed: each literal would be compiled anew


@njit(cache=True, error_model="numpy", inline="always")
def exp_of_negative(x: float) -> float:
    """e^x for x <= 0 within 2 + |x|/4 units of the last place; below -700 it is e^-700. Vectorises."""
    x = max(x, -700.0)
    k = np.rint(x * 1.4426950408889634)
    r = x - k * 6.93147180369123816490e-01
    r = r - k * 1.90821492927058770002e-10
    r2 = r * r
    r4 = r2 * r2
    # in pairs, which do not wait for each other
    ones = (1.0 + r) + r2 * (0.5 + r * 1.6666666666666666e-01)
    fourths = (4.1666666666666664e-02 + r * 8.333333333333333e-03) + r2 * (
        1.388888888888889e-03 + r * 1.984126984126984e-04
    )
    eighths = (2.48015873015873e-05 + r * 2.7557319223985893e-06) + r2 * (
        2.755731922398589e-07 + r * 2.505210838544172e-08
    )
    twelfths = 2.08767569878681e-09 + r * 1.6059043836821613e-10
    p = ones + r4 * (fourths + r4 * (eighths + r4 * twelfths))
    bits = np.int64((np.int64(k) + 1023) << 52)
    return p * bits.view(np.float64)


@njit(cache=True, error_model="numpy", inline="always")
def _log_near_one(m: float) -> float:
    """log m for m from 1/sqrt 2 to sqrt 2."""
    t = (m - 1.0) / (m + 1.0)
    s = t * t
    s2 = s * s
    s4 = s2 * s2
    q = (1.0 + s * (1.0 / 3.0)) + s2 * (0.2 + s * (1.0 / 7.0))
    q += s4 * ((1.0 / 9.0 + s * (1.0 / 11.0)) + s2 * (1.0 / 13.0 + s * (1.0 / 15.0)))
    q += s4 * s4 * (1.0 / 17.0 + s * (1.0 / 19.0))
    return 2.0 * t * q


@njit(cache=True, error_model="numpy", inline="always")
def log_of_one_plus(e: float) -> float:
    """log(1 + e) for e in [0, 1], within 4·2^-53 absolutely. Vectorises."""
    y = 1.0 + e
    large = y > 1.4142135623730951
    return _log_near_one(y * (0.5 if large else 1.0)) + (0.6931471805599453 if large else 0.0)


@njit(cache=True, error_model="numpy", inline="always")
def log_of(x: float) -> float:
    """log x for x in [1e-300, 1], within 4·2^-53 + 2^-52·|log x|. Vectorises."""
    bits = np.float64(x).view(np.int64)
    m = np.int64((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    large = m > 1.4142135623730951
    k = np.float64((bits >> 52) - 1023) + (1.0 if large else 0.0)
    return _log_near_one(m * (0.5 if large else 1.0)) + k * 0.6931471805599453


@reader(error_model="numpy", fastmath=ANY_ORDER)
def loss_at(z: Floats, positive: Floats, negative: Floats, e: Floats, n: int) -> float:
    """The loss at logits z; e receives e^-|z|."""
    total = 0.0
    for start in range(0, n, BLOCK):
        part = 0.0
        own_z, own_e, own_p, own_n = z[start:], e[start:], positive[start:], negative[start:]
        for i in range(min(n - start, BLOCK)):
            v = own_z[i]
            w = exp_of_negative(-abs(v))
            own_e[i] = w
            tail = log_of_one_plus(w)
            part += own_p[i] * (max(-v, 0.0) + tail) + own_n[i] * (max(v, 0.0) + tail)
        total += part
    return total


@reader(error_model="numpy", fastmath=ANY_ORDER)
def slopes_at(
    z: Floats, e: Floats, positive: Floats, negative: Floats, residual: Floats, curve: Floats, n: int
) -> tuple[float, float, float]:
    """First and second derivative of each row's loss, from z and e = e^-|z|.

    Returns the sum of the residuals, the sum of residual·z and the sum of |residual·z|.
    """
    total, moment, size = 0.0, 0.0, 0.0
    for start in range(0, n, BLOCK):
        part, part_moment, part_size = 0.0, 0.0, 0.0
        own_z, own_e, own_p, own_n = z[start:], e[start:], positive[start:], negative[start:]
        own_r, own_c = residual[start:], curve[start:]
        for i in range(min(n - start, BLOCK)):
            v, w = own_z[i], own_e[i]
            p = (1.0 if v >= 0 else w) / (1.0 + w)
            weight = own_p[i] + own_n[i]
            r = weight * p - own_p[i]
            own_r[i] = r
            own_c[i] = weight * p * (1.0 - p)
            part += r
            part_moment += r * v
            part_size += abs(r * v)
        total += part
        moment += part_moment
        size += part_size
    return total, moment, size


@reader(error_model="numpy", fastmath=ANY_ORDER)
def entropy_of(risk: Floats, positive: Floats, negative: Floats, n: int) -> float:
    """The weighted entropy of risks: the least loss of rows that have these risks."""
    total = 0.0
    for start in range(0, n, BLOCK):
        part = 0.0
        own, own_p, own_n = risk[start:], positive[start:], negative[start:]
        for i in range(min(n - start, BLOCK)):
            p, q = own[i], 1.0 - own[i]
            part -= (own_p[i] + own_n[i]) * (p * log_of(max(p, 1e-300)) + q * log_of(max(q, 1e-300)))
        total += part
    return total


@reader(error_model="numpy", fastmath=ANY_ORDER)
def dot(x: Floats, y: Floats, n: int) -> float:
    """x·y over the first n entries."""
    total = 0.0
    for start in range(0, n, BLOCK):
        part = 0.0
        own_x, own_y = x[start:], y[start:]
        for i in range(min(n - start, BLOCK)):
            part += own_x[i] * own_y[i]
        total += part
    return total


@reader(error_model="numpy")
def fill(target: Floats, value: float, n: int) -> None:
    """target[:n] = value, which compiles faster as a loop."""
    for i in range(n):
        target[i] = value


@reader(error_model="numpy")
def copy(target: Ints, source: Ints, n: int) -> None:
    """target[:n] = source[:n] for whole numbers."""
    for i in range(n):
        target[i] = source[i]


@reader(error_model="numpy")
def same(one: Ints, other: Ints, n: int) -> bool:
    """Whether the first n entries are equal."""
    equal = True
    for i in range(n):
        equal = equal and one[i] == other[i]
    return equal


@reader(error_model="numpy")
def copy_floats(target: Floats, source: Floats, n: int) -> None:
    """target[:n] = source[:n]."""
    for i in range(n):
        target[i] = source[i]


@reader(error_model="numpy", fastmath=ANY_ORDER)
def logits(score: Floats, a: float, b: float, z: Floats, n: int) -> None:
    """z = a·score + b."""
    for i in range(n):
        z[i] = a * score[i] + b


@reader(error_model="numpy", fastmath=ANY_ORDER)
def curvature(score: Floats, curve: Floats, n: int) -> tuple[float, float, float]:
    """Σ c, Σ c·s and Σ c·s²."""
    one, two, three = 0.0, 0.0, 0.0
    for i in range(n):
        c = curve[i]
        one += c
        two += c * score[i]
        three += c * score[i] * score[i]
    return one, two, three


@reader(error_model="numpy")
def best_intercept(
    score: Floats, positive: Floats, negative: Floats, n: int, a: float, b: float, work: Floats
) -> float:
    """The intercept with the least loss at slope a, by Newton steps within a bracket.

    At the best intercept the mean risk is the share of positive weight, so the log odds of that share lie
    between the smallest and the largest logit.
    """
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    of_positive, of_negative, least, most = 0.0, 0.0, np.inf, -np.inf
    for i in range(n):
        of_positive += positive[i]
        of_negative += negative[i]
        least = min(least, a * score[i])
        most = max(most, a * score[i])
    odds = np.log(of_positive / of_negative)
    low, high = odds - most - 1e-9, odds - least + 1e-9
    if not low <= b <= high:
        b = 0.5 * (low + high)
    for _ in range(100):
        logits(score, a, b, z, n)
        for i in range(n):
            e[i] = exp_of_negative(-abs(z[i]))
        g, _, _ = slopes_at(z, e, positive, negative, residual, curve, n)
        if g > 0:
            high = b
        else:
            low = b
        h = 0.0
        for i in range(n):
            h += curve[i]
        step = g / h if h > 0 else np.inf
        new = b - step
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - b) <= 1e-15 * (1 + abs(b)):
            break
        b = new
    return b


@reader(error_model="numpy")
def _bisect_slope(
    score: Floats, positive: Floats, negative: Floats, n: int, most: float, start: Floats, work: Floats
) -> None:
    """The best slope in [0, most], each slope with its best intercept; slow and sure."""
    low, high, b = 0.0, most, start[1]
    a = most
    for _ in range(200):
        b = best_intercept(score, positive, negative, n, a, b, work)
        slope = dot(work[2], score, n)
        if slope > 0:
            high = a
        else:
            low = a
        if a == most and slope <= 0:
            break
        middle = 0.5 * (low + high) if low > 0.01 * high else 0.1 * high
        if middle in (low, high) or high < 1e-300:
            break
        a = middle
    start[0], start[1] = a, best_intercept(score, positive, negative, n, a, b, work)


@reader(error_model="numpy")
def calibrate(
    score: Floats, positive: Floats, negative: Floats, n: int, start: Floats, slope_is_free: int, most: float,
    accurate: int, enough: float, work: Floats,
) -> float:  # fmt: skip
    """The least loss of a·score + b over b and, if free, over a in [0, most]; start = (a, b) is improved.

    `start` receives the slope and intercept. Unless accurate, it ends with an estimate as soon as the loss
    cannot be expected to come down to `enough`. `work` has at least 4 rows.
    """
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    if not slope_is_free:
        start[1] = best_intercept(score, positive, negative, n, start[0], start[1], work)
        logits(score, start[0], start[1], z, n)
        return loss_at(z, positive, negative, e, n)
    a, b = min(max(start[0], 0.0), most), start[1]
    logits(score, a, b, z, n)
    f = loss_at(z, positive, negative, e, n)
    merit, far, again = np.inf, np.inf, True
    for _ in range(80 if accurate else 8):
        gb, _, _ = slopes_at(z, e, positive, negative, residual, curve, n)
        ga = dot(residual, score, n)
        hbb, hab, haa = curvature(score, curve, n)
        step_a, step_b = 0.0, -gb / (hbb + 1e-300)
        at_end = (a >= most and ga <= 0) or (a <= 0 and ga >= 0)
        far = abs(gb) * (1 + abs(b)) + (0.0 if at_end else abs(ga) * most)
        if not at_end:
            det = haa * hbb - hab * hab
            if det > 1e-13 * haa * hbb:
                step_a = -(hbb * ga - hab * gb) / det
                step_b = -(haa * gb - hab * ga) / det
            else:
                step_a, step_b = -0.5 * ga / (haa + 1e-300), -0.5 * gb / (hbb + 1e-300)
        gain = -(ga * step_a + gb * step_b)
        if gain < (1e-26 if accurate else 1e-9):
            break
        if not accurate and f - _HOPE * gain > enough:
            f -= 0.5 * gain
            break
        if gain < 1e-12 and gain > 0.5 * merit:
            break  # rounding leaves nothing to gain
        merit = gain
        t, moved = 1.0, False
        for _ in range(20):
            new_a = min(max(a + t * step_a, 0.0), most)
            logits(score, new_a, b + t * step_b, z, n)
            new = loss_at(z, positive, negative, e, n)
            if new < f or (gain < 1e-9 and new <= f + 1e-14):  # at the end the gradient tells more than f
                moved = True
                break
            t *= 0.4
        if not moved:
            if not again or gain < 1e-9:
                break
            again = False  # so steep that no row says anything: start where they do
            size = 0.0
            for i in range(n):
                size = max(size, abs(score[i]))
            a = min(most, 1.0 / max(size, 1e-300))
            b = best_intercept(score, positive, negative, n, a, 0.0, work)
            logits(score, a, b, z, n)
            f = loss_at(z, positive, negative, e, n)
            merit = np.inf
            continue
        better = f - new
        a, b, f = new_a, b + t * step_b, new
        if not accurate and better < 1e-8:
            break
    start[0], start[1] = a, b
    if accurate and not far < 1e-11:
        _bisect_slope(score, positive, negative, n, most, start, work)
        logits(score, start[0], start[1], z, n)
        slow = loss_at(z, positive, negative, e, n)
        if slow > f:  # both have converged as far as rounding allows
            start[0], start[1] = a, b
        else:
            f = slow
    return f

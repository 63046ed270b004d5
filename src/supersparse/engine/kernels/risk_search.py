"""Search for good cards: supports by their logistic regression, then points by rounding and single moves."""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.risk_bound import fit_support, scores_at
from supersparse.engine.kernels.risk_cards import card_loss, load, obeys_limits, offer, rates_broken
from supersparse.engine.kernels.risk_loss import ANY_ORDER, QUICK, copy, copy_floats, fill, loss_at, same, slopes_at
from supersparse.engine.risk.data import ROWS, SIZE, WORK, Best, RiskData, Support

_SCALES = 24
_LAST = 1e3  # more than any loss


@reader(error_model="numpy", fastmath=ANY_ORDER)
def gains(data: RiskData, support: Support, columns: Ints, point: Floats, k: int, out: Floats) -> None:
    """The possible gain of adding each column to a model (b, beta...), by one Newton step for it alone."""
    n = data.x.shape[1]
    z, e, residual, curve = support.work[0], support.work[1], support.work[2], support.work[3]
    scores_at(z, point, np.int64(1), data.x, columns, k, n)
    loss_at(z, data.positive, data.negative, e, n)
    slopes_at(z, e, data.positive, data.negative, residual, curve, n)
    support.counts[WORK] += 2 * n * data.x.shape[0]
    for j in range(data.x.shape[0]):
        x = data.x[j]
        g, h, c = 0.0, 1e-12, 1e-12
        cross = 0.0
        for i in range(n):
            g += residual[i] * x[i]
            cross += curve[i] * x[i]
            h += curve[i] * x[i] * x[i]
            c += curve[i]
        out[j] = 0.5 * g * g / max(h - cross * cross / c, 1e-12 + 1e-3 * h)
    for q in range(k):
        out[columns[q]] = -1.0


@reader(error_model="numpy")
def _largest(values: Floats) -> int:
    best = 0
    for j in range(len(values)):
        if values[j] > values[best]:
            best = j
    return best


@kernel(error_model="numpy")
def extend(
    data: RiskData, support: Support, members: Ints, points: Floats, n_members: int, size: int, allowed: Ints,
    tries: int, least: float, new_members: Ints, new_points: Floats, losses: Floats,
) -> int:  # fmt: skip
    """Add one column to each support of a beam; the best, sorted by loss, replace new_members.

    Supports are sorted lists of columns. Those where a column would have less than `least` of the fewest
    points it can have come last. Returns how many there are.
    """
    p = data.x.shape[0]
    out, count, width = np.empty(p), np.int64(0), len(losses)
    trial, beta, reach = np.empty(size + 1, np.int64), np.empty(size + 2), np.empty(size + 1)
    for m in range(n_members):
        copy_floats(beta, points[m], size + 1)
        gains(data, support, members[m], beta, size, out)
        for j in range(p):
            if not allowed[j]:
                out[j] = -1.0
        for _ in range(tries):
            j = _largest(out)
            if out[j] < 0:
                break
            out[j] = -1.0
            at = 0
            beta[0] = points[m, 0]
            for q in range(size):
                if members[m, q] < j:
                    at = q + 1
            for q in range(size + 1):
                trial[q] = members[m, q] if q < at else (j if q == at else members[m, q - 1])
                beta[1 + q] = points[m, 1 + q] if q < at else (0.0 if q == at else points[m, q])
            known = False
            for c in range(count):
                known = known or same(new_members[c], trial, size + 1)
            if known:
                continue
            load(data, support, trial, size + 1)
            n = support.state[ROWS]
            support.counts[WORK] += 5 * n * ((size + 1) * (size + 1) // 2 + 8)
            for q in range(size + 1):
                reach[q] = data.reach[trial[q]]
            _, f = fit_support(
                support.x, support.order, support.positive, support.negative, n, size + 1, reach, np.inf,
                data.limits, beta, support.work, 1e-5,
            )  # fmt: skip
            if _least_share(data, trial, beta, size + 1) < least:
                f += _LAST
            count = keep(trial, beta, f, size + 1, new_members, new_points, losses, count, width)
    return count


@reader(error_model="numpy")
def _least_share(data: RiskData, columns: Ints, point: Floats, k: int) -> float:
    """How much of its fewest points a column has where the regression (b, beta...) has its most points.

    That is at the least slope at which no column has more than its largest points. Less than half is rounded
    to 0, which no choice of points mends: their scales are too different.
    """
    slope, share = 0.0, np.inf
    for q in range(k):
        own = data.values[columns[q]]
        slope = max(slope, abs(point[1 + q]) / (max(abs(own[0]), abs(own[-1])) * data.scale[columns[q]]))
    for q in range(k):
        own, fewest = data.values[columns[q]], np.inf
        for v in range(len(own)):
            if own[v] != 0:
                fewest = min(fewest, abs(own[v]))
        share = min(share, abs(point[1 + q]) / max(slope * fewest * data.scale[columns[q]], 1e-300))
    return share


@reader(error_model="numpy")
def keep(
    columns: Ints, point: Floats, f: float, k: int, members: Ints, points: Floats, losses: Floats, count: int,
    most: int,
) -> int:  # fmt: skip
    """Insert a support into a list sorted by loss; returns the new length."""
    at = count
    while at > 0 and losses[at - 1] > f:
        at -= 1
    if at >= most:
        return count
    for c in range(min(count, most - 1), at, -1):
        losses[c] = losses[c - 1]
        copy(members[c], members[c - 1], k)
        copy_floats(points[c], points[c - 1], k + 1)
    losses[at] = f
    copy(members[at], columns, k)
    copy_floats(points[at], point, k + 1)
    return min(count + 1, most)


@reader(error_model="numpy")
def card_value(data: RiskData, support: Support, index: Ints, k: int, start: Floats, enough: float) -> float:
    """Loss and penalty of a card on the support at hand, quickly calibrated; infinite if not allowed.

    More than `enough` may be an estimate, from a calibration that was given up.
    What it breaks of limits on rates is added, so that moves lead to cards that obey them.
    """
    if not obeys_limits(data, support, index, k):
        return np.inf
    penalty = 0.0
    for q in range(k):
        penalty += data.penalty[support.columns[q], index[q]]
    f, _ = card_loss(data, support, index, k, start, QUICK, enough - penalty)
    support.counts[WORK] += 12 * support.state[ROWS]
    return f + penalty + data.pull * rates_broken(data, support, index, k, start)


@inner(error_model="numpy")
def polish(data: RiskData, support: Support, low: Ints, high: Ints, index: Ints, fit_: Floats, value: float) -> float:
    """Change one point at a time while that helps; index and fit receive the result."""
    k = support.state[SIZE]
    trial, start = np.empty(k, np.int64), np.empty(4)
    copy(trial, index, k)
    improved = True
    while improved:
        improved = False
        for q in range(k):
            j = support.columns[q]
            for v in range(max(low[j], index[q] - 6), min(high[j], index[q] + 6) + 1):
                if v == index[q]:
                    continue
                trial[q] = v
                start[0], start[1] = fit_[0], fit_[1]
                new = card_value(data, support, trial, k, start, value)
                if new < value - 1e-9:
                    value, improved = new, True
                    index[q] = v
                    fit_[0], fit_[1] = start[0], start[1]
            trial[q] = index[q]
    return value


@kernel(error_model="numpy")
def round_support(
    data: RiskData, support: Support, best: Best, low: Ints, high: Ints, columns: Ints, k: int, point: Floats,
    near: float, keeps: int,
) -> None:  # fmt: skip
    """Round the regression point = (b, beta) on k columns at several slopes, and polish the best.

    Only what comes within `near` of the best card is polished; a negative `near` offers the rounding itself.
    It `keeps` cards as `offer` does.
    """
    load(data, support, columns, k)
    least, most = 0.0, 0.0
    for q in range(k):
        j = support.columns[q]
        large = max(abs(data.values[j, low[j]]), abs(data.values[j, high[j]])) * data.scale[j]
        least = max(least, abs(point[1 + q]) / max(large, 1e-300))
        small = np.inf
        for v in range(low[j], high[j] + 1):
            if data.values[j, v] != 0:
                small = min(small, abs(data.values[j, v]))
        most = max(most, abs(point[1 + q]) / (small * data.scale[j]))
    if not least > 0:
        return
    least, most = 0.9 * least, max(1.5 * most, 1.01 * least)
    if most > 60 * least:
        most = 60 * least
    scales = _SCALES if data.slope_is_free else 1
    starts = np.int64(2)
    kept, fits, values = np.zeros((starts, k), np.int64), np.zeros((starts, 4)), np.empty(starts)
    fill(values, np.inf, starts)
    index, last, start = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(4)
    for t in range(scales):
        a = least * (most / least) ** (t / max(1, scales - 1)) if data.slope_is_free else 1.0
        for q in range(k):
            j = support.columns[q]
            wanted = point[1 + q] / (a * data.scale[j])
            nearest = low[j]
            for v in range(low[j], high[j] + 1):
                if abs(data.values[j, v] - wanted) < abs(data.values[j, nearest] - wanted):
                    nearest = v
            index[q] = nearest
        if t > 0 and same(index, last, k):
            continue
        copy(last, index, k)
        start[0], start[1] = a, point[0]
        value = card_value(data, support, index, k, start, values[1])
        for s in range(starts):
            if value < values[s] - 1e-12:
                if s == 0:
                    values[1] = values[0]
                    copy_floats(fits[1], fits[0], np.int64(4))
                    copy(kept[1], kept[0], k)
                values[s] = value
                copy_floats(fits[s], start, np.int64(4))
                copy(kept[s], index, k)
                break
    for s in range(starts):
        if values[s] < best.value[0] + abs(near):
            value = values[s]
            if near >= 0:
                value = polish(data, support, low, high, kept[s], fits[s], value)
            if value < best.value[0] + 1e-7:
                offer(data, support, best, kept[s], k, fits[s], np.inf, keeps)

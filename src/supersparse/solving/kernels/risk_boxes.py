"""All cards on one support: boxes of points, split depth first until each is pruned or one card.

Points are indices into the sorted values of each column. In strict mode a column of the support is not 0, so
that penalties and limits of supports count in full; otherwise 0 is allowed and covers all smaller supports.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.risk_loss import (
    ACCURATE,
    INTERNAL,
    QUICK,
    Floats,
    Ints,
    calibrate,
    copy,
    copy_floats,
    dot,
    fill,
    logits,
    loss_at,
    slopes_at,
)
from supersparse.solving.kernels.risk_newton import add_column, fit_support, relax, value_of_bound

BOXES, SUPPORTS, CELL_PRUNED, FITTED, RELAXED, WORK = 0, 1, 2, 3, 4, 5
DEPTH, SIZE, ROWS, FOUND = 0, 1, 2, 3


class RiskData(NamedTuple):
    """A risk problem in the solver's columns: x = (raw - offset) / scale, so beta = slope·points·scale."""

    x: Floats  # (columns, rows)
    positive: Floats
    negative: Floats
    ranks: NDArray[np.int32]  # of the values of each column
    distinct: Ints
    scale: Floats
    offset: Floats
    values: Floats  # (columns, most values), sorted; padded with the last
    zero: Ints  # the index of 0
    penalty: Floats  # of each value, less that of 0
    tables: Floats  # (limits, columns, values): terms of each limit, less that of 0
    most: Floats  # (limits,)
    cap: Floats  # slope·|points| is at most this; infinite for a fixed slope
    reach: Floats  # |beta| is at most this
    limits: Floats  # (B, relative error, fixed error), see `value_of_bound`
    slope_is_free: int
    strict: int
    tolerance: float


class Best(NamedTuple):
    """The best card so far."""

    value: Floats  # (1,): loss and penalty
    index: Ints  # (columns,)
    fit: Floats  # (2,): slope and intercept on the solver's columns


class Support(NamedTuple):
    """The support at hand: its rows merged, and the boxes still open."""

    state: Ints  # (4,): depth of the stack, columns, merged rows, cards listed
    columns: Ints
    x: Floats
    positive: Floats
    negative: Floats
    low: Ints  # (stack, columns)
    high: Ints
    points: Floats  # (stack, 2 + columns): where to start
    work: Floats  # (8, rows)
    ids: NDArray[np.int32]
    counts: Ints  # (6,)
    floor: Floats  # (1,): the least bound of a card that could not be pruned
    found: (
        Ints  # (room, 1 + 2·columns): cards listed, as number, columns, indices; no room: nothing is listed
    )


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def merge_rows(data: RiskData, support: Support, k: int) -> int:
    """Rows that are equal on the support become one; returns their number."""
    n = data.x.shape[1]
    ids, groups = support.ids, 1
    for i in range(n):
        ids[i] = 0
    for q in range(k):
        j = support.columns[q]
        wide = data.distinct[j]
        size = groups * wide
        if size > 20000 or size > 8 * n:
            groups = n + 1
            break
        table = np.empty(size, np.int32)
        for at in range(size):
            table[at] = -1
        ranks = data.ranks[j]
        count = 0
        for i in range(n):
            at = ids[i] * wide + ranks[i]
            if table[at] < 0:
                table[at] = count
                count += 1
            ids[i] = table[at]
        groups = count
    if groups > 0.7 * n:
        for q in range(k):
            copy_floats(support.x[q], data.x[support.columns[q]], n)
        copy_floats(support.positive, data.positive, n)
        copy_floats(support.negative, data.negative, n)
        return n
    fill(support.positive, 0.0, groups)
    fill(support.negative, 0.0, groups)
    for i in range(n):
        g = ids[i]
        support.positive[g] += data.positive[i]
        support.negative[g] += data.negative[i]
        for q in range(k):
            support.x[q, g] = data.x[support.columns[q], i]
    return groups


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _least_penalty(data: RiskData, j: int, low: int, high: int) -> float:
    """The least penalty in a range of values; 0 itself does not count in strict mode."""
    best = np.inf
    for v in range(low, high + 1):
        if not (data.strict and v == data.zero[j]):
            best = min(best, data.penalty[j, v])
    return best


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def box_penalty(data: RiskData, support: Support, low: Ints, high: Ints, k: int) -> float:
    """The least penalty in a box; infinite if no card in it obeys the limits."""
    total = 0.0
    for q in range(k):
        total += _least_penalty(data, support.columns[q], low[q], high[q])
    for limit in range(len(data.most)):
        least = 0.0
        for q in range(k):
            j = support.columns[q]
            smallest = np.inf
            for v in range(low[q], high[q] + 1):
                if not (data.strict and v == data.zero[j]):
                    smallest = min(smallest, data.tables[limit, j, v])
            least += smallest
        if least > data.most[limit]:
            return np.inf
    return total


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def largest_slope(data: RiskData, columns: Ints, low: Ints, high: Ints, k: int) -> float:
    """The largest slope of any card in a box, other than the empty card."""
    least, most = np.inf, 0.0
    for q in range(k):
        j = columns[q]
        smallest = np.inf
        for v in range(low[q], high[q] + 1):
            if v != data.zero[j]:
                smallest = min(smallest, abs(data.values[j, v]))
        if smallest == np.inf:
            continue
        slope = data.cap[j] / smallest
        most = max(most, slope)
        if data.strict or low[q] > data.zero[j] or high[q] < data.zero[j]:
            least = min(least, slope)
    return min(least, most)


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def card_loss(
    data: RiskData, support: Support, index: Ints, k: int, fit: Floats, accurate: int
) -> tuple[float, float]:
    """The least loss of one card on the support's merged rows, and a lower bound of it.

    fit = (slope, intercept, ...) is the start and receives the best. The bound is only filled in if accurate.
    """
    n = support.state[ROWS]
    score = support.work[6]
    fill(score, 0.0, n)
    slope, shift = np.inf, 0.0
    for q in range(k):
        j = support.columns[q]
        value = data.values[j, index[q]]
        if value != 0:
            add_column(score, value * data.scale[j], support.x[q], n)
            slope = min(slope, data.cap[j] / abs(value))
            shift += value * data.offset[j]
    if slope == np.inf:
        slope = 1.0
    positive, negative, work = support.positive, support.negative, support.work
    if not data.slope_is_free:
        fit[0] = 1.0
    f = calibrate(score, positive, negative, n, fit, data.slope_is_free, slope, accurate, work)
    z, e, residual, curve = work[0], work[1], work[2], work[3]
    if data.slope_is_free:
        if not accurate:
            return f, -np.inf
        logits(score, fit[0], fit[1], z, n)
        f = loss_at(z, positive, negative, e, n)
        gb, moment, moments = slopes_at(z, e, positive, negative, residual, curve, n)
        ga = dot(residual, score, n)
        return f, value_of_bound(f - moment, f + moments, gb, ga, abs(ga), 0.0, slope, data.limits)
    # a whole intercept: the loss is convex in it, so one of the two neighbours is best
    whole = np.floor(fit[1] - shift)
    best, bound, chosen = np.inf, np.inf, whole
    for side in range(2):
        b = whole + side
        logits(score, 1.0, b + shift, z, n)
        f = loss_at(z, positive, negative, e, n)
        gb, _, _ = slopes_at(z, e, positive, negative, residual, curve, n)
        wrong = max(gb, 0.0) if side == 0 else max(-gb, 0.0)  # the loss still falls beyond this neighbour
        bound = min(bound, f - wrong * 2 * data.limits[0] - data.limits[1] * f - data.limits[2])
        if f < best:
            best, chosen = f, b
    fit[1] = chosen + shift
    return best, bound


@njit(cache=True, error_model="numpy", nogil=True)
def offer(
    data: RiskData, support: Support, best: Best, index: Ints, k: int, start: Floats, only_if: float
) -> float:
    """Calibrate a card and keep it if it is the best so far; returns the lower bound of its value.

    Where cards are listed, the value of the best is a limit that stays. Nothing
    happens unless a quick calibration comes within `only_if` of the best.
    """
    penalty = 0.0
    for q in range(k):
        penalty += data.penalty[support.columns[q], index[q]]
    for limit in range(len(data.most)):
        total = 0.0
        for q in range(k):
            total += data.tables[limit, support.columns[q], index[q]]
        if total > data.most[limit]:
            return np.inf
    fit = np.empty(4)
    fit[0], fit[1] = start[0], start[1]
    if only_if < np.inf:
        f, _ = card_loss(data, support, index, k, fit, QUICK)
        if f + penalty > best.value[0] + only_if:
            return -np.inf
    f, bound = card_loss(data, support, index, k, fit, ACCURATE)
    if len(support.found) == 0 and f + penalty < best.value[0] - 1e-13:
        best.value[0] = f + penalty
        copy(best.index, data.zero, len(data.zero))
        for q in range(k):
            best.index[support.columns[q]] = index[q]
        best.fit[0], best.fit[1] = fit[0], fit[1]
    return bound + penalty


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _trim(data: RiskData, j: int, low: int, high: int) -> tuple[int, int]:
    """Leave out 0 at an end of a range in strict mode."""
    if data.strict:
        if low == data.zero[j]:
            low += 1
        if high == data.zero[j]:
            high -= 1
    return low, high


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def open_support(
    data: RiskData,
    support: Support,
    best: Best,
    k: int,
    low: Ints,
    high: Ints,
    start: Floats,
    loss_floor: float,
) -> None:
    """Bound a support as a whole; if that does not prune it, put its box on the stack.

    support.columns is set; low and high give the range of each of its k columns; start = (a, b, beta...).
    """
    support.counts[SUPPORTS] += 1
    support.state[DEPTH] = 0
    for q in range(k):
        low[q], high[q] = _trim(data, support.columns[q], low[q], high[q])
        if low[q] > high[q]:
            return
    penalty = box_penalty(data, support, low, high, k)
    if max(loss_floor, 0.0) + penalty >= best.value[0] - data.tolerance:
        return
    support.state[SIZE] = k
    support.state[ROWS] = merge_rows(data, support, k)
    n = support.state[ROWS]
    support.counts[WORK] += n * k
    reach, point = np.empty(k), np.empty(k + 1)
    point[0] = start[1]
    for q in range(k):
        j = support.columns[q]
        reach[q] = data.reach[j]
        point[1 + q] = max(-reach[q], min(reach[q], start[2 + q]))
    threshold = best.value[0] - data.tolerance - penalty
    passed = False
    if data.slope_is_free or not data.strict:
        support.counts[FITTED] += 1
        support.counts[WORK] += 5 * n * (k * k // 2 + 8)
        passed, _ = fit_support(
            support.x,
            support.positive,
            support.negative,
            n,
            k,
            reach,
            threshold,
            data.limits,
            point,
            support.work,
            1e-3,
        )
    if passed:
        return
    copy(support.low[0], low, k)
    copy(support.high[0], high, k)
    slope = start[0]
    if data.slope_is_free:
        slope = 1e-9
        for q in range(k):
            j = support.columns[q]
            widest = max(abs(data.values[j, low[q]]), abs(data.values[j, high[q]])) * data.scale[j]
            slope = max(slope, 1.3 * abs(point[1 + q]) / widest)
    support.points[0, 0], support.points[0, 1] = slope, point[0]
    for q in range(k):
        support.points[0, 2 + q] = point[1 + q]
    support.state[DEPTH] = 1


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _nearest(data: RiskData, j: int, low: int, high: int, value: float) -> tuple[int, int]:
    """The nearest allowed value in a range, and the largest that is at most `value` but not the last."""
    at = low
    while at < high - 1 and data.values[j, at + 1] <= value:
        at += 1
    nearest = at
    if at < high and abs(data.values[j, at + 1] - value) < abs(data.values[j, at] - value):
        nearest = at + 1
    return nearest, at


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def run_boxes(data: RiskData, support: Support, best: Best, budget: int) -> None:
    """Split the open boxes of the support until none is left or the work budget is spent.

    Where cards are listed, it also ends when there is no room for another.
    """
    k, n = support.state[SIZE], support.state[ROWS]
    columns = np.empty(k, np.int64)
    for q in range(k):
        columns[q] = q
    optional, cost = np.zeros(k, np.int64), np.zeros(k)
    scaled_low, scaled_high = np.empty(k), np.empty(k)
    low, high, index = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    point, dual = np.empty(2 + k), np.empty(1 + k)
    x, work = support.x, support.work
    room = len(support.found)
    while support.state[DEPTH] > 0 and support.counts[WORK] < budget:
        if room > 0 and support.state[FOUND] >= room:
            return
        depth = support.state[DEPTH] - 1
        support.state[DEPTH] = depth
        support.counts[BOXES] += 1
        copy(low, support.low[depth], k)
        copy(high, support.high[depth], k)
        copy_floats(point, support.points[depth], 2 + k)
        penalty = box_penalty(data, support, low, high, k)
        threshold = best.value[0] - data.tolerance - penalty
        if threshold <= 0:
            continue
        single = True
        for q in range(k):
            single = single and low[q] == high[q]
        if single:
            support.counts[WORK] += 40 * n
            bound = offer(data, support, best, low, k, point, np.inf)
            if bound < best.value[0] - data.tolerance:
                support.floor[0] = min(support.floor[0], bound)
                if room > 0:
                    card = support.found[support.state[FOUND]]
                    support.state[FOUND] += 1
                    card[0] = k
                    for q in range(k):
                        card[1 + q], card[1 + k + q] = support.columns[q], low[q]
            continue
        slope_low, slope_high = 1.0, 1.0
        if data.slope_is_free:
            slope_low, slope_high = 0.0, largest_slope(data, support.columns, low, high, k)
        for q in range(k):
            j = support.columns[q]
            scaled_low[q] = data.values[j, low[q]] * data.scale[j]
            scaled_high[q] = data.values[j, high[q]] * data.scale[j]
        support.counts[RELAXED] += 1
        support.counts[WORK] += 10 * n * (k * k // 2 + 12)
        passed, bound, _ = relax(
            x,
            columns,
            support.positive,
            support.negative,
            n,
            scaled_low,
            scaled_high,
            optional,
            cost,
            np.int64(0),
            data.slope_is_free,
            slope_low,
            slope_high,
            threshold,
            data.limits,
            point,
            dual,
            work,
        )
        if passed:
            continue
        a = max(point[0], 1e-12)
        widest, split, worst = np.int64(-1), np.int64(0), -1.0
        for q in range(k):
            j = support.columns[q]
            step = a * data.scale[j]
            value = point[2 + q] / step
            nearest, below = _nearest(data, j, low[q], high[q], value)
            index[q] = nearest
            if low[q] < high[q]:
                off = abs(data.values[j, nearest] - value)
                if data.strict and nearest == data.zero[j]:  # 0 is not allowed: how far is the next value?
                    off = min(
                        abs(data.values[j, nearest - 1] - value), abs(data.values[j, nearest + 1] - value)
                    )
                    below = nearest
                badness = step * (off + 1e-3 * (high[q] - low[q]))
                if badness > worst:
                    worst, widest, split = badness, q, below
        if room == 0:
            offer(data, support, best, index, k, point, 1e-6)
            threshold = best.value[0] - data.tolerance - penalty
        if (
            not data.slope_is_free
            and bound > -1e299
            and _tighten(data, support, low, high, k, dual, threshold)
        ):
            continue
        j = support.columns[widest]
        split = min(max(split, low[widest]), high[widest] - 1)
        if low[widest] >= high[widest]:  # tightened to one value: look at what is left as it is
            _push(data, support, low, high, k, point, widest, low[widest], high[widest])
            continue
        value = point[2 + widest] / (a * data.scale[j])
        middle = 0.5 * (data.values[j, split] + data.values[j, split + 1])
        if value > middle:
            _push(data, support, low, high, k, point, widest, low[widest], split)
            _push(data, support, low, high, k, point, widest, split + 1, high[widest])
        else:
            _push(data, support, low, high, k, point, widest, split + 1, high[widest])
            _push(data, support, low, high, k, point, widest, low[widest], split)


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _push(
    data: RiskData,
    support: Support,
    low: Ints,
    high: Ints,
    k: int,
    point: Floats,
    q: int,
    first: int,
    last: int,
) -> None:
    """Put a box on the stack, with the range of column q replaced."""
    first, last = _trim(data, support.columns[q], first, last)
    if first > last:
        return
    depth = support.state[DEPTH]
    copy(support.low[depth], low, k)
    copy(support.high[depth], high, k)
    support.low[depth, q], support.high[depth, q] = first, last
    copy_floats(support.points[depth], point, 2 + k)
    support.state[DEPTH] = depth + 1


@njit(cache=True, error_model="numpy", nogil=True, **INTERNAL)
def _tighten(
    data: RiskData, support: Support, low: Ints, high: Ints, k: int, dual: Floats, threshold: float
) -> bool:
    """Cut values off a box whose bound alone passes the threshold; returns whether nothing is left."""
    total = dual[0]
    magnitude = 1.0
    for q in range(k):
        j = support.columns[q]
        g = dual[1 + q] * data.scale[j]
        total += min(g * data.values[j, low[q]], g * data.values[j, high[q]])
        magnitude += max(abs(g * data.values[j, low[q]]), abs(g * data.values[j, high[q]]))
    slack = 2e-15 * (k + 2) * magnitude
    for q in range(k):
        j = support.columns[q]
        g = dual[1 + q] * data.scale[j]
        rest = total - min(g * data.values[j, low[q]], g * data.values[j, high[q]]) - slack
        while low[q] <= high[q] and rest + g * data.values[j, low[q]] >= threshold:
            low[q] += 1
        while low[q] <= high[q] and rest + g * data.values[j, high[q]] >= threshold:
            high[q] -= 1
        low[q], high[q] = _trim(data, j, low[q], high[q])
        if low[q] > high[q]:
            return True
    return False

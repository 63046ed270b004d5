"""All cards on one support: boxes of points, split depth first until each is pruned or one card.

Points are indices into the sorted values of each column. In strict mode a column of the support is not 0, so
that penalties and limits of supports count in full; otherwise 0 is allowed and covers all smaller supports.
"""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.risk_bound import HUGE, fit_support, tighten
from supersparse.engine.kernels.risk_cards import merge_rows, offer, support_may_obey
from supersparse.engine.kernels.risk_cone import is_above, least_in_cone, quadratic_below, relax_box
from supersparse.engine.kernels.risk_loss import copy, copy_floats
from supersparse.engine.kernels.risk_relaxation import relax
from supersparse.engine.risk.data import (
    BELOW,
    BOXES,
    DEPTH,
    EXPANSION,
    FITTED,
    FOUND,
    LOADED,
    RELAXED,
    ROWS,
    SIZE,
    SUPPORTS,
    WORK,
    Best,
    Boxes,
    RiskData,
    Support,
)

_MOST_BOXES = 150  # looked at with one quadratic before a new one is made
_ACCURACY = 1e-7  # gain of a step at which the relaxation of a box that cannot be pruned ends
_NEAR = 1e-4  # roundings are calibrated if they are estimated to come this near to the best card


@reader(error_model="numpy")
def _trimmed(data: RiskData, j: int, low: int, high: int) -> tuple[int, int]:
    """Leave out 0 at an end of a range in strict mode."""
    if data.strict:
        if low == data.zero[j]:
            low += 1
        if high == data.zero[j]:
            high -= 1
    return low, high


@reader(error_model="numpy")
def box_penalty(data: RiskData, support: Support, low: Ints, high: Ints, k: int) -> float:
    """The least penalty in a box, where 0 itself does not count in strict mode.

    Infinite if no card in it obeys the limits.
    """
    total = 0.0
    for limit in range(-1, len(data.most)):
        least = 0.0
        for q in range(k):
            j = support.columns[q]
            smallest = np.inf
            for v in range(low[q], high[q] + 1):
                if not (data.strict and v == data.zero[j]):
                    term = data.penalty[j, v] if limit < 0 else data.tables[limit, j, v]
                    smallest = min(smallest, term)
            least += smallest
        if limit < 0:
            total = least
        elif least > data.most[limit]:
            return np.inf
    return total


@reader(error_model="numpy")
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


@inner(error_model="numpy")
def open_support(
    data: RiskData, support: Support, boxes: Boxes, best: Best, k: int, low: Ints, high: Ints, start: Floats,
    loss_floor: float,
) -> None:  # fmt: skip
    """Bound a support as a whole; if that does not prune it, put its box on the stack.

    support.columns is set; low and high give the range of each of its k columns. start = (a, b, beta...)
    receives the regression on the support.
    """
    support.counts[SUPPORTS] += 1
    support.state[DEPTH], support.state[LOADED] = 0, 0
    for q in range(k):
        low[q], high[q] = _trimmed(data, support.columns[q], low[q], high[q])
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
    if not support_may_obey(data, support, k):
        return
    passed = False
    if data.slope_is_free or not data.strict:
        support.counts[FITTED] += 1
        support.counts[WORK] += 5 * n * (k * k // 2 + 8)
        for _ in range(2):  # a bad start may take more steps than one call makes
            passed, f = fit_support(
                support.x, support.order, support.positive, support.negative, n, k, reach, threshold,
                data.limits, point, support.work, 1e-3,
            )  # fmt: skip
            if passed or f < threshold:
                break
        copy_floats(start[1:], point, k + 1)
    if passed:
        return
    copy(boxes.low[0], low, k)
    copy(boxes.high[0], high, k)
    boxes.quadratic[0] = -1
    slope = start[0]
    if data.slope_is_free:
        slope = 1e-9
        for q in range(k):
            j = support.columns[q]
            widest = max(abs(data.values[j, low[q]]), abs(data.values[j, high[q]])) * data.scale[j]
            if widest > 0:
                slope = max(slope, 1.3 * abs(point[1 + q]) / widest)
    boxes.points[0, 0], boxes.points[0, 1] = slope, point[0]
    for q in range(k):
        boxes.points[0, 2 + q] = point[1 + q]
    support.state[DEPTH] = 1


@reader(error_model="numpy")
def _nearest(data: RiskData, j: int, low: int, high: int, value: float) -> tuple[int, int]:
    """The nearest allowed value in a range, and the largest that is at most `value` but not the last."""
    at = low
    while at < high - 1 and data.values[j, at + 1] <= value:
        at += 1
    nearest = at
    if at < high and abs(data.values[j, at + 1] - value) < abs(data.values[j, at] - value):
        nearest = at + 1
    return nearest, at


@reader(error_model="numpy")
def _push(
    data: RiskData, support: Support, boxes: Boxes, low: Ints, high: Ints, k: int, point: Floats, q: int,
    first: int, last: int, quadratic: int,
) -> None:  # fmt: skip
    """Put a box on the stack, with the range of column q replaced."""
    first, last = _trimmed(data, support.columns[q], first, last)
    if first > last:
        return
    depth = support.state[DEPTH]
    copy(boxes.low[depth], low, k)
    copy(boxes.high[depth], high, k)
    boxes.low[depth, q], boxes.high[depth, q] = first, last
    copy_floats(boxes.points[depth], point, 2 + k)
    boxes.quadratic[depth] = quadratic
    support.state[DEPTH] = depth + 1


@reader(error_model="numpy")
def _estimate(data: RiskData, support: Support, index: Ints, k: int, model: Floats) -> float:
    """The loss of a card by the expansion of the loss, at its best slope and intercept."""
    linear, square = 0.0, 0.0
    for q in range(k):
        c = data.values[support.columns[q], index[q]] * data.scale[support.columns[q]]
        linear += model[q, 0] * c
        for other in range(k):
            i = support.columns[other]
            square += c * model[q, 1 + other] * data.values[i, index[other]] * data.scale[i]
    if not data.slope_is_free:
        return model[k, 0] + linear + 0.5 * square
    if linear >= 0 or square <= 0:
        return model[k, 0]
    return model[k, 0] - 0.5 * linear * linear / square


@inner(error_model="numpy")
def run_boxes(data: RiskData, support: Support, boxes: Boxes, best: Best, budget: int) -> None:
    """Split the open boxes of the support until none is left or the work budget is spent.

    Where cards are listed, it also ends when there is no room for another.
    """
    k, n = support.state[SIZE], support.state[ROWS]
    columns = support.order[:k]
    optional, cost, gram = np.zeros(k, np.int64), np.zeros(k), np.empty((k + 1, k + 1))
    scaled_low, scaled_high = np.empty(k), np.empty(k)
    low, high, index = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    point, dual, gradient, trial = np.empty(2 + k), np.empty(1 + k), np.empty(1 + k), np.empty(2 + k)
    x, work, quadratics = support.x, support.work, boxes.quadratics
    room, last = len(support.found), len(quadratics) - 2  # the last one is never kept
    while support.state[DEPTH] > 0 and support.counts[WORK] < budget:
        if room > 0 and support.state[FOUND] >= room:
            return
        depth = support.state[DEPTH] - 1
        support.state[DEPTH] = depth
        support.counts[BOXES] += 1
        copy(low, boxes.low[depth], k)
        copy(high, boxes.high[depth], k)
        copy_floats(point, boxes.points[depth], 2 + k)
        own = boxes.quadratic[depth]
        penalty = box_penalty(data, support, low, high, k)
        threshold = best.value[0] - data.tolerance - penalty
        if threshold <= 0:
            continue
        slope_high = 1.0
        if data.slope_is_free:
            slope_high = largest_slope(data, support.columns, low, high, k)
        single = True
        for q in range(k):
            j = support.columns[q]
            single = single and low[q] == high[q]
            scaled_low[q] = data.values[j, low[q]] * data.scale[j]
            scaled_high[q] = data.values[j, high[q]] * data.scale[j]
        relaxes = True
        if own >= 0:
            support.counts[WORK] += 20 * k * k * k
            is_below, expansion = quadratics[own, BELOW, k, 1] > 0, quadratics[own, EXPANSION]
            if is_below:
                copy_floats(trial, point, 2 + k)
                bound = least_in_cone(
                    quadratics[own, BELOW], scaled_low, scaled_high, k, data.slope_is_free, slope_high, trial
                )
                if bound >= threshold:
                    continue
            estimate = least_in_cone(expansion, scaled_low, scaled_high, k, data.slope_is_free, slope_high, point)
            if is_below:
                expansion[k, 1] += 1
                relaxes = estimate >= threshold or (expansion[k, 1] > _MOST_BOXES and own < last)
                if estimate >= threshold:
                    support.counts[WORK] += n * (2 * k + 12)
                    if is_above(
                        x, columns, support.positive, support.negative, n, k, scaled_low, scaled_high,
                        data.slope_is_free, slope_high, threshold, data.limits, point, work, gradient,
                        quadratics[own],
                    ):  # fmt: skip
                        continue
        if single:
            support.counts[WORK] += 40 * n
            bound = offer(data, support, best, low, k, point, np.inf, np.int64(0))
            if room == 0 and bound < best.value[0] - data.tolerance:
                support.floor[0] = min(support.floor[0], bound)
            continue
        bound = -HUGE
        if relaxes:
            support.counts[RELAXED] += 1
            support.counts[WORK] += 4 * n * (k * k // 2 + 12)
            new = own + 1
            passed, bound, f = relax_box(
                x, columns, support.positive, support.negative, n, k, scaled_low, scaled_high,
                data.slope_is_free, slope_high, threshold, data.limits, _ACCURACY, point, dual, work,
                gradient, quadratics[new, EXPANSION],
            )  # fmt: skip
            if passed:
                continue
            if data.slope_is_free and point[0] >= slope_high:  # the cap on the slope counts
                was_passed, bound, _ = relax(
                    x, columns, support.positive, support.negative, n, scaled_low, scaled_high, optional,
                    cost, np.int64(0), data.slope_is_free, 0.0, slope_high, threshold, data.limits, point,
                    dual, work, gram, 0.0,
                )  # fmt: skip
                if was_passed:
                    continue
            elif own < last or f >= threshold:
                support.counts[WORK] += 5 * n * (k * k // 2 + 12)
                made = quadratic_below(
                    x, columns, n, k, scaled_low, scaled_high, data.slope_is_free, slope_high, threshold,
                    data.limits, point, f, gradient, work, quadratics[new],
                )  # fmt: skip
                if made == 2:
                    continue
                if own < last:
                    own = new
                    quadratics[own, EXPANSION, k, 1] = 0.0
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
                    off = min(abs(data.values[j, nearest - 1] - value), abs(data.values[j, nearest + 1] - value))
                    below = nearest
                badness = step * (off + 1e-3 * (high[q] - low[q]))
                if badness > worst:
                    worst, widest, split = badness, q, below
        if (room == 0 or len(data.rate_most)) and (
            own < 0 or _estimate(data, support, index, k, quadratics[own, EXPANSION]) < threshold + penalty + _NEAR
        ):
            offer(data, support, best, index, k, point, 1e-6, np.int64(0))
            threshold = best.value[0] - data.tolerance - penalty
        if not data.slope_is_free and bound > -1e299:
            if tighten(
                data.values, data.zero, data.scale, support.columns, optional, cost, dual, np.int64(0),
                threshold, low, high,
            ):  # fmt: skip
                continue
            is_empty = False
            for q in range(k):
                low[q], high[q] = _trimmed(data, support.columns[q], low[q], high[q])
                is_empty = is_empty or low[q] > high[q]
            if is_empty:
                continue
        j = support.columns[widest]
        split = min(max(split, low[widest]), high[widest] - 1)
        if low[widest] >= high[widest]:  # tightened to one value: look at what is left as it is
            _push(data, support, boxes, low, high, k, point, widest, low[widest], high[widest], own)
            continue
        value = point[2 + widest] / (a * data.scale[j])
        middle = 0.5 * (data.values[j, split] + data.values[j, split + 1])
        if value > middle:
            _push(data, support, boxes, low, high, k, point, widest, low[widest], split, own)
            _push(data, support, boxes, low, high, k, point, widest, split + 1, high[widest], own)
        else:
            _push(data, support, boxes, low, high, k, point, widest, split + 1, high[widest], own)
            _push(data, support, boxes, low, high, k, point, widest, low[widest], split, own)

"""Boxes of coefficients on one signed support: bounded (`kernels/box_bounds.py`), split, evaluated."""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.box_bounds import least_fixed_cost, least_l1, loss_bound, scores_too_high
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.support import SupportData, evaluate_vector, evaluate_within_rates, magnitude

Ints = NDArray[np.int64]

DONE, PAUSED, FOUND, FULL = 0, 1, 2, 3


@reader()
def widest(data: SupportData, low: Ints, high: Ints) -> int:
    """The dimension to split: largest width times spread of its column."""
    k = len(data.first)
    best, chosen = -1.0, -1
    for f in range(k):
        if high[f] > low[f]:
            width = (
                magnitude(data.first, data.stride, data.table, f, high[f])
                - magnitude(data.first, data.stride, data.table, f, low[f])
            ) * data.spread[f]
            if width > best:
                best, chosen = width, f
    if len(data.intercepts) and high[k] > low[k]:
        width = (data.intercepts[high[k]] - data.intercepts[low[k]]) * 0.7 * data.step
        if width > best:
            chosen = k
    return chosen


@reader()
def middle_of(a: int, b: int) -> float:
    """Where to split the numbers from a to b: at the geometric mean when the range is long, else halfway."""
    if a < 0 < b:
        return -1.0
    near, far = float(min(abs(a), abs(b))), float(max(abs(a), abs(b)))
    middle = np.sqrt(max(near, 1.0) * far) if far > 2 * near else 0.5 * (near + far)
    return -middle if a < 0 else middle


@reader()
def split_at(data: SupportData, dimension: int, low: int, high: int) -> int:
    """Last index of the lower half of a dimension; the last dimension may be b."""
    if dimension < len(data.first):
        stride = data.stride[dimension]
        middle = middle_of(
            magnitude(data.first, data.stride, data.table, dimension, low),
            magnitude(data.first, data.stride, data.table, dimension, high),
        )
        if stride:
            at = np.int64((middle - data.first[dimension]) / stride)
            return max(low, min(high - 1, at))
        values = data.table[dimension]
    else:
        values = data.intercepts
        middle = middle_of(values[low], values[high])
    first, last = low, high - 1  # the last index of at most `middle`, but at least low and at most high - 1
    while first < last:
        at = (first + last + 1) // 2
        if values[at] <= middle:
            first = at
        else:
            last = at - 1
    return first


@reader()
def run_boxes(
    data: SupportData,
    stack: Ints,
    top: int,
    cut: int,
    best_l1: int,
    ties: bool,
    budget: int,
    hit: Ints,
    space: Ints,
) -> tuple[int, int, int]:
    """Work through a stack of boxes; return (state, new top, boxes spent).

    Looks for a vector of cost at most `cut` and, when `ties` is set, of l1 below `best_l1`. Such
    a vector is written to `hit` (indices, then b) and the state is FOUND; the caller judges it
    and calls again. With rounded data, or limits that only the evaluator knows, every vector that survives
    the bound is handed over. FULL asks for a longer stack.
    """
    k = len(data.first)
    last = stack.shape[2] - 1
    spent = 0
    while top > 0:
        if spent >= budget:
            return PAUSED, top, spent
        if top == len(stack):
            return FULL, top, spent
        spent += 1
        top -= 1
        low, high = stack[top, 0], stack[top, 1]
        if ties and least_l1(data, low, high) >= best_l1:
            continue
        fixed = least_fixed_cost(data, low, high)
        if fixed > cut or fixed + loss_bound(data, low, high, cut - fixed, space) > cut:
            continue
        if scores_too_high(data, low, high):
            continue
        is_single = True
        for f in range(k):
            is_single = is_single and low[f] == high[f]
        if not is_single:
            d = widest(data, low, high)
            split = split_at(data, d, low[d], high[d])
            for f in range(last + 1):
                stack[top + 1, 0, f], stack[top + 1, 1, f] = low[f], high[f]
            low[d] = split + 1  # of the box that stays here
            stack[top + 1, 1, d] = split
            top += 2
            continue
        for f in range(k):
            hit[f] = low[f]
        if data.slack or data.judged:
            return FOUND, top, spent
        cost, l1, hit[k] = evaluate_single(data, low, high, cut)
        if cost <= cut and (not ties or l1 < best_l1):
            return FOUND, top, spent
    return DONE, top, spent


@inner()
def evaluate_single(data: SupportData, low: Ints, high: Ints, cut: int) -> tuple[int, int, int]:
    """Return (cost, l1, b) of the one vector of a box with its best b; exact where the cost is at most `cut`.

    Where rates are limited, a vector within the cut at the prices is evaluated again with its true weights
    over those b that obey.
    """
    k, last = len(data.first), len(low) - 1
    vector = np.empty(k, np.int64)
    l1, penalty = np.int64(0), data.fixed_cost - data.base_loss
    for f in range(k):
        vector[f] = magnitude(data.first, data.stride, data.table, f, low[f])
        l1 += vector[f]
        penalty += data.l1_penalty * vector[f]
        if not data.is_flat:
            penalty += data.magnitude_extra[f, low[f]]
    loss, b = evaluate_vector(data, vector, low[last], high[last])
    if penalty + loss <= cut and len(data.rates.most):
        penalty -= data.shift
        loss, b = evaluate_within_rates(data, vector, low[last], high[last])
    return penalty + loss, l1 + data.counts_b * abs(b), b

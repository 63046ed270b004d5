"""The box search in plain Python: it visits the same boxes in the same order as `native/errors/boxes.cpp`."""

import numpy as np

from engine.exact.calls import evaluate_vector, least_fixed_cost, least_l1, magnitude, split_at, widest
from supersparse.engine.exact.tree_data import DONE, FOUND, FULL, PAUSED


def loss_bound_reference(data, low, high):
    """Match conflicting cells greedily; return (bound, matches, single cells), cells by index.

    The bound of `kernels.box_bounds.loss_bound`, computed to the end instead of until it suffices.
    """
    k = len(data.first)
    A = np.array([magnitude(data, f, low[f]) for f in range(k)])
    B = np.array([magnitude(data, f, high[f]) for f in range(k)])
    slack = data.slack * int(B.sum())
    left_up, left_down = data.up_weight.copy(), data.down_weight.copy()
    single = []
    if len(data.intercepts):
        b_low, b_high = int(data.intercepts[low[k]]), int(data.intercepts[high[k]])
        loose = slack + data.slack * max(abs(b_low), abs(b_high))
        highest = np.maximum(B * data.up_x, A * data.up_x).sum(axis=1) + b_high * data.step + loose
        lowest = np.minimum(B * data.down_x, A * data.down_x).sum(axis=1) + b_low * data.step - loose
        for i in np.flatnonzero(highest <= 0):
            single.append((int(i), int(left_up[i])))
            left_up[i] = 0
        for j in np.flatnonzero(lowest >= 0):
            single.append((-1 - int(j), int(left_down[j])))
            left_down[j] = 0
    up_score, down_score = data.up_x @ (A + B), data.down_x @ (A + B)
    up_order = np.argsort(-up_score, kind="stable")
    matches = []
    for j in np.argsort(down_score, kind="stable"):
        for i in up_order:
            if left_down[j] == 0:
                break
            if left_up[i] == 0:
                continue
            d = data.up_x[i] - data.down_x[j]
            if np.maximum(B * d, A * d).sum() + slack <= (0 if data.slack or data.half else 1):
                u = min(int(left_up[i]), int(left_down[j]))
                left_up[i] -= u
                left_down[j] -= u
                matches.append((int(i), int(j), u))
    total = sum(u for *_, u in matches) + sum(w for _, w in single)
    return total, matches, single


def run_boxes_reference(data, stack, top, cut, best_l1, ties, budget, hit):
    """Do the same as `run_boxes`."""
    k = len(data.first)
    for spent in range(1, budget + 1):
        if top == 0:
            return DONE, top, spent - 1
        if top == len(stack):
            return FULL, top, spent - 1
        top -= 1
        low, high = stack[top, 0].copy(), stack[top, 1].copy()
        if ties and least_l1(data, low, high) >= best_l1:
            continue
        if least_fixed_cost(data, low, high) + loss_bound_reference(data, low, high)[0] > cut:
            continue
        if (low[:k] == high[:k]).all():
            if data.slack:
                hit[:k] = low[:k]
                return FOUND, top, spent
            vector = np.array([magnitude(data, f, low[f]) for f in range(k)], np.int64)
            loss, b = evaluate_vector(data, vector, low[-1], high[-1])
            extra = 0 if data.is_flat else sum(int(data.magnitude_extra[f, low[f]]) for f in range(k))
            cost = data.fixed_cost - data.base_loss + extra + data.l1_penalty * int(vector.sum()) + int(loss)
            if cost <= cut and (not ties or int(vector.sum()) + data.counts_b * abs(int(b)) < best_l1):
                hit[:k], hit[k] = low[:k], b
                return FOUND, top, spent
            continue
        d = int(widest(data, low, high))
        at = int(split_at(data, d, low[d], high[d]))
        stack[top, 0], stack[top, 1] = low, high
        stack[top, 0, d] = at + 1
        stack[top + 1, 0], stack[top + 1, 1] = low, high
        stack[top + 1, 1, d] = at
        top += 2
    return (PAUSED if top else DONE), top, budget

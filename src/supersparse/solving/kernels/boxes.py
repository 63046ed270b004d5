"""Boxes of coefficients on one signed support: bound by matching, split, evaluate.

Signs are folded into the data, so all coefficients are positive and sit in sorted arrays of
allowed magnitudes; a box is a range of indices for each feature and, where b is restricted, for b.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.sorting import order_of
from supersparse.solving.kernels.support import SupportData, evaluate_vector, evaluate_within_rates, magnitude

Ints = NDArray[np.int64]

DONE, PAUSED, FOUND, FULL = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def least_l1(data: SupportData, low: Ints, high: Ints) -> int:
    """Smallest ‖λ‖1 in a box."""
    k = len(data.first)
    total = np.int64(0)
    for f in range(k):
        total += magnitude(data, f, low[f])
    if data.counts_b:
        a, b = data.intercepts[low[k]], data.intercepts[high[k]]
        total += a if a > 0 else (-b if b < 0 else 0)
    return total


@njit(cache=True, nogil=True)
def least_fixed_cost(data: SupportData, low: Ints, high: Ints) -> int:
    """What every vector of a box pays beside its loss above base."""
    total = data.fixed_cost + data.l1_penalty * least_l1(data, low, high)
    if data.is_flat:
        return total
    k = len(data.first)
    for f in range(k):
        least = data.magnitude_extra[f, low[f]]
        for t in range(low[f] + 1, high[f] + 1):
            least = min(least, data.magnitude_extra[f, t])
        total += least
    if len(data.intercepts):
        least = data.intercept_extra[low[k]]
        for t in range(low[k] + 1, high[k] + 1):
            least = min(least, data.intercept_extra[t])
        total += least
    return total


@njit(cache=True, nogil=True)
def scores_too_high(data: SupportData, low: Ints, high: Ints) -> bool:
    """Whether every vector of a box breaks a limit on the largest score, which is linear in it."""
    for limit in range(len(data.score_most)):
        least = np.int64(0)
        for f in range(len(data.first)):
            rate = data.score_rate[limit, f]
            least += rate * magnitude(data, f, low[f] if rate > 0 else high[f])
        if least > data.score_most[limit]:
            return True
    return False


@njit(cache=True, nogil=True)
def loss_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int:
    """Bound the loss above base within a box: a greedy matching of pairs that cannot both be right.

    A positive i and a negative j conflict when the largest possible score difference,
    Σ_f (d_f > 0 ? B_f·d_f : A_f·d_f) with d = x_i - x_j, is too small: both right needs
    score_i - score_j >= 2 in integer scores, and >= 1 where the threshold is free. Twice that difference
    is M·d + Σ_f W_f·|d_f| with M = A + B and W = B - A, so with the scores at M known only dimensions of
    W > 0 are looked at.
    Each conflict costs at least the smaller weight, and matched weights are used once, so the sum
    is a valid bound whatever the order. With
    rounded data each |d_f| may be off by 1, which the slack adds back. Where b is restricted,
    a cell that is wrong for every b and λ of the box pays alone. Stops above `enough`.
    """
    k = len(data.first)
    n_up, n_down = len(data.up_weight), len(data.down_weight)
    A, B, M = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    wide, n_wide = np.empty(k, np.int64), 0
    slack = np.int64(0)
    for f in range(k):
        A[f], B[f] = magnitude(data, f, low[f]), magnitude(data, f, high[f])
        M[f] = A[f] + B[f]
        slack += data.slack * B[f]
        if B[f] > A[f]:
            wide[n_wide] = f
            n_wide += 1
    limit = (0 if data.slack or data.half else 1) - slack
    left_up, left_down = data.up_weight.copy(), data.down_weight.copy()
    total = np.int64(0)
    if len(data.intercepts):
        b_low, b_high = data.intercepts[low[k]], data.intercepts[high[k]]
        loose = slack + data.slack * max(abs(b_low), abs(b_high))
        for i in range(n_up):
            best = b_high * data.step + loose
            for f in range(k):
                x = data.up_x[i, f]
                best += B[f] * x if x > 0 else A[f] * x
            if best <= 0:
                total += left_up[i]
                left_up[i] = 0
        for j in range(n_down):
            best = b_low * data.step - loose
            for f in range(k):
                x = data.down_x[j, f]
                best += A[f] * x if x > 0 else B[f] * x
            if best >= 0:
                total += left_down[j]
                left_down[j] = 0
        if total > enough:
            return total
    up_score, down_score = np.empty(n_up, np.int64), np.empty(n_down, np.int64)
    least_up, most_down = np.int64(2**62), np.int64(-(2**62))
    for i in range(n_up):
        s = np.int64(0)
        for f in range(k):
            s += M[f] * data.up_x[i, f]
        up_score[i] = s
        least_up = min(least_up, s)
    for j in range(n_down):
        s = np.int64(0)
        for f in range(k):
            s += M[f] * data.down_x[j, f]
        down_score[j] = s
        most_down = max(most_down, s)
    # only cells within the other class's range of scores can conflict
    up, down = np.empty(n_up, np.int64), np.empty(n_down, np.int64)
    up_key, down_key = np.empty(n_up, np.int64), np.empty(n_down, np.int64)
    a, b, rest = 0, 0, np.int64(0)
    for i in range(n_up):
        if left_up[i] > 0 and up_score[i] <= most_down + 2 * limit:
            up[a], up_key[a] = i, -up_score[i]
            a += 1
    for j in range(n_down):
        if left_down[j] > 0 and down_score[j] >= least_up - 2 * limit:
            down[b], down_key[b] = j, down_score[j]
            rest += left_down[j]
            b += 1
    if total + rest <= enough:
        return total
    n_up, n_down = a, b
    up_order, down_order = order_of(up_key[:n_up]), order_of(down_key[:n_down])
    following = np.arange(n_up + 1)  # skips positives already used up
    begin = n_up
    for at in range(n_down):
        j = down[down_order[at]]
        if total + rest <= enough:
            return total  # cannot be pruned any more
        rest -= left_down[j]
        if left_down[j] == 0:
            continue
        # positives at or below the negative's mid-box score, highest first
        while begin > 0 and up_score[up[up_order[begin - 1]]] <= down_score[j] + 2 * limit:
            begin -= 1
        a = begin
        while left_down[j] > 0:
            root = a
            while following[root] != root:
                root = following[root]
            while a != root:
                after = following[a]
                following[a] = root
                a = after
            if a == n_up:
                break
            i = up[up_order[a]]
            if left_up[i] == 0:
                following[a] = a + 1
                continue
            spare = 2 * limit - up_score[i] + down_score[j]
            for t in range(n_wide):
                f = wide[t]
                spare -= (B[f] - A[f]) * abs(data.up_x[i, f] - data.down_x[j, f])
                if spare < 0:
                    break
            if spare >= 0:
                u = min(left_up[i], left_down[j])
                left_up[i] -= u
                left_down[j] -= u
                total += u
                if total > enough:
                    return total
            a += 1
    return total


@njit(cache=True, nogil=True)
def cost_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int:
    """Bound the whole cost within a box; stops above `enough`."""
    fixed = least_fixed_cost(data, low, high)
    return fixed + loss_bound(data, low, high, enough - fixed)


@njit(cache=True, nogil=True)
def widest(data: SupportData, low: Ints, high: Ints) -> int:
    """The dimension to split: largest width times spread of its column."""
    k = len(data.first)
    best, chosen = -1.0, -1
    for f in range(k):
        if high[f] > low[f]:
            width = (magnitude(data, f, high[f]) - magnitude(data, f, low[f])) * data.spread[f]
            if width > best:
                best, chosen = width, f
    if len(data.intercepts) and high[k] > low[k]:
        width = (data.intercepts[high[k]] - data.intercepts[low[k]]) * 0.7 * data.step
        if width > best:
            chosen = k
    return chosen


@njit(cache=True, nogil=True)
def middle_of(a: int, b: int) -> float:
    """Where to split the numbers from a to b: at the geometric mean when the range is long, else halfway."""
    if a < 0 < b:
        return -1.0
    near, far = float(min(abs(a), abs(b))), float(max(abs(a), abs(b)))
    middle = np.sqrt(max(near, 1.0) * far) if far > 2 * near else 0.5 * (near + far)
    return -middle if a < 0 else middle


@njit(cache=True, nogil=True)
def split_at(data: SupportData, dimension: int, low: int, high: int) -> int:
    """Last index of the lower half of a dimension; the last dimension may be b."""
    if dimension < len(data.first):
        stride = data.stride[dimension]
        middle = middle_of(magnitude(data, dimension, low), magnitude(data, dimension, high))
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


@njit(cache=True, nogil=True)
def run_boxes(
    data: SupportData, stack: Ints, top: int, cut: int, best_l1: int, ties: bool, budget: int, found: Ints
) -> tuple[int, int, int]:
    """Work through a stack of boxes; return (state, new top, boxes spent).

    Looks for a vector of cost at most `cut` and, when `ties` is set, of l1 below `best_l1`. Such
    a vector is written to `found` (indices, then b) and the state is FOUND; the caller judges it
    and calls again. With rounded data, or limits that only the evaluator knows, every vector that survives
    the bound is handed over. FULL asks for a longer stack.
    """
    k = len(data.first)
    last = stack.shape[2] - 1
    vector = np.empty(k, np.int64)
    spent = 0
    while top > 0:
        if spent >= budget:
            return PAUSED, top, spent
        if top == len(stack):
            return FULL, top, spent
        spent += 1
        top -= 1
        low, high = stack[top, 0].copy(), stack[top, 1].copy()
        l1 = least_l1(data, low, high)
        if ties and l1 >= best_l1:
            continue
        fixed = least_fixed_cost(data, low, high)
        if fixed > cut or fixed + loss_bound(data, low, high, cut - fixed) > cut:
            continue
        if scores_too_high(data, low, high):
            continue
        single = True
        for f in range(k):
            single = single and low[f] == high[f]
        if single:
            for f in range(k):
                vector[f] = magnitude(data, f, low[f])
            if data.slack or data.judged:
                for f in range(k):
                    found[f] = low[f]
                return FOUND, top, spent
            own, paid = np.int64(0), data.fixed_cost - data.base_loss
            for f in range(k):
                own += vector[f]
                paid += data.l1_penalty * vector[f]
                if not data.is_flat:
                    paid += data.magnitude_extra[f, low[f]]
            loss, b = evaluate_vector(data, vector, low[last], high[last])
            if paid + loss <= cut and len(data.rates.most):
                paid -= data.shift
                loss, b = evaluate_within_rates(data, vector, low[last], high[last])
            length = own + data.counts_b * abs(b)
            if paid + loss <= cut and (not ties or length < best_l1):
                for f in range(k):
                    found[f] = low[f]
                found[k] = b
                return FOUND, top, spent
            continue
        d = widest(data, low, high)
        split = split_at(data, d, low[d], high[d])
        for f in range(last + 1):
            stack[top, 0, f] = stack[top + 1, 0, f] = low[f]
            stack[top, 1, f] = stack[top + 1, 1, f] = high[f]
        stack[top, 0, d] = split + 1
        stack[top + 1, 1, d] = split
        top += 2
    return DONE, top, spent

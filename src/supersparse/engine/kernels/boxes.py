"""Boxes of coefficients on one signed support: bounded, split, evaluated.

Signs are folded into the data, so all coefficients are positive and sit in sorted arrays of allowed
magnitudes; a box is a range of indices for each feature and, where b is restricted, for b. The bound is what
its vectors cost at least: cells of opposite classes that no vector of the box can both get right are matched.
"""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.sorting import sort_by
from supersparse.engine.kernels.support import SupportData, evaluate_vector, evaluate_within_rates, magnitude


@reader()
def least_l1(data: SupportData, low: Ints, high: Ints) -> int:
    """Smallest ‖λ‖1 in a box."""
    k = len(data.first)
    total = np.int64(0)
    for f in range(k):
        total += magnitude(data.first, data.stride, data.table, f, low[f])
    if data.counts_b:
        a, b = data.intercepts[low[k]], data.intercepts[high[k]]
        total += a if a > 0 else (-b if b < 0 else 0)
    return total


@reader()
def least_fixed_cost(data: SupportData, low: Ints, high: Ints) -> int:
    """The fixed cost of a box: what its cheapest vector pays, short of any loss beyond the base loss."""
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


@reader()
def scores_too_high(data: SupportData, low: Ints, high: Ints) -> bool:
    """Whether every vector of a box breaks a limit on the largest score, which is linear in it."""
    for limit in range(len(data.score_most)):
        least = np.int64(0)
        for f in range(len(data.first)):
            rate = data.score_rate[limit, f]
            least += rate * magnitude(data.first, data.stride, data.table, f, low[f] if rate > 0 else high[f])
        if least > data.score_most[limit]:
            return True
    return False


@inner()
def new_space(data: SupportData) -> Ints:
    """The rows that `loss_bound` works in: made once for each support, not once for each box."""
    return np.empty((10, 2 * max(len(data.first), len(data.up_weight), len(data.down_weight)) + 4), np.int64)


@reader()
def loss_bound(data: SupportData, low: Ints, high: Ints, enough: int, space: Ints) -> int:
    """Bound the loss beyond the base loss within a box: a greedy matching of pairs that cannot both be right.

    A and B are the least and the largest magnitudes in the box. A positive i and a negative j conflict when
    the largest possible score difference, Σ_f (d_f > 0 ? B_f·d_f : A_f·d_f) with d = x_i - x_j, is too small:
    both right needs score_i - score_j >= 2 in integer scores, and >= 1 where the threshold is free. Twice
    that difference is (A + B)·d + Σ_f W_f·|d_f| with W = B - A: a difference of mid-box scores, computed once
    for each cell, and a term for the dimensions of W > 0 alone.

    Each conflict loses at least the smaller weight, and matched weights are used once, so the sum is a valid
    bound whatever the order. With rounded data each |d_f| may be off by 1, which the slack adds back. Where b
    is restricted, a cell that is wrong for every b and λ of the box pays alone. Stops above `enough`, or when
    that is out of reach.
    """
    k = len(data.first)
    A, B, left_up, left_down = space[0], space[1], space[2], space[3]
    up_key, down_key, up, down, spare, place = space[4], space[5], space[6], space[7], space[8], space[9]
    slack = np.int64(0)
    for f in range(k):
        A[f], B[f] = (
            magnitude(data.first, data.stride, data.table, f, low[f]),
            magnitude(data.first, data.stride, data.table, f, high[f]),
        )
        slack += data.slack * B[f]
    too_small = 2 * ((0 if data.slack or data.half else 1) - slack)  # twice the largest difference in conflict
    for i in range(len(data.up_weight)):
        left_up[i] = data.up_weight[i]
    for j in range(len(data.down_weight)):
        left_down[j] = data.down_weight[j]
    total = np.int64(0)
    if len(data.intercepts):
        b_low, b_high = data.intercepts[low[k]], data.intercepts[high[k]]
        loose = slack + data.slack * max(abs(b_low), abs(b_high))
        total += wrong_everywhere(data.up_x, left_up, np.int64(1), A, B, b_high * data.step + loose)
        total += wrong_everywhere(data.down_x, left_down, np.int64(-1), A, B, -b_low * data.step + loose)
        if total > enough:
            return total
    for f in range(k):
        A[f], B[f] = A[f] + B[f], B[f] - A[f]  # from here on twice the middle, and W
    # keys, by which cells are sorted: the score of a negative, minus the score of a positive
    most_up = middle_scores(data.up_x, A, np.int64(-1), up_key)
    most_down = middle_scores(data.down_x, A, np.int64(1), down_key)
    # only cells within the other class's range of scores can conflict
    n_up, rest_up = cells_from(up_key, left_up, len(data.up_weight), -(most_down + too_small), up)
    n_down, rest = cells_from(down_key, left_down, len(data.down_weight), -(most_up + too_small), down)
    if total + min(rest, rest_up) <= enough:
        return total
    sort_by(up_key, up, n_up, spare, place)
    sort_by(down_key, down, n_down, spare, place)
    return match_conflicts(
        data.up_x, data.down_x, B, k, up, n_up, down, n_down, up_key, down_key, left_up, left_down, A, place,
        too_small, total, rest, enough,
    )  # fmt: skip


@reader()
def wrong_everywhere(x: Ints, left: Ints, sign: int, A: Ints, B: Ints, most_b: int) -> int:
    """Take the weight of the cells of one class that are wrong in all of a box; return how much.

    `sign` is the side of 0 on which the class is right, and `most_b` what b can add on that side.
    """
    taken = np.int64(0)
    for i in range(x.shape[0]):
        best = most_b
        for f in range(x.shape[1]):
            entry = sign * x[i, f]
            best += B[f] * entry if entry > 0 else A[f] * entry
        if best <= 0:
            taken += left[i]
            left[i] = 0
    return taken


@reader()
def middle_scores(x: Ints, middle: Ints, sign: int, scores: Ints) -> int:
    """Fill in `sign` times twice the score of each cell in the middle of a box, without b; give the most."""
    most = np.int64(-(2**62))
    for i in range(x.shape[0]):
        s = np.int64(0)
        for f in range(x.shape[1]):
            s += middle[f] * x[i, f]
        scores[i] = sign * s
        most = max(most, sign * s)
    return most


@reader()
def cells_from(key: Ints, left: Ints, n: int, least: int, cells: Ints) -> tuple[int, int]:
    """List the cells with weight left whose key is at least `least`: (how many, their weight)."""
    count, weight = 0, np.int64(0)
    for i in range(n):
        if left[i] > 0 and key[i] >= least:
            cells[count] = i
            count += 1
            weight += left[i]
    return count, weight


@reader()
def match_conflicts(
    up_x: Ints, down_x: Ints, width: Ints, k: int, up: Ints, n_up: int, down: Ints, n_down: int, up_key: Ints,
    down_key: Ints, left_up: Ints, left_down: Ints, wide: Ints, following: Ints, too_small: int, total: int,
    rest: int, enough: int,
) -> int:  # fmt: skip
    """Match each negative with the positives it conflicts with; return `total` and the matched weight.

    `up` and `down` are sorted by rising key. `rest` is the weight of all negatives here: once it cannot lift
    the total above `enough`, nothing can. `wide` and `following` are scratch.
    """
    n_wide = 0
    for f in range(k):
        if width[f] > 0:  # the widest first: it decides most
            t = n_wide
            while t > 0 and width[wide[t - 1]] < width[f]:
                wide[t] = wide[t - 1]
                t -= 1
            wide[t] = f
            n_wide += 1
    for a in range(n_up + 1):
        following[a] = a  # skips positives already used up
    begin = n_up
    for t_down in range(n_down):
        j = down[t_down]
        if total + rest <= enough:
            return total  # cannot be pruned any more
        rest -= left_down[j]
        if left_down[j] == 0:
            continue
        # positives at or below the negative's mid-box score, highest first
        near = too_small + down_key[j]
        while begin > 0 and near + up_key[up[begin - 1]] >= 0:
            begin -= 1
        a = begin
        while left_down[j] > 0:
            a = first_unused(following, a)
            if a == n_up:
                break
            i = up[a]
            if left_up[i] == 0:
                following[a] = a + 1
                continue
            spare = near + up_key[i]
            for t in range(n_wide):
                f = wide[t]
                spare -= width[f] * abs(up_x[i, f] - down_x[j, f])
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


@reader()
def first_unused(following: Ints, a: int) -> int:
    """Follow the links from a to their end, and let all of them lead there at once."""
    end = a
    while following[end] != end:
        end = following[end]
    while a != end:
        after = following[a]
        following[a] = end
        a = after
    return end


@reader()
def cost_bound(data: SupportData, low: Ints, high: Ints, enough: int, space: Ints) -> int:
    """Bound the whole cost within a box; stops above `enough`."""
    fixed = least_fixed_cost(data, low, high)
    return fixed + loss_bound(data, low, high, enough - fixed, space)


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
    data: SupportData, stack: Ints, top: int, cut: int, best_l1: int, ties: bool, budget: int, hit: Ints,
    space: Ints,
) -> tuple[int, int, int]:  # fmt: skip
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

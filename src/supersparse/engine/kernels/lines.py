"""The loss as a function of the intercept, and of one coefficient."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.memory import by_reference
from supersparse.engine.kernels.sorting import order_of


@kernel()
def loss_by_b(scores: Ints, step: int, half: int, positive: Ints, negative: Ints) -> tuple[Ints, Ints]:
    """The loss as a step function of b: ``losses[t]`` holds from ``starts[t-1]`` to ``starts[t] - 1``.

    Positive rows are right from b = floor(-s/step) + 1 on, negative ones wrong from ceil(-s/step) on;
    with `half`, where b stands for b + 1/2, both from ceil(-s/step) on. Where those b lie close together
    they are counted in a table, else sorted.
    """
    m = len(scores)
    keys, change = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64)
    loss, least, most = np.int64(0), np.int64(2**62), np.int64(-(2**62))
    for i in range(m):
        s = scores[i]
        q = s // step
        keys[i], change[i] = -q + (1 if s == q * step and not half else 0), -positive[i]
        keys[m + i], change[m + i] = -q, negative[i]
        loss += positive[i]
        least, most = min(least, -q), max(most, keys[i])
    starts, losses = np.empty(2 * m, np.int64), np.empty(2 * m + 1, np.int64)
    losses[0] = loss
    n = 0
    if most - least <= 16 * m:
        table = np.zeros(most - least + 1, np.int64)
        for t in range(2 * m):
            table[keys[t] - least] += change[t]
        for b in range(len(table)):
            if table[b] != 0:
                loss += table[b]
                starts[n], losses[n + 1] = least + b, loss
                n += 1
        return starts[:n], losses[: n + 1]
    order = order_of(keys)
    for t in range(2 * m):
        loss += change[order[t]]
        if n > 0 and starts[n - 1] == keys[order[t]]:
            losses[n] = loss
        else:
            starts[n], losses[n + 1] = keys[order[t]], loss
            n += 1
    return starts[:n], losses[: n + 1]


@kernel()
def least_over_b(starts: Ints, losses: Ints, low: int, high: int) -> tuple[int, int]:
    """Return (loss, b): the least loss over low <= b <= high, at an end of its interval."""
    best, best_b = np.int64(2**62), np.int64(0)
    last = len(starts)
    if last == 0:  # every b does the same
        return losses[0], np.int64(max(low, min(high, 0)))
    for t in range(last + 1):
        b = low if t == 0 else max(low, starts[t - 1])
        until = high if t == last else min(high, starts[t] - 1)
        if losses[t] < best and b <= until:
            best, best_b = losses[t], until if t == 0 else b
    return best, best_b


@by_reference
class SearchData(NamedTuple):
    """The arrays of an IntegerForm as the search kernels read them: columns by their nonzeros.

    Losses, penalties and prices are in search units: kernel units times a factor, so fine that the tie-break
    by l1 weighs less than any other difference.
    """

    start: Ints  # (p + 1) where each column's nonzeros begin
    row: NDArray[np.int32]
    entry: Ints
    positive: Ints
    negative: Ints
    values: Ints  # (p, widest set) padded
    n_values: Ints
    zero: Ints  # index of 0 in each set, -1 where a set leaves it out
    value_penalty: Ints  # (p, widest set): the whole penalty of a value, C1 and the tie-break by l1 included
    l1_penalty: int  # of one unit of magnitude: C1 and the tie-break
    max_size: int
    step: int
    half: int  # 1 where b stands for b + 1/2, so that no score is 0
    intercept_low: int
    intercept_high: int
    intercepts: Ints  # allowed b, sorted; empty where all between the ends are
    intercept_penalties: Ints  # of each of them, without |b|
    limit_term: Ints  # (limits, p, widest set): what each value counts
    limit_most: Ints
    limit_price: Ints  # of one unit too much
    group_start: Ints  # features that must have points of one sign, group after group ...
    group_feature: Ints  # ... group g has those from group_start[g] to group_start[g + 1]
    group_price: int  # of one feature with the other sign


@kernel()
def key_of(score: int, step: int) -> tuple[int, int]:
    """Return (q, r): a negative row is wrong from b = -q on, a positive right from -q + (r == 0) on.

    With `half` both from b = -q on.
    """
    if step == 1:
        return score, 0
    q = score // step
    return q, score - q * step


@kernel()
def best_b(scores: Ints, data: SearchData, centre: int, window: int, jumps: Ints) -> tuple[int, int]:
    """Return (loss with the cost of b, b) for the best b within `window` of `centre`.

    `jumps` is scratch of at least 2·window + 3. Rows that change their mind outside the
    window are counted at its edges, so the loss of every b inside it is exact.
    """
    positive, negative, step = data.positive, data.negative, data.step
    low, high = max(data.intercept_low, centre - window), min(data.intercept_high, centre + window)
    if low > high:
        low = high = max(data.intercept_low, min(data.intercept_high, centre))
    if len(data.intercepts) == 0:
        # beyond the scores all rows agree: one step past them is as good as any
        least, most = scores[0], scores[0]
        for i in range(len(scores)):
            least, most = min(least, scores[i]), max(most, scores[i])
        first, last = -(most // step) - 1, -(least // step) + 1
        if first <= high and last >= low:
            low, high = max(low, first), min(high, last)
    elif data.intercepts[0] <= high and data.intercepts[-1] >= low:
        low, high = max(low, data.intercepts[0]), min(high, data.intercepts[-1])
    width = high - low + 1
    for t in range(width + 1):
        jumps[t] = 0
    loss = 0  # at b = low - 1
    for i in range(len(scores)):
        q, r = key_of(scores[i], step)
        if positive[i] > 0:
            at = -q + (1 if r == 0 and not data.half else 0) - low
            loss += positive[i]
            if at <= 0:
                jumps[0] -= positive[i]
            elif at < width:
                jumps[at] -= positive[i]
        if negative[i] > 0:
            at = -q - low
            if at <= 0:
                jumps[0] += negative[i]
            elif at < width:
                jumps[at] += negative[i]
    best, best_at = np.int64(2**62), np.int64(0)
    if len(data.intercepts) == 0:
        run, run_from = False, 0
        for t in range(width):
            loss += jumps[t]
            if loss < best:
                best, best_at, run, run_from = loss, low + t, True, t
            elif loss == best and run:
                best_at = low + (run_from + t) // 2  # towards the middle of the interval
            else:
                run = False
        return best, best_at
    for t in range(width):
        loss += jumps[t]
        jumps[t] = loss
    for t in range(len(data.intercepts)):
        b = data.intercepts[t]
        if low <= b <= high:
            total = jumps[b - low] + abs(b) * data.l1_penalty + data.intercept_penalties[t]
            if total < best:
                best, best_at = total, b
    return best, best_at


@kernel()
def add_column(scores: Ints, data: SearchData, j: int, change: int) -> None:
    """Add ``change`` times column j to the scores."""
    for t in range(data.start[j], data.start[j + 1]):
        scores[data.row[t]] += change * data.entry[t]


@kernel()
def first_at_least(values: Ints, n: int, target: int) -> int:
    """Index of the first of n sorted values that is at least `target`, n if none is."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if values[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def loss_at(scores: Ints, data: SearchData, b: int) -> int:
    """The loss of the scores with intercept b."""
    loss = np.int64(0)
    for i in range(len(scores)):
        score = scores[i] + b * data.step
        if score + data.half <= 0:
            loss += data.positive[i]
        if score >= 0:
            loss += data.negative[i]
    return loss


@kernel()
def line_at_fixed_b(loss: int, scores: Ints, data: SearchData, j: int, current: int, b: int, totals: Ints) -> None:
    """Fill ``totals[t]`` with the loss when feature j takes its t-th value and b stays.

    A difference array over the values: each row changes its mind at one breakpoint. `loss` is
    that of the scores as they are, so only the rows with a nonzero entry are touched.
    """
    n = data.n_values[j]
    values = data.values[j]
    for t in range(n + 1):
        totals[t] = 0
    outside = loss
    for t in range(data.start[j], data.start[j + 1]):
        i, x = data.row[t], data.entry[t]
        score = scores[i] + b * data.step
        if score + data.half <= 0:
            outside -= data.positive[i]
        if score >= 0:
            outside -= data.negative[i]
        rest = score - current * x
        below = data.positive[i] if x > 0 else data.negative[i]  # loss for values under the breakpoint
        above = data.negative[i] if x > 0 else data.positive[i]
        magnitude = abs(x)
        target = -rest if x > 0 else rest  # value·|x| > target means: beyond the breakpoint
        if data.half and x < 0:
            target += 1  # a score of 0 stands for 1/2, on the positive side
        first = first_at_least(values, n, -((-target) // magnitude))  # least value with value·|x| >= target
        totals[0] += below
        if not data.half and first < n and values[first] * magnitude == target:
            totals[first] += data.positive[i] + data.negative[i] - below
            totals[first + 1] += above - data.positive[i] - data.negative[i]
        else:
            totals[first] += above - below
    running = outside
    for t in range(n):
        running += totals[t]
        totals[t] = running


@kernel()
def best_on_line(
    scores: Ints, data: SearchData, j: int, index: Ints, b: int, may_be_zero: bool, may_be_used: bool,
    window: int, scratch: Ints, totals: Ints, jumps: Ints, work: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Search feature j's values; return (cost, index of the value, b), other features' penalties left out.

    Narrow sets are tried value by value with b re-optimised; wide ones at fixed b first, and
    the best few of those with b re-optimised.
    """
    n, m = data.n_values[j], len(scores)
    values = data.values[j]
    current = values[index]
    best, best_index, best_intercept = np.int64(2**62), index, b
    nonzeros = data.start[j + 1] - data.start[j]
    narrow = n * m <= 40_000
    if not narrow:
        line_at_fixed_b(loss_at(scores, data, b), scores, data, j, current, b, totals)
        work[0] += m + 4 * nonzeros
        for t in range(n):
            totals[t] += data.value_penalty[j, t]
    tries = n if narrow else 3
    for k in range(tries):
        t = k
        if not narrow:
            t = -1
            for u in range(n):
                allowed = may_be_zero if values[u] == 0 else may_be_used
                if allowed and totals[u] < 2**61 and (t < 0 or totals[u] < totals[t]):
                    t = u
            if t < 0:
                break
            totals[t] = 2**62
        value = values[t]
        if (value == 0 and not may_be_zero) or (value != 0 and not may_be_used):
            continue
        for i in range(m):
            scratch[i] = scores[i]
        add_column(scratch, data, j, value - current)
        loss, at = best_b(scratch, data, b, window, jumps)
        work[0] += m + nonzeros + window
        cost = loss + data.value_penalty[j, t]
        if cost < best:
            best, best_index, best_intercept = cost, t, at
    return best, best_index, best_intercept


@kernel()
def best_b_anywhere(scores: Ints, data: SearchData) -> tuple[int, int]:
    """Return (loss, b) for the best b of all; b's penalty is left out."""
    starts, losses = loss_by_b(scores, data.step, data.half, data.positive, data.negative)
    return least_over_b(starts, losses, data.intercept_low, data.intercept_high)


@kernel()
def most_promising(scores: Ints, data: SearchData, index: Ints, b: int, keep: int, totals: Ints, work: Ints) -> Ints:
    """The features in use, and of the others the `keep` that cost least at fixed b."""
    p = len(index)
    loss = loss_at(scores, data, b)
    work[0] += len(scores)
    cost = np.empty(p, np.int64)
    used = 0
    for j in range(p):
        if data.values[j, index[j]] != 0:
            cost[j] = -1  # before all others
            used += 1
            continue
        line_at_fixed_b(loss, scores, data, j, np.int64(0), b, totals)
        work[0] += 4 * (data.start[j + 1] - data.start[j]) + data.n_values[j]
        cost[j] = 2**62
        for t in range(data.n_values[j]):
            if data.values[j, t] != 0:
                cost[j] = min(cost[j], totals[t] + data.value_penalty[j, t])
    return order_of(cost)[: min(p, used + keep)]

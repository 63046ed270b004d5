"""One signed support as the kernels read it: its rows as cells, and one coefficient vector on it.

Rows are merged on a prefix of features, level by level: a child needs one pass where its parent is known.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.lines import least_over_b, loss_by_b
from supersparse.engine.kernels.sorting import order_of
from supersparse.engine.kernels.tree_data import CELL_COUNT, CELL_PREFIX, CELLS_KNOWN, DOWN, NAMED, UP, Rows, SliceState

Cells = NDArray[np.int32]


@reader()
def cells_of(rows: Rows, state: SliceState, features: Ints) -> int:
    """Merge the rows on these features; return the level of `state.cell` that holds the result."""
    last = len(state.cell) - 1
    k = len(features)
    known = 0
    while known < min(k, state.number[CELLS_KNOWN]) and state.level[CELL_PREFIX, known] == features[known]:
        known += 1
    for d in range(known, k):
        here, there = min(d, last), min(d + 1, last)
        state.level[CELL_COUNT, there] = refine(
            rows,
            features[d],
            state.cell[here],
            state.level[CELL_COUNT, here],
            state.name,
            state.scratch[NAMED],
            state.cell[there],
        )
        state.level[CELL_PREFIX, d] = features[d]
    if known < k:
        state.number[CELLS_KNOWN] = k if k <= last else last - 1
    return min(k, last)


@reader()
def refine(rows: Rows, feature: int, cell: Cells, count: int, name: NDArray[np.int32], named: Ints, out: Cells) -> int:
    """Split the cells by the values of a feature; return the new number of cells. `out` may be `cell`."""
    ranks, span = rows.ranks[feature], rows.n_ranks[feature]
    if count * span > len(name):
        return refine_by_sorting(ranks, span, cell, out)
    fresh = 0
    for i in range(len(cell)):
        key = cell[i] * span + ranks[i]
        if name[key] < 0:
            name[key] = fresh
            named[fresh] = key
            fresh += 1
        out[i] = name[key]
    for t in range(fresh):
        name[named[t]] = -1
    return fresh


@inner()
def refine_by_sorting(ranks: NDArray[np.int32], span: int, cell: Cells, out: Cells) -> int:
    """`refine` where there are too many possible cells for a table."""
    keys = np.empty(len(cell), np.int64)
    for i in range(len(cell)):
        keys[i] = cell[i] * span + ranks[i]
    order = order_of(keys)
    fresh, last = -1, np.int64(-1)
    for i in order:
        if keys[i] != last:
            fresh += 1
            last = keys[i]
        out[i] = fresh
    return fresh + 1


@reader()
def base_loss_with(rows: Rows, state: SliceState, level: int, feature: int) -> int:
    """The base loss on the features of a level and one more: what no model on them avoids.

    0, which is always true, where there are too many possible cells for a table.
    """
    cell, ranks, span = state.cell[level], rows.ranks[feature], rows.n_ranks[feature]
    n, up, down = state.level[CELL_COUNT, level] * span, state.scratch[UP], state.scratch[DOWN]
    if n > len(up):
        return 0
    for i in range(len(cell)):
        key = cell[i] * span + ranks[i]
        up[key] += rows.positive[i]
        down[key] += rows.negative[i]
    loss = np.int64(0)
    if n <= 2 * len(cell):
        for key in range(n):
            loss += min(up[key], down[key])
            up[key] = down[key] = 0
        return loss
    for i in range(len(cell)):  # a cell counts at its first row, and is empty at the others
        key = cell[i] * span + ranks[i]
        loss += min(up[key], down[key])
        up[key] = down[key] = 0
    return loss


class CellRates(NamedTuple):
    """Limits on wrong rows, summed over cells, and the cells' losses before prices."""

    true_positive: Ints
    true_negative: Ints
    positive: Ints  # (limits, cells): what a limit counts when the cell is scored <= 0
    negative: Ints  # when it is scored >= 0
    most: Ints


class SupportData(NamedTuple):
    """One support as the box kernels read it."""

    up_x: Ints  # (net positive cells, k)
    down_x: Ints  # (net negative cells, k)
    up_weight: Ints
    down_weight: Ints
    cell_x: Ints  # (cells, k)
    positive: Ints
    negative: Ints
    first: Ints  # magnitude i of a coefficient is first + stride·i ...
    stride: Ints
    table: Ints  # ... or, where the stride is 0, the i-th of its row here
    spread: Floats
    step: int
    slack: int
    judged: int  # 1 where limits exist that only the evaluator knows: what survives is handed over to it
    half: int  # 1 where b stands for b + 1/2, so that no score is 0
    base_loss: int  # no model on the support avoids it: the smaller weight of each cell
    fixed_cost: int  # base loss, shift, and the least penalties of all features and b, without C1
    shift: int  # what prices on rates add to every loss
    l1_penalty: int  # C1: the penalty of one unit of magnitude
    is_flat: int  # 1 when no penalty depends on the value, without C1
    magnitude_extra: Ints  # (k, widest): the penalty of each magnitude beyond the least; not read when flat
    intercept_extra: Ints  # the penalty of each b beyond the least
    score_rate: Ints  # (limits on the largest score, k)
    score_most: Ints
    rates: CellRates
    intercept_low: int  # bounds of b where it is not restricted to a list
    intercept_high: int
    intercepts: Ints  # allowed b, sorted; empty when b is free
    counts_b: int  # 1 when |b| is part of l1


@reader()
def magnitude(first: Ints, stride: Ints, table: Ints, f: int, index: int) -> int:
    """The magnitude of coefficient f at an index; three arrays compile faster than all of `SupportData`."""
    return first[f] + stride[f] * index if stride[f] else table[f, index]


@inner()
def evaluate_vector(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    """Return (loss, b) of one coefficient vector at its best allowed b; the loss includes b's extra penalty.

    `b_low` and `b_high` index the restricted intercepts, if any. The loss counts both weights of every cell,
    the base loss included.
    """
    starts, losses = loss_by_b(scores_of(data.cell_x, vector), data.step, data.half, data.positive, data.negative)
    if len(data.intercepts) == 0:
        return least_over_b(starts, losses, data.intercept_low, data.intercept_high)
    best, best_b = np.int64(2**62), np.int64(0)
    t, last = 0, len(starts)
    for at in range(b_low, b_high + 1):
        b = data.intercepts[at]
        while t < last and starts[t] <= b:
            t += 1
        cost = losses[t] + data.intercept_extra[at] + data.counts_b * data.l1_penalty * abs(b)
        if cost < best or (cost == best and data.counts_b and abs(b) < abs(best_b)):
            best, best_b = cost, b
    return best, best_b


@inner()
def evaluate_within_rates(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    """`evaluate_vector` with the true weights, over those b that obey every limit on wrong rows."""
    rates = data.rates
    m, n_limits = data.cell_x.shape[0], len(rates.most)
    keys, scores = np.empty(2 * m, np.int64), scores_of(data.cell_x, vector)
    loss, counted = np.int64(0), np.zeros(n_limits, np.int64)
    for i in range(m):
        s = scores[i]
        q = s // data.step
        keys[i], keys[m + i] = -q + (1 if s == q * data.step and not data.half else 0), -q
        loss += rates.true_positive[i]
        for limit in range(n_limits):
            counted[limit] += rates.positive[limit, i]
    order = order_of(keys)
    best, best_b = np.int64(2**62), np.int64(0)
    listed = len(data.intercepts) > 0
    at, t = b_low, 0
    low = data.intercept_low
    while True:  # the interval of b from `low` up to the next key
        until = keys[order[t]] - 1 if t < 2 * m else data.intercept_high
        obeys = True
        for limit in range(n_limits):
            obeys = obeys and counted[limit] <= rates.most[limit]
        if listed:
            while at <= b_high and (t == 2 * m or data.intercepts[at] <= until):
                b = data.intercepts[at]
                cost = loss + data.intercept_extra[at] + data.counts_b * data.l1_penalty * abs(b)
                if obeys and (cost < best or (cost == best and data.counts_b and abs(b) < abs(best_b))):
                    best, best_b = cost, b
                at += 1
        elif obeys and loss < best and max(low, data.intercept_low) <= min(until, data.intercept_high):
            best, best_b = loss, max(low, data.intercept_low)
        if t == 2 * m:
            return best, best_b
        low = keys[order[t]]
        while t < 2 * m and keys[order[t]] == low:
            i = order[t]
            if i < m:
                loss -= rates.true_positive[i]
                for limit in range(n_limits):
                    counted[limit] -= rates.positive[limit, i]
            else:
                loss += rates.true_negative[i - m]
                for limit in range(n_limits):
                    counted[limit] += rates.negative[limit, i - m]
            t += 1


@inner()
def scores_of(x: Ints, vector: Ints) -> Ints:
    """The score of each cell, b left out."""
    scores = np.zeros(len(x), np.int64)
    for i in range(len(scores)):
        for f in range(len(vector)):
            scores[i] += vector[f] * x[i, f]
    return scores


@kernel()
def group_rows(ranks: NDArray[np.int32], n_ranks: Ints, support: Ints) -> tuple[Ints, int]:
    """Number the rows so that rows equal on the support share a number; return (number, count)."""
    m = ranks.shape[1]
    cell = np.zeros(m, np.int64)
    count = 1
    for f in support:
        span = n_ranks[f]
        if count * span <= 4 * m + 1024:
            name = np.full(count * span, -1, np.int64)
            fresh = 0
            for i in range(m):
                key = cell[i] * span + ranks[f, i]
                if name[key] < 0:
                    name[key] = fresh
                    fresh += 1
                cell[i] = name[key]
            count = fresh
        else:
            for i in range(m):
                cell[i] = cell[i] * span + ranks[f, i]
            order = order_of(cell)
            fresh, last = -1, np.int64(-1)
            for t in range(m):
                i = order[t]
                key = cell[i]
                if key != last:
                    fresh += 1
                    last = key
                cell[i] = fresh
            count = fresh + 1
    return cell, count


@kernel()
def cell_weights(cell: Ints, count: int, positive: NDArray[Any], negative: NDArray[Any]) -> tuple[Ints, Ints, Ints]:
    """Sum both weights over each cell and name one row of each: (positive, negative, row)."""
    up, down, row = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(len(cell)):
        up[cell[i]] += positive[i]
        down[cell[i]] += negative[i]
        row[cell[i]] = i
    return up, down, row


@kernel()
def net_cells(x: Ints, heavy: Ints, light: Ints) -> tuple[Ints, Ints, Ints]:
    """Keep the cells whose first weight is larger: (which, their x, by how much)."""
    n = 0
    for c in range(len(heavy)):
        n += heavy[c] > light[c]
    which, weight = np.empty(n, np.int64), np.empty(n, np.int64)
    net = np.empty((n, x.shape[1]), np.int64)
    t = 0
    for c in range(len(heavy)):
        if heavy[c] > light[c]:
            which[t], weight[t] = c, heavy[c] - light[c]
            for f in range(x.shape[1]):  # assigning the row whole costs two seconds to compile
                net[t, f] = x[c, f]
            t += 1
    return which, net, weight


@kernel()
def spreads(x: Ints, weight: Ints) -> Floats:
    """The weighted standard deviation of each column; a guide for splitting, not part of a bound."""
    k = x.shape[1]
    spread = np.zeros(k)
    total = max(1.0, float(weight.sum()))
    for t in range(k):
        centre = 0.0
        for c in range(len(weight)):
            centre += weight[c] * x[c, t]
        centre /= total
        for c in range(len(weight)):
            spread[t] += weight[c] * (x[c, t] - centre) ** 2
        spread[t] = np.sqrt(spread[t] / total)
    return spread

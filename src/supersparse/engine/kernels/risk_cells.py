"""All completions of a partial support, pruned by the entropy of their cells.

Rows that are equal on a support get the same risk, whatever the points, so no card on it has a smaller loss
than the sum over its cells of m·log m - p·log p - q·log q, with p and q the weights of the two classes and
m = p + q. Binary columns and whole row weights use bit sets; other tables count over the ranks of the values.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints, Words
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.memory import by_reference
from supersparse.engine.kernels.risk_boxes import open_support, run_boxes
from supersparse.engine.kernels.risk_loss import fill
from supersparse.engine.kernels.risk_projection import excludes, fit_without_last
from supersparse.engine.risk.data import CELL_PRUNED, DEPTH, FITTED, SUPPORTS, WORK, Best, Boxes, RiskData, Support

LEVEL, STARTED = 0, 1
_MANY = 3  # last columns for which it pays to fit the support without them first


@by_reference
class Bits(NamedTuple):
    """Binary columns as bit sets over the rows, positive rows first; no words if bit sets do not apply."""

    columns: Words  # (columns, words)
    all: Words  # (words,): the rows
    split: int  # words of the positive rows
    of_positive: Floats  # (count + 1,): t·log t of the weight of that many positive rows
    of_negative: Floats
    of_both: Floats  # the same for any rows; empty if the classes have different weights
    unit_positive: float
    unit_negative: float


@by_reference
class Cells(NamedTuple):
    """The cells after each level of the enumeration."""

    ids: NDArray[np.int32]  # (levels, rows)
    groups: Ints  # (levels,): number of cells; -1 if they are too many
    masks: Words  # (levels, cells, words): of the cells with rows of both classes
    positive: Ints  # (levels, cells)
    negative: Ints
    position: Ints  # (levels,): the next candidate at each level
    state: Ints  # (2,)


@intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """Number of ones among 64 bits, in one instruction where there is one."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@reader(error_model="numpy")
def _mixed(positive: float, negative: float) -> float:
    """m·log m - p·log p - q·log q."""
    if positive <= 0 or negative <= 0:
        return 0.0
    both = positive + negative
    return both * np.log(both) - positive * np.log(positive) - negative * np.log(negative)


@reader(error_model="numpy")
def _mixed_counts(bits: Bits, p: int, q: int) -> float:
    """The same for counts of rows."""
    if p == 0 or q == 0:
        return 0.0
    if len(bits.of_both):
        return bits.of_both[p + q] - bits.of_positive[p] - bits.of_negative[q]
    both = p * bits.unit_positive + q * bits.unit_negative
    return both * np.log(both) - bits.of_positive[p] - bits.of_negative[q]


@reader(error_model="numpy")
def _count(x: Words, y: Words, start: int, end: int) -> int:
    total, own_x, own_y = np.uint64(0), x[start:], y[start:]
    for w in range(end - start):  # from 0, see `risk_loss`
        total += popcount(own_x[w] & own_y[w])
    return np.int64(total)


@reader(error_model="numpy")
def start_cells(data: RiskData, bits: Bits, cells: Cells) -> None:
    """All rows in one cell."""
    words = len(bits.all)
    if words:
        for w in range(words):
            cells.masks[0, 0, w] = bits.all[w]
        cells.positive[0, 0] = _count(bits.all, bits.all, np.int64(0), bits.split)
        cells.negative[0, 0] = _count(bits.all, bits.all, bits.split, words)
        cells.groups[0] = 1
    else:
        for i in range(data.x.shape[1]):
            cells.ids[0, i] = 0
        cells.groups[0] = 1


@inner(error_model="numpy")
def refine(data: RiskData, bits: Bits, cells: Cells, level: int, j: int) -> None:
    """Split the cells of a level by column j into those of the next level."""
    groups = cells.groups[level]
    if groups < 0:
        cells.groups[level + 1] = -1
        return
    words = len(bits.all)
    if words:
        if 2 * groups > cells.masks.shape[1]:
            cells.groups[level + 1] = -1
            return
        count = 0
        column = bits.columns[j]
        for c in range(groups):
            p, q = cells.positive[level, c], cells.negative[level, c]
            mask = cells.masks[level, c]
            inside_p = _count(mask, column, np.int64(0), bits.split)
            inside_q = _count(mask, column, bits.split, words)
            if inside_p > 0 and inside_q > 0:
                for w in range(words):
                    cells.masks[level + 1, count, w] = mask[w] & column[w]
                cells.positive[level + 1, count], cells.negative[level + 1, count] = inside_p, inside_q
                count += 1
            if p > inside_p and q > inside_q:
                for w in range(words):
                    cells.masks[level + 1, count, w] = mask[w] & ~column[w]
                cells.positive[level + 1, count] = p - inside_p
                cells.negative[level + 1, count] = q - inside_q
                count += 1
        cells.groups[level + 1] = count
        return
    n, wide = data.x.shape[1], data.distinct[j]
    size = groups * wide
    if size > 4096 or size > 2 * n + 64:
        cells.groups[level + 1] = -1
        return
    table = np.empty(size, np.int32)
    for at in range(size):
        table[at] = -1
    count = 0
    before, after, ranks = cells.ids[level], cells.ids[level + 1], data.ranks[j]
    for i in range(n):
        at = before[i] * wide + ranks[i]
        if table[at] < 0:
            table[at] = count
            count += 1
        after[i] = table[at]
    cells.groups[level + 1] = count


@inner(error_model="numpy")
def cell_bound(data: RiskData, bits: Bits, cells: Cells, level: int, j: int, enough: float) -> float:
    """The least loss on the columns of a level and column j (none if j < 0); stops early above `enough`."""
    groups = cells.groups[level]
    if groups < 0:
        return 0.0
    total = 0.0
    words = len(bits.all)
    if words:
        if j < 0:
            for c in range(groups):
                total += _mixed_counts(bits, cells.positive[level, c], cells.negative[level, c])
        else:
            column = bits.columns[j]
            for c in range(groups):
                p, q = cells.positive[level, c], cells.negative[level, c]
                mask = cells.masks[level, c]
                inside_p = _count(mask, column, np.int64(0), bits.split)
                inside_q = _count(mask, column, bits.split, words)
                total += _mixed_counts(bits, inside_p, inside_q)
                total += _mixed_counts(bits, p - inside_p, q - inside_q)
                if total > enough:
                    break
    else:
        n = data.x.shape[1]
        wide = 1 if j < 0 else data.distinct[j]
        size = groups * wide
        if size > 4096 or size > 2 * n + 64:
            return 0.0
        positive, negative = np.zeros(size), np.zeros(size)
        before = cells.ids[level]
        if j < 0:
            for i in range(n):
                positive[before[i]] += data.positive[i]
                negative[before[i]] += data.negative[i]
        else:
            ranks = data.ranks[j]
            for i in range(n):
                at = before[i] * wide + ranks[i]
                positive[at] += data.positive[i]
                negative[at] += data.negative[i]
        for at in range(size):
            total += _mixed(positive[at], negative[at])
    return total * (1 - 1e-11) - 1e-12


@kernel(error_model="numpy")
def run_completions(
    data: RiskData, support: Support, boxes: Boxes, best: Best, bits: Bits, cells: Cells, used: Ints,
    candidates: Ints, room: int, low: Ints, high: Ints, start: Floats, loss_floor: float, least_cost: Floats,
    budget: int,
) -> bool:  # fmt: skip
    """Go through the completions of `used` by at most `room` candidates; True when all are done.

    Where 0 points are allowed in a support, only completions of full size are tried, since they contain the
    smaller ones. `least_cost` is the least penalty of each column; `loss_floor` bounds the loss of them all.
    """
    n_used, n_left = len(used), len(candidates)
    if not data.strict and n_left <= room:
        room = n_left
    chosen, most = np.empty(room + 1, np.int64), n_used + room + 1
    first, last, point = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(2 + most)
    state, position = cells.state, cells.position
    cost_used = 0.0
    for q in range(n_used):
        cost_used += least_cost[used[q]]
    words, opens = len(bits.all), np.int64(-1)
    # the regression on all but the last column of a support
    projects = words == 0 and (data.slope_is_free or not data.strict)
    rows, gram = np.empty((6 if projects else 0, data.x.shape[1])), np.empty((most + 1, most + 1))
    vectors, columns = np.empty((3, most + 1)), np.empty(most, np.int64)
    base, slopes, step, is_fitted, loss = vectors[0], vectors[1], vectors[2], False, -1.0
    fit = np.zeros(1 + data.x.shape[0])  # (b, beta of every column) on the last support, a good start
    fit[0] = np.log(data.positive.sum() / data.negative.sum())
    if not state[STARTED]:
        state[STARTED], state[LEVEL] = 1, 0
        start_cells(data, bits, cells)
        for q in range(n_used):
            refine(data, bits, cells, q, used[q])
        position[0] = 0
        support.state[DEPTH] = 0
        if (data.strict or room == 0) and n_used > 0:
            opens = np.int64(0)
        if room == 0:
            state[LEVEL] = -1
    while True:
        if opens >= 0:  # the support of the used and the first of the chosen columns
            k = n_used + opens
            point[0], point[1] = start[0], fit[0]
            for q in range(k):
                j = used[q] if q < n_used else chosen[q - n_used]
                support.columns[q] = j
                first[q], last[q] = low[j], high[j]
                point[2 + q] = fit[1 + j]
            open_support(data, support, boxes, best, k, first, last, point, loss_floor)
            fill(fit, 0.0, len(fit))
            fit[0] = point[1]
            for q in range(k):
                fit[1 + support.columns[q]] = point[2 + q]
            opens = np.int64(-1)
        if support.state[DEPTH] > 0:
            run_boxes(data, support, boxes, best, budget)
            if support.state[DEPTH] > 0:
                return False
        level = state[LEVEL]
        if level < 0:
            return True
        if support.counts[WORK] >= budget:
            return False
        at = position[level]
        ends = n_left if data.strict else n_left - (room - level) + 1
        if at >= ends:
            state[LEVEL] = level - 1
            continue
        position[level] = at + 1
        j = candidates[at]
        cost = cost_used + least_cost[j]
        for q in range(level):
            chosen[q] = candidates[position[q] - 1]
            cost += least_cost[chosen[q]]
        chosen[level] = j
        threshold = best.value[0] - data.tolerance - cost
        depth = n_used + level
        if max(loss_floor, 0.0) >= threshold:
            support.counts[SUPPORTS] += 1
            continue
        groups = max(1, cells.groups[depth])
        support.counts[WORK] += 8 * (groups * words if words else data.x.shape[1])
        if level < room - 1:
            refine(data, bits, cells, depth, j)
            state[LEVEL], is_fitted = level + 1, False
            position[level + 1] = at + 1
            if not data.strict:
                continue
            depth, j = depth + 1, np.int64(-1)
        if cell_bound(data, bits, cells, depth, j, threshold + 1e-9) >= threshold:
            support.counts[SUPPORTS] += 1
            support.counts[CELL_PRUNED] += 1
            continue
        opens = level + 1
        if not projects or level < room - 1 or depth == 0:
            continue
        for q in range(depth):
            columns[q] = used[q] if q < n_used else chosen[q - n_used]
        columns[depth] = j
        if not is_fitted:
            is_fitted, loss = True, -1.0
            if ends - at >= _MANY:
                base[0] = start[1]
                for q in range(depth):
                    base[1 + q] = start[2 + columns[q]]
                loss = fit_without_last(data, support, columns, depth, base, rows, gram, slopes)
        if loss < 0:
            continue
        support.counts[WORK] += data.x.shape[1] * (8 * depth + 20)
        if excludes(data, columns, depth, loss, threshold, slopes, gram, rows, step):
            support.counts[SUPPORTS] += 1
            support.counts[FITTED] += 1
            opens = np.int64(-1)
            continue
        fill(fit, 0.0, len(fit))
        fit[0] = base[0] + step[0]
        for q in range(depth + 1):
            fit[1 + columns[q]] = (base[1 + q] if q < depth else 0.0) + step[1 + q]

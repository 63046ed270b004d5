"""One support within a slice: merged, bounded as a whole, then searched box by box in two phases.

The first phase looks only for strict improvements: if a vector can be doubled within its sets, a model in
the upper half has the same predictions, size and C0, so only vectors with some coefficient (or b) in the
upper half of its values are needed. The second phase looks over all vectors for ties with a smaller l1.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.boxes import DONE, cost_bound, new_space, run_boxes
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.support import (
    CellRates,
    SupportData,
    cell_weights,
    cells_of,
    magnitude,
    net_cells,
    spreads,
)
from supersparse.engine.kernels.tree_data import (
    BOX_TOP,
    CELL_COUNT,
    LITERALS,
    PHASE,
    SIZE,
    WORK,
    Coefficients,
    Rows,
    SliceState,
    TreeData,
)

IMPROVING, TIES, PIECE = 1, 2, 3
"""The phases of a search. A piece of the first, which has other pieces too, ends without the second."""


@inner()
def search_support(data: TreeData, state: SliceState, part: int, tie: int, strict: int, l1: int, until: int) -> int:
    """Search the support on top until the slice's work reaches `until`; DONE when it is closed.

    Other results are those of `run_boxes`; the open boxes and the phase then stay in the state.
    """
    number, parts, rows, c = state.number, state.part, data.rows, data.coefficients
    k = parts[part, SIZE]
    literals, features = np.empty(k, np.int64), np.empty(k, np.int64)
    for t in range(k):
        literals[t] = parts[part, LITERALS + t]
        features[t] = literals[t] // 2
    level = cells_of(rows, state, features)
    cell, count = state.cell[level], state.level[CELL_COUNT, level]
    positive, negative, row = cell_weights(cell, count, rows.positive, rows.negative)
    number[WORK] += 2 * len(cell)
    base_loss = np.int64(0)
    for i in range(count):
        base_loss += min(positive[i], negative[i])
    fixed = base_loss + c.shift + least_penalty(c, literals)
    if fixed > tie:
        number[BOX_TOP] = 0
        return DONE
    support = support_data(data, cell, literals, positive, negative, row, base_loss, fixed)
    space = new_space(support)
    work_per_box = count * (k + 8) + 200
    room = len(state.boxes) // (2 * (k + 1))
    boxes = state.boxes[: room * 2 * (k + 1)].reshape((room, 2, k + 1))
    while True:
        if number[BOX_TOP] == 0:
            if parts[part, PHASE] == PIECE:
                return DONE
            parts[part, PHASE] += 1
            number[WORK] += work_per_box
            low, high = whole_box(c, literals)
            if parts[part, PHASE] == IMPROVING:
                bound = cost_bound(support, low, high, tie, space)
                if bound > tie:
                    return DONE
                if bound <= strict:
                    number[BOX_TOP] = lay_out_improving(c, boxes, literals, low, high)
            elif parts[part, PHASE] == TIES and not c.lists:
                number[BOX_TOP] = lay_out_small(boxes, support, low, high, tie, l1)
            else:
                return DONE
            continue
        ties = parts[part, PHASE] == TIES
        budget = 1 + max(0, until - number[WORK]) // work_per_box
        result, number[BOX_TOP], spent = run_boxes(
            support, boxes, number[BOX_TOP], tie if ties else strict, l1, ties, budget, state.hit, space
        )
        number[WORK] += spent * work_per_box
        if result != DONE:
            return result


@reader()
def least_penalty(c: Coefficients, literals: Ints) -> int:
    """The least penalties of all features and b, without C1, with these literals."""
    penalty = c.empty_penalty
    for name in literals:
        penalty += c.literal_surcharge[name]
    return penalty


@inner()
def support_data(
    data: TreeData, cell: NDArray[np.int32], literals: Ints, positive: Ints, negative: Ints, row: Ints,
    base_loss: int, fixed_cost: int,
) -> SupportData:  # fmt: skip
    """One support as the box kernels read it, from its merged rows."""
    c, columns = data.coefficients, data.rows.columns
    k, count = len(literals), len(row)
    x, weight = np.empty((count, k), np.int64), np.empty(count, np.int64)
    for i in range(count):
        weight[i] = positive[i] + negative[i]
        for t in range(k):
            entry = columns[literals[t] // 2, row[i]]
            x[i, t] = -entry if literals[t] % 2 else entry
    _, up_x, up_weight = net_cells(x, positive, negative)
    _, down_x, down_weight = net_cells(x, negative, positive)
    first, stride = np.empty(k, np.int64), np.empty(k, np.int64)
    table = np.empty((k, c.table.shape[1]), np.int64)
    extra = np.empty((k, c.magnitude_extra.shape[1]), np.int64)
    score_rate = np.empty((len(c.score_most), k), np.int64)
    for t in range(k):
        name = literals[t]
        first[t], stride[t] = c.first[name], c.stride[name]
        for i in range(table.shape[1]):
            table[t, i] = c.table[name, i]
        for i in range(extra.shape[1]):
            extra[t, i] = c.magnitude_extra[name, i]
        for limit in range(len(score_rate)):
            score_rate[limit, t] = c.score_rate[limit, name]
    return SupportData(
        up_x, down_x, up_weight, down_weight, x, positive, negative, first, stride, table, spreads(x, weight),
        c.step, c.slack, c.judged, c.half, base_loss, fixed_cost, c.shift, c.l1_penalty, c.is_flat, extra,
        c.intercept_extra, score_rate, c.score_most, rates_of_cells(data.rows, cell, count), c.intercept_low,
        c.intercept_high, c.intercepts, c.counts_b,
    )  # fmt: skip


@inner()
def rates_of_cells(rows: Rows, cell: NDArray[np.int32], count: int) -> CellRates:
    """The true weights and the counts of each limit, summed over cells; nothing where no rate is limited."""
    n = len(rows.rate_most)
    true_positive, true_negative = (np.zeros(count if n else 0, np.int64), np.zeros(count if n else 0, np.int64))
    positive, negative = np.zeros((n, count), np.int64), np.zeros((n, count), np.int64)
    if n:
        for i in range(len(cell)):
            true_positive[cell[i]] += rows.true_positive[i]
            true_negative[cell[i]] += rows.true_negative[i]
            for limit in range(n):
                positive[limit, cell[i]] += rows.rate_positive[limit, i]
                negative[limit, cell[i]] += rows.rate_negative[limit, i]
    return CellRates(true_positive, true_negative, positive, negative, rows.rate_most)


@inner()
def whole_box(c: Coefficients, literals: Ints) -> tuple[Ints, Ints]:
    """The box of all magnitudes of the literals, and of all listed b."""
    k = len(literals)
    low, high = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    for t in range(k):
        high[t] = c.count[literals[t]] - 1
    high[k] = max(0, len(c.intercepts) - 1)
    return low, high


@reader()
def lay_out_improving(c: Coefficients, boxes: Ints, literals: Ints, low: Ints, high: Ints) -> int:
    """All vectors, or those that cannot be doubled where doubling is allowed; return the number of boxes."""
    k = len(literals)
    doubles, all_have_halves = c.doubles == 1, True
    for t in range(k):
        doubles = doubles and c.is_full[literals[t]]
        all_have_halves = all_have_halves and c.count[literals[t]] > 1
    if not doubles:
        put_box(boxes, np.int64(0), low, high)
        return 1
    n = np.int64(0)
    for t in range(k):
        half, first = c.count[literals[t]] // 2, low[t]
        low[t] = half
        put_box(boxes, n, low, high)
        n += 1
        low[t] = first
        if half == 0:
            break
        high[t] = half - 1  # those that follow have this one in its lower half
    if all_have_halves:
        for r in range(len(c.outer_intercepts)):
            low[k], high[k] = c.outer_intercepts[r, 0], c.outer_intercepts[r, 1]
            put_box(boxes, n, low, high)
            n += 1
    return n


@reader()
def lay_out_small(boxes: Ints, support: SupportData, low: Ints, high: Ints, tie: int, l1: int) -> int:
    """The box of vectors whose l1 can be below the best; return the number of boxes, 1 or 0."""
    k = len(low) - 1
    least = np.int64(0)
    for t in range(k):
        least += magnitude(support.first, support.stride, support.table, t, np.int64(0))
    if least >= l1 or support.fixed_cost > tie:
        return 0
    for t in range(k):
        most = l1 - (least - magnitude(support.first, support.stride, support.table, t, np.int64(0)))
        first, last = 0, high[t]  # the last index of a magnitude below `most`
        while first < last:
            at = (first + last + 1) // 2
            if magnitude(support.first, support.stride, support.table, t, at) < most:
                first = at
            else:
                last = at - 1
        high[t] = first
    put_box(boxes, np.int64(0), low, high)
    return 1


@reader()
def put_box(boxes: Ints, at: int, low: Ints, high: Ints) -> None:
    """Write a box; there is room, because a phase begins with an empty stack."""
    for f in range(len(low)):
        boxes[at, 0, f], boxes[at, 1, f] = low[f], high[f]

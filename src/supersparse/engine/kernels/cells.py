"""Rows merged on a prefix of features, level by level: a child needs one pass where its parent is known."""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.sorting import order_of
from supersparse.engine.kernels.tree_data import (
    CELL_COUNT,
    CELL_PREFIX,
    CELLS_KNOWN,
    DOWN,
    NAMED,
    UP,
    Rows,
    SliceState,
)

Ints = NDArray[np.int64]
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
def refine(
    rows: Rows, feature: int, cell: Cells, count: int, name: NDArray[np.int32], named: Ints, out: Cells
) -> int:
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

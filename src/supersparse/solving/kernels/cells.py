"""Cells: the rows as one support sees them."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.sorting import order_of

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def cell_weights(
    cell: Ints, count: int, positive: NDArray[Any], negative: NDArray[Any]
) -> tuple[Ints, Ints, Ints]:
    """Sum both weights over each cell and name one row of each: (positive, negative, row)."""
    up, down, row = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(len(cell)):
        up[cell[i]] += positive[i]
        down[cell[i]] += negative[i]
        row[cell[i]] = i
    return up, down, row

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


@njit(cache=True, nogil=True)
def support_cells(
    ranks: NDArray[np.int32],
    n_ranks: Ints,
    columns: Ints,
    positive: Ints,
    negative: Ints,
    support: Ints,
    signs: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints, int]:
    """Merge the rows on a signed support: (cell of each row, x of each cell, positive, negative, row, base).

    Signs are folded into x; base is the loss that no model on the support avoids.
    """
    cell, count = group_rows(ranks, n_ranks, support)
    up, down, row = cell_weights(cell, count, positive, negative)
    x = np.empty((count, len(support)), np.int64)
    base = np.int64(0)
    for c in range(count):
        base += min(up[c], down[c])
        for t in range(len(support)):
            x[c, t] = columns[support[t], row[c]] * signs[t]
    return cell, x, up, down, row, base


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def spreads(x: Ints, weight: Ints) -> NDArray[np.float64]:
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


@njit(cache=True, nogil=True)
def merge_on_support(
    ranks: NDArray[np.int32],
    n_ranks: Ints,
    columns: Ints,
    positive: Ints,
    negative: Ints,
    support: Ints,
    signs: Ints,
) -> tuple[Ints, Ints, Ints, Ints, int, NDArray[np.float64], Ints, Ints, Ints, Ints, Ints, Ints]:
    """All of the above in one call, since each call from Python costs as much as a small support.

    Returns the cell of each row, x, positive and negative of each cell, base, the spreads; then, for the
    cells that are positive on balance and for those that are negative, a row, their x and their weight.
    """
    cell, x, up, down, row, base = support_cells(ranks, n_ranks, columns, positive, negative, support, signs)
    above, up_x, up_weight = net_cells(x, up, down)
    below, down_x, down_weight = net_cells(x, down, up)
    # loops, because whole-array expressions cost seconds to compile
    weight, up_row, down_row = np.empty_like(up), np.empty_like(above), np.empty_like(below)
    for c in range(len(up)):
        weight[c] = up[c] + down[c]
    for c in range(len(above)):
        up_row[c] = row[above[c]]
    for c in range(len(below)):
        down_row[c] = row[below[c]]
    spread = spreads(x, weight)
    return cell, x, up, down, base, spread, up_row, up_x, up_weight, down_row, down_x, down_weight

"""One signed support as the kernels read it."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class CellRates(NamedTuple):
    """Limits on wrong rows, cell by cell, and the true weights beside which they are looked at."""

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
    spread: NDArray[np.float64]
    step: int
    slack: int
    judged: int  # 1 where limits exist that only the evaluator knows: what survives is handed over to it
    half: int  # 1 where b stands for b + 1/2, so that no score is 0
    base: int  # loss that no model avoids: the smaller weight of each cell
    fixed: int  # base, shift, what the support and b cost at least, and the features that are not used
    shift: int  # what prices on rates add to every loss
    cost_l1: int
    is_flat: int  # 1 when no cost depends on the value, C1 apart
    extra: Ints  # (k, widest): what each magnitude costs beyond the least; not read when flat
    intercept_extra: Ints
    score_rate: Ints  # (limits on the largest score, k)
    score_most: Ints
    rates: CellRates
    b_least: int  # bounds of b where it is not restricted to a list
    b_most: int
    intercepts: Ints  # allowed b, sorted; empty when b is free
    counts_b: int  # 1 when |b| is part of l1


@njit(cache=True, nogil=True)
def magnitude(data: SupportData, f: int, index: int) -> int:
    """The magnitude of coefficient f at an index."""
    stride = data.stride[f]
    return data.first[f] + stride * index if stride else data.table[f, index]

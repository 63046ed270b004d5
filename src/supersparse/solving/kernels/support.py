"""One signed support as the kernels read it: arrays, nothing compiled."""

from typing import NamedTuple

import numpy as np
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
    magnitude: Ints  # (k, widest) padded
    spread: NDArray[np.float64]
    step: int
    slack: int
    base: int  # loss that no model avoids: the smaller weight of each cell
    fixed: int  # base, shift, what the support and b cost at least, and the features that are not used
    shift: int  # what prices on rates add to every loss
    cost_l1: int
    is_flat: int  # 1 when no cost depends on the value, C1 apart
    extra: Ints  # (k, widest): what each magnitude costs beyond the least
    intercept_extra: Ints
    score_rate: Ints  # (limits on the largest score, k)
    score_most: Ints
    rates: CellRates
    b_least: int  # bounds of b where it is not restricted to a list
    b_most: int
    intercepts: Ints  # allowed b, sorted; empty when b is free
    counts_b: int  # 1 when |b| is part of l1

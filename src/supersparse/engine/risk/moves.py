"""The kernels that find good cards and narrow the values of columns, declared; `native/log_loss` has their code."""

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.core import kernel
from supersparse.engine.risk.data import Best, RiskData, Support, SwapRecord


@kernel
def extend(
    data: RiskData, support: Support, members: Ints, points: Floats, n_members: int, size: int, allowed: Ints,
    tries: int, least: float, new_members: Ints, new_points: Floats, losses: Floats,
) -> int:  # fmt: skip
    """Add one column to each support of a beam; the best, sorted by loss, replace new_members.

    Supports are sorted lists of columns. Those where a column would have less than `least` of the fewest
    points it can have come last. Returns how many there are.
    """


@kernel
def round_support(
    data: RiskData, support: Support, best: Best, low: Ints, high: Ints, columns: Ints, k: int, point: Floats,
    near: float, keeps: bool,
) -> None:  # fmt: skip
    """Round the regression point = (b, beta) on k columns at several slopes, and polish the best.

    Only what comes within `near` of the best card is polished; a negative `near` offers the rounding itself.
    Where there is room for cards, cards are listed, and `keeps` says whether the best changes all the same.
    """


def improve(
    data: RiskData, support: Support, best: Best, settled: SwapRecord, low: Ints, high: Ints, most: int,
    index: Ints, few: int, tries: int,
) -> float:  # fmt: skip
    """Improve a card as far as asked, and return its loss and penalty.

    It is calibrated; then, with `few` of the best changes tried each time, points change and features are
    added until that does not help; then, with `tries`, features are swapped and all points chosen again, and
    the best card receives it if it is better. Where swaps have started from before, it ends.
    """
    value = np.empty(1)
    _improve(data, support, best, settled, low, high, most, index, few, tries, value)
    return float(value[0])


@kernel
def _improve(
    data: RiskData, support: Support, best: Best, settled: SwapRecord, low: Ints, high: Ints, most: int,
    index: Ints, few: int, tries: int, value: Floats,
) -> None: ...  # fmt: skip


@kernel
def tighten(
    values: Floats, zero: Ints, scale: Floats, columns: Ints, optional: Ints, cost: Floats, dual: Floats,
    room: int, threshold: float, low: Ints, high: Ints,
) -> bool:  # fmt: skip
    """Cut off the values whose use alone makes the bound of a box or node pass, for slope 1.

    `low` and `high` are the ranges of these columns; that of an open column without any value left is its 0.
    True if nothing is left.
    """

"""The arrays of a risk problem and the room that its kernels write to, as the compiled core has them.

`native/log_loss/loss.hpp` has a struct of the same fields for each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints, Words

BLOCK = 256  # rows that are summed up by themselves

BOXES, SUPPORTS, CELL_PRUNED, FITTED, RELAXED, WORK = 0, 1, 2, 3, 4, 5
DEPTH, SIZE, ROWS, FOUND, LOADED = 0, 1, 2, 3, 4
LEVEL, STARTED = 0, 1


class RiskData(NamedTuple):
    """A risk problem in the solver's columns: x = (raw - shift) / scale, so beta = slope·points·scale."""

    x: Floats  # (columns, rows)
    positive: Floats
    negative: Floats
    ranks: NDArray[np.int32]  # of the values of each column
    distinct: Ints
    scale: Floats
    offset: Floats  # differs from the shift by a whole number, for all points
    values: Floats  # (columns, most values), sorted; padded with the last
    zero: Ints  # the index of 0
    penalty: Floats  # of each value, less that of 0
    tables: Floats  # (limits, columns, values): terms of each limit, less that of 0
    most: Floats  # (limits,)
    cap: Floats  # slope·|points| is at most this; infinite for a fixed slope
    reach: Floats  # |beta| is at most this
    limits: Floats  # (B, relative error, fixed error), see `value_of_bound`; (of a card, its slope, its logits)
    rates: Floats  # (limits, 2, rows): weight of the rows that are wrong if predicted negative, positive
    rate_most: Floats  # (limits, 2): what these may add up to, and a weight that all rows may have
    threshold: float  # the log odds above which the positive class is predicted
    pull: float  # what the search counts for breaking a limit on rates by its whole weight
    slope_is_free: int
    strict: int
    tolerance: float


class Best(NamedTuple):
    """The best card so far."""

    value: Floats  # (1,): loss and penalty
    index: Ints  # type: ignore[assignment]  # (columns,)
    fit: Floats  # (2,): slope and intercept on the solver's columns


class SwapRecord(NamedTuple):
    """Cards that swaps of features have started from: from there, they would lead to the same card again."""

    index: Ints  # type: ignore[assignment]  # (room, columns): the last of them
    count: Ints  # type: ignore[assignment]  # (1,): of all


class Support(NamedTuple):
    """The support at hand, its rows merged."""

    state: Ints  # (5,): depth of the stack, columns, merged rows, cards listed, whether `load` has set it
    columns: Ints
    order: Ints  # 0, 1, 2, ...: its columns as `x` has them
    x: Floats
    positive: Floats
    negative: Floats
    work: Floats  # (8, rows)
    ids: NDArray[np.int32]
    counts: Ints  # (6,)
    floor: Floats  # (1,): the least bound of a card that could not be pruned
    found: Ints  # (room, 1 + 2·columns): cards listed, as number, columns, indices; no room: nothing is listed
    found_bound: Floats  # (room,): loss and penalty of each are at least this


class Boxes(NamedTuple):
    """The boxes of the support at hand that are still open, the next one last."""

    low: Ints  # (stack, columns)
    high: Ints
    points: Floats  # (stack, 2 + columns): where to start
    quadratic: Ints  # (stack,): which of the quadratics holds for the box; -1 if none does
    quadratics: Floats  # (most, 4, columns + 2, columns + 4): see `quadratic_below`


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


class Cells(NamedTuple):
    """The cells after each level of the enumeration."""

    ids: NDArray[np.int32]  # (levels, rows)
    groups: Ints  # (levels,): number of cells; -1 if they are too many
    masks: Words  # (levels, cells, words): of the cells with rows of both classes
    positive: Ints  # (levels, cells)
    negative: Ints
    position: Ints  # (levels,): the next candidate at each level
    state: Ints  # (2,)

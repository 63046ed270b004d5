"""The arrays of a risk problem, and the kernels that read and write them.

`native/log_loss/loss.hpp` has a struct of the same fields for each; `native/log_loss` has the code of the kernels. Some
find good cards and narrow the values of columns, the others relax nodes and enumerate what these leave.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints, Words
from supersparse.engine.core import kernel

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
    value: Floats  # (1,): loss and penalty
    index: Ints  # type: ignore[assignment]  # (columns,)
    fit: Floats  # (2,): slope and intercept on the solver's columns


class SwapRecord(NamedTuple):
    """Cards that swaps of features have started from: from there, they would lead to the same card again."""

    index: Ints  # type: ignore[assignment]  # (room, columns): the last of them
    count: Ints  # type: ignore[assignment]  # (1,): of all


class Support(NamedTuple):
    """The support at hand, its rows merged."""

    state: Annotated[Ints, 5]  # depth of the stack, columns, merged rows, cards listed, whether `load` has set it
    columns: Annotated[Ints, "columns"]
    order: Ints  # 0, 1, 2, ...: its columns as `x` has them
    x: Annotated[Floats, "columns", "rows"]
    positive: Annotated[Floats, "rows"]
    negative: Annotated[Floats, "rows"]
    work: Annotated[Floats, 8, "rows"]
    ids: Annotated[NDArray[np.int32], "rows"]
    counts: Annotated[Ints, 6]
    floor: Floats  # (1,): the least bound of a card that could not be pruned
    found: Annotated[Ints, "cards", "numbers"]  # listed, as number, columns, indices; no room: nothing is listed
    found_bound: Annotated[Floats, "cards"]  # loss and penalty of each are at least this


class Boxes(NamedTuple):
    """The boxes of the support at hand that are still open, the next one last."""

    low: Annotated[Ints, "stack", "columns"]
    high: Annotated[Ints, "stack", "columns"]
    points: Annotated[Floats, "stack", "point"]  # where to start
    quadratic: Annotated[Ints, "stack"]  # which of the quadratics holds for the box; -1 if none does
    quadratics: Annotated[Floats, 10, 4, "point", "wide"]  # one inside the other: see `quadratic_below`


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

    ids: Annotated[NDArray[np.int32], "levels", "rows"]  # without bit sets
    groups: Annotated[Ints, "levels"]  # number of cells; -1 if they are too many
    masks: Annotated[Words, "levels", "cells", "words"]  # of the cells with rows of both classes
    positive: Annotated[Ints, "levels", "cells"]
    negative: Annotated[Ints, "levels", "cells"]
    position: Annotated[Ints, "levels"]  # the next candidate at each level
    state: Annotated[Ints, 2]


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


@kernel
def improve(
    data: RiskData, support: Support, best: Best, settled: SwapRecord, low: Ints, high: Ints, most: int,
    index: Ints, few: int, tries: int,
) -> float:  # fmt: skip
    """Improve a card as far as asked, and return its loss and penalty.

    It is calibrated; then, with `few` of the best changes tried each time, points change and features are
    added until that does not help; then, with `tries`, features are swapped and all points chosen again, and
    the best card receives it if it is better. Where swaps have started from before, it ends.
    """


@kernel
def tighten(
    values: Floats, zero: Ints, scale: Floats, columns: Ints, optional: Ints, cost: Floats, dual: Floats,
    room: int, threshold: float, low: Ints, high: Ints,
) -> bool:  # fmt: skip
    """Cut off the values whose use alone makes the bound of a box or node pass, for slope 1.

    `low` and `high` are the ranges of these columns; that of an open column without any value left is its 0.
    True if nothing is left.
    """


@kernel
def relax(
    data: RiskData, columns: Ints, low: Floats, high: Floats, optional: Ints, cost: Floats, room: int,
    slope_low: float, slope_high: float, threshold: float, haste: float, point: Floats, dual: Floats,
    work: Floats, gram: Floats, bound_and_loss: Floats,
) -> bool:  # fmt: skip
    """Whether the bound of a box's relaxation passes the threshold; `bound_and_loss` receives it and the relaxed loss.

    Where it cannot pass, it ends when a step gains less than `haste` of what the loss is below the threshold.
    point = (a, b, beta...) is the start and receives the end. dual receives the tangent's constant and its
    gradient at the best bound; gram the curvature of the loss near the end, with the intercept first.
    """


@kernel
def relax_open(
    data: RiskData, columns: Ints, low: Floats, high: Floats, optional: Ints, cost: Floats, room: int,
    slope_high: float, threshold: float, point: Floats, dual: Floats, work: Floats, gram: Floats,
    bound_and_loss: Floats,
) -> bool:  # fmt: skip
    """Do the same where low < 0 < high in every column and nothing has a price.

    The largest slope counts in the bound alone: where the point has it, the relaxation itself may be better.
    """


@kernel
def run_completions(
    data: RiskData, support: Support, boxes: Boxes, best: Best, bits: Bits, cells: Cells, used: Ints,
    candidates: Ints, room: int, low: Ints, high: Ints, start: Floats, loss_floor: float, least_cost: Floats,
    budget: int,
) -> bool:  # fmt: skip
    """Go through the completions of `used` by at most `room` candidates; True when all are done.

    Where 0 points are allowed in a support, only completions of full size are tried, since they contain the
    smaller ones. `least_cost` is the least penalty of each column; `loss_floor` bounds the loss of them all.
    """


@kernel
def support_tree(data: RiskData, bits: Bits, most_features: int) -> int:
    """The address of a new proof over supports of binary columns, to be freed; its arrays must live as long."""


@kernel
def free_supports(tree: int) -> None:
    """Free a proof."""


@kernel
def start_supports(
    tree: int, data: RiskData, used: Ints, candidates: Ints, room: int, most_features: int, low: Ints, high: Ints,
    point: Floats,
) -> None:  # fmt: skip
    """Begin with the supports that use these columns and at most `room` of the candidates."""


@kernel
def run_supports(tree: int, support: Support, boxes: Boxes, best: Best, budget: int) -> bool:
    """Go through the supports; True when all are done."""


@kernel
def find_cards(
    tree: int, data: RiskData, support: Support, best: Best, low: Ints, high: Ints, budget: int
) -> bool:  # fmt: skip
    """Look for good cards before the proof, within a budget of work; False once that is enough."""


@kernel
def supports_left(tree: int) -> int:
    """The largest number of nodes that `list_supports` can have."""


@kernel
def list_supports(tree: int, status: NDArray[np.int8], bounds: Floats) -> int:
    """The open nodes, except for boxes of the support at hand: statuses, and bounds on the loss."""

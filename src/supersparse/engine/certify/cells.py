"""The cells of a support, and boxes of its points closed by compiled code, see ``native/errors/box_proofs.hpp``."""

from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.certify.derivation import CoverTable, Facts, PlaceBounds
from supersparse.engine.core import kernel

FRAME = 8  # numbers that a box under way needs, besides its bounds


class Cells(NamedTuple):
    """The cells of a support with weight left, positive ones and negative ones, and the rows behind them."""

    up_x: Ints  # (cells, dimensions)
    down_x: Ints
    up_weight: Ints
    down_weight: Ints
    up_start: Ints  # where the rows of each cell begin in `up_row`
    up_row: Ints
    down_start: Ints
    down_row: Ints
    left: Ints  # of each row's weight, after the pairs below
    pairs: Ints  # (pairs, 2): rows of both classes in one cell
    pair_u: Ints
    base: int  # Σ pair_u


class SupportTask(NamedTuple):
    """One support to prove: its cells, its points, and what every model on it pays."""

    cells: Cells
    variables: Ints  # of the points
    spread: Floats  # how far a unit of each moves the totals
    allowed: Flags
    cost: Ints  # the least cost of each literal
    fixed: int  # what every model on the support pays for its literals
    gap: int  # between the totals of a positive and a negative row, both right
    alone: bool  # whether a row can be wrong by itself


def cells_of(cell: Ints, x: Ints, sign: Ints, weight: Ints, is_free: bool) -> Cells:
    """Merge rows into cells; `x` holds the dimensions of the support for every row.

    With a free threshold, the two classes of a cell are paired off. Otherwise both may be wrong, at a score
    of 0, so nothing is paired off before the box is known.
    """
    n, k = x.shape
    shapes = [(n, k)] * 2 + [(n,)] * 2 + [(n + 1,), (n,)] * 2 + [(n,), (n, 2), (n,)]
    room = Cells._make([*(np.empty(shape, np.int64) for shape in shapes), 0])
    counts = np.empty(6, np.int64)
    _cells_of(cell, x, sign, weight, is_free, room, counts)
    up, up_rows, down, down_rows, pairs, base = counts.tolist()
    ends = (up, down, up, down, up + 1, up_rows, down + 1, down_rows, n, pairs, pairs)
    return Cells._make([*(array[:end].copy() for array, end in zip(room[:-1], ends, strict=True)), base])


@kernel
def _cells_of(cell: Ints, x: Ints, sign: Ints, weight: Ints, is_free: bool, room: Cells, counts: Ints) -> None: ...


def in_rows(cells: Cells, found: Ints, u: Ints) -> tuple[Ints, Ints]:
    """Turn multipliers of cells (positive, negative, positive, negative) into multipliers of rows."""
    room = len(cells.pairs) + 4 * len(found) + len(cells.up_row) + len(cells.down_row)
    members, of_rows = np.empty((room, 4), np.int64), np.empty(room, np.int64)
    n = _in_rows(cells, found, u, members, of_rows)
    return members[:n], of_rows[:n]


@kernel
def _in_rows(cells: Cells, found: Ints, u: Ints, members: Ints, of_rows: Ints) -> int: ...


@kernel
def middle(a: int, b: int) -> int:
    """The last whole number of the lower part of a range: at the geometric mean where it is long."""


@kernel
def prove_boxes(
    facts: Facts, standing: PlaceBounds, support: SupportTask, single: bool, frames: Ints, depth: Ints,
    kept: CoverTable, text: int, at: Ints, enough_text: int,
) -> int:  # fmt: skip
    """Close the present box, or split it on and on; return CLOSED once the whole box is closed.

    PAUSED asks the caller to take the text and call again; OPEN (with `single`) means that the box must be
    split; BETTER that a better model exists.
    """

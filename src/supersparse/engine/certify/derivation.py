"""The compiled writers of a derivation, see ``native/errors``: bounds from covers, and boxes closed in cells."""

import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.core import kernel

Bytes = NDArray[np.uint8]

POSITION, LINE, COVERS = 0, 1, 2  # of `at`
CLOSED, OPEN, PAUSED, BETTER, WRONG = 0, 1, 2, 3, 4


class Facts(NamedTuple):
    """The integer program as arrays. Variable v is bounded by the rows 2v (below) and 2v + 1 (above)."""

    x: Ints  # (rows, features)
    sign: Ints  # of each row: 1 positive, -1 negative
    row_line: Ints
    row_right: Ints
    first_z: int  # the variable of row 0
    threshold: int  # its variable, or -1
    threshold_rate: int  # its coefficient in a positive row
    M: int
    points: Ints  # the variable of each feature's λ
    literal: Ints  # the variable of each literal (2f: positive, 2f + 1: negative), or -1
    rate: Ints  # c_f of `up` (c_f·p - λ >= 0) and `down` (c_f·n + λ >= 0)
    up: Ints
    down: Ints
    one_sign: Ints  # the row p + n <= 1 of each feature
    size_row: int  # the row that limits the number of literals, or -1
    size_most: int
    sum_row: Ints  # of each literal: the row literal = Σ of its values' binaries, or -1
    value_start: Ints  # where the binaries of each literal begin in `value`
    value: Ints
    objective: Ints
    best: int
    cutoff: int  # the line objective <= best - 1
    leaf_row: Ints  # the row at each leaf of the tree of blocks, -1 for none
    row_leaf: Ints
    block: Ints  # the line Σ cost·z >= 0 over the rows of each block, by heap order; -1 for none


class PlaceBounds(NamedTuple):
    """The state at the current place: bounds as (line, value), and the sign of each feature in use."""

    lower_line: Ints
    lower: Ints
    upper_line: Ints
    upper: Ints
    used: Ints


class Combination(NamedTuple):
    """Covers times multipliers, and what completes them to a bound of the objective."""

    members: Ints  # (covers, 4): the rows of each, -1 where there are fewer
    u: Ints  # the multiplier of each
    allowed: Flags  # by literal
    cost: Ints  # the least cost of each literal
    theta: int  # the multiplier of the size row; -1 chooses the one that leaves no literal a gain
    dropped: Ints  # the reduced cost of each literal to drop; empty for none


class CoverTable(NamedTuple):
    """The covers that hold everywhere and the lines that say so, in a table with open places of -1."""

    key: Ints
    line: Ints


class Text:
    """Bytes that the core holds and enlarges; `handle` is how kernels know them."""

    def __init__(self) -> None:
        self.handle = _new_text()
        weakref.finalize(self, _free_text, self.handle)

    def append(self, content: bytes, at: Ints) -> None:
        _append_text(self.handle, np.frombuffer(content, np.uint8), at)

    def take(self, at: Ints) -> bytes:
        """Return what was written, and forget it."""
        taken = np.empty(int(at[POSITION]), np.uint8)
        _take_text(self.handle, taken, at)
        return taken.tobytes()


@kernel
def _new_text() -> int: ...


@kernel
def _free_text(text: int) -> None: ...


@kernel
def _append_text(text: int, content: Bytes, at: Ints) -> int: ...


@kernel
def _take_text(text: int, to: Bytes, at: Ints) -> int: ...


@kernel
def close_by(
    facts: Facts, standing: PlaceBounds, combination: Combination, kept: CoverTable, text: int, at: Ints
) -> tuple[int, int]:
    """Write covers and what they prove; return (state, bound): WRONG if less than was promised.

    Without literals to drop, the line says objective >= best. Otherwise, with the reduced cost of each, it says
    Σ reduced·literal <= best - 1 - bound: a better model pays no more.
    """


@kernel
def write_dropped(facts: Facts, standing: PlaceBounds, line: int, reduced: Ints, text: int, at: Ints) -> None:
    """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest, each larger than rest."""


@kernel
def move_covers(table: CoverTable, to: CoverTable) -> None:
    """Put the covers of a table into a larger one."""


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


def in_rows(cells: Cells, rows_found: Ints, u: Ints) -> tuple[Ints, Ints]:
    """Turn multipliers of cells (positive, negative, positive, negative) into multipliers of rows."""
    room = len(cells.pairs) + 4 * len(rows_found) + len(cells.up_row) + len(cells.down_row)
    members, of_rows = np.empty((room, 4), np.int64), np.empty(room, np.int64)
    n = _in_rows(cells, rows_found, u, members, of_rows)
    return members[:n], of_rows[:n]


@kernel
def _in_rows(cells: Cells, rows_found: Ints, u: Ints, members: Ints, of_rows: Ints) -> int: ...


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

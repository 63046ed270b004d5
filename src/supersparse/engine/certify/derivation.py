"""The facts and the text of the compiled writer of a derivation: bounds from covers, see ``native/errors``.

`at` says where a text stands: how many bytes are written, the next line's number, and how many covers are kept.
"""

import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints
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


def close_by(
    facts: Facts, standing: PlaceBounds, combination: Combination, kept: CoverTable, text: int, at: Ints
) -> tuple[int, int]:
    """Write covers and what they prove; return (state, bound): WRONG if less than was promised.

    Without literals to drop, the line says objective >= best. Otherwise, with the reduced cost of each, it says
    Σ reduced·literal <= best - 1 - bound: a better model pays no more.
    """
    bound = np.empty(1, np.int64)
    state = _close_by(facts, standing, combination, kept, text, at, bound)
    return state, int(bound[0])


@kernel
def _close_by(
    facts: Facts, standing: PlaceBounds, combination: Combination, kept: CoverTable, text: int, at: Ints, bound: Ints
) -> int: ...


@kernel
def write_dropped(facts: Facts, standing: PlaceBounds, line: int, reduced: Ints, text: int, at: Ints) -> None:
    """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest, each larger than rest."""


@kernel
def move_covers(table: CoverTable, to: CoverTable) -> None:
    """Put the covers of a table into a larger one."""

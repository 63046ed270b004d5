"""A derivation as compiled code writes it: what it knows of the program, and lines as text in bytes.

`at` says where it writes: how many bytes are written, the next line's number, and how many covers are kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.memory import by_reference


@by_reference
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


@by_reference
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


@by_reference
class CoverTable(NamedTuple):
    """The covers that hold everywhere and the lines that say so, in a table with open places of -1."""

    key: Ints
    line: Ints


Bytes = NDArray[np.uint8]

POSITION, LINE, COVERS = 0, 1, 2  # of `at`
LONGEST_TERM = 64  # bytes: a line's number and a ratio
_SPACE, _SLASH, _MINUS, _ZERO = 32, 47, 45, 48
_LONG_LINE = 400
_TEN = np.uint64(10)


@kernel()
def with_room(text: Bytes, position: int, wanted: int) -> Bytes:
    """The text, moved to a longer array if the next bytes may not fit."""
    if position + wanted <= len(text):
        return text
    longer = np.empty(2 * (position + wanted), np.uint8)
    for t in range(position):
        longer[t] = text[t]
    return longer


@kernel()
def put_whole(text: Bytes, position: int, number: int) -> int:
    """Write a space and a whole number; return the position after it."""
    text[position] = _SPACE
    position += 1
    return put_digits(text, position, number)


@kernel()
def put_digits(text: Bytes, position: int, number: int) -> int:
    """Write a whole number; return the position after it."""
    if number < 0:
        text[position] = _MINUS
        position += 1
        number = -number
    rest, end = np.uint64(number), position + 1  # unsigned: dividing is quicker
    while rest >= _TEN:
        rest //= _TEN
        end += 1
    rest, at = np.uint64(number), end
    while at > position:
        at -= 1
        shorter = rest // _TEN
        text[at] = _ZERO + np.uint8(rest - _TEN * shorter)
        rest = shorter
    return end


@kernel()
def put_term(text: Bytes, position: int, line: int, top: int, bottom: int) -> int:
    """Write a line's number and its multiplier in lowest terms; return the position after it."""
    if bottom == 1:
        return put_whole(text, put_whole(text, position, line), top)
    a, b = abs(top), bottom
    while b:
        a, b = b, a % b
    position = put_whole(text, position, line)
    position = put_whole(text, position, top // a)
    if bottom != a:
        text[position] = _SLASH
        position = put_digits(text, position + 1, bottom // a)
    return position


@kernel()
def put_word(text: Bytes, position: int, word: Bytes) -> int:
    """Write some bytes; return the position after them."""
    for letter in word:
        text[position] = letter
        position += 1
    return position


@kernel()
def put_start(text: Bytes, position: int, line: int, is_most: bool, right: int) -> int:
    """Write the name, the sense (L for "at most", else G) and the right side of a line."""
    text[position] = 100  # d
    position = put_digits(text, position + 1, line)
    text[position], text[position + 1] = _SPACE, 76 if is_most else 71
    return put_whole(text, position + 2, right)


@kernel()
def put_end(text: Bytes, position: int, last_use: int) -> int:
    """Write the end of a line."""
    text[position], text[position + 1] = _SPACE, 125  # }
    position = put_whole(text, position + 2, last_use)
    text[position] = 10
    return position + 1


@kernel()
def assume(text: Bytes, at: Ints, is_most: bool, right: int, variable: int) -> Bytes:
    """Write one side of a branching on a variable."""
    text = with_room(text, at[POSITION], _LONG_LINE)
    position = put_start(text, at[POSITION], at[LINE], is_most, right)
    position = put_whole(text, put_whole(text, put_whole(text, position, 1), variable), 1)
    position = put_word(text, position, b" { asm")
    at[POSITION] = put_end(text, position, -1)
    at[LINE] += 1
    return text


@kernel()
def close_branching(
    text: Bytes, at: Ints, best: int, first: int, first_assumed: int, second: int, second_assumed: int
) -> Bytes:
    """Conclude objective >= best from both sides of a branching."""
    text = with_room(text, at[POSITION], _LONG_LINE)
    position = put_start(text, at[POSITION], at[LINE], False, best)
    position = put_word(text, position, b" OBJ { uns")
    position = put_whole(text, put_whole(text, position, first), first_assumed)
    position = put_whole(text, put_whole(text, position, second), second_assumed)
    at[POSITION] = put_end(text, position, -1)
    at[LINE] += 1
    return text

"""What compiled proofs know: the integer program, the bounds at the present place, the covers of a line."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.references import by_reference

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


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
class Standing(NamedTuple):
    """What holds at the present place: bounds as (line, value), and the sign of each feature in use."""

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
class Kept(NamedTuple):
    """The covers that hold everywhere and the lines that say so, in a table with open places of -1."""

    key: Ints
    line: Ints

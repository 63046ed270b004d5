"""The flat arrays that a slice of the tree over supports reads and writes: `native/errors/tree_data.hpp`.

`TreeData` is one case of the intercept and never changes. `SliceState` belongs to one thread: a stack of open
parts, nodes and supports mixed, the open boxes of the support on top, and what is known of the literals that
the part on top begins with.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints, Words
from supersparse.engine.core import kernel


class Pairs(NamedTuple):
    """The pool of opposite pairs; the literals of pair q are ``literal[start[q] : start[q + 1]]``."""

    positive: NDArray[np.int32]
    negative: NDArray[np.int32]
    start: Ints
    literal: NDArray[np.int32]
    mask: Words  # (pairs, words): the same literals, 64 to a word
    positive_weight: Ints  # of the points
    negative_weight: Ints


class Branching(NamedTuple):
    """The data of the tree's nodes other than pairs; see `exact/instance.py` and `exact/literals.py`."""

    literal_penalty: Ints
    fixed_cost: int  # of the root
    max_features: int
    forced: Ints  # features that every model has
    twin_of: Ints
    after: Ints  # over literals
    limit_weight: Ints  # (limits, literals)
    limit_most: Ints
    limit_side: Ints  # (limits on signs, literals)


class Rows(NamedTuple):
    ranks: NDArray[np.int32]
    n_ranks: Ints
    columns: Ints
    positive: Ints
    negative: Ints
    true_positive: Ints  # before prices on rates
    true_negative: Ints
    rate_positive: Ints  # (limits on rates, rows)
    rate_negative: Ints
    rate_most: Ints


class Coefficients(NamedTuple):
    """Magnitudes, penalties and limits of each literal's coefficient, and the intercept: see `support.py`."""

    counts: Ints
    first: Ints
    stride: Ints
    table: Ints
    is_full: Flags  # whether a literal's magnitudes are 1, 2, ..., n
    doubles: int  # 1 where a vector of full magnitudes can be doubled without changing its cost
    lists: int  # 1 where every vector within the cut is wanted, not only better ones
    empty_penalty: int
    literal_surcharge: Ints
    magnitude_extra: Ints
    score_rate: Ints  # (limits on the largest score, literals)
    score_most: Ints
    step: int
    slack: int
    judged: int
    half: int
    shift: int
    l1_penalty: int
    is_flat: int
    intercept_extra: Ints
    intercept_low: int
    intercept_high: int
    intercepts: Ints
    outer_intercepts: Ints  # (ranges, 2): indices of the b that cannot be doubled
    counts_b: int


class TreeData(NamedTuple):
    """One case of the intercept as the slices read it."""

    pairs: Pairs
    branching: Branching
    rows: Rows
    coefficients: Coefficients


NODE, SUPPORT = 0, 1
"""The kinds of open parts."""
IMPROVING, TIES, PIECE = 1, 2, 3
"""The phases of a support's search. A piece of the first, which has other pieces too, ends without the second."""
KIND, BOUND, THETA, SIZE, PHASE, LITERALS = range(6)
"""The columns of `SliceState.part`; the literals come last."""
TOP, BOX_TOP, WORK, PAIRS_KNOWN, CELLS_KNOWN, NODES, JUDGED, DROPPED = range(8)
"""The entries of `SliceState.number`: open parts, open boxes of the part on top, work done in touched rows,
levels of `pair` and `cell` that hold, nodes with one place left, literals that packings judged there and
dropped."""
PAIR_COUNT, PAIR_PREFIX, CELL_COUNT, CELL_PREFIX = range(4)
"""The rows of `SliceState.level`."""
DONE, PAUSED, FOUND, FULL, OUTDATED, CROWDED = range(6)
"""How boxes and slices end: nothing is open, the work is done, a vector is found, the stack of boxes is too
short; a better model is known, there is no room for the parts of a node."""


class SliceState(NamedTuple):
    """The open parts of a slice and its scratch space.

    Level d of `pair` holds the pairs that the first d literals of the prefix leave uncovered, and level d of
    `cell` the rows merged on the first d features; the last level serves all that are deeper.
    """

    number: Ints
    part: Ints  # (parts, 5 + most literals)
    allowed: Flags  # (parts, literals)
    boxes: Ints  # (flat) of the support on top: low and high of each, one number a literal and one for b
    hit: Ints  # the magnitudes found, as indices, then b
    level: Ints  # (4, levels)
    pair: NDArray[np.int32]  # (levels, pairs)
    cell: NDArray[np.int32]  # (levels, rows)
    name: NDArray[np.int32]  # scratch for numbering cells: -1 between uses
    scratch: Ints  # (3, as long as `name`): names in use, and weights of cells, which are 0 between uses


@kernel
def run_slice(
    data: TreeData, state: SliceState, shared: Ints, tie: int, strict: int, l1: int, until: int, least: int
) -> int:
    """Work on the parts of the state, the last first, until nothing is open or the work reaches `until`.

    `tie`, `strict` and `l1` are the cuts. `shared` is written by others: the cut that holds now, and how many
    threads have nothing to do; once the work has reached `least`, the slice ends early for them. Alone, a
    thread passes a `least` that is not below `until`.
    """


def group_rows(ranks: NDArray[np.int32], n_ranks: Ints, support: Ints) -> tuple[Ints, int]:
    """Number the rows so that rows equal on the support share a number; return (number, count)."""
    cell = np.empty(ranks.shape[1], np.int64)
    return cell, _group_rows(ranks, n_ranks, support, cell)


@kernel
def _group_rows(ranks: NDArray[np.int32], n_ranks: Ints, support: Ints, cell: Ints) -> int: ...

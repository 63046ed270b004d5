"""The arrays of the ratio bound, and its kernel: `native/errors/ratio_boxes.hpp` has the inequality.

The kernel reads the named tuples as structs of the same fields, those of `native/errors/ratio_data.hpp`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import kernel

Keys = NDArray[np.int32]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FINE = 1024
"""Weights and factors are counted in 1/FINE."""
MEMBERS = 12
"""How many points a group has at most."""
MOST_GROUPS = 2048
"""How many groups of more than two points are kept; new ones take the places of the oldest."""
MOST_LISTED = 600
"""How many groups the parts of a box look at."""
MOST_PACKED = 256
"""How many groups a packing looks at."""
BLOCK = 512
"""How many pairs are looked at in one go."""
MOST_TIGHT = 160
"""How many limits may be met with equality."""
LANES = 32
"""Loops run to the next multiple of this."""

TOP, WORK, NEXT, LISTED = range(4)
"""The entries of `BoxStack.number`: open boxes, work in touched rows, groups ever kept, groups listed."""
DONE, PAUSED, FOUND, CROWDED = 0, 1, 2, 5
"""The results of `run_ratio_boxes`: nothing is open, the work is done, a vector is found, the stack is too short."""


class Ratios(NamedTuple):
    """The ratios of coefficients to the base, in order, and what the base may be."""

    value: Floats  # those at and above 0
    exact: Doubles  # the same
    most: int  # the largest magnitude of the base
    limit: Ints  # (2, features): the largest magnitudes of coefficients, with positive and with negative sign
    gap: float  # no pair is right with less; in 32 bits


class PointPairs(NamedTuple):
    """All pairs of a positive and a negative point, the larger groups found, and what the features cost."""

    difference: Floats  # (features, pairs and MOST_GROUPS): d
    member: Ints  # (pairs and MOST_GROUPS, MEMBERS): their points, then -1
    name: Ints  # (MOST_GROUPS): a number for the points of each larger group
    exact: Ints  # (features, points): what they have, the positive ones first
    point: Floats  # the same, above the least of each column
    n_positive: int
    n_pairs: int
    weight: Ints  # of all points, in 1/FINE
    penalty: Ints  # of each feature, in kernel units
    spread: Doubles
    columns: Ints  # (features, rows), to evaluate one vector
    row_positive: Ints
    row_negative: Ints
    step: int
    half: int
    max_size: int
    base_cost: int


class PairList(NamedTuple):
    """The groups that the parts of a box look at, those in the packing, and scratch space for both."""

    pair: Ints  # (MOST_LISTED): where they are kept
    member: Ints  # (MOST_LISTED, MEMBERS)
    difference: Floats  # (features, MOST_LISTED): theirs
    before: Floats  # (MOST_LISTED): their reach without the feature that is split
    reach: Floats  # (MOST_LISTED): and with it
    missing: Floats  # (MOST_LISTED)
    total: Floats  # (MOST_LISTED): what undecided features can give
    cost: Floats  # (MOST_LISTED): the price of what is missing
    key: Keys  # (MOST_LISTED): the bucket
    order: Ints  # (MOST_LISTED): places in this list
    price: Floats  # (2, features): of the literals
    place: Ints  # (MOST_PACKED): those in the packing, in this list
    size: Ints  # (MOST_PACKED): how many points they have
    factor: Ints  # (MOST_PACKED, features): signed, in 1/FINE
    is_open: Ints  # (MOST_PACKED): whether their literals may have something left
    left: Ints  # (points): of each point's weight
    rest: Ints  # (points): the same, after the best packing
    guess: Floats  # (MOST_PACKED): multipliers, in 1/FINE
    gain: Floats  # (MOST_PACKED): 1 less what each costs at the prices
    demand: Floats  # (points): prices
    rate: Floats  # (2, features): prices of the literals
    near: Floats  # (5, points)


class Prices(NamedTuple):
    """The linear program of a box, and where its solution stands; limits of points come before literals'."""

    point: Ints  # (MOST_PACKED, MEMBERS): the points of each group
    part: Floats  # (MOST_PACKED, literals): what each group takes of each literal
    first: Ints  # (points): the last group of each, as group times MEMBERS plus place there; -1 for none
    next: Ints  # (MOST_PACKED, MEMBERS): the group before it of the same point, likewise
    inverse: Floats  # (MOST_TIGHT, MOST_TIGHT): of B, by tight limit and used group
    multiplier: Floats  # (MOST_TIGHT): of the used groups
    gain: Floats  # (MOST_TIGHT): of the slacks of tight limits: minus their prices
    pivot: Floats  # (MOST_TIGHT): a row of it
    taken: Floats  # (MOST_TIGHT, MOST_PACKED): what each group takes of the tight limits
    used: Ints  # (MOST_TIGHT): the groups whose multipliers are not 0
    tight: Ints  # (MOST_TIGHT): the limits met with equality
    at_used: Ints  # (MOST_PACKED): where in `used`, -1 where the multiplier is 0
    at_tight: Ints  # (limits): where in `tight`, -1 where something is left
    left: Floats  # (limits): what is left of each
    price: Floats  # (limits)
    change: Floats  # (limits): by the step
    length: Floats  # (limits): of the step, for each
    fall: Floats  # (MOST_TIGHT): of the used multipliers, by the step
    cost: Floats  # (MOST_PACKED): of groups, at the prices
    worth: Floats  # (MOST_PACKED): what a gain counts, less where a group takes much
    number: Ints  # (2): how many limits there are, and how many are tight


class Separation(NamedTuple):
    """The linear program of points that must all be right, and where its solution stands."""

    part: Doubles  # (features, points): what points have, as a part of the range of the column
    range: Doubles  # (features)
    is_taken: Ints  # (points): those that must be right
    weight: Doubles  # (points): what proves that they cannot all be
    feature: Ints  # (features): those that help
    low: Doubles  # (features): the least of what each of them gives for its range
    high: Doubles  # (features): the most
    basis: Ints  # (features + 2): points, then features that give, then features that take
    value: Doubles  # (features + 2): of the basis
    cost: Doubles  # (features + 2): of the basis
    inverse: Doubles  # (features + 2, features + 2): of the basis
    dual: Doubles  # (features + 2)
    column: Doubles  # (features + 2): what enters, in terms of the basis
    score: Doubles  # (points)


class BoxStack(NamedTuple):
    """Open boxes, the last on top, and scratch space; the vector found, if any."""

    number: Ints
    low: Ints  # (boxes, features)
    high: Ints
    load: Ints  # (boxes, 2, features): of the literals, with positive sign and with negative sign
    reach: Floats  # (pairs): of a box
    key: Keys  # (pairs)
    order: Ints  # (pairs)
    block: Floats  # (3, BLOCK)
    listed: PairList
    prices: Prices
    separation: Separation
    member: Ints  # (MEMBERS): of a group that may join
    least: Floats  # (features): a box at prices
    most: Floats
    vector: Ints


@kernel
def run_ratio_boxes(pairs: PointPairs, ratios: Ratios, stack: BoxStack, cut: int, until: int) -> int:
    """Work on the open boxes, the last first, until nothing is open or the work reaches `until`.

    A vector that costs at most `cut` is written to `vector`, and the result is FOUND.
    """

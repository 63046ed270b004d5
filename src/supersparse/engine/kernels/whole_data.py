"""What boxes of all coefficients read and write, as flat arrays; `kernels/whole_boxes.py` says how."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.references import by_reference

Ints = NDArray[np.int64]
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
FIRST_LISTED = 400
"""How many of them are chosen at once; the others are found in the parts."""
MOST_PACKED = 256
"""How many groups a packing looks at; a multiple of 4."""
FIRST_PACKED = 192
"""How many of them are listed ones; the others are found in the box."""
BLOCK = 512
"""How many pairs are looked at in one go, so that what they need stays near."""
SORTED = 2000
"""About how many of all pairs are sorted, those that cost least."""
LISTED_PER_POINT = 30
"""How many of one point the parts of a box look at."""
MOST_TIGHT = 160
"""How many limits may be met with equality."""
LANES = 32
"""Loops run to the next multiple of this, so that none is left for single numbers."""
LEAST_PRICE = 0.3
"""Of a literal without load; one with all it can bear costs 1."""

TOP, WORK, NEXT, LISTED = range(4)
"""The entries of `BoxStack.number`: open boxes, work in touched rows, groups ever kept, groups listed."""


@by_reference
class Ratios(NamedTuple):
    """The ratios of coefficients to the base, in order, and what the base may be."""

    value: Floats  # those at and above 0
    exact: Doubles  # the same
    most: int  # the largest magnitude of the base
    limit: Ints  # (2, features): the largest magnitudes of coefficients, with positive and with negative sign
    gap: np.float32  # no pair is right with less


class BoxPart(NamedTuple):
    """A part of a box: the ends of its ratios, and which features are in, and which undecided."""

    gap: np.float32  # no pair is right with less
    split: int  # the feature whose range it has a part of
    low: Floats  # (features)
    high: Floats  # (features)
    used: Ints  # (features): 1 where they are in
    undecided: Ints  # their numbers


@by_reference
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


@by_reference
class Listed(NamedTuple):
    """The groups that the parts of a box look at, those in the packing, and scratch space for both."""

    pair: Ints  # (MOST_LISTED): where they are kept
    member: Ints  # (MOST_LISTED, MEMBERS)
    difference: Floats  # (features, MOST_LISTED): theirs
    before: Floats  # (MOST_LISTED): their reach without the feature that is split
    reach: Floats  # (MOST_LISTED): and with it
    short: Floats  # (MOST_LISTED): what is missing
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


@by_reference
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


@by_reference
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


@by_reference
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
    listed: Listed
    prices: Prices
    separation: Separation
    member: Ints  # (MEMBERS): of a group that may join
    least: Floats  # (features): a box at prices
    most: Floats
    vector: Ints

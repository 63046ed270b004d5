"""Pairs and groups of opposite points in a box of all coefficients: what they demand, and which to look at.

Coefficients are seen as ratios to one of them (`kernels/ratio_boxes.py`). With d = x_i - x_j for a positive
point i and a negative point j, both can be right only if the ratios r have Σ_f r_f·d_f >= gap. Let

    reach = Σ_{f in} max(low_f·d_f, high_f·d_f)    and    c_f = max(low_f·d_f, high_f·d_f) >= 0, f undecided.

Where reach < gap, the undecided features must make up for the shortfall, and each can give c_f at most, with
the sign of d_f alone. So with z for "wrong" and α for "literal used" the pair demands

    z_i + z_j + Σ_f min(1, c_f / (gap - reach))·α_f >= 1 ,

and z_i + z_j >= 1 where Σ c_f is too small as well. This is a pair cover that knows how large coefficients
are: `exact/covers.py` has those that do not, and `kernels/ratio_prices.py` makes a bound of these. The pairs
of which most is to be hoped have the least sum of factors, each at the price of its literal: what is in
demand in a box will be in demand in its parts.

A pair is the smallest group. If all points of a larger one are right, any weighted mean of its positive
points lies above any of its negative points by the gap, so that with d for the difference of two such means
it demands the same, with z of all its points (`kernels/ratio_groups.py`).

Sums are in 32-bit floating point and in one order, so that every machine sees the same. A product r·d is off
by at most three parts in 2^24, and each sum on the way by one; `gap` is smaller than the true one by more
than all of this together (`exact/ratios.least_gap`), and factors are rounded up by more than c_f is off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.memory import by_reference

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
class PairList(NamedTuple):
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
    listed: PairList
    prices: Prices
    separation: Separation
    member: Ints  # (MEMBERS): of a group that may join
    least: Floats  # (features): a box at prices
    most: Floats
    vector: Ints


_PER_POINT = 20  # groups of one point that a packing looks at
_BUCKETS = 128
_PER_FACTOR = 8.0  # buckets for a sum of factors of 1


@reader()
def copy_to(numbers: Ints, to: Ints) -> None:
    """Copy an array into another; an assignment would take longer to compile."""
    for t in range(len(numbers)):
        to[t] = numbers[t]


@reader(fastmath={"nnan", "nsz"})
def add_larger(d: Floats, low: float, high: float, reach: Floats) -> None:
    """Add the larger of low·d and high·d; a function of its own, or it is not compiled for many at once."""
    for q in range(len(reach)):
        reach[q] += max(low * d[q], high * d[q])


@reader(fastmath={"nnan", "nsz"})
def add_given(
    d: Floats, low: float, high: float, up: float, down: float, short: Floats, total: Floats, cost: Floats
) -> None:
    """Add what an undecided feature can give to each pair, and the price of as much of that as it needs."""
    for q in range(len(short)):
        a, b = low * d[q], high * d[q]
        total[q] += max(a, b)
        cost[q] += max(down * min(short[q], a), up * min(short[q], b))


@reader()
def begin_groups(gap: float, reach: Floats, short: Floats, total: Floats, cost: Floats) -> None:
    """By how much each pair falls short, and sums that are empty."""
    for q in range(len(reach)):
        short[q] = gap - reach[q]
        total[q] = cost[q] = np.float32(0.0)


@reader(error_model="numpy", fastmath={"nnan", "nsz"})
def write_keys(short: Floats, total: Floats, cost: Floats, key: Keys) -> None:
    """Write the bucket of each pair: 0 where nothing helps, the last where nothing is missing."""
    last = np.float32(_BUCKETS - 1)
    for q in range(len(key)):
        k = np.float32(1.0) + min(last - np.float32(2.0), np.float32(_PER_FACTOR) * cost[q] / short[q])
        k = np.float32(0.0) if total[q] < short[q] else k
        key[q] = np.int32(last if short[q] <= np.float32(0.0) else k)


@inner()
def sorted_by_key(key: Keys, order: Ints, most: int) -> int:
    """Order the pairs that fall short by their keys, at least about this many; return their number."""
    place = np.zeros(_BUCKETS + 1, np.int64)
    for q in range(len(key)):
        place[key[q] + 1] += 1
    for b in range(_BUCKETS):
        place[b + 1] += place[b]
    last = 0
    while last < _BUCKETS - 2 and place[last + 1] < most:
        last += 1
    n = place[last + 1]
    for q in range(len(key)):
        k = key[q]
        if k <= last:
            order[place[k]] = q
            place[k] += 1
    return n


@reader(error_model="numpy")
def write_factors(low: Floats, high: Floats, undecided: Ints, listed: PairList, c: int, kept: int) -> None:
    """Put a listed group into the packing, with its factors."""
    size = 0
    while size < MEMBERS and listed.member[c, size] >= 0:
        size += 1
    listed.place[kept], listed.size[kept] = c, size
    rate = FINE / np.float64(listed.short[c]) if listed.key[c] > 0 else 0.0
    for t in range(len(undecided)):
        f = undecided[t]
        d = listed.difference[f, c]
        gift = np.float64(max(low[f] * d, high[f] * d)) * rate
        factor = np.int64(0)
        if gift > 0:
            factor = np.int64(min(float(FINE), gift + 1.001))  # at least the true one, rounded up
        listed.factor[kept, t] = factor if d > 0 else -factor


@reader()
def has_room(member: Ints, left: Ints) -> bool:
    """Whether all points of a group may be taken once more; takes them."""
    size = 0
    while size < MEMBERS and member[size] >= 0:
        if left[member[size]] == 0:
            return False
        size += 1
    for k in range(size):
        left[member[k]] -= 1
    return True


@reader()
def choose_groups(low: Floats, high: Floats, undecided: Ints, listed: PairList, n: int) -> int:
    """Put the first pairs into the packing, not too many of one point; return how many."""
    left, kept = listed.left, 0
    for i in range(len(left)):
        left[i] = _PER_POINT
    for z in range(n):
        c = listed.order[z]
        if has_room(listed.member[c], left):
            write_factors(low, high, undecided, listed, c, kept)
            kept += 1
            if kept == FIRST_PACKED:
                break
    return kept

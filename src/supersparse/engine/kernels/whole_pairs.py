"""Pairs and groups of opposite points in a box of all coefficients: what they demand, and which to look at.

Coefficients are seen as ratios to one of them (`kernels/whole_boxes.py`). With d = x_i - x_j for a positive
point i and a negative point j, both can be right only if the ratios r have Σ_f r_f·d_f >= gap. Let

    reach = Σ_{f in} max(low_f·d_f, high_f·d_f)    and    c_f = max(low_f·d_f, high_f·d_f) >= 0, f undecided.

Where reach < gap, the undecided features must make up for the shortfall, and each can give c_f at most, with
the sign of d_f alone. So with z for "wrong" and α for "literal used" the pair demands

    z_i + z_j + Σ_f min(1, c_f / (gap - reach))·α_f >= 1 ,

and z_i + z_j >= 1 where Σ c_f is too small as well. This is a pair cover that knows how large coefficients
are: `exact/covers.py` has those that do not, and `kernels/whole_packing.py` makes a bound of these. The pairs
of which most is to be hoped have the least sum of factors, each at the price of its literal: what is in
demand in a box will be in demand in its parts.

A pair is the smallest group. If all points of a larger one are right, any weighted mean of its positive
points lies above any of its negative points by the gap, so that with d for the difference of two such means
it demands the same, with z of all its points (`kernels/whole_groups.py`).

Sums are in 32-bit floating point and in one order, so that every machine sees the same. A product r·d is off
by at most three parts in 2^24, and each sum on the way by one; `gap` is smaller than the true one by more
than all of this together (`exact/whole_boxes.least_gap`), and factors are rounded up by more than c_f is off.
"""

import numpy as np

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.whole_data import (
    FINE,
    FIRST_PACKED,
    MEMBERS,
    Floats,
    Ints,
    Keys,
    Listed,
)

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
    """Order the pairs that fall short by their keys, about so many and the first of them; return how many."""
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
def write_factors(low: Floats, high: Floats, undecided: Ints, listed: Listed, c: int, kept: int) -> None:
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
def choose_groups(low: Floats, high: Floats, undecided: Ints, listed: Listed, n: int) -> int:
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

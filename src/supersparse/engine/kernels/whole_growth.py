"""New groups of points for the packing of a box, at the prices of its multipliers.

There are too many groups to look at all. Some grow out of those in the packing, by the one point that makes
them cheapest. Others come from a linear program (`kernels/whole_separation.py`). With the prices z of points
and α of literals, a group costs less than 1 if its points cost nothing and

    Σ_{f in} max(low_f·d_f, high_f·d_f)  +  Σ_{f undecided} α_f·max(low_f·d_f, high_f·d_f)  <  gap ,

so it consists of points that cannot all be right in a box in which each undecided feature has only its part α
of the range. At the end undecided features have all of it: such points demand that one of them be wrong,
whatever features are used, and what a packing leaves of their weights is added to it.
"""

import numpy as np

from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.whole_data import (
    FINE,
    LISTED,
    MEMBERS,
    MOST_LISTED,
    MOST_PACKED,
    WORK,
    BoxPart,
    BoxStack,
    Doubles,
    Ints,
    PointPairs,
)
from supersparse.engine.kernels.whole_groups import best_addition, keep_group, list_group
from supersparse.engine.kernels.whole_pairs import copy_to, write_factors
from supersparse.engine.kernels.whole_separation import separate

_HARDLY_DEARER = -0.03  # groups grow that gain at least so much: those with multipliers gain 0
_CHEAPER = np.float32(0.9)  # what a new group costs at most; all others cost 1 or more
_MOST_GROWN = 6  # points of a group that grew; more gain little
_FREE = np.float32(0.02)  # what a point may cost that a linear program looks at
_AT_ONCE = 6  # groups from linear programs, without a point in common


@reader()
def write_equal_weights(member: Ints, n_positive: int, weight: Doubles) -> None:
    """Write the weights of the points of a group that make plain means."""
    up, size = 0, 0
    while size < MEMBERS and member[size] >= 0:
        up += member[size] < n_positive
        size += 1
    for k in range(size):
        weight[member[k]] = 1.0 / up if member[k] < n_positive else 1.0 / (size - up)


@reader()
def join(pairs: PointPairs, stack: BoxStack, part: BoxPart, kept: int) -> int:
    """Put the group of `member` into the packing, if it is new; return how many there are."""
    member, n_negative = stack.member, len(pairs.weight) - pairs.n_positive
    if member[2] < 0:
        q = member[0] * n_negative + member[1] - pairs.n_positive
    else:
        q = keep_group(pairs, stack.number, member, stack.separation.weight)
    if q < 0:
        return kept
    c = list_group(pairs, stack, q, part)
    if stack.listed.short[c] <= 0:
        return kept
    write_factors(part.low, part.high, part.undecided, stack.listed, c, kept)
    return kept + 1


@reader()
def grow(pairs: PointPairs, stack: BoxStack, part: BoxPart, kept: int) -> int:
    """Let groups of the packing grow by one point where they then cost less; return how many there are."""
    listed, number, member, before = stack.listed, stack.number, stack.member, kept
    for s in range(before):
        if kept == MOST_PACKED or number[LISTED] == MOST_LISTED:
            break
        if listed.size[s] >= _MOST_GROWN or listed.gain[s] < _HARDLY_DEARER:
            continue
        copy_to(listed.member[listed.place[s]], member)
        price, i = best_addition(pairs, listed, part, member)
        number[WORK] += len(listed.demand) * len(part.low) // 3
        for k in range(listed.size[s]):
            price += listed.demand[member[k]]
        if price > _CHEAPER:
            continue
        member[listed.size[s]] = i
        write_equal_weights(member, pairs.n_positive, stack.separation.weight)
        kept = join(pairs, stack, part, kept)
    return kept


@reader()
def write_members(stack: BoxStack) -> bool:
    """Write the points that have weights, and take them no more; False where they are too many."""
    s, size = stack.separation, 0
    for i in range(len(s.weight)):
        if s.weight[i] > 0.0:
            s.is_taken[i] = 0
            if size < MEMBERS:
                stack.member[size] = i
            size += 1
    for k in range(size, MEMBERS):
        stack.member[k] = -1
    return size <= MEMBERS


@reader()
def add_separated(pairs: PointPairs, stack: BoxStack, part: BoxPart, kept: int) -> int:
    """Put groups into the packing that cannot all be right at the prices; return how many there are."""
    listed, number, s = stack.listed, stack.number, stack.separation
    for i in range(len(s.is_taken)):
        s.is_taken[i] = listed.demand[i] <= _FREE
    for f in range(len(part.low)):
        down = np.float32(1.0) if part.used[f] else listed.rate[1, f] / _CHEAPER
        up = np.float32(1.0) if part.used[f] else listed.rate[0, f] / _CHEAPER
        stack.least[f], stack.most[f] = part.low[f] * down, part.high[f] * up
    for _ in range(_AT_ONCE):
        if kept == MOST_PACKED or number[LISTED] == MOST_LISTED:
            break
        steps = separate(s, pairs.n_positive, stack.least, stack.most, part.gap)
        number[WORK] += abs(steps) * len(s.is_taken) * len(part.low) // 2
        if steps < 0:
            break
        if write_members(stack):
            kept = join(pairs, stack, part, kept)
    return kept


@reader()
def with_separated(pairs: PointPairs, stack: BoxStack, part: BoxPart, sum_of: int, enough: int) -> int:
    """Add to a sum what the packing leaves of points that cannot all be right; stops above `enough`."""
    s, rest = stack.separation, stack.listed.rest
    while sum_of <= enough:
        for i in range(len(rest)):
            s.is_taken[i] = rest[i] > min(enough - sum_of, FINE - 1)
        steps = separate(s, pairs.n_positive, part.low, part.high, part.gap)
        stack.number[WORK] += abs(steps) * len(rest) * len(part.low) // 2
        if steps < 0:
            break
        least = np.int64(2**60)
        for i in range(len(rest)):
            if s.weight[i] > 0.0:
                least = min(least, rest[i])
        for i in range(len(rest)):
            if s.weight[i] > 0.0:
                rest[i] -= least
        sum_of += least
    return sum_of

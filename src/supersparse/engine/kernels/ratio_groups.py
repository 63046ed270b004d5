"""Groups of points in a box of all coefficients: what several rows demand together.

If all points of a group are right, so are their means: that of the positive ones lies above that of the
negative ones by the gap, and d, the difference of the two means, demands what that of a pair does
(`kernels/ratio_pairs.py`). Points may have any weights in their means. One of them must be wrong where d
falls short. The more points, the less the means differ in features that tell nothing, so that these help a
group less than a pair.

There are too many groups to look at all; those that were found are kept for the boxes that follow. Some grow
out of those in the packing, by the one point that makes them cheapest. Others come from a linear program
(`kernels/ratio_separation.py`). With the prices z of points and α of literals, a group costs less than 1 if
its points cost nothing and

    Σ_{f in} max(low_f·d_f, high_f·d_f)  +  Σ_{f undecided} α_f·max(low_f·d_f, high_f·d_f)  <  gap ,

so it consists of points that cannot all be right in a box in which each undecided feature has only its part α
of the range. At the end undecided features have all of it: such points demand that one of them be wrong,
whatever features are used, and what a packing leaves of their weights is added to it.
"""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.ratio_pairs import (
    FINE,
    LISTED,
    MEMBERS,
    MOST_GROUPS,
    MOST_LISTED,
    MOST_PACKED,
    NEXT,
    WORK,
    BoxPart,
    BoxStack,
    Doubles,
    Floats,
    PairList,
    PointPairs,
    add_given,
    add_larger,
    begin_groups,
    copy_to,
    write_factors,
)
from supersparse.engine.kernels.ratio_separation import separate


@reader()
def mean_of(point: Floats, f: int, member: Ints, first: int, end: int) -> float:
    """The mean of a feature over the members from `first` to before `end`, 0 where there are none."""
    total, n = np.float32(0.0), 0
    for k in range(MEMBERS):
        i = member[k]
        if first <= i < end:
            total += point[f, i]
            n += 1
    return total / np.float32(max(1, n))


@reader(error_model="numpy", fastmath={"nnan", "nsz"})
def write_costs(short: Floats, total: Floats, rest: Floats, price: Floats, cost: Floats) -> None:
    """The price of one more point each, and of what is then missing; very much where nothing is."""
    for i in range(len(cost)):
        missing = rest[i] / short[i]
        missing = np.float32(0.0) if total[i] < short[i] else missing
        cost[i] = np.float32(1e30) if short[i] <= np.float32(0.0) else price[i] + missing


@reader(fastmath={"nnan", "nsz"})
def write_moved(point: Floats, part: float, rest: float, d: Floats) -> None:
    """The difference of means with each point in turn as one more member."""
    for i in range(len(d)):
        d[i] = part * point[i] + rest


@reader()
def best_addition(pairs: PointPairs, listed: PairList, part: BoxPart, member: Ints) -> tuple[float, int]:
    """The point that makes a group cheapest, and the cost of the group, added to its present points."""
    best, least = -1, np.float32(1e30)
    n_up, n, low, high = pairs.n_positive, pairs.point.shape[1], part.low, part.high
    for side in range(2):
        first, end = (0, n_up) if side == 0 else (n_up, n)
        d, reach = listed.near[0, first:end], listed.near[1, first:end]
        short, total = listed.near[2, first:end], listed.near[3, first:end]
        rest = listed.near[4, first:end]
        size = 0
        for k in range(MEMBERS):
            size += first <= member[k] < end
        for i in range(len(reach)):
            reach[i] = np.float32(0.0)
        own_part = np.float32(1 if side == 0 else -1) / np.float32(size + 1)
        for used in range(2):
            if used == 1:
                begin_groups(part.gap, reach, short, total, rest)
            for f in range(len(low)):
                if low[f] == high[f] == np.float32(0.0) or (part.used[f] == 1) == (used == 1):
                    continue
                up = mean_of(pairs.point, f, member, 0, n_up)
                down = mean_of(pairs.point, f, member, n_up, n)
                own, other = (up, -down) if side == 0 else (-down, up)
                stays = own * (np.float32(size) / np.float32(size + 1)) + other
                write_moved(pairs.point[f, first:end], own_part, stays, d)
                if used == 0:
                    add_larger(d, low[f], high[f], reach)
                else:
                    add_given(d, low[f], high[f], listed.rate[0, f], listed.rate[1, f], short, total, rest)
        write_costs(short, total, rest, listed.demand[first:end], d)
        for k in range(MEMBERS):
            if first <= member[k] < end:
                d[member[k] - first] = np.float32(1e30)
        for i in range(len(d)):
            if d[i] < least:
                best, least = first + i, d[i]
    return least, best


@reader()
def name_of(member: Ints) -> int:
    """A number for a set of points, whatever their order."""
    name = np.int64(0)
    for k in range(MEMBERS):
        if member[k] >= 0:
            x = (np.int64(member[k]) + 1) * np.int64(-7046029254386353131)
            name += x ^ (x >> 29)
    return name


@reader()
def write_difference(pairs: PointPairs, member: Ints, weight: Doubles, to: int) -> None:
    """Write the difference of a group's weighted means, right to one part in 2^24 of the column's range."""
    for f in range(len(pairs.exact)):
        d = 0.0
        for k in range(MEMBERS):
            i = member[k]
            if i < 0:
                break
            above = weight[i] * np.float64(pairs.exact[f, i] - pairs.exact[f, member[0]])
            d += above if i < pairs.n_positive else -above
        pairs.difference[f, to] = np.float32(d)


@reader()
def keep_group(pairs: PointPairs, number: Ints, member: Ints, weight: Doubles) -> int:
    """Keep a group; return its place, or -1 where one of these points is kept already."""
    name = name_of(member)
    for g in range(min(number[NEXT], MOST_GROUPS)):
        if pairs.name[g] == name:
            return -1
    g = number[NEXT] % MOST_GROUPS
    number[NEXT] += 1
    pairs.name[g] = name
    to = pairs.n_pairs + g
    copy_to(member, pairs.member[to])
    write_difference(pairs, member, weight, to)
    return to


@reader()
def list_group(pairs: PointPairs, stack: BoxStack, q: int, part: BoxPart) -> int:
    """List a group that was found in a part of a box, for the parts that follow too; return its place."""
    listed, c = stack.listed, stack.number[LISTED]
    stack.number[LISTED] += 1
    listed.pair[c] = q
    copy_to(pairs.member[q], listed.member[c])
    before, reach, total = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for f in range(len(part.low)):
        d = pairs.difference[f, q]
        listed.difference[f, c] = d
        gift = max(part.low[f] * d, part.high[f] * d)
        if part.used[f]:
            reach += gift
            before += np.float32(0.0) if f == part.split else gift
        else:
            total += gift
    listed.before[c], listed.reach[c], listed.short[c] = before, reach, part.gap - reach
    listed.key[c] = 0 if total < listed.short[c] else 1
    return c


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

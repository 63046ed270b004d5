"""Groups of points in a box of all coefficients: what several rows demand together.

If all points of a group are right, so are their means: that of the positive ones lies above that of the
negative ones by the gap, and d, the difference of the two means, demands what that of a pair does
(`kernels/whole_pairs.py`). Points may have any weights in their means. One of them must be wrong where d
falls short. The more points, the less the means differ in features that tell nothing, so that these help a
group less than a pair.

Which groups to look at is found in `kernels/whole_growth.py`; they are kept for the boxes that follow.
"""

import numpy as np

from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.whole_data import (
    LISTED,
    MEMBERS,
    MOST_GROUPS,
    NEXT,
    BoxPart,
    BoxStack,
    Doubles,
    Floats,
    Ints,
    Listed,
    PointPairs,
)
from supersparse.engine.kernels.whole_pairs import add_given, add_larger, begin_groups, copy_to


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
def best_addition(pairs: PointPairs, listed: Listed, part: BoxPart, member: Ints) -> tuple[float, int]:
    """The point that makes a group cheapest, and what the group then costs beside its present points."""
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

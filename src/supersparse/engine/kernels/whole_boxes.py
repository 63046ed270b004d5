"""Boxes of all coefficients at once; which features are used is decided on the way.

A multiple of a model makes the same errors at the same cost, so only the ratios of its coefficients to one of
them, the base, matter. The base is the one that weighs most: times the spread of its column. A box is a range
of ratios for every feature, each counted by its place among all that whole coefficients can have: 0, and the
fractions on both sides. A feature is *in* where its range leaves out 0, *out* where it is 0 alone, and
*undecided* otherwise. `kernels/whole_bounds.py` bounds a box by groups of points.

Undecided features are split first, into out and in with either sign: narrow ranges are worth less. Where few
are decided, greedy packings of the parts choose between the most loaded ones: many boxes follow.
"""

import numpy as np

from supersparse.engine.kernels.boxes import DONE, FOUND, PAUSED
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.lines import least_over_b, loss_by_b
from supersparse.engine.kernels.whole_bounds import (
    bound_box,
    is_in,
    is_undecided,
    list_groups,
    missing_rows,
    ratio,
    reach_of,
    set_prices,
    sort_groups,
)
from supersparse.engine.kernels.whole_data import (
    LISTED,
    TOP,
    WORK,
    BoxStack,
    Doubles,
    Floats,
    Ints,
    PointPairs,
    Ratios,
)
from supersparse.engine.kernels.whole_pairs import copy_to

CROWDED = 5
"""Beside the results of `run_boxes`: there is no room for the parts of a box."""
_CANDIDATES = 4  # features whose parts are looked at before one of them is split
_PER_ROW = 2.4  # times as many boxes for a wrong row more that is missing


@reader()
def feature_to_split(spread: Doubles, value: Floats, low: Ints, high: Ints, load: Ints) -> int:
    """The undecided feature of most load, else the one with the widest range; -1 for one vector."""
    width, widest, most, loaded = -1.0, -1, np.int64(-1), -1
    for f in range(len(low)):
        if is_undecided(low[f], high[f]):
            if max(load[0, f], load[1, f]) > most:
                most, loaded = max(load[0, f], load[1, f]), f
        elif low[f] < high[f]:
            wide = np.float64(ratio(value, high[f]) - ratio(value, low[f])) * spread[f]
            if wide > width:
                width, widest = wide, f
    return loaded if loaded >= 0 else widest


@reader()
def last_place(value: Floats, most: float, low: int, high: int) -> int:
    """The last place of a range with at most this ratio, but not the last of all."""
    a, b = low, high - 1
    while a < b:
        middle = (a + b + 1) // 2
        if value[middle] <= most:
            a = middle
        else:
            b = middle - 1
    return a


@reader()
def middle_place(value: Floats, low: int, high: int) -> int:
    """Where to split a range of positive ratios: at the geometric mean where it is long, else halfway."""
    near, far = value[low], value[high]
    return last_place(value, np.sqrt(near * far) if far > 2 * near else 0.5 * (near + far), low, high)


@reader()
def ranges_of(value: Floats, low: int, high: int, ranges: Ints) -> int:
    """The parts of a range, the first to be looked at last; return their number, 2 or 3."""
    if is_in(low, high):
        middle = middle_place(value, low, high) if low > 0 else -middle_place(value, -high, -low) - 1
        ranges[0, 0], ranges[0, 1], ranges[1, 0], ranges[1, 1] = low, middle, middle + 1, high
        return 2
    ranges[0, 0] = ranges[0, 1] = 0
    n = 1
    if low < 0:
        ranges[n, 0], ranges[n, 1] = low, -1
        n += 1
    if high > 0:
        ranges[n, 0], ranges[n, 1] = 1, high
        n += 1
    return n


@reader()
def write_vector(ratios: Ratios, base: int, place: Ints, vector: Ints) -> bool:
    """Write the whole coefficients with these ratios to a base; False where there are none."""
    for f in range(len(place)):
        exact = ratios.exact[abs(place[f])]
        size = np.int64(exact * base + 0.5)
        if size / base != exact or size > ratios.limit[0 if place[f] > 0 else 1, f]:
            return False
        vector[f] = size if place[f] > 0 else -size
    return True


@inner()
def cost_of(pairs: PointPairs, vector: Ints) -> int:
    """The cost of one vector at its best b."""
    scores = np.zeros(pairs.columns.shape[1], np.int64)
    cost = np.int64(0)
    for f in range(len(vector)):
        if vector[f]:
            cost += pairs.penalty[f]
            for i in range(len(scores)):
                scores[i] += vector[f] * pairs.columns[f, i]
    starts, losses = loss_by_b(scores, pairs.step, pairs.half, pairs.row_positive, pairs.row_negative)
    return cost + least_over_b(starts, losses, np.int64(-(2**60)), np.int64(2**60))[0]


@inner()
def write_best(pairs: PointPairs, ratios: Ratios, stack: BoxStack, place: Ints) -> int:
    """Write the best vector with these ratios; return its cost, or very much where there is none."""
    best, least = 0, np.int64(2**60)
    for base in range(ratios.most, 0, -1):
        if write_vector(ratios, base, place, stack.vector):
            stack.number[WORK] += pairs.columns.shape[1] * 20
            cost = cost_of(pairs, stack.vector)
            if cost < least:
                best, least = base, cost
    if best:
        write_vector(ratios, best, place, stack.vector)
    return least


@reader()
def next_loaded(low: Ints, high: Ints, load: Ints, before: int) -> int:
    """The undecided feature of most load that comes after another; -1 for none."""
    best, most = -1, np.int64(-1)
    limit = max(load[0, before], load[1, before])
    for f in range(len(low)):
        size = max(load[0, f], load[1, f])
        comes_after = size < limit or (size == limit and f > before)
        if is_undecided(low[f], high[f]) and comes_after and size > most:
            best, most = f, size
    return best


@reader()
def boxes_for(missing: float) -> float:
    """About how many boxes it takes to close one that misses so many rows."""
    if missing < 0.0:
        return 0.0
    whole = int(missing)
    number = 1.0 + (_PER_ROW - 1.0) * (missing - whole)
    for _ in range(whole):
        number *= _PER_ROW
    return number


@reader()
def write_part(ratios: Ratios, stack: BoxStack, box: int, to: int, f: int, low: int, high: int) -> None:
    """Write the part of a box in which a feature has this range, and what listed groups reach in it."""
    listed = stack.listed
    copy_to(stack.low[box], stack.low[to])
    copy_to(stack.high[box], stack.high[to])
    stack.low[to, f], stack.high[to, f] = low, high
    for c in range(stack.number[LISTED]):
        listed.reach[c] = listed.before[c] + reach_of(ratios.value, low, high, listed.difference[f, c])


@inner()
def best_split(pairs: PointPairs, ratios: Ratios, stack: BoxStack, f: int, ranges: Ints, cut: int) -> int:
    """The one of the most loaded features whose parts are closest to closing; `f` is loaded most."""
    top = stack.number[TOP] - 1
    low, high, load = stack.low[top], stack.high[top], stack.load
    undecided, best, least = 0, f, np.inf
    for g in range(len(low)):
        undecided += is_undecided(low[g], high[g])
    if not is_undecided(low[f], high[f]) or 4 * undecided < 3 * len(low):
        return f
    for _ in range(_CANDIDATES):
        boxes = 0.0
        for r in range(ranges_of(ratios.value, low[f], high[f], ranges)):
            write_part(ratios, stack, top, top + 1, f, ranges[r, 0], ranges[r, 1])
            part_low, part_high = stack.low[top + 1], stack.high[top + 1]
            boxes += boxes_for(missing_rows(pairs, ratios, stack, part_low, part_high, load[top + 1], cut))
        if boxes < least:
            best, least = f, boxes
        f = next_loaded(low, high, load[top], f)
        if f < 0:
            break
    return best


@kernel()
def run_whole_boxes(pairs: PointPairs, ratios: Ratios, stack: BoxStack, cut: int, until: int) -> int:
    """Work on the open boxes, the last first, until nothing is open or the work reaches `until`.

    A vector that costs at most `cut` is written to `vector`, and the result is FOUND.
    """
    number, low, high, load = stack.number, stack.low, stack.high, stack.load
    value, listed = ratios.value, stack.listed
    ranges = np.empty((3, 2), np.int64)
    while number[TOP] > 0:
        if number[WORK] >= until:
            return PAUSED
        top = number[TOP] - 1
        if top + 4 > len(low):  # three parts, and a copy of the box
            return CROWDED
        f = feature_to_split(pairs.spread, value, low[top], high[top], load[top])
        if f < 0:
            number[TOP] = top
            number[WORK] += len(low[top])
            if write_best(pairs, ratios, stack, low[top]) <= cut:
                return FOUND
            continue
        set_prices(pairs.penalty, load[top], listed.price)
        n_sorted = sort_groups(pairs, stack, value, ratios.gap, low[top], high[top])
        list_groups(pairs, stack, value, f, low[top, f], high[top, f], n_sorted)
        number[WORK] += len(stack.reach) * (len(low[top]) + 5) // 6
        f = best_split(pairs, ratios, stack, f, ranges, cut)  # lists are the same for all undecided ones
        n = ranges_of(value, low[top, f], high[top, f], ranges)
        to = top
        copy_to(low[top], low[top + n])  # out of the way: the parts begin at `top`
        copy_to(high[top], high[top + n])
        for r in range(n):
            write_part(ratios, stack, top + n, to, f, ranges[r, 0], ranges[r, 1])
            if bound_box(pairs, ratios, stack, f, low[to], high[to], load[to], cut):
                to += 1
        number[TOP] = to
    return DONE

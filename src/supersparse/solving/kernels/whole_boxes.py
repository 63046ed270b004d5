"""Boxes of all coefficients at once; which features are used is decided on the way.

A multiple of a model makes the same errors at the same cost, so only the ratios of its coefficients to one of
them, the base, matter. The base is the one that weighs most: times the spread of its column. A box is a range
of ratios for every feature, each counted by its place among all that whole coefficients can have: 0, and the
fractions on both sides. A feature is *in* where its range leaves out 0, *out* where it is 0 alone, and
*undecided* otherwise. `kernels/whole_bounds.py` bounds a box by groups of points.

Undecided features are split first, into out and in with either sign: narrow ranges are worth less.
"""

import numpy as np

from supersparse.solving.kernels.boxes import DONE, FOUND, PAUSED
from supersparse.solving.kernels.jit import inner, kernel, reader
from supersparse.solving.kernels.lines import least_over_b, loss_by_b
from supersparse.solving.kernels.whole_bounds import (
    bound_box,
    is_in,
    is_undecided,
    list_groups,
    ratio,
    reach_of,
    set_prices,
    sort_groups,
)
from supersparse.solving.kernels.whole_data import (
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
from supersparse.solving.kernels.whole_pairs import copy_to

CROWDED = 5
"""Beside the results of `run_boxes`: there is no room for the parts of a box."""


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
        n = ranges_of(value, low[top, f], high[top, f], ranges)
        to = top
        copy_to(low[top], low[top + n])  # out of the way: the parts begin at `top`
        copy_to(high[top], high[top + n])
        for r in range(n):
            copy_to(low[top + n], low[to])
            copy_to(high[top + n], high[to])
            low[to, f], high[to, f] = ranges[r, 0], ranges[r, 1]
            for c in range(number[LISTED]):
                d = listed.difference[f, c]
                listed.reach[c] = listed.before[c] + reach_of(value, low[to, f], high[to, f], d)
            if bound_box(pairs, ratios, stack, f, low[to], high[to], load[to], cut):
                to += 1
        number[TOP] = to
    return DONE

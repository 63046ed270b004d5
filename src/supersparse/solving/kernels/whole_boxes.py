"""Boxes of all coefficients at once; which features are used is decided on the way.

A multiple of a model makes the same errors at the same cost, so only the ratios of its coefficients to one of
them, the base, matter. The base is the one that weighs most: times the spread of its column. A box is a range
of ratios for every feature, each counted by its place among all that whole coefficients can have: 0, and the
fractions on both sides. A feature is *in* where its range leaves out 0, *out* where it is 0 alone, and
*undecided* otherwise. `kernels/whole_pairs.py` and `kernels/whole_packing.py` bound a box by pairs of
opposite points.

An undecided feature is split first, into a small part around 0 and the rest on both sides: narrow ranges are
worth less than fewer features.
"""

from typing import NamedTuple

import numpy as np

from supersparse.solving.kernels.boxes import DONE, FOUND, PAUSED
from supersparse.solving.kernels.jit import inner, kernel
from supersparse.solving.kernels.lines import least_over_b, loss_by_b
from supersparse.solving.kernels.whole_packing import improve, pack_pairs
from supersparse.solving.kernels.whole_pairs import (
    BLOCK,
    FINE,
    LEAST_PRICE,
    LISTED_PER_POINT,
    MOST_LISTED,
    SORTED,
    Doubles,
    Floats,
    Ints,
    Keys,
    Listed,
    PointPairs,
    add_given,
    add_larger,
    begin_pairs,
    choose_pairs,
    sorted_by_key,
    write_keys,
)

CROWDED = 5
"""Beside the results of `run_boxes`: there is no room for the parts of a box."""
TOP, WORK = range(2)
"""The entries of `BoxStack.number`: open boxes, and work done in touched rows."""

_SMALL = 0.2  # an undecided coefficient is first split at this part of the weight of the base
_ROUNDS = 10  # of guessing better multipliers
_MORE_THAN_ENOUGH = 1.1  # some of it is lost in whole numbers
_PROMISING = 0.8  # where the first ones come to this part of what closes the box


class Ratios(NamedTuple):
    """The ratios of coefficients to the base, in order, and what the base may be."""

    value: Floats  # those at and above 0
    exact: Doubles  # the same
    most: int  # the largest magnitude of the base
    limit: Ints  # (2, features): the largest magnitudes of coefficients, with positive and with negative sign
    gap: np.float32  # no pair is right with less
    weight: float  # of the base: the spread of its column


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
    vector: Ints


@inner()
def copy(numbers: Ints, to: Ints) -> None:
    """Copy an array into another; an assignment would take longer to compile."""
    for t in range(len(numbers)):
        to[t] = numbers[t]


@inner()
def is_in(low: int, high: int) -> bool:
    """Whether a feature with this range is used by every vector."""
    return low > 0 or high < 0


@inner()
def is_undecided(low: int, high: int) -> bool:
    """Whether some vectors use a feature with this range, and some do not."""
    return low <= 0 <= high and low < high


@inner()
def ratio(value: Floats, place: int) -> float:
    """The ratio at a place, negative ones below 0."""
    return value[place] if place >= 0 else -value[-place]


@inner()
def reach_of(value: Floats, low: int, high: int, d: float) -> float:
    """What a feature reaches for a pair, 0 unless it is in."""
    return max(ratio(value, low) * d, ratio(value, high) * d) if is_in(low, high) else np.float32(0.0)


@inner(error_model="numpy")
def set_prices(penalty: Ints, load: Ints, price: Floats) -> None:
    """The prices of literals, by their loads."""
    for f in range(len(penalty)):
        for side in range(2):
            part = load[side, f] / (float(FINE * FINE) * max(1, penalty[f]))
            price[side, f] = LEAST_PRICE + (1.0 - LEAST_PRICE) * min(1.0, part)


@inner()
def sort_pairs(pairs: PointPairs, stack: BoxStack, value: Floats, gap: float, low: Ints, high: Ints) -> int:
    """Sort the pairs of a box that fall short by the price of what is missing; return how many are sorted."""
    n, price = len(stack.reach), stack.listed.price
    for start in range(0, n, BLOCK):
        end = min(n, start + BLOCK)
        reach, short = stack.reach[start:end], stack.block[0, : end - start]
        total, cost = stack.block[1, : end - start], stack.block[2, : end - start]
        for q in range(len(reach)):
            reach[q] = np.float32(0.0)
        for f in range(len(low)):
            if is_in(low[f], high[f]):
                add_larger(pairs.difference[f, start:end], ratio(value, low[f]), ratio(value, high[f]), reach)
        begin_pairs(gap, reach, short, total, cost)
        for f in range(len(low)):
            if is_undecided(low[f], high[f]):
                d, a, b = pairs.difference[f, start:end], ratio(value, low[f]), ratio(value, high[f])
                add_given(d, a, b, price[0, f], price[1, f], short, total, cost)
        write_keys(short, total, cost, stack.key[start:end])
    return sorted_by_key(stack.key, stack.order, SORTED)


@inner()
def list_pairs(pairs: PointPairs, stack: BoxStack, value: Floats, f: int, low: int, high: int, n: int) -> int:
    """List the first pairs of a box, not too many of one point, and their reach without a feature.

    Its parts look at these alone; return how many there are.
    """
    listed = stack.listed
    left = listed.left
    for i in range(len(left)):
        left[i] = LISTED_PER_POINT
    m = 0
    for z in range(n):
        q = stack.order[z]
        i, j = pairs.positive[q], pairs.negative[q]
        if left[i] == 0 or left[j] == 0:
            continue
        left[i] -= 1
        left[j] -= 1
        listed.pair[m] = q
        listed.before[m] = stack.reach[q] - reach_of(value, low, high, pairs.difference[f, q])
        m += 1
        if m == MOST_LISTED:
            break
    for g in range(len(pairs.difference)):
        d, near = pairs.difference[g], listed.difference[g]
        for c in range(m):
            near[c] = d[listed.pair[c]]
    return m


@inner()
def fixed_cost(pairs: PointPairs, low: Ints, high: Ints) -> int:
    """The base cost and the penalties of features that are in; the others are out where no place is left."""
    cost, size = pairs.base_cost, 0
    for f in range(len(low)):
        if is_in(low[f], high[f]):
            cost += pairs.penalty[f]
            size += 1
    if size >= pairs.max_size:
        for f in range(len(low)):
            if not is_in(low[f], high[f]):
                low[f] = high[f] = 0
    return cost if size <= pairs.max_size else np.int64(2**60)


@inner()
def packed(
    pairs: PointPairs, stack: BoxStack, undecided: Ints, kept: int, enough: int, load: Ints, other: Ints
) -> int:
    """What the packing of a box comes to, at first or with better multipliers; fills `load`."""
    listed = stack.listed
    copy(pairs.weight, listed.left)
    total = pack_pairs(listed, kept, undecided, pairs.penalty, enough, False, load)
    if total > enough or len(undecided) == 0 or total <= _PROMISING * enough:
        return total
    improve(listed, pairs, undecided, kept, _ROUNDS, np.float32(_MORE_THAN_ENOUGH * enough))
    stack.number[WORK] += kept * (_ROUNDS * len(undecided) // 3 + 6)
    copy(pairs.weight, listed.left)
    better = pack_pairs(listed, kept, undecided, pairs.penalty, enough, True, other)
    if better > total:
        copy(other[0], load[0])
        copy(other[1], load[1])
    return max(total, better)


@inner()
def bound_box(
    pairs: PointPairs, ratios: Ratios, stack: BoxStack, m: int, low: Ints, high: Ints, load: Ints, cut: int
) -> bool:
    """Whether a vector of a box may cost at most `cut`, as far as the listed pairs tell; fills `load`.

    Drops the literals that no such vector has.
    """
    listed, price = stack.listed, stack.listed.price
    short, total, cost, key = listed.short[:m], listed.total[:m], listed.cost[:m], listed.key[:m]
    undecided, other = np.empty(len(low), np.int64), np.empty((2, len(low)), np.int64)
    least, most = np.empty(len(low), np.float32), np.empty(len(low), np.float32)
    for _ in range(2):
        fixed = fixed_cost(pairs, low, high)
        if fixed > cut:
            return False
        begin_pairs(ratios.gap, listed.reach[:m], short, total, cost)
        n = 0
        for f in range(len(low)):
            least[f], most[f] = ratio(ratios.value, low[f]), ratio(ratios.value, high[f])
            if is_undecided(low[f], high[f]):
                undecided[n] = f
                n += 1
                d = listed.difference[f, :m]
                add_given(d, least[f], most[f], price[0, f], price[1, f], short, total, cost)
        write_keys(short, total, cost, key)
        kept = choose_pairs(pairs, least, most, undecided[:n], listed, sorted_by_key(key, listed.order, m))
        stack.number[WORK] += m * (n + 3) // 4 + kept * (n + 2)
        enough = (cut - fixed) * FINE
        sum_of = packed(pairs, stack, undecided[:n], kept, enough, load, other)
        if sum_of > enough:
            return False
        changed = False
        for t in range(n):
            f = undecided[t]
            spare = (pairs.penalty[f] * FINE - enough + sum_of) * FINE  # one with less load costs too much
            if high[f] > 0 and load[0, f] < spare:
                high[f], changed = 0, True
            if low[f] < 0 and load[1, f] < spare:
                low[f], changed = 0, True
        if not changed:
            break
    return True


@inner()
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


@inner()
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


@inner()
def middle_place(value: Floats, low: int, high: int) -> int:
    """Where to split a range of positive ratios: at the geometric mean where it is long, else halfway."""
    near, far = value[low], value[high]
    return last_place(value, np.sqrt(near * far) if far > 2 * near else 0.5 * (near + far), low, high)


@inner()
def ranges_of(value: Floats, most: float, low: int, high: int, ranges: Ints) -> int:
    """The parts of a range, the first to be looked at last; return their number, 2 or 3.

    An undecided one is split at `most` on both sides.
    """
    if is_in(low, high):
        middle = middle_place(value, low, high) if low > 0 else -middle_place(value, -high, -low) - 1
        ranges[0, 0], ranges[0, 1], ranges[1, 0], ranges[1, 1] = low, middle, middle + 1, high
        return 2
    small = last_place(value, most, 0, max(high, -low))
    ranges[0, 0], ranges[0, 1] = max(low, -small), min(high, small)
    n = 1
    if low < -small:
        ranges[n, 0], ranges[n, 1] = low, -small - 1
        n += 1
    if high > small:
        ranges[n, 0], ranges[n, 1] = small + 1, high
        n += 1
    return n


@inner()
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
        n_sorted = sort_pairs(pairs, stack, value, ratios.gap, low[top], high[top])
        m = list_pairs(pairs, stack, value, f, low[top, f], high[top, f], n_sorted)
        number[WORK] += len(stack.reach) * (len(low[top]) + 5) // 6
        n = ranges_of(
            value, _SMALL * ratios.weight / max(1.0, pairs.spread[f]), low[top, f], high[top, f], ranges
        )
        to = top
        copy(low[top], low[top + n])  # out of the way: the parts begin at `top`
        copy(high[top], high[top + n])
        for r in range(n):
            copy(low[top + n], low[to])
            copy(high[top + n], high[to])
            low[to, f], high[to, f] = ranges[r, 0], ranges[r, 1]
            for c in range(m):
                d = listed.difference[f, c]
                listed.reach[c] = listed.before[c] + reach_of(value, low[to, f], high[to, f], d)
            if bound_box(pairs, ratios, stack, m, low[to], high[to], load[to], cut):
                to += 1
        number[TOP] = to
    return DONE

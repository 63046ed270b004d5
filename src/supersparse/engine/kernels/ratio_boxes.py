"""Boxes of all coefficients at once; which features are used is decided on the way.

A multiple of a model makes the same errors at the same cost, so only the ratios of its coefficients to one of
them, the base, matter. The base is the one that weighs most: times the spread of its column. A box is a range
of ratios for every feature, each counted by its place among all that whole coefficients can have: 0, and the
fractions on both sides. A feature is *in* where its range leaves out 0, *out* where it is 0 alone, and
*undecided* otherwise.

All pairs, and the larger groups found so far, are sorted once for a box; its parts look at the first of
them. Where a greedy packing comes near what closes a part, the best multipliers follow, and new groups join
at their prices.

Undecided features are split first, into out and in with either sign: narrow ranges are worth less. Where few
are decided, greedy packings of the parts choose between the most loaded ones: many boxes follow.
"""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.boxes import DONE, FOUND, PAUSED
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.lines import least_over_b, loss_by_b
from supersparse.engine.kernels.ratio_groups import add_separated, grow, with_separated
from supersparse.engine.kernels.ratio_pairs import (
    BLOCK,
    FINE,
    FIRST_LISTED,
    LEAST_PRICE,
    LISTED,
    LISTED_PER_POINT,
    MOST_GROUPS,
    NEXT,
    SORTED,
    TOP,
    WORK,
    BoxPart,
    BoxStack,
    Doubles,
    Floats,
    PointPairs,
    Ratios,
    add_given,
    add_larger,
    begin_groups,
    choose_groups,
    copy_to,
    has_room,
    sorted_by_key,
    write_keys,
)
from supersparse.engine.kernels.ratio_prices import add_groups, begin_prices, pack_groups, read_prices, solve_prices

_PROMISING = 0.7  # where a greedy packing comes to this part of what closes the box
_NEAR = 0.95  # where the best multipliers come to this part of it, groups grow
_PACKINGS = 3  # by the best multipliers, two of them with new groups
_MORE_THAN_ENOUGH = 1.015  # some of it is lost in whole numbers


@reader()
def is_in(low: int, high: int) -> bool:
    """Whether a feature with this range is used by every vector."""
    return low > 0 or high < 0


@reader()
def is_undecided(low: int, high: int) -> bool:
    """Whether some vectors use a feature with this range, and some do not."""
    return low <= 0 <= high and low < high


@reader()
def ratio(value: Floats, place: int) -> float:
    """The ratio at a place, negative ones below 0."""
    return value[place] if place >= 0 else -value[-place]


@reader()
def reach_of(value: Floats, low: int, high: int, d: float) -> float:
    """A feature's reach for a pair; 0 if it is not in the box."""
    return max(ratio(value, low) * d, ratio(value, high) * d) if is_in(low, high) else np.float32(0.0)


@reader(error_model="numpy")
def set_prices(penalty: Ints, load: Ints, price: Floats) -> None:
    """The prices of literals, by their loads."""
    for f in range(len(penalty)):
        for side in range(2):
            part = load[side, f] / (float(FINE * FINE) * max(1, penalty[f]))
            price[side, f] = LEAST_PRICE + (1.0 - LEAST_PRICE) * min(1.0, part)


@reader()
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
def sort_groups(pairs: PointPairs, stack: BoxStack, value: Floats, gap: float, low: Ints, high: Ints) -> int:
    """Sort the groups of a box that fall short by the price of what is missing; return how many."""
    n, price = pairs.n_pairs + min(stack.number[NEXT], MOST_GROUPS), stack.listed.price
    for start in range(0, n, BLOCK):
        end = min(n, start + BLOCK)
        reach, short = stack.reach[start:end], stack.block[0, : end - start]
        total, cost = stack.block[1, : end - start], stack.block[2, : end - start]
        for q in range(len(reach)):
            reach[q] = np.float32(0.0)
        for f in range(len(low)):
            if is_in(low[f], high[f]):
                add_larger(pairs.difference[f, start:end], ratio(value, low[f]), ratio(value, high[f]), reach)
        begin_groups(gap, reach, short, total, cost)
        for f in range(len(low)):
            if is_undecided(low[f], high[f]):
                d, a, b = pairs.difference[f, start:end], ratio(value, low[f]), ratio(value, high[f])
                add_given(d, a, b, price[0, f], price[1, f], short, total, cost)
        write_keys(short, total, cost, stack.key[start:end])
    return sorted_by_key(stack.key[:n], stack.order, SORTED)


@reader()
def list_groups(pairs: PointPairs, stack: BoxStack, value: Floats, f: int, low: int, high: int, n: int) -> None:
    """List the first groups of a box, not too many of one point, and their reach without a feature.

    Its parts look at these alone.
    """
    listed, left, m = stack.listed, stack.listed.left, 0
    for i in range(len(left)):
        left[i] = LISTED_PER_POINT
    for z in range(n):
        q = stack.order[z]
        if has_room(pairs.member[q], left):
            listed.pair[m] = q
            copy_to(pairs.member[q], listed.member[m])
            listed.before[m] = stack.reach[q] - reach_of(value, low, high, pairs.difference[f, q])
            m += 1
            if m == FIRST_LISTED:
                break
    for g in range(len(pairs.difference)):
        d, near = pairs.difference[g], listed.difference[g]
        for c in range(m):
            near[c] = d[listed.pair[c]]
    stack.number[LISTED] = m


@inner()
def begin_part(ratios: Ratios, split: int, low: Ints, high: Ints, scratch: Floats, state: Ints) -> BoxPart:
    """Fill scratch space with the data of a part of a box that the bound needs."""
    least, most, used, undecided, n = scratch[0], scratch[1], state[0], state[1], 0
    for f in range(len(low)):
        least[f], most[f] = ratio(ratios.value, low[f]), ratio(ratios.value, high[f])
        used[f] = is_in(low[f], high[f])
        if is_undecided(low[f], high[f]):
            undecided[n] = f
            n += 1
    return BoxPart(ratios.gap, split, least, most, used, undecided[:n])


@inner()
def pack_listed(pairs: PointPairs, stack: BoxStack, part: BoxPart, load: Ints, enough: int) -> tuple[int, int]:
    """Choose groups for a packing and pack them greedily; return the sum, and how many they are."""
    listed, price, m, n = stack.listed, stack.listed.price, stack.number[LISTED], len(part.undecided)
    short, total, cost, key = listed.short[:m], listed.total[:m], listed.cost[:m], listed.key[:m]
    begin_groups(part.gap, listed.reach[:m], short, total, cost)
    for t in range(n):
        f = part.undecided[t]
        d = listed.difference[f, :m]
        add_given(d, part.low[f], part.high[f], price[0, f], price[1, f], short, total, cost)
    write_keys(short, total, cost, key)
    order = sorted_by_key(key, listed.order, m)
    kept = choose_groups(part.low, part.high, part.undecided, listed, order)
    stack.number[WORK] += m * (n + 3) // 4 + kept * (n + 2)
    copy_to(pairs.weight, listed.left)
    return pack_groups(listed, kept, part.undecided, pairs.penalty, enough, False, load), kept


@inner()
def missing_rows(
    pairs: PointPairs, ratios: Ratios, stack: BoxStack, low: Ints, high: Ints, load: Ints, cut: int
) -> float:
    """By how many wrong rows a greedy packing falls short of closing a box, below 0 where it does not."""
    scratch, state = np.empty((2, len(low)), np.float32), np.empty((2, len(low)), np.int64)
    enough = (cut - fixed_cost(pairs, low, high)) * FINE
    if enough < 0:
        return -1.0
    part = begin_part(ratios, -1, low, high, scratch, state)
    sum_of, _ = pack_listed(pairs, stack, part, load, enough)
    return (enough - sum_of) / FINE


@inner()
def bound_box(
    pairs: PointPairs, ratios: Ratios, stack: BoxStack, split: int, low: Ints, high: Ints, load: Ints,
    cut: int,
) -> bool:  # fmt: skip
    """Whether a vector of a box may cost at most `cut`, as far as the listed groups tell; fills `load`.

    Drops the literals that no such vector has.
    """
    listed, points, other = stack.listed, len(pairs.weight), np.empty((2, len(low)), np.int64)
    scratch, state = np.empty((2, len(low)), np.float32), np.empty((2, len(low)), np.int64)
    for _ in range(2):
        enough = (cut - fixed_cost(pairs, low, high)) * FINE
        if enough < 0:
            return False
        part = begin_part(ratios, split, low, high, scratch, state)
        undecided, n = part.undecided, len(part.undecided)
        sum_of, kept = pack_listed(pairs, stack, part, load, enough)
        copy_to(listed.left, listed.rest)
        joined = 0
        begin_prices(stack.prices, pairs, undecided)
        for again in range(_PACKINGS):
            if sum_of > enough or sum_of <= (_PROMISING if again == 0 else _NEAR) * enough:
                break
            if again > 0:
                kept = grow(pairs, stack, part, kept)
                kept = add_separated(pairs, stack, part, kept)
                if kept == joined:
                    break
            add_groups(stack.prices, listed, points, undecided, joined, kept)
            joined = kept
            limit = np.float32(_MORE_THAN_ENOUGH * enough / FINE)
            steps = solve_prices(stack.prices, listed, points, kept, limit)
            read_prices(stack.prices, listed, points, undecided, kept)
            stack.number[WORK] += kept * (10 * steps + n // 3 + 6)
            copy_to(pairs.weight, listed.left)
            better = pack_groups(listed, kept, undecided, pairs.penalty, enough, True, other)
            if better > sum_of:
                sum_of = better
                copy_to(other[0], load[0])
                copy_to(other[1], load[1])
                copy_to(listed.left, listed.rest)
        if sum_of > _PROMISING * enough:
            sum_of = with_separated(pairs, stack, part, sum_of, enough)
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


CROWDED = 5
"""In addition to the results of `run_boxes`: there is no room for the parts of a box."""
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
    """About how many boxes it takes to close one that misses this many rows."""
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
def run_ratio_boxes(pairs: PointPairs, ratios: Ratios, stack: BoxStack, cut: int, until: int) -> int:
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

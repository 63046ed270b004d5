"""The bound of one box of all coefficients: which groups of points to look at, and what they come to.

All pairs, and the larger groups found so far, are sorted once for a box; its parts look at the first of
them. Where a greedy packing comes near what closes a part, the best multipliers follow, and new groups join
at their prices.
"""

import numpy as np

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.whole_data import (
    BLOCK,
    FINE,
    FIRST_LISTED,
    LEAST_PRICE,
    LISTED,
    LISTED_PER_POINT,
    MOST_GROUPS,
    NEXT,
    SORTED,
    WORK,
    BoxPart,
    BoxStack,
    Floats,
    Ints,
    PointPairs,
    Ratios,
)
from supersparse.engine.kernels.whole_growth import add_separated, grow, with_separated
from supersparse.engine.kernels.whole_packing import pack_groups
from supersparse.engine.kernels.whole_pairs import (
    add_given,
    add_larger,
    begin_groups,
    choose_groups,
    copy_to,
    has_room,
    sorted_by_key,
    write_keys,
)
from supersparse.engine.kernels.whole_prices import (
    add_groups,
    begin_prices,
    read_prices,
    solve_prices,
)

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
    """What a feature reaches for a pair, 0 unless it is in."""
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
def list_groups(
    pairs: PointPairs, stack: BoxStack, value: Floats, f: int, low: int, high: int, n: int
) -> None:
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
    """What the bound needs to know of a part of a box, in scratch space."""
    least, most, used, undecided, n = scratch[0], scratch[1], state[0], state[1], 0
    for f in range(len(low)):
        least[f], most[f] = ratio(ratios.value, low[f]), ratio(ratios.value, high[f])
        used[f] = is_in(low[f], high[f])
        if is_undecided(low[f], high[f]):
            undecided[n] = f
            n += 1
    return BoxPart(ratios.gap, split, least, most, used, undecided[:n])


@inner()
def pack_listed(
    pairs: PointPairs, stack: BoxStack, part: BoxPart, load: Ints, enough: int
) -> tuple[int, int]:
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
    pairs: PointPairs,
    ratios: Ratios,
    stack: BoxStack,
    split: int,
    low: Ints,
    high: Ints,
    load: Ints,
    cut: int,
) -> bool:
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

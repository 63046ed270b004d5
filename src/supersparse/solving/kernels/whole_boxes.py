"""Boxes of all coefficients at once; which features are used is decided on the way.

A box is a range of coefficients for every feature. A feature is *in* where its range leaves out 0, *out*
where it is 0 alone, and *undecided* otherwise. With d = x_i - x_j for a positive point i and a negative
point j, both can be right only if Σ_f λ_f·d_f >= gap. Let

    reach = Σ_{f in} max(low_f·d_f, high_f·d_f)    and    c_f = max(low_f·d_f, high_f·d_f) >= 0, f undecided.

Where reach < gap, the undecided features must make up for the shortfall, and each can give c_f at most, with
the sign of d_f alone. So with z for "wrong" and α for "literal used" the pair demands

    z_i + z_j + Σ_f min(1, c_f / (gap - reach))·α_f >= 1 ,

and z_i + z_j >= 1 where Σ c_f is too small as well. This is a pair cover that knows how large coefficients
are: `exact/covers.py` packs those that do not, and the same argument makes a bound of these. Multipliers
u >= 0 with Σ u <= weight at every point, and Σ u·(factor of l) <= penalty of l at every literal, prove that
every vector of the box loses Σ u beyond the penalties of the features that are in. Factors are rounded up to
1/64 and weights are counted in 1/64, so all of this is done in whole numbers; `by_feature` and `by_pair` hold
whole numbers as floating point, whose sums and products here are exact: all are below 2^24.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.kernels.boxes import DONE, FOUND, PAUSED, middle_of
from supersparse.solving.kernels.jit import inner, kernel
from supersparse.solving.kernels.lines import least_over_b, loss_by_b

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FINE = 64
"""Weights and factors are counted in 1/FINE."""
CROWDED = 5
"""Beside the results of `run_boxes`: there is no room for the parts of a box."""
TOP, WORK = range(2)
"""The entries of `BoxStack.number`: open boxes, and work done in touched rows."""
MOST_LISTED = 300
"""How many pairs the parts of a box look at."""
MOST_PAIRS = 160
"""How many pairs a packing looks at."""
PLACE, KEY, ORDER, FIRST, SECOND = range(5)
"""The rows of `BoxStack.chosen`."""

_SMALL = 2  # an undecided coefficient is first split into at most this and more
_WIDE = 0.7  # a range that is in is split first where it is wider than this part of the largest coefficient
_LISTED_PER_POINT = 8
_PER_POINT = 5  # pairs of one point that a packing looks at
_BUCKETS = 64


class PointPairs(NamedTuple):
    """All pairs of a positive and a negative point, and what the features cost."""

    by_feature: Floats  # (features, pairs): the differences d
    by_pair: Floats  # (pairs, features): the same
    all: Ints  # 0, 1, ...: the pairs
    positive: Ints  # the points of each pair
    negative: Ints
    weight: Ints  # of all points, in 1/FINE
    penalty: Ints  # of each feature, in kernel units
    spread: Doubles
    columns: Ints  # (features, rows), to evaluate one vector
    row_positive: Ints
    row_negative: Ints
    gap: int
    step: int
    half: int
    max_size: int
    base_cost: int


class BoxStack(NamedTuple):
    """Open boxes, the last on top, and scratch space; the vector found, if any."""

    number: Ints
    low: Ints  # (boxes, features)
    high: Ints
    load: Ints  # (boxes, 2, features): of the literals, with positive sign and with negative sign
    reach: Floats  # (pairs): of a box
    listed: Ints  # (MOST_LISTED): the pairs that the parts of a box look at
    before: Floats  # (MOST_LISTED): their reach without the feature that is split
    of_part: Floats  # (MOST_LISTED): and with it
    chosen: Ints  # (5, pairs)
    factor: Ints  # (MOST_PAIRS, features): signed
    left: Ints  # of each point's weight
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
def add_larger(d: Floats, low: float, high: float, reach: Floats) -> None:
    """Add the larger of low·d and high·d; a function of its own, or it is not compiled for many at once."""
    for q in range(len(reach)):
        reach[q] += max(low * d[q], high * d[q])


@inner()
def write_reach(by_feature: Floats, low: Ints, high: Ints, reach: Floats) -> int:
    """Write what the features that are in reach, for every pair; return how many are in."""
    for q in range(len(reach)):
        reach[q] = 0.0
    n = 0
    for f in range(len(low)):
        if is_in(low[f], high[f]):
            n += 1
            add_larger(by_feature[f], np.float32(low[f]), np.float32(high[f]), reach)
    return n


@inner()
def reach_of(low: int, high: int, d: float) -> float:
    """What a feature reaches for a pair, 0 unless it is in."""
    return max(np.float32(low) * d, np.float32(high) * d) if is_in(low, high) else np.float32(0.0)


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


@inner(fastmath={"reassoc", "nsz", "nnan"})  # sums of whole numbers, the same in every order
def given(d: Floats, low: Floats, high: Floats, short: float) -> tuple[float, float]:
    """What the undecided features can give a pair, and the same with each cut off at what it needs."""
    total, useful = np.float32(0.0), np.float32(0.0)
    for f in range(len(d)):
        c = max(low[f] * d[f], high[f] * d[f])
        total += c
        useful += min(short, c)
    return total, useful


@inner()
def sort_pairs(
    by_pair: Floats, gap: int, low: Ints, high: Ints, candidate: Ints, reach: Floats, chosen: Ints
) -> int:
    """Order the candidates that fall short by the sum of their factors, in buckets; return their number.

    `reach` has an entry for each candidate, and so has `chosen[PLACE]`, by which the others refer to it.
    """
    place_of, keys, order = chosen[PLACE], chosen[KEY], chosen[ORDER]
    n = 0
    for c in range(len(candidate)):
        place_of[n] = c
        n += 1 if reach[c] < gap else 0
    least, most = np.zeros(len(low), np.float32), np.zeros(len(low), np.float32)
    for f in range(len(low)):
        if not is_in(low[f], high[f]):
            least[f], most[f] = low[f], high[f]
    place = np.zeros(_BUCKETS + 2, np.int64)
    for s in range(n):
        short = np.float32(gap - reach[place_of[s]])
        total, useful = given(by_pair[candidate[place_of[s]]], least, most, short)
        key = 0 if total < short else 1 + min(_BUCKETS - 2, int(4.0 * useful / short))
        keys[s] = key
        place[key + 1] += 1
    for b in range(_BUCKETS):
        place[b + 1] += place[b]
    for s in range(n):
        order[place[keys[s]]] = s
        place[keys[s]] += 1
    return n


@inner()
def list_pairs(pairs: PointPairs, stack: BoxStack, f: int, low: int, high: int, n: int) -> int:
    """List the first pairs of a box, not too many of one point, and their reach without a feature.

    Its parts look at these alone; return how many there are.
    """
    chosen, left = stack.chosen, stack.left
    for i in range(len(left)):
        left[i] = _LISTED_PER_POINT
    m = 0
    for z in range(n):
        q = chosen[PLACE, chosen[ORDER, z]]
        i, j = pairs.positive[q], pairs.negative[q]
        if left[i] == 0 or left[j] == 0:
            continue
        left[i] -= 1
        left[j] -= 1
        stack.listed[m] = q
        stack.before[m] = stack.reach[q] - reach_of(low, high, pairs.by_pair[q, f])
        m += 1
        if m == MOST_LISTED:
            break
    return m


@inner()
def choose_pairs(
    pairs: PointPairs,
    low: Ints,
    high: Ints,
    undecided: Ints,
    listed: Ints,
    reach: Floats,
    stack: BoxStack,
    n: int,
) -> int:
    """Write the factors of the first pairs, not too many of one point; return how many."""
    chosen, left = stack.chosen, stack.left
    for i in range(len(left)):
        left[i] = _PER_POINT
    kept = 0
    for z in range(n):
        s = chosen[ORDER, z]
        c = chosen[PLACE, s]
        q = listed[c]
        i, j = pairs.positive[q], pairs.negative[q]
        if left[i] == 0 or left[j] == 0:
            continue
        left[i] -= 1
        left[j] -= 1
        chosen[FIRST, kept], chosen[SECOND, kept] = i, j
        d, rate = pairs.by_pair[q], FINE / (pairs.gap - reach[c])
        for t in range(len(undecided)):
            f = undecided[t]
            gift = max(low[f] * d[f], high[f] * d[f])
            factor = np.int64(0)
            if gift > 0 and chosen[KEY, s] > 0:
                factor = np.int64(min(float(FINE), gift * rate + 1.0))  # at least the true one, rounded up
            stack.factor[kept, t] = factor if d[f] > 0 else -factor
        kept += 1
        if kept == MOST_PAIRS:
            break
    return kept


@inner()
def pack_pairs(
    chosen: Ints, factor: Ints, left: Ints, kept: int, undecided: Ints, penalty: Ints, enough: int, load: Ints
) -> int:
    """Give each pair in turn what its points and literals have left, little at first; return the sum.

    Stops above `enough`. Loads are counted in 1/FINE².
    """
    total, n = np.int64(0), len(undecided)
    for sweep in range(3):
        for s in range(kept):
            i, j = chosen[FIRST, s], chosen[SECOND, s]
            u = np.int64(0) if i < 0 else min(left[i], left[j])
            if u <= 0:
                continue
            if sweep < 2:
                u = min(u, 1 + u // 4)
            for t in range(n):
                a = factor[s, t]
                if a:
                    side = 0 if a > 0 else 1
                    spare = penalty[undecided[t]] * FINE * FINE - load[side, undecided[t]]
                    if abs(a) * u > spare:
                        u = spare // abs(a)
            if u <= 0:
                chosen[FIRST, s] = -1  # a literal has nothing left, and never will have
                continue
            for t in range(n):
                a = factor[s, t]
                if a:
                    load[0 if a > 0 else 1, undecided[t]] += abs(a) * u
            left[i] -= u
            left[j] -= u
            total += u
            if total > enough:
                return total
    return total


@inner()
def bound_box(
    pairs: PointPairs,
    stack: BoxStack,
    listed: Ints,
    reach: Floats,
    low: Ints,
    high: Ints,
    load: Ints,
    cut: int,
) -> bool:
    """Whether a vector of a box may cost at most `cut`, as far as the listed pairs tell; fills `load`.

    Drops the literals that no such vector has.
    """
    undecided = np.empty(len(low), np.int64)
    for _ in range(2):
        fixed = fixed_cost(pairs, low, high)
        if fixed > cut:
            return False
        n = 0
        for f in range(len(low)):
            if low[f] < high[f] and not is_in(low[f], high[f]):
                undecided[n] = f
                n += 1
        short = sort_pairs(pairs.by_pair, pairs.gap, low, high, listed, reach, stack.chosen)
        kept = choose_pairs(pairs, low, high, undecided[:n], listed, reach, stack, short)
        stack.number[WORK] += len(reach) + short * (n + 2) + kept * (3 * n + 6)
        for f in range(len(low)):
            load[0, f] = load[1, f] = 0
        copy(pairs.weight, stack.left)
        enough = (cut - fixed) * FINE
        total = pack_pairs(
            stack.chosen, stack.factor, stack.left, kept, undecided[:n], pairs.penalty, enough, load
        )
        if total > enough:
            return False
        changed = False
        for t in range(n):
            f = undecided[t]
            most = (
                pairs.penalty[f] * FINE - enough + total
            ) * FINE  # a literal with less load costs too much
            if high[f] > 0 and load[0, f] < most:
                high[f], changed = 0, True
            if low[f] < 0 and load[1, f] < most:
                low[f], changed = 0, True
        if not changed:
            break
    return True


@inner()
def feature_to_split(spread: Doubles, low: Ints, high: Ints, load: Ints) -> int:
    """A wide range that is in, else the undecided feature of most load, else any; -1 for one vector."""
    largest, width, widest, most, loaded = 0.0, 0.0, -1, np.int64(-1), -1
    for f in range(len(low)):
        if is_in(low[f], high[f]):
            largest = max(largest, max(high[f], -low[f]) * spread[f])
            if (high[f] - low[f]) * spread[f] > width:
                width, widest = (high[f] - low[f]) * spread[f], f
        elif low[f] < high[f] and max(load[0, f], load[1, f]) > most:
            most, loaded = max(load[0, f], load[1, f]), f
    return widest if loaded < 0 or (widest >= 0 and width > _WIDE * largest) else loaded


@inner()
def ranges_of(low: int, high: int, ranges: Ints) -> int:
    """The parts of a range, the first to be looked at last; return their number, 2 or 3."""
    if is_in(low, high):
        middle = np.int64(middle_of(low, high))
        middle = max(low, min(high - 1, middle if low > 0 else middle - 1))
        ranges[0, 0], ranges[0, 1], ranges[1, 0], ranges[1, 1] = low, middle, middle + 1, high
        return 2
    small = _SMALL if max(high, -low) > _SMALL else 0
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


@kernel()
def run_whole_boxes(pairs: PointPairs, stack: BoxStack, cut: int, until: int) -> int:
    """Work on the open boxes, the last first, until nothing is open or the work reaches `until`.

    A vector that costs at most `cut` is written to `vector`, and the result is FOUND.
    """
    number, low, high, load = stack.number, stack.low, stack.high, stack.load
    ranges = np.empty((3, 2), np.int64)
    while number[TOP] > 0:
        if number[WORK] >= until:
            return PAUSED
        top = number[TOP] - 1
        if top + 4 > len(low):  # three parts, and a copy of the box
            return CROWDED
        f = feature_to_split(pairs.spread, low[top], high[top], load[top])
        if f < 0:
            number[TOP] = top
            number[WORK] += pairs.columns.shape[1] * 20
            if cost_of(pairs, low[top]) <= cut:
                copy(low[top], stack.vector)
                return FOUND
            continue
        used = write_reach(pairs.by_feature, low[top], high[top], stack.reach)
        short = sort_pairs(
            pairs.by_pair, pairs.gap, low[top], high[top], pairs.all, stack.reach, stack.chosen
        )
        m = list_pairs(pairs, stack, f, low[top, f], high[top, f], short)
        number[WORK] += len(stack.reach) * (4 + used) // 4 + short * len(low[top])
        listed, of_part = stack.listed[:m], stack.of_part[:m]
        n = ranges_of(low[top, f], high[top, f], ranges)
        to = top
        copy(low[top], low[top + n])  # out of the way: the parts begin at `top`
        copy(high[top], high[top + n])
        for r in range(n):
            copy(low[top + n], low[to])
            copy(high[top + n], high[to])
            low[to, f], high[to, f] = ranges[r, 0], ranges[r, 1]
            for c in range(m):
                of_part[c] = stack.before[c] + reach_of(low[to, f], high[to, f], pairs.by_pair[listed[c], f])
            if bound_box(pairs, stack, listed, of_part, low[to], high[to], load[to], cut):
                to += 1
        number[TOP] = to
    return DONE

"""Multipliers for the groups of `kernels/ratio_pairs.py`: the bound of a box.

Multipliers u >= 0 with Σ u <= weight at every point, and Σ u·(factor of l) <= penalty of l at every literal,
prove that every vector of a box loses Σ u beyond the penalties of the features that are in. Factors are
rounded up to 1/1024 and weights are counted in 1/1024, so this is done in whole numbers.

First each group in turn is given what its points and literals have left. That is two or three wrong rows
below the best there is. A linear program guesses better multipliers, which are packed likewise:

    maximise Σ u    so that    Σ u <= weight at every point,    Σ u·(factor of l) <= penalty at every literal

It is solved by the simplex method in 32-bit floating point, so its result is only a guess, packed in whole
numbers. With B for the part of the matrix where limits are met with equality and multipliers are not 0, only
the inverse of B is kept: it is small, as the bound of a box is. Groups can join at any time. Limits are off
by a little, a different part each, so that no step is in vain.

The matrix itself is never written down: a group knows its points, and each point the groups it is in, as a
chain. Rows of the inverse are zero from their end to the next multiple of `LANES`, so that loops over them
run in whole vectors.
"""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.ratio_pairs import (
    FINE,
    LANES,
    MEMBERS,
    MOST_TIGHT,
    Floats,
    PairList,
    PointPairs,
    Prices,
)


@reader(error_model="numpy")
def pack_groups(
    listed: PairList, kept: int, undecided: Ints, penalty: Ints, enough: int, is_guided: bool, load: Ints
) -> int:
    """Give each group in turn what its points and literals have left; return the sum, and fill `load`.

    Little at first, or, where that is guided, what was guessed. Stops above `enough`. Loads are
    counted in 1/FINE².
    """
    place, member, factor, left = listed.place, listed.member, listed.factor, listed.left
    total, n, last = np.int64(0), len(undecided), 1 if is_guided else 2
    for f in range(len(penalty)):
        load[0, f] = load[1, f] = 0
    for s in range(kept):
        listed.is_open[s] = 1
    for sweep in range(last + 1):
        for s in range(kept):
            if listed.is_open[s] == 0:
                continue
            c = place[s]
            u = left[member[c, 0]]
            for k in range(1, listed.size[s]):
                u = min(u, left[member[c, k]])
            if sweep < last:
                u = min(u, np.int64(listed.guess[s]) if is_guided else 1 + u // 4)
            if u <= 0:
                continue
            for t in range(n):
                a = factor[s, t]
                if a:
                    side = 0 if a > 0 else 1
                    spare = penalty[undecided[t]] * FINE * FINE - load[side, undecided[t]]
                    if abs(a) * u > spare:
                        u = spare // abs(a)
            if u <= 0:
                listed.is_open[s] = 0  # a literal has nothing left, and never will have
                continue
            for t in range(n):
                a = factor[s, t]
                if a:
                    load[0 if a > 0 else 1, undecided[t]] += abs(a) * u
            for k in range(listed.size[s]):
                left[member[c, k]] -= u
            total += u
            if total > enough:
                return total
    return total


_ZERO = np.float32(1e-4)  # what counts as nothing
_GAIN = np.float32(0.1)  # the least gain of a multiplier that is worth a step
_MOST_STEPS = 300
_APART = np.float32(0.01)  # how far limits are off at most
_LIMITS, _TIGHT = range(2)


@reader()
def whole_vectors(n: int) -> int:
    """The next multiple of `LANES`."""
    return (n + LANES - 1) // LANES * LANES


@reader()
def begin_prices(prices: Prices, pairs: PointPairs, undecided: Ints) -> None:
    """Begin with no multipliers."""
    points = len(pairs.weight)
    n = points + 2 * len(undecided)
    for i in range(n):
        whole = pairs.weight[i] / FINE if i < points else pairs.penalty[undecided[(i - points) // 2]]
        off = np.float32(1.0) + _APART * np.float32((i * 37) % 101) / np.float32(101.0)
        prices.left[i], prices.price[i] = np.float32(whole) * off, np.float32(0.0)
        prices.at_tight[i] = -1
    for i in range(points):
        prices.first[i] = -1
    prices.number[_LIMITS], prices.number[_TIGHT] = n, 0


@reader()
def add_groups(prices: Prices, listed: PairList, points: int, undecided: Ints, first: int, end: int) -> None:
    """Let groups of the packing join, from `first` to before `end`."""
    for s in range(first, end):
        prices.at_used[s] = -1
        total = np.float32(1 + listed.size[s])
        for k in range(listed.size[s]):
            i = listed.member[listed.place[s], k]
            prices.point[s, k] = i
            prices.next[s, k] = prices.first[i]
            prices.first[i] = s * MEMBERS + k
        part = prices.part[s]
        for t in range(len(undecided)):
            share = np.float32(listed.factor[s, t]) / np.float32(FINE)
            part[2 * t], part[2 * t + 1] = max(share, np.float32(0.0)), max(-share, np.float32(0.0))
            total += share * share
        prices.worth[s] = np.float32(1.0) / np.sqrt(np.sqrt(total))
    for t in range(prices.number[_TIGHT]):
        write_taken(prices, points, t, end)


@reader(fastmath={"nnan", "nsz"})
def subtract(times: float, numbers: Floats, to: Floats) -> None:
    """Subtract a multiple of an array from another."""
    for j in range(len(to)):
        to[j] -= times * numbers[j]


@reader()
def clear(numbers: Floats) -> None:
    """Make all numbers 0."""
    for j in range(len(numbers)):
        numbers[j] = np.float32(0.0)


@reader()
def write_taken(prices: Prices, points: int, t: int, kept: int) -> None:
    """Write what each group takes of a tight limit."""
    limit, taken = prices.tight[t], prices.taken[t, : whole_vectors(kept)]
    if limit >= points:
        for s in range(kept):
            taken[s] = prices.part[s, limit - points]
        return
    clear(taken)
    at = prices.first[limit]
    while at >= 0:
        taken[at // MEMBERS] = np.float32(1.0)
        at = prices.next[at // MEMBERS, at % MEMBERS]


@reader()
def write_costs_of(prices: Prices, kept: int) -> None:
    """Write what each group costs."""
    end = whole_vectors(kept)
    cost = prices.cost[:end]
    clear(cost)
    for t in range(prices.number[_TIGHT]):
        subtract(prices.gain[t], prices.taken[t, :end], cost)


@reader()
def set_direction(prices: Prices, listed: PairList, points: int, group: int, slack: int) -> None:
    """How multipliers and what is left of limits fall, if a group or the slack of a tight limit rises."""
    size, n = prices.number[_TIGHT], prices.number[_LIMITS]
    wide, tail = whole_vectors(size), whole_vectors(n - points)
    fall, change, literal = prices.fall[:wide], prices.change, prices.change[points : points + tail]
    clear(change)
    if group >= 0:
        clear(fall)
        part = prices.part[group, :tail]
        for k in range(listed.size[group]):
            i = prices.point[group, k]
            change[i] = np.float32(1.0)
            if prices.at_tight[i] >= 0:
                subtract(np.float32(-1.0), prices.inverse[prices.at_tight[i], :wide], fall)
        for j in range(n - points):
            literal[j] = part[j]
            if part[j] != np.float32(0.0) and prices.at_tight[points + j] >= 0:
                subtract(-part[j], prices.inverse[prices.at_tight[points + j], :wide], fall)
    else:
        row = prices.inverse[slack, :wide]
        for a in range(wide):
            fall[a] = row[a]
    for a in range(size):
        if fall[a] != np.float32(0.0):
            s = prices.used[a]
            for k in range(listed.size[s]):
                change[prices.point[s, k]] -= fall[a]
            subtract(fall[a], prices.part[s, :tail], literal)
    for t in range(size):
        change[prices.tight[t]] = np.float32(0.0)


@reader(error_model="numpy")
def exchange(prices: Prices, t: int, a: int, n_rows: int, n_columns: int) -> None:
    """Exchange a limit with a group, in the inverse and the gains."""
    wide = whole_vectors(n_rows)
    pivot, source = prices.pivot[:wide], prices.inverse[t, :wide]
    for j in range(wide):
        pivot[j] = source[j]
    over = np.float32(1.0) / pivot[a]
    pivot[a] = np.float32(0.0)
    for q in range(n_columns):
        row = prices.inverse[q, :wide]
        if q != t and row[a] != np.float32(0.0):
            times = row[a] * over
            subtract(times, pivot, row)
            row[a] = times
            prices.gain[q] -= times * prices.gain[t]
    for j in range(wide):
        source[j] = -over * pivot[j]
    source[a] = over
    prices.gain[t] *= -over


@reader()
def drop_row(prices: Prices, a: int, last: int, n_columns: int) -> None:
    """Drop a used group: the last one takes its place."""
    prices.at_used[prices.used[a]] = -1
    if a != last:
        prices.used[a], prices.multiplier[a] = prices.used[last], prices.multiplier[last]
        prices.at_used[prices.used[a]] = a
        for t in range(n_columns):
            prices.inverse[t, a] = prices.inverse[t, last]
    for t in range(n_columns):
        prices.inverse[t, last] = np.float32(0.0)


@reader()
def drop_column(prices: Prices, t: int, last: int, n_rows: int, kept: int) -> None:
    """Drop a tight limit: the last one takes its place."""
    prices.price[prices.tight[t]], prices.at_tight[prices.tight[t]] = np.float32(0.0), -1
    if t != last:
        prices.tight[t], prices.gain[t] = prices.tight[last], prices.gain[last]
        prices.at_tight[prices.tight[t]] = t
        row, other = prices.inverse[t, : whole_vectors(n_rows)], prices.inverse[last]
        for a in range(len(row)):
            row[a] = other[a]
        taken, from_last = prices.taken[t, : whole_vectors(kept)], prices.taken[last]
        for s in range(len(taken)):
            taken[s] = from_last[s]


@reader()
def take_from(prices: Prices, part: float, a: int, size: int) -> None:
    """Subtract a multiple of what the tight limits do to a group from what they do to the last one."""
    for t in range(size):
        prices.inverse[t, size] -= part * prices.inverse[t, a]


@reader()
def write_row(prices: Prices, points: int, limit: int, size: int) -> None:
    """Append what a limit has left, as a function of the tight ones."""
    for t in range(size):
        prices.inverse[t, size] = np.float32(0.0)
    if limit < points:
        at = prices.first[limit]
        while at >= 0:
            a = prices.at_used[at // MEMBERS]
            if a >= 0:
                take_from(prices, np.float32(1.0), a, size)
            at = prices.next[at // MEMBERS, at % MEMBERS]
        return
    for a in range(size):
        part = prices.part[prices.used[a], limit - points]
        if part != np.float32(0.0):
            take_from(prices, part, a, size)


@reader(error_model="numpy", fastmath={"nnan", "nsz"})
def write_lengths(left: Floats, change: Floats, length: Floats) -> None:
    """How far a step can go until each of these is 0."""
    for i in range(len(length)):
        far = max(np.float32(0.0), left[i]) / change[i]
        length[i] = far if change[i] > _ZERO else np.float32(1e30)


@reader()
def shortest(length: Floats, n: int) -> int:
    """Where the least number is, the first of equal ones."""
    least, at = np.float32(1e30), -1
    for i in range(n):
        if length[i] < least:
            least, at = length[i], i
    return at


@reader(error_model="numpy")
def take_step(prices: Prices, listed: PairList, points: int, kept: int, group: int, slack: int, gain: float) -> float:
    """Let a group or the slack of a tight limit rise as far as it can; return what that gains, or -1."""
    size, n = prices.number[_TIGHT], prices.number[_LIMITS]
    wide, all_limits = whole_vectors(size), whole_vectors(n)
    set_direction(prices, listed, points, group, slack)
    fall, change, left, multiplier = prices.fall, prices.change, prices.left, prices.multiplier
    length = prices.length
    write_lengths(left[:all_limits], change[:all_limits], length[:all_limits])
    limit, row, step = shortest(length, n), -1, np.float32(1e30)
    if limit >= 0:
        step = length[limit]
    write_lengths(multiplier[:wide], fall[:wide], length[:wide])
    a = shortest(length, size)
    if a >= 0 and length[a] < step:
        step, limit, row = length[a], -1, a
    if (limit < 0 and row < 0) or (group >= 0 and limit >= 0 and size == MOST_TIGHT - 1):
        return np.float32(-1.0)
    subtract(step, fall[:wide], multiplier[:wide])
    subtract(step, change[:all_limits], left[:all_limits])
    column, n_rows, n_columns = slack, size, size
    if group >= 0:  # its column joins
        column, n_columns = size, size + 1
        prices.gain[size] = gain
        pivot = prices.inverse[size]
        clear(pivot)
        for a in range(size):
            pivot[a] = fall[a]
    if limit >= 0:  # its row joins
        row, n_rows = size, size + 1
        write_row(prices, points, limit, size)
        if group >= 0:
            prices.inverse[size, size] = change[limit]
    exchange(prices, column, row, n_rows, n_columns)
    if group >= 0 and limit >= 0:
        prices.used[size], prices.tight[size], prices.multiplier[size] = group, limit, step
        prices.at_used[group], prices.at_tight[limit] = size, size
        left[limit] = np.float32(0.0)
        write_taken(prices, points, size, kept)
        prices.number[_TIGHT] = size + 1
    elif group >= 0:
        prices.at_used[prices.used[row]] = -1
        prices.used[row], prices.multiplier[row] = group, step
        prices.at_used[group] = row
    elif limit >= 0:
        freed = prices.tight[slack]
        left[freed], prices.price[freed], prices.at_tight[freed] = step, np.float32(0.0), -1
        prices.tight[slack], prices.at_tight[limit] = limit, slack
        write_taken(prices, points, slack, kept)
        left[limit] = np.float32(0.0)
        for t in range(size):  # what its row was
            prices.inverse[t, size] = np.float32(0.0)
    else:
        left[prices.tight[slack]] = step
        drop_row(prices, row, size - 1, size)
        drop_column(prices, slack, size - 1, size - 1, kept)
        prices.number[_TIGHT] = size - 1
    for t in range(prices.number[_TIGHT]):
        prices.price[prices.tight[t]] = -prices.gain[t]
    return step * gain


@reader()
def solve_prices(prices: Prices, listed: PairList, points: int, kept: int, enough: float) -> int:
    """Take steps while they gain, until the sum of multipliers is more than enough; return their number."""
    total = np.float32(0.0)
    for a in range(prices.number[_TIGHT]):
        total += prices.multiplier[a]
    for steps in range(_MOST_STEPS):
        write_costs_of(prices, kept)
        if total > enough:
            return steps
        group, slack, most = -1, -1, _GAIN
        for s in range(kept):
            worth = (np.float32(1.0) - prices.cost[s]) * prices.worth[s]
            if worth > most and prices.at_used[s] < 0:
                group, most = s, worth
        for t in range(prices.number[_TIGHT]):
            if prices.gain[t] > most:
                group, slack, most = -1, t, prices.gain[t]
        if group < 0 and slack < 0:
            return steps
        gain = np.float32(1.0) - prices.cost[group] if group >= 0 else most
        won = take_step(prices, listed, points, kept, group, slack, gain)
        if won < np.float32(0.0):
            return steps
        total += won
    return _MOST_STEPS


@reader()
def read_prices(prices: Prices, listed: PairList, points: int, undecided: Ints, kept: int) -> None:
    """Write multipliers to `guess` in 1/FINE, gains of groups too, and the prices to `demand` and `rate`."""
    guess, gain = listed.guess, listed.gain
    for s in range(kept):
        guess[s], gain[s] = np.float32(0.0), np.float32(1.0) - prices.cost[s]
    for a in range(prices.number[_TIGHT]):
        guess[prices.used[a]] = max(np.float32(0.0), prices.multiplier[a]) * np.float32(FINE)
    for i in range(prices.number[_LIMITS]):
        price = max(np.float32(0.0), prices.price[i])
        if i < points:
            listed.demand[i] = price
        else:
            listed.rate[(i - points) % 2, undecided[(i - points) // 2]] = price

"""The best multipliers for the groups of a box, and the prices that go with them: a linear program.

    maximise Σ u    so that    Σ u <= weight at every point,    Σ u·(factor of l) <= penalty at every literal

It is solved by the simplex method in 32-bit floating point, which can only guess: `kernels/whole_packing.py`
packs the guess in whole numbers. With B for the part of the matrix where limits are met with equality and
multipliers are not 0, only the inverse of B is kept: it is small, as the bound of a box is. Groups can join
at any time. Limits are off by a little, a different part each, so that no step is in vain.
"""

import numpy as np

from supersparse.solving.kernels.jit import reader
from supersparse.solving.kernels.whole_data import FINE, MOST_TIGHT, Floats, Ints, Listed, PointPairs, Prices

_ZERO = np.float32(1e-4)  # what counts as nothing
_GAIN = np.float32(0.05)  # the least gain of a multiplier that is worth a step
_MOST_STEPS = 300
_APART = np.float32(0.01)  # how far limits are off at most
_LIMITS, _TIGHT = range(2)


@reader()
def begin_prices(prices: Prices, pairs: PointPairs, undecided: Ints) -> None:
    """Begin with no multipliers."""
    points = len(pairs.weight)
    n = points + 2 * len(undecided)
    for i in range(n):
        whole = pairs.weight[i] / FINE if i < points else pairs.penalty[undecided[(i - points) // 2]]
        off = np.float32(1.0) + _APART * np.float32((i * 37) % 101) / np.float32(101.0)
        prices.left[i], prices.price[i] = np.float32(whole) * off, np.float32(0.0)
    prices.number[_LIMITS], prices.number[_TIGHT] = n, 0


@reader()
def add_groups(prices: Prices, listed: Listed, points: int, undecided: Ints, first: int, end: int) -> None:
    """Let groups of the packing join, from `first` to before `end`."""
    n = prices.number[_LIMITS]
    for s in range(first, end):
        column = prices.column[s]
        prices.is_used[s] = 0
        for i in range(n):
            column[i] = np.float32(0.0)
        for k in range(listed.size[s]):
            column[listed.member[listed.place[s], k]] = np.float32(1.0)
        for t in range(len(undecided)):
            a = listed.factor[s, t]
            column[points + 2 * t + (0 if a > 0 else 1)] = np.float32(abs(a)) / np.float32(FINE)
            listed.share[t, s] = np.float32(a) / np.float32(FINE)
        total = np.float32(1.0)
        for i in range(n):
            total += column[i] * column[i]
        prices.worth[s] = np.float32(1.0) / np.sqrt(np.sqrt(total))


@reader(fastmath={"nnan", "nsz"})
def subtract(times: float, numbers: Floats, to: Floats) -> None:
    """Subtract a multiple of an array from another."""
    for j in range(len(to)):
        to[j] -= times * numbers[j]


@reader(fastmath={"nnan", "nsz"})
def add_prices(share: Floats, up: float, down: float, cost: Floats) -> None:
    """Add what a feature's literals cost each group."""
    for s in range(len(cost)):
        cost[s] += max(share[s] * up, share[s] * down)


@reader()
def write_costs_of(prices: Prices, listed: Listed, points: int, n_undecided: int, kept: int) -> None:
    """Write what each group costs."""
    cost, price = prices.cost[:kept], prices.price
    for s in range(kept):
        total = np.float32(0.0)
        for k in range(listed.size[s]):
            total += price[listed.member[listed.place[s], k]]
        cost[s] = total
    for t in range(n_undecided):
        up, down = price[points + 2 * t], price[points + 2 * t + 1]
        if up != np.float32(0.0) or down != np.float32(0.0):
            add_prices(listed.share[t, :kept], up, -down, cost)


@reader()
def set_direction(prices: Prices, listed: Listed, points: int, group: int, slack: int) -> None:
    """How multipliers and what is left of limits fall, if a group or the slack of a tight limit rises."""
    size, n = prices.number[_TIGHT], prices.number[_LIMITS]
    fall, change = prices.fall[:size], prices.change[:n]
    if group >= 0:
        column = prices.column[group]
        for a in range(size):
            fall[a] = np.float32(0.0)
        for i in range(n):
            change[i] = column[i]
        for t in range(size):
            if column[prices.tight[t]] != np.float32(0.0):
                subtract(-column[prices.tight[t]], prices.inverse[t, :size], fall)
    else:
        for a in range(size):
            fall[a] = prices.inverse[slack, a]
        for i in range(n):
            change[i] = np.float32(0.0)
    for a in range(size):
        if fall[a] != np.float32(0.0):
            s = prices.used[a]
            for k in range(listed.size[s]):
                change[listed.member[listed.place[s], k]] -= fall[a]
            subtract(fall[a], prices.column[s, points:n], change[points:])
    for t in range(size):
        change[prices.tight[t]] = np.float32(0.0)


@reader(error_model="numpy")
def exchange(prices: Prices, t: int, a: int, n_rows: int, n_columns: int) -> None:
    """Exchange a limit with a group, in the inverse and the gains."""
    pivot = prices.inverse[t, :n_rows]
    over = np.float32(1.0) / pivot[a]
    pivot[a] = np.float32(0.0)
    for q in range(n_columns):
        row = prices.inverse[q, :n_rows]
        if q != t and row[a] != np.float32(0.0):
            times = row[a] * over
            subtract(times, pivot, row)
            row[a] = times
            prices.gain[q] -= times * prices.gain[t]
    for j in range(n_rows):
        pivot[j] *= -over
    pivot[a] = over
    prices.gain[t] *= -over


@reader()
def drop_row(prices: Prices, a: int, last: int, n_columns: int) -> None:
    """Drop a used group: the last one takes its place."""
    prices.is_used[prices.used[a]] = 0
    if a != last:
        prices.used[a], prices.multiplier[a] = prices.used[last], prices.multiplier[last]
        for t in range(n_columns):
            prices.inverse[t, a] = prices.inverse[t, last]


@reader()
def drop_column(prices: Prices, t: int, last: int, n_rows: int) -> None:
    """Drop a tight limit: the last one takes its place."""
    prices.price[prices.tight[t]] = np.float32(0.0)
    if t != last:
        prices.tight[t], prices.gain[t] = prices.tight[last], prices.gain[last]
        for a in range(n_rows):
            prices.inverse[t, a] = prices.inverse[last, a]


@reader()
def write_row(prices: Prices, limit: int, size: int) -> None:
    """Append what a limit has left, as a function of the tight ones."""
    for t in range(size):
        prices.inverse[t, size] = np.float32(0.0)
    for a in range(size):
        part = prices.column[prices.used[a], limit]
        if part != np.float32(0.0):
            for t in range(size):
                prices.inverse[t, size] -= part * prices.inverse[t, a]


@reader(error_model="numpy")
def take_step(prices: Prices, listed: Listed, points: int, group: int, slack: int, gain: float) -> float:
    """Let a group or the slack of a tight limit rise as far as it can; return what that gains, or -1."""
    size, n = prices.number[_TIGHT], prices.number[_LIMITS]
    set_direction(prices, listed, points, group, slack)
    fall, change, left, multiplier = prices.fall, prices.change, prices.left, prices.multiplier
    step, limit, row = np.float32(1e30), -1, -1
    for i in range(n):
        if change[i] > _ZERO and left[i] < step * change[i]:
            step, limit = max(np.float32(0.0), left[i] / change[i]), i
    for a in range(size):
        if fall[a] > _ZERO and multiplier[a] < step * fall[a]:
            step, limit, row = max(np.float32(0.0), multiplier[a] / fall[a]), -1, a
    if (limit < 0 and row < 0) or (group >= 0 and limit >= 0 and size == MOST_TIGHT - 1):
        return np.float32(-1.0)
    subtract(step, fall[:size], multiplier[:size])
    subtract(step, change[:n], left[:n])
    column, n_rows, n_columns = slack, size, size
    if group >= 0:  # its column joins
        column, n_columns = size, size + 1
        prices.gain[size] = gain
        for a in range(size):
            prices.inverse[size, a] = fall[a]
    if limit >= 0:  # its row joins
        row, n_rows = size, size + 1
        write_row(prices, limit, size)
        if group >= 0:
            prices.inverse[size, size] = change[limit]
    exchange(prices, column, row, n_rows, n_columns)
    if group >= 0 and limit >= 0:
        prices.used[size], prices.tight[size], prices.multiplier[size] = group, limit, step
        prices.is_used[group] = 1
        left[limit] = np.float32(0.0)
        prices.number[_TIGHT] = size + 1
    elif group >= 0:
        prices.is_used[prices.used[row]] = 0
        prices.used[row], prices.multiplier[row] = group, step
        prices.is_used[group] = 1
    elif limit >= 0:
        left[prices.tight[slack]] = step
        prices.price[prices.tight[slack]] = np.float32(0.0)
        prices.tight[slack] = limit
        left[limit] = np.float32(0.0)
    else:
        left[prices.tight[slack]] = step
        drop_row(prices, row, size - 1, size)
        drop_column(prices, slack, size - 1, size - 1)
        prices.number[_TIGHT] = size - 1
    for t in range(prices.number[_TIGHT]):
        prices.price[prices.tight[t]] = -prices.gain[t]
    return step * gain


@reader()
def solve_prices(
    prices: Prices, listed: Listed, points: int, n_undecided: int, kept: int, enough: float
) -> int:
    """Take steps while they gain, until the sum of multipliers is more than enough; return their number."""
    total = np.float32(0.0)
    for a in range(prices.number[_TIGHT]):
        total += prices.multiplier[a]
    for steps in range(_MOST_STEPS):
        write_costs_of(prices, listed, points, n_undecided, kept)
        if total > enough:
            return steps
        group, slack, most = -1, -1, _GAIN
        for s in range(kept):
            worth = (np.float32(1.0) - prices.cost[s]) * prices.worth[s]
            if worth > most and prices.is_used[s] == 0:
                group, most = s, worth
        for t in range(prices.number[_TIGHT]):
            if prices.gain[t] > most:
                group, slack, most = -1, t, prices.gain[t]
        if group < 0 and slack < 0:
            return steps
        gain = np.float32(1.0) - prices.cost[group] if group >= 0 else most
        won = take_step(prices, listed, points, group, slack, gain)
        if won < np.float32(0.0):
            return steps
        total += won
    return _MOST_STEPS


@reader()
def read_prices(prices: Prices, listed: Listed, points: int, undecided: Ints, kept: int) -> None:
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

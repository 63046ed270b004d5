"""Multipliers for the pairs of `kernels/whole_pairs.py`: the bound of a box.

Multipliers u >= 0 with Σ u <= weight at every point, and Σ u·(factor of l) <= penalty of l at every literal,
prove that every vector of a box loses Σ u beyond the penalties of the features that are in. Factors are
rounded up to 1/64 and weights are counted in 1/64, so this is done in whole numbers.

First each pair in turn is given what its points and literals have left. That is two or three wrong rows below
the best there is, so `improve` guesses better multipliers by a few rounds of prices: a point or literal of
which the part x is taken costs x^8, a pair what its points and literals cost, and its multiplier is divided
by the root of that. This is floating point, and proves nothing: the guess is then packed in whole numbers.
"""

import numpy as np

from supersparse.solving.kernels.jit import inner
from supersparse.solving.kernels.whole_pairs import FINE, Floats, Ints, Listed, PointPairs

_FLOOR = 1e-4  # what points and literals without load cost
_START = 0.02  # of the weight of its points: what each pair begins with, beside what it was given


@inner(error_model="numpy")
def pack_pairs(
    listed: Listed, kept: int, undecided: Ints, penalty: Ints, enough: int, is_guided: bool, load: Ints
) -> int:
    """Give each pair in turn what its points and literals have left; return the sum, and fill `load`.

    Little at first, or, where that is guided, what `improve` has guessed. Stops above `enough`. Loads are
    counted in 1/FINE².
    """
    first, second, factor, left = listed.first, listed.second, listed.factor, listed.left
    total, n, last = np.int64(0), len(undecided), 1 if is_guided else 2
    for f in range(len(penalty)):
        load[0, f] = load[1, f] = 0
    for s in range(kept):
        listed.given[s], listed.is_open[s] = 0, 1
    for sweep in range(last + 1):
        for s in range(kept):
            i, j = first[s], second[s]
            u = min(left[i], left[j]) * listed.is_open[s]
            if sweep < last:
                u = min(u, np.int64(listed.guess[1, s]) if is_guided else 1 + u // 4)
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
            left[i] -= u
            left[j] -= u
            listed.given[s] += u
            total += u
            if total > enough:
                return total
    return total


@inner(fastmath={"nnan", "nsz"})
def loaded(share: Floats, u: Floats, sides: Floats) -> None:
    """Sum what pairs load on the two literals of a feature, in one order everywhere."""
    a, b, c, d = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    e, f, g, h = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    zero = np.float32(0.0)
    for s in range(0, len(u), 4):
        v, w, x, y = (
            share[s] * u[s],
            share[s + 1] * u[s + 1],
            share[s + 2] * u[s + 2],
            share[s + 3] * u[s + 3],
        )
        a += max(v, zero)
        b += max(w, zero)
        c += max(x, zero)
        d += max(y, zero)
        e += min(v, zero)
        f += min(w, zero)
        g += min(x, zero)
        h += min(y, zero)
    sides[0] = (a + b) + (c + d)
    sides[1] = -((e + f) + (g + h))


@inner(fastmath={"nnan", "nsz"})
def add_prices(share: Floats, up: float, down: float, cost: Floats) -> None:
    """Add what a feature's literals cost each pair."""
    for s in range(len(cost)):
        cost[s] += max(share[s] * up, share[s] * down)


@inner()
def begin_guess(listed: Listed, pairs: PointPairs, undecided: Ints, kept: int) -> None:
    """Begin with what was given, and a little for all; fill up to a multiple of 4 with nothing."""
    u, best = listed.guess[0], listed.guess[1]
    for s in range(kept, (kept + 3) // 4 * 4):
        u[s] = best[s] = np.float32(0.0)
        for t in range(len(undecided)):
            listed.share[t, s] = np.float32(0.0)
    for s in range(kept):
        least = min(pairs.weight[listed.first[s]], pairs.weight[listed.second[s]])
        u[s] = np.float32(listed.given[s]) + np.float32(_START) * np.float32(least)
        best[s] = np.float32(0.0)
    for i in range(len(pairs.weight)):
        listed.bears[i] = np.float32(1.0) / np.float32(max(1, pairs.weight[i]))
    for t in range(len(undecided)):
        bears = np.float32(1.0) / np.float32(max(1, pairs.penalty[undecided[t]]) * FINE * FINE)
        for s in range(kept):
            listed.share[t, s] = np.float32(listed.factor[s, t]) * bears


@inner()
def price_of(part: float) -> float:
    """What a point or literal costs of which this part is taken."""
    square = part * part
    return square * square * square * square + np.float32(_FLOOR)


@inner(error_model="numpy")
def improve(
    listed: Listed, pairs: PointPairs, undecided: Ints, kept: int, rounds: int, enough: float
) -> None:
    """Guess better multipliers in so many rounds, or until they are likely to come to more than `enough`."""
    begin_guess(listed, pairs, undecided, kept)
    n, size, demand = len(undecided), (kept + 3) // 4 * 4, listed.demand
    u, best, cost = listed.guess[0, :size], listed.guess[1, :size], listed.guess[2, :size]
    highest = np.float32(0.0)
    sides = np.empty((n, 2), np.float32)
    for _ in range(rounds):
        for i in range(len(demand)):
            demand[i] = np.float32(0.0)
        total, most = np.float32(0.0), np.float32(0.0)
        for s in range(kept):
            demand[listed.first[s]] += u[s]
            demand[listed.second[s]] += u[s]
            total += u[s]
        for i in range(len(demand)):
            demand[i] *= listed.bears[i]
            most = max(most, demand[i])
        for t in range(n):
            loaded(listed.share[t], u, sides[t])
            most = max(most, max(sides[t, 0], sides[t, 1]))
        scale = np.float32(1.0) / most
        if total * scale > highest:
            highest = total * scale
            for s in range(kept):
                best[s] = u[s] * scale
            if highest > enough:
                break
        for i in range(len(demand)):
            demand[i] = price_of(demand[i] * scale) * listed.bears[i]
        for s in range(kept):
            cost[s] = demand[listed.first[s]] + demand[listed.second[s]]
        for t in range(n):
            add_prices(listed.share[t], price_of(sides[t, 0] * scale), -price_of(sides[t, 1] * scale), cost)
        least = cost[0]
        for s in range(1, kept):
            least = min(least, cost[s])
        for s in range(kept):
            u[s] *= scale * np.sqrt(least / cost[s])

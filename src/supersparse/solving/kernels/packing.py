"""Greedy packing of pair covers: the dual of the cover inequalities."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.sorting import order_of

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def uncovered(
    pairs: NDArray[np.int32], start: Ints, literal: NDArray[np.int32], added: int
) -> NDArray[np.int32]:
    """Keep the pairs that do not have the literal `added`."""
    kept = np.empty(len(pairs), np.int32)
    n = 0
    for q in pairs:
        covered = False
        for t in range(start[q], start[q + 1]):
            if literal[t] == added:
                covered = True
                break
        if not covered:
            kept[n] = q
            n += 1
    return kept[:n].copy()


@njit(cache=True, nogil=True)
def pack(
    pairs: NDArray[np.int32],
    positive: NDArray[Any],
    negative: NDArray[Any],
    start: Ints,
    literal: NDArray[np.int32],
    allowed: NDArray[np.bool_],
    capacity: Ints,
    left_positive: Ints,
    left_negative: Ints,
    load: Ints,
    enough: int,
    multiplier: Ints,
) -> int:
    """Pack pairs greedily, fewest allowed literals first; return the sum of the multipliers u.

    Keeps Σ u at each point within its weight (`left_*`, changed) and the load of each literal
    within its capacity. Stops once the sum exceeds `enough`. `multiplier` receives u of each
    pair, or is empty.
    """
    n = len(pairs)
    for name in range(len(load)):
        load[name] = 0
    widest = 0
    size = np.empty(n, np.int32)
    for s in range(n):
        q = pairs[s]
        count = 0
        for t in range(start[q], start[q + 1]):
            if allowed[literal[t]]:
                count += 1
        size[s] = count
        widest = max(widest, count)
    place = np.zeros(widest + 2, np.int64)
    for s in range(n):
        place[size[s] + 1] += 1
    for c in range(widest + 1):
        place[c + 1] += place[c]
    order = np.empty(n, np.int32)
    for s in range(n):
        order[place[size[s]]] = s
        place[size[s]] += 1
    total = np.int64(0)
    for s in order:
        q = pairs[s]
        i, j = positive[q], negative[q]
        u = min(left_positive[i], left_negative[j])
        if u <= 0:
            continue
        for t in range(start[q], start[q + 1]):
            name = literal[t]
            if allowed[name]:
                u = min(u, capacity[name] - load[name])
        if u <= 0:
            continue
        left_positive[i] -= u
        left_negative[j] -= u
        total += u
        for t in range(start[q], start[q + 1]):
            if allowed[literal[t]]:
                load[literal[t]] += u
        if len(multiplier):
            multiplier[s] = u
        if total > enough:
            break
    return total


@njit(cache=True, nogil=True)
def most_gained(load: Ints, cost: Ints, allowed: NDArray[np.bool_], most: int) -> tuple[int, int]:
    """Return (sum, least): the `most` largest (load - cost)+ over features, and the least of them.

    A feature enters with one sign only, so only its better literal counts.
    """
    n = len(load) // 2
    gain = np.zeros(n, np.int64)
    for f in range(n):
        for literal in (2 * f, 2 * f + 1):
            if allowed[literal]:
                gain[f] = max(gain[f], load[literal] - cost[literal])
    total, least = np.int64(0), np.int64(0)
    if most >= n:
        for f in range(n):
            total += gain[f]
        return total, least
    order = order_of(gain)
    for t in range(n - most, n):
        total += gain[order[t]]
    if most > 0:
        least = gain[order[n - most]]
    return total, least


@njit(cache=True, nogil=True)
def literal_bounds(
    total: int,
    load: Ints,
    cost: Ints,
    allowed: NDArray[np.bool_],
    most: int,
    gained: int,
    least: int,
    bound: Ints,
) -> None:
    """Fill ``bound[l]`` with a bound on the rest of the cost when literal l is in the model.

    Taking l leaves room for most - 1 others. Its own term may be negative; if its feature was
    among the largest gains it gives that place back, else the least of them gives way.
    """
    for f in range(len(load) // 2):
        own = np.int64(0)
        for literal in (2 * f, 2 * f + 1):
            if allowed[literal]:
                own = max(own, load[literal] - cost[literal])
        others = gained - max(own, least)
        for literal in (2 * f, 2 * f + 1):
            bound[literal] = total - (load[literal] - cost[literal]) - others

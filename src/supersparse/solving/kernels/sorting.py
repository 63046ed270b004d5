"""A stable sort that compiles fast: numba's own argsort costs several seconds each time it is used."""

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.kernels.jit import kernel

Ints = NDArray[np.int64]

_NARROW = 32  # keys that span at most so many times their number are counted: up to ten times as fast


@kernel()
def order_of(keys: Ints) -> Ints:
    """Return the indices that sort `keys`, equal keys in their old order."""
    n = len(keys)
    if n == 0:
        return np.empty(0, np.int64)
    least, most = keys[0], keys[0]
    for key in keys:
        least, most = min(least, key), max(most, key)
    # halves first: the difference of far keys may not fit
    if most // 2 - least // 2 <= _NARROW // 2 * n:
        return order_by_counting(keys, least, most)
    return order_by_merging(keys)


@kernel()
def order_by_counting(keys: Ints, least: int, most: int) -> Ints:
    """Count each key between `least` and `most`, then put every index at its key's next place."""
    place = np.zeros(most - least + 2, np.int64)
    for key in keys:
        place[key - least + 1] += 1
    for t in range(1, len(place)):
        place[t] += place[t - 1]
    order = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        key = keys[i] - least
        order[place[key]] = i
        place[key] += 1
    return order


@kernel()
def order_by_merging(keys: Ints) -> Ints:
    """Bottom-up merge sort of runs that were sorted by insertion."""
    n = len(keys)
    order, spare = np.arange(n), np.empty(n, np.int64)
    run = 8
    for begin in range(0, n, run):
        for t in range(begin + 1, min(begin + run, n)):
            item = order[t]
            u = t
            while u > begin and keys[order[u - 1]] > keys[item]:
                order[u] = order[u - 1]
                u -= 1
            order[u] = item
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            a, b = begin, middle
            for t in range(begin, end):
                if a < middle and (b >= end or keys[order[a]] <= keys[order[b]]):
                    spare[t] = order[a]
                    a += 1
                else:
                    spare[t] = order[b]
                    b += 1
        order, spare = spare, order
        run *= 2
    return order

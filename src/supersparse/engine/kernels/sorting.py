"""A stable sort that compiles fast: numba's own argsort costs several seconds each time it is used."""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import inner, kernel, reader

_FULL = 32  # items of one bucket, at most, that are sorted by insertion
_NARROW = 32  # keys that span at most this many times their number are counted: up to ten times as fast


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


@reader()
def sort_by(key: Ints, items: Ints, n: int, spare: Ints, place: Ints) -> None:
    """Sort the first n items, which rise, by their keys, equal keys by the item.

    `spare` and `place` are scratch, for n and for 2n + 2 numbers.
    """
    if n < 2:
        return
    least, most = key[items[0]], key[items[0]]
    for t in range(n):
        least, most = min(least, key[items[t]]), max(most, key[items[t]])
    span, shift = most // 2 - least // 2, 0  # halves: the difference of far keys may not fit
    while span >> shift >= n:
        shift += 1
    # at most 2n buckets
    buckets = ((most >> shift) - (least >> shift)) + 1
    first = least >> shift
    for t in range(buckets + 1):
        place[t] = 0
    for t in range(n):
        spare[t] = items[t]
        place[(key[items[t]] >> shift) - first + 1] += 1
    fullest = np.int64(0)
    for t in range(buckets):
        fullest = max(fullest, place[t + 1])
        place[t + 1] += place[t]
    if shift and fullest > _FULL:
        sort_by_merging(key, items, n)
        return
    for t in range(n):
        bucket = (key[spare[t]] >> shift) - first
        items[place[bucket]] = spare[t]
        place[bucket] += 1
    if shift:
        for t in range(1, n):
            item = items[t]
            u = t
            while u > 0 and key[items[u - 1]] > key[item]:
                items[u] = items[u - 1]
                u -= 1
            items[u] = item


@inner()
def sort_by_merging(key: Ints, items: Ints, n: int) -> None:
    """`sort_by` where many keys are close to each other and others far away."""
    listed, keys = items[:n].copy(), np.empty(n, np.int64)
    for t in range(n):
        keys[t] = key[listed[t]]
    order = order_by_merging(keys)
    for t in range(n):
        items[t] = listed[order[t]]

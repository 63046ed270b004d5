"""Opposite pairs: the nearest points of the other class, their literals, and the bounds of a packing.

A slice of the tree lists the literals of each pair (`nodes.py` packs them). A certificate has them as bits,
64 to a word, and packs them here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints, Words
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.sorting import order_of

UNLIMITED = 2**60
"""A capacity that no packing uses up."""


# The numbering of `exact/literals.py`, for compiled loops; LLVM inlines both.
@kernel()
def positive_literal(feature: int) -> int:
    """Feature with a positive coefficient."""
    return 2 * feature


@kernel()
def negative_literal(feature: int) -> int:
    """Feature with a negative coefficient."""
    return 2 * feature + 1


@kernel()
def _literal_between(feature: int, above: int, below: int) -> int:
    """The literal under which a rank `above` scores more than a rank `below`."""
    return positive_literal(feature) if above > below else negative_literal(feature)


@kernel()
def _distance(above: NDArray[np.int32], below: NDArray[np.int32], allowed: Flags, covering: Flags) -> int:
    """Number of allowed literals of the pair, or -1 when the model has one already.

    `above` holds the ranks of the positive point, `below` those of the negative one.
    """
    count = 0
    for f in range(len(above)):
        if above[f] != below[f]:
            literal = _literal_between(f, above[f], below[f])
            if covering[literal]:
                return -1
            if allowed[literal]:
                count += 1
    return count


@kernel()
def popcount(x: np.uint64) -> int:
    """Number of ones among 64 bits."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel()
def _bit_distances(
    bits: Words, others: NDArray[Any], is_positive: bool, plus: Words,
    minus: Words, plus_cover: Words, minus_cover: Words, out: Ints,
) -> None:  # fmt: skip
    """`_distance` from one point to many, for binary features packed 64 to a word."""
    words = len(bits)
    for t in range(len(others)):
        count = 0
        for w in range(words):
            only_here, only_there = bits[w] & ~others[t, w], ~bits[w] & others[t, w]
            up, down = (only_here, only_there) if is_positive else (only_there, only_here)
            if (up & plus_cover[w]) | (down & minus_cover[w]):
                count = -1
                break
            count += popcount(up & plus[w]) + popcount(down & minus[w])
        out[t] = count


@kernel()
def nearest_pairs(
    ranks: NDArray[np.int32], others: NDArray[Any], is_positive: bool, bits: Words,
    other_bits: Words, masks: Words, allowed: Flags,
    covering: Flags, most: int, candidates: Ints,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:  # fmt: skip
    """For each point pick at most `most` uncovered opposite points with the fewest literals.

    `candidates` are the opposite points to look at. `masks` holds the four literal masks for
    the packed form and has no rows when the data are not binary. Returns (point, opposite).
    """
    n, p = ranks.shape
    mine, theirs = np.empty(n * most, np.int32), np.empty(n * most, np.int32)
    filled = 0
    distance = np.empty(len(candidates), np.int64)
    packed = len(masks) > 0
    for i in range(n):
        if packed:
            _bit_distances(bits[i], other_bits, is_positive, masks[0], masks[1], masks[2], masks[3], distance)
        else:
            for t in range(len(candidates)):
                j = candidates[t]
                if is_positive:
                    distance[t] = _distance(ranks[i], others[j], allowed, covering)
                else:
                    distance[t] = _distance(others[j], ranks[i], allowed, covering)
        counts = np.zeros(p + 2, np.int64)
        for t in range(len(candidates)):
            if distance[t] >= 0:
                counts[distance[t]] += 1
        limit, taken = 0, 0
        while limit <= p and taken + counts[limit] <= most:
            taken += counts[limit]
            limit += 1
        spare = most - taken
        # of equally near points take a different stretch each time: partners should not be the same few
        begin = (i * 7919) % max(1, len(candidates))
        for turn in range(len(candidates)):
            t = turn + begin if turn + begin < len(candidates) else turn + begin - len(candidates)
            if distance[t] < 0 or distance[t] > limit:
                continue
            if distance[t] == limit:
                if spare == 0:
                    continue
                spare -= 1
            mine[filled], theirs[filled] = i, candidates[t]
            filled += 1
    return mine[:filled], theirs[:filled]


@kernel()
def pair_literals(
    positive_ranks: NDArray[np.int32],
    negative_ranks: NDArray[np.int32],
    positive: NDArray[Any],
    negative: NDArray[Any],
    allowed: Flags,
) -> tuple[Ints, NDArray[np.int32]]:
    """List the allowed literals of each pair: (start, literal), like the rows of a sparse matrix."""
    p = positive_ranks.shape[1]
    start = np.zeros(len(positive) + 1, np.int64)
    for q in range(len(positive)):
        above, below = positive_ranks[positive[q]], negative_ranks[negative[q]]
        count = 0
        for f in range(p):
            if above[f] != below[f] and allowed[_literal_between(f, above[f], below[f])]:
                count += 1
        start[q + 1] = start[q] + count
    literal = np.empty(start[-1], np.int32)
    for q in range(len(positive)):
        above, below = positive_ranks[positive[q]], negative_ranks[negative[q]]
        at = start[q]
        for f in range(p):
            if above[f] != below[f]:
                name = _literal_between(f, above[f], below[f])
                if allowed[name]:
                    literal[at] = name
                    at += 1
    return start, literal


@kernel()
def most_gained(load: Ints, penalty: Ints, allowed: Flags, most: int) -> tuple[int, int]:
    """Return (sum, least): the `most` largest (load - penalty)+ over features, and the least of them.

    A feature enters with one sign only, so only its better literal counts.
    """
    n = len(load) // 2  # features
    gain = np.zeros(n, np.int64)
    for f in range(n):
        for literal in (positive_literal(f), negative_literal(f)):
            if allowed[literal]:
                gain[f] = max(gain[f], load[literal] - penalty[literal])
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


@kernel()
def literal_bounds(
    total: int, load: Ints, penalty: Ints, allowed: Flags, most: int, gained: int, least: int,
    bound: Ints,
) -> None:  # fmt: skip
    """Fill ``bound[l]`` with a bound on the rest of the cost when literal l is in the model.

    Taking l leaves room for most - 1 others. Its own term may be negative; if its feature was
    among the largest gains it gives that place back, else the least of them gives way.
    """
    for f in range(len(load) // 2):
        feature_gain = np.int64(0)
        for literal in (positive_literal(f), negative_literal(f)):
            if allowed[literal]:
                feature_gain = max(feature_gain, load[literal] - penalty[literal])
        others = gained - max(feature_gain, least)
        for literal in (positive_literal(f), negative_literal(f)):
            bound[literal] = total - (load[literal] - penalty[literal]) - others


_ONE = np.uint64(1)


@kernel()
def in_words(flags: Flags) -> Words:
    """Flags as bits."""
    words = np.zeros((len(flags) + 63) // 64, np.uint64)
    for t in range(len(flags)):
        if flags[t]:
            words[t // 64] |= _ONE << np.uint64(t % 64)
    return words


@kernel()
def without_literal(pairs: NDArray[np.int32], masks: Words, literal: int) -> NDArray[np.int32]:
    """Keep the pairs that do not have a literal."""
    kept = np.empty(len(pairs), np.int32)
    word, bit = literal // 64, _ONE << np.uint64(literal % 64)
    n = 0
    for q in pairs:
        if masks[q, word] & bit == 0:
            kept[n] = q
            n += 1
    return kept[:n].copy()


@kernel()
def pack_masks(
    pairs: NDArray[np.int32], positive: NDArray[Any], negative: NDArray[Any], masks: Words, allowed: Words,
    capacity: Ints, left_positive: Ints, left_negative: Ints, load: Ints, enough: int, multiplier: Ints,
) -> int:  # fmt: skip
    """Pack pairs greedily, fewest allowed literals first; return the sum of the multipliers u.

    Keeps Σ u at each point within its weight (`left_*`, changed) and the load of each literal within its
    capacity. Stops once the sum exceeds `enough`. Fills `load`, and u of each pair.
    """
    n, n_words = len(pairs), len(allowed)
    size = np.empty(n, np.int32)
    place = np.zeros(64 * n_words + 2, np.int64)
    for s in range(n):
        count = 0
        for w in range(n_words):
            count += popcount(masks[pairs[s], w] & allowed[w])
        size[s] = count
        place[count + 1] += 1
    for c in range(len(place) - 1):
        place[c + 1] += place[c]
    order = np.empty(n, np.int32)
    for s in range(n):
        order[place[size[s]]] = s
        place[size[s]] += 1
    names = np.empty(64 * n_words, np.int64)
    total = np.int64(0)
    for s in order:
        q = pairs[s]
        i, j = positive[q], negative[q]
        u = min(left_positive[i], left_negative[j])
        if u <= 0:
            continue
        n_names = 0
        for w in range(n_words):
            rest = masks[q, w] & allowed[w]
            while rest:
                lowest = rest & (~rest + _ONE)
                names[n_names] = 64 * w + popcount(lowest - _ONE)
                n_names += 1
                rest ^= lowest
        for t in range(n_names):
            u = min(u, capacity[names[t]] - load[names[t]])
        if u <= 0:
            continue
        left_positive[i] -= u
        left_negative[j] -= u
        total += u
        for t in range(n_names):
            load[names[t]] += u
        multiplier[s] = u
        if total > enough:
            break
    return total

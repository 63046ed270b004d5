"""Pair covers whose literals are bits, 64 to a word, and their greedy packing: what a certificate needs.

The same packing as `pairs.pack`, which lists the literals; here, a pair's literals are counted word by word.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.pairs import negative_literal, popcount, positive_literal

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_ONE = np.uint64(1)


@kernel()
def pair_masks(
    positive_ranks: NDArray[np.int32],
    negative_ranks: NDArray[np.int32],
    positive: NDArray[Any],
    negative: NDArray[Any],
    allowed: NDArray[np.bool_],
) -> Words:
    """The allowed literals of each pair: (pairs, words)."""
    masks = np.zeros((len(positive), (len(allowed) + 63) // 64), np.uint64)
    for q in range(len(positive)):
        above, below = positive_ranks[positive[q]], negative_ranks[negative[q]]
        for f in range(len(above)):
            if above[f] != below[f]:
                literal = positive_literal(f) if above[f] > below[f] else negative_literal(f)
                if allowed[literal]:
                    masks[q, literal // 64] |= _ONE << np.uint64(literal % 64)
    return masks


@kernel()
def in_words(flags: NDArray[np.bool_]) -> Words:
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
    pairs: NDArray[np.int32],
    positive: NDArray[Any],
    negative: NDArray[Any],
    masks: Words,
    allowed: Words,
    capacity: Ints,
    left_positive: Ints,
    left_negative: Ints,
    load: Ints,
    enough: int,
    multiplier: Ints,
) -> int:
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

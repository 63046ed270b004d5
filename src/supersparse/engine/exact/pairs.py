"""Opposite pairs of points: the pool that covers are made of, and its kernels in `native/errors/pairs.hpp`."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints, Words
from supersparse.engine.core import kernel
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import Literals, by_feature, flags_of, n_literals
from supersparse.engine.proving.proof import CancelledError

Ranks = NDArray[np.int32]
Indices = NDArray[np.int32]

NEAREST = 16
"""Number of opposite points paired with each point."""
_MOST_COMPARISONS = 400_000_000
_CHUNK = 20_000_000  # comparisons between checks whether to continue


@dataclass(frozen=True, eq=False)
class PairPool:
    """Pairs of opposite points; the allowed literals of pair q are ``literal[start[q] : start[q + 1]]``."""

    positive: NDArray[np.int32]
    negative: NDArray[np.int32]
    start: Ints
    literal: NDArray[np.int32]


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False)
class OppositePoints:
    """Points of both classes by rank, the literals that count, and those of which one covers a pair already."""

    positive: Ranks
    negative: Ranks
    allowed: Flags
    covering: Flags

    def nearest(self, most: int, of_negatives: int, cancelled: Callable[[], bool] = _never) -> tuple[Ranks, Ranks]:
        """Pair positives with their nearest negatives, and the other way round: (positive, negative)."""
        bits, masks = self._packed()
        a = self._nearest(self.positive, self.negative, True, bits, masks, most, cancelled)
        b = self._nearest(self.negative, self.positive, False, bits[::-1], masks, of_negatives, cancelled)
        return np.concatenate([a[0], b[1]]), np.concatenate([a[1], b[0]])

    def _nearest(
        self,
        points: Ranks,
        others: Ranks,
        is_positive: bool,
        bits: tuple[Words, Words],
        masks: Words,
        most: int,
        cancelled: Callable[[], bool],
    ) -> tuple[Ranks, Ranks]:
        candidates = np.arange(len(others))
        width = max(1, bits[0].shape[1] or points.shape[1])
        affordable = max(200, _MOST_COMPARISONS // max(1, len(points) * width))
        if len(candidates) > affordable:  # an even sample keeps the cost linear in the number of rows
            candidates = np.ascontiguousarray(candidates[:: len(candidates) // affordable + 1])
        step = max(1, _CHUNK // max(1, len(candidates) * width))
        mine, theirs = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for first in range(0, len(points), step):
            if cancelled():
                raise CancelledError
            some = slice(first, first + step)
            chunk = nearest_pairs(
                points[some], others, is_positive, bits[0][some], bits[1][candidates], masks, self.allowed,
                self.covering, most, candidates,
            )  # fmt: skip
            mine.append(chunk[0] + np.int32(first))
            theirs.append(chunk[1])
        return np.concatenate(mine), np.concatenate(theirs)

    def _packed(self) -> tuple[tuple[Words, Words], Words]:
        """Pack binary features 64 to a word; masks say which literals count and which cover. Others have no words."""
        up, down = self.positive, self.negative
        both = np.vstack([up, down])
        low, high = both.min(axis=0, initial=2**30), both.max(axis=0, initial=-(2**30))
        if not np.all((both == low) | (both == high)):
            none = np.zeros((0, 0), np.uint64)
            return (np.zeros((len(up), 0), np.uint64), np.zeros((len(down), 0), np.uint64)), none
        flags = (*by_feature(self.allowed).T, *by_feature(self.covering).T)
        masks = np.stack([_to_words(of_kind[None, :])[0] for of_kind in flags])
        return (_to_words((up == high) & (low < high)), _to_words((down == high) & (low < high))), masks


def _to_words(flags: Flags) -> Words:
    padded = np.zeros((len(flags), (flags.shape[1] + 63) // 64 * 64), np.uint8)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def pair_pool(
    instance: Instance,
    support: Literals,
    allowed: Flags,
    *,
    most: int = NEAREST,
    cancelled: Callable[[], bool] = _never,
) -> PairPool:
    """Pair each point with its nearest opposite points that the support does not yet cover."""
    up, down = instance.positive, instance.negative
    allowed = allowed & (np.array(instance.after) < 0)
    points = OppositePoints(up, down, allowed, flags_of(support, instance.n_features))
    positive, negative = points.nearest(most, max(1, most // 2), cancelled)
    if instance.has_origin:
        proper = (positive < len(up) - 1) | (negative < len(down) - 1)  # not the origin with itself
        positive, negative = positive[proper], negative[proper]
    start, literal = pair_literals(up, down, positive, negative, allowed)
    return PairPool(positive, negative, start, literal)


def literal_masks(start: Ints, literal: NDArray[np.int32], n_features: int) -> Words:
    """The literals of each pair as bits, 64 to a word; those of pair q are ``literal[start[q] : start[q + 1]]``."""
    words = max(1, (n_literals(n_features) + 63) // 64)
    mask = np.zeros((len(start) - 1, words), np.uint64)
    bit = np.append(np.uint64(1) << (literal % 64).astype(np.uint64), np.uint64(0))
    word, has_some = np.append(literal // 64, -1), np.diff(start) > 0
    for w in range(words if has_some.any() else 0):  # a pair without literals begins where the next one does
        of_word = np.where(word == w, bit, np.uint64(0))
        mask[:, w] = np.where(has_some, np.bitwise_or.reduceat(of_word, start[:-1]), np.uint64(0))
    return mask


def nearest_pairs(
    ranks: Ranks, others: Ranks, is_positive: bool, bits: Words, other_bits: Words, masks: Words, allowed: Flags,
    covering: Flags, most: int, candidates: Ints,
) -> tuple[Indices, Indices]:  # fmt: skip
    """For each point pick at most `most` uncovered opposite points with the fewest literals.

    `candidates` are the opposite points to look at. `masks` holds the four literal masks for
    the packed form and has no rows when the data are not binary. Returns (point, opposite).
    """
    mine, theirs = np.empty((2, len(ranks) * most), np.int32)
    n = _nearest_pairs(
        ranks, others, is_positive, bits, other_bits, masks, allowed, covering, most, candidates, mine, theirs
    )
    return mine[:n], theirs[:n]


@kernel
def _nearest_pairs(
    ranks: Ranks, others: Ranks, is_positive: bool, bits: Words, other_bits: Words, masks: Words, allowed: Flags,
    covering: Flags, most: int, candidates: Ints, mine: Indices, theirs: Indices,
) -> int: ...  # fmt: skip


def pair_literals(
    positive_ranks: Ranks, negative_ranks: Ranks, positive: Indices, negative: Indices, allowed: Flags
) -> tuple[Ints, Indices]:
    """List the allowed literals of each pair: (start, literal), like the rows of a sparse matrix."""
    arrays = positive_ranks, negative_ranks, positive, negative, allowed
    start = np.empty(len(positive) + 1, np.int64)
    literal = np.empty(_pair_literals(*arrays, start, np.empty(0, np.int32)), np.int32)
    _pair_literals(*arrays, start, literal)
    return start, literal


@kernel
def _pair_literals(
    positive_ranks: Ranks, negative_ranks: Ranks, positive: Indices, negative: Indices, allowed: Flags, start: Ints,
    literal: Indices,
) -> int: ...  # fmt: skip


@kernel
def most_gained(load: Ints, penalty: Ints, allowed: Flags, most: int) -> tuple[int, int]:
    """Return (sum, least): the `most` largest (load - penalty)+ over features, and the least of them.

    A feature enters with one sign only, so only its better literal counts.
    """


def without_literal(pairs: Indices, masks: Words, literal: int) -> Indices:
    kept = np.empty(len(pairs), np.int32)
    return kept[: _without_literal(pairs, masks, literal, kept)].copy()


@kernel
def _without_literal(pairs: Indices, masks: Words, literal: int, kept: Indices) -> int: ...


@kernel
def pack_masks(
    pairs: Indices, positive: Indices, negative: Indices, masks: Words, allowed: Flags, capacity: Ints,
    left_positive: Ints, left_negative: Ints, load: Ints, enough: int, multiplier: Ints,
) -> int:  # fmt: skip
    """Pack pairs greedily, fewest allowed literals first; return the sum of the multipliers u.

    Keeps Σ u at each point within its weight (`left_*`, changed) and the load of each literal within its
    capacity. Stops once the sum exceeds `enough`. Fills `load`, and u of each pair.
    """

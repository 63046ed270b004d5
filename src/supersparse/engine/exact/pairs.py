"""Opposite pairs in the compiled core, `native/errors/pairs.hpp`: nearest points, their literals, packings."""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints, Words
from supersparse.engine.core import kernel

Ranks = NDArray[np.int32]
Indices = NDArray[np.int32]


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
    given = positive_ranks, negative_ranks, positive, negative, allowed
    start = np.empty(len(positive) + 1, np.int64)
    literal = np.empty(_pair_literals(*given, start, np.empty(0, np.int32)), np.int32)
    _pair_literals(*given, start, literal)
    return start, literal


@kernel
def _pair_literals(
    positive_ranks: Ranks, negative_ranks: Ranks, positive: Indices, negative: Indices, allowed: Flags, start: Ints,
    literal: Indices,
) -> int: ...  # fmt: skip


def most_gained(load: Ints, penalty: Ints, allowed: Flags, most: int) -> tuple[int, int]:
    """Return (sum, least): the `most` largest (load - penalty)+ over features, and the least of them.

    A feature enters with one sign only, so only its better literal counts.
    """
    least = np.empty(1, np.int64)
    total = _most_gained(load, penalty, allowed, most, least)
    return total, int(least[0])


@kernel
def _most_gained(load: Ints, penalty: Ints, allowed: Flags, most: int, least: Ints) -> int: ...


def without_literal(pairs: Indices, masks: Words, literal: int) -> Indices:
    """Keep the pairs that do not have a literal."""
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

"""Packing: pairs of opposite rows, and multipliers of their covers that bound a node.

The multipliers at each row add up to at most its cost, and the load of each literal to at most its cost plus
θ, where θ is what the limit on the number of features can pay back.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.certify.facts import SIGNS, least_cost
from supersparse.engine.certify.program import Program
from supersparse.engine.kernels.box_proofs import cells_of
from supersparse.engine.kernels.cover_masks import in_words, pack_masks, pair_masks, without_literal
from supersparse.engine.kernels.pairs import most_gained, nearest_pairs
from supersparse.engine.kernels.proof_data import Facts

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int32]
Words = NDArray[np.uint64]

_NEAREST = 16  # opposite rows paired with each row
_ALWAYS_RIGHT = 2**56
_NEAR = 0.97  # other θ are tried only when the first came this near
_MOST_COMPARISONS = 400_000_000


@dataclass(slots=True)
class Packing:
    """Multipliers of covers, and the bound they prove at a node."""

    bound: int
    uses: Ints  # multiplier of each pair
    load: Ints  # of each literal
    theta: int  # multiplier of the size row
    tried: int  # the θ that gave it


class Pool:
    """Each row with the nearest of the other class: those that the fewest literals tell apart."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self._best = facts.best
        n = len(program.features)
        self.exists = facts.literal >= 0
        self.cost = np.zeros(2 * n, np.int64)
        for f, feature in enumerate(program.features):
            for side, sign in enumerate(SIGNS):
                if feature.literal(sign) >= 0:
                    self.cost[2 * f + side] = least_cost(program, feature, sign)
        has_origin = program.statement.intercept in ("none", "paper")
        nobody = np.full(1 if has_origin else 0, -1)
        weights = self._pair_off(facts)
        up, down = (np.flatnonzero((facts.sign == sign) & (weights > 0)) for sign in SIGNS)
        self._up, self._down = np.append(up, nobody), np.append(down, nobody)
        extra = np.full(len(nobody), _ALWAYS_RIGHT)
        self._up_weight, self._down_weight = np.append(weights[up], extra), np.append(weights[down], extra)
        self._most = int(min(weights[up].sum(), weights[down].sum()))
        self._least = max(1, int(min(weights[up].min(initial=1), weights[down].min(initial=1))) // 2)
        ranks = _ranks(facts.x)
        self._make(ranks[self._up], ranks[self._down], has_origin)

    def _pair_off(self, facts: Facts) -> Ints:
        """Pair rows that differ in their class alone: one of the two is wrong. Return what weight is left."""
        weights = np.ascontiguousarray(facts.objective[facts.first_z :])
        _, cell = np.unique(facts.x, axis=0, return_inverse=True)
        cells = cells_of(cell.reshape(-1).astype(np.int64), facts.x, facts.sign, weights, True)
        self._equal = np.full((len(cells.pairs), 4), -1, np.int64)
        self._equal[:, :2] = cells.pairs
        self._equal_u, self._base = cells.pair_u, int(cells.base)
        left: Ints = cells.left
        return left

    def _make(self, up: Pairs, down: Pairs, has_origin: bool) -> None:
        up_bits, down_bits, masks = _packed(up, down, self.exists)
        first = _nearest(up, down, True, up_bits, down_bits, masks, self.exists, _NEAREST)
        second = _nearest(down, up, False, down_bits, up_bits, masks, self.exists, _NEAREST)
        keys = np.concatenate([first[0], second[1]]).astype(np.int64) * len(down)
        keys = np.unique(keys + np.concatenate([first[1], second[0]]))
        positive, negative = keys // len(down), keys % len(down)
        if has_origin:
            proper = (positive < len(up) - 1) | (negative < len(down) - 1)
            positive, negative = positive[proper], negative[proper]
        self._positive, self._negative = positive.astype(np.int32), negative.astype(np.int32)
        self._masks = pair_masks(up, down, self._positive, self._negative, self.exists)

    @property
    def all(self) -> Pairs:
        """All pairs."""
        return np.arange(len(self._positive), dtype=np.int32)

    def without(self, pairs: Pairs, literal: int) -> Pairs:
        """The pairs that do not have a literal."""
        kept: Pairs = without_literal(pairs, self._masks, literal)
        return kept

    def members(self, packing: Packing, pairs: Pairs) -> tuple[Ints, Ints]:
        """The rows of each cover in use, and its multiplier."""
        used = np.flatnonzero(packing.uses)
        chosen = pairs[used]
        members = np.full((len(used), 4), -1, np.int64)
        members[:, 0] = self._up[self._positive[chosen]]
        members[:, 1] = self._down[self._negative[chosen]]
        return np.vstack([self._equal, members]), np.concatenate([self._equal_u, packing.uses[used]])

    def pack(self, pairs: Pairs, allowed: Flags, room: int, theta: int, fixed: int) -> Packing:
        """Bound a node in which `fixed` is paid already; stop early once it is closed.

        With room for all undecided features, θ is 0. With room for one, no load is too large: only the
        largest is paid back. Otherwise θ is tried near the parent's, or over its whole range if `theta` is 0.
        """
        undecided = int((allowed[::2] | allowed[1::2]).sum())
        if room >= undecided:
            return self._pack_with(pairs, allowed, undecided, 0, fixed)
        if room == 1:
            return replace(self._pack_with(pairs, allowed, room, self._most, fixed), tried=theta)
        if theta:
            tries = [theta, max(1, theta * 6 // 10), theta * 17 // 10]
        else:
            widest, tries = self._most, []
            while widest > self._least:
                tries.append(widest)
                widest = widest * 7 // 10
            tries = tries or [1]
        best = self._pack_with(pairs, allowed, room, tries[0], fixed)
        for candidate in tries[1:]:
            if best.bound >= self._best or (theta and best.bound < _NEAR * self._best):
                break
            packing = self._pack_with(pairs, allowed, room, candidate, fixed)
            if packing.bound > best.bound:
                best = packing
        return best

    def _pack_with(self, pairs: Pairs, allowed: Flags, room: int, theta: int, fixed: int) -> Packing:
        load = np.zeros(len(allowed), np.int64)
        uses = np.zeros(len(pairs), np.int64)
        fixed += self._base
        total = int(
            pack_masks(
                pairs,
                self._positive,
                self._negative,
                self._masks,
                in_words(allowed),
                np.maximum(self.cost, 0) + theta,
                self._up_weight.copy(),
                self._down_weight.copy(),
                load,
                self._best - fixed + room * theta,
                uses,
            )
        )
        lost, least = most_gained(load, self.cost, allowed, room)
        return Packing(fixed + total - int(lost), uses, load, int(least), theta)


def _ranks(x: Ints) -> Pairs:
    """The rank of each value in its column, doubled; the last row is the origin, perhaps between two."""
    ranks = np.zeros((len(x) + 1, x.shape[1]), np.int32)
    for f, column in enumerate(x.T):
        distinct, rank = np.unique(column, return_inverse=True)
        at = int(np.searchsorted(distinct, 0))
        there = at < len(distinct) and distinct[at] == 0
        ranks[:-1, f], ranks[-1, f] = 2 * rank.reshape(-1), 2 * at if there else 2 * at - 1
    return ranks


def _packed(up: Pairs, down: Pairs, exists: Flags) -> tuple[Words, Words, Words]:
    """Pack binary features 64 to a word, with masks of the literals that count; nothing for others."""
    both = np.vstack([up, down])
    low, high = both.min(axis=0, initial=2**30), both.max(axis=0, initial=-(2**30))
    if not np.all((both == low) | (both == high)):
        nothing = [np.zeros((n, 0), np.uint64) for n in (len(up), len(down), 0)]
        return nothing[0], nothing[1], nothing[2]
    none = np.zeros(len(low), bool)
    masks = np.stack([_words(flags[None, :])[0] for flags in (exists[::2], exists[1::2], none, none)])
    return _words((up == high) & (low < high)), _words((down == high) & (low < high)), masks


def _words(flags: Flags) -> Words:
    padded = np.zeros((len(flags), (flags.shape[1] + 63) // 64 * 64), np.uint8)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _nearest(
    points: Pairs,
    others: Pairs,
    is_positive: bool,
    bits: Words,
    other_bits: Words,
    masks: Words,
    exists: Flags,
    most: int,
) -> tuple[Pairs, Pairs]:
    candidates = np.arange(len(others))
    width = max(1, bits.shape[1] or points.shape[1])
    affordable = max(200, _MOST_COMPARISONS // max(1, len(points) * width))
    if len(candidates) > affordable:  # an even sample keeps the cost linear in the number of rows
        candidates = candidates[:: len(candidates) // affordable + 1]
    nobody = np.zeros(len(exists), bool)
    found: tuple[Pairs, Pairs] = nearest_pairs(
        np.ascontiguousarray(points),
        np.ascontiguousarray(others),
        is_positive,
        bits,
        other_bits[candidates],
        masks,
        exists,
        nobody,
        most,
        candidates,
    )
    return found

"""The free threshold: it lies anywhere between two neighbouring totals, at the roundest number there.

A positive and a negative row can both be right if and only if the positive one has the larger
total. So only the gaps between the distinct totals matter, and the two ends: below all totals and
above all of them. No row has a total equal to the threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import cast

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray

_HALF = Fraction(1, 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class WrongLimit:
    """Σ of the weights of wrong rows, which may be negative, is at most a limit."""

    positive_weight: IntArray
    negative_weight: IntArray
    at_most: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Gaps:
    """The places for a threshold: gap g lies below ``totals[g]`` and above ``totals[g - 1]``.

    ``losses[g]`` is the loss with the threshold in gap g, ``obeyed[g]`` whether all limits are then kept.
    """

    totals: IntArray  # distinct, rising
    losses: IntArray
    obeyed: NDArray[np.bool_]

    def ends(self, gap: int) -> tuple[int | None, int | None]:
        """The totals around a gap, None where it has no end."""
        low = None if gap == 0 else int(self.totals[gap - 1])
        high = None if gap == len(self.totals) else int(self.totals[gap])
        return low, high


def gaps_of(
    totals: IntArray,
    positive_weight: IntArray,
    negative_weight: IntArray,
    limits: Sequence[WrongLimit] = (),
) -> Gaps:
    """Weigh every place for the threshold.

    >>> gaps_of(np.array([3, 5, 5]), np.array([0, 1, 0]), np.array([1, 0, 1])).losses.tolist()
    [2, 1, 1]
    """
    unique, position = np.unique(totals, return_inverse=True)
    distinct, position = cast(IntArray, unique), position.reshape(-1)
    losses = _wrong(position, len(distinct), positive_weight, negative_weight)
    obeyed = np.ones(len(distinct) + 1, dtype=bool)
    for limit in limits:
        wrong = _wrong(position, len(distinct), limit.positive_weight, limit.negative_weight)
        obeyed &= (wrong <= limit.at_most).astype(bool)
    return Gaps(totals=distinct, losses=losses, obeyed=obeyed)


def _wrong(
    position: NDArray[np.intp], n: int, positive_weight: IntArray, negative_weight: IntArray
) -> IntArray:
    """The weight of the wrong rows with the threshold in each gap: positives below it, negatives above."""
    change = np.zeros(n + 1, dtype=positive_weight.dtype)
    np.add.at(change, position + 1, positive_weight)
    np.subtract.at(change, position + 1, negative_weight)
    change[0] = negative_weight.sum()
    return np.cumsum(change, dtype=change.dtype)


def best_gap(gaps: Gaps) -> int | None:
    """Choose the gap of the least loss; None where no gap obeys the limits.

    Of several: one between two totals before the ends, then the widest, then the one nearest 0, then the
    higher one. Nothing of this depends on the order of the rows.
    """
    usable = np.flatnonzero(gaps.obeyed)
    if len(usable) == 0:
        return None
    losses = gaps.losses[usable]
    best = usable[(losses == losses.min()).astype(bool)]
    return int(min(best.tolist(), key=lambda gap: _rank(gaps, gap)))


def _rank(gaps: Gaps, gap: int) -> tuple[bool, int, int, int]:
    low, high = gaps.ends(gap)
    if low is None or high is None:
        end = high if low is None else low
        return True, 0, abs(end or 0), -gap
    return False, low - high, abs(low + high), -gap


def threshold_between(low: Fraction | None, high: Fraction | None, *, whole: bool) -> Fraction:
    """Return the roundest number of an open interval: whole, then fewest digits, then nearest the middle.

    Where totals are whole the rule reads "k or more", so k is chosen so, from all that say the same, and
    the threshold is half a point below it. An interval without end has its threshold next to its end.

    >>> str(threshold_between(Fraction(3), Fraction(4), whole=True))  # 4 or more
    '7/2'
    >>> str(threshold_between(Fraction(94), Fraction(107), whole=True))  # 100 or more
    '199/2'
    >>> str(threshold_between(Fraction("0.13"), Fraction("0.19"), whole=False))
    '4/25'
    """
    if whole:
        if low is None or high is None:
            return (0 if high is None else high) - _HALF if low is None else low + _HALF
        return _roundest(low + _HALF, high + _HALF) - _HALF
    if low is None:
        return Fraction(0 if high is None else ceil(high) - 1)
    return Fraction(floor(low) + 1) if high is None else _roundest(low, high)


def _roundest(low: Fraction, high: Fraction) -> Fraction:
    """The roundest number strictly between two others."""
    middle = (low + high) / 2
    power = len(str(max(abs(floor(low)), abs(ceil(high)))))
    whole = [c for e in range(power, -1, -1) for c in _around(middle, Fraction(10) ** e) if low < c < high]
    if whole:
        return min(whole, key=lambda c: (_digits(int(c)), abs(c - middle), abs(c), c))
    step = Fraction(1, 10)
    while True:
        inside = [c for c in _around(middle, step) if low < c < high]
        if inside:
            return min(inside, key=lambda c: (abs(c - middle), abs(c), c))
        step /= 10


def _around(middle: Fraction, step: Fraction) -> tuple[Fraction, Fraction]:
    """The multiples of a step on both sides of a number.

    No other multiple needs to be looked at: where one further out had as few digits, a coarser step's
    multiple between it and the middle would have no more.
    """
    below = floor(middle / step) * step
    return below, below + step


def _digits(value: int) -> int:
    """How many digits a whole number has before its trailing zeros; 0 has one."""
    return max(1, len(str(abs(value)).rstrip("0")))

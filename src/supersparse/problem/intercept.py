"""The intercept: its four modes, and the choice of a free threshold between two totals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import exact
from supersparse.base.integer_arrays import Flags, IntArray, distinct_of, fits_int64, summed
from supersparse.problem.points import CoefficientSet
from supersparse.table.small_table import Tabular, number

_HALF = Fraction(1, 2)
_LONGEST_SET = 2**22  # values of b that are listed


@dataclass(frozen=True, eq=False, kw_only=True)
class WrongLimit:
    """Σ weights of wrong rows <= limit; weights may be negative."""

    positive_weight: IntArray
    negative_weight: IntArray
    at_most: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Gaps:
    """Possible places for a threshold: gap g is below ``totals[g]`` and above ``totals[g - 1]``.

    ``losses[g]`` is the loss with the threshold in gap g; ``obeyed[g]`` is whether all limits are satisfied.
    """

    totals: IntArray  # distinct, rising
    losses: IntArray
    obeyed: Flags

    def ends(self, gap: int) -> tuple[int | None, int | None]:
        """The totals on both sides of a gap; None for an open end."""
        low = None if gap == 0 else int(self.totals[gap - 1])
        high = None if gap == len(self.totals) else int(self.totals[gap])
        return low, high


def gaps_of(
    totals: IntArray, positive_weight: IntArray, negative_weight: IntArray, limits: Sequence[WrongLimit] = ()
) -> Gaps:
    """Compute the loss of every gap.

    >>> gaps_of(np.array([3, 5, 5]), np.array([0, 1, 0]), np.array([1, 0, 1])).losses.tolist()
    [2, 1, 1]
    """
    distinct, position = distinct_of(totals)
    losses = _wrong(position, len(distinct), positive_weight, negative_weight)
    obeyed = np.ones(len(distinct) + 1, dtype=bool)
    for limit in limits:
        wrong = _wrong(position, len(distinct), limit.positive_weight, limit.negative_weight)
        obeyed &= (wrong <= limit.at_most).astype(bool)
    return Gaps(totals=distinct, losses=losses, obeyed=obeyed)


def _wrong(position: NDArray[np.intp], n: int, positive_weight: IntArray, negative_weight: IntArray) -> IntArray:
    """Weight of the wrong rows for each gap: positives below the threshold, negatives above."""
    change = np.zeros(n + 1, dtype=positive_weight.dtype)
    if object in (change.dtype, negative_weight.dtype):
        np.add.at(change, position + 1, positive_weight)
        np.subtract.at(change, position + 1, negative_weight)
    else:
        change[1:] = summed(positive_weight - negative_weight, position, n)
    change[0] = negative_weight.sum()
    return np.cumsum(change, dtype=change.dtype)


def best_gap(gaps: Gaps) -> int | None:
    """Choose the gap with the lowest loss; None if no gap satisfies the limits.

    Ties go to a gap between two totals before the ends, then to the widest, then to the one nearest 0, then
    to the higher one. The choice does not depend on the order of the rows.
    """
    usable = np.flatnonzero(gaps.obeyed)
    if len(usable) == 0:
        return None
    losses = gaps.losses[usable]
    best = usable[(losses == losses.min()).astype(bool)]
    return int(min(best.tolist(), key=lambda gap: rank_of(*gaps.ends(gap), gap)))


def rank_of(low: int | None, high: int | None, gap: int) -> tuple[bool, int, int, int]:
    """The place of a gap, with these ends, among gaps of equal loss: the smallest is chosen."""
    if low is None or high is None:
        end = high if low is None else low
        return True, 0, abs(end or 0), -gap
    return False, low - high, abs(low + high), -gap


@lru_cache(maxsize=10_000)
def threshold_between(low: Fraction | None, high: Fraction | None, *, whole: bool) -> Fraction:
    """Return the roundest number in an open interval: whole, then fewest digits, then nearest the middle.

    If totals are whole, the rule reads "k or more": k is the roundest of all equivalent numbers, and the
    threshold is half a point below it. In an unbounded interval, the threshold is next to its end.

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
        # by the number of digits before trailing zeros
        return min(whole, key=lambda c: (len(str(abs(int(c))).rstrip("0")) or 1, abs(c - middle), abs(c), c))
    step = Fraction(1, 10)
    while True:
        inside = [c for c in _around(middle, step) if low < c < high]
        if inside:
            return min(inside, key=lambda c: (abs(c - middle), abs(c), c))
        step /= 10


def _around(middle: Fraction, step: Fraction) -> tuple[Fraction, Fraction]:
    """The multiples of a step on both sides of a number.

    Other multiples need no check: if one further out had as few digits, a multiple of a coarser step between
    it and the middle would have no more.
    """
    below = floor(middle / step) * step
    return below, below + step


InterceptMode = Literal["free", "range", "paper", "none"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Intercept(Tabular):
    """The allowed values of the intercept b.

    "free": any number, so the threshold can be anywhere between two totals (`threshold`); not penalised.
    "range": a multiple of the coefficients' unit between `low` and `high`, not penalised. "paper": a
    coefficient like the others, in `allowed`, penalised and counted in the size. "none": b = 0.
    """

    mode: InterceptMode
    low: Fraction | None = None
    high: Fraction | None = None
    allowed: CoefficientSet | None = None

    @property
    def is_penalised(self) -> bool:
        """Whether b counts towards the size, C0 and l1."""
        return self.mode == "paper"

    def _brief(self) -> str:
        if self.low is None or self.high is None:
            return self.mode
        return f"from {number(self.low)} to {number(self.high)}"

    _facts = "mode low high allowed"


def read_intercept(spec: object, allowed: CoefficientSet) -> Intercept:
    """Read the user's ``"free" | (low, high) | "paper" | "none"``."""
    if isinstance(spec, str):
        if spec == "free":
            return Intercept(mode="free")
        if spec == "none":
            return Intercept(mode="none")
        if spec == "paper":
            if len(allowed) > _LONGEST_SET:
                raise InvalidProblemError(
                    f"intercept='paper' takes b from a set of {len(allowed):,} values, and at most "
                    f"{_LONGEST_SET:,} are listed",
                    "use intercept='free' or smaller points",
                )
            return Intercept(mode="paper", allowed=allowed)
    if isinstance(spec, tuple | list) and len(spec) == 2:
        low, high = (exact(v, "a bound of the intercept") for v in spec)
        if high < low:
            raise InvalidProblemError(f"intercept: upper bound {spec[1]} is below lower bound {spec[0]}", "swap them")
        return Intercept(mode="range", low=low, high=high)
    raise InvalidProblemError(
        subject="intercept", value=spec, remedy="use 'free', 'paper', 'none' or a pair (low, high)"
    )


@dataclass(frozen=True, kw_only=True)
class InterceptChoice:
    """The allowed values of b in integer units, and their costs.

    `low` and `high` are None if open. `allowed` is None if every integer between them is allowed. Costs are
    integers in the unit of the weights passed to `best_intercept`; with levels, `costs`, one per allowed
    value, replace `cost_nonzero`.
    """

    low: int | None
    high: int | None
    allowed: IntArray | None
    cost_nonzero: int = 0
    cost_magnitude: int = 0
    costs: tuple[int, ...] | None = None


def best_intercept(
    choice: InterceptChoice,
    scores: IntArray,
    step: int,
    positive_weight: IntArray,
    negative_weight: IntArray,
    limits: Sequence[WrongLimit] = (),
) -> int | None:
    """Choose a whole b for scores ``scores + b * step``.

    Among all b with the lowest loss: the one nearest the middle of its interval (for an unbounded interval,
    nearest its end), then the smaller |b|, then the negative one. If b is penalised, |b| comes before the
    middle, because it is part of the objective. With limits, intervals end where a limit starts or stops
    being satisfied. Returns None if no allowed b satisfies all limits.

    >>> any_whole = InterceptChoice(low=None, high=None, allowed=None)
    >>> best_intercept(any_whole, np.array([0, 10]), 1, np.array([0, 1]), np.array([1, 0]))
    -5
    """
    starts, losses = loss_by_intercept(scores, step, positive_weight, negative_weight)
    obeyed = None
    if limits:
        starts, losses, obeyed = _with_limits(starts, losses, scores, step, limits)
    if choice.allowed is not None:
        return _cheapest_allowed(choice, starts, losses, obeyed)
    return _middle_of_best_interval(choice, starts, losses, obeyed)


def _with_limits(
    starts: IntArray, losses: IntArray, scores: IntArray, step: int, limits: Sequence[WrongLimit]
) -> tuple[IntArray, IntArray, Flags]:
    """Split the intervals where feasibility changes, and mark the feasible ones."""
    parts = [(starts, losses)]
    parts += [loss_by_intercept(scores, step, w.positive_weight, w.negative_weight) for w in limits]
    ends = np.unique(np.concatenate([s for s, _ in parts]))
    loss, *totals = (
        np.concatenate([values[:1], values[np.searchsorted(s, ends, side="right")]]) for s, values in parts
    )
    obeyed = np.ones(len(ends) + 1, dtype=bool)
    for total, limit in zip(totals, limits, strict=True):
        obeyed &= (total <= limit.at_most).astype(bool)
    changes = (loss[1:] != loss[:-1]) | (obeyed[1:] != obeyed[:-1])
    first_of_run = np.concatenate([[True], changes.astype(bool)])
    return ends[first_of_run[1:]], loss[first_of_run], obeyed[first_of_run]


def loss_by_intercept(
    scores: IntArray, step: int, positive_weight: IntArray, negative_weight: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the loss as a step function of b, with different neighbouring losses.

    ``losses[0]`` applies below ``starts[0]``, and ``losses[t]`` from ``starts[t-1]`` on. A positive row is
    correct from b = floor(-s/step) + 1 on, a negative one is wrong from ceil(-s/step) on.
    """
    positive_right_from = (-scores) // step + 1
    negative_wrong_from = -(scores // step)
    has_positive, has_negative = positive_weight != 0, negative_weight != 0
    where = np.concatenate([positive_right_from[has_positive], negative_wrong_from[has_negative]])
    change = np.concatenate([-positive_weight[has_positive], negative_weight[has_negative]])
    starts, position = np.unique(where, return_inverse=True)
    jumps = np.zeros(len(starts) + 1, dtype=change.dtype)
    np.add.at(jumps, position.reshape(-1) + 1, change)
    jumps[0] = positive_weight.sum()
    changes = jumps[1:] != 0  # gaining one row while losing another does not end an interval
    return starts[changes], np.cumsum(np.concatenate([jumps[:1], jumps[1:][changes]]))


def _cheapest_allowed(choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: Flags | None) -> int | None:
    assert choice.allowed is not None
    if choice.costs is None and choice.allowed.dtype != object and losses.dtype != object:
        most = int(np.abs(losses).max()) + choice.cost_nonzero
        most += choice.cost_magnitude * (int(np.abs(choice.allowed).max(initial=0)) + 1)
        if fits_int64(most):
            return _cheapest_listed(choice, choice.allowed, starts, losses, obeyed)
    values = choice.allowed.tolist()
    costs = choice.costs or [choice.cost_nonzero * (b != 0) for b in values]
    at = np.searchsorted(starts, choice.allowed, side="right")
    ranked = (
        (int(losses[t]) + cost + choice.cost_magnitude * abs(b), abs(b), b)
        for t, b, cost in zip(at.tolist(), values, costs, strict=True)
        if obeyed is None or obeyed[t]
    )
    best = min(ranked, default=None)
    return None if best is None else int(best[2])


def _cheapest_listed(
    choice: InterceptChoice, allowed: IntArray, starts: IntArray, losses: IntArray, obeyed: Flags | None
) -> int | None:
    """The same for numbers that fit 64 bits: there may be millions of them."""
    at = np.searchsorted(starts, allowed, side="right")
    if obeyed is not None:
        allowed, at = allowed[obeyed[at]], at[obeyed[at]]
    if len(allowed) == 0:
        return None
    costs = losses[at].astype(np.int64) + choice.cost_nonzero * (allowed != 0).astype(np.int64)
    costs += choice.cost_magnitude * np.abs(allowed)
    best = allowed[costs == costs.min()]
    nearest = best[np.abs(best) == np.abs(best).min()]
    return int(nearest.min())


def _middle_of_best_interval(
    choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: Flags | None
) -> int | None:
    best: tuple[int, Fraction, int, int] | None = None
    for low, high, loss in _intervals(choice, starts, losses, obeyed):
        b = nearest_to_middle(low, high, choice)
        if b is None:
            continue
        rank = (loss, abs(b - _middle(low, high)), abs(b), b)
        if best is None or rank < best:
            best = rank
    assert best is not None or obeyed is not None, "the allowed range of b holds at least one integer"
    return None if best is None else best[3]


def _intervals(
    choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: Flags | None
) -> list[tuple[int | None, int | None, int]]:
    """Maximal intervals of lowest loss that intersect the allowed range."""
    first = 0 if choice.low is None else int(np.searchsorted(starts, choice.low, side="right"))
    last = len(starts) if choice.high is None else int(np.searchsorted(starts, choice.high, side="right"))
    within = losses[first : last + 1]
    if obeyed is None:
        least = within.min()
        best = within == least
    else:
        usable = obeyed[first : last + 1]
        if not usable.any():
            return []
        least = within[usable].min()
        best = (within == least) & usable
    intervals = []
    for t in np.flatnonzero(best) + first:
        low = None if t == 0 else int(starts[t - 1])
        high = None if t == len(starts) else int(starts[t]) - 1
        intervals.append((low, high, int(least)))
    return intervals


def _middle(low: int | None, high: int | None) -> Fraction:
    if low is None:
        return Fraction(0 if high is None else high)
    return Fraction(low) if high is None else Fraction(low + high, 2)


def nearest_to_middle(low: int | None, high: int | None, choice: InterceptChoice) -> int | None:
    """The allowed b nearest the middle of an interval; None if none is allowed."""
    middle = _middle(low, high)
    floor = middle.numerator // middle.denominator
    candidates = {floor, floor if middle.denominator == 1 else floor + 1}
    candidates |= {b for b in (choice.low, choice.high) if b is not None}
    allowed = [
        b
        for b in candidates
        if (low is None or b >= low)
        and (high is None or b <= high)
        and (choice.low is None or b >= choice.low)
        and (choice.high is None or b <= choice.high)
    ]
    return min(allowed, key=lambda b: (abs(b - middle), abs(b), b), default=None)

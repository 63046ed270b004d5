"""The intercept: its four modes, and the rule that chooses it for given coefficients where it is restricted.

A free threshold is chosen in `threshold`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray, exact
from supersparse.errors import InvalidProblemError
from supersparse.problem.coefficients import CoefficientSet
from supersparse.problem.threshold import WrongLimit

InterceptMode = Literal["free", "range", "paper", "none"]


@dataclass(frozen=True, kw_only=True)
class Intercept:
    """What the intercept b may be.

    "free": any number, so that the threshold lies anywhere between two totals (`threshold`); not penalised.
    "range": a multiple of the coefficients' unit between `low` and `high`, not penalised. "paper": a
    coefficient like the others, in `allowed`, penalised and counted in the size. "none": b = 0.
    """

    mode: InterceptMode
    low: Fraction | None = None
    high: Fraction | None = None
    allowed: CoefficientSet | None = None

    @property
    def is_penalised(self) -> bool:
        """Whether b counts in the size, in C0 and in l1."""
        return self.mode == "paper"


def read_intercept(spec: object, allowed: CoefficientSet) -> Intercept:
    """Read the user's ``"free" | (low, high) | "paper" | "none"``."""
    if isinstance(spec, str):
        if spec == "free":
            return Intercept(mode="free")
        if spec == "none":
            return Intercept(mode="none")
        if spec == "paper":
            return Intercept(mode="paper", allowed=allowed)
    if isinstance(spec, tuple | list) and len(spec) == 2:
        low, high = (exact(v, "a bound of the intercept") for v in spec)
        if high < low:
            raise InvalidProblemError(
                f"intercept: upper bound {spec[1]} is below lower bound {spec[0]}; swap them"
            )
        return Intercept(mode="range", low=low, high=high)
    raise InvalidProblemError(f"intercept is {spec!r}; use 'free', 'paper', 'none' or a pair (low, high)")


@dataclass(frozen=True, kw_only=True)
class InterceptChoice:
    """What b may be in integer units, and what each choice costs.

    `low` and `high` are None where open. `allowed` is None where every integer between
    them is. Costs are integers in the unit of the weights given to `best_intercept`;
    `costs`, one for each allowed value, take the place of `cost_nonzero` where levels rule.
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

    Of all b with the least loss: the one nearest the middle of its interval (of an interval
    without end: nearest its end), then the smaller |b|, then the negative one. Where b is
    penalised, |b| decides before the middle does, because it is part of what is minimised.
    With limits, intervals end where a limit begins or ceases to be obeyed; None says that no
    allowed b obeys them all.

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
) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    """Cut the intervals where it changes whether all limits are obeyed, and say where they are."""
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
    kept = np.concatenate([[True], changes.astype(bool)])
    return ends[kept[1:]], loss[kept], obeyed[kept]


def loss_by_intercept(
    scores: IntArray, step: int, positive_weight: IntArray, negative_weight: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the loss as a step function of b, neighbouring losses different.

    ``losses[0]`` holds below ``starts[0]``, and ``losses[t]`` from ``starts[t-1]`` on. A positive
    row is right from b = floor(-s/step) + 1 on, a negative one is wrong from ceil(-s/step) on.
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
    changes = jumps[1:] != 0  # a row gained where another is lost is no end of an interval
    return starts[changes], np.cumsum(np.concatenate([jumps[:1], jumps[1:][changes]]))


def _cheapest_allowed(
    choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: NDArray[np.bool_] | None
) -> int | None:
    assert choice.allowed is not None
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


def _middle_of_best_interval(
    choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: NDArray[np.bool_] | None
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
    choice: InterceptChoice, starts: IntArray, losses: IntArray, obeyed: NDArray[np.bool_] | None
) -> list[tuple[int | None, int | None, int]]:
    """Maximal intervals of least loss, among those that meet the allowed range."""
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
    found = []
    for t in np.flatnonzero(best) + first:
        low = None if t == 0 else int(starts[t - 1])
        high = None if t == len(starts) else int(starts[t]) - 1
        found.append((low, high, int(least)))
    return found


def _middle(low: int | None, high: int | None) -> Fraction:
    if low is None:
        return Fraction(0 if high is None else high)
    return Fraction(low) if high is None else Fraction(low + high, 2)


def nearest_to_middle(low: int | None, high: int | None, choice: InterceptChoice) -> int | None:
    """Of the allowed b in an interval the one nearest its middle; None where none is allowed."""
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

"""Projection: how much longer a proof needs at the pace of the search so far, where that can be told.

A bound rises, or the share of the search space that is closed grows; either has to reach a known end. The pace is
that of the later half of the time so far: what comes first, the search for good cards and the rise of a bound from
0, says little of the rest. docs/projection.md says how far off projections were.
"""

from collections.abc import Sequence
from typing import NamedTuple

_SOONEST = 1.0  # seconds: before, nothing is said
_STEADY = 3.0  # the paces of the third and of the last quarter of the time differ by at most so much
_HALVES = 2.0  # a proof with one question fewer takes so much less: 1.4 to 2.2 on 10 problems of make bench-questions
_FEWEST, _SHORT = 3, 60.0  # questions; seconds that a smaller card is offered for
_UNITS = (("s", 1.0, 60.0), ("min", 60.0, 60.0), ("h", 3600.0, 48.0), ("days", 86400.0, 365.0))


class Look(NamedTuple):
    """How far a search was at a moment: its bound, or the share of the search space that was closed."""

    seconds: float
    reached: float


class Projection(NamedTuple):
    """The seconds that a proof still needs, and those of a smaller card: its questions, and seconds in all."""

    seconds: float
    smaller: tuple[int, float] | None = None


def in_time(projection: Projection | None) -> str:
    """Say when a proof is projected, with one significant digit.

    >>> in_time(Projection(2520.0, (5, 21.0))), in_time(None)
    ('in about 40 min (with 5 questions 20 s)', 'cannot be told yet')
    """
    if projection is None:
        return "cannot be told yet"
    time = f"in about {roughly(projection.seconds)}"
    if projection.smaller is not None:
        time += f" (with {projection.smaller[0]} questions {roughly(projection.smaller[1])})"
    return time


def roughly(seconds: float) -> str:
    """Say a duration with one significant digit, as more would not be true.

    >>> roughly(0.2), roughly(47), roughly(5400), roughly(1e9)
    ('1 s', '50 s', '2 h', 'over a year')
    """
    for unit, size, most in _UNITS:
        count = max(1, int(float(f"{seconds / size:.1g}")))
        if count < most:
            return f"{count} {unit}"
    return "over a year"


def projected(looks: Sequence[Look], end: float, questions: int | None = None) -> Projection | None:
    """The time until looks, oldest first, reach the end at their pace; None if that cannot be told yet.

    It can be told after a second, where something was reached in the later half of the time, at a pace that was
    much the same throughout. Where `questions` limits the card, a limit that needs less than a minute is named.

    >>> projected([Look(0.0, 0.0), Look(1.0, 0.1), Look(1.5, 0.15), Look(2.0, 0.2)], 1.0).seconds
    8.0
    >>> projected([Look(0.0, 0.0), Look(1.0, 0.0), Look(1.5, 0.2), Look(2.0, 0.2)], 1.0) is None
    True
    """
    if not looks or looks[-1].seconds < _SOONEST:
        return None
    now = looks[-1]
    middle, late = (_latest(looks, now.seconds * share) for share in (0.5, 0.75))
    if middle is None or late is None or not middle.seconds < late.seconds < now.seconds:
        return None
    slow, fast = sorted([_pace(middle, late), _pace(late, now)])
    if slow <= 0 or fast > _STEADY * slow:
        return None
    left = max(0.0, end - now.reached) / _pace(middle, now)
    return Projection(left, None if questions is None else _smaller(questions, now.seconds + left))


def _latest(looks: Sequence[Look], moment: float) -> Look | None:
    return next((look for look in reversed(looks) if look.seconds <= moment), None)


def _pace(first: Look, last: Look) -> float:
    return (last.reached - first.reached) / (last.seconds - first.seconds)


def _smaller(questions: int, seconds: float) -> tuple[int, float] | None:
    """The most questions that a proof in a minute allows, where the limit itself needs longer."""
    if seconds <= _SHORT:
        return None
    for fewer in range(1, questions - _FEWEST + 1):
        if seconds / _HALVES**fewer <= _SHORT:
            return questions - fewer, seconds / _HALVES**fewer
    return None

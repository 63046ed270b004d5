"""Terms: the unknown numbers of a scoring system, in integers.

A score is ``Σ_t column_t · c_t`` over the features and the intercept, if there is one. All c are in the
problem's unit and all scores in units of 1/(unit·score_step), so nothing is rounded before the model is
complete. A free threshold is a whole number b in the common unit of all totals, and means b + 1/2: a positive
row is right from score 0 on, a negative one below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import TypedDict

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import IntArray, fits_int64, gcd_of, largest_magnitude
from supersparse.problem.objective import intercept_choice
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

_MOST_BINARIES = 10_000


@dataclass(frozen=True, kw_only=True)
class Term:
    """One coefficient c: where it counts, and its allowed values, sorted.

    A `range` of values is an arithmetic progression, written ``c = offset + step·k`` with an integer k. Any
    other sequence needs one binary per value, and so do the values of several levels.
    """

    name: str | None  # None: the intercept
    column: IntArray
    values: Sequence[int]
    C0: Fraction
    counted: bool  # in size, C0 and l1: every feature, and b with intercept="paper"
    levels: tuple[tuple[tuple[int, ...], Fraction], ...] = ()  # values and their penalty; C0 is 0 then

    @property
    def is_progression(self) -> bool:
        """Whether the values are equally spaced."""
        return isinstance(self.values, range)

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose."""
        return self.values[0] == self.values[-1]  # not by length: a range may be too long for len()

    @property
    def is_forced(self) -> bool:
        return 0 not in self.values

    @property
    def step(self) -> int:
        """The distance between neighbours; for other sets, the common divisor of all values."""
        if isinstance(self.values, range):
            return self.values.step
        return int(np.gcd.reduce(np.array(self.values, dtype=object)))

    @property
    def offset(self) -> int:
        """The value of c at k = 0; 0 if 0 is in the set, so that k and c vanish together."""
        if self.is_fixed:
            return self.values[0]
        return self.values[0] % self.step if self.is_progression else 0

    @property
    def bounds(self) -> tuple[int, int]:
        step, offset = self.step, self.offset
        return (self.values[0] - offset) // step, (self.values[-1] - offset) // step


@dataclass(frozen=True, kw_only=True)
class Wants:
    """The quantities of a term that are needed in addition to its value.

    If size, magnitude or positive part only add cost, they need not be exact: they are never too small. An
    exact size is 1 only if c is not 0.
    """

    size: bool = False
    exact_size: bool = False
    magnitude: bool = False
    positive_part: bool = False


def read_features(problem: Problem) -> tuple[Term, ...]:
    rows, scale = problem.rows, problem.score_step
    return tuple(
        Term(
            name=name,
            column=_times(column, scale // own_scale),
            C0=C0,
            counted=True,
            **_values(allowed, levels, problem.unit),
        )
        for name, column, own_scale, allowed, levels, C0 in zip(
            rows.names, rows.columns, rows.scales, problem.sets, problem.levels, problem.C0, strict=True
        )
    )


def read_terms(problem: Problem) -> tuple[Term, ...]:
    """List the features and, last, the intercept, if there is one."""
    rows, scale = problem.rows, problem.score_step
    features = read_features(problem)
    if problem.intercept.mode == "none":
        return features
    if problem.intercept.mode == "free":
        # the common divisor of all totals
        steps = (gcd(gcd_of(t.column) * t.step, gcd_of(t.column) * t.offset) for t in features)
        scale = gcd(*steps) or 1
        values = _Values(values=_useful_thresholds(problem, features, scale), levels=())
    elif problem.intercept.allowed is not None:
        values = _values(problem.intercept.allowed, problem.intercept_levels, problem.unit)
    else:
        choice = intercept_choice(problem, features=0)
        values = _Values(values=_useful_intercepts(problem, features, choice.low, choice.high), levels=())
    intercept = Term(
        name=None,
        column=_times(np.ones(rows.n_rows, dtype=np.int64), scale),
        C0=problem.intercept_C0,
        counted=problem.intercept.is_penalised,
        **values,
    )
    return (*features, intercept)


def score_range(terms: Sequence[Term], max_features: int | None) -> tuple[IntArray, IntArray]:
    """Return the smallest and largest score of each row that the sets and the size limit allow."""
    largest = sum(largest_magnitude(t.column) * max(1, abs(t.values[0]), abs(t.values[-1])) for t in terms)
    dtype = np.int64 if fits_int64(largest) else object
    optional = [t for t in terms if t.counted and not t.is_forced]
    certain = [t for t in terms if not (t.counted and not t.is_forced)]
    places = len(optional)
    if max_features is not None:
        places = min(places, max(0, max_features - sum(t.counted for t in certain)))

    def least(sign: int) -> IntArray:
        def end(term: Term) -> IntArray:
            signed = sign * term.column.astype(dtype)
            return np.asarray(np.minimum(signed * term.values[0], signed * term.values[-1]))

        total = np.zeros(len(terms[0].column), dtype=dtype)
        for term in certain:
            total = total + end(term)
        if places:
            # An optional term can be 0, so its minimum is never above 0; only `places` of them may be used.
            total = total + np.sort(np.stack([end(t) for t in optional]), axis=0)[:places].sum(axis=0, dtype=dtype)
        return total

    return least(1), -least(-1)


def _useful_intercepts(problem: Problem, features: Sequence[Term], low: int | None, high: int | None) -> range:
    """Return the allowed b beyond which no prediction changes, for any coefficients.

    From the largest b up, every positive row is right and every negative one wrong (including score 0); from
    the smallest b down, it is the reverse.
    """
    positive, step = problem.rows.positive, problem.score_step
    least, greatest = score_range(features, problem.max_features)
    all_positive = -((least - positive) // step)  # ceil((positive - least) / step)
    all_negative = (-greatest - ~positive) // step
    first, last = int(all_negative.min()), int(all_positive.max())
    if low is not None and high is not None:
        first, last = min(max(first, low), high), max(min(last, high), low)
    return range(first, last + 1)


def _useful_thresholds(problem: Problem, features: Sequence[Term], unit: int) -> range:
    """Return the b, each meaning b + 1/2, beyond which no prediction changes; in the unit of all totals."""
    least, greatest = score_range(features, problem.max_features)
    return range(-int(greatest.max()) // unit - 1, -(int(least.min()) // unit) + 1)


class _Values(TypedDict):
    values: Sequence[int]
    levels: tuple[tuple[tuple[int, ...], Fraction], ...]


def _values(allowed: CoefficientSet, levels_of: Levels | None, unit: int) -> _Values:
    """Return the allowed values and their levels, without levels that contain none of them."""
    if levels_of is None and not allowed.without_zero and isinstance(allowed.numerators, range):
        return _Values(values=allowed.over(unit), levels=())
    if len(allowed) > _MOST_BINARIES:
        raise UnsupportedProblemError(
            f"{allowed} needs one binary per value, over {_MOST_BINARIES}", "use solver='exact' or a smaller set"
        )
    whole = [int(v * unit) for v in allowed.values]
    if levels_of is None:
        return _Values(values=_progression(whole), levels=())
    kept = ((tuple(int(v * unit) for v in level.values if v in allowed), C) for level, C in levels_of.levels)
    levels = tuple((values, C) for values, C in kept if values)
    return _Values(values=tuple(whole) if len(levels) > 1 else _progression(whole), levels=levels)


def _progression(values: list[int]) -> Sequence[int]:
    steps = {b - a for a, b in pairwise(values)}
    if len(steps) > 1:
        return tuple(values)
    return range(values[0], values[-1] + 1, steps.pop() if steps else 1)


def _times(column: IntArray, factor: int) -> IntArray:
    dtype = np.int64 if fits_int64(largest_magnitude(column) * factor) else object
    return column.astype(dtype) * factor

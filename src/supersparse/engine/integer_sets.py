"""Coefficient sets in the problem's unit, and what F charges for them, as the kernels count.

Equally spaced magnitudes of a sign are two numbers and a count, so that an interval of ten million values
takes no room; others are a table. Penalties are in kernel units, rounded down.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import floor

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import Ints
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

LARGEST_POINTS = 2**50
"""No coefficient may exceed this number of units: sums of them then fit 64 bits with room to spare."""

_NO_TABLE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Magnitudes:
    """The magnitudes of one sign, rising: ``first + stride·i``, or the table's where the stride is 0."""

    first: int = 0
    stride: int = 1
    count: int = 0
    table: Ints = field(default_factory=lambda: _NO_TABLE)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return self.first + self.stride * index if self.stride else int(self.table[index])

    @property
    def largest(self) -> int:
        """The last one, 0 where there are none."""
        return self[self.count - 1] if self.count else 0

    @property
    def is_full(self) -> bool:
        """Whether they are 1, 2, ..., n."""
        return self.first == 1 and (self.stride == 1 or self.count == 1)

    def below(self, limit: int) -> int:
        """How many are smaller than a limit."""
        if self.stride:
            return max(0, min(self.count, -(-(limit - self.first) // self.stride)))
        return int(np.searchsorted(self.table, limit))

    def array(self) -> Ints:
        """All of them; only where they are few."""
        return self.first + self.stride * np.arange(self.count) if self.stride else self.table


@dataclass(frozen=True, eq=False, kw_only=True)
class IntegerSet:
    """The values that one coefficient may take."""

    positive: Magnitudes
    negative: Magnitudes
    has_zero: bool

    @classmethod
    def of(cls, values: CoefficientSet, unit: int) -> "IntegerSet":
        """Count a set in units; values beyond `LARGEST_POINTS` are refused."""
        numbers = values.over(unit)
        if max(abs(numbers[0]), abs(numbers[-1])) > LARGEST_POINTS:
            raise UnsupportedProblemError(
                f"points reach {max(abs(numbers[0]), abs(numbers[-1]))} units of 1/{unit}, over 2^50",
                "use smaller points, or a coarser set",
            )
        has_zero = 0 in values
        if isinstance(numbers, range):
            return cls(
                positive=_progression(numbers[0], numbers[-1], numbers.step),
                negative=_progression(-numbers[-1], -numbers[0], numbers.step),
                has_zero=has_zero,
            )
        array = np.array(numbers, np.int64)
        return cls(positive=_table(array[array > 0]), negative=_table(-array[array < 0][::-1]), has_zero=has_zero)

    def of_sign(self, sign: int) -> Magnitudes:
        return self.positive if sign > 0 else self.negative

    @property
    def least(self) -> int:
        if self.negative.count:
            return -self.negative.largest
        return 0 if self.has_zero or not self.positive.count else self.positive[0]

    @property
    def greatest(self) -> int:
        if self.positive.count:
            return self.positive.largest
        return 0 if self.has_zero or not self.negative.count else -self.negative[0]

    @property
    def largest(self) -> int:
        return max(self.positive.largest, self.negative.largest)

    @property
    def smallest(self) -> int | None:
        """The smallest magnitude of a nonzero value; None if there is none."""
        return min((m[0] for m in (self.positive, self.negative) if m.count), default=None)

    @cached_property
    def sample(self) -> Ints:
        """The sorted values; for very long sets, only small and two-digit ones, enough for a search."""
        parts = [-_sampled(self.negative)[::-1], np.zeros(int(self.has_zero), np.int64), _sampled(self.positive)]
        return np.concatenate(parts)


_ALL_UP_TO = 10_000
_SMALL = 300


def _sampled(magnitudes: Magnitudes) -> Ints:
    if magnitudes.count <= _ALL_UP_TO:
        return magnitudes.array()
    wanted = {*range(_SMALL), magnitudes.count - 1}
    power = 1
    while power <= magnitudes.largest:
        wanted |= {min(magnitudes.count - 1, magnitudes.below(d * power)) for d in range(10, 100)}
        power *= 10
    return np.array([magnitudes[i] for i in sorted(wanted)], np.int64)


def _progression(low: int, high: int, step: int) -> Magnitudes:
    """The positive numbers among low, low + step, ..., high."""
    first = low if low > 0 else low + (-low // step + 1) * step
    return Magnitudes(first=first, stride=step, count=(high - first) // step + 1) if first <= high else Magnitudes()


def _table(magnitudes: Ints) -> Magnitudes:
    steps = np.unique(np.diff(magnitudes))
    if len(magnitudes) and len(steps) <= 1:
        return Magnitudes(first=int(magnitudes[0]), stride=int(steps[0]) if len(steps) else 1, count=len(magnitudes))
    return Magnitudes(stride=0, count=len(magnitudes), table=magnitudes) if len(magnitudes) else Magnitudes()


@dataclass(frozen=True, eq=False)
class FeaturePenalties:
    """The penalties of one coefficient's values, rounded down; a single entry applies to all of its sign."""

    unused: int
    positive: Ints
    negative: Ints

    def of_sign(self, sign: int) -> Ints:
        """Penalties of the positive or negative values, by ascending magnitude."""
        return self.positive if sign > 0 else self.negative

    def of(self, values: IntegerSet, value: int) -> int:
        if value == 0:
            return self.unused
        sign = 1 if value > 0 else -1
        penalties = self.of_sign(sign)
        at = 0 if len(penalties) == 1 else values.of_sign(sign).below(abs(value))
        return int(penalties[at])

    @property
    def least_used(self) -> int:
        """The smallest penalty of a nonzero value; 0 if there is none."""
        return int(min((side.min() for side in (self.positive, self.negative) if len(side)), default=0))

    @property
    def most(self) -> int:
        used = max((int(side.max()) for side in (self.positive, self.negative) if len(side)), default=0)
        return max(self.unused, used)


def feature_penalties(problem: Problem, j: int, values: IntegerSet, scale: Fraction) -> FeaturePenalties:
    if problem.levels[j] is None:
        C0 = np.array([floor(problem.C0[j] * scale)], np.int64)
        return FeaturePenalties(0, C0[: values.positive.count], C0[: values.negative.count])

    def of_magnitudes(sign: int, magnitudes: Magnitudes) -> Ints:
        penalties = (problem.penalty(j, Fraction(sign * int(v), problem.unit)) for v in magnitudes.array())
        return np.array([floor(penalty * scale) for penalty in penalties], np.int64)

    unused = floor(problem.penalty(j, Fraction(0)) * scale) if values.has_zero else 0
    return FeaturePenalties(unused, of_magnitudes(1, values.positive), of_magnitudes(-1, values.negative))


def intercept_penalties(problem: Problem, values: Ints, scale: Fraction) -> Ints:
    if problem.intercept_levels is None:
        return np.where(values != 0, floor(problem.intercept_C0 * scale), 0).astype(np.int64)
    penalties = (problem.intercept_penalty(Fraction(int(b), problem.unit)) for b in values)
    return np.array([floor(penalty * scale) for penalty in penalties], np.int64)


def is_flat(problem: Problem) -> bool:
    """Say whether a penalty is the same at all values of a feature that is used, and 0 at 0.

    Decided on exact penalties, because rounded ones can agree when exact ones differ.
    """
    used = (
        {problem.penalty(j, v) for v in problem.sets[j].values if v}
        for j, levels in enumerate(problem.levels)
        if levels is not None
    )
    unused = any(problem.penalty(j, Fraction(0)) for j, s in enumerate(problem.sets) if 0 in s)
    b: set[Fraction] = set()
    if problem.intercept_levels is not None and problem.intercept.allowed is not None:
        b = {problem.intercept_penalty(v) for v in problem.intercept.allowed.values if v}
    return not unused and all(len(penalties) <= 1 for penalties in used) and len(b) <= 1

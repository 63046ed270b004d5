"""Coefficient sets in the problem's unit, as the kernels count them: magnitudes of each sign.

Equally spaced magnitudes are two numbers and a count, so that an interval of ten million values
takes no room; others are a table.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import UnsupportedProblemError
from supersparse.problem.points import CoefficientSet

Ints = NDArray[np.int64]

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
                f"points reach {max(abs(numbers[0]), abs(numbers[-1]))} units of 1/{unit}, over 2^50; "
                "use smaller points, or a coarser set"
            )
        has_zero = 0 in values
        if isinstance(numbers, range):
            return cls(
                positive=_progression(numbers[0], numbers[-1], numbers.step),
                negative=_progression(-numbers[-1], -numbers[0], numbers.step),
                has_zero=has_zero,
            )
        array = np.array(numbers, np.int64)
        return cls(
            positive=_table(array[array > 0]), negative=_table(-array[array < 0][::-1]), has_zero=has_zero
        )

    def of_sign(self, sign: int) -> Magnitudes:
        """The magnitudes of the positive or negative values."""
        return self.positive if sign > 0 else self.negative

    @property
    def least(self) -> int:
        """The smallest value."""
        if self.negative.count:
            return -self.negative.largest
        return 0 if self.has_zero or not self.positive.count else self.positive[0]

    @property
    def greatest(self) -> int:
        """The largest value."""
        if self.positive.count:
            return self.positive.largest
        return 0 if self.has_zero or not self.negative.count else -self.negative[0]

    @property
    def largest(self) -> int:
        """The largest magnitude."""
        return max(self.positive.largest, self.negative.largest)

    @property
    def smallest(self) -> int | None:
        """The smallest magnitude of a nonzero value; None if there is none."""
        return min((m[0] for m in (self.positive, self.negative) if m.count), default=None)

    @cached_property
    def sample(self) -> Ints:
        """The sorted values; for very long sets, only small and two-digit ones, enough for a search."""
        parts = [
            -_sampled(self.negative)[::-1],
            np.zeros(int(self.has_zero), np.int64),
            _sampled(self.positive),
        ]
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
    return (
        Magnitudes(first=first, stride=step, count=(high - first) // step + 1)
        if first <= high
        else Magnitudes()
    )


def _table(magnitudes: Ints) -> Magnitudes:
    steps = np.unique(np.diff(magnitudes))
    if len(magnitudes) and len(steps) <= 1:
        return Magnitudes(
            first=int(magnitudes[0]), stride=int(steps[0]) if len(steps) else 1, count=len(magnitudes)
        )
    return Magnitudes(stride=0, count=len(magnitudes), table=magnitudes) if len(magnitudes) else Magnitudes()

"""What F charges for coefficients and the intercept, in kernel units, rounded down."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.integer_sets import IntegerSet, Magnitudes
from supersparse.problem.problem import Problem

Ints = NDArray[np.int64]


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
        """The penalty of one value of the coefficient's set."""
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
        """The largest penalty of any value."""
        used = max((int(side.max()) for side in (self.positive, self.negative) if len(side)), default=0)
        return max(self.unused, used)


def feature_penalties(problem: Problem, j: int, values: IntegerSet, scale: Fraction) -> FeaturePenalties:
    """The penalties of feature j, from its levels or C0."""
    if problem.levels[j] is None:
        C0 = np.array([floor(problem.C0[j] * scale)], np.int64)
        return FeaturePenalties(0, C0[: values.positive.count], C0[: values.negative.count])

    def of_magnitudes(sign: int, magnitudes: Magnitudes) -> Ints:
        penalties = (problem.penalty(j, Fraction(sign * int(v), problem.unit)) for v in magnitudes.array())
        return np.array([floor(penalty * scale) for penalty in penalties], np.int64)

    unused = floor(problem.penalty(j, Fraction(0)) * scale) if values.has_zero else 0
    return FeaturePenalties(unused, of_magnitudes(1, values.positive), of_magnitudes(-1, values.negative))


def intercept_penalties(problem: Problem, values: Ints, scale: Fraction) -> Ints:
    """The penalty of each allowed intercept."""
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

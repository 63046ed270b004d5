"""The set of scoring systems that a problem declares, as what is counted in a bound."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from supersparse.problem.coefficients import CoefficientSet
from supersparse.problem.problem import Problem
from supersparse.theory.counting import Interval, count_directions, count_farey, count_vectors


@dataclass(frozen=True, kw_only=True)
class ModelSpace:
    """All (λ, b) that are allowed: sets with the number of features that have them, and the intercept.

    `intercept_range` is None without an intercept, and with ``intercept="paper"``: that one is among the
    `sets` and counts in the size.
    """

    sets: Mapping[CoefficientSet, int]
    intercept_range: tuple[Fraction, Fraction] | None
    max_size: int | None

    @cached_property
    def unit(self) -> int:
        """All coefficients and b are integers over this number."""
        return math.lcm(*(s.denominator for s in self.sets))

    @property
    def n_coordinates(self) -> int:
        """Number of features, and one more for an intercept."""
        return sum(self.sets.values()) + (self.intercept_range is not None)

    @property
    def limits_size(self) -> bool:
        """Whether the size limit leaves anything out."""
        return self.max_size is not None and self.max_size < sum(self.sets.values())

    @cached_property
    def intercept(self) -> Interval:
        """The intercept's range in units; from 0 to 0 where it is no coordinate of its own."""
        if self.intercept_range is None:
            return 0, 0
        low, high = self.intercept_range
        return math.ceil(low * self.unit), math.floor(high * self.unit)

    @cached_property
    def intervals(self) -> Mapping[Interval, int] | None:
        """The sets in units if each is an unbroken run of whole numbers through 0, else None."""
        if any(self.is_broken(s) for s in self.sets) or not self.intercept[0] <= 0 <= self.intercept[1]:
            return None
        return {(int(s.least * self.unit), int(s.greatest * self.unit)): n for s, n in self.sets.items()}

    @cached_property
    def largest(self) -> int | None:
        """Λ if the space is {-Λ, ..., Λ} in every coordinate, intercept included, else None."""
        if self.intervals is None or len(self.intervals) != 1:
            return None
        (low, high), *_ = self.intervals
        if -low != high or (self.intercept_range is not None and self.intercept != (low, high)):
            return None
        return high

    def is_broken(self, values: CoefficientSet) -> bool:
        """Whether a set leaves out 0 or a multiple of the unit between its ends."""
        return 0 not in values or (values.greatest - values.least) * self.unit + 1 != len(values)

    def n_vectors(self, max_size: int | None = None) -> int:
        """|L|: how many (λ, b) there are."""
        low, high = self.intercept
        optional, forced = Counter[int](), Counter[int]()
        for s, n in self.sets.items():
            if 0 in s:
                optional[len(s) - 1] += n
            else:
                forced[len(s)] += n
        return count_vectors(optional, forced, max_size) * (high - low + 1)

    def n_directions(self, max_size: int | None = None) -> int | None:
        """How many of them are different as classifiers; None where dividing by the gcd may leave a set."""
        if self.intervals is None:
            return None
        return count_directions(self.intervals, self.intercept, max_size)

    def n_farey(self) -> int | None:
        """Return the paper's count; None where no single Λ bounds all coordinates on both sides."""
        return None if self.largest is None else count_farey(self.n_coordinates, self.largest)

    def with_one_more_digit(self) -> "ModelSpace":
        """Cut every step between neighbouring values in ten; b follows the finer unit.

        -Λ, ..., Λ becomes the multiples of 0.1 between -Λ and Λ. A set that leaves out 0 goes on to.
        """
        finer = Counter[CoefficientSet]()
        for s, n in self.sets.items():
            finer[_with_steps_in_ten(s)] += n
        return ModelSpace(sets=finer, intercept_range=self.intercept_range, max_size=self.max_size)


def declared_space(problem: Problem) -> ModelSpace:
    """Return what the problem allowed before its rows were seen.

    A problem fixes columns that are constant in its rows at 0. That choice came from the rows, so here such a
    column has the set that it was given.
    """
    sets = Counter(declared_sets(problem))
    intercept = problem.intercept
    if intercept.allowed is not None:
        sets[intercept.allowed] += 1
    low, high = intercept.low, intercept.high
    return ModelSpace(
        sets=sets,
        intercept_range=None if low is None or high is None else (low, high),
        max_size=problem.max_features,
    )


def declared_sets(problem: Problem) -> tuple[CoefficientSet, ...]:
    """The set of each feature, of a constant one too."""
    ignored = set(problem.ignored)
    return tuple(problem.given_sets[j] if j in ignored else s for j, s in enumerate(problem.sets))


def _with_steps_in_ten(coarse: CoefficientSet) -> CoefficientSet:
    values = [coarse.greatest]
    for a, b in zip(coarse.values, coarse.values[1:], strict=False):
        values += [a + (b - a) * i / 10 for i in range(10)]
    return CoefficientSet.of(v for v in values if v != 0 or 0 in coarse)

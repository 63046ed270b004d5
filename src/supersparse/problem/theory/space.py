"""The scoring systems that a problem allows, and how many there are."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

Sizes = Mapping[int, int]
"""Features by their number of nonzero values: {200: 1431} is 1431 features with -100 to 100."""

Interval = tuple[int, int]
"""The whole numbers from the first to the second, inclusive; they include 0."""


def count_vectors(optional: Sizes, forced: Sizes, max_size: int | None = None) -> int:
    """Count the vectors of a product of sets with at most `max_size` nonzero entries.

    `optional` describes the sets that contain 0, `forced` the others. A set with c nonzero values contributes 1 + c·z,
    a forced one c·z; the count is the sum of the coefficients of 1, z, ..., z^max_size in the product.

    >>> count_vectors({2: 3}, {})  # {-1, 0, 1}^3
    27
    >>> count_vectors({2: 3}, {}, max_size=1)  # the zero vector, and ±1 at one of three places
    7
    """
    n_forced = sum(forced.values())
    of_forced = math.prod(_power(c, n) for c, n in forced.items())
    if max_size is None or max_size >= n_forced + sum(optional.values()):
        return of_forced * math.prod(_power(1 + c, n) for c, n in optional.items())
    if max_size < n_forced:
        return 0
    degree = max_size - n_forced
    product = [1]
    for c, n in optional.items():
        product = _truncated_product(product, _power_of_one_plus(c, n, degree), degree)
    return of_forced * sum(product)


def count_directions(
    intervals: Mapping[Interval, int], intercept: Interval = (0, 0), max_size: int | None = None
) -> int:
    """Count the distinct directions of whole-number vectors (λ, b) in a box around 0, plus the zero vector.

    Vectors that are positive multiples of each other give every row the same sign, so a direction is a classifier. In a
    product of intervals that contain 0, each direction has exactly one coprime vector: dividing by the gcd stays in the
    box. The zero vector has no direction and is one more classifier, whose score is always 0.

    `intervals` maps each interval to its number of features. `max_size` limits the nonzero entries of λ; b
    does not count. By Möbius inversion over the divisor d of all entries,

        1 + [b can be > 0] + [b can be < 0] + Σ_d μ(d)·#{λ ≠ 0 : d | λ}·#{b : d | b},

    where the first three terms are the classifiers with λ = 0, and d runs up to the largest |λ_j|.

    >>> count_directions({(-1, 1): 2})  # the eight neighbours of 0 and 0 itself
    9
    """
    largest = max((max(-low, high) for low, high in intervals), default=0)
    low, high = intercept
    total = 1 + (high > 0) + (low < 0)
    for d, mobius in enumerate(mobius_function(largest)):
        if mobius:
            sizes: dict[int, int] = {}
            for interval, n in intervals.items():
                c = _multiples_but_zero(interval, d)
                sizes[c] = sizes.get(c, 0) + n
            total += mobius * (count_vectors(sizes, {}, max_size) - 1) * (1 + _multiples_but_zero(intercept, d))
    return total


def count_farey(n: int, largest: int) -> int:
    """Count the Farey points, which the paper's Theorem 2 takes as the number of classifiers.

    The points λ/q in [0, 1)^n with whole λ and q, 0 < q <= largest and gcd(λ, q) = 1. For each q there are
    J_n(q) of them, with Jordan's totient J_n.

    >>> count_farey(1, 5)  # 0, 1/2, 1/3, 2/3, 1/4, 3/4, 1/5, 2/5, 3/5, 4/5
    10
    """
    return sum(jordan_totients(n, largest)[1:])


def mobius_function(largest: int) -> list[int]:
    """Return μ(0) = 0 (by convention), μ(1), ..., μ(largest), from Σ_{d|n} μ(d) = [n = 1].

    >>> mobius_function(6)
    [0, 1, -1, -1, 0, -1, 1]
    """
    mobius = [0, 1] + [0] * (largest - 1)
    for d in range(1, largest + 1):
        for multiple in range(2 * d, largest + 1, d):
            mobius[multiple] -= mobius[d]
    return mobius[: largest + 1]


def jordan_totients(n: int, largest: int) -> list[int]:
    """Return 0, J_n(1), ..., J_n(largest), from Σ_{d|q} J_n(d) = q^n.

    J_n(q) is the number of vectors of n whole numbers from 0 to q - 1 whose gcd with q is 1.

    >>> jordan_totients(1, 6)  # Euler's totient
    [0, 1, 1, 2, 2, 4, 2]
    """
    totients = [_power(q, n) if q else 0 for q in range(largest + 1)]
    for d in range(1, largest + 1):
        for multiple in range(2 * d, largest + 1, d):
            totients[multiple] -= totients[d]
    return totients


def _power(base: int, exponent: int) -> int:
    return int(base**exponent)  # int() for the type checker only


def _multiples_but_zero(interval: Interval, d: int) -> int:
    low, high = interval
    return high // d + -low // d


def _power_of_one_plus(c: int, n: int, degree: int) -> list[int]:
    """Coefficients of (1 + c·z)^n up to z^degree."""
    coefficients = [1]
    for s in range(1, min(n, degree) + 1):
        coefficients.append(coefficients[-1] * (n - s + 1) * c // s)
    return coefficients


def _truncated_product(a: Sequence[int], b: Sequence[int], degree: int) -> list[int]:
    if len(a) == 1:
        return [a[0] * v for v in b]
    product = [0] * min(len(a) + len(b) - 1, degree + 1)
    for i, v in enumerate(a):
        for j, w in enumerate(b[: len(product) - i]):
            product[i + j] += v * w
    return product


@dataclass(frozen=True, kw_only=True)
class ModelSpace:
    """All allowed (λ, b): the sets, each with its number of features, and the intercept.

    `intercept_range` is None without an intercept and with ``intercept="paper"``, where the intercept is one
    of the `sets` and counts towards the size.
    """

    sets: Mapping[CoefficientSet, int]
    intercept_range: tuple[Fraction, Fraction] | None
    max_size: int | None

    @cached_property
    def unit(self) -> int:
        """The common denominator of all coefficients and b."""
        return math.lcm(*(s.denominator for s in self.sets))

    @property
    def n_coordinates(self) -> int:
        """Number of features, plus one for an intercept."""
        return sum(self.sets.values()) + (self.intercept_range is not None)

    @property
    def limits_size(self) -> bool:
        """Whether the size limit excludes anything."""
        return self.max_size is not None and self.max_size < sum(self.sets.values())

    @cached_property
    def intercept(self) -> Interval:
        """The intercept's range in units; (0, 0) if it is not a separate coordinate."""
        if self.intercept_range is None:
            return 0, 0
        low, high = self.intercept_range
        return math.ceil(low * self.unit), math.floor(high * self.unit)

    @cached_property
    def intervals(self) -> Mapping[Interval, int] | None:
        """The sets in units, if each is an unbroken run of whole numbers through 0; otherwise None."""
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
        """Whether a set lacks 0 or a multiple of the unit between its ends."""
        return 0 not in values or (values.greatest - values.least) * self.unit + 1 != len(values)

    def n_vectors(self, max_size: int | None = None) -> int:
        """|L|: the number of vectors (λ, b)."""
        low, high = self.intercept
        optional, forced = Counter[int](), Counter[int]()
        for s, n in self.sets.items():
            if 0 in s:
                optional[len(s) - 1] += n
            else:
                forced[len(s)] += n
        return count_vectors(optional, forced, max_size) * (high - low + 1)

    def n_directions(self, max_size: int | None = None) -> int | None:
        """The number of distinct classifiers; None if dividing by the gcd may leave a set."""
        if self.intervals is None:
            return None
        return count_directions(self.intervals, self.intercept, max_size)

    def n_farey(self) -> int | None:
        """Return the paper's count; None unless every coordinate is -Λ, ..., Λ for one Λ."""
        return None if self.largest is None else count_farey(self.n_coordinates, self.largest)

    def with_one_more_digit(self) -> "ModelSpace":
        """Divide every step between neighbouring values into ten; b follows the finer unit.

        -Λ, ..., Λ becomes the multiples of 0.1 between -Λ and Λ. A set without 0 still has no 0.
        """
        finer = Counter[CoefficientSet]()
        for s, n in self.sets.items():
            finer[_with_steps_in_ten(s)] += n
        return ModelSpace(sets=finer, intercept_range=self.intercept_range, max_size=self.max_size)


def declared_space(problem: Problem) -> ModelSpace:
    """Return the space that the problem allowed before its rows were seen.

    A problem fixes columns that are constant in its rows at 0. That depends on the rows, so here such a
    column keeps its full set.
    """
    sets = Counter(declared_sets(problem))
    intercept = problem.intercept
    if intercept.allowed is not None:
        sets[intercept.allowed] += 1
    low, high = intercept.low, intercept.high
    return ModelSpace(
        sets=sets, intercept_range=None if low is None or high is None else (low, high), max_size=problem.max_features
    )


def declared_sets(problem: Problem) -> tuple[CoefficientSet, ...]:
    """The set of each feature, including constant ones."""
    ignored = set(problem.ignored)
    return tuple(problem.given_sets[j] if j in ignored else s for j, s in enumerate(problem.sets))


def _with_steps_in_ten(coarse: CoefficientSet) -> CoefficientSet:
    values = [coarse.greatest]
    for a, b in zip(coarse.values, coarse.values[1:], strict=False):
        values += [a + (b - a) * i / 10 for i in range(10)]
    return CoefficientSet.of(v for v in values if v != 0 or 0 in coarse)

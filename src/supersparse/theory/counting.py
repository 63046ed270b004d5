"""Counting classifiers in Python's integers: vectors, directions, Farey points.

The counts are exact and overflow nothing, and `math.log` takes integers of any length: for P = 1431 features
and points from -100 to 100 the count of vectors has 3296 digits, and its logarithm is 7589.02.
"""

import math
from collections.abc import Mapping, Sequence

Sizes = Mapping[int, int]
"""How many features have how many values other than 0: {200: 1431} is 1431 features with -100 to 100."""

Interval = tuple[int, int]
"""The whole numbers from the first to the second, both included; 0 among them."""


def count_vectors(optional: Sizes, forced: Sizes, max_size: int | None = None) -> int:
    """Count the vectors of a product of sets with at most `max_size` entries other than 0.

    `optional` speaks of the sets that hold 0, `forced` of those that do not. A set with c values other
    than 0 contributes 1 + c·z, a forced one c·z; the count is the sum of the coefficients of
    1, z, ..., z^max_size in the product of all.

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
    """Count the different directions of whole-number vectors (λ, b) in a box around 0, zero vector included.

    Vectors that are positive multiples of each other give every row the same sign, so a direction is a
    classifier. In a product of intervals that hold 0, each direction has exactly one coprime vector:
    dividing by the gcd does not leave the box. The zero vector has no direction and is one more classifier,
    the one whose score is always 0; it counts once.

    `intervals` says how many features have which interval. `max_size` limits the entries of λ other than 0;
    b does not count. By Möbius inversion over the divisor d of all entries,

        1 + [b can be > 0] + [b can be < 0] + Σ_d μ(d)·#{λ ≠ 0 : d | λ}·#{b : d | b},

    where the first three terms are the classifiers with λ = 0, and d runs to the largest |λ_j| only.

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
            total += (
                mobius * (count_vectors(sizes, {}, max_size) - 1) * (1 + _multiples_but_zero(intercept, d))
            )
    return total


def count_coprime(n: int, largest: int) -> int:
    """Count the vectors of n whole numbers from -largest to largest whose gcd is 1.

    Σ_d μ(d)·((2⌊largest/d⌋ + 1)^n - 1). The gcd of the zero vector is 0, so it is not among them.

    >>> count_coprime(2, 1)
    8
    """
    return count_directions({(-largest, largest): n}) - 1


def count_farey(n: int, largest: int) -> int:
    """Count the Farey points that the paper's Theorem 2 takes for the number of classifiers.

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

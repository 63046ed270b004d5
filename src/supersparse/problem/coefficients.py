"""Coefficient sets: which values the points of one feature may take (section 3.4)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from supersparse.decimals import exact
from supersparse.errors import InvalidProblemError

Number = int | float | Fraction


@dataclass(frozen=True)
class CoefficientSet:
    """A finite set of allowed coefficient values, sorted, exact.

    A set without 0 forces its feature into the model.
    """

    values: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise InvalidProblemError("a coefficient set is empty; give at least one value, such as 0")
        if any(a >= b for a, b in zip(self.values, self.values[1:], strict=False)):
            raise InvalidProblemError(
                "a coefficient set must be sorted and free of repeats; use CoefficientSet.of"
            )

    @classmethod
    def of(cls, values: Iterable[Number]) -> "CoefficientSet":
        """Make a set of any finite values, in any order.

        >>> CoefficientSet.of([0, 0.5, -0.5])
        CoefficientSet(-1/2, 0, 1/2)
        """
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidProblemError(f"a coefficient set is {values!r}; give numbers, such as [-1, 0, 1]")
        return cls(tuple(sorted({exact(v, "a value of a coefficient set") for v in values})))

    @cached_property
    def denominator(self) -> int:
        """The smallest integer that makes every value an integer when multiplied by it."""
        return math.lcm(*(v.denominator for v in self.values))

    @property
    def least(self) -> Fraction:
        """The smallest value."""
        return self.values[0]

    @property
    def greatest(self) -> Fraction:
        """The largest value."""
        return self.values[-1]

    @cached_property
    def largest_magnitude(self) -> Fraction:
        """The largest absolute value."""
        return max(abs(self.least), abs(self.greatest))

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether -v is allowed for each allowed v."""
        return all(a == -b for a, b in zip(self.values, reversed(self.values), strict=True))

    @cached_property
    def nearest_zero(self) -> Fraction:
        """The value of least magnitude, the negative one of two."""
        return min(self.values, key=lambda v: (abs(v), v))

    @cached_property
    def _hash(self) -> int:
        return hash(self.values)

    def __hash__(self) -> int:
        return self._hash  # sets are shared by many features and hashed often

    def __contains__(self, value: object) -> bool:
        return value in self._lookup

    @cached_property
    def _lookup(self) -> frozenset[Fraction]:
        return frozenset(self.values)

    def within(self, low: Number | None, high: Number | None, name: str) -> "CoefficientSet":
        """Keep the values between two bounds, either of which may be open (None)."""
        low_exact = None if low is None else exact(low, f"feature {name!r}: the lower bound")
        high_exact = None if high is None else exact(high, f"feature {name!r}: the upper bound")
        if low_exact is not None and high_exact is not None and high_exact < low_exact:
            raise InvalidProblemError(
                f"feature {name!r}: upper bound {high} is below lower bound {low}; "
                "swap them, or set both to 0 to leave the feature out"
            )
        kept = tuple(
            v
            for v in self.values
            if (low_exact is None or v >= low_exact) and (high_exact is None or v <= high_exact)
        )
        if not kept:
            raise InvalidProblemError(
                f"feature {name!r}: no value of {self} lies between the bounds {low} and {high}; "
                "widen the bounds or the coefficient set"
            )
        return CoefficientSet(kept)

    def __repr__(self) -> str:
        shown = [str(v) for v in self.values]
        if len(shown) > 9:
            shown = [*shown[:3], "...", *shown[-3:]]
            return f"CoefficientSet({', '.join(shown)}; {len(self.values)} values)"
        return f"CoefficientSet({', '.join(shown)})"


def integers(largest: int = 100, *, smallest: int | None = None) -> CoefficientSet:
    """All integers from `smallest` (default: minus `largest`) to `largest`.

    >>> integers(2)
    CoefficientSet(-2, -1, 0, 1, 2)
    """
    low = -largest if smallest is None else smallest
    if not isinstance(largest, int) or not isinstance(low, int) or largest < low:
        raise InvalidProblemError(
            f"integers from {low!r} to {largest!r} is empty; give whole numbers in order"
        )
    return CoefficientSet(tuple(Fraction(v) for v in range(low, largest + 1)))


def non_negative(largest: int = 100) -> CoefficientSet:
    """The integers 0 to `largest`: the feature may only add points."""
    return integers(largest, smallest=0)


def non_positive(largest: int = 100) -> CoefficientSet:
    """The integers -`largest` to 0: the feature may only take points away."""
    return integers(0, smallest=-largest)


def one_digit() -> CoefficientSet:
    """One significant digit: 0 and ±d·10^E with d from 1 to 9 and E from -3 to 2.

    >>> len(one_digit().values)
    109
    """
    return _signed(d * Fraction(10) ** e for d in range(10) for e in range(-3, 3))


def two_digits() -> CoefficientSet:
    """Two significant digits: ±(d1·10^E + d2·10^(E-1)) with E from 1 to 3, up to 9900.

    >>> len(two_digits().values), max(two_digits().values)
    (559, Fraction(9900, 1))
    """
    return _signed(
        d1 * Fraction(10) ** e + d2 * Fraction(10) ** (e - 1)
        for d1 in range(10)
        for d2 in range(10)
        for e in range(1, 4)
    )


def _signed(magnitudes: Iterable[Fraction]) -> CoefficientSet:
    kept = set(magnitudes)
    return CoefficientSet(tuple(sorted(kept | {-m for m in kept})))

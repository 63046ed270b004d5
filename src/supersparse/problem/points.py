"""Points of a scoring system, and the sets they are chosen from (section 3.2)."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Real

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import Number, exact
from supersparse.table.small_table import SmallTable, Tabular, listed, number


@dataclass(frozen=True, slots=True, repr=False)
class Points(Tabular):
    """Coefficients and the intercept in units of 1/denominator.

    Coefficients are whole in that unit. So is the intercept, unless the threshold is free
    (``intercept="free"``); then it may be -7/2 units, for example. A risk model also has a slope: its
    risk is 1 / (1 + exp(-slope·(total + intercept))). Where columns are questions, each answer has its own
    points, and the coefficient of a question is the largest of them.
    """

    __module__ = "supersparse"

    coefficients: tuple[int, ...]
    intercept: int | Fraction
    denominator: int = 1
    slope: Fraction | None = None  # of a risk model: the log odds of one point
    answers: tuple[tuple[int, ...], ...] | None = None  # points by question and answer

    def __post_init__(self) -> None:
        # Solvers return numpy integers; Python integers never overflow.
        object.__setattr__(self, "coefficients", tuple(int(c) for c in self.coefficients))
        whole = not isinstance(self.intercept, Fraction) or self.intercept.denominator == 1
        object.__setattr__(self, "intercept", int(self.intercept) if whole else self.intercept)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The coefficients as fractions."""
        made = {c: Fraction(c, self.denominator) for c in set(self.coefficients)}  # most are 0 in wide tables
        return tuple(made[c] for c in self.coefficients)

    @property
    def intercept_value(self) -> Fraction:
        """The intercept as a fraction."""
        return Fraction(self.intercept) / self.denominator

    @property
    def support(self) -> tuple[int, ...]:
        """Indices of the features in use."""
        return tuple(j for j, c in enumerate(self.coefficients) if c)

    def over(self, denominator: int) -> "Points":
        """Return the same values over another denominator."""
        if denominator == self.denominator:
            return self
        scaled = [divmod(c * denominator, self.denominator) for c in self.coefficients]
        if any(rest for _, rest in scaled):
            raise InvalidProblemError(f"{self} has values that are not multiples of 1/{denominator}")
        intercept = self.intercept_value * denominator
        return Points(tuple(c for c, _ in scaled), intercept, denominator, self.slope)

    @classmethod
    def at(
        cls,
        support: Sequence[int],
        values: Sequence[int],
        n_features: int,
        intercept: int | Fraction,
        denominator: int = 1,
        slope: Fraction | None = None,
    ) -> "Points":
        """Put values at these features and 0 elsewhere."""
        coefficients = [0] * n_features
        for j, value in zip(support, values, strict=True):
            coefficients[j] = value
        return cls(tuple(coefficients), intercept, denominator, slope)

    def _brief(self) -> str:
        intercept = f"intercept {number(self.intercept_value)}"
        if self.answers is not None:
            asked = [f"{', '.join(map(str, self.answers[j]))} at {j}" for j in self.support]
            return f"{'; '.join(asked) or 'no questions'}; {intercept}"
        if len(self.coefficients) <= _SHOWN:
            return f"{', '.join(map(number, self.values)) or 'no features'}; {intercept}"
        values = self.values
        used = [f"{number(values[j])} at {j}" for j in self.support]
        return f"{len(used)} of {len(self.coefficients)} features, {listed(used, _SHOWN) or 'none'}; {intercept}"

    def _small_table(self) -> SmallTable:
        values = self.values
        rows = [(str(j), number(values[j])) for j in self.support]
        return SmallTable(("feature", "points"), [*rows, ("intercept", number(self.intercept_value))])


_SHOWN = 9  # a set with at most this many values is printed in full
_LARGEST_EXPONENT = 300
_MOST_LISTED = 10**6
_MOST_VALUES = 10**18


@dataclass(frozen=True)
class CoefficientSet(Tabular):
    """A finite set of allowed coefficient values, exact: sorted integers over one denominator.

    Equally spaced values are a `range`, so ten million of them cost nothing. `without_zero` removes 0, as for
    a feature that a constraint requires. Create a set with `of` or one of the functions below.
    """

    __module__ = "supersparse"

    numerators: range | tuple[int, ...]
    denominator: int = 1
    without_zero: bool = False

    _facts = "values least greatest"

    @classmethod
    def of(cls, values: Iterable[Number]) -> "CoefficientSet":
        """Create a set from finite values in any order.

        >>> CoefficientSet.of([0, 0.5, -0.5])
        CoefficientSet(-1/2, 0, 1/2)
        """
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidProblemError(f"a coefficient set is {values!r}", "give numbers, such as [-1, 0, 1]")
        if isinstance(values, range):
            return cls._over(values if values.step > 0 else values[::-1], 1)
        fractions = {exact(v, "a value of a coefficient set") for v in values}
        denominator = math.lcm(*(v.denominator for v in fractions))
        return cls._over(sorted(int(v * denominator) for v in fractions), denominator)

    @classmethod
    def _over(cls, numerators: Sequence[int], denominator: int) -> "CoefficientSet":
        """Bring sorted numerators to canonical form."""
        if not numerators:
            raise InvalidProblemError("a coefficient set is empty", "give at least one value, such as 0")
        first, last = numerators[0], numerators[-1]
        steps = {numerators.step} if isinstance(numerators, range) else {b - a for a, b in pairwise(numerators)}
        if len(steps) > 1:
            shared = math.gcd(denominator, *numerators)
            if first < 0 < last and 0 not in numerators:
                filled = cls._over(sorted([*numerators, 0]), denominator)
                if isinstance(filled.numerators, range):
                    return replace(filled, without_zero=True)
            return cls(tuple(v // shared for v in numerators), denominator // shared)
        step = steps.pop() if first < last else 1
        if (last - first) // step > _MOST_VALUES:
            raise InvalidProblemError(
                f"a coefficient set from {first} to {last} in steps of {step} has over 10^18 values",
                "choose a smaller one",
            )
        shared = math.gcd(denominator, first, last, step if first < last else 0)
        step = max(1, step // shared)
        return cls(range(first // shared, last // shared + 1, step), denominator // shared)

    def __len__(self) -> int:
        return len(self.numerators) - self.without_zero

    def __iter__(self) -> Iterator[Fraction]:
        """The values from the smallest to the largest, one at a time: a long set is never listed."""
        return (Fraction(v, self.denominator) for v in self.numerators if v or not self.without_zero)

    def __contains__(self, value: object) -> bool:
        """Whether a number is one of the values; a float is read as its shortest decimal."""
        if not isinstance(value, int | Fraction):
            if not isinstance(value, Real | Decimal) or not math.isfinite(value):
                return False
            value = exact(value, "a value of a coefficient set")
        if value == 0 and self.without_zero:
            return False
        scaled, rest = divmod(value.numerator * self.denominator, value.denominator)
        return rest == 0 and scaled in self._lookup

    @cached_property
    def _lookup(self) -> range | frozenset[int]:
        return self.numerators if isinstance(self.numerators, range) else frozenset(self.numerators)

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """All values as a tuple; only for short sets."""
        return tuple(self)

    def over(self, unit: int) -> range | tuple[int, ...]:
        """Return the values as integers over a multiple of the denominator, including 0 even if removed."""
        factor = unit // self.denominator
        if isinstance(self.numerators, range):
            numbers = self.numerators
            return range(numbers[0] * factor, numbers[-1] * factor + 1, numbers.step * factor)
        return tuple(v * factor for v in self.numerators)

    @property
    def least(self) -> Fraction:
        """The smallest value."""
        return Fraction(self._at(0, 1), self.denominator)

    @property
    def greatest(self) -> Fraction:
        """The largest value."""
        return Fraction(self._at(-1, -1), self.denominator)

    def _at(self, end: int, inwards: int) -> int:
        value = self.numerators[end]
        return self.numerators[end + inwards] if value == 0 and self.without_zero else value

    @cached_property
    def largest_magnitude(self) -> Fraction:
        """The largest absolute value."""
        return max(abs(self.least), abs(self.greatest))

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether -v is allowed for every allowed v."""
        if isinstance(self.numerators, range):
            return self.numerators[0] == -self.numerators[-1]
        return all(a == -b for a, b in zip(self.numerators, reversed(self.numerators), strict=True))

    @cached_property
    def around_zero(self) -> tuple[Fraction, ...]:
        """The largest value below 0, 0, and the smallest value above 0, as far as they exist."""
        at = bisect_left(self.numerators, 0)
        has_zero = at < len(self.numerators) and self.numerators[at] == 0
        nearest = [self.numerators[at - 1]] if at > 0 else []
        nearest += [0] if has_zero and not self.without_zero else []
        nearest += self.numerators[at + has_zero : at + has_zero + 1]
        return tuple(Fraction(v, self.denominator) for v in nearest)

    @property
    def turning_points(self) -> tuple[Fraction, ...]:
        """The values where a function that is linear on each side of 0 can have its extremes."""
        return (self.least, *self.around_zero, self.greatest)

    @property
    def nearest_zero(self) -> Fraction:
        """The value of smallest magnitude; the negative one of two."""
        return min(self.around_zero, key=lambda v: (abs(v), v))

    @cached_property
    def _hash(self) -> int:
        return hash((self.numerators, self.denominator, self.without_zero))

    def __hash__(self) -> int:
        return self._hash  # sets are shared by many features and hashed often

    def with_zero(self) -> "CoefficientSet":
        """Return the set with 0 added."""
        if 0 in self:
            return self
        if self.without_zero:
            return replace(self, without_zero=False)
        numbers = self.numerators
        if isinstance(numbers, range) and 0 in (numbers[0] - numbers.step, numbers[-1] + numbers.step):
            return self._over(range(min(0, numbers[0]), max(0, numbers[-1]) + 1, numbers.step), self.denominator)
        if len(numbers) > _MOST_LISTED:
            raise InvalidProblemError(
                f"{self} becomes too long a list if 0 is added", "start it at 0, or remove values"
            )
        return self._over(sorted({*numbers, 0}), self.denominator)

    def required(self) -> "CoefficientSet | None":
        """Return the set without 0; None if that is empty."""
        if 0 not in self:
            return self
        if len(self) == 1:
            return None
        numbers = self.numerators
        if isinstance(numbers, range) and len(numbers) > 3:
            if numbers[0] < 0 < numbers[-1]:
                return replace(self, without_zero=True)
            return self._over(numbers[1:] if numbers[0] == 0 else numbers[:-1], self.denominator)
        return self._over([v for v in numbers if v], self.denominator)

    def excluding(self, values: Collection[Fraction]) -> "CoefficientSet | None":
        """Return the set without some values; None if that is empty."""
        gone = {int(v * self.denominator) for v in values if v in self}
        if not gone:
            return self
        if gone == {0}:
            return self.required()
        left = [v for v in self.numerators if v not in gone and not (v == 0 and self.without_zero)]
        return self._over(left, self.denominator) if left else None

    def nearest(self, value: Fraction) -> Fraction:
        """Return the value nearest to a number; ties go to the one nearer to 0, then the negative one."""
        at = bisect_left(self.numerators, value * self.denominator)
        around = [Fraction(v, self.denominator) for v in self.numerators[max(0, at - 1) : at + 1]]
        candidates = [v for v in (*around, *self.around_zero) if v in self]
        return min(candidates, key=lambda v: (abs(v - value), abs(v), v))

    def only(self, value: Fraction) -> "CoefficientSet | None":
        """Return the set reduced to one value; None if the set does not contain it."""
        return CoefficientSet.of([value]) if value in self else None

    def within(self, low: Number | None, high: Number | None, name: str) -> "CoefficientSet":
        """Keep the values between two bounds, either of which may be open (None)."""
        low_exact = None if low is None else exact(low, f"feature {name!r}: the lower bound")
        high_exact = None if high is None else exact(high, f"feature {name!r}: the upper bound")
        if low_exact is not None and high_exact is not None and high_exact < low_exact:
            raise InvalidProblemError(
                f"feature {name!r}: upper bound {high} is below lower bound {low}",
                "swap them, or set both to 0 to leave the feature out",
            )
        numbers = self.numerators
        first = 0 if low_exact is None else bisect_left(numbers, math.ceil(low_exact * self.denominator))
        last = len(numbers)
        if high_exact is not None:
            last = bisect_right(numbers, math.floor(high_exact * self.denominator))
        if first >= last:
            raise InvalidProblemError(
                f"feature {name!r}: no value of {self} is between the bounds {low} and {high}",
                "widen the bounds or the coefficient set",
            )
        part = self._over(numbers[first:last], self.denominator)
        return part.excluding([Fraction(0)]) or part if self.without_zero else part

    def __repr__(self) -> str:
        if len(self) <= _SHOWN:
            return f"CoefficientSet({', '.join(str(v) for v in self.values)})"
        ends = [*self.numerators[:3], *self.numerators[-3:]]
        shown = [str(Fraction(v, self.denominator)) for v in ends]
        return f"CoefficientSet({', '.join([*shown[:3], '...', *shown[3:]])}; {len(self)} values)"

    def _brief(self) -> str:
        return repr(self).partition("(")[2].removesuffix(")")


def integers(largest: int = 100, *, smallest: int | None = None) -> CoefficientSet:
    """All integers from `smallest` (default: minus `largest`) to `largest`.

    >>> integers(2)
    CoefficientSet(-2, -1, 0, 1, 2)
    """
    low = -largest if smallest is None else smallest
    if not isinstance(largest, int) or not isinstance(low, int) or largest < low:
        raise InvalidProblemError(f"integers from {low!r} to {largest!r} is empty", "give whole numbers in order")
    return CoefficientSet.of(range(low, largest + 1))


def non_negative(largest: int = 100) -> CoefficientSet:
    """The integers from 0 to `largest`: the feature can only add points."""
    return integers(largest, smallest=0)


def non_positive(largest: int = 100) -> CoefficientSet:
    """The integers from -`largest` to 0: the feature can only subtract points."""
    return integers(0, smallest=-largest)


def one_digit(exponents: tuple[int, int] = (-3, 2), *more: object) -> CoefficientSet:
    """One significant digit: 0 and ±d·10^E with d from 1 to 9 and E in a range of exponents, inclusive.

    >>> len(one_digit())
    109
    >>> Fraction("0.0001") in one_digit((-4, 2))
    True
    """
    scales = _exponents("one_digit", exponents, *more)
    return _signed(d * Fraction(10) ** e for d in range(10) for e in scales)


def two_digits(exponents: tuple[int, int] = (1, 3), *more: object) -> CoefficientSet:
    """Two significant digits: 0 and ±(d1·10^E + d2·10^(E-1)) with E in a range of exponents, inclusive.

    >>> len(two_digits()), int(two_digits().greatest)
    (559, 9900)
    """
    return _signed(
        d1 * Fraction(10) ** e + d2 * Fraction(10) ** (e - 1)
        for d1 in range(10)
        for d2 in range(10)
        for e in _exponents("two_digits", exponents, *more)
    )


def _exponents(what: str, exponents: object, *more: object) -> range:
    if more:
        written = (exponents, *more)
        meant = written if [type(e) for e in written] == [int, int] else (-3, 2)
        raise InvalidProblemError(
            f"{what}: the exponents are given as {', '.join(map(repr, written))}, {len(written)} arguments",
            f"give them as one pair: {what}({meant})",
        )
    pair = tuple(exponents) if isinstance(exponents, tuple | list) else ()
    if len(pair) != 2 or any(type(e) is not int for e in pair) or pair[0] > pair[1]:
        raise InvalidProblemError(
            f"{what}: the exponents are {exponents!r}", "give two whole numbers in order, such as (-3, 2)"
        )
    low, high = pair
    if max(abs(low), abs(high)) > _LARGEST_EXPONENT:
        raise InvalidProblemError(
            f"{what}: the exponents are {exponents!r}", f"give numbers from -{_LARGEST_EXPONENT} to {_LARGEST_EXPONENT}"
        )
    return range(low, high + 1)


def _signed(magnitudes: Iterable[Fraction]) -> CoefficientSet:
    chosen = set(magnitudes)
    return CoefficientSet.of(chosen | {-m for m in chosen})

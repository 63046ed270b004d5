"""Rules: how an item turns a raw value into the number that its points multiply.

There are four. `ValueOf` multiplies the points by the value itself; the others give 1 where they
hold and 0 where they do not. A rule never sees a missing value: what that does is said by
the item, except for `IsMissing`, which asks for it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cuts import equal_to, from_on
from supersparse.card.numbers import exact, quick_whole_numbers, whole_numbers
from supersparse.card.values import Category, declared_category, declared_number, read_category
from supersparse.decimals import IntArray
from supersparse.errors import InvalidCardError


@dataclass(frozen=True, slots=True)
class ValueOf:
    """The raw value itself, a number: the item gives value x points."""

    kind: ClassVar[str] = "value"

    column: str

    def of_one(self, value: object, what: str) -> Fraction:
        """What the points multiply, for one value; `what` names it in messages."""
        return exact(value, what)

    def of_numbers(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """What the points multiply, for a column of numbers: integers over one scale."""
        return whole_numbers(values, f"column {self.column!r}")

    def quick(self, values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
        """The same where numpy alone can do it; None where the values stand for themselves, as floats."""
        return quick_whole_numbers(values)


class _YesNo(ABC):
    """What the rules share that hold or do not."""

    __slots__ = ()

    @abstractmethod
    def holds(self, value: object, what: str) -> bool:
        """Whether the rule holds for one value; `what` names it in messages."""

    @abstractmethod
    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Whether it holds, for a column of numbers."""

    def of_one(self, value: object, what: str) -> Fraction:
        """1 where the rule holds, else 0."""
        return Fraction(self.holds(value, what))

    def of_numbers(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """1 where the rule holds, else 0, for a column of numbers."""
        return self.mask(values).astype(np.int8), 1

    quick = of_numbers


@dataclass(frozen=True, slots=True)
class IsOneOf(_YesNo):
    """The value is one of these categories, usually of one; see `supersparse.card.values`."""

    kind: ClassVar[str] = "category"

    column: str
    values: tuple[Category, ...]

    def __post_init__(self) -> None:
        what = f"a category of the item on {self.column!r}"
        values = tuple(declared_category(v, what) for v in self.values)
        object.__setattr__(self, "values", values)
        if not values:
            raise InvalidCardError(f"the item on {self.column!r} names no category; give at least one")
        if len(set(values)) < len(values):
            raise InvalidCardError(f"the item on {self.column!r} names a category twice: {_listed(values)}")

    def holds(self, value: object, what: str) -> bool:
        """Whether one value is among the categories."""
        return read_category(value, what) in self.values

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Which numbers are among the categories."""
        found = np.zeros(len(values), dtype=bool)
        for category in self.values:
            if not isinstance(category, str):
                found |= equal_to(values, Fraction(category))
        return found


@dataclass(frozen=True, slots=True)
class InRange(_YesNo):
    """The value lies between two bounds, each included or not; None is no bound.

    ``InRange("age", low=Fraction(60))`` is age >= 60. A lower bound is included and an upper one is
    not, unless said otherwise, so that neighbouring intervals share no value.
    """

    kind: ClassVar[str] = "range"

    column: str
    low: Fraction | None = None
    high: Fraction | None = None
    low_included: bool = True
    high_included: bool = False

    def __post_init__(self) -> None:
        what = f"a bound of the item on {self.column!r}"
        for name in ("low", "high"):
            bound = getattr(self, name)
            if bound is None:  # one way to say it, so that equal rules compare equal
                object.__setattr__(self, f"{name}_included", False)
            else:
                object.__setattr__(self, name, declared_number(bound, what))
        if self.low is None and self.high is None:
            raise InvalidCardError(f"the range of the item on {self.column!r} has no bound; give one or two")
        if self.low is not None and self.high is not None:
            closed = self.low_included and self.high_included
            if self.low > self.high or (self.low == self.high and not closed):
                raise InvalidCardError(
                    f"the range of the item on {self.column!r} holds no value: "
                    f"its bounds are {self.low} and {self.high}; correct them"
                )

    def contains(self, number: Fraction) -> bool:
        """Whether a number lies in the range."""
        above = self.low is None or number > self.low or (self.low_included and number == self.low)
        below = self.high is None or number < self.high or (self.high_included and number == self.high)
        return above and below

    def holds(self, value: object, what: str) -> bool:
        """Whether one value lies in the range."""
        return self.contains(exact(value, what))

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Which numbers lie in the range."""
        found = np.ones(len(values), dtype=bool)
        if self.low is not None:
            found &= from_on(values, self.low, included=self.low_included)
        if self.high is not None:
            found &= ~from_on(values, self.high, included=not self.high_included)
        return found


@dataclass(frozen=True, slots=True)
class IsMissing(_YesNo):
    """The value is missing; whatever is there does not matter."""

    kind: ClassVar[str] = "missing"

    column: str

    def holds(self, value: object, what: str) -> bool:
        """False: a rule sees only values that are there."""
        return False

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Nowhere."""
        return np.zeros(len(values), dtype=bool)


Rule = ValueOf | IsOneOf | InRange | IsMissing
KINDS = ("value", "category", "range", "missing")


def _listed(values: tuple[Category, ...]) -> str:
    return ", ".join(str(v) if isinstance(v, Fraction) else repr(v) for v in values)

"""Rules: how an item turns a raw value into a number, the values a column may take, and what is near to them.

A learned card knows the range of each column. A number that lies further outside it than it is wide is
nothing that the card was learned for: 850 where ages went from 20 to 80. A category is like a known one if one
edit (a character added, left out or replaced, capitals aside) makes the two the same, or if it is next to it
in its order: V after IV, T10 after T9, 5 next to 4.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import exact_value
from supersparse.base.integer_arrays import IntArray, quick_whole_numbers, whole_numbers
from supersparse.table.small_table import Tabular
from supersparse.table.values import (
    Category,
    declared_category,
    declared_number,
    equal_to,
    from_on,
    is_beyond,
    read_category,
)


class _OfAColumn(Tabular):
    __slots__ = ()
    kind: ClassVar[str]
    column: str

    def _brief(self) -> str:
        return f"{self.kind} of {self.column!r}"


@dataclass(frozen=True, slots=True, repr=False)
class ValueOf(_OfAColumn):
    """The raw value itself, a number: the item gives value x points."""

    kind: ClassVar[str] = "value"

    column: str

    def of_one(self, value: object, what: str) -> Fraction:
        """The factor of the points for one value; `what` names the value in messages."""
        return exact_value(value, what)

    def of_numbers(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """The factors of the points for a column of numbers: integers over one scale."""
        return whole_numbers(values, f"column {self.column!r}")

    def quick(self, values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
        """The same where numpy alone can do it; None where the values stand for themselves, as floats."""
        return quick_whole_numbers(values)


class _YesNo(_OfAColumn, ABC):
    """A rule that holds or does not."""

    __slots__ = ()

    @abstractmethod
    def holds(self, value: object, what: str) -> bool:
        """Whether the rule holds for one value; `what` names it in messages."""

    @abstractmethod
    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Whether it holds, for a column of numbers."""

    def of_one(self, value: object, what: str) -> Fraction:
        return Fraction(self.holds(value, what))

    def of_numbers(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """1 where the rule holds, else 0, for a column of numbers."""
        return self.mask(values).astype(np.int8), 1

    quick = of_numbers


@dataclass(frozen=True, slots=True, repr=False)
class _Categories(_YesNo):
    """A rule that names categories; see `supersparse.table.values`."""

    column: str
    values: tuple[Category, ...]

    def __post_init__(self) -> None:
        what = f"a category of the item on {self.column!r}"
        values = tuple(declared_category(v, what) for v in self.values)
        object.__setattr__(self, "values", values)
        if not values and not isinstance(self, IsNoneOf):
            raise InvalidCardError(f"the item on {self.column!r} names no category", "give at least one")
        if len(set(values)) < len(values):
            listed = ", ".join(str(v) if isinstance(v, Fraction) else repr(v) for v in values)
            raise InvalidCardError(f"the item on {self.column!r} names a category twice: {listed}")

    def _among(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        is_among = np.zeros(len(values), dtype=bool)
        for category in self.values:
            if not isinstance(category, str):
                is_among |= equal_to(values, Fraction(category))
        return is_among


@dataclass(frozen=True, slots=True, repr=False)
class IsOneOf(_Categories):
    """The value is one of these categories, usually of one."""

    kind: ClassVar[str] = "category"

    def holds(self, value: object, what: str) -> bool:
        return read_category(value, what) in self.values

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        return self._among(values)


@dataclass(frozen=True, slots=True, repr=False)
class IsNoneOf(_Categories):
    """The value is there and is none of these categories; without categories: the value is there."""

    kind: ClassVar[str] = "other"

    def holds(self, value: object, what: str) -> bool:
        return not self.values or read_category(value, what) not in self.values

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        return ~self._among(values)


@dataclass(frozen=True, slots=True, repr=False)
class InRange(_YesNo):
    """The value lies between two bounds, each included or not; None means no bound.

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
            raise InvalidCardError(f"the range of the item on {self.column!r} has no bound", "give one or two")
        if self.low is not None and self.high is not None:
            closed = self.low_included and self.high_included
            if self.low > self.high or (self.low == self.high and not closed):
                raise InvalidCardError(
                    f"the range of the item on {self.column!r} holds no value: its bounds are {self.low} and "
                    f"{self.high}",
                    "correct them",
                )

    def contains(self, number: Fraction) -> bool:
        above = self.low is None or number > self.low or (self.low_included and number == self.low)
        below = self.high is None or number < self.high or (self.high_included and number == self.high)
        return above and below

    def holds(self, value: object, what: str) -> bool:
        """Whether one value lies in the range; one below every number lies in those without a low end."""
        if is_beyond(value):
            return (self.low if value == -np.inf else self.high) is None
        return self.contains(exact_value(value, what))

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        inside = np.ones(len(values), dtype=bool)
        if self.low is not None:
            inside &= from_on(values, self.low, included=self.low_included)
        if self.high is not None:
            inside &= ~from_on(values, self.high, included=not self.high_included)
        return inside


@dataclass(frozen=True, slots=True, repr=False)
class IsMissing(_YesNo):
    """The value is missing; whatever is there does not matter."""

    kind: ClassVar[str] = "missing"

    column: str

    def holds(self, value: object, what: str) -> bool:
        """False: a rule sees only values that are there."""
        return False

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        return np.zeros(len(values), dtype=bool)


Rule = ValueOf | IsOneOf | IsNoneOf | InRange | IsMissing
RULE_KINDS = ("value", "category", "other", "range", "missing")


def looks_at_value(rule: Rule) -> bool:
    """Whether the rule depends on the value, not only on whether there is one."""
    return not isinstance(rule, IsMissing) and not (isinstance(rule, IsNoneOf) and not rule.values)


Outside = Literal["accept", "near", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Domain(Tabular):
    """The values that a column may hold: known values, or numbers from `low` to `high` (ends included).

    A value outside is scored by the rules as they stand ("accept"; it is not a category that a rule names)
    or refused ("refuse"). "near", for what training rows held, scores numbers that lie no further outside
    than the range is wide, and refuses other numbers and unknown categories; see `supersparse.card.rules`.
    `whole` says that the numbers are whole. A missing value is never outside: items say what it does.
    """

    __module__ = "supersparse"

    column: str
    values: tuple[Category, ...] | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    outside: Outside = "accept"

    def __post_init__(self) -> None:
        what = f"the domain of {self.column!r}"
        if self.outside not in get_args(Outside):
            words = "'accept', 'near' or 'refuse'"
            raise InvalidCardError(f"{what}: outside is {self.outside!r}", f"it must be {words}")
        if self.values is not None:
            if self.low is not None or self.high is not None or self.whole:
                raise InvalidCardError(f"{what} has both values and limits", "give one of the two")
            values = tuple(declared_category(v, f"a value of {what}") for v in self.values)
            object.__setattr__(self, "values", values)
            if not values or len(set(values)) < len(values):
                raise InvalidCardError(f"{what} must name one value or more, each once")
            return
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, declared_number(getattr(self, name), f"{name} of {what}"))
        if self.low is None and self.high is None and not self.whole:
            raise InvalidCardError(f"{what} is empty", "give values, low, high or whole", subject=what)
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidCardError(f"{what} is empty: low {self.low} is above high {self.high}", "swap them")

    @property
    def numbers(self) -> list[Fraction]:
        """Those of its known values that are numbers."""
        return [Fraction(value) for value in self.values or () if not isinstance(value, str)]

    @property
    def is_whole(self) -> bool:
        if self.values is None:
            return self.whole
        return len(self.numbers) == len(self.values) and all(v.denominator == 1 for v in self.numbers)

    @property
    def test(self) -> IsOneOf | InRange | None:
        """The rule that holds inside, without `whole`; None when every number is inside."""
        if self.values is not None:
            return IsOneOf(self.column, self.values)
        if self.low is None and self.high is None:
            return None
        return InRange(self.column, self.low, self.high, high_included=True)


def widened(domain: Domain) -> Domain | None:
    """Return a range of numbers with its own width added on both sides; None if it has no two ends.

    >>> wide = widened(Domain(column="age", low=20, high=80, whole=True, outside="near"))
    >>> int(wide.low), int(wide.high), wide.outside
    (-40, 140, 'refuse')
    """
    low, high = ends_of(domain)
    if low is None or high is None:
        return None
    width = high - low
    return Domain(column=domain.column, low=low - width, high=high + width, outside="refuse")


def ends_of(domain: Domain) -> tuple[Fraction | None, Fraction | None]:
    if domain.values is None:
        return domain.low, domain.high
    numbers = domain.numbers
    return (min(numbers), max(numbers)) if len(numbers) == len(domain.values) else (None, None)


def values_of(domain: Domain | None) -> tuple[Category, ...]:
    """The known values of a column; none where any number of a range is one."""
    return () if domain is None or domain.values is None else domain.values


def accepting_domains(domains: Iterable[Domain]) -> tuple[Domain, ...]:
    """Return the domains with nothing refused for being far from the training rows."""
    return tuple(replace(d, outside="accept") if d.outside == "near" else d for d in domains)


def is_like(value: Category, known: Sequence[Category]) -> bool:
    """Whether a category is within one edit of a known one, or next to one in its order.

    >>> is_like("V", ["II", "III", "IV"]), is_like("smokre", ["smoker", "never"]), is_like("Z1", ["A", "B"])
    (True, False, False)
    """
    if not isinstance(value, str):
        return any(not isinstance(k, str) and abs(Fraction(value) - Fraction(k)) <= 1 for k in known)
    return any(isinstance(k, str) and (one_edit_apart(value, k) or next_to(value, k)) for k in known)


def nearest(value: Category, known: Sequence[Category]) -> Category | None:
    """Return the known category that is most like another; None if none is.

    >>> nearest("V", ["I", "II", "III", "IV"]), nearest("iV", ["I", "IV"]), nearest("smokre", ["smoker"])
    ('IV', 'IV', 'smoker')
    """
    if not isinstance(value, str):
        numbers = [k for k in known if not isinstance(k, str)]
        return min(numbers, key=lambda k: abs(Fraction(k) - Fraction(value)), default=None)
    texts = [k for k in known if isinstance(k, str)]
    same = [k for k in texts if k.lower() == value.lower()]
    order = [k for k in texts if next_to(value, k)]
    edited = [k for k in texts if one_edit_apart(value, k)]
    lower = {k.lower(): k for k in texts}
    close = [lower[k] for k in get_close_matches(value.lower(), lower, n=1)]
    return next(iter([*same, *order, *edited, *close]), None)


def one_edit_apart(one: str, other: str) -> bool:
    """Whether at most one character has to be added, left out or replaced; capitals do not count."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    if len(long) - len(short) > 1:
        return False
    k = 0
    while k < len(short) and short[k] == long[k]:
        k += 1
    return short[k + (len(short) == len(long)) :] == long[k + 1 :]


def next_to(one: str, other: str) -> bool:
    """Whether two texts are neighbours in an order of numbers, of Roman ones, or of letters."""
    places = dict(places_of(one))
    return any(frame in places and abs(places[frame] - place) == 1 for frame, place in places_of(other))


def places_of(text: str) -> list[tuple[tuple[str, str, str], int]]:
    """The orders that a text belongs to, each with its place there."""
    text, places = text.lower(), []
    number = re.search("([0-9]{1,9})([^0-9]*)$", text)
    if number:
        places.append((("number", text[: number.start()], number[2]), int(number[1])))
    roman = re.search("(?:^|[^a-z])([ivxlc]+)$", text)
    if roman:
        places.append((("roman", text[: roman.start(1)], ""), roman_number(roman[1])))
    letter = re.search("(?:^|[^a-z])([a-z])$", text)
    if letter:
        places.append((("letter", text[: letter.start(1)], ""), ord(letter[1])))
    return places


def roman_number(text: str) -> int:
    """The number that small Roman digits stand for: "iv" is 4."""
    digits = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[digit] for digit in text]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0]))  # noqa: B905

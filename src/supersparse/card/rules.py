"""Rules: how an item turns a raw value into a number, in words, and the values a column may take."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersparse.data.small_table import Tabular
from supersparse.data.values import (
    Category,
    declared_category,
    declared_number,
    equal_to,
    from_on,
    read_category,
)
from supersparse.errors import InvalidCardError
from supersparse.exact import IntArray, exact_value, quick_whole_numbers, shown, whole_numbers


class _OfAColumn(Tabular):
    """What all rules share."""

    __slots__ = ()

    def _brief(self) -> str:
        return condition(self)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
class ValueOf(_OfAColumn):
    """The raw value itself, a number: the item gives value x points."""

    kind: ClassVar[str] = "value"

    column: str

    def of_one(self, value: object, what: str) -> Fraction:
        """What the points multiply, for one value; `what` names it in messages."""
        return exact_value(value, what)

    def of_numbers(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """What the points multiply, for a column of numbers: integers over one scale."""
        return whole_numbers(values, f"column {self.column!r}")

    def quick(self, values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
        """The same where numpy alone can do it; None where the values stand for themselves, as floats."""
        return quick_whole_numbers(values)


class _YesNo(_OfAColumn, ABC):
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


@dataclass(frozen=True, slots=True, repr=False)
class IsOneOf(_YesNo):
    """The value is one of these categories, usually of one; see `supersparse.data.values`."""

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


@dataclass(frozen=True, slots=True, repr=False)
class IsNoneOf(_YesNo):
    """The value is there and is none of these categories; without categories: the value is there."""

    kind: ClassVar[str] = "other"

    column: str
    values: tuple[Category, ...]

    def __post_init__(self) -> None:
        what = f"a category of the item on {self.column!r}"
        values = tuple(declared_category(v, what) for v in self.values)
        object.__setattr__(self, "values", values)
        if len(set(values)) < len(values):
            raise InvalidCardError(f"the item on {self.column!r} names a category twice: {_listed(values)}")

    def holds(self, value: object, what: str) -> bool:
        """Whether one value is none of the categories."""
        return not self.values or read_category(value, what) not in self.values

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Which numbers are none of the categories."""
        return ~IsOneOf.mask(self, values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
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
        return self.contains(exact_value(value, what))

    def mask(self, values: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Which numbers lie in the range."""
        found = np.ones(len(values), dtype=bool)
        if self.low is not None:
            found &= from_on(values, self.low, included=self.low_included)
        if self.high is not None:
            found &= ~from_on(values, self.high, included=not self.high_included)
        return found


@dataclass(frozen=True, slots=True, repr=False)
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


Rule = ValueOf | IsOneOf | IsNoneOf | InRange | IsMissing
RULE_KINDS = ("value", "category", "other", "range", "missing")


def looks_at_value(rule: Rule) -> bool:
    """Whether the rule depends on the value, not only on whether there is one."""
    return not isinstance(rule, IsMissing) and not (isinstance(rule, IsNoneOf) and not rule.values)


def _listed(values: tuple[Category, ...]) -> str:
    return ", ".join(str(v) if isinstance(v, Fraction) else repr(v) for v in values)


_PLAIN = re.compile(r"[^\W\d][\w .%/()+-]*", re.UNICODE)
_WORDS_OF_RULES = re.compile(r"\b(in|or|not|known|missing|true|false)\b", re.IGNORECASE)


def condition(rule: Rule) -> str:
    """Return the rule as a condition; different rules with the same column read differently.

    >>> condition(InRange("age", low=65, high=75)), condition(IsOneOf("sex", ("F",)))
    ('65 <= age < 75', 'sex = F')
    """
    name = _quoted_unless_plain(rule.column)
    match rule:
        case ValueOf():
            return rule.column
        case IsMissing():
            return f"{name} missing"
        case IsOneOf(values=(value,)):
            return f"{name} = {category_text(value)}"
        case IsOneOf(values=values):
            return f"{name} in ({', '.join(map(category_text, values))})"
        case IsNoneOf(values=()):
            return f"{name} known"
        case IsNoneOf(values=(value,)):
            return f"{name} not {category_text(value)}"
        case IsNoneOf(values=values):
            return f"{name} not in ({', '.join(map(category_text, values))})"
        case InRange(low=low, high=None) if low is not None:
            return f"{name} {'>=' if rule.low_included else '>'} {shown(low)}"
        case InRange(low=None, high=high) if high is not None:
            return f"{name} {'<=' if rule.high_included else '<'} {shown(high)}"
        case InRange(low=low, high=high) if low is not None and high is not None:
            first, last = ("<=" if included else "<" for included in (rule.low_included, rule.high_included))
            return f"{shown(low)} {first} {name} {last} {shown(high)}"
    raise AssertionError(rule)  # a range has a bound


def question(
    rule: Rule,
    unit: str | None = None,
    *,
    label: str | None = None,
    whole: bool = False,
    answers: Mapping[Category, str] | None = None,
) -> str:
    """Return the question whose answer yes (or a number, for `ValueOf`) gives the points.

    `label` replaces the column's name, and `answers` replaces categories; `whole` says that the column holds
    whole numbers only.

    >>> question(InRange("age", low=60)), question(IsOneOf("sex", ("F",)))
    ('Age 60 or older?', 'Sex: F?')
    >>> question(InRange("pulse", low=60, high=91), "per minute", whole=True)
    'Pulse 60 to 90 per minute?'
    """
    name = readable(rule.column) if label is None else label
    match rule:
        case ValueOf():
            return f"{name}, in {unit}?" if unit else f"{name}?"
        case IsOneOf(values=(True,)) if rule.values[0] is True and not answers:
            return f"{name}?"
        case IsNoneOf(values=values) if values:
            return f"{name} other than {_either([_answer(v, answers) for v in values])}?"
        case InRange():
            apart = ":" if name[-1:].isdigit() else ""  # "Lab 6: 1.5 or more?"
            return f"{name}{apart} {answer(rule, unit, whole=whole)}?"
        case IsMissing():
            return f"{name} not known?"
        case IsNoneOf():
            return f"{name} known?"
    return f"{name}: {answer(rule, unit, answers=answers)}?"


def answer(
    rule: Rule,
    unit: str | None = None,
    *,
    whole: bool = False,
    answers: Mapping[Category, str] | None = None,
    known: Sequence[Category] = (),
) -> str:
    """Return what a person answers where the rule holds; `known` are the values that the column may have.

    >>> answer(InRange("age", high=16)), answer(InRange("age", low=16, high=23), whole=True)
    ('under 16', '16 to 22')
    >>> answer(IsOneOf("sex", ("F",)), answers={"F": "female"}), answer(IsNoneOf("sex", ("F",)))
    ('female', 'any other')
    """
    match rule:
        case ValueOf():
            return "a number" if unit is None else f"a number of {unit}"
        case IsMissing():
            return "not known"
        case IsNoneOf(values=()):
            return "known"
        case IsNoneOf(values=values):
            others = [_answer(v, answers) for v in known if v not in values]
            return _either([*others, "other"]) if 0 < len(others) <= _FEW_ANSWERS else "any other"
        case IsOneOf(values=values):
            return _either([_answer(v, answers) for v in values])
        case InRange():
            return _range_in_words(rule, unit, whole)
    raise AssertionError(rule)


_FEW_ANSWERS = 4  # that are listed beside "other"


def _answer(value: Category, answers: Mapping[Category, str] | None) -> str:
    if answers and value in answers:
        return answers[value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return category_text(value)


def _either(texts: Sequence[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last


def one_line(text: object) -> str:
    r"""Return text for a line of a message: what would break the line or steer a terminal is escaped.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


_COMPARED = re.compile(r"(.+?)_(eq|neq|geq|leq|gt|lt)_(.+)")
_COMPARISONS = {
    "eq": "{}: {}", "neq": "{}: not {}", "geq": "{} {} or more", "leq": "{} {} or less",
    "gt": "{} above {}", "lt": "{} below {}",
}  # fmt: skip
_CAPITALS = re.compile(r"([A-Z][a-z]+){2,}")


def readable(column: str) -> str:
    """Return a column's name as the beginning of a sentence.

    >>> readable("heart_failure"), readable("pH"), readable("x1"), readable("ClumpThickness")
    ('Heart failure', 'pH', 'X1', 'Clump thickness')
    >>> readable("smoker_eq_yes"), readable("age_geq_60")
    ('Smoker: yes', 'Age 60 or more')
    """
    compared = _COMPARED.fullmatch(column)
    if compared is not None:
        name, word, value = compared.groups()
        return _COMPARISONS[word].format(readable(name), value.replace("_", " "))
    text = column.replace("_", " ")
    if _CAPITALS.fullmatch(text):
        first, *others = re.findall("[A-Z][a-z]+", text)
        text = " ".join([first, *(word.lower() for word in others)])
    first_word = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first_word.islower() else text


def category_text(value: Category) -> str:
    """Return a category so that text and numbers are told apart: "1" gets quotes, 1 does not.

    >>> category_text("F"), category_text("1"), category_text(Fraction(1)), category_text(True)
    ('F', '"1"', '1', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return shown(value)
    return _quoted_unless_plain(value)


def _quoted_unless_plain(text: str) -> str:
    if _PLAIN.fullmatch(text) and text == text.strip() and not _WORDS_OF_RULES.search(text):
        return text
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def _range_in_words(rule: InRange, unit: str | None, whole: bool) -> str:
    of_age = re.search(r"(?<![a-z])age(?![a-z])", rule.column.casefold()) is not None
    older, younger, below = ("older", "younger", "under") if of_age else ("more", "less", "below")
    tail = f" {unit}" if unit else ""
    low, high = rule.low, rule.high
    if low is None and high is not None:
        return f"{shown(high)}{tail} or {younger}" if rule.high_included else f"{below} {shown(high)}{tail}"
    if high is None and low is not None:
        return f"{shown(low)}{tail} or {older}" if rule.low_included else f"above {shown(low)}{tail}"
    assert low is not None
    assert high is not None
    if low == high:
        return f"exactly {shown(low)}{tail}"
    if whole:  # the same whole numbers, with both ends included
        first = ceil(low) if rule.low_included else floor(low) + 1
        last = floor(high) if rule.high_included else ceil(high) - 1
        return f"{first}{tail}" if first == last else f"{first} to {last}{tail}" if first < last else "never"
    start = f"{shown(low)}" if rule.low_included else f"above {shown(low)}"
    end = f"{shown(high)}" if rule.high_included else f"{below} {shown(high)}"
    return f"{start} to {end}{tail}"


Outside = Literal["accept", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Domain(Tabular):
    """What a column may hold: known values, or numbers from `low` to `high` (ends included).

    A value outside is scored by the rules as they stand ("accept"; no category matches, so it gives
    0 points) or refused. `whole` says that the numbers are whole. A missing value is
    never outside: items say what it does.
    """

    column: str
    values: tuple[Category, ...] | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    outside: Outside = "accept"

    def __post_init__(self) -> None:
        what = f"the domain of {self.column!r}"
        if self.outside not in get_args(Outside):
            raise InvalidCardError(f"{what}: outside is {self.outside!r}; it must be 'accept' or 'refuse'")
        if self.values is not None:
            if self.low is not None or self.high is not None or self.whole:
                raise InvalidCardError(f"{what} has both values and limits; give one of the two")
            values = tuple(declared_category(v, f"a value of {what}") for v in self.values)
            object.__setattr__(self, "values", values)
            if not values or len(set(values)) < len(values):
                raise InvalidCardError(f"{what} must name one value or more, each once")
            return
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, declared_number(getattr(self, name), f"{name} of {what}"))
        if self.low is None and self.high is None and not self.whole:
            raise InvalidCardError(f"{what} is empty; give values, low, high or whole")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidCardError(f"{what} is empty: low {self.low} is above high {self.high}; swap them")

    @property
    def is_whole(self) -> bool:
        """Whether all values inside are whole numbers."""
        if self.values is None:
            return self.whole
        return all(not isinstance(v, str) and Fraction(v).denominator == 1 for v in self.values)

    @property
    def test(self) -> IsOneOf | InRange | None:
        """The rule that holds inside, apart from `whole`; None when every number is inside."""
        if self.values is not None:
            return IsOneOf(self.column, self.values)
        if self.low is None and self.high is None:
            return None
        return InRange(self.column, self.low, self.high, high_included=True)

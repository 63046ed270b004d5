"""Forms of single values: numbers, words, names, labels."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from math import isfinite
from numbers import Real as RealNumber
from typing import Any, Final, Generic, Literal, Never, TypeVar

import numpy as np

from supersparse.base.errors import did_you_mean
from supersparse.base.exact import exact, whole
from supersparse.base.schema.tree import FRACTION, FileNode, Scalar, scalar_text, tree_of

T = TypeVar("T")
Plain = None | bool | int | float | str | list[Any] | dict[str, Any]
Schema = dict[str, Any]


class _Nothing(Enum):
    NOTHING = "no value"


NOTHING: Final = _Nothing.NOTHING
Nothing = Literal[_Nothing.NOTHING]


class Form(ABC, Generic[T]):
    """One kind of value; `wanted` ends the sentence "give ..." in messages, `widget` is the studio's control for it."""

    wanted: str
    widget = "text"

    @abstractmethod
    def fits(self, node: FileNode) -> bool:
        """Whether a node is meant as this form, though it may still be wrong."""

    @abstractmethod
    def read(self, node: FileNode, what: str) -> T:
        """Return the value, or refuse the node by its place; `what` names it."""

    def take(self, value: object, what: str) -> T:
        """Return a value of Python as this form has it, or refuse it; `what` names it."""
        converted = self.convert(value)
        return self.read(tree_of(value, (what,)), what) if converted is NOTHING else converted

    def convert(self, value: object) -> T | Nothing:
        """Return a value of Python as this form has it, or `NOTHING`: then its text decides."""
        return value if self.holds(value) else NOTHING  # type: ignore[return-value]

    @abstractmethod
    def holds(self, value: object) -> bool:
        """Whether a value that was read is one of this form."""

    @abstractmethod
    def write(self, value: T) -> Plain:
        """Return what reads back as the same value."""

    @abstractmethod
    def schema(self) -> Schema:
        """The JSON Schema that every node which can be read obeys."""

    def words(self) -> Sequence[str]:
        """The words that mean something, for suggestions."""
        return ()

    def refuse(self, node: FileNode, what: str) -> Never:
        """Say what is wrong with a node and what would be right."""
        if isinstance(node, Scalar) and node.is_blank:
            node.fail(f"{what} has no value", f"give {self.wanted}, or leave it out", subject=what)
        near = get_close_matches(node.text, self.words(), n=1) if isinstance(node, Scalar) else []
        advice = f"did you mean {near[0]!r}?" if near else f"give {self.wanted}"
        remedy = f"{_spelling(node)}{advice}"
        node.fail(f"{what} is {node.shown}", remedy, subject=what, value=node.shown.strip("'"))


def _spelling(node: FileNode) -> str:
    """A hint for numbers that other programs write or read in other ways."""
    if not isinstance(node, Scalar) or node.number is not None:
        return ""
    digits = node.text.lstrip("+-").replace("_", "").replace(".", "", 1).replace(",", "", 1)
    if not digits.isdecimal():
        return ""
    if node.quoted:
        return "in quotes it is text; "
    if node.text.lstrip("+-").startswith("0") and "," not in node.text:
        return "a number has no leading zero; "
    if "_" in node.text:
        return "a number has no underscores; "
    return "a decimal has a point, not a comma; " if "," in node.text else ""


# Of alternatives the last in this order is the control, in which the others can be written, too.
_WIDGETS = (
    "text",
    "questions",
    "truth",
    "choice",
    "share",
    "number",
    "whole",
    "by question",
    "by column",
    "range",
    "set",
)


class Either(Form[Any]):
    """One of several forms, distinguished by how a node looks."""

    def __init__(self, *forms: Form[Any]) -> None:
        self.forms = forms
        self.wanted = ", or ".join(form.wanted for form in forms)
        special = [form.widget for form in forms if form.widget not in _WIDGETS]
        self.widget = special[0] if special else max((form.widget for form in forms), key=_WIDGETS.index)

    def fits(self, node: FileNode) -> bool:
        return any(form.fits(node) for form in self.forms)

    def read(self, node: FileNode, what: str) -> Any:
        for form in self.forms:
            if form.fits(node):
                return form.read(node, what)
        self.refuse(node, what)

    def convert(self, value: object) -> Any:
        """As the first that can."""
        converted = (form.convert(value) for form in self.forms)
        return next((one for one in converted if one is not NOTHING), NOTHING)

    def holds(self, value: object) -> bool:
        return any(form.holds(value) for form in self.forms)

    def write(self, value: Any) -> Plain:
        return next(form for form in self.forms if form.holds(value)).write(value)

    def schema(self) -> Schema:
        return {"anyOf": [form.schema() for form in self.forms]}

    def words(self) -> Sequence[str]:
        return [word for form in self.forms for word in form.words()]


def suggest(word: str, known: Sequence[str], synonyms: Mapping[str, str] | None = None) -> str:
    """Return the tail of a message about an unknown key: the one that was meant, or all.

    >>> suggest("Max features", ["max_features", "C0"])
    "did you mean 'max_features'?"
    """
    plain = word.casefold().replace(" ", "_").replace("-", "_")
    for name in known:
        if name.casefold() == plain:
            return f"did you mean {name!r}?"
    if synonyms and plain in synonyms:
        return f"did you mean {synonyms[plain]!r}?"
    return did_you_mean(word, known)


_LARGEST = 10**300  # of numbers that become floats


def plain_number(value: Fraction | int) -> int | float | str:
    """Write a number exactly: whole, as the float that reads back as the same decimal, or as a fraction.

    >>> plain_number(Fraction(3)), plain_number(Fraction(1, 10)), plain_number(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if value.denominator == 1:
        return int(value)
    try:
        nearest = float(value)
    except OverflowError:
        return str(value)
    return nearest if Fraction(repr(nearest)) == value else str(value)


def _range(least: int | None, most: int | None) -> Schema:
    return {k: v for k, v in (("minimum", least), ("maximum", most)) if v is not None}


class NumberForm(Form[Fraction]):
    """An exact number: a decimal as it is written, or a fraction such as 1/3.

    It may reach `least` and `most`, and neither `above` nor `below`.
    """

    def __init__(
        self,
        least: int | None = None,
        most: int | None = None,
        *,
        above: int | None = None,
        below: Fraction | int | None = None,
        wanted: str | None = None,
    ) -> None:
        self.least, self.most, self.above, self.below = least, most, above, below
        self.widget = "share" if (least, most) == (0, 1) else "number"
        if wanted is not None:
            self.wanted = wanted
        elif most is not None:
            self.wanted = f"a number from {least} to {most}"
        else:
            self.wanted = "a number" if least is None else f"a number of at least {least}"

    def fits(self, node: FileNode) -> bool:
        """Any number does, whatever its size."""
        return isinstance(node, Scalar) and node.number is not None

    def read(self, node: FileNode, what: str) -> Fraction:
        number = node.number if isinstance(node, Scalar) else None
        if number is None or not self._has(number):
            self.refuse(node, what)
        return number

    def convert(self, value: object) -> Fraction | Nothing:
        """A finite number within its range, as its shortest decimal."""
        if not _is_number(value):
            return NOTHING
        number = exact(value, self.wanted)
        return number if self._has(number) else NOTHING

    def _has(self, number: Fraction) -> bool:
        return not (
            (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
            or (self.above is not None and number <= self.above)
            or (self.below is not None and number >= self.below)
        )

    def holds(self, value: object) -> bool:
        return isinstance(value, Fraction)

    def write(self, value: Fraction) -> Plain:
        """A JSON number where one is exact, else a fraction in quotes."""
        return plain_number(value)

    def schema(self) -> Schema:
        beyond = {"exclusiveMinimum": self.above, "exclusiveMaximum": self.below}
        return {
            "anyOf": [
                {
                    "type": "number",
                    **_range(self.least, self.most),
                    **{name: plain_number(end) for name, end in beyond.items() if end is not None},
                },
                {"type": "string", "pattern": f"^{FRACTION.pattern}$"},
            ]
        }


def _is_number(value: object) -> bool:
    """Whether a value is a finite number, and no truth value."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, RealNumber | Decimal):
        return False
    return isinstance(value, int | Fraction) or isfinite(value)


class Real(Form[float]):
    """A number that need not be exact, such as a time limit."""

    widget = "number"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most
        self.wanted = "a number" if least is None else f"a number of at least {least}"
        if most is not None:
            self.wanted = f"a number from {least} to {most}"

    def fits(self, node: FileNode) -> bool:
        """Any number that is not written as a fraction."""
        return isinstance(node, Scalar) and node.number is not None and "/" not in node.text

    def read(self, node: FileNode, what: str) -> float:
        number = node.number if isinstance(node, Scalar) and self.fits(node) else None
        if number is None or not self._allows(number):
            self.refuse(node, what)
        return float(number)

    def convert(self, value: object) -> float | Nothing:
        if not _is_number(value):
            return NOTHING
        number = exact(value, self.wanted)
        return float(number) if self._allows(number) else NOTHING

    def _allows(self, number: Fraction) -> bool:
        low, high = -_LARGEST if self.least is None else self.least, _LARGEST if self.most is None else self.most
        return low <= number <= high

    def holds(self, value: object) -> bool:
        return isinstance(value, float)

    def write(self, value: float) -> Plain:
        return int(value) if value.is_integer() else value

    def schema(self) -> Schema:
        return {"type": "number", **_range(self.least, self.most)}


class Whole(Form[int]):
    """A whole number; `also` is one below the least that has a meaning of its own."""

    widget = "whole"

    def __init__(self, least: int | None = None, *, also: int | None = None) -> None:
        self.least, self.also = least, also
        self.wanted = "a whole number" if least is None else f"a whole number of at least {least}"
        if also is not None:
            self.wanted += f", or {also}"

    def fits(self, node: FileNode) -> bool:
        """Whole numbers; 5.0 is one."""
        if not isinstance(node, Scalar) or node.number is None or "/" in node.text:
            return False
        return node.number.denominator == 1

    def read(self, node: FileNode, what: str) -> int:
        number = node.number if isinstance(node, Scalar) and self.fits(node) else None
        if number is None or (self.least is not None and number < self.least and number != self.also):
            self.refuse(node, what)
        return int(number)

    def convert(self, value: object) -> int | Nothing:
        number = whole(value)
        right = number is not None and (self.least is None or number >= self.least or number == self.also)
        return number if right and number is not None else NOTHING

    def holds(self, value: object) -> bool:
        """Integers, truth values not among them."""
        return isinstance(value, int) and not isinstance(value, bool)

    def write(self, value: int) -> Plain:
        return value

    def schema(self) -> Schema:
        """An integer, which 5.0 is in JSON Schema too."""
        known: Schema = {"type": "integer", **_range(self.least, None)}
        return known if self.also is None else {"anyOf": [known, {"const": self.also}]}


class TextForm(Form[str]):
    """Text, such as a feature's name. What reads as a number needs quotes."""

    def __init__(self, wanted: str = "text, in quotes where it looks like a number", *, widget: str = "text") -> None:
        self.wanted, self.widget = wanted, widget

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Scalar) and node.is_text

    def read(self, node: FileNode, what: str) -> str:
        if not isinstance(node, Scalar) or not self.fits(node):
            self.refuse(node, what)
        return node.text

    def holds(self, value: object) -> bool:
        return isinstance(value, str)

    def write(self, value: str) -> Plain:
        return value

    def schema(self) -> Schema:
        return {"type": "string"}


class InsideForm(TextForm):
    """The path of a file in the folder where one works, or below: settings come from others as well."""

    def __init__(self) -> None:
        super().__init__("a path within this folder, without '..'")

    def fits(self, node: FileNode) -> bool:
        """A relative path that leads nowhere else, on any system."""
        return super().fits(node) and isinstance(node, Scalar) and self._stays(node.text)

    def holds(self, value: object) -> bool:
        """The same of a value."""
        return isinstance(value, str) and self._stays(value)

    @staticmethod
    def _stays(text: str) -> bool:
        parts = re.split(r"[/\\]", text)
        return bool(parts[0]) and ".." not in parts and ":" not in text and not text.startswith("~")


class Word(TextForm):
    """One of a few words."""

    def __init__(self, *known: str) -> None:
        super().__init__(" or ".join(repr(word) for word in known), widget="choice")
        self.known = known

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Scalar) and node.text in self.known

    def holds(self, value: object) -> bool:
        return isinstance(value, str) and value in self.known

    def schema(self) -> Schema:
        return {"enum": list(self.known)}

    def words(self) -> Sequence[str]:
        return self.known


class LabelForm(TextForm):
    """A class or a group as it is written; it is compared with the data's labels by its text."""

    def __init__(self) -> None:
        super().__init__("a label of the data")

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Scalar) and not node.is_null and not node.is_blank

    def convert(self, value: object) -> str | Nothing:
        if isinstance(value, str):
            return value
        text = None if value is None else scalar_text(value)
        return NOTHING if text is None else text

    def schema(self) -> Schema:
        return {"type": ["string", "number", "boolean"]}


class Null(Form[None]):
    """The absence of something, said on purpose."""

    wanted = "null"

    def fits(self, node: FileNode) -> bool:
        """Null as a word; a blank is an oversight."""
        return isinstance(node, Scalar) and node.is_null

    def read(self, node: FileNode, what: str) -> None:
        if not self.fits(node):
            self.refuse(node, what)

    def holds(self, value: object) -> bool:
        return value is None

    def write(self, value: None) -> Plain:
        return None

    def schema(self) -> Schema:
        return {"type": "null"}


class Truth(Form[bool]):
    wanted = "true or false"
    widget = "truth"

    def fits(self, node: FileNode) -> bool:
        """Only true and false; ``yes`` is text."""
        return isinstance(node, Scalar) and node.truth is not None

    def read(self, node: FileNode, what: str) -> bool:
        truth = node.truth if isinstance(node, Scalar) else None
        if truth is None:
            self.refuse(node, what)
        return truth

    def holds(self, value: object) -> bool:
        return isinstance(value, bool)

    def write(self, value: bool) -> Plain:
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}

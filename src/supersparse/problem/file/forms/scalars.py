"""Forms of single values: numbers, words, names, labels."""

from collections.abc import Sequence
from fractions import Fraction

from supersparse.problem.file.forms.form import Form, Plain, Schema
from supersparse.problem.file.tree import FRACTION, Node, Scalar

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


class Number(Form[Fraction]):
    """An exact number: a decimal as it is written, or a fraction such as 1/3."""

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most
        if most is not None:
            self.wanted = f"a number from {least} to {most}"
        else:
            self.wanted = "a number" if least is None else f"a number of at least {least}"

    def fits(self, node: Node) -> bool:
        """Any number does, whatever its size."""
        return isinstance(node, Scalar) and node.number is not None

    def read(self, node: Node, what: str) -> Fraction:
        """The number, within its range."""
        number = node.number if isinstance(node, Scalar) else None
        if number is None or (self.least is not None and number < self.least):
            self.refuse(node, what)
        if self.most is not None and number > self.most:
            self.refuse(node, what)
        return number

    def holds(self, value: object) -> bool:
        """Fractions."""
        return isinstance(value, Fraction)

    def write(self, value: Fraction) -> Plain:
        """A JSON number where one is exact, else a fraction in quotes."""
        return plain_number(value)

    def schema(self) -> Schema:
        """A number, or a fraction in quotes."""
        return {
            "anyOf": [
                {"type": "number", **_range(self.least, self.most)},
                {"type": "string", "pattern": f"^{FRACTION.pattern}$"},
            ]
        }


class Real(Form[float]):
    """A number that need not be exact, such as a time limit."""

    def __init__(self, least: int | None = None) -> None:
        self.least = least
        self.wanted = "a number" if least is None else f"a number of at least {least}"

    def fits(self, node: Node) -> bool:
        """Any number that is not written as a fraction."""
        return isinstance(node, Scalar) and node.number is not None and "/" not in node.text

    def read(self, node: Node, what: str) -> float:
        """The nearest float."""
        number = node.number if isinstance(node, Scalar) and self.fits(node) else None
        if number is None or (self.least is not None and number < self.least) or abs(number) > _LARGEST:
            self.refuse(node, what)
        return float(number)

    def holds(self, value: object) -> bool:
        """Floats."""
        return isinstance(value, float)

    def write(self, value: float) -> Plain:
        """A whole number as such."""
        return int(value) if value.is_integer() else value

    def schema(self) -> Schema:
        """A number."""
        return {"type": "number", **_range(self.least, None)}


class Whole(Form[int]):
    """A whole number."""

    def __init__(self, least: int | None = None) -> None:
        self.least = least
        self.wanted = "a whole number" if least is None else f"a whole number of at least {least}"

    def fits(self, node: Node) -> bool:
        """Whole numbers; 5.0 is one."""
        if not isinstance(node, Scalar) or node.number is None or "/" in node.text:
            return False
        return node.number.denominator == 1

    def read(self, node: Node, what: str) -> int:
        """The number."""
        number = node.number if isinstance(node, Scalar) and self.fits(node) else None
        if number is None or (self.least is not None and number < self.least):
            self.refuse(node, what)
        return int(number)

    def holds(self, value: object) -> bool:
        """Integers, truth values not among them."""
        return isinstance(value, int) and not isinstance(value, bool)

    def write(self, value: int) -> Plain:
        """The integer."""
        return value

    def schema(self) -> Schema:
        """An integer, which 5.0 is in JSON Schema too."""
        return {"type": "integer", **_range(self.least, None)}


class Text(Form[str]):
    """Text, such as a feature's name. What reads as a number needs quotes."""

    def __init__(self, wanted: str = "text, in quotes where it looks like a number") -> None:
        self.wanted = wanted

    def fits(self, node: Node) -> bool:
        """Text only."""
        return isinstance(node, Scalar) and node.is_text

    def read(self, node: Node, what: str) -> str:
        """The text."""
        if not isinstance(node, Scalar) or not node.is_text:
            self.refuse(node, what)
        return node.text

    def holds(self, value: object) -> bool:
        """Text."""
        return isinstance(value, str)

    def write(self, value: str) -> Plain:
        """The text."""
        return value

    def schema(self) -> Schema:
        """A string."""
        return {"type": "string"}


class Word(Text):
    """One of a few words."""

    def __init__(self, *known: str) -> None:
        super().__init__(" or ".join(repr(word) for word in known))
        self.known = known

    def fits(self, node: Node) -> bool:
        """Only its words."""
        return isinstance(node, Scalar) and node.text in self.known

    def read(self, node: Node, what: str) -> str:
        """The word."""
        if not isinstance(node, Scalar) or node.text not in self.known:
            self.refuse(node, what)
        return node.text

    def holds(self, value: object) -> bool:
        """Only its words."""
        return isinstance(value, str) and value in self.known

    def schema(self) -> Schema:
        """An enumeration."""
        return {"enum": list(self.known)}

    def words(self) -> Sequence[str]:
        """The words."""
        return self.known


class Label(Form[str]):
    """A class or a group as it is written; it is compared with the data's labels by its text."""

    wanted = "a label of the data"

    def fits(self, node: Node) -> bool:
        """Any scalar but null."""
        return isinstance(node, Scalar) and not node.is_null and not node.is_blank

    def read(self, node: Node, what: str) -> str:
        """The text."""
        if not isinstance(node, Scalar) or node.is_null or node.is_blank:
            self.refuse(node, what)
        return node.text

    def holds(self, value: object) -> bool:
        """Text."""
        return isinstance(value, str)

    def write(self, value: str) -> Plain:
        """The text."""
        return value

    def schema(self) -> Schema:
        """A string, a number, true or false."""
        return {"type": ["string", "number", "boolean"]}


class Null(Form[None]):
    """The absence of something, said on purpose."""

    wanted = "null"

    def fits(self, node: Node) -> bool:
        """Null as a word; a blank is an oversight."""
        return isinstance(node, Scalar) and node.is_null

    def read(self, node: Node, what: str) -> None:
        """Nothing."""
        if not self.fits(node):
            self.refuse(node, what)

    def holds(self, value: object) -> bool:
        """None."""
        return value is None

    def write(self, value: None) -> Plain:
        """JSON's null."""
        return None

    def schema(self) -> Schema:
        """JSON's null."""
        return {"type": "null"}


class Truth(Form[bool]):
    """True or false."""

    wanted = "true or false"

    def fits(self, node: Node) -> bool:
        """Only true and false; ``yes`` is text."""
        return isinstance(node, Scalar) and node.truth is not None

    def read(self, node: Node, what: str) -> bool:
        """The truth value."""
        truth = node.truth if isinstance(node, Scalar) else None
        if truth is None:
            self.refuse(node, what)
        return truth

    def holds(self, value: object) -> bool:
        """Truth values."""
        return isinstance(value, bool)

    def write(self, value: bool) -> Plain:
        """The truth value."""
        return value

    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}

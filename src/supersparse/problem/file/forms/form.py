"""Form: the contract, and the choice between several forms."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Generic, Never, TypeVar

from supersparse.errors import did_you_mean
from supersparse.problem.file.tree import Node, Scalar

T = TypeVar("T")
Plain = None | bool | int | float | str | list[Any] | dict[str, Any]
"""What JSON can hold."""
Schema = dict[str, Any]


class Form(ABC, Generic[T]):
    """One kind of value; `wanted` ends the sentence "give ..." in messages."""

    wanted: str

    @abstractmethod
    def fits(self, node: Node) -> bool:
        """Whether a node is meant as this form, though it may still be wrong."""

    @abstractmethod
    def read(self, node: Node, what: str) -> T:
        """Return the value, or refuse the node by its place; `what` names it."""

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

    def refuse(self, node: Node, what: str) -> Never:
        """Say what is wrong with a node and what would be right."""
        if isinstance(node, Scalar) and node.is_blank:
            node.fail(f"{what} has no value; give {self.wanted}, or leave it out")
        near = get_close_matches(node.text, self.words(), n=1) if isinstance(node, Scalar) else []
        advice = f"did you mean {near[0]!r}?" if near else f"give {self.wanted}"
        node.fail(f"{what} is {node.shown}; {_spelling(node)}{advice}")


def _spelling(node: Node) -> str:
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


class Either(Form[Any]):
    """One of several forms, told apart by how a node looks."""

    def __init__(self, *forms: Form[Any]) -> None:
        self.forms = forms
        self.wanted = ", or ".join(form.wanted for form in forms)

    def fits(self, node: Node) -> bool:
        """Whether any of them fits."""
        return any(form.fits(node) for form in self.forms)

    def read(self, node: Node, what: str) -> Any:
        """Read the first that fits."""
        for form in self.forms:
            if form.fits(node):
                return form.read(node, what)
        self.refuse(node, what)

    def holds(self, value: object) -> bool:
        """Whether any of them holds the value."""
        return any(form.holds(value) for form in self.forms)

    def write(self, value: Any) -> Plain:
        """Write as the first that holds the value."""
        return next(form for form in self.forms if form.holds(value)).write(value)

    def schema(self) -> Schema:
        """Any of their schemas."""
        return {"anyOf": [form.schema() for form in self.forms]}

    def words(self) -> Sequence[str]:
        """All their words."""
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

"""What a settings file says before its meaning is known: values, lists and tables, each with its place.

Scalars stay as they were written. YAML's rules for what ``no``, ``010`` or ``1e-3`` mean differ
between its versions, and floats would lose decimals; the form that expects a scalar reads it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Never

import numpy as np

from supersparse.errors import InvalidSettingsError

_NUMBER = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]{0,399})(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?"
)
FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,399})/[1-9][0-9]{0,399}")
_NULL = ("null", "Null", "NULL", "~")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Node(ABC):
    """One part of a tree; `where` names the file, line and column, or is empty."""

    where: str

    @property
    @abstractmethod
    def shown(self) -> str:
        """The part as messages quote it."""

    def fail(self, message: str) -> Never:
        """Refuse this part."""
        raise InvalidSettingsError(f"{self.where}: {message}" if self.where else message)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scalar(Node):
    """A single value as it was written; `quoted` says that it can only be text."""

    text: str
    quoted: bool

    @property
    def number(self) -> Fraction | None:
        """The number it stands for, exactly, or None. A fraction may be quoted, as JSON needs it."""
        if FRACTION.fullmatch(self.text) or (not self.quoted and _NUMBER.fullmatch(self.text)):
            return Fraction(self.text)
        return None

    @property
    def truth(self) -> bool | None:
        """True or false, or None for anything else. ``yes`` and ``no`` are text, as in YAML 1.2."""
        return None if self.quoted else _TRUTH.get(self.text)

    @property
    def is_null(self) -> bool:
        """Whether it says that there is nothing."""
        return not self.quoted and self.text in _NULL

    @property
    def is_blank(self) -> bool:
        """Whether nothing was written at all."""
        return not self.quoted and not self.text

    @property
    def is_text(self) -> bool:
        """Whether it can be read as text only."""
        if self.quoted:
            return True
        return bool(self.text) and not (
            self.is_null or self.truth is not None or _NUMBER.fullmatch(self.text)
        )

    @property
    def shown(self) -> str:
        """The text, quoted where it is no number."""
        shown = repr(self.text) if self.is_text else self.text
        return shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Items(Node):
    """A list."""

    items: tuple[Node, ...]

    @property
    def shown(self) -> str:
        """What it is."""
        return f"a list of {len(self.items)}" if self.items else "an empty list"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table(Node):
    """A mapping; no key is given twice."""

    entries: tuple[tuple[Scalar, Node], ...]

    def __post_init__(self) -> None:
        first: dict[str, Scalar] = {}
        for key, _ in self.entries:
            if key.text in first:
                before = f", first at {first[key.text].where}" if key.where else ""
                key.fail(f"the key {key.text!r} is given twice{before}; keep one")
            first[key.text] = key

    @property
    def shown(self) -> str:
        """What it is."""
        return "a mapping" if self.entries else "an empty mapping"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Made(Node):
    """A Python object in a tree that was not written but given: a set, levels, a constraint."""

    value: object

    @property
    def shown(self) -> str:
        """Its own text."""
        return repr(self.value)


def tree_of(value: object, path: tuple[str, ...] = ()) -> Node:
    """Return the tree of Python's mappings, lists and scalars; anything else stays as it was made."""
    where = "".join(path) if len(path) > 1 else ""  # messages name the first key anyway
    if isinstance(value, str):
        return Scalar(where=where, text=value, quoted=True)
    text = scalar_text(value)
    if text is not None:
        return Scalar(where=where, text=text, quoted=False)
    if isinstance(value, Mapping):
        return Table(where=where, entries=tuple(_entry(k, v, path) for k, v in value.items()))
    if isinstance(value, list | tuple | range | set | frozenset | np.ndarray):
        items: Iterable[object] = value
        return Items(where=where, items=tuple(tree_of(v, (*path, f"[{i}]")) for i, v in enumerate(items)))
    return Made(where=where, value=value)


def _entry(key: object, value: object, path: tuple[str, ...]) -> tuple[Scalar, Node]:
    text = key if isinstance(key, str) else scalar_text(key)
    if text is None:
        raise InvalidSettingsError(f"the key {key!r} is no text; use text")
    name = Scalar(where="".join(path), text=text, quoted=isinstance(key, str))
    return name, tree_of(value, (*path, f".{text}" if path else text))


def scalar_text(value: object) -> str | None:
    """Write a number, a truth value or None as a file would; None for anything else.

    >>> scalar_text(0.1), scalar_text(True), scalar_text(Fraction(1, 3)), scalar_text([])
    ('0.1', 'true', '1/3', None)
    """
    if value is None:
        return "null"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.integer):
        return str(int(value))
    if isinstance(value, int | float | Fraction | Decimal | np.floating):
        return str(value)  # of numpy's floats too: their shortest decimal
    return None


def scalars(node: Node) -> Iterator[Scalar]:
    """All scalars of a tree, keys among them, in the order written."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from scalars(item)
    elif isinstance(node, Table):
        for key, value in node.entries:
            yield key
            yield from scalars(value)

"""The content of a settings file before its meaning is known: values and lists with their places."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, Literal, Never, TypeVar

import numpy as np

from supersparse.base.errors import InvalidProblemError, InvalidSettingsError, SupersparseError, did_you_mean

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]{0,399})(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")
FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,399})/[1-9][0-9]{0,399}")
_NULL = ("null", "Null", "NULL", "~")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LONGEST_SHOWN = 60

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ByName(Mapping[str, T], Generic[T]):
    """Values by name, in the order given; equal only to one in the same order.

    >>> by_name = ByName((("age*", 2), ("*", 1)))
    >>> by_name["*"], dict(by_name)
    (1, {'age*': 2, '*': 1})
    """

    entries: tuple[tuple[str, T], ...]

    def __getitem__(self, name: str) -> T:
        for known, value in self.entries:
            if known == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileNode(ABC):
    """One part of a tree; `where` names the file, line and column, or is empty."""

    where: str

    @property
    @abstractmethod
    def shown(self) -> str:
        """The part as messages quote it."""

    def fail(self, message: str, remedy: str | None = None, *, subject: object = None, value: object = None) -> Never:
        place = f"{self.where}: " if self.where else ""
        raise InvalidSettingsError(f"{place}{message}", remedy, subject=subject, value=value)

    def fail_by(self, error: SupersparseError) -> Never:
        """Refuse this part as another error does."""
        raise InvalidSettingsError.of(error, f"{self.where}: " if self.where else "") from None


_NOT_FINITE = ("nan", "inf", "-inf")  # as Python writes them


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scalar(FileNode):
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
        return not self.quoted and not self.text

    @property
    def is_text(self) -> bool:
        """Whether it can be read as text only."""
        if self.quoted:
            return True
        return bool(self.text) and not (self.is_null or self.truth is not None or _NUMBER.fullmatch(self.text))

    @property
    def shown(self) -> str:
        """The text, quoted unless it is a number."""
        is_number = not self.quoted and self.text in _NOT_FINITE
        shown = repr(self.text) if self.is_text and not is_number else self.text
        return shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Items(FileNode):
    items: tuple[FileNode, ...]

    @property
    def shown(self) -> str:
        return f"a list of {len(self.items)}" if self.items else "an empty list"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileMapping(FileNode):
    """A mapping; no key is given twice."""

    entries: tuple[tuple[Scalar, FileNode], ...]

    def __post_init__(self) -> None:
        first: dict[str, Scalar] = {}
        for key, _ in self.entries:
            if key.text in first:
                before = f", first at {first[key.text].where}" if key.where else ""
                key.fail(f"the key {key.text!r} is given twice{before}", "keep one")
            first[key.text] = key

    @property
    def shown(self) -> str:
        return "a mapping" if self.entries else "an empty mapping"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Made(FileNode):
    """A Python object in a tree that was not written but given: a set, levels, a constraint."""

    value: object

    @property
    def shown(self) -> str:
        return repr(self.value)


def tree_of(value: object, path: tuple[str, ...] = ()) -> FileNode:
    """Return the tree of Python's mappings, lists and scalars; anything else stays as it was made."""
    where = "".join(path) if len(path) > 1 else ""  # messages name the first key anyway
    if isinstance(value, str):
        return Scalar(where=where, text=value, quoted=True)
    text = scalar_text(value)
    if text is not None:
        return Scalar(where=where, text=text, quoted=False)
    if isinstance(value, Mapping):
        return FileMapping(where=where, entries=tuple(_entry(k, v, path) for k, v in value.items()))
    if isinstance(value, list | tuple | range | set | frozenset | np.ndarray):
        items: Iterable[object] = value
        return Items(where=where, items=tuple(tree_of(v, (*path, f"[{i}]")) for i, v in enumerate(items)))
    return Made(where=where, value=value)


def _entry(key: object, value: object, path: tuple[str, ...]) -> tuple[Scalar, FileNode]:
    text = key if isinstance(key, str) else scalar_text(key)
    if text is None:
        raise InvalidSettingsError(f"the key {key!r} is not text", "use text")
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


def scalars(node: FileNode) -> Iterator[Scalar]:
    """All scalars of a tree, keys among them, in the order written."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from scalars(item)
    elif isinstance(node, FileMapping):
        for key, value in node.entries:
            yield key
            yield from scalars(value)


_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LITERAL = re.compile(r"[^\s,\]}]+")


def json_tree(text: str, source: str) -> FileNode:
    """Read JSON; `source` names it in messages."""
    try:
        json.loads(text, parse_int=str, parse_float=str)
        return _Walker(text, source).value()
    except json.JSONDecodeError as error:
        raise InvalidSettingsError(
            f"{source}, line {error.lineno}, column {error.colno}: this is not valid JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise InvalidSettingsError(f"{source} is nested too deeply to be settings") from None


class _Walker:
    """Walks over text that is known to be valid JSON and notes where things stand."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0

    def value(self) -> FileNode:
        first, where = self._peek(), self._where()
        if first == '"':
            return self._string()
        if first == "[":
            return Items(where=where, items=tuple(self._items()))
        if first == "{":
            return FileMapping(where=where, entries=tuple(self._entries()))
        literal = _LITERAL.match(self._text, self._at)
        assert literal is not None, "valid JSON has a value here"
        self._at = literal.end()
        return Scalar(where=where, text=literal[0], quoted=False)

    def _items(self) -> list[FileNode]:
        items: list[FileNode] = []
        while not self._ends_with("]"):
            items.append(self.value())
        return items

    def _entries(self) -> list[tuple[Scalar, FileNode]]:
        entries: list[tuple[Scalar, FileNode]] = []
        while not self._ends_with("}"):
            self._peek()
            key = self._string()
            self._peek()
            self._at += 1  # the colon
            entries.append((key, self.value()))
        return entries

    def _ends_with(self, bracket: str) -> bool:
        """Step over the opening bracket or a comma; say whether the closing one follows, and step over it."""
        if self._peek() != bracket:
            self._at += self._text[self._at] in "[{,"
        if self._peek() != bracket:
            return False
        self._at += 1
        return True

    def _string(self) -> Scalar:
        where = self._where()
        text, self._at = _DECODER.raw_decode(self._text, self._at)
        return Scalar(where=where, text=text, quoted=True)

    def _peek(self) -> str:
        space = _SPACE.match(self._text, self._at)
        assert space is not None, "the pattern fits everywhere"
        self._at = space.end()
        return self._text[self._at]

    def _where(self) -> str:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        return f"{self._source}, line {line}, column {column}"


_DEEPEST = 100  # the parser needs longer for each level than for the last
_BEYOND_UNICODE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")
_PATTERN_HINT = 'a name or pattern that starts with * or & needs quotes, such as "*"'
_HINTS = {
    "alias": _PATTERN_HINT,
    "anchor": _PATTERN_HINT,
    "'\\t'": "indent with spaces, not with tabs",
    "mapping values are not allowed": "put text that holds ': ' in quotes",
    "'%'": "put it in quotes",
    "'@'": "put it in quotes",
    "'`'": "put it in quotes",
}


def yaml_tree(text: str, source: str) -> FileNode:
    """Read one YAML document; `source` names it in messages."""
    import yaml

    beyond = _BEYOND_UNICODE.search(text)  # PyYAML fails on it in ways of its own
    if beyond is not None:
        line = text.count("\n", 0, beyond.start()) + 1
        raise InvalidSettingsError(f"{source}, line {line}: {beyond[0]} is not a valid character", "correct it")
    try:
        tree = _Builder(yaml.parse(text, Loader=yaml.SafeLoader), source).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise InvalidSettingsError(f"{_place(source, mark)}: {problem}{_hint(problem)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidSettingsError(
            f"{source}, line {line}: it holds the character U+{ord(text[error.position]):04X}, which YAML "
            "does not allow",
            "remove it",
        ) from None
    if tree is None:
        raise InvalidSettingsError(f"{source} has no settings", "write at least one, such as 'C0: 0.01'")
    return tree


def _hint(problem: str) -> str:
    for word, hint in _HINTS.items():
        if word in problem:
            return f"; {hint}"
    return ""


def _place(source: str, mark: Any) -> str:
    return f"{source}, line {mark.line + 1}, column {mark.column + 1}"


class _Builder:
    """Builds the tree from the parser's events."""

    def __init__(self, events: Iterator[Any], source: str) -> None:
        self._events = events
        self._source = source
        self._depth = 0

    def document(self) -> FileNode | None:
        """The tree of the one document; None where there is none."""
        next(self._events)  # the start of the stream
        if type(next(self._events)).__name__ != "DocumentStartEvent":
            return None
        first = next(self._events)
        tree = self._node(first)
        next(self._events)  # the end of the document
        more = next(self._events)
        if type(more).__name__ != "StreamEndEvent":
            raise InvalidSettingsError(
                f"{_place(self._source, more.start_mark)}: a second document begins", "keep one in a file"
            )
        return None if isinstance(tree, Scalar) and tree.is_blank else tree

    def _node(self, event: Any) -> FileNode:
        kind, where = type(event).__name__, _place(self._source, event.start_mark)
        if kind == "AliasEvent" or event.anchor is not None:
            mark = "*" if kind == "AliasEvent" else "&"
            raise InvalidSettingsError(
                f"{where}: {mark}{event.anchor} is an alias or anchor of YAML, which settings do not use; "
                + _PATTERN_HINT
            )
        if event.tag is not None:
            raise InvalidSettingsError(f"{where}: the tag {event.tag!r} has no meaning here", "leave it out")
        if kind == "ScalarEvent":
            return Scalar(where=where, text=event.value, quoted=event.style is not None)
        if kind == "SequenceStartEvent":
            return Items(where=where, items=tuple(self._until("SequenceEndEvent")))
        parts = iter(list(self._until("MappingEndEvent")))
        return FileMapping(where=where, entries=tuple((_key(part), next(parts)) for part in parts))

    def _until(self, end: str) -> Iterator[FileNode]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InvalidSettingsError(f"{self._source} is nested too deeply to be settings")
        while type(event := next(self._events)).__name__ != end:
            yield self._node(event)
        self._depth -= 1


def _key(node: FileNode) -> Scalar:
    if not isinstance(node, Scalar):
        node.fail(f"{node.shown} stands where a key must be", "put text with braces or brackets in quotes")
    return node


Format = Literal["yaml", "json"]
_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def file_format(path: str | Path, what: str = "settings files") -> Format:
    """Return the format that the name of a file tells."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidSettingsError(f"{path}: {what} are YAML or JSON", "use a name ending in .yaml or .json")
    return _FORMATS[suffix]


def file_text(path: str | Path) -> str:
    """Read a text file, which is UTF-8, with or without a mark at its beginning."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSettingsError(
            f"{path} is not UTF-8 text (byte {error.start})", "save it as UTF-8", subject=path
        ) from None


# labels: settings name classes and groups as they are written, data hold any values


def label_text(label: object) -> str:
    """How settings write a label.

    >>> label_text("yes"), label_text(1), label_text(True)
    ('yes', '1', 'true')
    """
    return label if isinstance(label, str) else scalar_text(label) or str(label)


def find_label(text: str, labels: Iterable[object], what: str) -> object:
    """Return the label that a text stands for: the same text, or the same number.

    >>> find_label("1", [0.0, 1.0], "positive")
    1.0
    """
    known = list(labels)
    for same in (_same_text, _same_value):
        fitting = [label for label in known if same(text, label)]
        if len(fitting) > 1:
            raise InvalidProblemError(f"{what}: {text!r} stands for each of {fitting}", "rename one of them")
        if fitting:
            return fitting[0]
    raise InvalidProblemError(
        f"{what}: no row has the label {text!r}", did_you_mean(text, map(label_text, known)), subject=what
    )


def _same_text(text: str, label: object) -> bool:
    return label_text(label) == text


def _same_value(text: str, label: object) -> bool:
    if isinstance(label, str):
        return False  # "01" and "1" are different texts
    number = _number_of(label_text(label))
    if isinstance(label, bool):
        return text.casefold() == label_text(label) or _number_of(text) == int(label)
    return number is not None and number == _number_of(text)


def _number_of(text: str) -> Fraction | None:
    return Scalar(where="", text=text, quoted=False).number

"""JSON text -> tree. Numbers stay as they were written, so that 0.1 is 1/10."""

import json
import re

from supersparse.errors import InvalidSettingsError
from supersparse.problem.file.tree import Items, Node, Scalar, Table

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LITERAL = re.compile(r"[^\s,\]}]+")


def json_tree(text: str, source: str) -> Node:
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

    def value(self) -> Node:
        """The value that begins here."""
        first, where = self._peek(), self._where()
        if first == '"':
            return self._string()
        if first == "[":
            return Items(where=where, items=tuple(self._items()))
        if first == "{":
            return Table(where=where, entries=tuple(self._entries()))
        literal = _LITERAL.match(self._text, self._at)
        assert literal is not None, "valid JSON has a value here"
        self._at = literal.end()
        return Scalar(where=where, text=literal[0], quoted=False)

    def _items(self) -> list[Node]:
        found: list[Node] = []
        while not self._ends_with("]"):
            found.append(self.value())
        return found

    def _entries(self) -> list[tuple[Scalar, Node]]:
        found: list[tuple[Scalar, Node]] = []
        while not self._ends_with("}"):
            self._peek()
            key = self._string()
            self._peek()
            self._at += 1  # the colon
            found.append((key, self.value()))
        return found

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

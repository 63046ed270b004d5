"""YAML text -> tree. The only file that imports PyYAML, when a YAML file is read.

Only its parser is used: events with their places. What a scalar means is decided by the form that
reads it, so nothing of YAML 1.1's ``no -> False`` or ``010 -> 8`` happens, and no tag makes an object.
"""

import re
from collections.abc import Iterator
from typing import Any

from supersparse.errors import InvalidSettingsError
from supersparse.problem.file.tree import Items, Node, Scalar, Table

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


def yaml_tree(text: str, source: str) -> Node:
    """Read one YAML document; `source` names it in messages."""
    import yaml

    beyond = _BEYOND_UNICODE.search(text)  # PyYAML fails on it in ways of its own
    if beyond is not None:
        line = text.count("\n", 0, beyond.start()) + 1
        raise InvalidSettingsError(f"{source}, line {line}: {beyond[0]} is no character; correct it")
    try:
        tree = _Builder(yaml.parse(text, Loader=yaml.SafeLoader), source).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise InvalidSettingsError(f"{_place(source, mark)}: {problem}{_hint(problem)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidSettingsError(
            f"{source}, line {line}: it holds the character U+{ord(text[error.position]):04X}, "
            "which YAML does not allow; remove it"
        ) from None
    except RecursionError:
        raise InvalidSettingsError(f"{source} is nested too deeply to be settings") from None
    if tree is None:
        raise InvalidSettingsError(f"{source} says nothing; write at least one setting, such as 'C0: 0.01'")
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

    def document(self) -> Node | None:
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
                f"{_place(self._source, more.start_mark)}: a second document begins; keep one in a file"
            )
        return None if isinstance(tree, Scalar) and tree.is_blank else tree

    def _node(self, event: Any) -> Node:
        kind, where = type(event).__name__, _place(self._source, event.start_mark)
        if kind == "AliasEvent" or event.anchor is not None:
            mark = "*" if kind == "AliasEvent" else "&"
            raise InvalidSettingsError(
                f"{where}: {mark}{event.anchor} is an alias or anchor of YAML, which settings do not use; "
                + _PATTERN_HINT
            )
        if event.tag is not None:
            raise InvalidSettingsError(f"{where}: the tag {event.tag!r} has no meaning here; leave it out")
        if kind == "ScalarEvent":
            return Scalar(where=where, text=event.value, quoted=event.style is not None)
        if kind == "SequenceStartEvent":
            return Items(where=where, items=tuple(self._until("SequenceEndEvent")))
        parts = iter(list(self._until("MappingEndEvent")))
        return Table(where=where, entries=tuple((_key(part), next(parts)) for part in parts))

    def _until(self, end: str) -> Iterator[Node]:
        while type(event := next(self._events)).__name__ != end:
            yield self._node(event)


def _key(node: Node) -> Scalar:
    if not isinstance(node, Scalar):
        node.fail(f"{node.shown} stands where a key must be; put text with braces or brackets in quotes")
    return node

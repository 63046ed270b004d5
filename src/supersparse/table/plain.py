"""Hostile text made safe for a plain-text layout, and wrapped without losing a character.

Names of features and classes come from users' files. Line breaks, control characters and invisible marks are written as
Python escapes (`` ``, ``‮``), a backslash is doubled, and right-to-left text is isolated, so that no name can move what
stands next to it.
"""

import re
import unicodedata
from collections.abc import Callable

_NAMED = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_JOINERS = "\u200c\u200d"  # Persian, Hindi and many emoji cannot be written without them
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_TOKEN = re.compile(r"\\x..|\\u....|\\U........|\\.|.", re.DOTALL)


def visible(text: str) -> str:
    r"""Return one line that shows every character of the text and breaks no layout.

    >>> visible("a\nb")
    'a\\nb'
    """
    shown = "".join(_character(text, i) for i in range(len(text)))
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in shown)
    return f"{_ISOLATE}{shown}{_END_ISOLATE}" if right_to_left else shown


def one_line(text: object) -> str:
    r"""Return text for a line of a message: what would break the line or steer a terminal is escaped.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def quoted(text: str) -> str:
    """Return the visible text, in quotes unless it is a single plain word."""
    shown = visible(text)
    if text and all(c.isalnum() or c in "_-+.%<>=" for c in text):
        return shown
    return in_quotes(shown)


def in_quotes(text: str) -> str:
    """Return text in quotes: single ones around double ones; where it has both, double ones are doubled.

    No backslash is added, so that `visible` may follow. Different texts stay different.

    >>> print(in_quotes("not ill"), in_quotes('no "risk"'))
    "not ill" 'no "risk"'
    """
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace('"', '""') + '"'


def _character(text: str, i: int) -> str:
    c = text[i]
    if c in _NAMED:
        return _NAMED[c]
    if c == " ":
        # at an end, or next to another space, it would be lost when lines are wrapped
        return r"\x20" if i in (0, len(text) - 1) or text[i - 1] == " " else c
    if c in _JOINERS or unicodedata.category(c)[0] not in "CZ":
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return sum(map(_cells, text))


def _cells(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def padded(text: str, cells: int) -> str:
    """Fill up with spaces to a width in terminal columns."""
    return text + " " * (cells - width(text))


def wrap(text: str, limit: float, measure: Callable[[str], float] = width) -> list[str]:
    r"""Break visible text into lines of at most `limit` columns, or of that width by another measure.

    Lines break at single spaces. A word that is too long is broken anywhere, and the line then
    ends in a lone backslash, so that joining the lines again gives the text back.

    >>> wrap("one two", 5), wrap("longword", 5)
    (['one', 'two'], ['long\\', 'word'])
    """
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if measure(joined) <= limit:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, limit, measure)
        lines += full
    return [*lines, line]


def _pieces(word: str, limit: float, measure: Callable[[str], float]) -> list[str]:
    if measure(word) <= limit:
        return [word]
    room = max(measure("0"), limit - measure("\\"))
    pieces, piece = [], ""
    for token in _TOKEN.findall(word):
        if measure(piece + token) > room and piece and measure(token):
            pieces.append(piece + "\\")
            piece = ""
        piece += token
    return [*pieces, piece]

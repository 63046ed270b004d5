"""Drawing: texts, lines and boxes at their places, before SVG or matplotlib paints them.

Lengths are points (1/72 inch), y grows downwards. Texts are visible text and lie on their baseline.
Widths are those of DejaVu Sans, one of the widest common fonts, so that what fits here fits in others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from supersparse.render.plain import width, wrap

Anchor = Literal["start", "middle", "end"]
Show = Callable[[str], str]  # what a painter cannot draw is replaced before anything is measured

# Advance widths of the characters from " " to "~", in hundredths of the font size.
_ADVANCES = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_OTHERS = {0: 0.0, 1: 0.85, 2: 1.25}  # by terminal columns; some are narrower
_BOLD = 1.13


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One line of text."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    faint: bool = False
    anchor: Anchor = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    thickness: float = 0.6
    dotted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle with a white or grey inside; a round one is a node of a tree."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    grey: bool = False
    thickness: float = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Everything on one page, later parts above earlier ones, and a title for those who cannot see it."""

    width: float
    height: float
    title: str
    parts: tuple[Text | Stroke | Box, ...]


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is, rather too much than too little."""
    ems = sum(_ADVANCES[ord(c) - 32] / 100 if " " <= c <= "~" else _OTHERS[width(c)] for c in text)
    return ems * size * (_BOLD if bold else 1)


def wrapped(text: str, limit: float, size: float, *, bold: bool = False) -> list[str]:
    """Break visible text into lines that are at most so wide; see `plain.wrap` for broken words."""
    return wrap(text, limit, lambda part: text_width(part, size, bold=bold))

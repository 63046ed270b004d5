"""Drawings: texts, lines and boxes at their places, as SVG, PNG and PDF."""

import json
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError, did_you_mean
from supersparse.base.writing import write_file
from supersparse.table.plain import visible, width, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Anchor = Literal["start", "middle", "end"]
Show = Callable[[str], str]  # what a painter cannot draw is replaced before anything is measured

# Advance widths of the characters from " " to "~" in DejaVu Sans, in hundredths of the font size, rounded up.
_ADVANCES, _BOLD_ADVANCES = json.loads(
    files("supersparse.show.document").joinpath("templates", "widths.json").read_text(encoding="utf-8")
).values()
_OTHERS = {0: 0.0, 1: 0.85, 2: 1.25}  # by terminal columns; some are narrower
_BOLD = 1.13  # how much wider they are in bold


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    colour: str = "#000000"
    anchor: Anchor = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    x1: float
    y1: float
    x2: float
    y2: float
    thickness: float = 0.6
    colour: str = "#000000"
    dotted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle; a round one is a node of a tree."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    fill: str = "#ffffff"
    edge: str = "#000000"
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
    advances, wider = (_BOLD_ADVANCES, _BOLD) if bold else (_ADVANCES, 1.0)
    ems = sum(advances[ord(c) - 32] / 100 if " " <= c <= "~" else wider * _OTHERS[width(c)] for c in text)
    return ems * size


def wrapped(text: str, limit: float, size: float, *, bold: bool = False) -> list[str]:
    """Break visible text into lines that are at most so wide; see `plain.wrap` for broken words."""
    return wrap(text, limit, lambda part: text_width(part, size, bold=bold))


_FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def drawing_svg(drawing: Drawing) -> str:
    """Return an SVG file as text, on white and in points."""
    w, h = _n(drawing.width), _n(drawing.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}pt" height="{h}pt" viewBox="0 0 {w} {h}" '
            f'role="img" font-family="{_FONTS}" fill="black">',
            f"<title>{escape(visible(drawing.title))}</title>",
            f'<rect width="{w}" height="{h}" fill="white"/>',
            *map(_part, drawing.parts),
            "</svg>",
            "",
        ]
    )


def _part(part: Text | Stroke | Box) -> str:
    match part:
        case Text():
            return _text(part)
        case Stroke():
            dots = f' stroke-dasharray="0 {_n(3 * part.thickness)}" stroke-linecap="round"' if part.dotted else ""
            return (
                f'<line x1="{_n(part.x1)}" y1="{_n(part.y1)}" x2="{_n(part.x2)}" y2="{_n(part.y2)}" '
                f'stroke="{part.colour}" stroke-width="{_n(part.thickness)}"{dots}/>'
            )
        case Box():
            corners = f' rx="{_n(part.radius)}"' if part.radius else ""
            return (
                f'<rect x="{_n(part.x)}" y="{_n(part.y)}" width="{_n(part.width)}" height="{_n(part.height)}"'
                f'{corners} fill="{part.fill}" stroke="{part.edge}" stroke-width="{_n(part.thickness)}"/>'
            )


def _text(part: Text) -> str:
    anchor = "" if part.anchor == "start" else f' text-anchor="{part.anchor}"'
    weight = ' font-weight="bold"' if part.bold else ""
    colour = "" if part.colour == "#000000" else f' fill="{part.colour}"'
    place = f'x="{_n(part.x)}" y="{_n(part.y)}" font-size="{_n(part.size)}"'
    return f"<text {place}{anchor}{weight}{colour}>{escape(part.text)}</text>"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


_DPI = 200
# Tried in this order after DejaVu Sans, which comes with matplotlib, for what it lacks.
_FALLBACKS = (
    "Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Emoji",
    "Arial Unicode MS", "Segoe UI Symbol", "Segoe UI Emoji", "Microsoft YaHei", "Hiragino Sans",
    "WenQuanYi Micro Hei",
)  # fmt: skip
# DejaVu Sans lacks the marks that isolate right-to-left text, and has the one that ends it.
_LEFT_TO_RIGHT = "\u200e"
_ISOLATES = {0x2068: _LEFT_TO_RIGHT, 0x2069: _LEFT_TO_RIGHT}


def painted(drawing: Drawing, form: Literal["png", "pdf"]) -> bytes:
    figure = drawing_figure(drawing)
    target = BytesIO()
    with painting():
        dated = {"CreationDate": None, "Title": drawing.title} if form == "pdf" else {"Software": None}
        figure.savefig(target, format=form, dpi=_DPI, metadata=dated)
    return target.getvalue()


def painting() -> AbstractContextManager[None]:
    """The settings of matplotlib under which texts are as wide as they were measured."""
    font_names()
    import matplotlib

    return matplotlib.rc_context(
        {
            "text.hinting": "none",  # else letters move to whole pixels, and a text is up to 4 % wider
            "pdf.fonttype": 42,
            "savefig.bbox": None,
            "savefig.transparent": False,
        }
    )


def drawable(text: str) -> str:
    """Replace what no font at hand can draw by its code."""
    known = _known_characters()
    codes = ((c, ord(c)) for c in text.translate(_ISOLATES))
    return "".join(c if n in known else f"\\u{n:04x}" if n < 65536 else f"\\U{n:08x}" for c, n in codes)


def _ordered(text: str) -> str:
    """Make a line with right-to-left text run from left to right, also where it was wrapped inside of it."""
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text)
    return _LEFT_TO_RIGHT + text if right_to_left else text


@cache
def font_names() -> tuple[str, ...]:
    try:
        from matplotlib import font_manager
    except ModuleNotFoundError:
        raise PackageNotInstalledError(
            "pictures as PNG or PDF need matplotlib: pip install matplotlib",
            "SVG, HTML, LaTeX, Markdown and text do without",
        ) from None
    present = {entry.name for entry in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in present))


@cache
def _known_characters() -> frozenset[int]:
    """Those of all fonts at hand, in bold too, as a part of the text may be."""
    names = font_names()
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    regular, bold = (
        {
            code
            for name in names
            for code in FT2Font(str(findfont(FontProperties(family=name, weight=weight)))).get_charmap()
        }
        for weight in ("normal", "bold")
    )
    return frozenset(regular & bold)


def drawing_figure(drawing: Drawing) -> "Figure":
    font_names()
    from matplotlib.figure import Figure  # not pyplot: no window, no state to close

    figure = Figure(figsize=(drawing.width / 72, drawing.height / 72), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_axis_off()
    for part in drawing.parts:
        _add(part, axes)
    return figure


def _add(part: Text | Stroke | Box, axes: "Axes") -> None:
    match part:
        case Text():
            axes.text(
                part.x, part.y, _ordered(part.text), fontsize=part.size,
                fontweight="bold" if part.bold else "normal", fontfamily=list(font_names()),
                color=part.colour, va="baseline",
                ha={"start": "left", "middle": "center", "end": "right"}[part.anchor],
                parse_math=False, usetex=False,
            )  # fmt: skip
        case Stroke():
            _add_stroke(part, axes)
        case Box():
            _add_box(part, axes)


def _add_stroke(part: Stroke, axes: "Axes") -> None:
    from matplotlib.lines import Line2D

    line = Line2D([part.x1, part.x2], [part.y1, part.y2], color=part.colour, linewidth=part.thickness)
    if part.dotted:
        line.set_linestyle((0, (0.01, 3)))
        line.set_dash_capstyle("round")
    else:
        line.set_solid_capstyle("butt")
    axes.add_line(line)


def _add_box(part: Box, axes: "Axes") -> None:
    from matplotlib.patches import FancyBboxPatch, Patch, Rectangle

    corner = (part.x, part.y)
    patch: Patch
    if part.radius:
        rounded = f"round,pad=0,rounding_size={part.radius}"
        patch = FancyBboxPatch(corner, part.width, part.height, boxstyle=rounded)
    else:
        patch = Rectangle(corner, part.width, part.height)
    patch.set(facecolor=part.fill, edgecolor=part.edge, linewidth=part.thickness)
    axes.add_patch(patch)


Draw = Callable[[Show], Drawing]  # lays out what is to be drawn


FaceWriters = Mapping[str, Callable[[], str | bytes]]


def pictures(draw: Draw) -> dict[str, Callable[[], str | bytes]]:
    """The faces of a drawing: SVG from our own writer, PNG and PDF by matplotlib."""
    return {
        ".svg": lambda: drawing_svg(draw(str)),
        ".png": lambda: painted(draw(drawable), "png"),
        ".pdf": lambda: painted(draw(drawable), "pdf"),
    }


class Drawn:
    """A thing with faces, one of them SVG, which notebooks show."""

    __slots__ = ()

    def _faces(self) -> FaceWriters:
        raise NotImplementedError

    def to_svg(self) -> str:
        """Return it as SVG."""
        return str(self._faces()[".svg"]())

    def save(self, path: str | Path) -> None:
        """Write it to a file; the ending of the name says in which form. PNG and PDF need matplotlib."""
        write(self._faces(), path)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def write(faces: FaceWriters, path: str | Path, others: tuple[str, ...] = ()) -> None:
    """Write the face that the ending of the file's name asks for; `others` are endings to name besides."""
    path = Path(path)
    face = faces.get(path.suffix.lower())
    if face is None:
        known = [*faces, *others]
        raise InvalidOptionError(
            f"{path.name!r} has an unknown file ending", did_you_mean(path.suffix, known), subject=path.name
        )
    write_file(path, face())

"""Drawings as PNG and PDF, by matplotlib, which is loaded when used.

Text is drawn as it stands: no TeX and no math, so ``$x$`` is three characters. A character that no font at
hand can draw is written as its code (``\\u6e29``). Right-to-left text is put in order by matplotlib 3.11
and later, within lines that run from left to right.
"""

import unicodedata
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from supersparse.errors import PackageNotInstalledError
from supersparse.render.drawing import Box, Drawing, Stroke, Text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    """Return the file; the same drawing gives the same bytes."""
    figure = drawing_figure(drawing)
    import matplotlib

    target = BytesIO()
    with matplotlib.rc_context({"pdf.fonttype": 42, "savefig.bbox": None, "savefig.transparent": False}):
        dated = {"CreationDate": None, "Title": drawing.title} if form == "pdf" else {"Software": None}
        figure.savefig(target, format=form, dpi=_DPI, metadata=dated)
    return target.getvalue()


def drawable(text: str) -> str:
    """Replace what no font at hand can draw by its code."""
    known = _known_characters()
    return "".join(c if ord(c) in known else _code(c) for c in text.translate(_ISOLATES))


def _code(c: str) -> str:
    return f"\\u{ord(c):04x}" if ord(c) < 65536 else f"\\U{ord(c):08x}"


def _ordered(text: str) -> str:
    """Make a line with right-to-left text run from left to right, also where it was wrapped inside of it."""
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text)
    return _LEFT_TO_RIGHT + text if right_to_left else text


@cache
def font_names() -> tuple[str, ...]:
    """The fonts at hand, in the order in which they are tried."""
    try:
        from matplotlib import font_manager
    except ModuleNotFoundError:
        raise PackageNotInstalledError(
            "pictures as PNG or PDF need matplotlib: pip install 'supersparse[plot]'; "
            "SVG, HTML, LaTeX, Markdown and text do without"
        ) from None
    present = {entry.name for entry in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in present))


@cache
def _known_characters() -> frozenset[int]:
    """Those of all fonts at hand, in bold too, as a part of the text may be."""
    names = font_names()
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    found = []
    for weight in ("normal", "bold"):
        files = [
            font_manager.findfont(font_manager.FontProperties(family=name, weight=weight)) for name in names
        ]
        found.append({code for path in files for code in FT2Font(path).get_charmap()})
    return frozenset(found[0] & found[1])


def drawing_figure(drawing: Drawing) -> "Figure":
    """Return a figure as large as the drawing, with all its parts."""
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
                color="#555555" if part.faint else "black", va="baseline",
                ha={"start": "left", "middle": "center", "end": "right"}[part.anchor],
                parse_math=False, usetex=False,
            )  # fmt: skip
        case Stroke():
            _add_stroke(part, axes)
        case Box():
            _add_box(part, axes)


def _add_stroke(part: Stroke, axes: "Axes") -> None:
    from matplotlib.lines import Line2D

    line = Line2D([part.x1, part.x2], [part.y1, part.y2], color="black", linewidth=part.thickness)
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
    patch.set(facecolor="#d4d4d4" if part.grey else "white", edgecolor="black", linewidth=part.thickness)
    axes.add_patch(patch)

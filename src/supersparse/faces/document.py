"""Pictures inside a document: inline SVG for a page, axes at a place for PDF."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

from supersparse.data.plain import visible, wrap
from supersparse.evaluate.evaluation import Evaluation
from supersparse.evaluate.forecasts import CalibrationCurve, DecisionCurve
from supersparse.evaluate.risk_table import RiskTable
from supersparse.faces.drawing import Drawing, drawable, drawing_figure, font_names
from supersparse.faces.plots import Shares, draw_shares, plot, plot_evaluation
from supersparse.results.frontier import Frontier

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Picture = Frontier | RiskTable | CalibrationCurve | DecisionCurve | Evaluation | Shares

_LONGEST, _MOST_LINES = 26, 2  # of a label beside a bar
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_WIDTH = 6.2  # inches


def picture_svg(picture: Picture, *, alt: str, number: int) -> str:
    """Return inline SVG; `number` keeps the identifiers of several pictures on one page apart."""
    import matplotlib

    with text_as_it_stands():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, picture_height(picture) / 72), layout="constrained")
        draw_picture(picture, figure.subplots())
        target = StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "supersparse"}):
            figure.savefig(target, format="svg", transparent=True, metadata=dict.fromkeys(_METADATA))
    drawn = target.getvalue()
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = _ID.sub(rf"\g<1>f{number}-", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1).rstrip()


_METADATA = ("Creator", "Date", "Format", "Type")


def draw_picture(picture: Picture, axes: "Axes") -> None:
    """Draw a picture into axes, to be called with text as it stands."""
    match picture:
        case Frontier():
            plot(picture, axes)
            axes.spines[["top", "right"]].set_visible(False)
        case RiskTable():
            plot_evaluation(replace(picture, positive=drawable(visible(str(picture.positive)))), axes)
        case Shares():
            labels = tuple(map(_short, picture.labels))
            draw_shares(replace(picture, labels=labels), axes)
        case _:
            plot_evaluation(picture, axes)


def picture_height(picture: Picture) -> float:
    """How high a picture should be, in points."""
    if isinstance(picture, Shares):
        return 60 + 24 * len(picture.labels)
    return 280 if isinstance(picture, CalibrationCurve | Evaluation) else 230


def room_around(picture: Picture) -> tuple[float, float]:
    """How much room labels need at the left of the axes and below them, in points."""
    if isinstance(picture, RiskTable):
        return 44, 64  # totals and numbers of rows, in up to three lines
    if not isinstance(picture, Shares):
        return 44, 44
    longest = max((len(line) for label in picture.labels for line in _short(label).split("\n")), default=0)
    return 16 + 6 * longest, 44


def _short(label: str) -> str:
    """A label in a few lines, cut where it is very long; the table beside the figure has all of it."""
    lines = wrap(drawable(label), _LONGEST)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: _LONGEST - 1] + "\u2026"]
    return "\n".join(lines)


@contextmanager
def text_as_it_stands() -> Iterator[None]:
    """Fonts for every script at hand, and dollars that are dollars."""
    names = font_names()
    import matplotlib

    with matplotlib.rc_context({"font.family": list(names), "text.parse_math": False, "font.size": 9}):
        yield


_ABOVE, _RIGHT = 20.0, 12.0  # room for what stands around the axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A picture on a sheet; lengths in points from the upper left corner."""

    picture: Picture
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page."""

    drawing: Drawing
    pictures: tuple[Placed, ...] = ()


def document_pdf(sheets: Sequence[Sheet], title: str) -> bytes:
    """Return the pages as a PDF file; the same pages give the same bytes."""
    target = BytesIO()
    with text_as_it_stands():
        import matplotlib
        from matplotlib.backends.backend_pdf import PdfPages

        with (
            matplotlib.rc_context({"pdf.fonttype": 42, "savefig.bbox": None, "savefig.transparent": False}),
            PdfPages(target, metadata={"CreationDate": None, "Title": title}) as pages,
        ):
            for sheet in sheets:
                figure = drawing_figure(sheet.drawing)
                wide, high = sheet.drawing.width, sheet.drawing.height
                for placed in sheet.pictures:
                    left, below = room_around(placed.picture)
                    axes = figure.add_axes(
                        (
                            (placed.x + left) / wide,
                            1 - (placed.y + placed.height - below) / high,
                            (placed.width - left - _RIGHT) / wide,
                            (placed.height - below - _ABOVE) / high,
                        )
                    )
                    draw_picture(placed.picture, axes)
                pages.savefig(figure)
    return target.getvalue()

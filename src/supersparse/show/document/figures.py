"""Figures of a document: inline SVG for a page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

from supersparse.card.evaluate.evaluation import Evaluation
from supersparse.card.evaluate.forecasts import DecisionCurve
from supersparse.card.evaluate.risk_table import RiskTable
from supersparse.engine.answers.frontier import Frontier
from supersparse.show.document.drawing import drawable, font_names
from supersparse.show.document.evaluation_plots import (
    Calibration,
    RatePairs,
    Shares,
    draw_calibration,
    draw_rate_pairs,
    draw_shares,
)
from supersparse.show.document.plots import plot, plot_evaluation
from supersparse.table.plain import visible, wrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Picture = Frontier | RiskTable | Calibration | DecisionCurve | Evaluation | Shares | RatePairs

_LONGEST, _MOST_LINES = 26, 2  # of a label next to a bar
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_WIDTH = 6.2  # inches
_METADATA = ("Creator", "Date", "Format", "Type")


def picture_svg(picture: Picture, *, alt: str, number: int) -> str:
    """Return inline SVG; `number` makes the identifiers of several pictures on one page differ."""
    with _text_as_it_stands():
        import matplotlib

        target = StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "supersparse"}):
            _figure(picture).savefig(target, format="svg", transparent=True, metadata=dict.fromkeys(_METADATA))
    drawn = target.getvalue()
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = _ID.sub(rf"\g<1>f{number}-", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1).rstrip()


def _figure(picture: Picture) -> "Figure":
    from matplotlib.figure import Figure  # not pyplot: no window, no state to close

    figure = Figure(figsize=(_WIDTH, _height(picture) / 72), layout="constrained")
    axes = figure.subplots()
    match picture:
        case Frontier():
            plot(picture, axes)
            axes.spines[["top", "right"]].set_visible(False)
        case RiskTable():
            plot_evaluation(replace(picture, positive=drawable(visible(str(picture.positive)))), axes)
        case Shares():
            labels = tuple(map(_short, picture.labels))
            draw_shares(replace(picture, labels=labels), axes)
        case Calibration():
            draw_calibration(picture, axes)
        case RatePairs():
            draw_rate_pairs(picture, axes)
        case _:
            plot_evaluation(picture, axes)
    return figure


def _height(picture: Picture) -> float:
    if isinstance(picture, Shares):
        return 55 + 21 * len(picture.labels)
    if isinstance(picture, Calibration):
        return 340
    return 280 if isinstance(picture, Evaluation | RatePairs) else 230


def _short(label: str) -> str:
    """A label in a few lines, cut where it is very long; the table below the figure has all of it."""
    lines = wrap(drawable(label), _LONGEST)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: _LONGEST - 1] + "\u2026"]
    return "\n".join(lines)


@contextmanager
def _text_as_it_stands() -> Iterator[None]:
    """Fonts for every script at hand, and dollars that are dollars."""
    names = font_names()
    import matplotlib

    with matplotlib.rc_context({"font.family": list(names), "text.parse_math": False, "font.size": 9}):
        yield

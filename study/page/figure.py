"""What all figures share: the style, and SVG that is the same for the same records."""

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DARK, LIGHT, RED = "#1b3a57", "#9aa5b1", "#b3402a"
STYLE: Any = {"svg.hashsalt": "supersparse", "svg.fonttype": "none", "font.size": 8.0}


def as_svg(figure: "Figure") -> str:
    """Write a figure without a date and with fixed identifiers."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"

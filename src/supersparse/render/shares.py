"""Shares: named shares as bars, for a report's figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Shares from 0 to 1 by label, from top to bottom; those that are marked are dark."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    marked: tuple[bool, ...]
    axis: str


def draw_shares(result: Shares, axes: "Axes") -> None:
    """Draw the bars, the first on top."""
    places = range(len(result.labels))
    colours = ["0.35" if marked else "0.8" for marked in result.marked]
    axes.barh(places, result.shares, color=colours, edgecolor="0.35", height=0.7)
    for place, share in zip(places, result.shares, strict=True):
        axes.annotate(
            f"{100 * share:.0f} %", (share, place), xytext=(3, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(list(places), list(result.labels), parse_math=False)
    axes.set_ylim(len(result.labels) - 0.4, -0.6)
    axes.set_xlim(0, 1.12)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_xlabel(result.axis)
    axes.spines[["top", "right"]].set_visible(False)

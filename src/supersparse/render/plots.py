"""Pictures of results over many solves: frontier, path, trade-off. matplotlib is loaded when used."""

from math import isfinite
from typing import TYPE_CHECKING

from supersparse.decimals import shown
from supersparse.errors import InvalidOptionError
from supersparse.solution.frontier import Frontier
from supersparse.solution.path import Path
from supersparse.solution.trade_off import TradeOff

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator


def plot(result: Frontier | Path | TradeOff, ax: "Axes | None" = None) -> "Axes":
    """Draw a result and return the axes; ``plot(result).figure.savefig("frontier.png")`` saves it.

    Filled marks and full lines stand for what is proven, hollow marks and dashed lines for what is not.
    """
    draw = {Frontier: _frontier, Path: _path, TradeOff: _trade_off}.get(type(result))
    if draw is None:
        raise InvalidOptionError(
            f"plot draws a frontier, its path or a trade-off, not {type(result).__name__!r}"
        )
    axes = _new_axes() if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    return axes


def _new_axes() -> "Axes":
    from matplotlib.figure import Figure  # not pyplot: no window, no state to close

    axes: Axes = Figure(layout="constrained").subplots()
    return axes


def _frontier(result: Frontier, axes: "Axes") -> None:
    rows = [row for row in result.table() if row["errors"] is not None]
    sizes, errors = [row["size"] for row in rows], [row["errors"] for row in rows]
    axes.step(sizes, errors, where="post", color="C0", zorder=1)
    _marks(axes, sizes, errors, [row["proven"] for row in rows])
    axes.set_xlabel("features at most")
    axes.set_ylabel("training errors")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(_whole_numbers())


def _path(result: Path, axes: "Axes") -> None:
    rows = result.table()
    ends = [row["C0_to"] for row in rows if isfinite(row["C0_to"])]
    first, last = (min(ends) / 4, max(ends) * 4) if ends else (0.001, 1.0)
    for row, stretch in zip(rows, result.stretches, strict=True):
        low, high = max(row["C0_from"], first), min(row["C0_to"], last)
        axes.plot([low, high], [row["size"]] * 2, color="C0", linestyle="-" if row["exact"] else "--")
        axes.annotate(
            shown(stretch.solution.evaluation.training_errors), ((low * high) ** 0.5, row["size"]),
            xytext=(0, 4), textcoords="offset points", ha="center",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("C0")
    axes.set_ylabel("features, with the training errors above the line")
    axes.yaxis.set_major_locator(_whole_numbers())


def _trade_off(result: TradeOff, axes: "Axes") -> None:
    rows = result.table()
    specificities, sensitivities = [r["specificity"] for r in rows], [r["sensitivity"] for r in rows]
    axes.plot(specificities, sensitivities, color="C0", zorder=1)
    _marks(axes, specificities, sensitivities, [row["proven"] for row in rows])
    axes.set_xlabel("specificity")
    axes.set_ylabel("sensitivity")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)


def _whole_numbers() -> "Locator":
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True)


def _marks(axes: "Axes", x: list[float], y: list[float], proven: list[bool]) -> None:
    colours = ["C0" if one else "white" for one in proven]
    axes.scatter(x, y, c=colours, edgecolors="C0", zorder=2)

"""Plots of results and of how a card does; matplotlib is loaded when used."""

from collections.abc import Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.base.writing import write_file
from supersparse.card.evaluate.evaluation import Evaluation
from supersparse.card.evaluate.forecasts import CalibrationCurve, DecisionCurve
from supersparse.card.evaluate.risk_table import RiskTable
from supersparse.card.evaluate.trade_off import CrossValidatedTradeOff, HeldOutTradeOff
from supersparse.engine.answers.frontier import C0Path, Frontier
from supersparse.engine.answers.pool import Pool
from supersparse.engine.answers.trade_off import TradeOff
from supersparse.engine.answers.words import counts_errors, least_of, least_value, what_is_least
from supersparse.engine.solution import Solution, Trace
from supersparse.problem.problem import Problem
from supersparse.show.document.evaluation_plots import (
    GREY,
    draw_decisions,
    draw_groups,
    draw_risk_table,
    draw_roc,
)
from supersparse.show.document.search_plots import draw_pool, draw_progress, draw_solution, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Plotted = Frontier | C0Path | TradeOff | CrossValidatedTradeOff | HeldOutTradeOff | Solution | Trace | Pool


def plot(result: Plotted, ax: "Axes | None" = None) -> "Axes":
    """Draw a result and return the axes; ``plot(result).figure.savefig("frontier.png")`` saves it.

    At the end of a notebook's cell, the axes are shown as the picture. The figure is not one of pyplot, so
    ``plt.show()`` does not show it; for that, give axes of yours as `ax`.

    Filled marks and full lines stand for what is proven, hollow marks and dashed lines for what is not.
    Some results have several panels; on axes of yours, only the first is drawn. These are, of a solution:
    the best card and the proven bound over time (the paper's appendix D, for your own fit), its errors and
    its size; of a pool: the points that all good cards give each feature, and the cards by size and errors;
    of a trade-off on held-out rows: sensitivity against specificity, and net benefit over the threshold.
    """
    if isinstance(result, Solution | Pool | CrossValidatedTradeOff | HeldOutTradeOff):
        panels = [ax] if ax is not None else _new_panels(_panels(result))
        match result:
            case Solution():
                draw_solution(result, panels)
            case Pool():
                draw_pool(result, panels)
            case _:
                _on_held_out_rows(result, panels)
        return panels[0]
    draw = {Frontier: _frontier, C0Path: _path, TradeOff: _trade_off, Trace: draw_progress}.get(type(result))
    if draw is None:
        raise InvalidOptionError(
            "plot draws a solution, its trace, a pool, a frontier, its path or a trade-off, "
            f"not {type(result).__name__!r}"
        )
    axes = _new_axes() if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    return axes


def save_plot(result: Plotted, path: Path) -> None:
    """Draw a result to a file, in the format of its ending."""
    held = BytesIO()
    try:
        figure = plot(result).figure
        figure.savefig(held, format=path.suffix.lstrip(".").lower() or "png")  # type: ignore[union-attr]
    except ValueError as refused:
        raise InvalidOptionError(f"{path.name!r} has an unknown file ending: {refused}") from None
    write_file(path, held.getvalue())


def _new_axes() -> "Axes":
    from supersparse.show.document.shown_axes import shown_axes

    return shown_axes()[0]


def _frontier(result: Frontier, axes: "Axes") -> None:
    best = [(row, row.solution) for row in result.rows if row.solution is not None]
    sizes, least = [row.size for row, _ in best], [float(least_value(solution)) for _, solution in best]
    counts = counts_errors(result.problem)
    axes.step(sizes, least, where="post", color="C0", zorder=1)
    _marks(axes, sizes, least, [row.proven for row, _ in best])
    axes.set_xlabel("features at most")
    axes.set_ylabel(_least_label(result.problem))
    axes.set_ylim(0, 1.12 * max([*least, 1 if counts else 0.1]))  # from 0, and room for the highest mark
    axes.xaxis.set_major_locator(whole_numbers())
    if counts:
        axes.yaxis.set_major_locator(whole_numbers())


def _least_label(problem: Problem) -> str:
    return "training errors" if counts_errors(problem) else what_is_least(problem)


def _path(result: C0Path, axes: "Axes") -> None:
    rows = result.table()
    ends = [row["C0_to"] for row in rows if isfinite(row["C0_to"])]
    first, last = (min(ends) / 4, max(ends) * 4) if ends else (0.001, 1.0)
    for row, stretch in zip(rows, result.stretches, strict=True):
        low, high = max(row["C0_from"], first), min(row["C0_to"], last)
        axes.plot([low, high], [row["size"]] * 2, color="C0", linestyle="-" if row["exact"] else "--")
        axes.annotate(
            least_of(stretch.solution), ((low * high) ** 0.5, row["size"]),
            xytext=(0, 4), textcoords="offset points", ha="center",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("C0")
    axes.set_ylabel(f"features, with the {_least_label(result.frontier.problem)} above the line")
    axes.yaxis.set_major_locator(whole_numbers())


def _trade_off(result: TradeOff, axes: "Axes") -> None:
    """The training rows, with marks that are filled where proven; held-out rows as squares beside them."""
    points = result.points
    tested = [point.test for point in points if point.test is not None]
    rates = [(float(point.specificity), float(point.sensitivity)) for point in points]
    specificities, sensitivities = ([pair[k] for pair in rates] for k in range(2))
    axes.plot(specificities, sensitivities, color="C0", zorder=1, label="training rows" if tested else None)
    _marks(axes, specificities, sensitivities, [point.solution.proven_optimal for point in points])
    if tested:
        seen = sorted((-float(test.specificity), float(test.sensitivity)) for test in tested)
        axes.plot([-x for x, _ in seen], [y for _, y in seen], "s--", color="C1", label="held-out rows")
        axes.legend(loc="lower left", frameon=False)
    _rate_axes(axes)


def _rate_axes(axes: "Axes", on: str = "") -> None:
    axes.set_xlabel(f"specificity{on}")
    axes.set_ylabel(f"sensitivity{on}")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)


_RATES = ("specificity", "sensitivity")


def _panels(result: Solution | Pool | CrossValidatedTradeOff | HeldOutTradeOff) -> int:
    """The number of panels: limits on a rate have no net benefit."""
    if isinstance(result, Solution):
        return 3
    return 2 if isinstance(result, Pool) or result.points[0].ratio is not None else 1


def _on_held_out_rows(result: CrossValidatedTradeOff | HeldOutTradeOff, panels: "list[Axes]") -> None:
    left, right = panels[0], panels[1] if len(panels) > 1 else None
    rows = result.table()
    if isinstance(result, HeldOutTradeOff):
        specificities, sensitivities = ([r[f"training_{name}"] for r in rows] for name in _RATES)
        left.plot(specificities, sensitivities, color=GREY, zorder=1, label="training rows")
        _marks(left, specificities, sensitivities, [r["proven"] for r in rows], GREY)
        tested = sorted((-r["specificity"], r["sensitivity"]) for r in rows)
        left.plot([-x for x, _ in tested], [y for _, y in tested], "s-", color="C0", label="held-out rows")
        left.legend(loc="lower left", frameon=False)
        _rate_axes(left)
    else:
        left.plot([r["specificity"] for r in rows], [r["sensitivity"] for r in rows], "o-", color="C0")
        _rate_axes(left, " on held-out rows")
    if right is not None:
        thresholds = [r["threshold"] for r in rows]
        right.plot(
            thresholds, [r["net_benefit"] for r in rows], "o-", color="C0", label="card for the threshold"
        )
        between = np.linspace(thresholds[0], thresholds[-1], 201)  # a curve also between few thresholds
        share = float(result.points[0].performance.positives / result.points[0].performance.n)
        of_all = share - (1 - share) * between / (1 - between)
        right.plot(between, of_all, "--", color=GREY, label="treat all")
        right.axhline(0, color="0.2", linewidth=1, label="treat none")
        most, least = (of(r["net_benefit"] for r in rows) for of in (max, min))
        right.set_ylim(min(-0.05, -0.2 * most, 1.1 * least), 1.15 * max(most, 0.05))
        right.set_xlabel("risk threshold")
        right.set_ylabel("net benefit on held-out rows")
        right.legend(frameon=False)


def _new_panels(count: int) -> "list[Axes]":
    from supersparse.show.document.shown_axes import shown_axes

    return shown_axes(count, (4.8 * count, 4.2))


def _marks(
    axes: "Axes", x: Sequence[float], y: Sequence[float], proven: Sequence[bool], colour: str = "C0"
) -> None:
    colours = [colour if one else "white" for one in proven]
    axes.scatter(x, y, c=colours, edgecolors=colour, zorder=2)


def plot_evaluation(
    result: RiskTable | CalibrationCurve | DecisionCurve | Evaluation, ax: "Axes | None" = None
) -> "Axes":
    """Draw a result and return the axes; ``plot_evaluation(table).figure.savefig("risk.png")`` saves it.

    At the end of a notebook's cell, the axes are shown as the picture, as those of `plot` are.

    A risk table shows observed risks with their intervals and the calibrated risk as a line. An
    evaluation is drawn as its ROC curve, with the card's own threshold marked.
    """
    draw = {
        RiskTable: draw_risk_table,
        CalibrationCurve: draw_groups,
        DecisionCurve: draw_decisions,
        Evaluation: draw_roc,
    }.get(type(result))
    if draw is None:
        raise InvalidOptionError(
            "plot_evaluation draws a risk table, a calibration curve, a decision curve or an evaluation, "
            f"not {type(result).__name__!r}"
        )
    axes = _new_axes() if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    axes.spines[["top", "right"]].set_visible(False)
    return axes

"""Plots of results and of how a card does; matplotlib is loaded when used."""

from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np

from supersparse.data.plain import visible, wrap
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.calibration_line import CalibrationLine
from supersparse.evaluate.evaluation import Evaluation
from supersparse.evaluate.forecasts import CalibrationCurve, DecisionCurve, Forecasts
from supersparse.evaluate.rates import Rate, count_text
from supersparse.evaluate.risk_table import RiskRow, RiskTable
from supersparse.evaluate.trade_off import CrossValidatedTradeOff
from supersparse.exact import shown
from supersparse.faces.drawing import drawable, font_names
from supersparse.results.frontier import Frontier, Path
from supersparse.results.trade_off import TradeOff
from supersparse.results.words import least_of
from supersparse.writing import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator


def plot(result: Frontier | Path | TradeOff | CrossValidatedTradeOff, ax: "Axes | None" = None) -> "Axes":
    """Draw a result and return the axes; ``plot(result).figure.savefig("frontier.png")`` saves it.

    Filled marks and full lines stand for what is proven, hollow marks and dashed lines for what is not. A
    cross-validated trade-off is drawn twice, sensitivity against specificity and net benefit over the
    threshold; on axes of yours, only the first.
    """
    if isinstance(result, CrossValidatedTradeOff):
        return _cross_validated(result, ax)
    draw = {Frontier: _frontier, Path: _path, TradeOff: _trade_off}.get(type(result))
    if draw is None:
        raise InvalidOptionError(
            f"plot draws a frontier, its path or a trade-off, not {type(result).__name__!r}"
        )
    axes = _new_axes() if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    return axes


def save_plot(result: Frontier | Path | TradeOff | CrossValidatedTradeOff, path: FilePath) -> None:
    """Draw a result to a file, in the format of its ending."""
    held = BytesIO()
    try:
        figure = plot(result).figure
        figure.savefig(held, format=path.suffix.lstrip(".").lower() or "png")  # type: ignore[union-attr]
    except ValueError as refused:
        raise InvalidOptionError(f"{path.name!r} has an unknown file ending: {refused}") from None
    write_file(path, held.getvalue())


def _new_axes() -> "Axes":
    from matplotlib.figure import Figure  # not pyplot: no window, no state to close

    axes: Axes = Figure(layout="constrained").subplots()
    return axes


def _frontier(result: Frontier, axes: "Axes") -> None:
    is_risk = result.problem.goal == "risk"
    rows = [row for row in result.table() if row["errors"] is not None]
    sizes, least = [row["size"] for row in rows], [row["loss" if is_risk else "errors"] for row in rows]
    axes.step(sizes, least, where="post", color="C0", zorder=1)
    _marks(axes, sizes, least, [row["proven"] for row in rows])
    axes.set_xlabel("features at most")
    axes.set_ylabel("log loss" if is_risk else "training errors")
    axes.set_ylim(0, 1.12 * max([*least, 0.1 if is_risk else 1]))  # from 0, and room for the highest mark
    axes.xaxis.set_major_locator(_whole_numbers())
    if not is_risk:
        axes.yaxis.set_major_locator(_whole_numbers())


def _path(result: Path, axes: "Axes") -> None:
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
    least = "log loss" if result.frontier.problem.goal == "risk" else "training errors"
    axes.set_ylabel(f"features, with the {least} above the line")
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


def _cross_validated(result: CrossValidatedTradeOff, ax: "Axes | None") -> "Axes":
    from matplotlib.figure import Figure

    left, right = (
        Figure(figsize=(9.6, 4.2), layout="constrained").subplots(1, 2) if ax is None else (ax, None)
    )
    rows = result.table()
    left.plot([r["specificity"] for r in rows], [r["sensitivity"] for r in rows], "o-", color="C0")
    left.set_xlabel("specificity on rows left out")
    left.set_ylabel("sensitivity on rows left out")
    left.set_xlim(-0.02, 1.02)
    left.set_ylim(-0.02, 1.02)
    if right is not None:
        thresholds = [r["threshold"] for r in rows]
        right.plot(
            thresholds, [r["net_benefit"] for r in rows], "o-", color="C0", label="card for the threshold"
        )
        right.plot(thresholds, [r["net_benefit_of_all"] for r in rows], "--", color=_GREY, label="treat all")
        right.axhline(0, color="0.2", linewidth=1, label="treat none")
        most = max(r["net_benefit"] for r in rows)
        right.set_ylim(min(-0.05, -0.2 * most), 1.15 * max(most, 0.05))
        right.set_xlabel("risk threshold")
        right.set_ylabel("net benefit on rows left out")
        right.legend(frameon=False)
    return left


def _whole_numbers() -> "Locator":
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True)


def _marks(axes: "Axes", x: list[float], y: list[float], proven: list[bool]) -> None:
    colours = ["C0" if one else "white" for one in proven]
    axes.scatter(x, y, c=colours, edgecolors="C0", zorder=2)


_GREY = "0.55"
_LABEL = 50  # characters in a line beside the axes


def plot_evaluation(
    result: RiskTable | CalibrationCurve | DecisionCurve | Evaluation, ax: "Axes | None" = None
) -> "Axes":
    """Draw a result and return the axes; ``plot_evaluation(table).figure.savefig("risk.png")`` saves it.

    A risk table shows observed risks with their intervals and the calibrated risk as a line. An
    evaluation is drawn as its ROC curve, with the card's own threshold marked.
    """
    draw = {
        RiskTable: _risk_table, CalibrationCurve: _calibration, DecisionCurve: _decision, Evaluation: _roc
    }.get(type(result))  # fmt: skip
    if draw is None:
        raise InvalidOptionError(
            "plot_evaluation draws a risk table, a calibration curve, a decision curve or an evaluation, "
            f"not {type(result).__name__!r}"
        )
    axes = _new_axes() if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _risk_table(table: RiskTable, axes: "Axes") -> None:
    places = range(len(table.rows))
    rates = [row.observed.value or 0.0 for row in table.rows]
    ends = [row.observed.interval or (0.0, 0.0) for row in table.rows]
    # rounding can put an end on the wrong side of the rate by the last digit
    lower = [max(0.0, rate - low) for rate, (low, _) in zip(rates, ends, strict=True)]
    upper = [max(0.0, high - rate) for rate, (_, high) in zip(rates, ends, strict=True)]
    axes.bar(places, rates, color="0.85", edgecolor=_GREY, width=0.7, zorder=1)
    axes.errorbar(places, rates, [lower, upper], fmt="o", color="0.2", capsize=4, zorder=3, label="observed")
    calibrated = [row.calibrated or 0.0 for row in table.rows]
    if table.method is not None:
        axes.plot(places, calibrated, color="C0", marker="s", zorder=2, label=f"calibrated ({table.method})")
    below = sum(row.high <= table.cutoff.threshold for row in table.rows)
    if 0 < below < len(table.rows):
        axes.axvline(below - 0.5, color="0.2", linestyle=":", label=f"positive: {table.cutoff.positive}")
    axes.set_xticks(list(places), [_tick(row) for row in table.rows], parse_math=False)
    axes.set_xlabel("total of points, and number of rows")
    name = "\n".join(wrap(drawable(visible(f"risk of {table.positive}")), _LABEL))
    axes.set_ylabel(name, parse_math=False, fontfamily=list(font_names()))
    axes.set_ylim(0, 1.02)
    axes.legend(loc="best", edgecolor="none", facecolor="white")  # the cutoff may pass behind it


def _tick(row: RiskRow) -> str:
    totals = shown(row.low) if row.low == row.high else f"{shown(row.low)} to\n{shown(row.high)}"
    return f"{totals}\nn={count_text(row.observed.of)}"


def _calibration(curve: CalibrationCurve, axes: "Axes") -> None:
    _groups(curve, axes)
    for b in curve.bins:
        x = b.predicted
        axes.annotate(
            count_text(b.observed.of), (x, b.observed.value or 0.0), xytext=(-6 if x > 0.9 else 6, 0),
            textcoords="offset points", ha="right" if x > 0.9 else "left", va="center", fontsize="small",
            color="0.35",
        )  # fmt: skip
    axes.set_ylabel("observed risk, with the number of rows")


def _groups(curve: CalibrationCurve, axes: "Axes") -> None:
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", label="perfect", zorder=1)
    predicted = [b.predicted for b in curve.bins]
    observed = [b.observed.value or 0.0 for b in curve.bins]
    ends = [b.observed.interval or (0.0, 0.0) for b in curve.bins]
    axes.vlines(predicted, [low for low, _ in ends], [high for _, high in ends], color="C0", zorder=2)
    # groups of rows are no curve: joining them draws their chance differences as a zigzag
    axes.plot(predicted, observed, "o", color="C0", label="groups of rows, 95 %", zorder=3)
    axes.set_xlabel("predicted risk")
    axes.set_ylabel("observed risk")
    _unit_square(axes)
    axes.legend(loc="upper left", frameon=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Groups of rows, the calibration line through all of them, and how the risks are spread."""

    forecasts: Forecasts
    curve: CalibrationCurve
    line: CalibrationLine | None


def draw_calibration(result: Calibration, axes: "Axes") -> None:
    """Draw groups with intervals, the smooth line, and below them the number of rows at each risk."""
    _groups(result.curve, axes)
    risks = np.array(result.forecasts.risks)
    if result.line is not None:
        ends = result.curve.bins[0].predicted, result.curve.bins[-1].predicted  # beyond, there are few rows
        smooth = np.linspace(*ends, 101)
        axes.plot(smooth, result.line.observed(smooth), color="C3", label="logistic calibration", zorder=2)
    inset = axes.inset_axes((0, -0.34, 1, 0.16), sharex=axes)
    edges = np.linspace(0, 1, 41)
    for weights, sign, colour in (
        (result.forecasts.positives, 1, "0.35"),
        (result.forecasts.negatives, -1, "0.75"),
    ):
        heights, _ = np.histogram(risks, edges, weights=[float(w) for w in weights])
        inset.bar(edges[:-1], sign * heights, width=1 / 40, align="edge", color=colour)
    inset.axhline(0, color="0.2", linewidth=0.6)
    inset.set_yticks([])
    inset.tick_params(labelbottom=False, bottom=False)
    inset.spines[["top", "right", "left", "bottom"]].set_visible(False)
    inset.set_ylabel("rows", fontsize="small")
    inset.annotate(
        "positive",
        (1.0, 0.95),
        xycoords="axes fraction",
        ha="right",
        va="top",
        fontsize="small",
        color="0.35",
    )
    inset.annotate(
        "negative",
        (1.0, 0.05),
        xycoords="axes fraction",
        ha="right",
        va="bottom",
        fontsize="small",
        color="0.5",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", frameon=False)


def _decision(curve: DecisionCurve, axes: "Axes") -> None:
    at = [p.at for p in curve.points]
    some, everyone = [p.treat_some for p in curve.points], [p.treat_all for p in curve.points]
    axes.plot(at, some, color="C0", label="act by risk")
    axes.plot(at, everyone, color=_GREY, linestyle="--", label="act on everyone")
    axes.axhline(0, color="0.2", linestyle=":", label="act on no one")
    top = max([*some, *everyone, 0.01])
    axes.set_ylim(-0.15 * top, 1.1 * top)  # treating everyone falls without end
    axes.set_xlabel("risk from which one acts")
    axes.set_ylabel("net benefit")
    # the curves can be anywhere below
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False)


def _roc(found: Evaluation, axes: "Axes") -> None:
    points = found.thresholds.roc()
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", label="chance")
    if points:
        axes.plot(
            [x for x, _ in points], [y for _, y in points], color="C0", marker=".", label=f"AUC {found.auc}"
        )
        own = found.confusion
        axes.plot(
            [1 - (own.specificity.value or 0.0)], [own.sensitivity.value or 0.0], "o", color="C3", ms=9,
            mfc="none", mew=2, label=f"total of {own.cutoff.positive}",
        )  # fmt: skip
    axes.set_xlabel("1 - specificity")
    axes.set_ylabel("sensitivity")
    _unit_square(axes)
    axes.legend(loc="lower right", frameon=False)


def _unit_square(axes: "Axes") -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePairs:
    """Sensitivity and specificity with their intervals, each pair with a label."""

    labels: tuple[str, ...]
    first: tuple[Rate, ...]  # sensitivity
    second: tuple[Rate, ...]  # specificity
    marked: tuple[bool, ...]


def draw_rate_pairs(result: RatePairs, axes: "Axes") -> None:
    """Draw sensitivity over 1 - specificity, as a ROC curve does, with intervals both ways."""
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", zorder=1)
    x = [1 - (rate.value or 0.0) for rate in result.second]
    y = [rate.value or 0.0 for rate in result.first]
    across = [rate.interval or (0.0, 0.0) for rate in result.second]
    up = [rate.interval or (0.0, 0.0) for rate in result.first]
    axes.hlines(y, [1 - high for _, high in across], [1 - low for low, _ in across], color="C0", alpha=0.45)
    axes.vlines(x, [low for low, _ in up], [high for _, high in up], color="C0", alpha=0.45)
    colours = ["C0" if marked else "white" for marked in result.marked]
    axes.scatter(x, y, c=colours, edgecolors="C0", zorder=3)
    at: dict[tuple[float, float], list[str]] = {}
    for label, place in zip(result.labels, zip(x, y, strict=True), strict=True):
        at.setdefault(place, []).append(label)
    for place, labels in at.items():
        low = place[1] < 0.1  # no room below
        axes.annotate(
            labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}", place,
            xytext=(7, 6 if low else -6), textcoords="offset points", va="bottom" if low else "top",
            ha="right" if place[0] > 0.9 else "left", fontsize="small", color="0.25",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
        )  # fmt: skip
    axes.set_xlabel("1 - specificity")
    axes.set_ylabel("sensitivity")
    _unit_square(axes)
    axes.spines[["top", "right"]].set_visible(False)

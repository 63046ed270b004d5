"""Drawings of how a card does: risks, calibration, decisions, rates; matplotlib is loaded by the caller."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from supersparse.base.exact import shown
from supersparse.card.evaluate.evaluation import Evaluation
from supersparse.card.evaluate.forecasts import CalibrationCurve, CalibrationLine, DecisionCurve, Forecasts
from supersparse.card.evaluate.rates import Rate
from supersparse.card.evaluate.risk_table import RiskRow, RiskTable
from supersparse.show.document.drawing import drawable, font_names, text_width
from supersparse.table.plain import visible, wrap
from supersparse.table.small_table import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "0.55"
_LABEL = 50  # characters in a line next to the axes


def draw_risk_table(table: RiskTable, axes: "Axes") -> None:
    """Draw observed risks with their intervals, and the calibrated risk as a line."""
    places = range(len(table.rows))
    rates = [row.observed.value or 0.0 for row in table.rows]
    ends = [row.observed.interval or (0.0, 0.0) for row in table.rows]
    # rounding can put an end on the wrong side of the rate by the last digit
    lower = [max(0.0, rate - low) for rate, (low, _) in zip(rates, ends, strict=True)]
    upper = [max(0.0, high - rate) for rate, (_, high) in zip(rates, ends, strict=True)]
    axes.bar(places, rates, color="0.85", edgecolor=GREY, width=0.7, zorder=1)
    axes.errorbar(places, rates, [lower, upper], fmt="o", color="0.2", capsize=4, zorder=3, label="observed")
    calibrated = [row.calibrated or 0.0 for row in table.rows]
    if table.method is not None:
        axes.plot(places, calibrated, color="C0", marker="s", zorder=2, label=f"calibrated ({table.method})")
    cutoff = _cutoff_place(table)
    if cutoff is not None:
        axes.axvline(cutoff, color="0.2", linestyle=":", label=f"positive: {table.cutoff.positive}")
    _label_totals(table.rows, axes)
    axes.set_xlabel("total of points, and number of rows")
    name = "\n".join(wrap(drawable(visible(f"risk of {table.positive}")), _LABEL))
    axes.set_ylabel(name, parse_math=False, fontfamily=list(font_names()))
    axes.set_ylim(0, 1.02)
    _legend_above(axes)  # intervals can be anywhere below


def _cutoff_place(table: RiskTable) -> float | None:
    """Where the positive class begins: between two bars, or within the bar of totals of both classes."""
    begins = table.cutoff.threshold - Fraction(table.cutoff.whole, 2)
    below = sum(not table.cutoff.includes(row.high) for row in table.rows)
    if below == len(table.rows):
        return None
    row = table.rows[below]
    if not table.cutoff.includes(row.low):
        return below - 0.25 + 0.5 * float((begins - row.low) / (row.high - row.low))
    return below - 0.5 if below else None


def _label_totals(rows: tuple[RiskRow, ...], axes: "Axes") -> None:
    """Label the bars, upright where the labels are too wide for them, and only some if there are too many."""
    labels = [_tick(row, upright=False) for row in rows]
    axes.set_xticks(range(len(rows)), labels, parse_math=False)
    size = float(axes.get_xticklabels()[0].get_fontsize())
    room = axes.bbox.width * 72 / axes.figure.dpi / len(rows)  # points for each bar
    if max(text_width(line, size) for label in labels for line in label.split("\n")) <= 0.95 * room:
        return
    every = ceil(1.2 * size / room)
    axes.set_xticks(
        range(0, len(rows), every),
        [_tick(row, upright=True) for row in rows[::every]],
        rotation="vertical",
        parse_math=False,
    )


def _tick(row: RiskRow, *, upright: bool) -> str:
    rows = f"n={number(row.observed.of)}"
    if upright:
        totals = shown(row.low) if row.low == row.high else f"{shown(row.low)} to {shown(row.high)}"
        return f"{totals}, {rows}"
    totals = shown(row.low) if row.low == row.high else f"{shown(row.low)} to\n{shown(row.high)}"
    return f"{totals}\n{rows}"


def draw_groups(curve: CalibrationCurve, axes: "Axes") -> None:
    _groups(curve, axes)
    for b in curve.bins:
        x = b.predicted
        axes.annotate(
            number(b.observed.of), (x, b.observed.value or 0.0), xytext=(-6 if x > 0.9 else 6, 0),
            textcoords="offset points", ha="right" if x > 0.9 else "left", va="center", fontsize="small",
            color="0.35",
        )  # fmt: skip
    axes.set_ylabel("observed risk, with the number of rows")


def _groups(curve: CalibrationCurve, axes: "Axes") -> None:
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", label="perfect", zorder=1)
    predicted = [b.predicted for b in curve.bins]
    observed = [b.observed.value or 0.0 for b in curve.bins]
    ends = [b.observed.interval or (0.0, 0.0) for b in curve.bins]
    axes.vlines(predicted, [low for low, _ in ends], [high for _, high in ends], color="C0", zorder=2)
    # groups of rows are not a curve: joining them draws their chance differences as a zigzag
    levels = sorted({b.observed.level for b in curve.bins})
    label = ", ".join(["groups of rows", *(f"{100 * level:.4g} %" for level in levels)])
    axes.plot(predicted, observed, "o", color="C0", label=label, zorder=3)
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
    for weights, sign, colour in ((result.forecasts.positives, 1, "0.35"), (result.forecasts.negatives, -1, "0.75")):
        heights, _ = np.histogram(risks, edges, weights=[float(w) for w in weights])
        inset.bar(edges[:-1], sign * heights, width=1 / 40, align="edge", color=colour)
    inset.axhline(0, color="0.2", linewidth=0.6)
    inset.set_yticks([])
    inset.tick_params(labelbottom=False, bottom=False)
    inset.spines[["top", "right", "left", "bottom"]].set_visible(False)
    inset.set_ylabel("rows", fontsize="small")
    # in the middle, where few rows are
    for label, y, side, colour in (("positive", 0.95, "top", "0.35"), ("negative", 0.05, "bottom", "0.5")):
        text = inset.text(0.5, y, label, transform=inset.transAxes, ha="center", va=side)
        text.set(fontsize="small", color=colour)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", frameon=False)


def draw_decisions(curve: DecisionCurve, axes: "Axes") -> None:
    """Draw the net benefit of acting by risk, on everyone and on no one."""
    at = [p.at for p in curve.points]
    some, everyone = [p.treat_some for p in curve.points], [p.treat_all for p in curve.points]
    axes.plot(at, some, color="C0", label="act by risk")
    axes.plot(at, everyone, color=GREY, linestyle="--", label="act on everyone")
    axes.axhline(0, color="0.2", linestyle=":", label="act on no one")
    top, worst = max([*some, *everyone, 0.01]), min(curve.points, key=lambda p: p.treat_some, default=None)
    low = 0.0 if worst is None else worst.treat_some
    bottom = min(-0.15 * top, max(1.1 * low, -top))
    axes.set_ylim(bottom, 1.1 * top)  # treating everyone falls without end
    if worst is not None and low < bottom:
        axes.annotate(
            f"act by risk falls to {low:.3g} at {worst.at:g}", (0.02, 0.03), xycoords="axes fraction",
            fontsize="small", color="C0",
        )  # fmt: skip
    axes.set_xlabel("risk from which one acts")
    axes.set_ylabel("net benefit")
    _legend_above(axes)  # the curves can be anywhere below


def _legend_above(axes: "Axes") -> None:
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False)


def draw_roc(evaluation: Evaluation, axes: "Axes") -> None:
    points = evaluation.thresholds.roc()
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", label="chance")
    if points:
        axes.plot([x for x, _ in points], [y for _, y in points], color="C0", marker=".", label=f"AUC {evaluation.auc}")
        confusion = evaluation.confusion
        axes.plot(
            [1 - (confusion.specificity.value or 0.0)], [confusion.sensitivity.value or 0.0], "o", color="C3", ms=9,
            mfc="none", mew=2, label=f"total of {confusion.cutoff.positive}",
        )  # fmt: skip
    else:
        axes.annotate(
            "no ROC curve:\nall rows are of one class", (0.5, 0.5), ha="center", va="center",
            bbox={"facecolor": "white", "edgecolor": "none"},
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
    places = range(len(result.labels))
    colours = ["0.35" if marked else "0.8" for marked in result.marked]
    axes.barh(places, result.shares, color=colours, edgecolor="0.35", height=0.7)
    for place, share in zip(places, result.shares, strict=True):
        axes.annotate(f"{100 * share:.0f} %", (share, place), xytext=(3, 0), textcoords="offset points", va="center")
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
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", zorder=1)
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

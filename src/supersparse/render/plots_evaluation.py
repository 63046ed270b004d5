"""Pictures of how a card does: risks, calibration, decision curve, ROC. matplotlib is loaded when used."""

from typing import TYPE_CHECKING

from supersparse.decimals import shown
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.evaluation import Evaluation
from supersparse.evaluate.forecasts import CalibrationCurve, DecisionCurve
from supersparse.evaluate.risk_table import RiskRow, RiskTable
from supersparse.evaluate.tables import count_text
from supersparse.render.paint import drawable, font_names
from supersparse.render.plain import visible, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def _new_axes() -> "Axes":
    from matplotlib.figure import Figure  # not pyplot: no window, no state to close

    axes: Axes = Figure(layout="constrained").subplots()
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
    axes.legend(loc="best", frameon=False)


def _tick(row: RiskRow) -> str:
    totals = shown(row.low) if row.low == row.high else f"{shown(row.low)} to\n{shown(row.high)}"
    return f"{totals}\nn={count_text(row.observed.of)}"


def _calibration(curve: CalibrationCurve, axes: "Axes") -> None:
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", label="perfect")
    predicted = [b.predicted for b in curve.bins]
    observed = [b.observed.value or 0.0 for b in curve.bins]
    ends = [b.observed.interval or (0.0, 0.0) for b in curve.bins]
    axes.vlines(predicted, [low for low, _ in ends], [high for _, high in ends], color="C0", alpha=0.6)
    axes.plot(predicted, observed, color="C0", marker="o", label="observed")
    for x, y, b in zip(predicted, observed, curve.bins, strict=True):
        axes.annotate(
            count_text(b.observed.of), (x, y), xytext=(-7 if x > 0.9 else 7, 1), textcoords="offset points",
            ha="right" if x > 0.9 else "left", va="bottom", fontsize="small", color="0.35",
        )  # fmt: skip
    axes.set_xlabel("predicted risk")
    axes.set_ylabel("observed risk, with the number of rows")
    _unit_square(axes)
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

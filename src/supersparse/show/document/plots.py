"""Plots of results and of how a card does; matplotlib is loaded when used."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
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
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import PointsEvaluation, evaluate
from supersparse.problem.problem import Problem
from supersparse.show.document.drawing import drawable, font_names
from supersparse.show.document.evaluation_plots import GREY, draw_decisions, draw_groups, draw_risk_table, draw_roc
from supersparse.table.plain import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

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
        count = _panels(result)
        panels = [ax] if ax is not None else _new_panels(count, (4.8 * count, 4.2))
        match result:
            case Solution():
                draw_solution(result, panels)
            case Pool():
                _draw_ranges(result, panels[0])
                if len(panels) > 1:
                    _draw_cards(result, panels[1])
            case _:
                _on_held_out_rows(result, panels)
        return panels[0]
    draw = {Frontier: _frontier, C0Path: _path, TradeOff: _trade_off, Trace: draw_progress}.get(type(result))
    if draw is None:
        raise InvalidOptionError(
            "plot draws a solution, its trace, a pool, a frontier, its path or a trade-off, "
            f"not {type(result).__name__!r}"
        )
    axes = _new_panels()[0] if ax is None else ax
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


@cache
def _shown_axes() -> "type[Axes]":
    from matplotlib.axes import Axes

    class ShownAxes(Axes):
        """Axes that a notebook shows as their picture; pyplot does not know the figure: no window opens."""

        def _repr_png_(self) -> bytes:
            target = BytesIO()
            self.figure.savefig(target, format="png")  # type: ignore[union-attr]
            return target.getvalue()

    return ShownAxes


def _new_panels(count: int = 1, size: tuple[float, float] | None = None) -> "list[Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return [figure.add_subplot(1, count, k + 1, axes_class=_shown_axes()) for k in range(count)]


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
    """The training rows, with marks that are filled where proven; held-out rows as squares."""
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
        right.plot(thresholds, [r["net_benefit"] for r in rows], "o-", color="C0", label="card for the threshold")
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


def _marks(axes: "Axes", x: Sequence[float], y: Sequence[float], proven: Sequence[bool], colour: str = "C0") -> None:
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
    axes = _new_panels()[0] if ax is None else ax
    draw(result, axes)  # type: ignore[operator]
    axes.spines[["top", "right"]].set_visible(False)
    return axes


_WIDE = 30  # times from the first event to the last, from which seconds stand on a log scale
_MOST_FEATURES = 30  # of a pool
_LONGEST_NAME = 28


def draw_progress(trace: Trace, axes: "Axes", *, proven: bool | None = None) -> None:
    """Draw the objective of the best card and the proven bound over time, to the last moment of the search.

    The mark of the last card is filled if it is `proven`; by default, if its gap is 0.
    """
    _check(trace)
    last = trace.events[-1]
    ended_proven = last.gap == 0 if proven is None else proven
    times = [event.seconds for event in trace.events]
    bounds = [float(event.lower_bound) for event in trace.events]
    axes.step(times, bounds, where="post", color="C0", label="proven lower bound")
    known = [event for event in trace.events if event.objective is not None]
    if known:
        at, best = [e.seconds for e in known], [float(e.objective or 0) for e in known]
        axes.fill_between(
            at, best, [float(e.lower_bound) for e in known], step="post", color="C0", alpha=0.12, linewidth=0
        )
        axes.step(at, best, where="post", color="C1", linestyle="--", label="best card so far")
        incumbents = trace.incumbents
        marks = ["white"] * len(incumbents)
        if marks and ended_proven:
            marks[-1] = "C1"
        heights = [float(e.objective or 0) for e in incumbents]
        axes.scatter([e.seconds for e in incumbents], heights, c=marks, edgecolors="C1", zorder=3)
        axes.set_ylim(-0.02 * max(best), 1.15 * max(*best, 1e-9))
    gap = "no card found" if last.gap is None else f"gap {100 * last.gap:.2g} %"
    axes.plot([], [], " ", label="proven optimal" if ended_proven else f"at the end: {gap}")
    over_time(axes, times)
    axes.set_ylabel("objective F")
    axes.legend(loc="upper right", frameon=False)


def _check(trace: Trace) -> None:
    if not trace.events:
        raise InvalidOptionError(
            "the trace is empty: the solution was not searched for alone",
            "plot the frontier or pool that it comes from, or solve its problem",
        )


def over_time(axes: "Axes", times: list[float]) -> None:
    """Put seconds on the horizontal axis, from the first event to the last moment."""
    first, last = min(t for t in times if t > 0) if any(times) else 0.0, max(times)
    axes.set_xlabel("seconds")
    if first and last > _WIDE * first:
        axes.set_xscale("log")
        axes.set_xlim(first / 1.2, last * 1.2)
    else:
        axes.set_xlim(0, 1.05 * last if last else 1.0)


def draw_solution(solution: Solution, panels: "list[Axes]") -> None:
    """Draw the search of a solution: the bounds, and in more panels errors and size of the best card so far."""
    trace, problem = solution.trace, solution.problem
    _check(trace)
    draw_progress(trace, panels[0], proven=solution.proven_optimal)
    if len(panels) == 1:
        return
    cards = [(e.seconds, evaluate(problem, e.points)) for e in trace.incumbents if e.points is not None]
    cards.append((max(trace.events[-1].seconds, cards[-1][0] if cards else 0), solution.evaluation))
    times = [seconds for seconds, _ in cards]
    for axes, label, values in (
        (panels[1], _loss_label(problem), [_loss(problem, evaluation) for _, evaluation in cards]),
        (panels[2], "features", [float(evaluation.features) for _, evaluation in cards]),
    ):
        axes.step(times, values, where="post", color="C1")
        axes.plot(times[:-1], values[:-1], "o", mfc="white", color="C1")
        axes.set_ylabel(f"{label} of the best card so far")
        top = max(*values, 0.1 if axes is panels[1] and not _counts_errors(problem) else 1)
        axes.set_ylim(-0.03 * top, 1.15 * top)
        over_time(axes, [event.seconds for event in trace.events])
    panels[2].yaxis.set_major_locator(whole_numbers())
    if _counts_errors(problem):
        panels[1].yaxis.set_major_locator(whole_numbers())


def _counts_errors(problem: Problem) -> bool:
    return loss_of(problem).name(problem) == "errors"


def _loss_label(problem: Problem) -> str:
    return "training errors" if _counts_errors(problem) else loss_of(problem).name(problem)


def _loss(problem: Problem, evaluation: PointsEvaluation) -> float:
    return float(evaluation.training_errors if _counts_errors(problem) else evaluation.loss)


def whole_numbers() -> "Locator":
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, min_n_ticks=1)  # else a single number has fractions next to it


def _draw_ranges(pool: Pool, axes: "Axes") -> None:
    """From the smallest to the largest points of each feature, and those of the best card."""
    ranges, best = pool.ranges(), dict(zip(pool.names, pool.models[0].points.values, strict=True))
    users = {name: len(pool.using(name)) for name in pool.names if name in pool.in_some}
    order = sorted(users, key=lambda name: (name not in pool.in_all, -users[name]))
    shown = order[:_MOST_FEATURES]
    for place, name in enumerate(shown):
        low, high = (float(end) for end in ranges[name])
        axes.plot([low, high], [place, place], color="C0", linewidth=5, alpha=0.35, solid_capstyle="round")
    axes.scatter(
        [float(best[name]) for name in shown], range(len(shown)),
        c=["C0" if pool.complete and name in pool.in_all else "white" for name in shown],
        edgecolors="C0", zorder=3,
    )  # fmt: skip
    axes.axvline(0, color="0.2", linewidth=0.8)
    axes.set_yticks(
        range(len(shown)), [_short(name) for name in shown], parse_math=False, fontfamily=list(font_names())
    )
    axes.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    left_out = f"; {counted(len(order) - len(shown), 'rarer feature')} not shown" * (len(order) > len(shown))
    axes.set_xlabel(
        f"points in all good cards; a mark for the best card,\nfilled if all cards use the feature{left_out}"
    )
    if not shown:
        axes.text(0.5, 0.5, "no good card uses a feature", transform=axes.transAxes, ha="center", va="center")


def _draw_cards(pool: Pool, axes: "Axes") -> None:
    """The cards by number of features; the larger the mark, the more cards, filled if none is missing."""
    problem = pool.problem
    places = Counter((model.evaluation.features, _loss(problem, model.evaluation)) for model in pool.models)
    most = max(places.values())
    axes.scatter(
        [size for size, _ in places], [loss for _, loss in places],
        s=[30 + 270 * (count - 1) / max(most - 1, 1) for count in places.values()],
        c="C0" if pool.complete else "none", edgecolors="C0", alpha=0.7,
    )  # fmt: skip
    if _counts_errors(problem):
        for (size, loss), count in places.items():
            axes.annotate(
                str(count), (size, loss), xytext=(11, 0), textcoords="offset points", va="center",
                fontsize="small", color="0.25",
            )  # fmt: skip
        axes.yaxis.set_major_locator(whole_numbers())
    axes.xaxis.set_major_locator(whole_numbers())
    axes.margins(0.15)
    axes.set_xlabel("features")
    axes.set_ylabel(_loss_label(problem))
    more = f" and {pool.left_out} not kept" * (pool.left_out > 0)
    state = "" if pool.complete else ", possibly more"
    axes.set_title(f"{counted(len(pool.models), 'card')}{more}{state}", fontsize="medium")


def _short(name: str) -> str:
    """A name without its middle where it is long: thresholds and indicators differ at the end."""
    text = drawable(visible(name))
    half = _LONGEST_NAME // 2
    return text if len(text) <= _LONGEST_NAME else f"{text[:half]}\u2026{text[-half:]}"

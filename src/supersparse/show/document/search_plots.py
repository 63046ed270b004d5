"""Drawings of a search over time and of a pool of cards; matplotlib is loaded by the caller."""

from collections import Counter
from typing import TYPE_CHECKING

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
from supersparse.engine.answers.pool import Pool
from supersparse.engine.answers.words import loss_name
from supersparse.engine.solution import Solution, Trace
from supersparse.problem.objective import PointsEvaluation, evaluate
from supersparse.problem.problem import Problem
from supersparse.show.document.drawing import drawable, font_names
from supersparse.table.plain import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

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
        found = trace.incumbents
        marks = ["white"] * len(found)
        if marks and ended_proven:
            marks[-1] = "C1"
        heights = [float(e.objective or 0) for e in found]
        axes.scatter([e.seconds for e in found], heights, c=marks, edgecolors="C1", zorder=3)
        axes.set_ylim(-0.02 * max(best), 1.15 * max(*best, 1e-9))
    gap = "no card found" if last.gap is None else f"gap {100 * last.gap:.2g} %"
    axes.plot([], [], " ", label="proven optimal" if ended_proven else f"at the end: {gap}")
    over_time(axes, times)
    axes.set_ylabel("objective F")
    axes.legend(loc="upper right", frameon=False)


def _check(trace: Trace) -> None:
    if not trace.events:
        raise InvalidOptionError(
            "the trace is empty: the solution was not searched for alone; plot the frontier or pool that it "
            "comes from, or solve its problem"
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
    """Draw the search of a solution: the bounds, and beside them what the best card so far did."""
    trace, problem = solution.trace, solution.problem
    _check(trace)
    draw_progress(trace, panels[0], proven=solution.proven_optimal)
    if len(panels) == 1:
        return
    cards = [(e.seconds, evaluate(problem, e.points)) for e in trace.incumbents if e.points is not None]
    cards.append((max(trace.events[-1].seconds, cards[-1][0] if cards else 0), solution.evaluation))
    times = [seconds for seconds, _ in cards]
    for axes, label, values in (
        (panels[1], _loss_label(problem), [_loss(problem, found) for _, found in cards]),
        (panels[2], "features", [float(found.features) for _, found in cards]),
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
    return loss_name(problem) == "errors"


def _loss_label(problem: Problem) -> str:
    return "training errors" if _counts_errors(problem) else loss_name(problem)


def _loss(problem: Problem, found: PointsEvaluation) -> float:
    return float(found.training_errors if _counts_errors(problem) else found.loss)


def whole_numbers() -> "Locator":
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, min_n_ticks=1)  # else a single number has fractions beside it


def draw_pool(pool: Pool, panels: "list[Axes]") -> None:
    """Draw the points that good cards give each feature, and beside it the cards by size and loss."""
    _draw_ranges(pool, panels[0])
    if len(panels) > 1:
        _draw_cards(pool, panels[1])


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

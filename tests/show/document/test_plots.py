"""Pictures of results: what is drawn is what the tables say."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Problem, pool, solve
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.answers.trade_off import trade_off
from supersparse.engine.solution import Trace, TraceEvent
from supersparse.errors import InvalidOptionError
from supersparse.problem.objective import evaluate
from supersparse.show.document.plots import plot

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

X = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1], [2, 0, 1], [1, 1, 1]]
Y = [0, 0, 0, 1, 1, 0, 1]
_random = np.random.default_rng(4)
HARD = _random.integers(0, 5, (80, 8))
HARD_Y = HARD[:, :3].sum(axis=1) + _random.integers(-3, 4, 80) > 6


def test_the_frontier_shows_errors_by_size_and_what_is_proven():
    for limit, filled in [(None, True), (1, False)]:
        found = frontier(Problem.of(X, Y, max_points=2), solver="exhaustive", node_limit=limit)
        axes = plot(found)
        marks = axes.collections[0]
        expected = [(row["size"], row["errors"]) for row in found.table() if row["errors"] is not None]
        assert [tuple(xy) for xy in marks.get_offsets().tolist()] == expected
        assert all((colour[:3].tolist() == [1, 1, 1]) != filled for colour in marks.get_facecolors())
        low, high = axes.get_ylim()
        assert low == 0
        assert high > 1.05 * max(errors for _, errors in expected)  # the highest mark is not cut


@pytest.mark.parametrize(
    ("settings", "label"),
    [({}, "training errors"), ({"class_weight": "balanced"}, "weighted error"), ({"goal": "risk"}, "log loss")],
)
def test_the_axis_names_what_is_least_and_proven(settings, label):
    found = frontier(Problem.of(X, [0, 0, 0, 0, 1, 0, 1], max_points=1, **settings), 2)
    axes = plot(found)
    assert axes.get_ylabel() == label
    heights = [y for _, y in axes.collections[0].get_offsets().tolist()]
    assert heights == [row["errors" if label == "training errors" else "loss"] for row in found.table()]
    assert heights == sorted(heights, reverse=True)
    assert f"with the {label} above" in plot(found.path()).get_ylabel()


def test_the_path_shows_sizes_by_penalty_and_where_they_are_exact():
    path = frontier(Problem.of(X, Y, max_points=2), 1, "exhaustive").path()
    lines = plot(path).lines
    assert [line.get_ydata()[0] for line in lines] == [row["size"] for row in path.table()]
    assert [line.get_linestyle() for line in lines] == ["-" if s.exact else "--" for s in path.stretches]
    only_one = frontier(Problem.of(X, Y, max_points=2), 0, "exhaustive").path()
    assert len(plot(only_one).lines) == len(only_one.stretches)


def test_one_size_has_whole_numbers_beside_it():
    found = frontier(Problem.of(X, Y, max_points=2), 0, "exhaustive")
    assert all(tick == round(tick) for tick in plot(found).get_xticks())
    assert all(tick == round(tick) for tick in plot(found.path()).get_yticks())


def test_axes_are_a_picture_in_a_notebook_and_axes_of_yours_are_as_they_were():
    found = frontier(Problem.of(X, Y, max_points=2), 1, "exhaustive")
    assert plot(found)._repr_png_().startswith(b"\x89PNG")
    own = Figure().subplots()
    assert plot(found, own) is own


def test_the_trade_off_shows_the_rates(tmp_path):
    found = trade_off(Problem.of(X, Y, C0=0.15, max_points=2), solver="exhaustive")
    axes = plot(found)
    expected = [(float(p.specificity), float(p.sensitivity)) for p in found.points]
    assert [tuple(xy) for xy in axes.collections[0].get_offsets().tolist()] == expected
    assert plot(found, axes) is axes
    axes.figure.savefig(tmp_path / "trade-off.png")
    assert (tmp_path / "trade-off.png").stat().st_size > 1000


def test_held_out_rows_are_drawn_beside_the_training_rows():
    problem = Problem.of(X, Y, C0=0.15, max_points=2)
    found = trade_off(
        problem, solver="exhaustive", max_false_positive_rates=[0, 0.3], test=([[0, 0, 1], [1, 1, 1]], [1, 0])
    )
    axes = plot(found)
    (line,) = [line for line in axes.lines if line.get_label() == "held-out rows"]
    drawn = set(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert drawn == {(float(p.test_specificity), float(p.test_sensitivity)) for p in found.points}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["training rows", "held-out rows"]
    assert plot(trade_off(problem, solver="exhaustive")).get_legend() is None


def rising(axes, label):
    """The steps of a line, by the label of its axes."""
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


def test_the_search_is_drawn_to_its_last_moment():
    solution = solve(Problem.of(X, Y, C0=0.15, max_points=2), "exhaustive")
    left, middle, right = plot(solution).figure.axes
    trace = solution.trace
    assert rising(left, "proven lower bound") == [(e.seconds, float(e.lower_bound)) for e in trace.events]
    assert rising(left, "best card so far")[-1] == (solution.seconds, float(solution.objective))
    marks = left.collections[-1]
    assert [tuple(xy) for xy in marks.get_offsets().tolist()] == [
        (e.seconds, float(e.objective)) for e in trace.incumbents
    ]
    assert [colour[:3].tolist() == [1, 1, 1] for colour in marks.get_facecolors()] == [
        *(True for _ in trace.incumbents[1:]), False,
    ]  # fmt: skip
    cards = [evaluate(solution.problem, e.points) for e in trace.incumbents]
    for axes, values in (
        (middle, [float(card.training_errors) for card in cards]),
        (right, [card.features for card in cards]),
    ):
        assert list(axes.lines[0].get_ydata()) == [*values, values[-1]]
        assert axes.lines[0].get_xdata()[-1] == solution.seconds
        assert axes.get_xlim()[1] > solution.seconds
    alone = Figure().subplots()
    assert plot(solution, alone) is alone
    assert plot(trace).get_ylabel() == alone.get_ylabel() == "objective F"


def test_a_search_without_a_proof_ends_with_its_gap():
    for goal in ("errors", "risk"):
        problem = Problem.of(HARD, HARD_Y, C0=0.01, max_points=2, goal=goal)
        solution = solve(problem, node_limit=1)
        assert not solution.proven_optimal
        axes = plot(solution)
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert texts[-1] == f"at the end: gap {100 * solution.gap:.2g} %"
        assert all(colour[:3].tolist() == [1, 1, 1] for colour in axes.collections[-1].get_facecolors())


def test_a_long_search_stands_on_a_log_scale():
    def event(seconds, objective):
        return TraceEvent(seconds=seconds, nodes=0, objective=objective, lower_bound=Fraction(0), points=None)

    long = Trace((event(0.01, None), event(0.02, Fraction(1, 2)), event(60.0, Fraction(1, 2))))
    axes = plot(long)
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[1] > 60
    without_card = plot(Trace((event(0.0, None), event(2.0, None))))
    assert without_card.get_xscale() == "linear"
    assert without_card.get_legend().get_texts()[-1].get_text() == "at the end: no card found"


def test_a_solution_of_a_frontier_has_no_search_of_its_own():
    found = frontier(Problem.of(X, Y, max_points=2), 1, "exhaustive")
    with pytest.raises(InvalidOptionError, match=r"the trace is empty.*plot the frontier"):
        plot(found.model(1))


def test_the_pool_shows_points_and_cards():
    found = pool(Problem.of(X, Y, C0=0.05, max_points=2), within=1, solver="exhaustive")
    left, right = plot(found).figure.axes
    used = [label.get_text() for label in left.get_yticklabels()]
    assert set(used) == found.in_some
    bars = {used[int(line.get_ydata()[0])]: tuple(line.get_xdata()) for line in left.lines[: len(used)]}
    assert bars == {name: tuple(map(float, found.ranges()[name])) for name in used}
    best = dict(zip(found.names, map(float, found.models[0].points.values), strict=True))
    marks = left.collections[0]
    assert [x for x, _ in marks.get_offsets().tolist()] == [best[name] for name in used]
    filled = [colour[:3].tolist() != [1, 1, 1] for colour in marks.get_facecolors()]
    assert filled == [name in found.in_all for name in used]
    places = Counter((m.evaluation.features, float(m.evaluation.training_errors)) for m in found.models)
    assert {tuple(xy) for xy in right.collections[0].get_offsets().tolist()} == set(places)
    assert sorted(int(text.get_text()) for text in right.texts) == sorted(places.values())
    assert right.get_title() == f"{len(found.models)} cards"
    alone = Figure().subplots()
    assert plot(found, alone) is alone


def test_a_pool_that_may_be_incomplete_fills_no_mark():
    found = pool(Problem.of(HARD, HARD_Y, C0=0.01, max_points=1), within=0.1, node_limit=5)
    assert not found.complete
    left, right = plot(found).figure.axes
    assert right.get_title().endswith("possibly more")
    assert len(right.collections[0].get_facecolors()) == 0
    assert all(colour[:3].tolist() == [1, 1, 1] for colour in left.collections[0].get_facecolors())


def test_anything_else_is_refused():
    with pytest.raises(InvalidOptionError, match="not 'Problem'"):
        plot(Problem.of(X, Y))

"""Pictures of results: what is drawn is what the tables say."""

import pytest

from supersparse import Problem
from supersparse.errors import InvalidOptionError
from supersparse.faces.plots import plot
from supersparse.results.frontier import frontier
from supersparse.results.trade_off import trade_off

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

X = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1], [2, 0, 1], [1, 1, 1]]
Y = [0, 0, 0, 1, 1, 0, 1]


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
    [
        ({}, "training errors"),
        ({"class_weight": "balanced"}, "weighted error"),
        ({"goal": "risk"}, "log loss"),
    ],
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


def test_anything_else_is_refused():
    with pytest.raises(InvalidOptionError, match="not 'Problem'"):
        plot(Problem.of(X, Y))

"""Where errors of the classes cost differently, results show the weighted error, which is what is proven."""

from itertools import pairwise

import pytest

from supersparse import Problem, solve
from supersparse.engine.answers.edit import what_if
from supersparse.engine.answers.frontier import frontier

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

# x0 finds both positives and 3 of 8 negatives: 3 errors instead of 2, but a mean cost of 3 · 5/8 / 10
X, Y = [[1]] * 5 + [[0]] * 5, [1, 1] + [0] * 8


def weighted(**settings):
    return Problem.of(X, Y, max_points=1, **({"class_weight": "balanced"} | settings))


def test_a_frontier_shows_the_weighted_error_and_the_errors_as_not_minimised():
    found = frontier(weighted(), solver="exhaustive")
    assert str(found).splitlines() == [
        "size  weighted error  proven  errors (not minimised)  points",
        "   0          0.5000  yes                          2",
        "   1          0.1875  yes                          3  1 x0",
    ]
    assert repr(found) == ("<Frontier: at most 0 to 1 feature, weighted error from 0.5 to 0.1875; all proven>")
    assert repr(found.rows[1]) == "<FrontierRow: at most 1 feature, weighted error 0.1875, proven; 1 x0>"
    html = found._repr_html_()
    assert "weighted error" in html
    assert "errors (not minimised)" in html
    assert {row["minimised"] for row in found.table()} == {"weighted error"}


def test_a_path_shows_the_weighted_error():
    path = frontier(weighted(), solver="exhaustive").path()
    assert str(path).splitlines() == [
        "C0 from 0 to 0.3125: size 1, weighted error 0.1875; exact",
        "C0 from 0.3125: size 0, weighted error 0.5000; exact",
    ]
    assert {row["minimised"] for row in path.table()} == {"weighted error"}
    assert "weighted error" in path._repr_html_()


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"class_weight": None}, "errors"),
        ({"class_weight": {0: 3, 1: 3}}, "errors"),
        ({"class_weight": None, "sample_weight": [2] * 2 + [1] * 8}, "errors"),
        ({"class_weight": None, "objective": "net_benefit", "risk_threshold": 0.2}, "weighted error"),
        ({"class_weight": None, "C1": 0.25}, "error + C1"),
        ({"C1": 0.25}, "weighted error + C1"),
    ],
)
def test_what_is_said_to_be_least_never_rises_with_the_size(settings, what):
    found = frontier(weighted(**settings), solver="exhaustive")
    header, *lines = str(found).splitlines()
    assert header.startswith(f"size  {what}")
    least = [float(line.split()[1]) for line in lines]
    assert all(one >= other for one, other in pairwise(least))


def test_points_that_cost_something_are_part_of_what_is_least():
    # 0.1875 + 0.25 for the one point, against 0.5
    assert "0.4375" in str(frontier(weighted(C1=0.25), solver="exhaustive"))


def test_an_edit_tells_its_price_in_the_weighted_error():
    said = str(what_if(solve(weighted(C0=0.01), "exhaustive"), forbid="x0"))
    assert "Weighted error: 0.1875 -> 0.5 (" in said
    assert "Errors (not minimised): 3 -> 2" in said
    edit = what_if(solve(weighted(C0=0.01), "exhaustive"), forbid="x0")
    assert "weighted error 0.1875 -> 0.5" in repr(edit)
    assert "weighted error" in edit._repr_html_()
    plain = str(what_if(solve(weighted(C0=0.01, class_weight=None), "exhaustive"), force="x0"))
    assert "not minimised" not in plain
    assert "Weighted" not in plain

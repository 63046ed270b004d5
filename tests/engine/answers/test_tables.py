"""Results print their points exactly, however long they are."""

import pytest

from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine.answers.edit import what_if
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.answers.pool import pool
from supersparse.engine.answers.trade_off import trade_off

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

LONG = 1234567


def problem(**settings):
    asked = {"points": [0, LONG], "C0": 0.01, "feature_names": ["a", "b"], **settings}
    return Problem.of([[0, 0], [0, 1], [1, 0], [1, 1]] * 2, [0, 0, 1, 1] * 2, **asked)


def test_every_table_shows_all_digits_of_the_points():
    sizes = frontier(problem(), max_features=1, solver="exhaustive")
    assert f"{LONG} a" in str(sizes)
    rows = [
        sizes.table()[1],
        sizes.path().table()[0],
        pool(problem(), within=0, solver="exhaustive").table()[0],
        trade_off(problem(), ratios=[1], solver="exhaustive").table()[0],
    ]
    assert [row["points"] for row in rows] == [{"a": str(LONG)}] * 4


def test_an_edit_and_constraints_show_all_digits():
    before = solve(problem(), "exhaustive")
    assert f"a {LONG} -> 0" in str(what_if(before, forbid={"a": [LONG]}))
    assert f"a not {LONG}" in str(what_if(before, forbid={"a": [LONG]}))
    assert c.max_total_score(LONG + 0.25).in_words() == f"a total score of at most {LONG}.25"
    assert c.fixed("a", LONG).in_words() == f"a = {LONG}"


def test_errors_of_heavy_rows_show_all_digits():
    heavy = Problem.of([[0], [0]], [0, 1], C0=0.01, sample_weight=[LONG, LONG])
    assert str(frontier(heavy, max_features=0, solver="exhaustive")).endswith(f"0  {LONG}  yes")
    assert f"errors={LONG}, " in repr(solve(heavy, "exhaustive"))

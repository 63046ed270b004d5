"""Exchanges: a literal waits for a better one, and what is left holds a best model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.test_slices import proven
from supersparse import Problem, solve
from supersparse.engine.exact import literals
from supersparse.engine.exact.literals import first_literals
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.integer_form import integer_form

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

LEVELS = [[1], [2], [3], [4]]


def cuts_of(x):
    return [[int(v >= c) for c in (2, 3, 4)] for (v,) in x]


def after(**settings):
    """What the literals of x >= 2, 3, 4 wait for, where only the lowest level and the highest are mixed."""
    X = cuts_of([*LEVELS, [1], [4]])
    return first_literals(integer_form(Problem.of(X, [0, 1, 0, 1, 1, 0], **settings)))


def test_points_move_to_the_next_cut_where_no_row_of_the_class_is_between():
    # level 2 is positive: x >= 3 with + may begin at 2, and x >= 2 with - may wait for 3.
    # level 3 is negative: x >= 3 with + may wait for 4, and x >= 4 with - may begin at 3.
    found = after(max_points=3)
    assert found[0] == found[4] == found[3] == -1
    assert found[2] in (0, 4)  # both are better
    assert found[1] == 3
    assert found[5] == 3


@pytest.mark.parametrize(
    "settings",
    [
        {"points": [-3, -1, 0, 1, 3]},  # -1 and 3 add up to 2, which is not allowed
        {"max_points": 3, "min_features": 2},  # dropping a feature could leave too few
        {"max_points": 3, "C0": [0.1, 0.2, 0.3]},
    ],
)
def test_nothing_waits_where_points_cannot_be_moved(settings):
    assert set(after(**settings)) == {-1}


@pytest.mark.parametrize("few", [False, True], ids=["all", "few at once"])
@pytest.mark.parametrize("unit", [1, 64, 127, 2**14, 2**15, 2**30, 2**31, 2**61, 10**25])
def test_columns_are_compared_by_their_numbers_however_large(unit, few, monkeypatch):
    if few:
        monkeypatch.setattr(literals, "_AT_ONCE", 1)
    random = np.random.default_rng(4)
    X = random.integers(-2, 3, (4, 12)).astype(object) * unit
    X[:, 6:] += random.integers(0, 2, (4, 6))  # of other widths
    assert all(len(set(column)) > 1 for column in X.T)  # constant ones get no points
    found = literals._below(integer_form(Problem.of(X, [0, 1, 0, 1], max_points=3)))
    up, down = X[1::2].T, X[::2].T
    expected = (up[:, None] <= up).all(axis=2) & (down[:, None] >= down).all(axis=2)
    np.fill_diagonal(expected, False)
    assert expected.any()
    assert (found == expected).all()


@st.composite
def cut_columns(draw):
    """Cuts of one or two variables, some turned round, at most four, with most kinds of sets and limits."""
    n = draw(st.integers(4, 10))
    columns = []
    for _ in range(draw(st.integers(1, 2))):
        x = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
        for cut in draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
            turned = draw(st.sampled_from([False, False, True]))
            columns.append([int((v >= cut) != turned) for v in x])
    columns = columns[:4]
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    asked = {
        "points": draw(st.sampled_from([[-1, 0, 1], [-2, -1, 0, 1, 2], [0, 1, 2], [-1, 0, 1, 2], [-2, 0, 1]])),
        "C0": draw(st.sampled_from([0.001, 0.05])),
        "intercept": draw(st.sampled_from(["free", "none", (-1, 1), "paper"])),
        "max_features": draw(st.sampled_from([None, 1, 2, 3])),
    }
    if draw(st.booleans()):
        asked["min_features"] = min(len(columns), asked["max_features"] or 2)
    return Problem.of([list(row) for row in zip(*columns, strict=True)], y, **asked)


@pytest.mark.long
@settings(max_examples=examples(60))
@given(cut_columns())
def test_both_trees_prove_what_exhaustive_search_finds_on_cuts_of_a_variable(problem):
    best = solve(problem, "exhaustive")
    expected = (best.objective, best.evaluation.l1)
    assert proven(problem, PairCovers) == expected
    assert proven(problem, None) == expected

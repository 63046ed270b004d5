"""The exact engine on problems off the paper's ground, the incumbent search on and off."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from conformance.random_problems import draw, fault, no_search
from supersparse import Problem, constraints, integers, solve
from supersparse.errors import InvalidOptionError, PenaltyRangeWarning
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_claims_equal_brute_force(first):
    assert [f for seed in range(first, first + 40) if (f := fault(seed, search=seed % 2 == 1))] == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 100_000, 1000))
def test_claims_equal_brute_force_on_a_hundred_thousand_problems(first):
    assert [f for seed in range(first, first + 1000) if (f := fault(seed, search=seed % 2 == 1))] == []


def test_a_limit_on_the_total_that_64_bits_cannot_hold_keeps_small_points_in_the_search():
    # sixteen digits and points to 50: the limit is left to the evaluator, and with it went the lower half of
    # all vectors, although (2, 4) obeys and costs less than anything in the upper half
    rng = np.random.default_rng(5)
    X = np.round(rng.random((14, 3)), 16)
    X[0], X[1] = 1.0, 0.0
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 0.2, 14) > 1).astype(int)
    asked = [constraints.max_total_score(6)]
    problem = Problem.of(X, y, C0=0.01, max_points=50, max_features=2, constraints=asked)
    with no_search():
        found = solve(problem)
    assert found.proven_optimal
    small = solve(Problem.of(X, y, C0=0.01, max_points=6, max_features=2, constraints=asked), "exhaustive")
    assert found.objective <= small.objective


def test_prices_on_rates_do_not_overflow_with_large_sample_weights():
    X = [[1, 3], [0, 1], [2, 0], [3, 0], [1, 3], [0, 3], [3, 1], [0, 0], [0, 1], [0, 2], [3, 2], [1, 2]]
    y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0]
    w = [3, 1, 10**12, 3, 1, 10**12 + 1, 10**12 - 1, 3, 2 * 10**12, 10**12, 10**12 - 1, 2]
    asked = [constraints.min_sensitivity(0.5), constraints.max_difference("specificity", group="g", at_most=0.999999)]
    problem = Problem.of(
        X, y, C0=0, max_points=5, sample_weight=w, rate_groups={"g": list("bbaaaabaabbb")}, constraints=asked
    )
    for found in (solve(problem), _without_search(problem)):
        assert found.objective == solve(problem, "exhaustive").objective
        assert found.proven_optimal


@pytest.mark.parametrize("intercept", [(0, 0), "none", (-2, 2), "paper"])
def test_a_constant_column_does_what_a_restricted_intercept_cannot(intercept):
    X, y = [[0, 1], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1]
    problem = Problem.of(X, y, C0=0.1, max_points=3, intercept=intercept)
    expected = solve(problem, "exhaustive")
    for found in (solve(problem), _without_search(problem)):
        assert (found.objective, found.proven_optimal) == (expected.objective, True)
    if intercept == (0, 0):
        assert expected.objective == Fraction(1, 5)


def test_levels_that_differ_by_almost_nothing_are_told_apart():
    X, y = [[0, 1], [1, 0], [1, 1], [2, 0], [3, 1], [3, 3]], [0, 0, 1, 1, 0, 1]
    near = Fraction(1, 100) + Fraction(1, 2**60)
    problem = Problem.of(X, y, levels=[([-1, 1], Fraction(1, 100)), ([-3, -2, 2, 3], near)])
    expected = solve(problem, "exhaustive")
    for found in (solve(problem), _without_search(problem)):
        assert found.objective == expected.objective
        assert found.proven_optimal


def test_a_column_that_is_dropped_does_not_make_the_intercept_coarser():
    # the unit is 1/4 because of the first set, so b may be a quarter, whatever becomes of that column
    X = [[0, 0.06], [0, 0.36], [0, 0.10], [0, 0.03], [0, 0.96], [0, 0.74]]
    problem = Problem.of(X, [0, 1, 0, 0, 1, 1], points={"x0": [-2, 0.75], "x1": 3}, C0=0.05, intercept=(-2, 3))
    assert problem.unit == 4
    found = solve(problem)
    assert found.objective == evaluate(problem, Points((0, 4), -1, 4)).objective == Fraction(1, 20)
    assert found.evaluation.l1 == 1


def _without_search(problem):
    with no_search():
        return solve(problem)


def _interrupted(problem, file):
    """Leave a checkpoint of a run that was stopped halfway, and say where the run would have ended."""
    alone = solve(problem)
    solve(problem, checkpoint=file, node_limit=max(1, alone.nodes // 2))
    return alone


def _near_equal():
    rng = np.random.default_rng(1)
    X = rng.integers(1, 6, (80, 5))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=80) > 6).astype(int)
    b = [-100, -99, -98, -97, -96, 0, 96, 97, 98, 99, 100]
    base = {
        "X": X, "y": y, "C0": 0.01, "intercept": "paper", "points": {"*": integers(1), "(intercept)": b},
    }  # fmt: skip
    other_b = [-100, -99, -98, -6, -5, 0, 5, 6, 98, 99, 100]
    last_row, weight = X.copy(), np.ones(80)
    last_row[-1, -1] += 1
    weight[40] = 2
    changes = {
        "a value in the middle of a long set": {"points": {"*": integers(1), "(intercept)": other_b}},
        "C0 in the tenth digit": {"C0": 0.0100000001},
        "one cell": {"X": last_row},
        "one weight": {"sample_weight": weight},
        "the class weights": {"class_weight": {0: 1, 1: 1.0000001}},
        "C1": {"C1": 1e-9},
        "the size": {"max_features": 4},
    }
    return base, changes


def _asked(settings):
    X, y, *_ = settings["X"], settings["y"]
    return Problem.of(X, y, **{k: v for k, v in settings.items() if k not in ("X", "y")})


@pytest.mark.parametrize("what", _near_equal()[1])
def test_a_checkpoint_of_a_near_equal_problem_is_refused(what, tmp_path):
    base, changes = _near_equal()
    file = tmp_path / "stale"
    _interrupted(_asked(base), file)
    assert file.exists()
    with pytest.raises(InvalidOptionError, match="belongs to another problem"):
        solve(_asked(base | changes[what]), checkpoint=file)
    assert file.exists()  # nothing is lost


def test_a_checkpoint_of_the_problem_itself_is_taken_up(tmp_path):
    problem, file = _asked(_near_equal()[0]), tmp_path / "own"
    alone = _interrupted(problem, file)
    resumed = solve(problem, checkpoint=file)
    assert (resumed.objective, resumed.proven_optimal) == (alone.objective, True)


@pytest.mark.parametrize("largest", [10**6, 10**7, 10**15])
def test_points_to_any_size_are_an_interval(largest):
    X = [[1, 2], [2, 1], [0, 3], [4, 1], [2, 2], [5, 0], [3, 3]]
    y = [0, 1, 0, 1, 0, 1, 1]
    wide, narrow = (solve(Problem.of(X, y, C0=0.05, max_points=m), node_limit=20_000) for m in (largest, 8))
    assert wide.objective == narrow.objective
    assert wide.proven_smallest
    assert wide.evaluation.l1 == narrow.evaluation.l1


def test_the_draws_reach_what_they_are_meant_to_reach():
    drawn = [draw(seed) for seed in range(400)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)
        assert {str(d.intercept) for d in drawn} >= {"free", "none", "paper", "(0, 0)", "(-2, 3)"}
    assert any(d.weights and max(d.weights) > 10**14 for d in drawn)
    assert any(len({row[0] for row in d.X}) == 1 for d in drawn)
    assert any(len(d.sets) > 1 and [r[0] for r in d.X] == [r[1] for r in d.X] for d in drawn)
    assert {kind for d in drawn for kind, *_ in d.asked} >= {"max_total_score", "max_difference", "must_use"}
    assert any(d.levels for d in drawn)
    assert replace(drawn[0]) == draw(0)

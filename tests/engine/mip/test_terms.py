from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from strategies import cases
from supersparse import constraints
from supersparse.engine.mip.terms import read_terms, score_range
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem


def terms_of(points, **options):
    X = [[0], [1], [2]]
    return read_terms(Problem.of(X, [0, 1, 1], points=points, intercept="none", **options))


@pytest.mark.parametrize(
    ("values", "step", "offset", "bounds"),
    [
        ([-3, -2, -1, 0, 1, 2, 3], 1, 0, (-3, 3)),
        ([0, 10, 20], 10, 0, (0, 2)),
        ([5], 5, 0, (0, 1)),
        ([-0.5, 0, 0.5], 1, 0, (-1, 1)),  # in the unit 1/2
    ],
)
def test_equally_spaced_values_become_one_integer(values, step, offset, bounds):
    (term,) = terms_of(values)
    assert term.is_progression
    assert (term.step, term.offset, term.bounds) == (step, offset, bounds)


def test_other_sets_are_kept_as_they_are_and_share_their_divisor():
    (term,) = terms_of([-20, 0, 10, 40])
    assert not term.is_progression
    assert (term.step, term.offset, term.bounds) == (10, 0, (-2, 4))


def test_required_values_without_0_between_two_neighbours_have_an_offset():
    (term,) = terms_of([-1, 1], constraints=[constraints.must_use("x0")])
    assert term.is_progression
    assert (term.step, term.offset, term.bounds) == (2, 1, (-1, 0))  # c = 1 + 2k


def test_a_required_feature_is_forced():
    assert terms_of([1, 2], constraints=[constraints.must_use("x0")])[0].is_forced
    assert not terms_of([1, 2])[0].is_forced
    wide = terms_of(range(-20, 21), constraints=[constraints.must_use("x0")])[0]
    assert (wide.is_forced, wide.is_progression, len(wide.values)) == (True, False, 40)


def test_a_set_of_too_many_scattered_values_is_left_to_the_exact_solver():
    with pytest.raises(UnsupportedProblemError, match="one binary per value, over 10000; use solver='exact'"):
        terms_of(range(-(10**6), 10**6 + 1), constraints=[constraints.must_use("x0")])


def test_a_size_limit_narrows_the_scores():
    problem = Problem.of([[1, 1, 1], [0, 0, 1]], [1, 0], max_points=2, intercept="none", max_features=1)
    least, greatest = score_range(read_terms(problem), problem.max_features)
    assert least.tolist() == [-2, -2]  # one coefficient of -2, not three
    assert greatest.tolist() == [2, 2]


def test_forced_features_take_their_place_under_a_size_limit():
    sets = {"a": [2, 3], "b": [-1, 0, 1], "c": [-5, 0, 5]}
    problem = Problem.of(
        [[1, 1, 1], [1, 0, 2]],
        [1, 0],
        feature_names=list("abc"),
        points=sets,
        intercept="none",
        max_features=2,
        constraints=[constraints.must_use("a")],
    )
    least, greatest = score_range(read_terms(problem), problem.max_features)
    assert least.tolist() == [2 - 5, 2 - 10]
    assert greatest.tolist() == [3 + 5, 3 + 10]


def test_scores_beyond_64_bits_are_python_integers():
    problem = Problem.of([[1e17], [3e17]], [0, 1], max_points=1000, intercept="none")
    _, greatest = score_range(read_terms(problem), None)
    assert greatest.tolist() == [10**20, 3 * 10**20]


def test_a_column_beyond_64_bits_that_is_not_used_scores_0():
    asked = [constraints.must_not_use("x0")]
    problem = Problem.of([[1e15], [1e-9], [0.1]], [0, 1, 1], constraints=asked, intercept="none")
    least, greatest = score_range(read_terms(problem), None)
    assert least.tolist() == greatest.tolist() == [0, 0, 0]


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(case=cases())
def test_no_useful_intercept_is_left_out(case):
    """With b one beyond the ends every model predicts what it predicts at the end."""
    problem = case.problem
    if problem.intercept.mode != "free":
        return
    term = read_terms(problem)[-1]
    useful, unit = term.values, Fraction(int(term.column[0]), problem.score_step)
    rng = np.random.default_rng(0)
    for _ in range(20):
        coefficients = tuple(int(rng.choice(s.values) * problem.unit) for s in problem.sets)
        if problem.max_features is not None and sum(map(bool, coefficients)) > problem.max_features:
            continue
        for inside, outside in ((useful[0], useful[0] - 1), (useful[-1], useful[-1] + 7)):
            losses = [
                evaluate(problem, Points(coefficients, (b + Fraction(1, 2)) * unit, problem.unit)).loss
                for b in (inside, outside)
            ]
            assert losses[0] == losses[1]


def test_the_free_intercept_reaches_just_far_enough():
    # scores lie in -3..3: b = 3, half a point more, makes every positive row right, b = -4 every negative one
    problem = Problem.of([[1], [-1]], [1, 0], max_points=3)
    assert list(read_terms(problem)[-1].values) == list(range(-4, 4))


def test_an_intercept_range_out_of_reach_keeps_one_value():
    problem = Problem.of([[1], [-1]], [1, 0], max_points=3, intercept=(100, 200))
    assert list(read_terms(problem)[-1].values) == [100]

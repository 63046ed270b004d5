"""Exhaustive search under levels and constraints, against trying everything in plain Python."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from problem.reference import data, slow_best, slow_broken
from strategies import LEVELS, ConstrainedCase, constrained_cases, constrained_problems
from supersparse import constraints as c
from supersparse.engine.solve import solve, solve_all_within, solve_each_size
from supersparse.errors import InfeasibleError, SolverFailedError
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
slowly = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))


@slowly
@given(constrained_problems())
def test_the_best_model_is_that_of_trying_everything(case: ConstrainedCase):
    problem = case.problem
    best = slow_best(case, problem.unit)
    if best is None:
        with pytest.raises(InfeasibleError, match="no scoring system satisfies"):
            solve(problem, "exhaustive")
        return
    found = solve(problem, "exhaustive")
    assert (found.objective, found.evaluation.l1) == best
    assert not slow_broken(case, found.points.values, found.points.intercept_value)
    assert found.proven_smallest


@slowly
@given(constrained_cases())
def test_what_is_infeasible_at_once_is_infeasible(case: ConstrainedCase):
    try:
        problem = case.problem
    except InfeasibleError:
        assert slow_best(case, 2) is None
    else:
        assert len(problem.asked) >= len(set(case.asked))


@slowly
@given(constrained_problems())
def test_the_three_questions_agree(case: ConstrainedCase):
    problem = case.problem
    try:
        best = solve(problem, "exhaustive")
    except InfeasibleError:
        for question in (solve_each_size, solve_all_within):
            with pytest.raises(InfeasibleError, match="no scoring system satisfies all constraints"):
                question(problem, solver="exhaustive")
        return
    per_size = solve_each_size(problem, "exhaustive")
    assert min(m.evaluation.objective for m in per_size.models) == best.objective
    pool = solve_all_within(problem, Fraction(1, 5), "exhaustive")
    assert best.points.coefficients in {m.points.coefficients for m in pool.models}
    assert {m.evaluation.objective for m in pool.models if m.evaluation.objective < best.objective} == set()


@settings(max_examples=examples(25))
@given(
    data(value=st.integers(-2, 2), most_rows=6, most_features=2),
    st.sampled_from(["free", "paper", "none", (-1, 2)]),
    st.sampled_from(["auto", 0.01]),
    st.sampled_from([0.01, 0.1, 0.25]),
)
def test_levels_zero_at_0_and_the_rest_at_c0_are_exactly_slim(case, intercept, C1, C0):
    X, y = case
    slim = Problem.of(X, y, C0=C0, C1=C1, points=[-2, -1, 0, 1, 2], intercept=intercept)
    for levels in ([([0], 0), ([-2, -1, 1, 2], C0)], [([-2, -1, 1, 2], C0)]):
        levelled = Problem.of(X, y, levels=levels, C1=C1, intercept=intercept)
        assert levelled.sets == slim.sets
        assert solve(levelled, "exhaustive").points == solve(slim, "exhaustive").points
        one, other = (solve_all_within(levelled, 10**6, "exhaustive"), solve_all_within(slim, 10**6, "exhaustive"))
        assert [(m.points, m.evaluation) for m in one.models] == [(m.points, m.evaluation) for m in other.models]


@settings(max_examples=examples(40))
@given(data(value=st.integers(-2, 2), most_rows=6, most_features=2), LEVELS)
def test_a_value_of_a_costlier_level_is_used_only_for_a_gain_of_more_than_the_difference(case, levels):
    """At an optimum, no model that differs in one value only, from a cheaper level, is within the difference.

    With loss(λ) = the least loss over b: where λ_j lies in level r, every λ' equal to λ but for λ'_j in
    a level q < r has loss(λ') - loss(λ) >= C_r - C_q, and if they are equal, no smaller l1.
    """
    X, y = case
    problem = Problem.of(X, y, levels=list(levels))
    best = solve(problem, "exhaustive")
    for j, own in enumerate(problem.levels):
        here = best.points.coefficients
        price = own.penalty(best.points.values[j])
        for value in problem.sets[j].values:
            cheaper = price - own.penalty(value)
            swapped = (*here[:j], int(value * problem.unit), *here[j + 1 :])
            other = evaluate(problem, with_best_intercept(problem, swapped))
            if cheaper > 0:
                assert other.loss - best.evaluation.loss >= cheaper
                if other.loss - best.evaluation.loss == cheaper:
                    assert other.l1 >= best.evaluation.l1


def test_a_costlier_value_is_worth_its_level_only_with_enough_rows():
    # with no intercept 2·a > b is right everywhere; a > b is wrong of the row (1, 1), one of six
    X, y = [[0, 1], [0, 2], [1, 1], [1, 0], [2, 1], [2, 0]], [0, 0, 1, 1, 1, 1]
    for step, coefficient in [(Fraction(1, 7), 2), (Fraction(1, 5), 1)]:
        levels = {"x0": [([0], 0), ([1], Fraction(1, 50)), ([2], Fraction(1, 50) + step)]}
        asked = {"levels": levels, "points": {"x1": [-1]}, "C0": {"x1": 0}, "intercept": "none"}
        found = solve(Problem.of(X, y, **asked, constraints=[c.must_use("x1")]), "exhaustive")
        assert found.points.coefficients == (coefficient, -1)


def test_a_sensitivity_asked_for_is_paid_with_specificity():
    X, y = [[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1]
    free = solve(Problem.of(X, y, C0=0.1, max_points=2, class_weight={0: 3}), "exhaustive")
    assert (free.evaluation.sensitivity, free.evaluation.specificity) == (Fraction(1, 2), 1)
    asked = [c.min_sensitivity(1), c.min_specificity(0.6)]
    bound = solve(Problem.of(X, y, C0=0.1, max_points=2, class_weight={0: 3}, constraints=asked), "exhaustive")
    assert (bound.evaluation.sensitivity, bound.evaluation.specificity) == (1, Fraction(2, 3))
    assert bound.points.coefficients == (1,)
    assert bound.points.intercept == Fraction(-3, 2)


def test_what_only_search_finds_infeasible_is_named_in_words():
    problem = Problem.of([[1], [1], [0]], [0, 1, 0], max_points=2, constraints=[c.max_error(0.1)])
    with pytest.raises(InfeasibleError, match=r"satisfies all constraints \('error of at most 0.1'\)"):
        solve(problem, "exhaustive")


def test_a_limit_reached_before_any_allowed_model_is_an_error_and_not_a_model():
    problem = Problem.of([[0], [1]], [0, 1], max_points=2, constraints=[c.min_sensitivity(1), c.at_least(1, of="x0")])
    assert evaluate(problem, solve(problem, "exhaustive").points).sensitivity == 1
    with pytest.raises(SolverFailedError, match=r"before it found a scoring system: the node limit"):
        solve(problem, "exhaustive", node_limit=1)
    assert not solve_each_size(problem, "exhaustive", node_limit=1).models
    assert not solve_all_within(problem, solver="exhaustive", node_limit=1).complete

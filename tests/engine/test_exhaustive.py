"""Exhaustive search, the oracle: small cases checked by hand, and the facts of the paper."""

from fractions import Fraction
from itertools import combinations, product
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from problem.reference import data, small_problems
from supersparse import constraints
from supersparse.engine.solve import solve, solve_all_within, solve_each_size
from supersparse.engine.verify import bounds_by_size, check_points
from supersparse.errors import InvalidOptionError, UnsupportedProblemError, VerificationError
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def test_the_footnotes_two_points_have_exactly_two_optima():
    problem = Problem.of([[-1, 1], [1, -1]], [1, -1], C0=0.5, max_points=3, intercept="none")
    pool = solve_all_within(problem, 0, "exhaustive")
    smallest = min(m.evaluation.l1 for m in pool.models)
    best = {m.points.coefficients for m in pool.models if m.evaluation.l1 == smallest}
    assert best == {(-1, 0), (0, 1)}
    assert solve(problem, "exhaustive").points.coefficients in best


@settings(max_examples=examples(20))
@given(data(value=st.integers(-2, 2), most_rows=5, most_features=2))
def test_no_dropped_features_would_have_gained_more_than_their_penalty(case):
    X, y = case
    C0 = Fraction(1, 5)
    best = solve(Problem.of(X, y, C0=C0, points=1), "exhaustive")
    for k in (1, 2):
        for added in combinations(range(len(X[0])), k):
            free = {f"x{j}": C0 if j not in added else 0 for j in range(len(X[0]))}
            gain = best.objective - solve(Problem.of(X, y, C0=free, points=1), "exhaustive").objective
            assert gain <= k * C0


@settings(max_examples=examples(30))
@given(data(value=st.integers(-3, 3), most_rows=6, most_features=2), st.sampled_from(["free", "paper", "none"]))
def test_coefficients_and_intercept_are_coprime_at_the_optimum(case, intercept):
    X, y = case
    found = solve(Problem.of(X, y, C0=0.01, max_points=4, intercept=intercept), "exhaustive").points
    numbers = found.coefficients if intercept == "free" else (*found.coefficients, found.intercept)
    assert gcd(*numbers) in (0, 1)


@settings(max_examples=examples(30))
@given(small_problems())
def test_the_three_questions_agree(problem):
    best = solve(problem, "exhaustive")
    per_size = solve_each_size(problem, "exhaustive")
    assert per_size.complete
    assert min(m.evaluation.objective for m in per_size.models) == best.objective
    sizes = [m.evaluation.size for m in per_size.models]
    assert sizes == sorted(set(sizes))
    pool = solve_all_within(problem, Fraction(1, 10), "exhaustive")
    assert pool.complete
    assert best.points.coefficients in {m.points.coefficients for m in pool.models}
    assert all(m.evaluation.objective <= best.objective * Fraction(11, 10) for m in pool.models)


@settings(max_examples=examples(30))
@given(small_problems())
def test_each_size_has_its_least_objective_also_where_the_intercept_counts(problem):
    per_size = {m.evaluation.size: m.evaluation for m in solve_each_size(problem, "exhaustive").models}
    unit = problem.unit
    values = [[int(v * unit) for v in s.values] for s in problem.sets]
    allowed = problem.intercept.allowed
    for coefficients in product(*values):
        tried = range(-9 * unit, 9 * unit + 1) if allowed is None else [int(v * unit) for v in allowed.values]
        halves = [Fraction(b, 2) for b in range(-18 * unit, 18 * unit + 1)]
        for b in halves if problem.intercept.mode == "free" else tried:
            model = Points(coefficients, b, unit)
            try:
                check_points(problem, model, "the test")
            except VerificationError:
                continue
            found = evaluate(problem, model)
            best = per_size[found.size]
            assert (best.objective, best.l1) <= (found.objective, found.l1)


def test_bounds_by_size_are_the_objectives_where_all_is_proven_and_none_where_nothing_is_allowed():
    required = [constraints.must_use(["x0", "x1"])]
    problem = Problem.of([[0, 1], [1, 0], [1, 1]], [0, 1, 1], C0=0.1, points=[1, 2], constraints=required)
    found = solve_each_size(problem, "exhaustive")
    assert found.bounds == (None, None, found.models[0].evaluation.objective)
    assert found.smallest == {2}
    assert solve_each_size(problem, "exhaustive", node_limit=2).bounds == (0, 0, 0)


def test_a_bound_that_a_model_refutes_is_not_believed():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.1, max_points=3)
    models = solve_each_size(problem, "exhaustive").models
    for wrong in [(Fraction(1),), (None,)]:
        with pytest.raises(VerificationError, match="no model of size 0 costs less"):
            bounds_by_size(models, wrong, complete=True, sizes=2, solver="liar")


def test_a_limit_leaves_the_answer_incomplete_and_says_so():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.1, max_points=3)
    assert not solve_each_size(problem, "exhaustive", node_limit=2).complete
    assert not solve_all_within(problem, solver="exhaustive", node_limit=2).complete


def test_questions_with_many_answers_go_to_the_exact_solver_unless_another_is_named():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.1, max_points=3)
    assert solve_each_size(problem).solver == solve_all_within(problem).solver == "exact"
    assert solve_all_within(problem, solver="exhaustive").solver == "exhaustive"


def test_a_solver_is_refused_a_question_it_does_not_answer():
    problem = Problem.of([[0], [1], [1]], [0, 1, 1], C0=0.1, max_points=3)
    with pytest.raises(UnsupportedProblemError, match="the best model of each size"):
        solve_each_size(problem, "highs")
    with pytest.raises(UnsupportedProblemError, match="all models within"):
        solve_all_within(problem, 0.1, "highs")
    with pytest.raises(InvalidOptionError, match="negative"):
        solve_all_within(problem, -0.1)


def test_the_size_limit_is_obeyed_with_and_without_the_intercept_in_it():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]], [0, 0, 0, 1, 1]  # x0 + x1 > 1
    free = solve(Problem.of(X, y, C0=0, max_points=2, max_features=1), "exhaustive")
    assert free.evaluation.features == 1
    paper = solve(Problem.of(X, y, C0=0, max_points=2, max_features=1, intercept="paper"), "exhaustive")
    assert paper.evaluation.size == 1


def test_ties_in_the_objective_go_to_the_smallest_l1_then_to_the_first_in_a_fixed_order():
    # both columns separate the classes; so does either sign of neither: +1 comes after -1 only by value
    problem = Problem.of([[0, 2], [2, 0]], [0, 1], C0=0.3, max_points=3)
    assert solve(problem, "exhaustive").points == Points((0, -1), Fraction(1, 2))

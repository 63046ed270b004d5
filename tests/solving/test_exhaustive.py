"""Exhaustive search, the oracle: small cases checked by hand, and the facts of the paper."""

from fractions import Fraction
from itertools import combinations
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problem.reference import data, small_problems
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.exhaustive import ExhaustiveSolver
from supersparse.solving.solve import solve

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def test_the_footnotes_two_points_have_exactly_two_optima():
    problem = Problem.of([[-1, 1], [1, -1]], [1, -1], C0=0.5, max_coef=3, intercept="none")
    pool = ExhaustiveSolver().all_within(problem, Fraction(0))
    smallest = min(evaluate(problem, p).l1 for p in pool.models)
    best = {p.coefficients for p in pool.models if evaluate(problem, p).l1 == smallest}
    assert best == {(-1, 0), (0, 1)}
    assert solve(problem, "exhaustive").points.coefficients in best


@settings(max_examples=20)
@given(data(value=st.integers(-2, 2), most_rows=5, most_features=2))
def test_no_dropped_features_would_have_gained_more_than_their_penalty(case):
    X, y = case
    C0 = Fraction(1, 5)
    best = solve(Problem.of(X, y, C0=C0, coef_set=1), "exhaustive")
    for k in (1, 2):
        for added in combinations(range(len(X[0])), k):
            free = {f"x{j}": C0 if j not in added else 0 for j in range(len(X[0]))}
            gain = best.objective - solve(Problem.of(X, y, C0=free, coef_set=1), "exhaustive").objective
            assert gain <= k * C0


@settings(max_examples=30)
@given(
    data(value=st.integers(-3, 3), most_rows=6, most_features=2), st.sampled_from(["free", "paper", "none"])
)
def test_coefficients_and_intercept_are_coprime_at_the_optimum(case, intercept):
    X, y = case
    found = solve(Problem.of(X, y, C0=0.01, max_coef=4, intercept=intercept), "exhaustive").points
    assert gcd(*found.coefficients, found.intercept) in (0, 1)


@settings(max_examples=30)
@given(small_problems())
def test_the_three_questions_agree(problem):
    solver = ExhaustiveSolver()
    best = solve(problem, "exhaustive")
    per_size = solver.best_per_size(problem)
    assert min(evaluate(problem, p).objective for p in per_size.values()) == best.objective
    assert all(evaluate(problem, p).size == size for size, p in per_size.items())
    pool = solver.all_within(problem, Fraction(1, 10))
    assert pool.complete
    assert best.points.coefficients in {p.coefficients for p in pool.models}
    assert all(evaluate(problem, p).objective <= best.objective * Fraction(11, 10) for p in pool.models)


def test_the_size_limit_is_obeyed_with_and_without_the_intercept_in_it():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]], [0, 0, 0, 1, 1]  # x0 + x1 > 1
    free = solve(Problem.of(X, y, C0=0, max_coef=2, max_features=1), "exhaustive")
    assert free.evaluation.features == 1
    paper = solve(Problem.of(X, y, C0=0, max_coef=2, max_features=1, intercept="paper"), "exhaustive")
    assert paper.evaluation.size == 1


def test_ties_in_the_objective_go_to_the_smallest_l1_then_to_the_first_in_a_fixed_order():
    # both columns separate the classes; so does either sign of neither: +1 comes after -1 only by value
    problem = Problem.of([[0, 2], [2, 0]], [0, 1], C0=0.3, max_coef=3)
    assert solve(problem, "exhaustive").points == Points((0, -1), 1)

"""The one evaluator, against a slow one written from the definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problem.reference import data, decimal, slow_objective, values
from supersparse import constraints
from supersparse.problem.near_totals import integer_totals
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem

SETS = [[-2, -1, 0, 1, 2], [0, 0.5, -0.1], [0, 1e-3, 900], [0, 3], [0, Fraction(1, 3)], [0, 1e300]]


@st.composite
def settings_and_points(draw):
    X, y = draw(data())
    allowed = CoefficientSet.of(draw(st.sampled_from(SETS)))
    weight = st.one_of(st.sampled_from([1, 2, 0.5]), st.floats(1e-300, 1e300))
    weights = draw(st.one_of(st.none(), st.lists(weight, min_size=len(y), max_size=len(y))))
    class_weight = draw(st.sampled_from([None, "balanced", (0.1, 3)]))
    C1 = draw(st.sampled_from(["auto", 0.003]))
    intercept = draw(st.sampled_from(["free", "none", (-3, 4), "paper"]))
    coefficients = [draw(st.sampled_from(allowed.values)) for _ in X[0]]
    b = draw(st.integers(-4, 4))
    if intercept == "paper":
        b = draw(st.sampled_from(allowed.values))
    elif intercept == "free":
        b = draw(st.fractions(-4, 4, max_denominator=20))
    return X, y, allowed, weights, class_weight, C1, intercept, coefficients, b


@given(settings_and_points())
def test_the_evaluator_equals_the_definition(case):
    X, y, allowed, weights, class_weight, C1, intercept, coefficients, b = case
    problem = Problem.of(
        X, y, C0=0.07, C1=C1, points=allowed, intercept=intercept, sample_weight=weights,
        class_weight=dict(zip([False, True], class_weight, strict=True)) if isinstance(class_weight, tuple)
        else class_weight,
    )  # fmt: skip
    points = Points(tuple(int(c * 30000) for c in coefficients), b * 30000, 30000)
    if isinstance(class_weight, tuple):
        class_weight = tuple(decimal(w) for w in class_weight)
    expected = slow_objective(
        X, y, coefficients, b, C0=0.07, C1=0 if C1 == "auto" else C1, weights=weights,
        class_weight=class_weight, penalised=intercept == "paper",
    )  # fmt: skip
    assert evaluate(problem, points).objective == expected


def test_a_score_of_exactly_zero_is_an_error_for_both_classes_but_predicts_the_negative():
    # 3·0.1 - 0.3 is 5.6e-17 in floating point and 0 in decimals
    problem = Problem.of([[0.1, 0.3], [0.1, 0.3], [1, 0]], [0, 1, 1], points=[-1, 0, 3])
    found = evaluate(problem, Points((3, -1), 0))
    assert (found.wrong_positive, found.wrong_negative, found.zero_negative) == (1, 1, 1)
    assert (found.training_errors, found.predicted_errors) == (2, 1)
    assert found.loss == Fraction(2, 3)


def test_errors_are_counted_in_sample_weight_and_costed_in_class_weight():
    problem = Problem.of([[0], [1]], [0, 1], sample_weight=[0.5, 1.5], class_weight={1: 10}, C0=0)
    found = evaluate(problem, Points((0,), 0))
    assert (found.wrong_negative, found.wrong_positive) == (Fraction(1, 2), Fraction(3, 2))
    assert found.loss == (Fraction(1, 2) + 10 * Fraction(3, 2)) / 2


def test_the_size_counts_the_intercept_only_as_the_paper_does():
    for intercept, size, l1 in [("free", 1, 2), ("paper", 2, 5)]:
        problem = Problem.of([[0, 1], [1, 0]], [0, 1], C0=0.1, intercept=intercept)
        found = evaluate(problem, Points((2, 0), -3))
        assert (found.size, found.features, found.l1) == (size, 1, l1)


def test_many_long_weights_do_not_overflow():
    # 2000 weights of 16 digits: each fits 64 bits, their sum does not
    weights = np.full(2000, 0.9876543210987654)
    weights[0] = 0.1234567890123457
    problem = Problem.of(np.arange(2000).reshape(-1, 1), np.arange(2000) % 2, sample_weight=weights)
    assert problem.rows.weights.dtype == np.int64
    assert evaluate(problem, Points((0,), 0)).loss == 1
    assert evaluate(problem, with_best_intercept(problem, [0])).training_errors < decimal(0.9876543210987654) * 1000


@pytest.mark.parametrize("X", [[[1e-20], [1.0]], [[5e-324], [1e308]], [[0.1234567890123457], [12345678.0]]])
def test_columns_of_any_scale_take_any_coefficients(X):
    problem = Problem.of(X, [0, 1], max_points=3)
    for coefficient in (-3, 0, 3):
        totals = integer_totals(problem, [coefficient])
        assert [Fraction(int(t), problem.score_step) for t in totals] == [decimal(x) * coefficient for (x,) in X]
        with_best_intercept(problem, [coefficient])


def test_a_forced_column_of_zeros_beside_a_long_one_does_not_overflow():
    problem = Problem.of(
        [[0, 1e-25], [0, 1.0]], [0, 1], points={"x0": [7], "x1": [0, 1]}, constraints=[constraints.must_use("x0")]
    )
    assert with_best_intercept(problem, [7, 0]).coefficients == (7, 0)


@given(data(value=values, most_features=2), st.sampled_from(["free", "none", (-3, 4), "paper"]))
def test_the_best_intercept_is_the_best_over_the_whole_problem(case, intercept):
    X, y = case
    problem = Problem.of(X, y, points=[-2, -1, 0, 1], intercept=intercept, C0=0.3)
    coefficients = [1, -2][: len(X[0])]
    chosen = evaluate(problem, with_best_intercept(problem, coefficients)).objective
    halves = [Fraction(b, 2) for b in range(-120, 121)]
    tried = {"none": [0], "paper": [-2, -1, 0, 1], (-3, 4): range(-3, 5)}.get(intercept, halves)
    assert chosen <= min(evaluate(problem, Points(tuple(coefficients), b)).objective for b in tried)

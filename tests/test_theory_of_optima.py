"""How large optimal cards and rounded coefficients can be, against enumeration of every card."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strategies import cases
from supersparse import Problem, constraints, solve
from supersparse.errors import InfeasibleError, InvalidOptionError
from supersparse.problem.objective import evaluate, violated
from supersparse.problem.points import Points
from supersparse.problem.variants import unavoidable_loss
from supersparse.theory import Form, bounds, generalization_bound, rounded_points, size_limit, size_limit_of_any_rows

# The size of optima


def intercepts(problem, coefficients):
    """Enough values of b: every place of a free threshold, every allowed value of another."""
    rule = problem.intercept
    if rule.mode == "none":
        return [Fraction(0)]
    if rule.mode == "paper":
        return list(rule.allowed)
    if rule.mode == "range":
        q = problem.unit
        return [Fraction(v, q) for v in range(math.ceil(rule.low * q), math.floor(rule.high * q) + 1)]
    columns = [[Fraction(int(v), s) for v in c] for c, s in zip(problem.rows.columns, problem.rows.scales, strict=True)]
    totals = sorted({sum(map(lambda c, x: c * x, coefficients, row)) for row in zip(*columns, strict=True)})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(totals)]
    return [-t for t in (totals[0] - 1, *middles, totals[-1] + 1)]


def cards(problem):
    """Every card that the problem allows, with its evaluation."""
    for values in itertools.product(*problem.sets):
        for b in intercepts(problem, values):
            points = Points(tuple(int(v * problem.unit) for v in values), b * problem.unit, problem.unit)
            if not violated(problem, points):
                yield points, evaluate(problem, points)


@settings(max_examples=25, deadline=None)
@given(cases(), st.sampled_from([None, 0.15, 0.25, 0.5, 1.0]))
def test_no_optimum_is_larger_than_its_limits(case, price):
    try:
        problem = (case if price is None else replace(case, C0=price)).problem
    except InfeasibleError:
        assume(False)
    assume(math.prod(map(len, problem.sets)) <= 30)
    found = list(cards(problem))
    assume(found)
    least = min(evaluation.objective for _, evaluation in found)
    size = max(evaluation.size for _, evaluation in found if evaluation.objective == least)
    best = next(points for points, evaluation in found if evaluation.objective == least)
    assert size <= size_limit(problem, known=best)
    if all(0 in own for own in problem.sets):
        try:
            assert size <= size_limit(problem)
        except InvalidOptionError:
            assert case.intercept == "paper"  # b is limited
    of_any = size_limit_of_any_rows(problem)
    assert of_any is None or size <= of_any
    assert unavoidable_loss(problem) <= min(evaluation.loss for _, evaluation in found)


def blocks(k, **settings):
    """Rows in k blocks; feature j tells the classes apart in block j and is 0 elsewhere."""
    X = [[sign * (j == block) for j in range(k)] for block in range(k) for sign in (-1, 1)]
    return Problem.of(X, [0, 1] * k, max_points=1, **settings)


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(("intercept", "share"), [("free", Fraction(1, 2)), ("none", Fraction(1))])
def test_the_limits_are_attained(k, intercept, share):
    problem = blocks(k, intercept=intercept, C0=share / k)
    assert size_limit(problem) == size_limit_of_any_rows(problem) == k
    everything = evaluate(problem, Points((1,) * k, 0))
    assert everything.objective == solve(problem, "exhaustive").objective == share
    dearer = blocks(k, intercept=intercept, C0=share / k + Fraction(1, 1000))
    assert size_limit(dearer) == size_limit_of_any_rows(dearer) == k - 1


def test_the_limit_of_these_rows_is_sharper_than_that_of_any_rows():
    # one positive row in ten, and two equal rows of both classes: K = 1/10, B = 1/10
    X = [[i % 3, i % 2] for i in range(8)] + [[2, 2], [2, 2]]
    problem = Problem.of(X, [0] * 9 + [1], C0=0.04)
    assert size_limit(problem) == 0
    assert size_limit_of_any_rows(problem) == 2  # of 2 features
    assert size_limit(Problem.of(X[1:], [0] * 7 + [0, 1], C0=0.04)) == 0
    apart = Problem.of([*X[:8], [2, 2], [3, 2]], [0] * 9 + [1], C0=0.04)
    assert size_limit(apart) == 2  # 2·0.04 < 1/10


def test_a_known_card_makes_the_limit_smaller():
    problem = blocks(4, C0=0.01)
    assert size_limit(problem) == 4
    one_feature = Problem.of([[0, 1, 2], [1, 1, 0], [0, 0, 1], [1, 0, 0]], [0, 1, 0, 1], C0=0.1)
    assert size_limit(one_feature) == 3
    assert size_limit(one_feature, known=Points((1, 0, 0), Fraction(-1, 2))) == 1


def test_levels_and_prices_of_features_enter_by_the_cheapest():
    problem = Problem.of([[0, 1, 2], [1, 1, 0], [0, 0, 1], [1, 0, 0]], [0, 1, 0, 1], C0=[0.4, 0.3, 0.15], max_points=1)
    assert size_limit(problem) == 2  # 0.15 + 0.3 <= 1/2
    levels = [([0], 0.1), ([-1, 1], 0.3)]  # using a feature costs 0.2 more than not using it
    with_levels = Problem.of(np.eye(4), [0, 1, 0, 1], levels=levels)
    assert size_limit(with_levels) == size_limit_of_any_rows(with_levels) == 2
    numeric = Problem.of(np.eye(4), [0, 1, 0, 1], C0=0.1, C1=0.1, points=[-1, 1])
    assert size_limit_of_any_rows(numeric) == 2


@pytest.mark.parametrize(
    "settings",
    [
        {"constraints": [constraints.must_use("x0")]},
        {"min_features": 1},
        {"constraints": [constraints.min_sensitivity(0.9)]},
        {"class_weight": {1: 3}},
        {"goal": "risk"},
    ],
)
def test_without_rows_nothing_is_claimed_where_a_card_without_features_may_be_none(settings):
    assert size_limit_of_any_rows(Problem.of([[0, 1], [1, 1], [0, 0]], [0, 1, 1], **settings)) is None


def test_a_card_that_is_none_is_refused_as_known():
    problem = Problem.of([[0, 1], [1, 1], [0, 0]], [0, 1, 1], constraints=[constraints.must_use("x0")])
    with pytest.raises(InvalidOptionError, match=r"no card without features.*give known="):
        size_limit(problem)
    with pytest.raises(InvalidOptionError, match="known breaks x0 used; give the points of a card"):
        size_limit(problem, known=Points((0, 1), 0))
    with pytest.raises(InvalidOptionError, match="known breaks the sets of points"):
        size_limit(problem, known=Points((999, 1), 0))
    with pytest.raises(InvalidOptionError, match="known has 1 coefficients for 2 features"):
        size_limit(problem, known=Points((1,), 0))
    assert size_limit(problem, known=Points((1, 0), Fraction(-1, 2))) == 2


# The bound on new rows that follows


def test_only_cards_that_can_be_optimal_are_counted():
    problem = blocks(4, C0=0.2, intercept=(-3, 3))  # at most 1/(2·0.2) = 2 features
    at_most_two = blocks(4, C0=0.2, intercept=(-3, 3), max_features=2)
    plain, optimal = bounds(problem), bounds(problem, optimal=True)
    assert [b for b in optimal if b in plain] == list(plain)
    of_size = {b.form: b for b in bounds(at_most_two)}
    more = {b.form: b for b in optimal if b not in plain}
    assert set(more) == {Form.THEOREM_1_PRICE, Form.THEOREM_2_PRICE}
    assert more[Form.THEOREM_1_PRICE].count == of_size[Form.THEOREM_1_SIZE].count
    assert more[Form.THEOREM_1_PRICE].log_count == of_size[Form.THEOREM_1_SIZE].log_count
    assert more[Form.THEOREM_2_PRICE].count == of_size[Form.THEOREM_2_SIZE].count
    best = generalization_bound(problem, optimal=True)
    assert best == more[Form.THEOREM_2_PRICE]
    assert best.slack < generalization_bound(problem).slack
    assert "no more costly than one without features has a true error rate" in best.in_words()


def test_a_price_that_limits_nothing_adds_no_form():
    for asked in ({"C0": 0.01}, {"C0": 0.2, "max_features": 2}, {"C0": 0.2, "min_features": 1}):
        problem = blocks(4, intercept=(-3, 3), **asked)
        assert bounds(problem, optimal=True) == bounds(problem)


# Rounding


@st.composite
def classifiers(draw):
    """Rows, labels and real coefficients, often with rows near the boundary, and now and then on it."""
    n_features = draw(st.integers(1, 4))
    value = st.integers(-6, 6) | st.sampled_from([0.5, -1.25, 0.1])
    X = draw(st.lists(st.tuples(*[value] * n_features), min_size=2, max_size=8))
    real = st.sampled_from([0, 1, -1, 0.3, -0.77, 1e-3]) | st.floats(-9, 9, allow_subnormal=False).map(
        lambda v: round(v, 3)
    )
    rho = draw(st.lists(real, min_size=n_features, max_size=n_features).filter(any))
    b = draw(st.sampled_from([0, 0.25, -3.1]))
    y = [int(draw(st.booleans())) for _ in X]
    assume(len(set(y)) == 2)
    return Problem.of(X, y), rho, b


def wrong_rows(problem, coefficients, b):
    """The rows whose score is not of their class's sign, by fractions."""
    columns = zip(problem.rows.columns, problem.rows.scales, strict=True)
    rows = zip(*([Fraction(int(v), scale) for v in column] for column, scale in columns), strict=True)
    scores = [sum(map(lambda c, x: c * x, coefficients, row)) + b for row in rows]
    return {
        i
        for i, (score, positive) in enumerate(zip(scores, problem.rows.positive.tolist(), strict=True))
        if (score if positive else -score) <= 0
    }


@given(classifiers())
def test_rounded_points_make_no_further_error(case):
    problem, rho, b = case
    found = rounded_points(problem, rho, b)
    exact = [Fraction(str(value)) for value in rho]
    before = wrong_rows(problem, exact, Fraction(str(b)))
    assert wrong_rows(problem, found.points.values, found.points.intercept_value) <= before
    assert evaluate(problem, found.points).training_errors <= len(before)
    assert max(map(abs, found.points.coefficients)) == found.largest <= found.largest_by_norms
    assert all(value or not point for value, point in zip(rho, found.points.coefficients, strict=True))


@given(classifiers(), st.integers(0, 5))
def test_any_larger_range_is_enough_too(case, more):
    problem, rho, b = case
    exact, intercept = [Fraction(str(value)) for value in rho], Fraction(str(b))
    found = rounded_points(problem, rho, b)
    before = wrong_rows(problem, exact, intercept)
    for largest in (found.largest + more, found.largest_by_norms + more):
        scale = largest / max(map(abs, exact))
        rounded = [round(scale * value) for value in exact]
        assert wrong_rows(problem, rounded, scale * intercept) <= before


@given(classifiers())
def test_the_theorem_with_norms_asks_for_what_it_says(case):
    problem, rho, b = case
    found = rounded_points(problem, rho, b)
    X = np.array([c / s for c, s in zip(problem.rows.columns, problem.rows.scales, strict=True)]).T
    scores = X @ np.array(rho, dtype=float) + b
    right = sorted(set(range(len(X))) - wrong_rows(problem, [Fraction(str(v)) for v in rho], Fraction(str(b))))
    if not right:
        assert found.margin == math.inf
        assert found.largest_by_norms == found.largest == 1
        return
    margin = abs(scores[right]).min() / np.linalg.norm(rho)
    assert found.margin == pytest.approx(margin)
    needed = np.linalg.norm(X[right], axis=1).max() * math.sqrt(len(rho)) / (2 * margin)
    assert found.largest_by_norms > needed * (1 - 1e-9)
    assert found.largest_by_norms - 1 <= needed * (1 + 1e-9)


def test_logistic_regression_is_rounded():
    source = random.Random(3)
    X = [[source.randint(0, 3) for _ in range(5)] for _ in range(60)]
    rho, b = [0.81, -0.333, 0.52, 1.07, -0.09], -2.217
    y = [int(sum(map(lambda c, x: c * x, rho, row)) + b + source.gauss(0, 1) > 0) for row in X]
    problem = Problem.of(X, y)
    found = rounded_points(problem, np.array(rho), np.float64(b))
    before = wrong_rows(problem, [Fraction(str(v)) for v in rho], Fraction(str(b)))
    assert wrong_rows(problem, found.points.values, found.points.intercept_value) == before
    assert f"from -{found.largest} to {found.largest}" in found.in_words()


def test_what_cannot_be_rounded_is_refused():
    problem = Problem.of([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(InvalidOptionError, match="1 coefficients for 2 features; give one per feature"):
        rounded_points(problem, [1])
    with pytest.raises(InvalidOptionError, match="all coefficients are 0"):
        rounded_points(problem, [0, 0], 1)
    with pytest.raises(InvalidOptionError, match="the coefficient of 'x1' is nan; give a finite number"):
        rounded_points(problem, [1, float("nan")])

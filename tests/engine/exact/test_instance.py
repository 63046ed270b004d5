"""Instances: net points, cases of the intercept, and twins."""

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.forms import forms
from strategies import cases
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.literals import twins
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import presolve
from supersparse.engine.solve import solve
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
Y = [0, 1, 0, 1]


def columns(*given):
    return [list(row) for row in zip(*given, strict=True)]


def twins_of(*given, **settings):
    return twins(Problem.of(columns(*given), Y, **({"max_points": 3, "C0": 0.1} | settings)))


A = [0, 1, 3, 2]


def test_equal_columns_are_twins_with_every_intercept():
    for intercept in ("free", "paper", "none", (-2, 3)):
        assert twins_of(A, A, intercept=intercept) == (-1, 0)


def test_three_equal_columns_form_a_chain():
    assert twins_of(A, [1, 0, 0, 1], A, A) == (-1, -1, 0, 2)


def test_shifted_columns_are_twins_where_the_threshold_absorbs_the_shift():
    shifted = [x + 5 for x in A]
    assert twins_of(A, shifted) == (-1, 0)
    for intercept in ("paper", "none", (-2, 3)):
        assert twins_of(A, shifted, intercept=intercept) == (-1, -1)
    tenths = [x / 10 for x in A]
    assert twins_of(tenths, [(x + 20) / 10 for x in A]) == (-1, 0)
    assert twins_of(tenths, [(x + 5) / 10 for x in A]) == (-1, 0)  # no whole number is needed


def test_complementary_columns_are_twins_with_a_free_intercept_and_symmetric_sets():
    complement = [3 - x for x in A]
    assert twins_of(A, complement) == (-1, 0)
    assert twins_of(A, complement, A) == (-1, 0, 1)
    for intercept in ("paper", "none", (-2, 3)):
        assert twins_of(A, complement, intercept=intercept) == (-1, -1)
    assert twins_of(A, complement, points=[-1, 0, 1, 2]) == (-1, -1)
    assert twins_of([x / 2 for x in A], [4 - x / 2 for x in A]) == (-1, 0)


def test_a_column_of_two_values_is_the_twin_of_its_complement():
    assert twins_of([0, 1, 1, 0], [1, 0, 0, 1]) == (-1, 0)


def test_columns_of_different_sets_or_costs_are_no_twins():
    assert twins_of(A, A, points={"x0": 3, "x1": 2}) == (-1, -1)
    assert twins_of(A, A, C0=[0.1, 0.2]) == (-1, -1)
    assert twins_of(A, [2 * x for x in A]) == (-1, -1)


@pytest.mark.parametrize("intercept", ["free", "paper", "none", (-1, 2)])
def test_twins_together_reach_twice_the_range(intercept):
    # score = 2·a - b·5 needs a coefficient of 2 in sum where each column allows 1
    a, b = [0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2]
    y = [int(2 * u - 3 * v > 0) for u, v in zip(a, b, strict=True)]
    problem = Problem.of(columns(a, a, b, b, b), y, C0=0.001, max_points=1, intercept=intercept)
    best, found = solve(problem, "exhaustive"), solve(problem, "exact")
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


def cases_of(intercept, **settings):
    problem = Problem.of(
        columns(A, [1, 0, 0, 1]), Y, **({"max_points": 2, "C0": 0.1, "intercept": intercept} | settings)
    )
    return instances(integer_form(presolve(problem).problem))


def test_there_is_one_case_unless_b_has_a_price():
    (free,) = cases_of("free")
    assert (free.intercepts.tolist(), free.has_origin, free.counts_b) == ([], False, False)
    (none,) = cases_of("none")
    assert (none.intercepts.tolist(), none.has_origin) == ([0], True)
    (bounded,) = cases_of((-1, 2))
    assert (bounded.intercepts.tolist(), bounded.has_origin) == ([-1, 0, 1, 2], False)
    (far,) = cases_of((10**6, 10**6 + 5))
    assert len(far.intercepts) == 1  # all rows agree there: one b stands for all


def test_the_papers_intercept_makes_two_cases():
    without, with_b = cases_of("paper")
    assert (without.intercepts.tolist(), without.has_origin, without.intercept_penalty) == ([0], True, 0)
    assert with_b.intercepts.tolist() == [-2, -1, 1, 2]
    assert with_b.intercept_penalty == with_b.form.intercept_penalties.max() > 0
    assert not with_b.has_origin
    assert without.counts_b
    assert with_b.counts_b
    limited = cases_of("paper", max_features=1)
    assert [i.max_features for i in limited] == [1, 0]
    assert [i.intercepts.tolist() for i in cases_of("paper", max_features=0)] == [[0]]


def test_the_origin_stands_between_the_values_of_a_column():
    # values -2 and 3: with b = 0 the origin lies between them
    problem = Problem.of([[-2], [3]], [0, 1], max_points=2, intercept="none", C0=0.1)
    (instance,) = instances(integer_form(problem))
    assert sorted(instance.positive[:, 0].tolist() + instance.negative[:, 0].tolist()) == [0, 1, 1, 2]


@settings(max_examples=examples(60))
@given(forms())
def test_net_points_and_base_add_up_to_the_weights(form):
    for instance in instances(form):
        n = -1 if instance.has_origin else None
        up, down = instance.positive_row[:n], instance.negative_row[:n]
        difference = form.positive - form.negative
        assert instance.positive_weight[:n].tolist() == difference[up].tolist()
        assert instance.negative_weight[:n].tolist() == (-difference[down]).tolist()
        assert (instance.positive_weight > 0).all()
        assert (instance.negative_weight > 0).all()
        assert set(up.tolist()) | set(down.tolist()) == set(np.flatnonzero(difference).tolist())
        both = int(form.positive.sum() + form.negative.sum())
        assert 2 * instance.base_cost + int(np.abs(difference).sum()) == both


@settings(max_examples=examples(60))
@given(cases())
def test_literals_are_allowed_where_the_set_has_such_a_value(case):
    form = integer_form(presolve(case.problem).problem)
    for instance in instances(form):
        for f, values in enumerate(form.values):
            assert instance.allowed[2 * f] == (values.sample > 0).any()
            assert instance.allowed[2 * f + 1] == (values.sample < 0).any()

"""IntegerForm: exact where 64 bits suffice, rounded by at most one half where they do not."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from strategies import cases
from supersparse.problem.objective import evaluate, integer_scores
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.integer_form import OPEN, integer_form
from supersparse.solving.presolve.merge import row_groups
from supersparse.solving.solve import presolve

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def some_model(draws, form):
    vector = [int(draws.draw(st.sampled_from(v.tolist()))) for v in form.values]
    if len(form.intercept_values):
        b = int(draws.draw(st.sampled_from(form.intercept_values.tolist())))
    else:
        low, high = max(-9, form.intercept_low), min(9, form.intercept_high)
        b = draws.draw(st.integers(min(low, high), max(low, high)))
    return vector, b


def kernel_cost(form, vector, b):
    """The objective as kernels count it."""
    scores = np.array(vector) @ form.columns + b * form.step
    loss = int(form.positive[scores <= 0].sum() + form.negative[scores >= 0].sum())
    cost = sum(int(c) + form.cost_l1 * abs(v) for c, v in zip(form.cost, vector, strict=True) if v)
    if form.problem.intercept.is_penalised and b:
        cost += int(form.intercept_value_cost.max()) + form.cost_l1 * abs(b)
    return loss + cost


@settings(max_examples=examples(80))
@given(cases(), st.booleans(), st.data())
def test_an_exact_form_gives_the_scores_and_the_objective_of_the_evaluator(case, merged, draws):
    problem = presolve(case.problem).problem if merged else case.problem
    form = integer_form(problem)
    assert form.slack == 0
    vector, b = some_model(draws, form)
    group, _ = row_groups(list(problem.rows.columns))
    exact = [int(s) for s in integer_scores(problem, vector, b)]
    ours = (np.array(vector) @ form.columns + b * form.step)[group].tolist()
    # the same scores up to one positive factor
    for a, e in zip(ours, exact, strict=True):
        assert (a > 0, a == 0) == (e > 0, e == 0)
        assert a * problem.score_step == e * form.step or problem.intercept.mode == "none"
    true = evaluate(problem, Points(tuple(vector), b, problem.unit)).objective
    assert kernel_cost(form, vector, b) == true * form.scale


@settings(max_examples=examples(40))
@given(cases())
def test_ranks_order_every_column_and_rows_are_distinct(case):
    form = integer_form(presolve(case.problem).problem)
    for column, ranks in zip(form.columns, form.ranks, strict=True):
        assert ranks.tolist() == np.unique(column, return_inverse=True)[1].reshape(-1).tolist()
    rows = [tuple(r) for r in form.columns.T.tolist()]
    assert len(set(rows)) == len(rows) == form.n_rows


def test_columns_are_divided_by_what_they_share():
    form = integer_form(Problem.of([[60, 0.5], [20, 1.5]], [0, 1], max_coef=2, intercept="none"))
    assert form.columns.tolist() == [[40, 120], [3, 1]] or form.columns.tolist() == [[120, 40], [1, 3]]


HUGE = [1e-12, 2e-12, -3e-12, 0.1, 5e11, -7e11, 3e12, 3e12 + 1, 0.0]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from(HUGE), st.sampled_from(HUGE)), min_size=3, max_size=8), st.data())
def test_a_rounded_form_is_off_by_at_most_one_half_an_entry(rows, draws):
    y = [0, 1, *draws.draw(st.lists(st.integers(0, 1), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    problem = Problem.of([list(r) for r in rows], y, C0=0.01, max_coef=5)
    form = integer_form(problem)
    if form.slack == 0:
        return
    _, first = row_groups(list(problem.rows.columns))
    step = problem.score_step
    exact = [
        [int(x) * (step // s) for x in c[first]]
        for c, s in zip(problem.rows.columns, problem.rows.scales, strict=True)
    ]
    # some unit U has |x / U - r| <= 1/2 for every entry x and what it was rounded to, r
    pairs = [
        (abs(x), abs(r))
        for o, c in zip(exact, form.columns.tolist(), strict=True)
        for x, r in zip(o, c, strict=True)
    ]
    least = max(Fraction(2 * x, 2 * r + 1) for x, r in pairs)
    assert least <= min(Fraction(2 * x, 2 * r - 1) for x, r in pairs if r)
    assert np.abs(form.columns).max() < 2**51
    # ranks stay exact although entries that differ may be rounded to the same
    for own, ranks in zip(exact, form.ranks.tolist(), strict=True):
        assert ranks == [sorted(set(own)).index(x) for x in own]


@settings(max_examples=examples(40))
@given(st.integers(1, 10**6), st.integers(1, 10**9), st.integers(1, 10**9), st.data())
def test_kernel_costs_are_never_above_the_true_value(weight, numerator, other, draws):
    # weights and C0 with long denominators: no common unit within 2^50
    problem = Problem.of(
        [[0, 1], [1, 0], [1, 1], [2, 3]],
        [0, 1, 1, 0],
        C0=[Fraction(numerator, 10**9 + 7), Fraction(other, 998244353)],
        C1=Fraction(1, 10**9 + 9),
        sample_weight=[weight, 3, 1, 7],
        class_weight={0: Fraction(1, 3), 1: Fraction(5, 7)},
        max_coef=3,
    )
    form = integer_form(problem)
    vector, b = some_model(draws, form)
    true = evaluate(problem, Points(tuple(vector), b, problem.unit)).objective * form.scale
    ours = kernel_cost(form, vector, b)
    assert ours <= true
    assert ours <= form.in_kernel_units(true / form.scale)
    assert true - ours < 16  # one unit for each term that was rounded down
    assert form.positive.dtype == form.cost.dtype == np.int64


def test_intercepts_of_all_modes():
    def form(intercept, **more):
        return integer_form(Problem.of([[0], [1]], [0, 1], max_coef=2, intercept=intercept, **more))

    assert (form("free").intercept_low, form("free").intercept_high) == (-OPEN, OPEN)
    assert (form("none").intercept_low, form("none").intercept_high) == (0, 0)
    assert (form((-1.5, 3)).intercept_low, form((-1.5, 3)).intercept_high) == (-1, 3)
    paper = form("paper", C0=0.25)
    assert paper.intercept_values.tolist() == [-2, -1, 0, 1, 2]
    assert paper.intercept_value_cost.max() == paper.cost[0] > 0
    assert paper.max_size == 2
    halves = form((-1, 1), coef_set=[0, 0.5, 1])
    assert (halves.intercept_low, halves.intercept_high) == (-2, 2)

"""IntegerForm: exact where 64 bits suffice, rounded by at most one half where they do not."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.enumerate import cuts_of
from engine.exact.oracle.support_search import SupportSearch
from strategies import cases
from supersparse import constraints as c
from supersparse.base.integer_arrays import row_groups
from supersparse.engine.exact.instance import instances
from supersparse.engine.integer_form import _PRICED_LIMIT, OPEN, integer_form
from supersparse.engine.presolve import presolve
from supersparse.engine.solve import solve
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.near_totals import integer_totals
from supersparse.problem.objective import classified, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def some_model(draws, form):
    vector = [int(draws.draw(st.sampled_from(v.sample.tolist()))) for v in form.values]
    if len(form.intercept_values):
        b = int(draws.draw(st.sampled_from(form.intercept_values.tolist())))
    else:
        low, high = max(-9, form.intercept_low), min(9, form.intercept_high)
        b = draws.draw(st.integers(min(low, high), max(low, high)))
    return vector, b


def shared(problem):
    """What all columns have in common, as totals count them."""
    step = problem.score_step
    columns = zip(problem.rows.columns, problem.rows.scales, strict=True)
    return gcd(*(int(x) * (step // scale) for column, scale in columns for x in column)) or 1


def points_of(form, vector, b):
    """The model that kernels mean by b: b + 1/2 in units of what the columns share where `half` is set."""
    problem = form.problem
    if form.half:
        b = Fraction((2 * b + 1) * shared(problem), 2 * problem.score_step)
    return Points(tuple(vector), b, problem.unit)


def kernel_cost(form, vector, b):
    """The objective as kernels count it."""
    scores = np.array(vector) @ form.columns + b * form.step
    loss = int(form.positive[scores + form.half <= 0].sum() + form.negative[scores >= 0].sum())
    cost = sum(int(c) + form.l1_penalty * abs(v) for c, v in zip(form.used_penalty, vector, strict=True) if v)
    if form.problem.intercept.is_penalised and b:
        cost += int(form.intercept_penalties.max()) + form.l1_penalty * abs(b)
    return loss + cost


@settings(max_examples=examples(80))
@given(cases(), st.booleans(), st.data())
def test_an_exact_form_gives_the_scores_and_the_objective_of_the_evaluator(case, merged, draws):
    problem = presolve(case.problem).problem if merged else case.problem
    form = integer_form(problem)
    assert form.slack == 0
    vector, b = some_model(draws, form)
    group, _ = row_groups(list(problem.rows.columns))
    points = points_of(form, vector, b)
    above, below = classified(problem, points)
    # twice the scores, the half of a free threshold with them: the evaluator's up to one positive factor
    ours = (2 * (np.array(vector) @ form.columns + b * form.step) + form.half)[group]
    assert (ours > 0).tolist() == above.tolist()
    assert (ours < 0).tolist() == below.tolist()
    if problem.intercept.mode != "none":
        ratio = Fraction(problem.score_step, form.step) if not form.half else Fraction(shared(problem))
        for a, total in zip(ours.tolist(), integer_totals(problem, vector).tolist(), strict=True):
            assert a * ratio == 2 * (total + points.intercept * problem.score_step)
    true = evaluate(problem, points).objective
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
    form = integer_form(Problem.of([[60, 0.5], [20, 1.5]], [0, 1], max_points=2, intercept="none"))
    assert form.columns.tolist() == [[40, 120], [3, 1]] or form.columns.tolist() == [[120, 40], [1, 3]]


HUGE = [1e-12, 2e-12, -3e-12, 0.1, 5e11, -7e11, 3e12, 3e12 + 1, 0.0]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from(HUGE), st.sampled_from(HUGE)), min_size=3, max_size=8), st.data())
def test_a_rounded_form_is_off_by_at_most_one_half_an_entry(rows, draws):
    y = [0, 1, *draws.draw(st.lists(st.integers(0, 1), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    problem = Problem.of([list(r) for r in rows], y, C0=0.01, max_points=5)
    form = integer_form(problem)
    if form.slack == 0:
        return
    _, first = row_groups(list(problem.rows.columns))
    step = problem.score_step
    exact = [
        [int(x) * (step // s) for x in c[first]] for c, s in zip(problem.rows.columns, problem.rows.scales, strict=True)
    ]
    # some unit U has |x / U - r| <= 1/2 for every entry x and what it was rounded to, r
    pairs = [
        (abs(x), abs(r)) for o, c in zip(exact, form.columns.tolist(), strict=True) for x, r in zip(o, c, strict=True)
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
        max_points=3,
    )
    form = integer_form(problem)
    vector, b = some_model(draws, form)
    true = evaluate(problem, points_of(form, vector, b)).objective * form.scale
    ours = kernel_cost(form, vector, b)
    assert ours <= true
    assert ours <= form.in_kernel_units(true / form.scale)
    assert true - ours < 16  # one unit for each term that was rounded down
    assert form.positive.dtype == form.used_penalty.dtype == np.int64


@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("of_negative", [0, Fraction(1, 10**30), 1, 10**25])
@pytest.mark.parametrize("heavy", [1, 10**15, 12345678901234567890123])
def test_class_weights_beside_sample_weights_of_many_digits(heavy, of_negative, intercept):
    problem = Problem.of(
        [[0], [1], [2], [3], [1]],
        [0, 0, 1, 1, 1],
        C0=0.01,
        class_weight={0: of_negative, 1: 1},
        sample_weight=[1e-6, heavy, heavy, 1, 1e-6],
        max_points=2,
        intercept=intercept,
    )
    form = integer_form(problem)
    assert of_negative or form.negative.tolist() == [0] * form.n_rows
    best, found = solve(problem, "exhaustive"), solve(problem, "exact")
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


def test_intercepts_of_all_modes():
    def form(intercept, **more):
        return integer_form(Problem.of([[0], [1]], [0, 1], max_points=2, intercept=intercept, **more))

    assert (form("free").intercept_low, form("free").intercept_high) == (-OPEN, OPEN)
    assert form("free").half == form("free").step == 1
    assert form("none").half == form((-1, 1)).half == form("paper").half == 0
    assert (form("none").intercept_low, form("none").intercept_high) == (0, 0)
    assert (form((-1.5, 3)).intercept_low, form((-1.5, 3)).intercept_high) == (-1, 3)
    paper = form("paper", C0=0.25)
    assert paper.intercept_values.tolist() == [-2, -1, 0, 1, 2]
    assert paper.intercept_penalties.max() == paper.used_penalty[0] > 0
    assert paper.max_size == 2
    halves = form((-1, 1), points=[0, 0.5, 1])
    assert (halves.intercept_low, halves.intercept_high) == (-2, 2)


def test_points_of_2_to_the_50_units_are_the_largest():
    def problem(*points):
        return Problem.of([[0], [1], [2]], [0, 1, 1], points=list(points), C0=0.01, C1=0)

    largest = problem(-(2**50), 0, 1)
    assert integer_form(largest).values[0].largest == 2**50
    assert solve(largest, "exact").objective == solve(largest, "exhaustive").objective
    for beyond in (problem(-1, 0, 2**50 + 1), problem(0, 0.5, 2**50)):  # in halves the latter is 2^51 units
        with pytest.raises(UnsupportedProblemError, match=r"over 2\^50"):
            integer_form(beyond)
        with pytest.raises(UnsupportedProblemError, match=r"over 2\^50"):
            solve(beyond, "exact")
        assert solve(beyond, "exhaustive").proven_optimal


def test_the_intercepts_of_a_set_end_at_2_to_the_50_units_too():
    def problem(most):
        sets = {"x0": [0, 1], "(intercept)": [-most, 0]}
        return Problem.of([[0], [1]], [0, 1], points=sets, C0=0.01, C1=0, intercept="paper")

    assert integer_form(problem(2**50)).intercept_values.tolist() == [-(2**50), 0]
    with pytest.raises(UnsupportedProblemError, match="the intercept's set reaches"):
        integer_form(problem(2**50 + 1))


def test_the_largest_points_of_all_features_add_up_to_2_to_the_60_at_most():
    def problem(features):
        X = np.vstack([np.zeros(features, int), np.ones(features, int)])
        return Problem.of(X, [0, 1], points=[0, 2**50], C0=0.0001, C1=0)

    form = integer_form(problem(2**10))
    scores = [sum(int(x) << 50 for x in row) for row in form.columns.T]  # all features at their largest
    assert max(scores) + form.step <= 2**61
    with pytest.raises(UnsupportedProblemError, match=r"over 2\^60"):
        integer_form(problem(2**10 + 1))


@settings(max_examples=examples(60))
@given(st.data())
def test_prices_on_very_heavy_rates_are_lowered_and_stay_a_lower_bound(draws):
    X = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]]
    problem = Problem.of(X, [0, 1, 1, 0, 1], C0=0.01, max_points=2)
    form = integer_form(problem)
    n = form.n_rows
    weight = st.integers(-(2**61) // (2 * n), 2**61 // (2 * n)) | st.sampled_from([0, 1, 2**61 // (2 * n)])
    weights = st.lists(weight, min_size=2 * n, max_size=2 * n).map(lambda w: np.array(w).reshape(2, n))
    limits = [draws.draw(weights) for _ in range(2)]
    most = [draws.draw(st.integers(-(2**60), 2**60)) for _ in limits]
    rates = replace(
        form.rates,
        positive=np.array([w[0] for w in limits]),
        negative=np.array([w[1] for w in limits]),
        most=np.array(most),
    )
    price = st.sampled_from([0.0, 2.0**-20, 0.3, 1.0, 2.0**40, 1e300])
    prices = np.array([draws.draw(price) for _ in limits])
    priced = replace(form, rates=rates).priced(prices)
    own = sum(form.positive.tolist()) + sum(form.negative.tolist())
    assert min(*priced.positive.tolist(), *priced.negative.tolist()) >= 0
    added = sum(priced.positive.tolist()) + sum(priced.negative.tolist()) + abs(priced.shift)
    assert added <= own + 2 * _PRICED_LIMIT + 2 * n
    assert priced.worst_cost < 2**60

    def total(positive, negative, up, down):
        return sum(w for w, wrong in zip(positive.tolist(), up, strict=True) if wrong) + sum(
            w for w, wrong in zip(negative.tolist(), down, strict=True) if wrong
        )

    for vector in product(range(-2, 3), repeat=2):
        totals = np.array(vector) @ form.columns
        for b in range(-7, 7):
            up, down = totals + b < 0, totals + b >= 0  # wrong where positive, wrong where negative
            counted = [total(*w, up, down) for w in limits]
            if all(k <= m for k, m in zip(counted, most, strict=True)):
                lagrangian = total(priced.positive, priced.negative, up, down) + priced.shift
                assert lagrangian <= total(form.positive, form.negative, up, down)


def judged(problem):
    """Whether finds on a support are handed to the evaluator because the kernels do not know all limits."""
    form = integer_form(problem)
    (instance,) = instances(form)
    return bool(SupportSearch(instance, (0,), cuts_of(form)).data.judged)


X = [[0, 3], [1, 1], [2, 0], [3, 2], [1, 0]]


@pytest.mark.parametrize("heavy", [1, 2**70])
def test_a_limit_on_a_rate_beyond_64_bits_is_left_to_the_evaluator(heavy):
    asked = [c.min_sensitivity(0.9)]
    problem = Problem.of(
        X, [0, 1, 1, 0, 1], C0=0.01, max_points=3, constraints=asked, sample_weight=[1, heavy, 1, heavy, 3]
    )
    assert integer_form(problem).rates.is_complete == (heavy == 1)
    assert judged(problem) == (heavy != 1)
    best, found = solve(problem, "exhaustive"), solve(problem, "exact")
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


@pytest.mark.parametrize("far", [4, 2**70])
def test_a_limit_on_the_score_beyond_64_bits_is_left_to_the_evaluator(far):
    asked = [c.max_total_score(2 * far + 1, ranges={"x0": (0, far), "x1": (-1, 3)})]
    problem = Problem.of(X, [0, 1, 1, 0, 1], C0=0.01, max_points=3, constraints=asked)
    assert judged(problem) == (far != 4)
    best, found = solve(problem, "exhaustive"), solve(problem, "exact")
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


@pytest.mark.parametrize("intercept", ["free", "paper"])
def test_a_huge_l1_penalty_makes_bounds_weak_and_no_number_large(intercept):
    problem = Problem.of(X, [0, 1, 1, 0, 1], C0=0.01, C1=1e300, max_points=3, intercept=intercept)
    form = integer_form(problem)
    longest = 3 * (3 if intercept == "paper" else 2)
    assert 0 <= form.l1_penalty * longest <= 2**50
    assert 0 < form.worst_cost < 2**52
    assert min(*form.positive.tolist(), *form.negative.tolist()) >= 0
    found = solve(problem, "exact")
    assert found.points.coefficients == (0, 0)
    assert found.objective == solve(problem, "exhaustive").objective


def test_costs_are_flat_only_where_the_exact_penalties_agree():
    tiny = Fraction(1, 10**40)

    def form(**levels):
        plain = {name: own for name, own in levels.items() if own is not None}
        rest = {name: [-1, 0, 1] for name in ("x0", "x1") if name not in plain}
        return integer_form(Problem.of(X, [0, 1, 1, 0, 1], levels=plain or None, points=rest or None))

    low = Fraction(1, 100)
    assert form().is_flat
    assert form(x0=[([-1, 1, 2], low)]).is_flat
    steps = form(x0=[([-1, 1], low), ([-2, 2], low + tiny)])
    assert len(set(steps.penalties[0].positive.tolist())) == 1  # rounded down they agree
    assert not steps.is_flat
    assert not form(x0=[([-1, 0, 1], tiny), ([2], low)]).is_flat  # not to be used costs something

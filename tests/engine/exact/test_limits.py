"""The kernels that obey levels and limits, each against its definition."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.calls import evaluate_within_rates, least_fixed_cost, magnitude, scores_too_high
from engine.exact.enumerate import cuts_of, intercepts_for
from engine.exact.forms import loss_of
from engine.exact.oracle.support_search import SupportSearch
from engine.search.probes import probe_excess
from supersparse import constraints as c
from supersparse.engine.exact.instance import instances
from supersparse.engine.integer_form import integer_form
from supersparse.engine.search.kernels import search_data
from supersparse.problem.objective import obeys_without_intercept
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
LEVELS = [([-1, 0, 1], 0.01), ([-3, 2, 3], 0.02), ([-2], 0.05)]  # neither monotone nor symmetric, 0 costs


@st.composite
def limited(draw):
    """A problem with limits of every kind, and one of its supports."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = random.integers(-1, 3, (14, 3))
    y = random.integers(0, 2, 14)
    y[:4] = 0, 1, 0, 1
    asked = [
        c.min_sensitivity(draw(st.sampled_from([0.3, 0.6, 0.9]))),
        c.max_error(0.5),
        c.max_difference("error", group="g", at_most=draw(st.sampled_from([0.1, 0.4]))),
        c.max_total_score(draw(st.integers(1, 9)), ranges={"x0": (-2, 4), "x1": (1, 3)}),
        c.at_most(2, of="x*"),
    ]
    problem = Problem.of(
        X, y, levels=LEVELS, intercept=draw(st.sampled_from(["free", (-2, 2), "paper"])),
        constraints=asked, rate_groups={"g": ["a", "a", "b", "b"] * 3 + ["a", "b"]},
    )  # fmt: skip
    form = integer_form(problem)
    instance = draw(st.sampled_from(instances(form)))
    literals = tuple(2 * f + draw(st.integers(0, 1)) for f in sorted(draw(st.sets(st.integers(0, 2), min_size=1))))
    return form, SupportSearch(instance, literals, cuts_of(form))


@settings(max_examples=examples(80), deadline=None)
@given(limited(), st.data())
def test_one_vector_is_judged_by_its_true_loss_over_the_intercepts_that_obey(case, draws):
    form, support = case
    data = support.data
    index = [draws.draw(st.integers(0, n - 1)) for n in support.sizes]
    vector = np.array([magnitude(data, f, at) for f, at in enumerate(index)], np.int64)
    last = max(0, len(data.intercepts) - 1)
    found, b = evaluate_within_rates(data, vector, 0, last)
    coefficients = np.zeros(form.n_features, np.int64)
    coefficients[support.features] = vector * np.array(support.signs)
    scores = coefficients @ form.columns
    allowed = data.intercepts.tolist()
    if not allowed:
        allowed = intercepts_for(scores, form.step, form.intercept_low, form.intercept_high)
    costs = {}
    for candidate in allowed:
        moved = scores + candidate * form.step
        is_high = moved >= 0 if form.half else moved > 0
        counted = form.rates.positive[:, ~is_high].sum(axis=1)
        counted = counted + form.rates.negative[:, moved >= 0].sum(axis=1)
        if (counted <= form.rates.most).all():
            extra = data.intercept_extra[data.intercepts.tolist().index(candidate)] if len(data.intercepts) else 0
            true = loss_of(form.rates.true_positive, form.rates.true_negative, moved, form.half)
            costs[candidate] = true + int(extra)
    assert found == min(costs.values(), default=2**62)
    if costs and len(data.intercepts):
        assert costs[b] == found


@settings(max_examples=examples(80), deadline=None)
@given(limited(), st.data())
def test_a_box_pays_no_more_than_its_cheapest_vector_and_is_dropped_only_when_all_score_too_high(case, draws):
    form, support = case
    data = support.data
    whole = support.whole()[1]
    ends = [sorted((draws.draw(st.integers(0, n)), draws.draw(st.integers(0, n)))) for n in whole.tolist()]
    low, high = (np.array([pair[t] for pair in ends], np.int64) for t in (0, 1))
    paid = int(least_fixed_cost(data, low, high))
    too_high = bool(scores_too_high(data, low, high))
    k = len(data.first)
    exact_costs, any_fits = [], False
    for index in np.ndindex(*(high[:k] - low[:k] + 1)):
        at = low[:k] + np.array(index)
        coefficients = np.zeros(form.n_features, np.int64)
        coefficients[support.features] = [
            magnitude(data, f, i) * s for f, (i, s) in enumerate(zip(at, support.signs, strict=True))
        ]
        penalty = sum(
            floor(form.problem.penalty(j, Fraction(int(v), form.problem.unit)) * form.scale)
            for j, v in enumerate(coefficients)
        )
        exact_costs.append(data.base_loss + data.shift + penalty + support.instance.intercept_penalty)
        score = sum(
            max(int(v) * int(lo), int(v) * int(hi))
            for limit in form.problem.score_limits
            for v, lo, hi in zip(coefficients, limit.low, limit.high, strict=True)
        )
        any_fits = any_fits or score <= form.problem.score_limits[0].at_most
    b = data.intercept_extra[low[k] : high[k] + 1].min() if len(data.intercepts) else 0
    assert paid == min(exact_costs) + b
    assert not (too_high and any_fits)


@settings(max_examples=examples(80), deadline=None)
@given(limited(), st.data())
def test_the_search_charges_for_a_model_exactly_when_it_breaks_a_limit(case, draws):
    form, _ = case
    data = search_data(form)
    index = np.array([draws.draw(st.integers(0, n - 1)) for n in data.n_values.tolist()], np.int64)
    values = [int(data.values[j, at]) for j, at in enumerate(index)]
    charged = probe_excess(data, index)
    assert (charged == 0) == obeys_without_intercept(form.problem, values)

"""The loss along b and along one coefficient, against the definition tried value by value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.forms import dense, forms, intercept_price, loss_of, models
from engine.search.probes import best_b, best_b_anywhere, best_on_line, line_at_fixed_b
from supersparse.engine.integer_form import integer_form
from supersparse.engine.search.kernels import rescore, search_data
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
NOTHING = 2**62


@st.composite
def states(draw):
    """Search data, a model, and its scores."""
    data = search_data(draw(forms()))
    index = draw(models(data))
    scores = np.empty(len(data.positive), np.int64)
    rescore(data, index, scores)
    return data, index, scores


def price(data, scores, b):
    return loss_of(data.positive, data.negative, scores + b * data.step, data.half) + intercept_price(data, b)


def allowed_near(data, centre, window):
    low, high = max(data.intercept_low, centre - window), min(data.intercept_high, centre + window)
    if low > high:
        low = high = max(data.intercept_low, min(data.intercept_high, centre))
    if len(data.intercepts):
        return [b for b in data.intercepts.tolist() if low <= b <= high]
    return range(low, high + 1)


@settings(max_examples=examples(40))
@given(states())
def test_rescore_multiplies_columns_by_values(state):
    data, index, scores = state
    values = data.values[np.arange(len(index)), index]
    assert scores.tolist() == (values @ dense(data)).tolist()


@settings(max_examples=examples(40))
@given(states(), st.integers(-40, 40), st.sampled_from([1, 3, 50]))
def test_best_b_is_the_cheapest_of_its_window(state, centre, window):
    data, _, scores = state
    found, b = best_b(scores, data, centre, window)
    near = allowed_near(data, centre, window)
    if not near:
        assert found == NOTHING
        return
    assert found == min(price(data, scores, c) for c in near)
    assert b in near
    assert found == price(data, scores, b)


@settings(max_examples=examples(40))
@given(states())
def test_best_b_anywhere_is_the_cheapest_of_all(state):
    data, _, scores = state
    reach = int(np.abs(scores).max()) // data.step + 2
    low, high = max(data.intercept_low, -reach), min(data.intercept_high, reach)
    if low > high:  # the whole range lies where all rows agree
        low = high = data.intercept_low if data.intercept_low > reach else data.intercept_high
    found, b = best_b_anywhere(scores, data)
    losses = [loss_of(data.positive, data.negative, scores + c * data.step, data.half) for c in range(low, high + 1)]
    assert found == min(losses)
    assert data.intercept_low <= b <= data.intercept_high
    assert found == loss_of(data.positive, data.negative, scores + b * data.step, data.half)


def test_without_an_intercept_only_b_0_counts():
    # scores 3 and 5: with b = 0 the negative row is wrong, which b = -4 would mend
    data = search_data(integer_form(Problem.of([[3], [5]], [0, 1], C0=0.1, max_points=1, intercept="none")))
    loss, b = best_b_anywhere(np.array([3, 5]), data)
    assert b == 0
    assert loss == data.negative.sum()


@settings(max_examples=examples(40))
@given(states(), st.data(), st.integers(-9, 9))
def test_the_line_at_fixed_b_is_the_loss_of_every_value(state, draws, b):
    data, index, scores = state
    j = draws.draw(st.integers(0, len(index) - 1))
    current = data.values[j, index[j]]
    now, totals = line_at_fixed_b(scores, data, j, current, b)
    assert now == totals[index[j]] == loss_of(data.positive, data.negative, scores + b * data.step, data.half)
    column = dense(data)[j]
    for t in range(data.n_values[j]):
        moved = scores + (data.values[j, t] - current) * column + b * data.step
        assert totals[t] == loss_of(data.positive, data.negative, moved, data.half)


@settings(max_examples=examples(40))
@given(states(), st.data(), st.booleans(), st.booleans(), st.integers(-5, 5))
def test_the_best_on_a_line_is_the_cheapest_value_that_may_be_taken(state, draws, zero, used, b):
    data, index, scores = state
    j = draws.draw(st.integers(0, len(index) - 1))
    window = 60
    before = scores.copy()
    found, at, chosen = best_on_line(scores, data, j, index[j], b, zero, used, window)
    assert (scores == before).all()
    column, current = dense(data)[j], data.values[j, index[j]]
    near = allowed_near(data, b, window)
    expected = {}
    for t in range(data.n_values[j]):
        value = int(data.values[j, t])
        if near and (used if value else zero):
            own = int(data.value_penalty[j, t])
            moved = scores + (value - current) * column
            expected[t] = own + min(price(data, moved, c) for c in near)
    if not expected:
        assert found >= NOTHING
        return
    assert found == min(expected.values())
    assert expected[at] == found
    value = int(data.values[j, at])
    own = int(data.value_penalty[j, at])
    assert found == own + price(data, scores + (value - current) * column, chosen)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32 - 1))
def test_on_a_long_line_the_cost_is_that_of_the_value_and_no_worse_than_at_fixed_b(seed):
    # a set of 601 values on 80 rows is searched at fixed b first, then at the three best values
    random = np.random.default_rng(seed)
    X = random.integers(-6, 7, (80, 2))
    y = (X @ [3, -2] + random.integers(-9, 10, 80) > 0).astype(int)
    y[:2] = 0, 1
    data = search_data(integer_form(Problem.of(X, y, C0=0.01, max_points=300)))
    assert data.n_values[0] * len(data.positive) > 40_000 or len(data.positive) < 67
    index = data.zero.copy()
    scores, window = np.zeros(len(data.positive), np.int64), 2000
    found, at, b = best_on_line(scores, data, 0, index[0], 0, True, True, window)
    column = dense(data)[0]

    def cost(t, intercept):
        value = int(data.values[0, t])
        own = int(data.value_penalty[0, t])
        return own + price(data, value * column, intercept)

    assert found == cost(at, b)
    assert found <= min(cost(t, 0) for t in range(data.n_values[0]))

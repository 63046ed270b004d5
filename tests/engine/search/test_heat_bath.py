"""The heat bath: the cost it reports is the model's, and without heat it ends by itself."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.forms import dense, feature_price
from engine.search.probes import best_b_anywhere
from engine.search.test_descent import WINDOW, check_model, starts
from supersparse.engine.search.kernels import heat_bath

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
NOISE = np.arange(-500, 1500)


def walk(data, index, b, scores, heat, steps, seed=1, budget=10**9):
    """Walk in place; return (cost, best model, its b, steps done)."""
    intercept, best, progress = np.array([b, b]), np.empty_like(index), np.zeros(2, np.int64)
    state, work = np.array([seed], np.uint64), np.zeros(1, np.int64)
    cost = heat_bath(
        data, index, intercept, scores, best, heat, heat // 10, steps, progress, NOISE, WINDOW, budget, state,
        work,
    )  # fmt: skip
    return cost, best, int(intercept[1]), int(progress[0])


@settings(max_examples=examples(40))
@given(starts(), st.integers(1, 2**62), st.sampled_from([0, 1, 3, 40]), st.sampled_from([0.0, 0.5, 10.0]))
def test_the_best_model_met_costs_what_is_reported(start, seed, steps, heat):
    data, index, b, scores, began = start
    assume(data.half)
    hot = int(heat * max(1, np.median(data.positive + data.negative)))
    cost, best, best_b, _ = walk(data, index, b, scores, hot, steps, seed)
    assert cost <= began
    check_model(data, best, best_b, data.values[np.arange(len(best)), best] @ dense(data), cost)
    assert scores.tolist() == (data.values[np.arange(len(index)), index] @ dense(data)).tolist()


@settings(max_examples=examples(20))
@given(starts())
def test_without_heat_it_ends_where_leaving_a_feature_out_does_not_help(start):
    data, index, b, scores, _ = start
    assume(data.half)
    cost, best, *_ = walk(data, index, b, scores, 0, 10_000)
    assert best.tolist() == index.tolist()
    for j in np.flatnonzero((best != data.zero) & (data.zero >= 0)):
        other = best.copy()
        other[j] = data.zero[j]
        loss, _ = best_b_anywhere(data.values[np.arange(len(other)), other] @ dense(data), data)
        assert loss + feature_price(data, other) >= cost


@settings(max_examples=examples(10))
@given(starts(), st.integers(1, 2**62))
def test_slices_and_one_walk_do_the_same_without_heat(start, seed):
    data, index, b, scores, _ = start
    assume(data.half)
    whole, *_ = walk(data, index.copy(), b, scores.copy(), 0, 10_000, seed)
    intercept, best, progress = np.array([b, b]), np.empty_like(index), np.zeros(2, np.int64)
    state, work = np.array([seed], np.uint64), np.zeros(1, np.int64)
    cost = 2**62
    while progress[0] < 10_000:
        cost = min(
            cost, heat_bath(data, index, intercept, scores, best, 0, 0, 10_000, progress, NOISE, WINDOW, 1, state, work)
        )
    assert cost == whole

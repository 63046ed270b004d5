"""Descent and annealing: the cost they report is the model's, never worse than where they began."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.forms import dense, feature_price, forms, intercept_price, loss_of, models
from engine.search.probes import best_b, model_penalty, probe_excess, probe_next_random, probe_shuffle
from supersparse.engine.search.kernels import anneal, descend, price_of, rescore, search_data

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
WINDOW = 400


def xorshift(state):
    """The generator again, in Python's integers."""
    x = state
    x ^= x >> 12
    x ^= (x << 25) & (2**64 - 1)
    x ^= x >> 27
    return x, (x * 2685821657736338717 & (2**64 - 1)) >> 33


def test_random_numbers_are_those_of_xorshift():
    state, expected = np.array([88172645463325252], np.uint64), 88172645463325252
    for _ in range(50):
        expected, number = xorshift(expected)
        assert probe_next_random(state) == number
        assert int(state[0]) == expected


def test_shuffle_permutes_and_repeats_for_the_same_state():
    first, again = np.arange(20), np.arange(20)
    probe_shuffle(first, np.array([7], np.uint64))
    probe_shuffle(again, np.array([7], np.uint64))
    assert sorted(first.tolist()) == list(range(20))
    assert first.tolist() == again.tolist() != list(range(20))


def whole_cost(data, index, b):
    scores = data.values[np.arange(len(index)), index] @ dense(data) + b * data.step
    return (
        loss_of(data.positive, data.negative, scores, data.half) + intercept_price(data, b) + feature_price(data, index)
    )


@st.composite
def starts(draw):
    data = search_data(draw(forms()))
    index = draw(models(data))
    scores = np.empty(len(data.positive), np.int64)
    rescore(data, index, scores)
    began, b = best_b(scores, data, 0, WINDOW)
    return data, index, int(b), scores, int(began) + feature_price(data, index)


def check_model(data, index, b, scores, cost):
    assert ((index >= 0) & (index < data.n_values)).all()
    used = data.values[np.arange(len(index)), index] != 0
    assert used.sum() <= max(data.max_size, (data.zero < 0).sum())
    assert scores.tolist() == (data.values[np.arange(len(index)), index] @ dense(data)).tolist()
    assert data.intercept_low <= b <= data.intercept_high
    assert cost == whole_cost(data, index, b)


@settings(max_examples=examples(40))
@given(starts())
def test_model_cost_counts_penalties_and_features(start):
    data, index, *_ = start
    total, size = model_penalty(data, index)
    assert total == feature_price(data, index)
    assert size == np.count_nonzero(data.values[np.arange(len(index)), index])


@settings(max_examples=examples(40))
@given(starts())
def test_a_price_is_that_of_the_definition(start):
    data, index, *_ = start
    cost, b = price_of(data, index, WINDOW)
    _, size = model_penalty(data, index)
    assert data.intercept_low <= b <= data.intercept_high
    assert cost == (whole_cost(data, index, b) + probe_excess(data, index) if size <= data.max_size else 2**61)


@settings(max_examples=examples(40))
@given(starts(), st.integers(1, 2**62), st.sampled_from([1, 500, 10**7]))
def test_descent_never_worsens_and_reports_the_cost_of_its_model(start, seed, budget):
    data, index, b, scores, began = start
    intercept, state, work = np.array([b]), np.array([seed], np.uint64), np.zeros(1, np.int64)
    cost = descend(data, index, intercept, scores, WINDOW, budget, state, work)
    assert cost <= began
    check_model(data, index, int(intercept[0]), scores, cost)


@settings(max_examples=examples(30))
@given(starts(), st.integers(1, 2**62))
def test_after_descent_no_single_coefficient_helps(start, seed):
    data, index, b, scores, _ = start
    intercept, state, work = np.array([b]), np.array([seed], np.uint64), np.zeros(1, np.int64)
    cost = descend(data, index, intercept, scores, WINDOW, 10**9, state, work)
    size = np.count_nonzero(data.values[np.arange(len(index)), index])
    for j in range(len(index)):
        for t in range(data.n_values[j]):
            other = index.copy()
            other[j] = t
            if data.values[j, t] != 0 and data.values[j, index[j]] == 0 and size >= data.max_size:
                continue
            if size > data.max_size:
                continue
            moved = data.values[np.arange(len(other)), other] @ dense(data)
            loss, _ = best_b(moved, data, int(intercept[0]), WINDOW)
            assert loss + feature_price(data, other) >= cost


@settings(max_examples=examples(40))
@given(starts(), st.integers(1, 2**62), st.sampled_from([1, 30, 400]), st.sampled_from([0.1, 1.0, 20.0]))
def test_annealing_keeps_the_best_model_it_saw(start, seed, moves, heat):
    data, index, b, scores, began = start
    intercept, state, work = np.array([b, b]), np.array([seed], np.uint64), np.zeros(1, np.int64)
    row = float(max(1, np.median(data.positive + data.negative)))
    best = np.empty_like(index)
    cost = anneal(data, index, intercept, scores, best, heat * row, 0.1 * heat * row, moves, False, WINDOW, state, work)
    assert cost <= began
    best_scores = data.values[np.arange(len(best)), best] @ dense(data)
    check_model(data, best, int(intercept[1]), best_scores, cost)
    walked = data.values[np.arange(len(index)), index] @ dense(data)
    assert np.array_equal(scores, walked)  # the walk goes on from consistent scores


@settings(max_examples=10)
@given(starts(), st.integers(1, 2**62))
def test_the_same_seed_gives_the_same_walk(start, seed):
    data, index, b, scores, _ = start
    ends = []
    for _ in range(2):
        own, intercept, own_scores = index.copy(), np.array([b, b]), scores.copy()
        state, work = np.array([seed], np.uint64), np.zeros(1, np.int64)
        row = float(max(1, np.median(data.positive + data.negative)))
        best = np.empty_like(own)
        anneal(data, own, intercept, own_scores, best, row, 0.1 * row, 100, True, WINDOW, state, work)
        descend(data, own, intercept, own_scores, WINDOW, 10**6, state, work)
        ends.append((own.tolist(), int(intercept[0]), int(work[0]), int(state[0])))
    assert ends[0] == ends[1]

"""The one rule that chooses the intercept, against trying every b."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.problem.intercept import InterceptChoice, WrongLimit, best_intercept, loss_by_intercept

FREE = InterceptChoice(low=None, high=None, allowed=None)
FAR = 60  # beyond every threshold of the cases below


@st.composite
def scored_rows(draw):
    n = draw(st.integers(1, 7))
    weights = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return (
        np.array(draw(st.lists(st.integers(-12, 12), min_size=n, max_size=n))),
        draw(st.integers(1, 4)),
        np.array(draw(weights)),
        np.array(draw(weights)),
    )


def loss_at(b, scores, step, positive_weight, negative_weight):
    total = scores + b * step
    return int(positive_weight[total <= 0].sum() + negative_weight[total >= 0].sum())


def middle_of_run(b, losses):
    """The middle of the run of equal loss around b; of a run without end, its end."""
    low = high = b
    while low - 1 in losses and losses[low - 1] == losses[b]:
        low -= 1
    while high + 1 in losses and losses[high + 1] == losses[b]:
        high += 1
    if low == -FAR and high == FAR:
        return Fraction(0)
    if low == -FAR:
        return Fraction(high)
    return Fraction(low) if high == FAR else Fraction(low + high, 2)


@given(scored_rows(), st.one_of(st.none(), st.integers(-20, 20)), st.one_of(st.none(), st.integers(0, 20)))
def test_the_choice_is_that_of_trying_every_intercept(rows, low, width):
    high = None if width is None else width if low is None else low + width
    losses = {b: loss_at(b, *rows) for b in range(-FAR, FAR + 1)}
    allowed = [b for b in losses if (low is None or b >= low) and (high is None or b <= high)]
    least = min(losses[b] for b in allowed)
    best = min((b for b in allowed if losses[b] == least), key=lambda b: (abs(b - middle_of_run(b, losses)), abs(b), b))
    assert best_intercept(InterceptChoice(low=low, high=high, allowed=None), *rows) == best


@st.composite
def limits_on(draw, rows):
    n = len(rows[0])
    weights = st.lists(st.integers(-3, 3), min_size=n, max_size=n).map(np.array)
    one = st.builds(WrongLimit, positive_weight=weights, negative_weight=weights, at_most=st.integers(-2, 5))
    return draw(st.lists(one, max_size=3))


def obeyed_at(b, rows, limits):
    return all(
        loss_at(b, rows[0], rows[1], limit.positive_weight, limit.negative_weight) <= limit.at_most for limit in limits
    )


@given(st.data(), scored_rows(), st.one_of(st.none(), st.integers(-20, 20)))
def test_of_the_intercepts_that_obey_limits_on_wrong_rows_the_rule_chooses_one(data, rows, low):
    limits = data.draw(limits_on(rows))
    state = {b: (loss_at(b, *rows), obeyed_at(b, rows, limits)) for b in range(-FAR, FAR + 1)}
    allowed = [b for b in state if state[b][1] and (low is None or b >= low)]
    best = min(allowed, key=lambda b: (state[b][0], abs(b - middle_of_run(b, state)), abs(b), b), default=None)
    assert best_intercept(InterceptChoice(low=low, high=None, allowed=None), *rows, limits) == best


@given(st.data(), scored_rows(), st.lists(st.integers(-15, 15), min_size=1, unique=True).map(sorted))
def test_a_penalised_intercept_may_cost_something_else_at_each_value(data, rows, allowed):
    costs = data.draw(st.lists(st.integers(0, 4), min_size=len(allowed), max_size=len(allowed)))
    limits = data.draw(limits_on(rows))
    choice = InterceptChoice(low=None, high=None, allowed=np.array(allowed), costs=tuple(costs))
    best = min(
        ((loss_at(b, *rows) + cost, abs(b), b) for b, cost in zip(allowed, costs, strict=True)
         if obeyed_at(b, rows, limits)),
        default=(None, None, None),
    )  # fmt: skip
    assert best_intercept(choice, *rows, limits) == best[2]


@given(
    scored_rows(),
    st.lists(st.integers(-15, 15), min_size=1, unique=True).map(sorted),
    st.integers(0, 3),
    st.integers(0, 2),
)
def test_a_penalised_intercept_is_the_cheapest_allowed_then_the_smallest(rows, allowed, nonzero, magnitude):
    choice = InterceptChoice(
        low=None, high=None, allowed=np.array(allowed), cost_nonzero=nonzero, cost_magnitude=magnitude
    )
    best = min(allowed, key=lambda b: (loss_at(b, *rows) + nonzero * (b != 0) + magnitude * abs(b), abs(b), b))
    assert best_intercept(choice, *rows) == best


@given(scored_rows())
def test_the_loss_is_a_step_function_of_b(rows):
    starts, losses = loss_by_intercept(*rows)
    for b in range(-FAR, FAR + 1):
        assert losses[np.searchsorted(starts, b, side="right")] == loss_at(b, *rows)
    assert all(losses[1:] != losses[:-1])


@pytest.mark.parametrize(
    ("scores", "positive", "b"),
    [
        ([0, 10], [0, 1], -5),  # any of -9..-1 is right; -5 is the middle
        ([0, 3], [0, 1], -1),  # -2 and -1 are equally near the middle: the smaller |b|
        ([10, 0], [0, 1], 1),  # one error below -10 and above 0: the ends are -11 and 1, the smaller |b| wins
    ],
)
def test_the_middle_of_the_best_interval_is_taken(scores, positive, b):
    positive = np.array(positive)
    assert best_intercept(FREE, np.array(scores), 1, positive, 1 - positive) == b


def test_integers_longer_than_64_bits_are_no_obstacle():
    long = 10**30
    scores = np.array([0, 2 * long], dtype=object)
    assert best_intercept(FREE, scores, 1, np.array([0, 1]), np.array([1, 0])) == -long

"""The loss over the intercept, against trying every intercept."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from engine.exact.forms import loss_of
from supersparse.engine.exact.cuts import least_over_b, loss_by_b


@st.composite
def scored(draw):
    n = draw(st.integers(1, 12))
    reach = draw(st.sampled_from([3, 20, 100_000]))  # near scores are counted in a table, far ones sorted

    def numbers(least, most):
        return np.array(draw(st.lists(st.integers(least, most), min_size=n, max_size=n)), np.int64)

    step, half = draw(st.sampled_from([(1, 0), (1, 1), (2, 0), (7, 0), (7, 1)]))
    return numbers(-reach, reach), step, half, numbers(0, 5), numbers(0, 5)


@settings(max_examples=examples(150))
@given(scored(), st.data())
def test_every_intercept_has_the_loss_of_its_step(case, draws):
    scores, step, half, positive, negative = case
    starts, losses = loss_by_b(scores, step, half, positive, negative)
    assert (np.diff(starts) > 0).all()
    assert len(losses) == len(starts) + 1
    for s in (*scores.tolist(), *(int(b) * -step for b in starts)):
        for b in range(-(s // step) - 2, -(s // step) + 3):
            at = np.searchsorted(starts, b, side="right")
            assert losses[at] == loss_of(positive, negative, scores + b * step, half)


@settings(max_examples=examples(150))
@given(scored(), st.integers(-9, 9), st.integers(0, 9))
def test_the_least_loss_within_a_range_is_that_of_the_best_intercept_in_it(case, low, width):
    scores, step, half, positive, negative = case
    found, b = least_over_b(*loss_by_b(scores, step, half, positive, negative), low, low + width)
    assert low <= b <= low + width
    assert found == loss_of(positive, negative, scores + b * step, half)
    assert found == min(loss_of(positive, negative, scores + c * step, half) for c in range(low, low + width + 1))

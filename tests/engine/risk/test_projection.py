"""Bounds from risks that agree with the data: below the least loss of the regression, and near it."""

import numpy as np
import pytest

from counts import examples
from engine.risk.probes import probe_last_column
from engine.risk.regressions import regression_loss, sparse_instance
from supersparse.engine.risk.instance import new_support
from supersparse.engine.risk.kernels import relax_open


@pytest.mark.parametrize("share", [0.9, 0.999, 1.001, 1.1])
def test_an_open_box_is_bounded_by_its_regression(share):
    data = sparse_instance().data
    m, n = data.x.shape
    least = regression_loss(data.x, data.positive, data.negative)
    high, found = 5 * data.scale, np.empty(2)
    room = np.zeros(2 + m), np.empty(1 + m), np.empty((8, n)), np.zeros((m + 1, m + 1)), found
    box = np.arange(m), -high, high, np.ones(m, np.int64), np.zeros(m), 3
    passed = relax_open(data, *box, float(data.cap.max()), share * least, *room)
    bound, loss = found
    assert bound <= least <= loss
    assert passed == (share < 1)
    if not passed:
        assert loss == pytest.approx(least, abs=1e-7)
        assert bound == pytest.approx(least, abs=0.01)


@pytest.mark.parametrize("seed", range(examples(10)))
def test_a_last_column_is_excluded_only_if_its_regression_is_above_the_threshold(seed):
    instance, rng = sparse_instance(rows=400, columns=8, seed=seed), np.random.default_rng(seed)
    data, k = instance.data, int(rng.integers(1, 4))
    chosen, shares = rng.permutation(8)[: k + 1], np.array([0.9, 0.98, 0.999, 1.0 + 1e-9, 1.001, 1.1])
    least = regression_loss(data.x[chosen], data.positive, data.negative)
    found = np.empty(1 + len(shares))
    assert probe_last_column(data, new_support(instance), chosen, shares * least, np.empty(k + 2), found)
    loss, excluded = found[0], found[1:]
    without = regression_loss(data.x[chosen[:k]], data.positive, data.negative)
    assert least <= loss == pytest.approx(without, abs=1e-5)
    for share, is_excluded in zip(shares, excluded, strict=True):
        assert not is_excluded or share < 1
        assert is_excluded or share > 0.98 or loss > 1.05 * least  # a column that tells much is left to others


def test_a_column_twice_is_no_step_to_anywhere():
    instance = sparse_instance(rows=300, columns=4)
    data, k = instance.data, 2
    data.x[2] = data.x[1]
    loss = regression_loss(data.x[:2], data.positive, data.negative)
    shares, found, step = np.array([0.9, 1.1]), np.empty(3), np.empty(k + 2)
    assert probe_last_column(data, new_support(instance), np.arange(3), shares * loss, step, found)
    assert found[1:].tolist() == [1, 0]
    assert np.abs(step).max() < 10

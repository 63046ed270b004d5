"""Rows merged on columns of many values, and open boxes relaxed by a regression."""

import numpy as np
import pytest

from engine.kernels.regressions import from_python, regression_loss, sparse_instance
from supersparse.engine.kernels import risk_cards
from supersparse.engine.kernels.risk_projection import relax_open
from supersparse.engine.risk.instance import new_support

merge_rows = from_python(risk_cards.merge_rows)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_merged_rows_are_the_distinct_rows_with_their_weights(size):
    data = sparse_instance().data
    support = new_support(sparse_instance())
    support.columns[:size] = range(size)
    count = merge_rows(data, support, size)
    rows, place = np.unique(data.x[:size], axis=1, return_inverse=True)
    assert count == rows.shape[1] < 0.7 * data.x.shape[1]
    order = np.lexsort(support.x[:size, :count][::-1])
    assert (support.x[:size, :count][:, order] == rows).all()
    for merged, of_rows in ((support.positive, data.positive), (support.negative, data.negative)):
        assert merged[:count][order] == pytest.approx(np.bincount(place.reshape(-1), of_rows), abs=1e-15)


@pytest.mark.parametrize("share", [0.9, 0.999, 1.001, 1.1])
def test_an_open_box_is_bounded_by_its_regression(share):
    data = sparse_instance().data
    m, n = data.x.shape
    least = regression_loss(data.x, data.positive, data.negative)
    high, point, gram = 5 * data.scale, np.zeros(2 + m), np.zeros((m + 1, m + 1))
    box = (data.x, np.arange(m), data.positive, data.negative, n, -high, high, np.ones(m, np.int64))
    found = (share * least, data.limits, point, np.empty(1 + m), np.empty((8, n)), gram)
    passed, bound, loss = relax_open(*box, np.zeros(m), 3, float(data.cap.max()), *found)
    assert bound <= least <= loss
    assert passed == (share < 1)
    if not passed:
        assert loss == pytest.approx(least, abs=1e-7)
        assert bound == pytest.approx(least, abs=0.01)

"""Rows merged on columns of many values."""

import numpy as np
import pytest

from engine.kernels.regressions import from_python, sparse_instance
from supersparse.engine.kernels import risk_cards
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

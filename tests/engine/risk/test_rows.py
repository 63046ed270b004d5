"""Sums over rows by their definitions, and rows merged on columns of many values."""

import numpy as np
import pytest

from engine.risk.probes import probe_curvature, probe_dots, probe_entropy, probe_load, probe_logarithms, probe_scores
from engine.risk.regressions import sparse_instance
from supersparse.engine.risk.instance import new_support


def test_logarithms_are_as_exact_as_they_say():
    x = np.concatenate([10.0 ** np.linspace(-300, 0, 3001), 1 - 10.0 ** np.linspace(-16, -0.1, 500)])
    found = np.empty(len(x))
    probe_logarithms(x, found)
    assert (np.abs(found - np.log(x)) <= 4 * 2.0**-53 + 2.0**-52 * np.abs(np.log(x))).all()


def test_the_entropy_is_the_least_loss_of_rows_with_these_risks():
    rng = np.random.default_rng(0)
    risk, weight = np.concatenate([[0.0, 1.0, 1e-300], rng.random(997)]), rng.random(1000)
    at_ends = np.clip(risk, 1e-300, 1 - 1e-16)
    expected = -weight @ (risk * np.log(at_ends) + (1 - risk) * np.log1p(-at_ends))
    found = np.empty(1)
    probe_entropy(risk, risk * weight, (1 - risk) * weight, found)
    assert found[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("count", range(10))
@pytest.mark.parametrize("rows", [1, 600])
def test_scores_and_products_are_those_of_all_columns(count, rows):
    rng = np.random.default_rng(count)
    x, columns, point = rng.normal(size=(12, rows)), rng.permutation(12)[:count], rng.normal(size=2 + count)
    z, v, products = np.empty(rows), rng.normal(size=rows), np.full(count + 1, 7.0)
    probe_scores(x, columns, point, 2, z)
    assert z == pytest.approx(point[0] + point[2:] @ x[columns], abs=1e-12)
    probe_dots(x, columns, v, products)
    assert products[:count] == pytest.approx(x[columns] @ v, abs=1e-12)
    assert products[count] == 7


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("rows", [3, 256, 700])
def test_the_curvature_is_that_of_all_pairs_of_columns(columns, rows):
    rng = np.random.default_rng([columns, rows])
    x, weights = rng.normal(size=(9, rows)), rng.random(rows)
    chosen, h = rng.permutation(9)[:columns], np.empty((columns + 1, columns + 1))
    probe_curvature(x, chosen, weights, h)
    every = np.vstack([np.ones(rows), x[chosen]])
    assert h == pytest.approx((every * weights) @ every.T, abs=1e-10)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_merged_rows_are_the_distinct_rows_with_their_weights(size):
    data = sparse_instance().data
    support = new_support(sparse_instance())
    count = probe_load(data, support, np.arange(size))
    rows, place = np.unique(data.x[:size], axis=1, return_inverse=True)
    assert count == rows.shape[1] < 0.7 * data.x.shape[1]
    order = np.lexsort(support.x[:size, :count][::-1])
    assert (support.x[:size, :count][:, order] == rows).all()
    for merged, of_rows in ((support.positive, data.positive), (support.negative, data.negative)):
        assert merged[:count][order] == pytest.approx(np.bincount(place.reshape(-1), of_rows), abs=1e-15)

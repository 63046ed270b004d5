"""Bounds from risks that agree with the data: below the least loss of the regression, and near it."""

import numpy as np
import pytest

from engine.kernels.regressions import from_python
from supersparse.engine.kernels import risk_bound, risk_loss

entropy_of = from_python(risk_loss.entropy_of)
curvature_of = from_python(risk_bound.curvature_of)
scores_at = from_python(risk_bound.scores_at)
dots = from_python(risk_bound.dots)


def test_logarithms_are_as_exact_as_they_say():
    x = np.concatenate([10.0 ** np.linspace(-300, 0, 3001), 1 - 10.0 ** np.linspace(-16, -0.1, 500)])
    found = np.array([risk_loss.log_of(float(value)) for value in x])
    assert (np.abs(found - np.log(x)) <= 4 * 2.0**-53 + 2.0**-52 * np.abs(np.log(x))).all()


def test_the_entropy_is_the_least_loss_of_rows_with_these_risks():
    rng = np.random.default_rng(0)
    risk, weight = np.concatenate([[0.0, 1.0, 1e-300], rng.random(997)]), rng.random(1000)
    at_ends = np.clip(risk, 1e-300, 1 - 1e-16)
    expected = -weight @ (risk * np.log(at_ends) + (1 - risk) * np.log1p(-at_ends))
    assert entropy_of(risk, risk * weight, (1 - risk) * weight, 1000) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("count", range(10))
@pytest.mark.parametrize("rows", [1, 600])
def test_scores_and_products_are_those_of_all_columns(count, rows):
    rng = np.random.default_rng(count)
    x, columns, point = rng.normal(size=(12, rows)), rng.permutation(12)[:count], rng.normal(size=2 + count)
    z, v, products = np.empty(rows), rng.normal(size=rows), np.full(count + 1, 7.0)
    scores_at(z, point, 2, x, columns, count, rows)
    assert z == pytest.approx(point[0] + point[2:] @ x[columns], abs=1e-12)
    dots(v, x, columns, count, rows, products)
    assert products[:count] == pytest.approx(x[columns] @ v, abs=1e-12)
    assert products[count] == 7


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("rows", [3, 256, 700])
def test_the_curvature_is_that_of_all_pairs_of_columns(columns, rows):
    rng = np.random.default_rng([columns, rows])
    x, weights = rng.normal(size=(9, rows)), rng.random(rows)
    chosen, h = rng.permutation(9)[:columns], np.empty((columns + 1, columns + 1))
    curvature_of(x, chosen, weights, columns, rows, h)
    every = np.vstack([np.ones(rows), x[chosen]])
    assert h == pytest.approx((every * weights) @ every.T, abs=1e-10)

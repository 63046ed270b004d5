"""Penalised paths, by their optimality conditions."""

import numpy as np
import pytest
from scipy.special import expit

from paper_study.tiny import tiny_data
from study.methods.paths import path_of_lambdas, penalised_path, standardised
from study.methods.penalised import ElasticNet, Lasso, Ridge
from supersparse.datasets import load_breast_cancer


def tables():
    biopsy = load_breast_cancer()
    X = biopsy.X[::3].astype(float)
    yield X, biopsy.y[::3].astype(float)
    # a constant column, a copy and a sum: nothing of it may disturb
    yield (np.column_stack([X, np.ones(len(X)), X[:, 0], X[:, 1] + X[:, 2]]), biopsy.y[::3].astype(float))


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("table", list(tables()), ids=["plain", "dependent columns"])
def test_every_model_of_a_path_is_optimal(table, alpha):
    X, y = table
    Z, _, spread = standardised(X)
    lambdas = path_of_lambdas(X, y, alpha, 12)
    for value, model in zip(lambdas, penalised_path(X, y, lambdas, alpha), strict=True):
        left = y - expit(X @ model.coefficients + model.intercept)
        assert abs(left.mean()) < 1e-3  # the intercept is not penalised
        beta = np.where(np.isfinite(spread), model.coefficients * np.where(np.isfinite(spread), spread, 0), 0)
        slope = Z.T @ left / len(y) - value * (1 - alpha) * beta
        used = beta != 0
        assert np.all(np.abs(slope) <= alpha * value + 1e-3)
        assert np.allclose(slope[used], alpha * value * np.sign(beta[used]), atol=1e-3)


def test_the_largest_penalty_leaves_no_feature_and_the_next_one_does():
    X, y = next(tables())
    first, second, *_ = penalised_path(X, y, path_of_lambdas(X, y, 1.0, 20), 1.0)
    assert np.count_nonzero(np.abs(first.coefficients) > 1e-9) == 0
    assert first.intercept == pytest.approx(np.log(y.mean() / (1 - y.mean())), abs=1e-6)
    assert np.count_nonzero(second.coefficients) >= 1


def test_a_path_over_separable_rows_ends_where_nothing_is_left_to_explain():
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9.5).astype(float)
    models = penalised_path(X, y, path_of_lambdas(X, y, 1.0), 1.0)
    assert all(np.isfinite(m.coefficients).all() for m in models)
    assert np.array_equal(models[-1].predict(X), y == 1)


def test_ridge_keeps_all_features_and_the_lasso_does_not():
    data = tiny_data()
    sizes = {}
    for method in (Ridge(count=8), ElasticNet(count=8), Lasso(count=8)):
        models = list(method.fit(data, method.settings(data), 0))
        sizes[method.name] = [m.size.features for m in models]
    assert set(sizes["Ridge"]) == {3}
    assert min(sizes["Lasso"]) == 0
    assert max(sizes["Lasso"]) == 3


def test_settings_go_from_the_least_penalty_to_the_largest():
    values = [s.number("penalty") for s in Lasso(count=5).settings(tiny_data())]
    assert values == sorted(values)

import numpy as np
import pytest
from scipy.special import expit

from paper_study.tiny import tiny_data
from study.methods.logistic import LogisticRegression, fit_logistic, independent_columns


def test_the_likelihood_is_at_its_maximum():
    data = tiny_data()
    model = fit_logistic(data.X, data.y)
    left = data.y - expit(data.X @ model.coefficients + model.intercept)
    assert np.allclose(data.X.T @ left, 0, atol=1e-4)
    assert left.sum() == pytest.approx(0, abs=1e-4)


def test_columns_that_depend_on_those_before_get_no_coefficient():
    data = tiny_data()
    X = np.column_stack([data.X[:, 0], np.full(60, 7), data.X[:, 0] * 2 + 1, data.X[:, 1:]])
    assert independent_columns(X.astype(float)) == [0, 3, 4]
    model = fit_logistic(X, data.y)
    assert model.coefficients[[1, 2]].tolist() == [0, 0]
    assert model.coefficients[[0, 3, 4]] == pytest.approx(fit_logistic(data.X, data.y).coefficients)


def test_separable_rows_end_in_a_model_that_separates_them():
    X = np.arange(20)[:, None]
    y = X[:, 0] > 9
    assert np.array_equal(fit_logistic(X, y).predict(X), y)


def test_its_size_counts_what_has_a_coefficient():
    data = tiny_data()
    method = LogisticRegression()
    (model,) = method.fit(data, method.settings(data), 0)
    assert (model.size.features, model.size.with_intercept) == (3, 4)

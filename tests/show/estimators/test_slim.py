"""SLIMClassifier: what is fitted, from any kind of data."""

import logging
import os
import pickle
import signal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from supersparse import SLIMClassifier, Stop, non_negative
from supersparse.learn import recipe

NAMES = ["age", "bmi", "constant"]
# y is 1 where age + 2·bmi > 4, but for the last row
X = np.array([[0, 0, 7], [1, 1, 7], [4, 0, 7], [5, 0, 7], [1, 2, 7], [3, 1, 7], [0, 3, 7], [6, 1, 7]], dtype=float)
Y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
MODEL = SLIMClassifier(C0=0.13, max_points=3, time_limit=None)


def test_the_fitted_attributes_of_a_model_checked_by_hand():
    model = clone(MODEL).fit(pd.DataFrame(X, columns=NAMES), Y)
    # two features save 3 of 4 rows for 2·0.13; one alone saves 2 for 0.13: F = 1/4 + 0.13 against 1/8 + 0.26
    assert (model.coef_.shape, model.intercept_.shape) == ((1, 3), (1,))
    assert model.objective_ == model.lower_bound_ == float(Fraction(1, 4) + Fraction(13, 100))
    assert (model.gap_, model.proven_optimal_, model.proven_smallest_) == (0.0, True, True)
    assert model.training_errors_ == 2
    assert isinstance(model.training_errors_, int)
    assert model.stop_ is Stop.OPTIMAL
    assert model.trace_.incumbents[-1].points.coefficients == model.points_.coefficients
    assert model.classes_.tolist() == [0, 1]
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == NAMES
    assert model.ignored_features_.tolist() == ["constant"]
    assert model.coef_[0, 2] == 0
    assert model.score(pd.DataFrame(X, columns=NAMES), Y) == 6 / 8


def test_the_card_says_what_the_model_does():
    model = clone(MODEL).fit(pd.DataFrame(X, columns=NAMES), Y)
    used = {n: c for n, c in zip(NAMES, model.coef_[0], strict=True) if c}
    assert model.scoring_system_.points == used
    assert model.scoring_system_.card.zero_total == -model.intercept_[0]
    for name in used:
        assert f"{name.capitalize()} (" in str(model.scoring_system_)


def test_training_errors_count_a_zero_against_both_and_predicted_errors_do_not():
    # both rows score 0 whatever λ is: one is wrong for the training, and predict is right on the negative
    model = SLIMClassifier(C0=0.6, intercept="none", max_points=1)
    with pytest.warns(UserWarning, match="C0"):
        model.set_params(C0=1.5).fit([[0, 1], [0, 2]], [0, 1])
    assert (model.training_errors_, model.predicted_errors_) == (2, 1)
    assert model.decision_function([[0, 1]]).tolist() == [0.0]
    assert model.predict([[0, 1]]).tolist() == [0]


@pytest.mark.parametrize(
    "labels", [[-1, 1], [False, True], ["no", "yes"], [2.5, 7.25], [3, 10]], ids=lambda v: str(v[1])
)
def test_labels_may_be_any_two_values(labels):
    y = np.array(labels)[Y]
    model = clone(MODEL).fit(X, y)
    assert model.classes_.tolist() == labels
    assert model.score(X, y) == 6 / 8
    assert model.score(X, y, sample_weight=Y) == 1 - (model.predict(X) != y)[Y == 1].mean()
    assert model.points_ == clone(MODEL).fit(X, Y).points_


def test_labels_may_come_in_any_series():
    expected = clone(MODEL).fit(X, Y).points_
    for y in (Y.tolist(), pd.Series(Y), pl.Series(Y), pa.array(Y), pd.Series(Y, dtype="category")):
        assert clone(MODEL).fit(X, y).points_ == expected


TABLES = {
    "pandas": pd.DataFrame(X, columns=NAMES),
    "polars": pl.DataFrame(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow": pa.table(dict(zip(NAMES, X.T, strict=True))),
    "record batch": pa.RecordBatch.from_pydict(dict(zip(NAMES, X.T, strict=True))),
    "numpy": X,
    "csr": sp.csr_array(X),
    "coo matrix": sp.coo_matrix(X),
    "integers": X.astype(int),
    "pandas without text names": pd.DataFrame(X),
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_gives_the_same_model_and_predictions(kind):
    expected = clone(MODEL).fit(X, Y)
    model = clone(MODEL).fit(TABLES[kind], Y)
    assert model.points_ == expected.points_
    assert model.decision_function(TABLES[kind]).tolist() == expected.decision_function(X).tolist()
    assert hasattr(model, "feature_names_in_") == (kind in ("pandas", "polars", "pyarrow", "record batch"))


@pytest.mark.parametrize(
    "turned",
    [TABLES["pandas"][NAMES[::-1]], TABLES["polars"].select(NAMES[::-1]), TABLES["pyarrow"].select(NAMES[::-1])],
    ids=["pandas", "polars", "pyarrow"],
)
def test_columns_in_another_order_are_refused(turned):
    for kind in ("pandas", "polars", "pyarrow"):
        model = clone(MODEL).fit(TABLES[kind], Y)
        with pytest.raises(ValueError, match="same order as they were in fit"):
            model.predict(turned)


def test_repeating_a_row_equals_weighting_it_and_the_order_of_rows_is_nothing():
    weights = np.array([1, 3, 2, 0, 1, 2, 1, 4])
    weighted = clone(MODEL).fit(X, Y, sample_weight=weights)
    repeated = clone(MODEL).fit(X.repeat(weights, axis=0), Y.repeat(weights))
    order = np.random.default_rng(0).permutation(weights.sum())
    permuted = clone(MODEL).fit(X.repeat(weights, axis=0)[order], Y.repeat(weights)[order])
    halved = clone(MODEL).fit(X, Y, sample_weight=pd.Series(weights / 2))
    assert weighted.points_ == repeated.points_ == permuted.points_ == halved.points_
    assert weighted.training_errors_ == repeated.training_errors_ == 2 * halved.training_errors_


def test_class_weights_move_the_model():
    careful = clone(MODEL).set_params(class_weight={1: 100}).fit(X, Y)
    assert careful.predict(X)[Y == 1].all()
    balanced = clone(MODEL).set_params(class_weight="balanced").fit(X, Y)
    assert balanced.points_ == clone(MODEL).fit(X, Y).points_  # four rows of each class


def test_sets_by_name_reach_the_problem():
    frame = pd.DataFrame(X, columns=NAMES)
    model = clone(MODEL).set_params(C0=0.125, points={"age": [0, 0.5], "bmi": non_negative(2)}).fit(frame, Y)
    assert set(model.coef_[0]) <= {0, 0.5, 1, 2}
    assert model.points_.denominator == 2


def test_the_size_limit_and_the_intercept_reach_the_problem():
    assert np.count_nonzero(clone(MODEL).set_params(C0=0.125, max_features=1).fit(X, Y).coef_) <= 1
    assert clone(MODEL).set_params(intercept="none").fit(X, Y).intercept_ == 0
    assert clone(MODEL).set_params(intercept=(-1, 1)).fit(X, Y).intercept_ in (-1, 0, 1)


def options_given_to_solve(monkeypatch, model):
    seen = {}

    def spy(problem, **options):
        seen.update(options)
        return original(problem, **{**options, "n_jobs": 1, "solver": "exhaustive"})

    original = recipe.solve
    monkeypatch.setattr(recipe, "solve", spy)
    model.fit(X[:, :1], Y)
    return seen


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ({"n_jobs": None}, {"n_jobs": 1}),
        ({"n_jobs": 3}, {"n_jobs": 3}),
        ({"random_state": None}, {"random_state": 0}),
        ({"random_state": 7}, {"random_state": 7}),
        ({"gap": 0.1}, {"gap": 0.1}),
        ({"time_limit": 500, "node_limit": 9}, {"time_limit": pytest.approx(500, abs=50), "node_limit": 9}),
    ],
)
def test_parameters_become_the_options_of_the_solver(monkeypatch, given, passed):
    seen = options_given_to_solve(monkeypatch, clone(MODEL).set_params(**given))
    assert {name: seen[name] for name in passed} == passed


def test_a_random_state_object_gives_a_seed_and_moves_on(monkeypatch):
    state = np.random.RandomState(3)
    first = options_given_to_solve(monkeypatch, clone(MODEL).set_params(random_state=state))["random_state"]
    assert first == np.random.RandomState(3).randint(np.iinfo(np.int32).max)


def test_a_limit_keeps_the_best_found_and_says_so():
    model = clone(MODEL).set_params(node_limit=1, solver="exhaustive").fit(X, Y)
    assert model.stop_ is Stop.NODE_LIMIT
    assert not model.proven_optimal_
    assert model.gap_ == 1.0


def test_ctrl_c_during_fit_keeps_the_best_found():
    class Interrupt(logging.Handler):
        def emit(self, record):
            os.kill(os.getpid(), signal.SIGINT)
            logger.removeHandler(self)

    logger = logging.getLogger("supersparse")
    logger.addHandler(Interrupt())
    model = clone(MODEL).set_params(solver="exhaustive", verbose=2).fit(X, Y)
    assert model.stop_ is Stop.INTERRUPTED
    assert model.predict(X).shape == (8,)


def test_a_model_without_features_predicts_one_class_on_any_table():
    model = clone(MODEL).set_params(max_features=0).fit(X, np.r_[Y[:-1], 1])
    assert model.predict(X).tolist() == model.predict(sp.csr_array(X)).tolist() == [1] * 8
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert model.predict(pl.DataFrame(X, schema=NAMES)).tolist() == [1] * 8


def test_a_pickled_model_predicts_the_same_and_holds_no_training_rows():
    many = np.vstack([X] * 500)
    model = clone(MODEL).fit(many, np.hstack([Y] * 500))
    pickled = pickle.dumps(model)
    assert len(pickled) < 20_000
    assert pickle.loads(pickled).decision_function(X).tolist() == model.decision_function(X).tolist()

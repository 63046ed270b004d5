"""Pipelines, searches, cross-validation, clones and metadata routing."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

from supersparse import SLIMClassifier, SLIMClassifierCV, one_digit

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

rng = np.random.default_rng(1)
X = rng.integers(0, 5, size=(40, 3)).astype(float)
Y = np.where(X[:, 0] - X[:, 1] + rng.normal(0, 0.5, 40) > 0, "ill", "healthy")
FRAME = pd.DataFrame(X, columns=["age", "bmi", "pulse"])
MODEL = SLIMClassifier(C0=0.05, max_points=3, time_limit=None, node_limit=20)


def test_a_clone_has_the_same_parameters_and_nothing_fitted():
    model = SLIMClassifier(C0=0.05, points=one_digit(), class_weight={"ill": 2})
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "coef_")


def test_it_works_at_the_end_of_a_pipeline_of_frames():
    bins = KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform")
    steps = make_pipeline(bins, clone(MODEL)).fit(FRAME, Y)
    alone = clone(MODEL).fit(clone(bins).fit_transform(FRAME), Y)
    assert steps[-1].points_ == alone.points_
    assert steps.predict(FRAME).tolist() == alone.predict(steps[0].transform(FRAME)).tolist()
    scaled = Pipeline([("scale", StandardScaler().set_output(transform="pandas")), ("model", clone(MODEL))])
    assert scaled.fit(FRAME, Y)["model"].feature_names_in_.tolist() == ["age", "bmi", "pulse"]


def test_it_follows_a_column_transformer():
    chosen = ColumnTransformer([("keep", "passthrough", ["bmi", "age"])]).set_output(transform="pandas")
    model = make_pipeline(chosen, clone(MODEL)).fit(FRAME, Y)[-1]
    assert model.feature_names_in_.tolist() == ["keep__bmi", "keep__age"]


def test_a_grid_search_tunes_any_parameter():
    grid = GridSearchCV(MODEL, {"max_features": [0, 2], "max_points": np.array([1, 3])}, cv=2).fit(FRAME, Y)
    assert grid.best_params_["max_features"] == 2
    assert grid.best_estimator_.scoring_system_ is not None


@pytest.mark.parametrize("model", [MODEL, SLIMClassifierCV(Cs=[0.05, 0.2], cv=2, max_points=2, node_limit=5)])
def test_cross_validation_takes_several_scores(model):
    scores = cross_validate(model, FRAME, Y, cv=2, scoring=["accuracy", "roc_auc"], error_score="raise")
    assert (scores["test_roc_auc"] > 0.7).all()


def test_weights_are_routed_through_a_pipeline_into_fit_and_score():
    weights = np.arange(40) % 3
    with config_context(enable_metadata_routing=True):
        for model in (MODEL, SLIMClassifierCV(Cs=[0.05, 0.2], cv=2, max_points=2, node_limit=5, time_limit=None)):
            routed = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            steps = make_pipeline(StandardScaler(with_mean=False, with_std=False), routed)
            steps[0].set_fit_request(sample_weight=False)
            steps.fit(X, Y, sample_weight=weights)
            alone = clone(model).fit(X, Y, sample_weight=weights)
            assert steps[-1].points_ == alone.points_
            assert steps.score(X, Y, sample_weight=weights) == alone.score(X, Y, sample_weight=weights)


def test_weights_and_groups_are_routed_through_cross_validation():
    weights, groups = np.ones(40), np.arange(40) % 2
    model = SLIMClassifierCV(Cs=[0.1], cv=GroupKFold(2), max_points=2, node_limit=5, time_limit=None)
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=True)
        params = {"sample_weight": weights, "groups": groups}
        scores = cross_validate(model, X, Y, cv=2, params=params, error_score="raise")
    assert len(scores["test_score"]) == 2


def test_the_display_of_parameters_shows_what_was_set():
    assert repr(MODEL) == "SLIMClassifier(C0=0.05, max_points=3, node_limit=20, time_limit=None)"
    assert "SLIMClassifier" in MODEL._repr_html_()

"""positive=: the class that the user calls positive, whatever its name and its size say."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse.constraints import min_sensitivity
from supersparse.errors import InvalidSettingsError

rng = np.random.default_rng(5)
X = rng.integers(0, 6, size=(60, 3)).astype(float)
IS_CASE = 2 * X[:, 0] + X[:, 1] + rng.normal(0, 2, 60) > 9
Y = np.where(IS_CASE, "case", "control")
ONE = SLIMClassifier(C0=0.03, max_points=3, time_limit=None, node_limit=200)
CV = SLIMClassifierCV(Cs=[0.03, 0.1], cv=3, max_points=3, time_limit=None, node_limit=200)


def sensitivity_to_cases(model):
    return (model.predict(X[IS_CASE]) == "case").mean()


@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
def test_a_sensitivity_asked_for_protects_the_class_called_positive(model):
    asked = clone(model).set_params(constraints=[min_sensitivity(0.99)])
    cases = clone(asked).set_params(positive="case").fit(X, Y)
    assert cases.positive_ == "case"
    assert cases.training_sensitivity_ >= 0.99
    assert sensitivity_to_cases(cases) >= 0.99
    assert cases.scoring_system_.classes == ("control", "case")
    assert clone(model).fit(X, Y).positive_ == "case"  # by its name
    controls = clone(asked).set_params(positive="control").fit(X, Y)
    assert (controls.predict(X[~IS_CASE]) == "control").mean() >= 0.99
    assert sensitivity_to_cases(controls) < 0.99


@pytest.mark.parametrize("positive", [None, "case", "control"])
@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
def test_what_scikit_learn_relies_on_holds_for_each_choice(model, positive):
    fitted = clone(model).set_params(positive=positive).fit(X, Y)
    assert fitted.classes_.tolist() == ["case", "control"]
    scores = fitted.decision_function(X)
    assert scores == pytest.approx(X @ fitted.coef_[0] + fitted.intercept_[0])
    decided = scores != 0
    assert (fitted.classes_[(scores > 0).astype(int)] == fitted.predict(X))[decided].all()
    assert (fitted.scoring_system_.predict(X) == fitted.predict(X)).all()
    assert set(fitted.scoring_system_.points.values()) == {v for v in fitted.points_.values if v}


def test_scorers_give_the_same_whichever_class_is_positive():
    precision = make_scorer(average_precision_score, pos_label="case", response_method="decision_function")
    for scoring, least in [("roc_auc", 0.7), ("accuracy", 0.7), (precision, 0.6)]:
        found = [
            cross_val_score(clone(ONE).set_params(positive=p), X, Y, cv=3, scoring=scoring).mean()
            for p in ("control", "case")
        ]
        assert found[0] == pytest.approx(found[1], abs=0.05)  # ties between models may be broken otherwise
        assert min(found) > least


@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
def test_probabilities_stand_in_the_order_of_the_classes(model):
    risks = {}
    for positive in ("case", "control"):
        fitted = clone(model).set_params(positive=positive, calibrate="logistic").fit(X, Y)
        of_case = fitted.predict_proba(X)[:, fitted.classes_.tolist().index("case")]
        assert of_case[IS_CASE].mean() > of_case[~IS_CASE].mean() + 0.1
        risks[positive] = of_case
        stated = fitted.scoring_system_.predict_risk(X)
        assert stated == pytest.approx(of_case if positive == "case" else 1 - of_case)
    losses = [-np.log(np.where(IS_CASE, r, 1 - r)).mean() for r in risks.values()]
    assert losses[0] == pytest.approx(losses[1], abs=0.1)


def test_it_is_searched_and_cross_validated():
    grid = GridSearchCV(clone(ONE).set_params(positive="case"), {"C0": [0.03, 0.2]}, scoring="roc_auc", cv=3)
    assert grid.fit(X, Y).best_score_ > 0.7
    predicted = cross_val_predict(clone(ONE).set_params(positive="case"), X, Y, cv=3)
    assert (predicted == Y).mean() > 0.7
    # labels are encoded in sorted order there, so that the case is 0
    scores = cross_val_predict(clone(ONE).set_params(positive=0), X, Y, cv=3, method="decision_function")
    assert scores[~IS_CASE].mean() > scores[IS_CASE].mean()


@pytest.mark.parametrize(
    "labels",
    [pd.Series(Y), pd.Series(Y, dtype="category"), pl.Series(Y), Y.tolist(), Y.astype(object)],
    ids=["pandas", "category", "polars", "list", "objects"],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_and_series_of_any_library(frame, labels):
    expected = clone(ONE).set_params(positive="case").fit(X, Y)
    table = frame({name: X[:, j] for j, name in enumerate("abc")})
    found = clone(ONE).set_params(positive="case").fit(table, labels)
    assert found.points_ == expected.points_
    assert found.predict(table).tolist() == expected.predict(X).tolist()


@pytest.mark.parametrize("positive", [False, np.False_, 0])
def test_truth_values_are_labels_too(positive):
    model = clone(ONE).set_params(positive=positive).fit(X, IS_CASE)
    assert not model.positive_
    assert model.scoring_system_.classes == (True, False)
    assert (model.predict(X) == IS_CASE).mean() > 0.7


@pytest.mark.parametrize("model", [ONE, CV], ids=["one", "cv"])
def test_an_unknown_label_is_named_with_those_there_are(model):
    with pytest.raises(InvalidSettingsError, match="positive: no row has the label 'cases'; did you mean 'case'"):
        clone(model).set_params(positive="cases").fit(X, Y)


def test_prepared_columns_take_it_too():
    table = pd.DataFrame({"age": X[:, 0] * 10, "sex": np.where(X[:, 1] > 2, "f", "m")})
    model = SLIMClassifier(prepare="auto", positive="case", C0=0.03, max_points=3, node_limit=200, time_limit=None)
    model.fit(table, Y)
    assert model.scoring_system_.classes == ("control", "case")
    assert (model.predict(table) == model.scoring_system_.predict(table)).all()
    assert (model.predict(table) == Y).mean() > 0.7

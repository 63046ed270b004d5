"""Levels, constraints and groups through the classifiers."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from supersparse import SLIMClassifier, SLIMClassifierCV
from supersparse import constraints as c
from supersparse.errors import InfeasibleError, InvalidDataError, InvalidProblemError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

RANDOM = np.random.default_rng(3)
X = pd.DataFrame(RANDOM.integers(0, 4, (40, 2)), columns=["age", "bmi"])
Y = np.asarray(X.age + RANDOM.integers(0, 2, 40) > 2).astype(int)
labels = np.array(["f", "m"] * 20)
OPTIONS = {"max_points": 2, "solver": "exhaustive"}


def test_rates_are_reported_with_every_fit():
    model = SLIMClassifier(**OPTIONS).fit(X, Y)
    right = np.sign(model.decision_function(X)) == np.where(Y, 1, -1)
    assert model.training_sensitivity_ == np.mean(right[Y == 1])
    assert model.training_specificity_ == np.mean(right[Y == 0])


def test_a_rate_asked_for_is_kept_in_every_group():
    free = SLIMClassifier(C0=0.4, **OPTIONS).fit(X, Y)
    assert min(free.training_sensitivity_, free.training_specificity_) == 0
    asked = [c.min_sensitivity(0.8, group="sex"), c.min_specificity(0.5, group=("sex", "m"))]
    for groups in ({"sex": labels}, pd.DataFrame({"sex": labels})):
        model = SLIMClassifier(C0=0.4, constraints=asked, **OPTIONS).fit(X, Y, rate_groups=groups)
        scores = model.decision_function(X)
        for sex in "fm":
            assert np.mean(scores[(labels == sex) & (Y == 1)] > 0) >= 0.8
        assert np.mean(scores[(labels == "m") & (Y == 0)] < 0) >= 0.5


def test_levels_and_sizes_are_obeyed():
    levels = [([1, -1], 0.01), ([2, -2], 0.3)]
    model = SLIMClassifier(levels=levels, min_features=2, solver="exhaustive").fit(X, Y)
    assert np.abs(model.coef_).tolist() == [[1, 1]]
    made = model.scoring_system_.card.provenance
    assert "a penalty by the level" in f"{made.minimised}; {made.allowed}"
    assert "at least 2 features" in made.allowed
    with pytest.raises(InvalidProblemError, match="remove C0"):
        SLIMClassifier(levels=levels, C0=0.1).fit(X, Y)


def test_cross_validation_divides_the_groups_of_the_rates():
    asked = [c.min_sensitivity(0.5, group="sex")]
    model = SLIMClassifierCV(Cs=[0.01, 0.3], cv=2, constraints=asked, **OPTIONS)
    model.fit(X, Y, rate_groups={"sex": labels.tolist()})
    scores = model.decision_function(X)
    assert all(np.mean(scores[(labels == sex) & (Y == 1)] > 0) >= 0.5 for sex in "fm")
    with pytest.raises(InvalidDataError, match="'sex' has 2 labels for 40 rows"):
        model.fit(X, Y, rate_groups={"sex": [1, 2]})
    rare = np.array(["m"] * 39 + ["f"])
    with pytest.raises(InvalidProblemError, match="fold 2 of 2: the groups of 'sex': no row has the label 'f'"):
        clone(model).set_params(constraints=[c.min_sensitivity(0, group=("sex", "f"))]).fit(
            X, np.r_[Y[:39], 1], rate_groups={"sex": rare}
        )


def test_a_fold_that_cannot_obey_is_named():
    model = SLIMClassifierCV(Cs=[0.01], cv=2, constraints=c.max_error(0), **OPTIONS)
    with pytest.raises(InfeasibleError, match="the training rows of fold 1 of 2: no scoring system"):
        model.fit(X, 1 - np.roll(Y, 1))


def test_cross_validation_with_levels_chooses_c0_for_the_other_features():
    levels = {"age": [([1, 2], 0.01)]}
    model = SLIMClassifierCV(Cs=[0.01, 0.4], cv=2, levels=levels, **OPTIONS).fit(X, Y)
    assert model.coef_[0, 0] > 0
    with pytest.raises(InvalidProblemError, match="there is no C0 to choose; use SLIMClassifier"):
        model.set_params(levels=[([1], 0.1)]).fit(X, Y)


def test_constraints_are_parameters_like_others():
    model = SLIMClassifier(constraints=[c.at_most(1, of="*")], **OPTIONS)
    assert clone(model).constraints == model.constraints
    grid = GridSearchCV(model, {"constraints": [None, [c.must_use(["age", "bmi"])]]}, cv=2).fit(X, Y)
    assert grid.cv_results_["mean_test_score"].shape == (2,)


def test_scikit_learn_divides_a_frame_of_groups():
    asked = [c.max_difference("error", group="sex", at_most=0.6)]
    with sklearn.config_context(enable_metadata_routing=True):
        model = SLIMClassifier(constraints=asked, **OPTIONS).set_fit_request(rate_groups=True)
        found = cross_validate(
            model, X, Y, params={"rate_groups": pd.DataFrame({"sex": labels})}, cv=2, error_score="raise"
        )
    assert len(found["test_score"]) == 2

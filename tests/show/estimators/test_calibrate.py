"""`calibrate`: probabilities only when asked for, from scores of rows that their fit did not see."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, StratifiedKFold, TimeSeriesSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

from supersparse import ScoringSystem, SLIMClassifier, SLIMClassifierCV
from supersparse.errors import InvalidDataError
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Folds, divided
from supersparse.learn.validation import validate
from supersparse.show.estimators.learning import recipe_of

METHODS = ["isotonic", "logistic"]
SETTINGS = {"max_points": 3, "node_limit": 2000, "time_limit": None}
QUICK = {"C0": 0.02, **SETTINGS}


def made(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 3))
    y = rng.random(n) < 1 / (1 + np.exp(3 - 2.0 * X[:, 0] - X[:, 1]))
    return X, np.where(y, "ill", "well")


X, Y = made()
Y = np.where(Y == "ill", "yes", "no")  # the positive class sorts last


PLAIN = SLIMClassifier(**QUICK)
CHOOSING = SLIMClassifierCV(Cs=[0.02, 0.05, 0.2], cv=3, **SETTINGS)


@pytest.fixture(scope="module", params=[(m, e) for m in METHODS for e in (PLAIN, CHOOSING)], ids=str)
def fitted(request):
    method, model = request.param
    return clone(model).set_params(calibrate=method).fit(X, Y)


@pytest.mark.parametrize("plain", [PLAIN, CHOOSING], ids=["one C0", "C0 chosen"])
def test_there_are_no_probabilities_unless_asked_for(plain):
    plain = clone(plain)
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain.fit(X, Y), "predict_proba")
    assert plain.scoring_system_.card.risk is None
    assert hasattr(clone(plain).set_params(calibrate="logistic"), "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        plain.predict_proba(X)


def test_probabilities_are_those_of_the_fit_whatever_is_set_later():
    plain = clone(PLAIN).fit(X, Y).set_params(calibrate="logistic")
    assert not hasattr(plain, "predict_proba")
    fitted = plain.fit(X, Y)
    found = fitted.predict_proba(X)
    assert (fitted.set_params(calibrate=None).predict_proba(X) == found).all()


def test_probabilities_are_the_cards_risks_and_survive_its_file(fitted):
    found = fitted.predict_proba(X)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert found[:, 1] == pytest.approx(fitted.scoring_system_.predict_risk(X))
    loaded = ScoringSystem.from_json(fitted.scoring_system_.to_json())
    assert loaded.predict_risk(X).tolist() == fitted.scoring_system_.predict_risk(X).tolist()


def test_probabilities_rise_with_the_score(fitted):
    order = np.argsort(fitted.decision_function(X), kind="stable")
    assert np.all(np.diff(fitted.predict_proba(X)[order, 1]) >= -1e-12)


def test_the_points_are_the_same_with_and_without(fitted):
    plain = clone(fitted).set_params(calibrate=None).fit(X, Y)
    assert plain.points_ == fitted.points_
    assert plain.predict(X).tolist() == fitted.predict(X).tolist()


def test_probabilities_are_near_the_truth(fitted):
    other, labels = made(4000, seed=9)
    assert fitted.predict_proba(other)[:, 1].mean() == pytest.approx((labels == "ill").mean(), abs=0.06)


def test_the_mean_risk_is_the_share_of_positives(fitted):
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx((Y == "yes").mean())


def test_class_weights_move_the_threshold_and_not_the_mean_risk():
    heavy = SLIMClassifier(**QUICK, class_weight={"no": 1, "yes": 3}, calibrate="logistic").fit(X, Y)
    assert heavy.predict_proba(X)[:, 1].mean() == pytest.approx((Y == "yes").mean())
    # so a risk above a half and the class of predict differ
    assert np.any((heavy.predict_proba(X)[:, 1] > 0.5) != (heavy.predict(X) == "yes"))


def test_a_rows_own_label_never_reaches_its_score():
    model = SLIMClassifier(**QUICK, calibrate="isotonic").fit(X, Y)
    splits = divided(TrainingRows(X=X, y=Y, sample_weight=None, rate_groups=None), 5)

    def learned(labels):
        rows = TrainingRows(X=X, y=labels, sample_weight=None, rate_groups=None)
        return validate(recipe_of(model), rows, Folds(splits=splits, Cs=None)).unseen

    before = learned(Y)
    for number, (_, rows) in enumerate(splits[:2]):
        flipped = Y.copy()
        flipped[rows] = np.where(Y[rows] == "yes", "no", "yes")
        after = learned(flipped)
        assert after[number].rows.tolist() == rows.tolist()
        assert after[number].scores.tolist() == before[number].scores.tolist()


def test_every_row_with_weight_is_left_out_once():
    positive = np.arange(40) % 3 == 0
    weights = (np.arange(40) != 7).astype(int)
    folds = divided(TrainingRows(X=positive[:, None], y=positive, sample_weight=weights, rate_groups=None), 5)
    assert sorted(np.concatenate([test for _, test in folds])) == np.flatnonzero(weights).tolist()
    assert all(not set(train) & set(test) for train, test in folds)


def test_a_choice_among_one_value_has_the_risks_of_that_value():
    for method in METHODS:
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        chosen = SLIMClassifierCV(Cs=[0.02], cv=folds, **SETTINGS, calibrate=method).fit(X, Y)
        given = SLIMClassifier(C0=0.02, **SETTINGS, calibrate=method).fit(X, Y)
        assert chosen.scoring_system_.card.risk == given.scoring_system_.card.risk


def test_risks_of_a_choice_come_from_its_folds():
    groups = np.arange(len(X)) // 10
    model = clone(CHOOSING).set_params(cv=GroupKFold(4), calibrate="logistic").fit(X, Y, groups=groups)
    listed = list(GroupKFold(4).split(X, Y, groups))
    same = clone(CHOOSING).set_params(cv=listed, calibrate="logistic").fit(X, Y)
    assert same.scoring_system_.card.risk == model.scoring_system_.card.risk
    other = clone(CHOOSING).set_params(calibrate="logistic", Cs=[model.C0_]).fit(X, Y)
    assert other.points_ == model.points_  # what differs are the folds
    assert other.scoring_system_.card.risk != model.scoring_system_.card.risk


def test_a_row_left_out_twice_counts_once():
    folds = list(StratifiedKFold(3).split(X, Y))
    for method in METHODS:
        once, twice = (clone(CHOOSING).set_params(cv=cv, calibrate=method).fit(X, Y) for cv in (folds, folds * 2))
        assert once.predict_proba(X) == pytest.approx(twice.predict_proba(X))


def test_rows_that_no_fold_leaves_out_say_nothing_about_risk():
    model = clone(CHOOSING).set_params(cv=TimeSeriesSplit(3), calibrate="isotonic").fit(X, Y)
    tested = np.concatenate([test for _, test in TimeSeriesSplit(3).split(X)])
    assert len(tested) < len(X)
    assert model.predict_proba(X[tested])[:, 1].mean() == pytest.approx((Y[tested] == "yes").mean())
    assert model.predict_proba(X)[:, 1].mean() != pytest.approx((Y == "yes").mean())


def test_folds_that_leave_out_one_class_only_are_refused():
    rows = np.flatnonzero(Y == "no")
    folds = [(np.arange(len(Y)), rows)]
    with pytest.raises(InvalidDataError, match="leave out are of class no; calibrate needs both"):
        clone(CHOOSING).set_params(cv=folds, calibrate="isotonic").fit(X, Y)


@pytest.mark.parametrize("fitted", [(m, PLAIN) for m in METHODS], indirect=True, ids=METHODS)
def test_weight_0_is_a_removed_row(fitted):
    weights = np.concatenate([np.ones(len(X)), np.zeros(30)])
    more, labels = np.vstack([X, X[:30]]), np.concatenate([Y, Y[:30][::-1]])
    other = clone(fitted).fit(more, labels, sample_weight=weights)
    assert other.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_scaling_all_weights_changes_nothing(method):
    one, other = (
        SLIMClassifier(**QUICK, calibrate=method).fit(X, Y, sample_weight=np.full(len(X), w)) for w in (1, 2.5)
    )
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X))


def test_a_class_of_one_row_cannot_be_left_out():
    labels = np.array(["no"] * 19 + ["yes"])
    with pytest.raises(InvalidDataError, match="calibrate needs 2 or more"):
        SLIMClassifier(C0=0.05, max_points=2, calibrate="isotonic").fit(X[:20], labels)


# whatever is cross-fitted depends on how rows are divided, and copies may be divided
COPIES = "copies of a row may fall into different folds"
FAILS = {
    "check_sample_weight_equivalence_on_dense_data": COPIES,
    "check_sample_weight_equivalence_on_sparse_data": COPIES,
    "check_classifiers_train": "a risk above 0.5 and the class of predict may differ, as the docs say",
}


@pytest.mark.long  # each fit is six; without calibrate the same checks always run
@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
@pytest.mark.filterwarnings("ignore::supersparse.errors.NoBetterThanBaselineWarning")
@parametrize_with_checks(
    [SLIMClassifier(node_limit=5, time_limit=None, calibrate=m) for m in METHODS],
    expected_failed_checks=lambda estimator: FAILS,
)
def test_scikit_learn_finds_nothing_else_to_complain_about(estimator, check):
    check(estimator)

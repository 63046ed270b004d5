"""What a card keeps of its rows: right and wrong on training rows and on held-out rows, cases by total."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from supersparse import Problem, ScoringSystem, SLIMClassifier, SLIMClassifierCV, solve
from supersparse.card.performance import Performance
from supersparse.card.risk import LogisticRisk, TableRisk
from supersparse.errors import NoBetterThanBaselineWarning
from supersparse.learn.calibration import no_better_than_baseline, rising

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
SETTINGS = {"max_points": 3, "node_limit": 2000, "time_limit": None}


def made(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 3))
    ill = rng.random(n) < 1 / (1 + np.exp(3 - 2.0 * X[:, 0] - X[:, 1]))
    return X, np.where(ill, "yes", "no")


X, Y = made()


@st.composite
def weighted_tables(draw):
    n = draw(st.integers(2, 12))
    rows = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=n, max_size=n))
    labels = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    weights = draw(st.lists(st.sampled_from([0.5, 1, 2, 3.25]), min_size=n, max_size=n))
    return rows, labels, weights


@given(table=weighted_tables(), intercept=st.sampled_from(["free", "none", (-2, 2)]))
def test_training_performance_is_what_an_evaluation_of_the_training_rows_says(table, intercept):
    rows, labels, weights = table
    problem = Problem.of(rows, labels, sample_weight=weights, max_points=2, C0=0.05, intercept=intercept)
    system = ScoringSystem.from_solution(solve(problem, "exhaustive"))
    (kept,) = system.card.performance
    found = system.evaluate(np.array(rows), labels, sample_weight=weights)
    assert kept.on == "training"
    for name in ("true_positives", "false_negatives", "true_negatives", "false_positives"):
        assert getattr(kept, name) == getattr(found.confusion, name)
    assert (kept.auc, kept.auc_interval) == (found.auc.value, found.auc.interval)
    assert kept.false_positives + kept.false_negatives == system.card.provenance.predicted_errors


def test_another_threshold_has_another_performance():
    system = SLIMClassifier(C0=0.02, **SETTINGS).fit(X, Y).scoring_system_
    assert system.with_threshold(system.threshold + 1).card.performance == ()


@pytest.mark.parametrize("weights", [None, np.arange(len(X)) % 3 + 0.5], ids=["plain", "weighted"])
def test_rows_left_out_are_counted_as_cross_validation_predicts_them(weights):
    plain = SLIMClassifier(C0=0.02, **SETTINGS)
    parameters = None if weights is None else {"sample_weight": weights}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    predicted = cross_val_predict(plain, X, Y, cv=folds, params=parameters)
    by = np.ones(len(X)) if weights is None else weights
    judged = clone(plain).set_params(calibrate="logistic").fit(X, Y, sample_weight=weights)
    chosen = SLIMClassifierCV(Cs=[0.02], cv=5, **SETTINGS).fit(X, Y, sample_weight=weights)
    for model in (judged, chosen):
        training, found = model.scoring_system_.card.performance
        assert (training.on, found.on) == ("training", "cross-validation")
        assert found.true_positives == by[(predicted == "yes") & (Y == "yes")].sum()
        assert found.false_positives == by[(predicted == "yes") & (Y == "no")].sum()
        assert found.n == training.n == by.sum()
        assert found.auc_interval[0] < found.auc < found.auc_interval[1]
        assert 0.5 < found.auc < training.auc + 0.05
    assert chosen.scoring_system_.card.risk is None


@pytest.mark.parametrize("method", ["isotonic", "logistic"])
def test_a_risk_table_tells_the_training_rows_at_each_total(method):
    weights = np.arange(len(X)) % 2 + 0.5
    system = SLIMClassifier(C0=0.02, **SETTINGS, calibrate=method).fit(X, Y, sample_weight=weights).scoring_system_
    risk = system.card.risk
    assert isinstance(risk, TableRisk)
    totals = system.total(X)
    for total, cases in zip(risk.totals, risk.cases, strict=True):
        assert cases == Fraction(weights[totals == total].sum())
    assert sum(risk.cases) == weights.sum()
    assert list(risk.risks) == sorted(risk.risks)
    assert ScoringSystem.from_json(system.to_json()).card == system.card


def test_totals_without_a_case_say_so():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(60, 2))
    X[:, 1] = 1 - X[:, 0]  # so both, and none, never happens
    y = np.where(rng.random(60) < 0.2 + 0.6 * X[:, 0], "yes", "no")
    model = SLIMClassifier(
        **SETTINGS, points={"x0": [1], "x1": [-1]}, constraints=None, C0=0.0, min_features=2, calibrate="logistic"
    ).fit(X, y)
    risk = model.scoring_system_.card.risk
    assert dict(zip(risk.totals, risk.cases, strict=True)) == {
        0: 30 - 30 + (X[:, 0] == 0).sum(),
        1: 0,
        2: X[:, 0].sum(),
    }
    assert risk.risks[0] < risk.risks[1] < risk.risks[2]


def test_a_card_of_many_totals_keeps_a_formula():
    rng = np.random.default_rng(1)
    X = np.round(rng.random((80, 1)) * 10, 2)
    y = np.where(X[:, 0] + rng.normal(0, 2, 80) > 5, "yes", "no")
    model = SLIMClassifier(C0=0.01, **SETTINGS, calibrate="logistic").fit(X, y)
    assert isinstance(model.scoring_system_.card.risk, LogisticRisk)


def test_risks_never_fall_with_the_total():
    flat = rising(LogisticRisk(slope=-0.5, offset=3.0), 0.25)
    assert flat.slope == 0
    assert flat.of(np.array([-100.0, 100.0])) == pytest.approx([0.25, 0.25])


def test_noise_is_warned_about():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(60, 3)), np.array(["no", "no", "yes"] * 20)
    model = SLIMClassifier(C0=0.001, **SETTINGS, calibrate="logistic")
    with pytest.warns(NoBetterThanBaselineWarning, match="no better than always predicting no: it is wrong for"):
        model.fit(X, y)


def card_with(**counts):
    X, y = made()
    card = SLIMClassifier(C0=0.02, **SETTINGS).fit(X, y).scoring_system_.card
    return replace(card, performance=(Performance(**counts),))


def test_costs_of_errors_decide_whether_a_card_is_any_good():
    # of 10 ill among 100, 9 are found, with 20 false alarms: wrong 21 times, where "no" is wrong 10 times
    card = card_with(on="training", true_positives=9, false_negatives=1, true_negatives=70, false_positives=20)
    told = no_better_than_baseline(card)
    assert "it is wrong for 21.0 % of the training rows, always predicting no for 10.0 %" in told
    # a missed case costs as much as nine false alarms: 9 + 20 against 90
    weighted = {**card.provenance.settings, "class_weight": {"no": 1, "yes": 9}}
    card = replace(card, provenance=replace(card.provenance, settings=weighted))
    assert no_better_than_baseline(card) is None

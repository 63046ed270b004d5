"""RiskScoreClassifier: the risks are the model, and the card says them."""

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from supersparse import Problem, RiskScoreClassifier, RiskScoreClassifierCV, ScoringSystem, SLIMClassifier, solve
from supersparse import constraints as c
from supersparse.base.exact import shown
from supersparse.errors import (
    InfeasibleError,
    InvalidDataError,
    InvalidOptionError,
    InvalidProblemError,
    NotProvenWarning,
    SeparatedClassesWarning,
    UnknownParameterError,
    WeightedRisksWarning,
)
from supersparse.learn.recipe import MAX_FEATURES, PreparedProblem
from supersparse.show.document.content import content_of


def made(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 4))
    y = rng.random(n) < 1 / (1 + np.exp(3 - 1.5 * X[:, 0] - X[:, 1]))
    return X, np.where(y, "ill", "well")


X, Y = made()
QUICK = {"max_points": 3, "node_limit": 5000, "time_limit": None}
OF_NUMBERS = {"prepare": None, **QUICK}


@pytest.fixture(scope="module", params=["free", 1], ids=["free slope", "slope 1"])
def fitted(request):
    return RiskScoreClassifier(slope=request.param, C0=0.002, positive="ill", **OF_NUMBERS).fit(X, Y)


def test_the_probabilities_have_the_loss_that_was_proven(fitted):
    risk = fitted.predict_proba(X)[:, 0]  # "ill" sorts first
    loss = -np.mean(np.log(np.where(Y == "ill", risk, 1 - risk)))
    assert fitted.loss_ == pytest.approx(loss, abs=1e-12)
    assert fitted.proven_optimal_
    assert fitted.objective_ == pytest.approx(fitted.loss_ + 0.002 * np.count_nonzero(fitted.coef_))
    assert 0 < fitted.objective_ - fitted.lower_bound_ < 1.1e-9


def test_predict_says_the_class_of_the_larger_risk(fitted):
    assert (fitted.predict(X) == np.where(fitted.predict_proba(X)[:, 0] > 0.5, "ill", "well")).all()


def test_the_card_gives_the_same_risks_after_saving(fitted):
    card = ScoringSystem.from_json(fitted.scoring_system_.to_json())
    assert card.predict_risk(X) == pytest.approx(fitted.predict_proba(X)[:, 0])
    assert "none with these settings has a lower log loss for its size" in " ".join(str(card).split())


def test_slope_one_has_a_whole_intercept():
    model = RiskScoreClassifier(slope=1, C0=0.002, positive="ill", **OF_NUMBERS).fit(X, Y)
    assert model.slope_ == 1
    # the offset of the card's formula moves with the points that printing adds
    offset = model.scoring_system_.card.risk.offset
    assert offset == round(offset)


@pytest.mark.parametrize("settings", [{"slope": 1}, {}, {"risk_threshold": 0.2}, {"positive": "well"}])
def test_slope_and_offset_give_the_risks_whatever_the_threshold(settings):
    model = RiskScoreClassifier(C0=0.01, **OF_NUMBERS, **settings).fit(X, Y)
    totals = X @ [float(v) for v in model.points_.values]
    risks = 1 / (1 + np.exp(-(model.slope_ * totals + model.offset_)))
    positive = list(model.classes_).index(model.positive_)
    assert model.predict_proba(X)[:, positive] == pytest.approx(risks)


def test_a_free_slope_is_never_worse_than_slope_one():
    free, one = (
        RiskScoreClassifier(slope=slope, C0=0, max_features=2, **OF_NUMBERS).fit(X, Y) for slope in ("free", 1)
    )
    assert free.objective_ <= one.objective_ + 1e-9


def test_prepared_columns_give_a_card_on_raw_columns_with_the_same_risks():
    columns = {"age": 20 + 15 * X[:, 0] + X[:, 2], "dose": X[:, 1], "kind": np.where(X[:, 3] > 1, "a", "b")}
    model = RiskScoreClassifier(questions=False, max_features=2, positive="ill", **QUICK).fit(columns, Y)
    risk = model.predict_proba(columns)[:, 0]
    assert model.loss_ == pytest.approx(-np.mean(np.log(np.where(Y == "ill", risk, 1 - risk))), abs=1e-12)
    assert model.scoring_system_.predict_risk(columns) == pytest.approx(risk)


def test_rare_classes_are_not_balanced_because_weights_distort_risks():
    y = np.where((Y == "ill") & (np.arange(len(Y)) % 4 == 0), "ill", "well")
    columns = {f"x{j}": X[:, j] for j in range(4)}
    model = RiskScoreClassifier(questions=False, max_features=2, positive="ill", **QUICK).fit(columns, y)
    assert model.predict_proba(columns)[:, 0].mean() == pytest.approx((y == "ill").mean(), abs=1e-6)


WEIGHTED = "two classes had different weights in learning, so the risks are not those of the rows as they are"


@pytest.mark.parametrize("class_weight", ["balanced", {"ill": 5, "well": 1}])
def test_class_weights_are_warned_of_and_every_face_says_that_they_distort_the_risks(class_weight):
    with pytest.warns(WeightedRisksWarning, match=f"{WEIGHTED}; .* set risk_threshold"):
        model = RiskScoreClassifier(class_weight=class_weight, positive="ill", **OF_NUMBERS).fit(X > 0, Y)
    system = model.scoring_system_
    texts = [system.to_text(columns=500), system.to_markdown(), system.to_html(), system.to_latex()]
    drawn = " ".join("".join(one.itertext()) for one in ET.fromstring(system.to_svg()).iter())
    for text in (*texts, drawn, system.calculator(), system.sheet().to_html()):
        assert f"The {WEIGHTED}." in " ".join(text.split())
    assert "with different class weights" in str(system.with_threshold(1).card.source)
    assert "with different class weights" in str(system.scaled().card.source)
    assert WEIGHTED not in str(system.recalibrate(X > 0, Y))


@pytest.mark.parametrize("class_weight", ["auto", None, {"ill": 2, "well": 2}])
def test_equal_class_weights_keep_the_risks_and_nothing_is_said(class_weight):
    model = RiskScoreClassifier(class_weight=class_weight, positive="ill", **OF_NUMBERS).fit(X, Y)
    assert "different weights" not in " ".join(str(model.scoring_system_).split())


def test_class_weights_are_told_beside_a_formula_of_risks():
    values = np.random.default_rng(0).normal(size=(60, 1)) * 1000
    y = np.where(values[:, 0] + 800 * np.sin(np.arange(60)) > 0, "ill", "well")
    with pytest.warns(WeightedRisksWarning):
        model = RiskScoreClassifier(class_weight={"ill": 3}, C0=0, **OF_NUMBERS).fit(values, y)
    formula, note, *_ = content_of(model.scoring_system_.card).notes[1:]
    assert formula.startswith("Risk (ill) by the total: 1 / (1 + exp(")
    assert note == f"The {WEIGHTED}."


def test_a_tie_with_slope_one_is_told_at_the_total_whose_risk_is_one_half():
    x = np.array([0, 1, 2, 3, 4, 5] * 4)[:, None]
    y = np.array([0, 0, 1, 0, 1, 1] * 3 + [1, 0, 0, 0, 1, 1])
    system = RiskScoreClassifier(prepare=None, C0=0, max_points=1, slope=1).fit(x, y).scoring_system_
    assert system.predict_risk({"x0": 2}) == 0.5
    text = system.to_text(columns=500)
    assert "counting a total of exactly 2 as wrong for both classes" in text
    assert "because the rule predicts no at exactly 2" in text


def test_separated_classes_are_warned_of():
    with pytest.warns(SeparatedClassesWarning, match="slope is at its limit"):
        RiskScoreClassifier(**OF_NUMBERS).fit([[0], [0], [1], [1]], [0, 0, 1, 1])


def test_rates_are_limited_at_the_risk_threshold():
    free = RiskScoreClassifier(positive="ill", **OF_NUMBERS).fit(X, Y)
    limit = round(free.training_specificity_ + 0.02, 2)
    limited = RiskScoreClassifier(
        positive="ill", constraints=[c.min_specificity(limit)], risk_threshold=0.6, **OF_NUMBERS
    ).fit(X, Y)
    risk = limited.predict_proba(X)[:, 0]
    assert ((risk > 0.6) == (limited.predict(X) == "ill")).all()
    assert (limited.predict(X)[Y == "well"] == "well").mean() >= limit
    assert limited.proven_optimal_
    assert limited.loss_ >= free.loss_ - 1e-9
    assert "predictions at a risk of 0.6" in limited.scoring_system_.card.provenance.allowed


def test_errors_are_limited_for_predictions_at_one_half():
    free = RiskScoreClassifier(**OF_NUMBERS).fit(X, Y)
    same = RiskScoreClassifier(constraints=[c.max_error(free.training_errors_ / len(Y))], **OF_NUMBERS).fit(X, Y)
    assert (same.predict(X) != Y).sum() <= free.training_errors_
    assert same.loss_ == pytest.approx(free.loss_, abs=1e-9)
    with pytest.raises(InfeasibleError, match=r"at a risk_threshold of 0\.5"):
        RiskScoreClassifier(constraints=[c.max_error(0)], max_features=1, **OF_NUMBERS).fit(X, Y)


def test_the_card_counts_the_training_rows_of_each_total():
    model = RiskScoreClassifier(positive="ill", **OF_NUMBERS).fit(X, Y)
    seen = model.scoring_system_.card.risk.seen
    assert sum(seen.cases) == len(Y)
    assert sum(seen.events) == (Y == "ill").sum()
    # with the best intercept, expected and observed events are the same
    risks = model.scoring_system_.card.risk.of(np.array(seen.totals, dtype=float))
    assert risks @ np.array(seen.cases, dtype=float) == pytest.approx(float(sum(seen.events)), abs=1e-6)
    assert "Cases " in str(model.scoring_system_)
    again = ScoringSystem.from_json(model.scoring_system_.to_json())
    assert again.card.risk == model.scoring_system_.card.risk


def test_an_interrupted_fit_goes_on_from_its_checkpoint(tmp_path):
    file = tmp_path / "file"
    random = np.random.default_rng(0)
    table = random.integers(0, 4, (300, 16))
    labels = (table.sum(axis=1) + random.normal(0, 5, 300) > 24).astype(int)
    settings = {**OF_NUMBERS, "max_features": 4, "max_points": 5}
    with pytest.warns(NotProvenWarning):
        RiskScoreClassifier(checkpoint=file, **{**settings, "node_limit": 1}).fit(table, labels)
    assert file.exists()
    model = RiskScoreClassifier(checkpoint=file, **settings).fit(table, labels)
    assert model.proven_optimal_
    assert not file.exists()


def test_what_only_errors_have_is_refused():
    with pytest.raises(InvalidProblemError, match="slope is 3"):
        RiskScoreClassifier(slope=3, **OF_NUMBERS).fit(X, Y)
    with pytest.raises(TypeError, match="intercept"):
        RiskScoreClassifier(intercept="none")
    for name, value in (("tie_break", "log_loss"), ("slack", 0.1), ("calibrate", "isotonic")):
        for model in (RiskScoreClassifier, RiskScoreClassifierCV):
            with pytest.raises(UnknownParameterError, match=f"{name}.*use SLIMClassifier") as refused:
                model(**{name: value})
            assert refused.value.subject == name
    with pytest.raises(UnknownParameterError, match="use max_features, or RiskScoreClassifier"):
        SLIMClassifier(max_questions=3)
    with pytest.raises(UnknownParameterError, match="did you mean 'max_questions'"):
        RiskScoreClassifier(max_question=3)


def test_prices_of_features_are_no_sizes_in_questions():
    with pytest.raises(InvalidOptionError, match=r"Cs are prices of features.*give max_questions"):
        RiskScoreClassifierCV(Cs=[0.1, 0.2]).fit({"age": [1, 2, 3, 4]}, [0, 1, 0, 1])


def test_cross_validation_chooses_by_log_loss():
    model = RiskScoreClassifierCV(Cs=[0.002, 0.5], cv=3, **OF_NUMBERS).fit(X, Y)
    assert model.C0_ == 0.002
    assert model.cv_results_["mean_test_score"][0] > model.cv_results_["mean_test_score"][1]
    assert -1 < model.best_score_ < 0


@pytest.mark.parametrize("slope", ["free", 1])
@pytest.mark.parametrize("decimals", [1, 3, 15])
@pytest.mark.parametrize("risk_threshold", [0.5, 0.2, 0.83])
def test_the_threshold_is_short_and_the_class_is_that_of_the_risk(risk_threshold, decimals, slope):
    random = np.random.default_rng(decimals)
    table = random.normal(2, 1, (150, 3)).round(decimals)
    y = table @ [1, -1, 0.5] + random.normal(0, 1, 150) > 1
    model = RiskScoreClassifier(prepare=None, C0=0.01, max_points=2, slope=slope, risk_threshold=risk_threshold)
    card = model.fit(table, y).scoring_system_.card
    assert len(shown(-card.intercept)) <= max(10, decimals - 5)
    many = np.vstack([table, random.normal(2, 1, (1000, 3)).round(decimals)])
    risks = model.predict_proba(many)[:, 1]
    # rows of the table have the class of their risk; others too, unless decimals are many and it is near
    sure = np.abs(risks - risk_threshold) > np.where((np.arange(1150) < 150) | (decimals <= 3), 1e-12, 1e-5)
    assert np.array_equal(model.predict(many)[sure], (risks > risk_threshold)[sure])


def test_the_docstrings_say_the_same_of_auto_as_the_recipe():
    assert MAX_FEATURES == 10
    for classifier in (RiskScoreClassifier, SLIMClassifier):
        assert 'Maximum number of features. "auto" means 10; None means no limit.' in classifier.__doc__


@pytest.mark.parametrize("offset", [10**9, -(10**16)])
def test_a_column_whose_risks_cannot_be_written_is_refused_before_the_search(offset, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, (60, 2))
    y = (x.sum(axis=1) + rng.normal(0, 3, 60) > 7).astype(int)
    frame = {"time": x[:, 0] + offset, "b": x[:, 1]}
    monkeypatch.setattr(PreparedProblem, "solve", None)
    message = rf"column 'time' .* deviation is 2\.\d+; .* subtract a constant .* such as {offset + x[0, 0]}"
    with pytest.raises(InvalidDataError, match=message):
        RiskScoreClassifier(prepare=None).fit(pd.DataFrame(frame), y)


def test_a_solution_with_a_column_far_from_zero_has_a_card_only_if_the_column_is_not_on_it():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, (60, 2))
    y = (x.sum(axis=1) + rng.normal(0, 3, 60) > 7).astype(int)
    frame = {"time": x[:, 0] + 10**12, "b": x[:, 1]}
    asked = {"goal": "risk", "max_points": 2, "C0": 1e-3}
    far = solve(Problem.of(frame, y, **asked))
    assert far.points.coefficients[0]
    with pytest.raises(InvalidDataError, match="column 'time'"):
        ScoringSystem.from_solution(far)
    near = solve(Problem.of(frame, y, points={"time": [0], "b": range(3)}, goal="risk"))
    assert ScoringSystem.from_solution(near).card.risk is not None

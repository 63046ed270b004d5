"""A whole fit gives the same card twice, folds included, however busy the machine is."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from supersparse import Prepare, RiskScoreClassifier
from supersparse.learn.fit import Learner, fit
from supersparse.learn.progress import Clock
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, divided

RANDOM = np.random.default_rng(3)
X = {
    "age": RANDOM.normal(50, 12, 200).round(),
    "sex": RANDOM.choice(["f", "m"], 200),
    "dose": RANDOM.normal(size=200).round(2),
    "beds": RANDOM.integers(0, 9, 200),
}
Y = np.where(X["age"] / 12 + X["dose"] + RANDOM.normal(size=200) > 4.5, "ill", "well")


@pytest.fixture
def busy():
    """Begin a process that takes all the time it gets; it ends with the test."""
    begun = []
    yield lambda: begun.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
    for process in begun:
        process.kill()
        process.wait()


def without_seconds(card):
    return replace(card, provenance=replace(card.provenance, seconds=0.0))


@pytest.mark.parametrize("limit", [pytest.param(None, marks=pytest.mark.long), 3])
def test_a_fit_with_its_folds_repeats_beside_a_busy_process(busy, limit):
    options = {"time_limit": None, "node_limit": limit, "random_state": 7}
    recipe = Recipe(settings=Settings.of(goal="risk", max_questions=3), prepare=Prepare(), options=options)

    def learned():
        rows = TrainingRows(X=X, y=Y, sample_weight=None, rate_groups=None)
        return fit(recipe.question(rows), rows, Folds(splits=divided(rows, 3, 2), repeats=2))

    alone = learned()
    busy()
    beside = learned()
    assert alone.validation.folds == 6
    assert without_seconds(beside.card) == without_seconds(alone.card)
    assert beside.solution.nodes == alone.solution.nodes
    assert beside.validation.as_data() == alone.validation.as_data()


def test_a_classifier_judges_its_card_where_asked():
    asked = {"max_questions": 2, "prepare": "auto", "time_limit": None}
    plain = RiskScoreClassifier(**asked).fit(X, Y)
    assert not hasattr(plain, "validation_")
    assert [seen.on for seen in plain.scoring_system_.card.performance] == ["training"]
    judged = RiskScoreClassifier(**asked, validate=True).fit(X, Y)
    assert (judged.validation_["folds"], judged.validation_["repeats"]) == (10, 2)
    assert judged.points_ == plain.points_
    assert [seen.on for seen in judged.scoring_system_.card.performance] == ["training", "cross-validation"]


def test_a_judged_classifier_keeps_groups_in_one_fold(monkeypatch):
    groups = np.arange(200) // 5
    seen = []

    def spy(rows, folds, repeats=1):
        found = divided(rows, folds, repeats)
        seen.extend(found)
        return found

    monkeypatch.setattr("supersparse.show.estimators.learning.divided", spy)
    model = RiskScoreClassifier(max_questions=2, prepare="auto", teacher=None, validate=True, time_limit=None)
    model.fit(X, Y, groups=groups)
    assert len(seen) == 10
    assert not any(set(groups[train]) & set(groups[test]) for train, test in seen)


def test_what_folds_gave_is_kept_in_a_file_and_not_learned_again(tmp_path, monkeypatch):
    settings = Settings.of(goal="risk", max_questions=2)
    recipe = Recipe(settings=settings, prepare=Prepare(), options={"time_limit": None})
    rows = TrainingRows(X=X, y=Y, sample_weight=None, rate_groups=None)
    question, folds = recipe.question(rows), Folds(splits=divided(rows, 3))
    learner = Learner(folds=folds, kept=tmp_path / "folds.json")
    first = learner.fit(question, rows, Clock(None))
    monkeypatch.setattr("supersparse.learn.fit.validate", lambda *_, **__: pytest.fail("a fold is learned again"))
    again = learner.fit(question, rows, Clock(None))
    assert again.validation.as_data() == first.validation.as_data()
    assert without_seconds(again.card) == without_seconds(first.card)

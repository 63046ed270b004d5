"""Cross-validation of a recipe: each fold is announced, and Ctrl-C keeps what is finished."""

import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from supersparse import RiskScoreClassifier
from supersparse.errors import WeightedRisksWarning
from supersparse.learn import crossfit, validation
from supersparse.learn.crossfit import CrossFit, FitsOfFold
from supersparse.learn.fit import Learner
from supersparse.learn.progress import Clock, Watch
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, repeated_splits, splits_of
from supersparse.problem.variants import quiet_about_penalties

ROWS = TrainingRows(
    X=np.arange(12)[:, None], y=np.array([0, 1] * 6), sample_weight=None, rate_groups=None, names=("x",)
)
RECIPE = Recipe(settings=Settings.of(C0=0.1, max_points=1), options={"solver": "exhaustive"})


def folds_of(number, repeats=1, **how):
    return Folds(splits=repeated_splits(ROWS.y, number, repeats), repeats=repeats, **how)


class Told(Watch):
    def __init__(self):
        self.stages, self.errors = [], []

    def stage(self, what):
        self.stages.append(what)

    def cross_validated(self, error):
        self.errors.append(error)


def test_each_fold_is_announced():
    watch = Told()
    found = validation.validate(RECIPE, ROWS, folds_of(2), watch)
    assert watch.stages == [f"fold {k} of 2: training on 6 rows, testing on 6" for k in (1, 2)]
    assert (found.folds, found.folds_asked, found.chosen.C0) == (2, 2, 0.1)


@pytest.mark.parametrize("finished", [0, 1])
def test_an_interrupt_keeps_the_finished_folds(monkeypatch, finished):
    real, calls = FitsOfFold.learned, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) > finished:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(FitsOfFold, "learned", interrupted)
    found = validation.validate(RECIPE, ROWS, folds_of(2))
    assert (0 if found is None else found.folds) == finished


def test_the_log_loss_told_is_without_class_weights_and_that_chosen_by_is_with_them():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (200, 3))
    y = (rng.random(200) < 0.1 + 0.4 * x[:, 0]).astype(int)
    rows = TrainingRows(X=x, y=y, sample_weight=None, rate_groups=None, names=("a", "b", "c"))
    asked = Settings.of(C0=0.01, max_points=2, goal="risk", positive="1", class_weight={"0": 1, "1": 5})
    found = validation.validate(Recipe(settings=asked, options={"solver": "risk"}), rows, Folds(splits=splits_of(y, 4)))
    by_fold = []
    for train, test in splits_of(y, 4):
        model = RiskScoreClassifier(prepare=None, C0=0.01, max_points=2, class_weight={0: 1, 1: 5})
        with pytest.warns(WeightedRisksWarning):
            model.fit(x[train], y[train])
        by_fold.append(log_loss(y[test], model.predict_proba(x[test])[:, 1]))
    assert found.as_data()["tried"][0]["log_loss"] == pytest.approx(np.mean(by_fold))
    assert f"{np.mean(by_fold):8.4f}  " in found.in_words()
    assert float(found.chosen.costs[0]) != pytest.approx(by_fold[0])


def test_the_weighted_error_stands_beside_a_penalty_that_is_chosen_by_it():
    # 25 of 200 are ill and a missed one costs 3, so a card that asks nothing costs 3 · 25 / 200
    x, y = np.repeat([1, 1, 0, 0], [15, 35, 10, 140])[:, None], np.repeat([1, 0, 1, 0], [15, 35, 10, 140])
    rows = TrainingRows(X=x, y=y, sample_weight=None, rate_groups=None, names=("smoker",))
    asked = Settings.of(C0=10, max_points=1, positive="1", class_weight={"0": 1, "1": 3})
    with quiet_about_penalties():
        found = validation.validate(Recipe(settings=asked, options=RECIPE.options), rows, Folds(splits=splits_of(y, 5)))
    told = found.as_data()
    assert told["features"] == 0
    assert told["weighted_error"] == told["tried"][0]["weighted_error"] == pytest.approx(0.375)
    assert told["error"] == pytest.approx(0.125)
    assert "features  weighted error  error " in found.in_words()
    assert "          0.3750  0.125 ± 0.000" in found.in_words()
    alike = validation.validate(RECIPE, ROWS, folds_of(2))
    assert "weighted" not in alike.in_words()
    assert "weighted_error" not in alike.as_data()


def test_folds_whose_search_was_cut_short_are_counted():
    # noise in eight columns: more than two nodes are needed for a proof
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, (120, 8)), np.arange(120) % 2
    rows = TrainingRows(X=x, y=y, sample_weight=None, rate_groups=None, names=tuple("abcdefgh"))
    asked = Settings.of(C0=0.01, max_points=5)
    short = Recipe(settings=asked, options={"solver": "exact", "node_limit": 2})
    found = validation.validate(short, rows, Folds(splits=splits_of(y, 3)))
    assert found.chosen.unproven == 3
    words = "3 of the 3 cards are not proven best for their fold; a longer search may change these figures."
    assert found.in_words().endswith(words)
    assert "proven" not in validation.validate(RECIPE, ROWS, folds_of(2)).in_words()


def test_the_error_so_far_is_told():
    watch = Told()
    found = validation.validate(RECIPE, ROWS, folds_of(3), watch)
    sums = np.cumsum([float(cost) for cost in found.chosen.costs])
    assert watch.errors == pytest.approx((sums / [1, 2, 3]).tolist())


@pytest.mark.long
def test_processes_give_the_same_folds(monkeypatch):
    monkeypatch.setattr(crossfit, "_START", 0.0)  # as if starting processes took no time
    alone = validation.validate(RECIPE, ROWS, folds_of(2, 2))
    shared = validation.validate(RECIPE, ROWS, folds_of(2, 2, n_jobs=2))
    assert shared.as_data() == alone.as_data()
    assert (shared.folds, shared.repeats) == (4, 2)


def test_folds_share_the_time_that_is_left(monkeypatch):
    real, limits = FitsOfFold.learned, []

    def spy(task, fold, seconds):
        limits.append(seconds)
        return real(task, fold, seconds)

    monkeypatch.setattr(FitsOfFold, "learned", spy)
    validation.validate(RECIPE, ROWS, folds_of(3), clock=Clock(time.monotonic() + 3000))
    assert limits[0] == pytest.approx(1000, abs=100)
    assert limits[-1] == pytest.approx(3000, abs=300)  # the others left nearly all of theirs


def test_an_interrupt_in_a_second_division_leaves_the_first_to_judge_by():
    kept = validation.validate(RECIPE, ROWS, Folds(splits=repeated_splits(ROWS.y, 2, 2)[:3]))
    partly = replace(kept, folds_asked=4, repeats=2)
    rows = np.concatenate([left.rows for left in partly.unseen])
    assert sorted(rows.tolist()) == list(range(12))


@pytest.fixture
def out_of_time(monkeypatch):
    """Let time be up after so many folds, counted from now."""
    real = CrossFit._announced

    def after(most):
        left = [most]

        def given(self, some, rounds):
            for one in real(self, some, rounds):
                left[0] -= 1
                if left[0] < 0:
                    return
                yield one

        monkeypatch.setattr(CrossFit, "_announced", given)

    return after


@pytest.mark.parametrize("finished", [1, 2, 4])
def test_an_unfinished_division_is_finished_as_if_it_had_had_the_time(out_of_time, finished):
    recipe, folds = RECIPE.asking(C0=None), folds_of(3, 2)
    out_of_time(finished)
    partly = validation.validate(recipe, ROWS, folds)
    assert partly.is_unfinished
    assert (partly.folds, partly.folds_asked, partly.repeats) == (finished, 6, 2)
    out_of_time(100)
    whole = validation.validate(recipe, ROWS, folds, so_far=partly)
    assert not whole.is_unfinished
    assert (whole.folds, whole.chosen.C0) == (6, partly.chosen.C0)
    assert len(whole.unseen) == whole.folds
    at_once = validation.validate(recipe, ROWS, folds)
    assert whole.as_data()["tried"] == at_once.as_data()["tried"]


def test_what_the_card_leaves_of_the_time_goes_to_the_folds_that_lack_it(out_of_time):
    class Stopping(Watch):
        def stage(self, what):
            if what == "final card":
                out_of_time(100)

    question = RECIPE.asking(C0=None).question(ROWS)
    out_of_time(1)
    fitted = Learner(folds=folds_of(2), watch=Stopping()).fit(question, ROWS, Clock(None))
    assert (fitted.unjudged, fitted.validation.folds) == (None, 2)
    assert [seen.on for seen in fitted.card.performance] == ["training", "cross-validation"]

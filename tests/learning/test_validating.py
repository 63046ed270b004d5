"""Cross-validation of a recipe: each fold is announced, and Ctrl-C keeps what is finished."""

import time
from dataclasses import replace

import numpy as np
import pytest

from supersparse.learning import validating
from supersparse.learning.clock import Clock
from supersparse.learning.recipe import Recipe
from supersparse.learning.rows import TrainingRows
from supersparse.learning.splits import repeated_splits, splits_of
from supersparse.learning.watching import Unwatched
from supersparse.settings.settings import Settings

ROWS = TrainingRows(
    X=np.arange(12)[:, None], y=np.array([0, 1] * 6), sample_weight=None, rate_groups=None, names=("x",)
)
RECIPE = Recipe(settings=Settings.of(C0=0.1, max_points=1), options={"solver": "exhaustive"})


class Told(Unwatched):
    def __init__(self):
        self.stages, self.errors = [], []

    def stage(self, what):
        self.stages.append(what)

    def cross_validated(self, error):
        self.errors.append(error)


def test_each_fold_is_announced():
    watch = Told()
    found = validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 2), watch)
    assert watch.stages == [f"fold {k} of 2: training on 6 rows, testing on 6" for k in (1, 2)]
    assert (found.folds, found.folds_asked, found.chosen.C0) == (2, 2, 0.1)


@pytest.mark.parametrize("finished", [0, 1])
def test_an_interrupt_keeps_the_finished_folds(monkeypatch, finished):
    real, calls = validating.fit_fold, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) > finished:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(validating, "fit_fold", interrupted)
    found = validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 2))
    assert (0 if found is None else found.folds) == finished


def test_the_error_so_far_is_told():
    watch = Told()
    found = validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 3), watch)
    sums = np.cumsum([float(cost) for cost in found.chosen.costs])
    assert watch.errors == pytest.approx((sums / [1, 2, 3]).tolist())


@pytest.mark.long
def test_processes_give_the_same_folds(monkeypatch):
    monkeypatch.setattr(validating, "_START", 0.0)  # as if starting processes took no time
    splits = repeated_splits(ROWS.y, 2, 2)
    alone = validating.validate(RECIPE, ROWS, splits, repeats=2)
    shared = validating.validate(RECIPE, ROWS, splits, repeats=2, n_jobs=2)
    assert shared.as_data() == alone.as_data()
    assert (shared.folds, shared.repeats) == (4, 2)


def test_folds_share_the_time_that_is_left(monkeypatch):
    real, limits = validating.fit_fold, []

    def spy(recipe, *arguments):
        limits.append(recipe.options["time_limit"])
        return real(recipe, *arguments)

    monkeypatch.setattr(validating, "fit_fold", spy)
    validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 3), clock=Clock(time.monotonic() + 3000))
    assert limits[0] == pytest.approx(1000, abs=100)
    assert limits[-1] == pytest.approx(3000, abs=300)  # the others left nearly all of theirs


def test_an_interrupt_in_a_second_division_leaves_the_first_to_judge_by():
    kept = validating.validate(RECIPE, ROWS, repeated_splits(ROWS.y, 2, 2)[:3])
    partly = replace(kept, folds_asked=4, repeats=2)
    rows = np.concatenate([left.rows for left in partly.unseen])
    assert sorted(rows.tolist()) == list(range(12))

"""Folds of large tables learn from as many rows as their time allows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import SLIMClassifierCV
from supersparse.errors import SkippedFoldsWarning
from supersparse.learn import crossfit
from supersparse.learn.crossfit import FitsOfFold, thinned
from supersparse.learn.fit import fit
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, splits_of
from supersparse.learn.validation import validate


def hurry(monkeypatch, has_no_time):
    """Let folds, by their number, have no time to find any model."""
    real, begun = FitsOfFold.learned, []

    def learned(task, fold, seconds):
        begun.append(fold)
        results = real(task, fold, seconds)
        if not has_no_time(len(begun) - 1):
            return results
        return [replace(one, size=0, searched=False, error=Fraction(1), loss=Fraction(1)) for one in results]

    monkeypatch.setattr(FitsOfFold, "learned", learned)


def rows_of(y, n_columns=2):
    X = np.random.default_rng(0).integers(0, 3, (len(y), n_columns))
    return TrainingRows(X=X, y=np.asarray(y), sample_weight=None, rate_groups=None)


@settings(max_examples=examples(30))
@given(n_rows=st.integers(2000, 9000), share=st.floats(0.02, 0.98), seconds=st.floats(0, 0.01), seed=st.integers(0, 9))
def test_classes_keep_their_shares(n_rows, share, seconds, seed):
    rows = rows_of(np.random.default_rng(seed).random(n_rows) < share)
    chosen = np.flatnonzero(np.random.default_rng(seed + 1).random(n_rows) < 0.8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crossfit, "LARGE", 0)
        left = thinned(chosen, rows, seconds)
    assert set(left) <= set(chosen)
    assert (np.diff(left) > 0).all()
    assert len(left) >= min(1000, len(chosen))
    positives = rows.y[chosen].sum()
    assert abs(rows.y[left].sum() - positives * len(left) / len(chosen)) <= 1
    rarest = min(positives, len(chosen) - positives)
    assert min(rows.y[left].sum(), (~rows.y[left]).sum()) >= min(49, rarest)


@pytest.mark.parametrize(("large", "seconds"), [(0, None), (2**19, 0.0)])
def test_without_a_limit_and_in_small_tables_all_rows_stay(monkeypatch, large, seconds):
    monkeypatch.setattr(crossfit, "LARGE", large)
    chosen = np.arange(1, 4000)
    assert thinned(chosen, rows_of(np.arange(4000) % 2), seconds) is chosen


def test_the_folds_say_that_they_learned_from_a_sample(monkeypatch):
    monkeypatch.setattr(crossfit, "LARGE", 0)
    monkeypatch.setattr(crossfit, "_VALUES_PER_SECOND", 0)
    y = np.random.default_rng(3).integers(0, 2, 3000)
    X = np.column_stack([y ^ (np.random.default_rng(4).random(3000) < 0.1), np.arange(3000) % 3])
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    recipe = Recipe(settings=Settings(C0=0.05), options={"time_limit": 1000})
    found = validate(recipe, rows, Folds(splits=splits_of(y, 2)))
    assert found.sampled == 1000
    assert "learned without it, from a sample of 1000 rows:" in found.in_words()
    assert sum(len(part.rows) for part in found.chosen.unseen) == 3000
    assert all(size == 1 for size in found.chosen.sizes)


def test_folds_for_which_no_time_is_left_are_skipped_and_named():
    X, y = [[i, i % 3] for i in range(30)], [i > 14 for i in range(30)]
    with pytest.warns(SkippedFoldsWarning, match="time for 1 of 3 folds; raise time_limit"):
        model = SLIMClassifierCV(Cs=[0.1, 0.2], cv=3, max_points=2, time_limit=0.0).fit(X, y)
    assert model.n_splits_ == 1
    assert "split1_test_score" not in model.cv_results_
    assert model.C0_ in (0.1, 0.2)


def test_folds_without_any_model_choose_no_penalty(monkeypatch):
    y = np.arange(400) % 2
    rows = TrainingRows(X=np.column_stack([y, y]), y=y, sample_weight=None, rate_groups=None)
    question = Recipe(settings=Settings()).question(rows)
    folds = Folds(splits=splits_of(y, 2))
    chosen = fit(question, rows, folds)
    assert chosen.unjudged is None
    hurry(monkeypatch, lambda number: True)
    found = fit(question, rows, folds)
    assert found.unjudged == "the time limit leaves too little time for the folds; raise it"
    assert found.question is question  # with the C0 that it had
    assert found.card.items


def test_folds_without_a_search_do_not_choose_for_those_that_had_one(monkeypatch):
    y = np.arange(400) % 2
    rows = TrainingRows(X=np.column_stack([y, y]), y=y, sample_weight=None, rate_groups=None)
    folds = Folds(splits=splits_of(y, 4))
    hurry(monkeypatch, lambda number: number > 0)
    found = fit(Recipe(settings=Settings()).question(rows), rows, folds)
    assert found.validation.chosen.sizes == (1, 0, 0, 0)
    assert found.card.items


def test_a_classifier_whose_folds_find_no_model_takes_the_usual_penalty(monkeypatch):
    hurry(monkeypatch, lambda number: True)
    y = np.arange(40) % 2
    model = SLIMClassifierCV(Cs=[0.03, 0.1, 0.4], cv=2, max_points=2).fit(np.column_stack([y, y]), y)
    assert model.C0_ == 0.03
    assert model.scoring_system_.card.items

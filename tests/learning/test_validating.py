"""Cross-validation of a recipe: each fold is announced, and Ctrl-C keeps what is finished."""

import numpy as np
import pytest

from supersparse.learning import validating
from supersparse.learning.recipe import Recipe
from supersparse.learning.rows import TrainingRows
from supersparse.learning.splits import splits_of
from supersparse.settings.settings import Settings

ROWS = TrainingRows(
    X=np.arange(12)[:, None], y=np.array([0, 1] * 6), sample_weight=None, rate_groups=None, names=("x",)
)
RECIPE = Recipe(settings=Settings.of(C0=0.1, max_points=1), options={"solver": "exhaustive"})


def test_each_fold_is_announced():
    said = []
    found = validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 2), said.append)
    assert said == [f"fold {k} of 2: training on 6 rows, testing on 6" for k in (1, 2)]
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
    found = validating.validate(RECIPE, ROWS, splits_of(ROWS.y, 2), lambda line: None)
    assert (0 if found is None else found.folds) == finished

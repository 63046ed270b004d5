"""Sizes in one look: which number of questions is enough, and what the folds say about it."""

import math

import numpy as np
import pytest

from supersparse import ScoringSystem, item
from supersparse.card.card import Card
from supersparse.card.performance import Performance
from supersparse.learn.calibration import Pooled
from supersparse.learn.comparison import Comparison, Measures, at_most
from supersparse.learn.crossfit import LeftOut
from supersparse.show.document.sizes import enough_questions, sizes_table, sizes_text


def card_with(losses):
    """A card beside others of 1, 2, ... questions, with these log losses on each of four folds."""
    folds = [
        {
            at_most(k): Measures(auc=0.7 + 0.02 * k, log_loss=by_fold[f], error=0.2)
            for k, by_fold in enumerate(losses, 1)
        }
        for f in range(4)
    ]
    seen = Performance(
        on="cross-validation", true_positives=4, false_negatives=1, true_negatives=4, false_positives=1,
        compared=Comparison(by_fold=tuple(folds)).kept,
    )  # fmt: skip
    base = ScoringSystem.of([item("a", equals=True, points=1)], above=0).card
    return Card(**{name: getattr(base, name) for name in base.__dataclass_fields__} | {"performance": (seen,)})


def test_the_fewest_questions_that_are_not_clearly_worse_are_named():
    clearly_worse, as_good, best = [0.60, 0.61, 0.60, 0.61], [0.50, 0.52, 0.49, 0.51], [0.50, 0.50, 0.50, 0.50]
    card = card_with([clearly_worse, as_good, best])
    worse = [one.worse for one in card.performance[0].compared]
    assert worse == [True, False, False]
    assert enough_questions(card) == "2 questions are as good as 3 here: larger cards are not clearly better."
    assert enough_questions(card_with([as_good, best])).startswith("One question is enough")
    assert enough_questions(card_with([clearly_worse, best])) is None
    assert "2 questions are as good as 3 here" in sizes_text(card)
    table = sizes_table(card)
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    loaded = ScoringSystem.from_json(ScoringSystem(card).to_json()).card
    assert loaded.performance == card.performance


def test_an_interval_over_folds_is_that_of_nadeau_and_bengio():
    values = [0.50, 0.52, 0.49, 0.51]
    (one,) = card_with([values]).performance[0].compared
    half = 3.182446 * np.std(values, ddof=1) * math.sqrt(1 / 4 + 1 / 4)
    assert one.log_loss_interval == pytest.approx((0.505 - half, 0.505 + half), abs=1e-6)


def test_the_calibration_slope_is_that_of_a_logistic_regression_on_the_log_odds():
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 1.5, 400)
    positive = rng.random(400) < 1 / (1 + np.exp(-0.6 * odds - 0.2))
    risks = 1 / (1 + np.exp(-odds))
    losses = -np.log(np.where(positive, risks, 1 - risks))
    pooled = Pooled(
        rows=np.arange(400), scores=odds, positive=positive, weights=np.ones(400, dtype=np.int64), unit=1,
        kept=np.ones(400, dtype=bool),
    )  # fmt: skip
    part = object.__new__(LeftOut)
    object.__setattr__(part, "log_losses", losses)
    slope, low, high = pooled.calibration([part])
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=np.inf).fit(odds[:, None], positive)
    assert slope == pytest.approx(fitted.coef_[0, 0], abs=1e-3)
    p = fitted.predict_proba(odds[:, None])[:, 1]
    design = np.column_stack([np.ones(400), odds])
    error = math.sqrt(np.linalg.inv((design * (p * (1 - p))[:, None]).T @ design)[1, 1])
    assert (low, high) == pytest.approx((slope - 1.959964 * error, slope + 1.959964 * error), abs=1e-3)

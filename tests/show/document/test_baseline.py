"""What a card must beat: the same answer for everyone, by the measure that it was learned for."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest

from supersparse import Problem, RiskScoreClassifierCV, ScoringSystem, constraints, item, solve
from supersparse.card.evidence import baseline, no_better
from supersparse.card.performance import Performance
from supersparse.learn.calibration import no_better_than_baseline
from supersparse.show.document.content import content_of

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def learned(**settings):
    """A card of one question, whatever was asked of it."""
    problem = Problem.of([[0], [0], [1], [1]] * 5, list("nnyy") * 4 + list("nnyn"), feature_names=["fever"], **settings)
    return ScoringSystem.from_solution(solve(problem, node_limit=500)).card


def seen(tp, fn, tn, fp, **losses):
    return Performance(
        on="cross-validation", true_positives=tp, false_negatives=fn, true_negatives=tn, false_positives=fp, **losses
    )


# wrong for 30 of 200 rows, always predicting n for 20 of 200
OFTEN_WRONG = (15, 5, 155, 25)


def test_a_card_of_risks_is_compared_by_its_log_loss_not_by_its_errors():
    card = learned(goal="risk")
    assert no_better(card, seen(*OFTEN_WRONG, log_loss=0.25, baseline_log_loss=0.3251)) is None
    assert baseline(card, seen(*OFTEN_WRONG, log_loss=0.25, baseline_log_loss=0.3251)) == (
        'For comparison: predicting "n" for everyone misclassifies 10.0 %.'
    )
    assert no_better(card, seen(20, 0, 180, 0, log_loss=0.4, baseline_log_loss=0.3251)) == (
        "No better than the same risk for everyone: the log loss of this card is 0.4000 on rows it was not "
        "learned from, that of the same risk for everyone 0.3251."
    )
    assert no_better(card, seen(20, 0, 180, 0, log_loss=0.3251, baseline_log_loss=0.3251)) is not None
    # cards of earlier releases do not tell: no accusation
    assert no_better(card, seen(*OFTEN_WRONG)) is None


def test_tiny_losses_of_uneven_class_weights_are_compared_by_their_ratio():
    card = learned(goal="risk", class_weight={"n": 1, "y": 10**12})
    assert no_better(card, seen(*OFTEN_WRONG, log_loss=2.2e-11, baseline_log_loss=2.6e-11)) is None
    same = no_better(card, seen(*OFTEN_WRONG, log_loss=2.6e-11, baseline_log_loss=2.6e-11))
    assert same is not None
    assert "2.6e-11" in same


def test_weighted_classes_are_told():
    card = learned(goal="risk", class_weight={"n": 1, "y": 3})
    assert no_better(card, seen(*OFTEN_WRONG, log_loss=0.7, baseline_log_loss=0.6)).endswith(
        "that of the same risk for everyone 0.6000, by class weight."
    )


def test_at_a_risk_threshold_net_benefit_is_compared_as_well():
    card = learned(goal="risk", risk_threshold=0.2)
    losses = {"log_loss": 0.25, "baseline_log_loss": 0.3251}
    # (15 - 25/4) / 200 against (20 - 180/4) / 200 and 0
    assert no_better(card, seen(*OFTEN_WRONG, **losses)) is None
    # (8 - 40/4) / 200
    assert no_better(card, seen(8, 12, 140, 40, **losses)) == (
        "No better than always predicting n: at a risk of 20.0 %, the net benefit of this card is -0.0100 on "
        "rows it was not learned from, that of always predicting n 0.0000."
    )
    # (97 - 80/4) / 200 against (100 - 100/4) / 200 and (60 - 5/4) / 200
    assert no_better(card, seen(97, 3, 20, 80, **losses)) is None
    assert "always predicting y 0.3750" in no_better(card, seen(60, 40, 95, 5, **losses))
    both = no_better(card, seen(8, 12, 140, 40, log_loss=0.4, baseline_log_loss=0.3251))
    assert both.count("No better than ") == 2


def test_errors_are_compared_where_errors_were_asked():
    card = learned(C0=0.01)
    assert no_better(card, seen(*OFTEN_WRONG)) == (
        "No better than always predicting n: this card is wrong for 15.0 % of rows it was not learned from, "
        "always predicting n for 10.0 %."
    )
    card = learned(C0=0.01, class_weight={"n": 1, "y": 9})  # 5·9 + 25 against 20·9
    assert no_better(card, seen(*OFTEN_WRONG)) is None
    card = learned(C0=0.01, objective="net_benefit", risk_threshold=0.2)  # 5·8 + 25·2 against 20·8
    assert no_better(card, seen(*OFTEN_WRONG)) is None


@pytest.mark.parametrize(
    ("limit", "excuses"),
    [
        (constraints.min_sensitivity(0.7), True),
        (constraints.min_specificity(0.7), False),
        (constraints.max_false_positive_rate(0.2), False),
        (constraints.max_error(0.5), False),
        (constraints.max_error(0.05), True),
    ],
    ids=lambda value: value.in_words() if hasattr(value, "in_words") else str(value),
)
def test_an_answer_that_breaks_a_limit_on_rates_is_no_baseline(limit, excuses):
    card = learned(C0=0.01, constraints=[limit])
    assert (no_better(card, seen(*OFTEN_WRONG)) is None) == excuses


def test_a_card_that_does_not_say_what_was_asked_is_not_accused():
    card = learned(goal="risk")
    card = replace(card, provenance=replace(card.provenance, settings=None))
    assert no_better(card, seen(*OFTEN_WRONG)) is None


def test_the_warning_in_words_is_that_of_the_box():
    card = replace(learned(C0=0.01), performance=(seen(*OFTEN_WRONG),))
    assert no_better_than_baseline(card) == (
        "this card is no better than always predicting n: it is wrong for 15.0 % of rows it was not learned "
        "from, always predicting n for 10.0 %; try other columns or more rows"
    )


def test_the_warning_stands_on_cards_and_never_on_a_form_for_the_bedside():
    card = ScoringSystem.of([item("fever", equals=True, points=1)], above=0).card
    system = ScoringSystem(replace(card, performance=(seen(*OFTEN_WRONG),)))
    assert content_of(system.card).warning is not None
    faces = [system.to_text(columns=400), system.to_markdown(), system.to_html(), system.to_latex()]
    drawn = system.to_svg()
    assert all("No better than always predicting no" in face for face in faces)
    assert "No better than" in drawn
    for form in (system.calculator(), system.sheet().to_html(), system.sheet().to_svg()):
        assert "No better" not in form
        assert "For comparison" not in form
    useful = ScoringSystem(replace(card, performance=(seen(20, 0, 180, 0),)))
    told = "For comparison: predicting &quot;no&quot; for everyone misclassifies 10.0 %."
    assert told in useful.sheet().to_html()


@pytest.mark.filterwarnings("ignore::supersparse.errors.WeightedRisksWarning")
@pytest.mark.parametrize("class_weight", [None, {"no": 1, "yes": 3}], ids=["plain", "weighted"])
def test_a_learned_card_keeps_its_log_loss_on_both_kinds_of_rows(class_weight):
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (150, 2))
    y = np.where(random.random(150) < 1 / (1 + np.exp(4 - 1.5 * X[:, 0])), "yes", "no")
    model = RiskScoreClassifierCV(
        prepare=None, Cs=[0.01], cv=5, max_points=2, class_weight=class_weight, time_limit=None, node_limit=500
    ).fit(X, y)
    training, unseen = model.scoring_system_.card.performance
    by = np.where(y == "yes", 1.0 if class_weight is None else 3.0, 1.0)
    risk = model.predict_proba(X)[:, 1]
    losses = -np.log(np.where(y == "yes", risk, 1 - risk))
    share = by[y == "yes"].sum() / by.sum()
    assert training.log_loss == pytest.approx(np.average(losses, weights=by), abs=1e-9)
    entropy = -share * log(share) - (1 - share) * log(1 - share)
    assert training.baseline_log_loss == pytest.approx(entropy, abs=1e-12)
    assert unseen.log_loss == pytest.approx(-model.cv_results_["mean_test_score"][0], abs=5e-3)
    assert unseen.log_loss > training.log_loss
    assert unseen.baseline_log_loss == pytest.approx(entropy, abs=1e-3)
    again = ScoringSystem.from_json(model.scoring_system_.to_json()).card
    assert again.performance == (training, unseen)


def test_both_losses_are_told_or_none():
    with pytest.raises(Exception, match="one of log_loss and baseline_log_loss"):
        seen(1, 1, 1, 1, log_loss=0.5)
    with pytest.raises(Exception, match="must be 0 or more"):
        seen(1, 1, 1, 1, log_loss=-0.5, baseline_log_loss=Fraction(1))

"""The measures of a card on some rows, with risks from its training rows; and the fixed answers to beat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from supersparse.card.card import Card
from supersparse.card.evaluate.calibrating import Method, fit_risk
from supersparse.card.evaluate.calibration_line import calibration_line
from supersparse.card.evaluate.evaluation import Evaluation, evaluate_card
from supersparse.card.evaluate.forecasts import Forecasts
from supersparse.card.evaluate.outcomes import read_outcomes
from supersparse.card.evaluate.thresholds import Confusion
from supersparse.card.risk import TableRisk
from supersparse.show.report.data import LabelledRows, scorable

MEASURES = ("error rate", "sensitivity", "specificity", "AUC", "Brier score", "calibration slope")
Values = tuple[float | None, ...]  # in the order of MEASURES; None if undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A card, judged on some rows."""

    values: Values
    size: int
    proven: bool
    confusion: Confusion
    forecasts: Forecasts


def method_of(card: Card) -> Method:
    """The calibration method for refits: the same as the card's."""
    return "isotonic" if isinstance(card.risk, TableRisk) else "logistic"


def judge(card: Card, train: LabelledRows, test: LabelledRows, method: Method, proven: bool) -> Judged:
    """Evaluate a card on test rows that it can score, with risks by total from its training rows.

    A card that was learned for its risks keeps them.
    """
    train, test = scorable(card, train), scorable(card, test)
    with_risk = card
    if card.risk is None or card.provenance is None or not card.provenance.is_risk:
        outcomes = read_outcomes(card, train.columns, train.y.tolist(), train.weights)
        with_risk = replace(card, risk=fit_risk(outcomes.tally(), method))
    found = evaluate_card(with_risk, test.columns, test.y.tolist(), sample_weight=test.weights)
    assert found.forecasts is not None, "the card has risks"
    return Judged(
        values=measures_of(found),
        size=len(card.as_learned.items),
        proven=proven,
        confusion=found.confusion,
        forecasts=found.forecasts,
    )


def measures_of(found: Evaluation) -> Values:
    """The measures of an evaluation."""
    right = found.confusion.accuracy.value
    return (
        None if right is None else 1 - right,
        found.confusion.sensitivity.value,
        found.confusion.specificity.value,
        found.auc.value,
        found.brier,
        None if found.forecasts is None else slope_of(found.forecasts),
    )


def slope_of(forecasts: Forecasts) -> float | None:
    """The calibration slope: below 1, the risks are too extreme."""
    line = calibration_line(forecasts)
    return None if line is None else line.slope


def baseline(found: Confusion) -> Values:
    """The measures of always saying the commoner class, with the prevalence as everyone's risk."""
    share = found.n_positive / found.n if found.n else Fraction(0)
    says_positive = share > Fraction(1, 2)
    return (
        float(min(share, 1 - share)),
        float(says_positive) if found.n_positive else None,
        float(not says_positive) if found.n_negative else None,
        0.5 if found.n_positive and found.n_negative else None,
        float(share * (1 - share)),
        None,
    )


def pooled(forecasts: Sequence[Forecasts]) -> Forecasts:
    """All rows of several forecasts as one."""
    by_risk: dict[float, tuple[Fraction, Fraction]] = {}
    for one in forecasts:
        for risk, negative, positive in zip(one.risks, one.negatives, one.positives, strict=True):
            others, events = by_risk.get(risk, (Fraction(0), Fraction(0)))
            by_risk[risk] = (others + negative, events + positive)
    risks = sorted(by_risk)
    return Forecasts(
        risks=tuple(risks),
        negatives=tuple(by_risk[r][0] for r in risks),
        positives=tuple(by_risk[r][1] for r in risks),
    )

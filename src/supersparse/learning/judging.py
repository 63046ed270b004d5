"""Judging a learned card by rows that were left out: its performance, its risks, and if it is any good."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from supersparse.card.card import Card
from supersparse.card.performance import ClassWeights, Performance
from supersparse.card.risk import Floats
from supersparse.evaluate.performance import performance_of
from supersparse.faces.evidence import WEIGHTED_RISKS
from supersparse.learning.calibrating import LeftOut, Pooled, fitted_risk
from supersparse.learning.rows import TrainingRows
from supersparse.problem.problem import Problem
from supersparse.solving.solution import Solution

RISKS = "logistic"  # how the command line calibrates


def judged(
    card: Card,
    seen: Floats,
    rows: TrainingRows,
    positive: object,
    unseen: Sequence[LeftOut],
    method: str | None,
) -> Card:
    """Return the card with its cross-validated performance and, given a method, with risks.

    `seen` are the card's scores of all rows. Held-out rows are judged by the cards that were learned without
    them, all folds together. The AUC compares scores of different cards, each in units of its root mean
    square.
    """
    found = performance_of(Pooled.of(rows, positive, unseen).tally(1.0, Fraction(0)), "cross-validation")
    others = tuple(one for one in card.performance if one.on != found.on)
    risk = card.risk if method is None else fitted_risk(card, seen, rows, positive, unseen, method)
    return replace(card, performance=(*others, found), risk=risk)


def slope_at_its_limit(solution: Solution) -> str | None:
    """Say that a risk model has the largest slope allowed, and what to do about it; None if it has not."""
    if not solution.slope_at_limit:
        return None
    return (
        "the slope is at its limit: the features of the card separate the classes, or nearly, so its risks "
        "say little between 0 and 1; allow fewer features or smaller points, raise C0, or ask for goal "
        "errors (SLIMClassifier)"
    )


def weighs_risks(problem: Problem) -> str | None:
    """Say that class weights distort the risks of a risk model, and what to do about it; None without any."""
    if problem.goal != "risk" or problem.class_weights[0] == problem.class_weights[1]:
        return None
    return f"{WEIGHTED_RISKS}; to favour one kind of error and keep the risks, set risk_threshold instead"


def no_better_than_baseline(card: Card, class_weights: ClassWeights) -> str | None:
    """Say that a card errs no less than whoever always predicts the commoner class; None if it errs less.

    Cross-validated errors count where there are any, else training errors. Where errors of the classes cost
    differently, costs are compared: a card that was asked to miss few cases may well err more often.
    """
    found = next((p for p in reversed(card.performance) if p.on in ("cross-validation", "training")), None)
    if found is None:
        return None
    costs = found.weighted(class_weights)
    if costs.beats_baseline:
        return None
    label = card.positive if costs.positives > costs.negatives else card.negative
    return (
        f"this card is no better than always predicting {label!r}: it is wrong on {_percent(costs.error)} "
        f"of {_rows(found)}, and always predicting {label!r} on {_percent(costs.baseline_error)}"
        f"{_weighted(class_weights)}; try other columns or more rows"
    )


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"


def _rows(found: Performance) -> str:
    return "the held-out rows" if found.on == "cross-validation" else "the training rows"


def _weighted(class_weights: ClassWeights) -> str:
    return "" if class_weights[0] == class_weights[1] else ", by class weight"

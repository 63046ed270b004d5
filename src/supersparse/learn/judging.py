"""Judging a learned card by rows that were left out: its performance, its risks, and if it is any good."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from supersparse.card.card import Card
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evidence import WEIGHTED_RISKS, shortfalls
from supersparse.card.performance import ClassWeights, Compared
from supersparse.card.risk import Floats
from supersparse.engine.solution import Solution
from supersparse.learn.calibrating import Pooled, fitted_risk
from supersparse.learn.crossfit import LeftOut
from supersparse.learn.rows import TrainingRows
from supersparse.problem.problem import Problem

RISKS = "logistic"  # how the command line calibrates


def judged(
    card: Card,
    seen: Floats,
    rows: TrainingRows,
    positive: object,
    unseen: Sequence[LeftOut],
    method: str | None,
    class_weights: ClassWeights,
    cut: tuple[int, int] | None = None,
    compared: tuple[Compared, ...] = (),
) -> Card:
    """Return the card with its cross-validated performance and, given a method, with risks.

    `cut` says how many folds are behind it of how many planned, where some were skipped, and `compared` how
    well other models did on the same rows.
    `seen` are the card's scores of all rows. Held-out rows are judged by the cards that were learned without
    them, all folds together. The AUC compares scores of different cards, each in units of its root mean
    square.
    """
    pooled = Pooled.of(rows, positive, unseen)
    found = performance_of(pooled.tally(1.0, Fraction(0)), "cross-validation")
    losses = pooled.log_losses(unseen, class_weights)
    if losses is not None:
        found = replace(found, log_loss=losses[0], baseline_log_loss=losses[1])
    found = replace(found, folds=cut, compared=compared)
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


def no_better_than_baseline(card: Card) -> str | None:
    """Say that a card is no better than the same answer for everyone; None if it is.

    Held-out rows count where there are any, else the training rows. What is compared is what the card was
    learned for: a card that was asked to miss few cases may well err more often.
    """
    found = next((p for p in reversed(card.performance) if p.on in ("cross-validation", "training")), None)
    why = () if found is None else shortfalls(card, found, "it")
    if not why:
        return None
    return f"this card is no better than {', and no better than '.join(why)}; try other columns or more rows"

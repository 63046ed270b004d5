"""Judging a learned card by rows that were left out: its performance, its risks, and if it is any good."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import counted
from supersparse.card.card import Card
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evidence import WEIGHTED_RISKS, shortfalls
from supersparse.card.performance import ClassWeights, Compared
from supersparse.card.risk import Floats
from supersparse.engine.solution import Solution
from supersparse.learn.calibrating import Pooled, fitted_risk
from supersparse.learn.crossfit import LeftOut
from supersparse.learn.horizon import worth_people
from supersparse.learn.leaks import leaks_among
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem
from supersparse.problem.variants import of_classes

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
    performance = performance_of(pooled.tally(1.0, Fraction(0)), "cross-validation")
    if rows.follow_up is not None:
        performance = worth_people(performance, rows.follow_up.facts())
    losses = pooled.log_losses(unseen, class_weights)
    if losses is not None:
        performance = replace(performance, log_loss=losses[0], baseline_log_loss=losses[1])
    performance = replace(performance, folds=cut, compared=compared, calibration=pooled.calibration(unseen))
    others = tuple(one for one in card.performance if one.on != performance.on)
    risk = card.risk if method is None else fitted_risk(card, seen, rows, positive, unseen, method)
    return replace(card, performance=(*others, performance), risk=risk)


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
    if loss_of(problem).counts_rows or problem.class_weights[0] == problem.class_weights[1]:
        return None
    return f"{WEIGHTED_RISKS}; to favour one kind of error and keep the risks, set risk_threshold instead"


def no_better_than_baseline(card: Card) -> str | None:
    """Say that a card is no better than the same answer for everyone; None if it is.

    Held-out rows count where there are any, else the training rows. What is compared is what the card was
    learned for: a card that was asked to miss few cases may well err more often.
    """
    performance = next((p for p in reversed(card.performance) if p.on in ("cross-validation", "training")), None)
    why = () if performance is None else shortfalls(card, performance, "it")
    if not why:
        return None
    return f"this card is no better than {', and no better than '.join(why)}; try other columns or more rows"


_FEW = 20  # rows of a class: one of them is 5 % of its errors or more
_ENOUGH = 10  # rows of each class, that a feature separates hardly by chance
_GLANCE = 1000  # rows that tell of most features that they do not separate the classes


def doubts(question: PreparedProblem, rows: TrainingRows) -> tuple[str, ...]:
    """Say what gives the class away, as what is known only later does, and who is few."""
    problem = of_classes(question.problem)
    n_positive = int(problem.rows.positive.sum())
    sizes = (len(problem.rows.positive) - n_positive, n_positive)
    if rows.is_counted:
        sizes = (int(problem.class_totals[0]), int(problem.class_totals[1]))
    few = min(sizes)
    notes = []
    if question.prepare is not None and not rows.is_counted:
        notes += leaks_among(rows.X, np.asarray(rows.y == problem.rows.classes[1]))
    elif few >= _ENOUGH and (named := list(_separating(question))):
        more = "" if len(named) == 1 else f" (as do {len(named) - 1} more)"
        notes.append(f"{named[0]} alone{more} separates the classes in all rows; is it known when the card is used?")
    if few < _FEW:
        rare = problem.rows.classes[sizes.index(few)]
        notes.append(
            f"the class {rare!r} has only {counted(few, 'row')}, so all figures of the card are imprecise, "
            "those on rows left out too"
        )
    return tuple(notes)


def _separating(question: PreparedProblem) -> Iterator[str]:
    """Name the features of which one side of a threshold is one class, and the other side the other."""
    rows = of_classes(question.problem).rows
    for name, column in zip(rows.names, rows.raw or rows.columns, strict=True):
        glance = _separates(column[:_GLANCE], rows.positive[:_GLANCE])
        if not glance or not _separates(column, rows.positive):
            continue
        yield repr(name)


def _separates(column: NDArray[np.generic], positive: NDArray[np.bool_]) -> bool:
    cases, controls = column[positive], column[~positive]
    if not len(cases) or not len(controls):
        return True  # for all that can be seen
    return bool(cases.min() > controls.max() or cases.max() < controls.min())

"""The performance of a solution on the rows that it was learned from."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.integer_arrays import distinct_of, fits_int64
from supersparse.card.evaluate.rates import added_up, auc_with_interval
from supersparse.card.evaluate.thresholds import LEVEL
from supersparse.card.performance import Performance
from supersparse.engine.solution import Solution
from supersparse.problem.log_loss import log_loss
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import NearTotals, integer_totals
from supersparse.problem.objective import PointsEvaluation, evaluate
from supersparse.problem.variants import of_classes


def by_classes(solution: Solution) -> Solution:
    """The answer on the rows' own classes, where it was learned from those that blended labels favour.

    Its bound is of the blended labels, and says nothing of these.
    """
    if not solution.problem.rows.is_favoured:
        return solution
    problem = of_classes(solution.problem)
    return replace(solution, problem=problem, evaluation=evaluate(problem, solution.points))


def training_performance(solution: Solution) -> Performance:
    """Count what `predict` gets right and wrong on the training rows, by sample weight.

    Class weights do not enter, but in the log loss of a risk model. The counts are those that were verified.
    The AUC is computed in whole numbers: a card of many different totals would take long in fractions.
    """
    evaluation = solution.evaluation
    auc = auc_with_interval(_auc(solution), evaluation.negative, evaluation.positive, LEVEL)
    loss, baseline = _log_losses(solution) if loss_of(solution.problem).gives_risks else (None, None)
    return replace(
        training_counts(evaluation), auc=auc.value, auc_interval=auc.interval, log_loss=loss, baseline_log_loss=baseline
    )


def training_counts(evaluation: PointsEvaluation) -> Performance:
    """The four counts on the training rows as `predict` classifies: a score of 0 is the negative class."""
    false_positives = evaluation.wrong_negative - evaluation.zero_negative
    return Performance(
        on="training",
        true_positives=evaluation.positive - evaluation.wrong_positive,
        false_negatives=evaluation.wrong_positive,
        true_negatives=evaluation.negative - false_positives,
        false_positives=false_positives,
    )


def _log_losses(solution: Solution) -> tuple[float, float]:
    """The mean log loss, class weights applied, and that of the prevalence as everyone's risk."""
    problem = solution.problem
    weights = [float(w * n) for w, n in zip(problem.class_weights, problem.class_totals, strict=True)]
    both = sum(weights)
    loss = float(_loss(solution)) * float(sum(problem.class_totals)) / both
    return loss, -sum(w / both * math.log(w / both) for w in weights if w)


def _loss(solution: Solution) -> Fraction:
    """The log loss of the classes, also where soft labels stood for them."""
    rows = solution.problem.rows
    if rows.soft_labels is None:
        return solution.evaluation.loss
    return log_loss(replace(solution.problem, rows=replace(rows, soft_labels=None)), solution.points)


def _auc(solution: Solution) -> Fraction:
    """The share of pairs in which the positive row has more points, a tie counting half."""
    rows = solution.problem.rows
    coefficients = solution.points.coefficients
    near = NearTotals.of(solution.problem, coefficients)
    ranked = None if near is None else near.ranks()
    if ranked is None:
        distinct, groups = distinct_of(integer_totals(solution.problem, coefficients, solution.points.answers))
        n_groups = len(distinct)
    else:
        groups, n_groups = ranked[0], len(ranked[1])
    weights = rows.weights
    if not fits_int64(2 * solution.problem.total_weight**2):
        weights = weights.astype(object)
    negatives, positives = (added_up(weights, groups, n_groups, mask) for mask in (~rows.positive, rows.positive))
    below: Any = np.cumsum(negatives, dtype=negatives.dtype)
    won = int((positives * (2 * below - negatives)).sum())
    return Fraction(won, 2 * int(negatives.sum()) * int(positives.sum()))

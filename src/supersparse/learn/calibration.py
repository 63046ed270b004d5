"""What held-out rows say of a learned card: its performance, and how often the positive class occurs at each score.

A card looks too good on the rows it was learned from. So it is learned again without each fold (`crossfit`),
and the risk of the final card is fitted to the scores of the held-out rows. Cards of different folds differ in
scale: their scores are brought to that of the final card, 0 staying 0. They differ in where 0 lies, too: at last
the log-odds of all risks are moved so that the mean risk by the final card is the share of positives.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.integer_arrays import IntArray, fits_int64, largest_magnitude, quotients
from supersparse.card.bands import possible_totals
from supersparse.card.card import Card, Cutoff
from supersparse.card.evaluate.calibrating import Method, fit_risk, in_the_large
from supersparse.card.evaluate.forecasts import Labelled
from supersparse.card.evaluate.rates import Tally, added_up
from supersparse.card.evaluate.thresholds import performance_of
from supersparse.card.evidence import WEIGHTED_RISKS, shortfalls
from supersparse.card.performance import ClassWeights, Compared
from supersparse.card.risk import Floats, LogisticRisk, Risk, TableRisk
from supersparse.engine.solution import Solution
from supersparse.learn.crossfit import LeftOut, root_mean_square, row_weights
from supersparse.learn.horizon import worth_people
from supersparse.learn.rows import TrainingRows
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem

_NEAREST = 1e-9  # to risks of 0 and 1, which have no log odds
_NORMAL = 1.959963984540054  # of an interval of 95 %
_MOST_TOTALS = 40  # of a table that a smooth risk becomes


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pooled:
    """The scores of all held-out rows, on one scale: above 0 the positive class is predicted.

    A row left out several times has its weight divided among its scores; one never left out has none, and
    rows of weight 0 are not here.
    """

    rows: NDArray[np.intp]
    scores: Floats
    positive: NDArray[np.bool_]
    weights: IntArray  # over `unit`
    unit: int
    kept: NDArray[np.bool_]  # of the held-out rows: those with weight

    @classmethod
    def of(cls, rows: TrainingRows, positive: object, unseen: Sequence[LeftOut]) -> "Pooled":
        weights, scale = row_weights(rows.sample_weight, len(rows.y))
        left = np.concatenate([part.rows for part in unseen])
        scores = np.concatenate([part.scores for part in unseen])
        times = np.bincount(left, minlength=len(rows.y))
        kept = np.asarray(weights[left] > 0, dtype=bool)
        left, scores = left[kept], scores[kept]
        common = math.lcm(*np.unique(times[left]).tolist())
        fits = fits_int64(largest_magnitude(weights) * common * len(left))
        shares = common // times[left]
        return cls(
            rows=left,
            scores=scores,
            positive=np.asarray(rows.y == positive)[left],
            weights=weights[left].astype(np.int64 if fits else object) * shares,
            unit=scale * common,
            kept=kept,
        )

    def with_scores(self, scores: Floats) -> "Pooled":
        """Give the same rows other scores, in the order of the folds."""
        return replace(self, scores=scores[self.kept])

    def log_losses(self, unseen: Sequence[LeftOut], class_weights: ClassWeights) -> tuple[float, float] | None:
        """Return the mean log loss by the risks, and by the prevalence; None where folds have no risks.

        None as well where no prevalence is between 0 and 1.
        """
        both = []
        for parts in ([one.log_losses for one in unseen], [one.baseline_log_losses for one in unseen]):
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            both.append(np.concatenate(known)[self.kept])
        negative, positive = map(float, class_weights)
        by = quotients(self.weights, self.unit) * np.where(self.positive, positive, negative)
        if not by.any():
            return None
        of_card, of_prevalence = (float(np.average(losses, weights=by)) for losses in both)
        return (of_card, of_prevalence) if math.isfinite(of_prevalence) else None

    def calibration(self, unseen: Sequence[LeftOut]) -> tuple[float, float, float] | None:
        """Return the slope of observed on predicted log odds, 1 where risks are right, with its interval of 95 %.

        None where folds have no risks, and where the risks separate the classes or are all equal.
        """
        losses = [one.log_losses for one in unseen if one.log_losses is not None]
        if len(losses) < len(unseen):
            return None
        likely = np.clip(np.exp(-np.concatenate(losses)[self.kept]), _NEAREST, 1 - _NEAREST)  # of the true class
        odds = np.where(self.positive, 1, -1) * np.round(np.log(likely) - np.log1p(-likely), 9)
        distinct, codes = np.unique(odds, return_inverse=True)
        by = quotients(self.weights, self.unit)
        negatives, positives = (
            np.bincount(codes.reshape(-1), by * of_class, len(distinct)).astype(np.float64)
            for of_class in (~self.positive, self.positive)
        )
        labelled = Labelled(values=distinct, negatives=negatives, positives=positives)
        if len(distinct) < 2 or not labelled.overlap:
            return None
        line = labelled.line()
        risks = line.of(distinct)
        known = (negatives + positives) * risks * (1 - risks)
        spread = float(known @ (distinct - float(known @ distinct) / known.sum()) ** 2)
        half = _NORMAL / math.sqrt(spread)
        return line.slope, line.slope - half, line.slope + half

    def tally(self, unit: float, threshold: Fraction) -> Tally:
        """Add up the weights at each score, in points of a card whose scores have this root mean square."""
        scores, weights, positive = self.scores * unit, self.weights, self.positive
        distinct = np.unique(scores)
        groups = np.searchsorted(distinct, scores)  # faster than the inverse of `unique`, which sorts
        by_class = [added_up(weights, groups, len(distinct), of_class) for of_class in (~positive, positive)]
        made = {weight: Fraction(weight, self.unit) for sums in by_class for weight in set(sums.tolist())}
        negatives, positives = (tuple(made[weight] for weight in sums.tolist()) for sums in by_class)
        return Tally(
            totals=tuple(Fraction(s) + threshold if threshold else Fraction(s) for s in distinct.tolist()),
            negatives=negatives,
            positives=positives,
            cutoff=Cutoff(threshold=threshold, reached=False),
        )


def fitted_risk(
    card: Card, seen: Floats, rows: TrainingRows, positive: object, unseen: Sequence[LeftOut], method: str
) -> Risk:
    """Return the risks that scores of held-out rows speak for; `seen` are the card's scores of all rows.

    Sample weights count, class weights do not: risks are of the rows as they are. A table says how many
    training rows have each total.
    """
    pooled = Pooled.of(rows, positive, unseen)
    if pooled.positive.all() or not pooled.positive.any():
        only = rows.y[pooled.rows][0]
        raise InvalidDataError(
            f"all rows that the folds leave out are of class {only}", "calibrate needs both, or set it to None"
        )
    weights, scale = row_weights(rows.sample_weight, len(rows.y))
    used = np.flatnonzero(np.asarray(weights > 0, dtype=bool))
    unit = root_mean_square(seen[used], weights[used])
    by = quotients(pooled.weights, pooled.unit)
    share = float(np.average(pooled.positive, weights=by))
    risk = rising(fit_risk(pooled.tally(unit, card.zero_total), cast(Method, method)), share)
    cases = _cases_by_total(card, seen[used], weights[used], scale)
    if isinstance(risk, TableRisk):
        risk = _stated_at(risk, tuple(cases), cases)
    risk = in_the_large(risk, seen[pooled.rows] + float(card.zero_total), by, share)
    return _tabulated(risk, card, cases)


def _cases_by_total(card: Card, scores: Floats, weights: IntArray, unit: int) -> dict[Fraction, Fraction]:
    """Return the weight of the rows, over `unit`, at each total that occurs, in rising order."""
    distinct, groups = np.unique(scores, return_inverse=True)
    fits = fits_int64(largest_magnitude(weights) * len(weights))
    whole = weights.astype(np.int64 if fits else object)
    sums = added_up(whole, groups.reshape(-1), len(distinct), np.ones(len(weights), dtype=bool))
    cases_at: dict[Fraction, Fraction] = {}
    for score, weight in zip(distinct.tolist(), sums.tolist(), strict=True):
        cases = Fraction(int(weight), unit)
        total = Fraction(str(score)) + card.zero_total
        if card.totals_are_whole:  # the score was rounded to a float
            total = Fraction(round(total))
        cases_at[total] = cases_at.get(total, Fraction(0)) + cases
    return cases_at


def rising(risk: Risk, share: float) -> Risk:
    """Return a risk that does not fall with the total: one that does says that points tell nothing."""
    if isinstance(risk, LogisticRisk) and risk.slope < 0:
        return LogisticRisk(slope=0.0, offset=math.log(share / (1 - share)))
    return risk


def _stated_at(risk: Risk, totals: Sequence[Fraction], cases: Mapping[Fraction, Fraction]) -> TableRisk:
    """State a risk at these totals, with the cases behind each; 0 where there are none."""
    risks = risk.of(np.array([float(total) for total in totals])).tolist()
    return TableRisk(
        totals=tuple(totals), risks=tuple(risks), cases=tuple(cases.get(total, Fraction(0)) for total in totals)
    )


def _tabulated(risk: Risk, card: Card, cases: Mapping[Fraction, Fraction]) -> Risk:
    """Make a table of a smooth risk: at all totals that can occur, or at those that did, if these are few.

    Doctors read a row of totals above a row of risks. The values stay those of the smooth risk, so a total
    that few rows have borrows from its neighbours, and one that no row has says so by its 0 cases.
    """
    if isinstance(risk, TableRisk) or not card.totals_are_whole:
        return risk
    totals = possible_totals(card, _MOST_TOTALS) or tuple(cases)
    # a total outside of what is possible comes from values outside of the domains
    listed = sorted({*totals, *cases})
    return _stated_at(risk, listed, cases) if len(listed) <= _MOST_TOTALS else risk


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

    `cut` says how many folds are behind it of how many planned, where some were skipped, and `compared` how well other
    models did on the same rows. `seen` are the card's scores of all rows. Held-out rows are judged by the cards that
    were learned without them, all folds together. The AUC compares scores of different cards, each in units of its root
    mean square.
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

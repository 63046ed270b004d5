"""Risks for a learned card: how often the positive class occurs at each score that rows get unseen.

The rows that a card was learned from flatter it. So it is learned again without each fold, the
rows left out are scored by what was learned from the others, and the risk of the final card is fitted
to these scores. Cards of different folds differ in scale: their scores are brought to that of
the final card, 0 staying 0. They differ in where 0 lies, too: at last the log-odds of all risks are moved so
that the mean risk by the final card is the share of positives.

`SLIMClassifier` learns again for this alone. `SLIMClassifierCV` has learned without each of its folds
already, so its risks come from those fits.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from supersparse.card.card import Cutoff
from supersparse.card.risk import Floats, Risk, TableRisk
from supersparse.errors import InfeasibleError, InvalidDataError, InvalidProblemError, PenaltyRangeWarning
from supersparse.estimators.base import ScoringSystemClassifier
from supersparse.evaluate.calibrating import Method, fit_risk, in_the_large
from supersparse.evaluate.outcomes import Tally
from supersparse.exact import IntArray, integer_column
from supersparse.faces import ScoringSystem
from supersparse.learning.rows import as_array, take_rows
from supersparse.problem.rows import group_columns

Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]  # (training, left out)

_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Rows left out of a fit, by position, and the scores that it gives them.

    Scores are in units of their root mean square on the rows of the fit.
    """

    rows: NDArray[np.intp]
    scores: Floats


def _has_risks(estimator: Any) -> bool:
    if estimator.calibrate is None:
        raise AttributeError('there are no probabilities without calibrate="isotonic" or "logistic"')
    return True


class RiskMixin:
    """Probabilities from the risks of the card, for a classifier with a parameter `calibrate`."""

    @available_if(_has_risks)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, for each row; only with `calibrate`.

        A probability above 0.5 and the class of `predict` may differ: the class says on which side of the
        threshold the score lies, the probability how often such scores came with the positive class.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        card = self.scoring_system_.card  # type: ignore[attr-defined]
        totals = self._scores(X) + float(card.threshold)  # type: ignore[attr-defined]
        positive = card.risk.of(totals)
        last = positive if self.positive_ == self.classes_[1] else 1 - positive  # type: ignore[attr-defined]
        return np.column_stack([1 - last, last])


def calibrate(
    model: ScoringSystemClassifier, X: Any, y: NDArray[Any], sample_weight: Any, rate_groups: Any
) -> None:
    """Give the card of a fitted model risks, found by cross-fitting.

    Sample weights count, class weights do not: risks are of the rows as they are.
    """
    weights = _weights(sample_weight, len(y))[0]
    folds = folds_of(y == model.positive_, np.flatnonzero(np.asarray(weights > 0, dtype=bool)))
    keep_risks(model, X, y, sample_weight, learn_without(model, X, y, sample_weight, rate_groups, folds))


def keep_risks(
    model: ScoringSystemClassifier, X: Any, y: NDArray[Any], sample_weight: Any, unseen: Sequence[LeftOut]
) -> None:
    """Give the card of a fitted model the risks that scores of rows left out speak for.

    A row left out several times has its weight divided among its scores; one never left out has none.
    """
    weights, scale = _weights(sample_weight, len(y))
    rows = np.concatenate([part.rows for part in unseen])
    scores = np.concatenate([part.scores for part in unseen])
    times = np.bincount(rows, minlength=len(y))
    kept = np.asarray(weights[rows] > 0, dtype=bool)
    rows, scores = rows[kept], scores[kept]
    positive = y == model.positive_
    if positive[rows].all() or not positive[rows].any():
        only = y[rows][0]
        raise InvalidDataError(
            f"all rows that the folds leave out are of class {only}; calibrate needs both, or set it to None"
        )
    used = np.flatnonzero(np.asarray(weights > 0, dtype=bool))
    seen, card = model._scores(X), model.scoring_system_.card
    unit = root_mean_square(seen[used], weights[used])
    parts = [Fraction(int(weights[row]), scale * int(times[row])) for row in rows]
    tally = _tally(scores * unit, positive[rows], parts, card.threshold)
    risk = _at_totals_of_the_card(fit_risk(tally, cast(Method, model.calibrate)), seen[used], card.threshold)
    by = np.array([float(part) for part in parts])
    risk = in_the_large(
        risk, seen[rows] + float(card.threshold), by, float(np.average(positive[rows], weights=by))
    )
    model.scoring_system_ = ScoringSystem(replace(card, risk=risk))


def _weights(sample_weight: Any, n_rows: int) -> tuple[IntArray, int]:
    return integer_column(
        np.ones(n_rows, dtype=np.int8) if sample_weight is None else as_array(sample_weight)
    )


def folds_of(positive: NDArray[np.bool_], rows: NDArray[np.intp]) -> Splits:
    """Return stratified folds of the rows that have weight, not shuffled."""
    fewest = min(int(positive[rows].sum()), int((~positive[rows]).sum()))
    if fewest < 2:
        raise InvalidDataError(
            f"a class has {fewest} row of weight above 0; calibrate needs 2 or more, or set it to None"
        )
    splits = StratifiedKFold(min(_FOLDS, fewest)).split(rows, positive[rows])
    return [(rows[train], rows[test]) for train, test in splits]


def learn_without(
    model: ScoringSystemClassifier,
    X: Any,
    y: NDArray[Any],
    sample_weight: Any,
    rate_groups: Any,
    folds: Splits,
) -> list[LeftOut]:
    """Score the rows left out of each fold by what is learned from its training rows."""
    columns = group_columns(rate_groups)
    weights = None if sample_weight is None else as_array(sample_weight)
    found = []
    for number, (train, test) in enumerate(folds, start=1):
        own = None if weights is None else weights[train]
        other: Any = clone(model).set_params(calibrate=None, checkpoint=None, verbose=0)
        with warnings.catch_warnings():
            # the useful range differs a little from fold to fold; the fit on all rows warns
            warnings.simplefilter("ignore", PenaltyRangeWarning)
            try:
                labels = {name: column[train] for name, column in columns.items()}
                other._fit_again(take_rows(X, train), y[train], own, labels or None)
            except (InvalidDataError, InvalidProblemError, InfeasibleError) as error:
                raise type(error)(f"calibrate, without fold {number} of {len(folds)}: {error}") from None
        found.append(left_out(other, X, train, test, weights))
    return found


def left_out(
    model: ScoringSystemClassifier,
    X: Any,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    weights: NDArray[Any] | None,
) -> LeftOut:
    """Score the rows left out of a fit on the others."""
    seen = model._scores(take_rows(X, train))
    unit = root_mean_square(seen, None if weights is None else weights[train])
    return LeftOut(rows=test, scores=model._scores(take_rows(X, test)) / (unit or 1.0))


def root_mean_square(scores: Floats, weights: Any) -> float:
    """Return the root of the mean of the squares, by weight."""
    largest = float(np.abs(scores).max(initial=0.0))
    if largest == 0:
        return 0.0
    by = None if weights is None else np.asarray(weights, dtype=np.float64)
    return largest * float(np.sqrt(np.average((scores / largest) ** 2, weights=by)))  # no overflow


def _tally(
    scores: Floats, positive: NDArray[np.bool_], weights: list[Fraction], threshold: Fraction
) -> Tally:
    distinct, groups = np.unique(scores, return_inverse=True)
    sums = {side: [Fraction(0)] * len(distinct) for side in (False, True)}
    for group, side, weight in zip(groups.tolist(), positive.tolist(), weights, strict=True):
        sums[side][group] += weight
    return Tally(
        totals=tuple(Fraction(float(s)) + threshold for s in distinct),
        negatives=tuple(sums[False]),
        positives=tuple(sums[True]),
        cutoff=Cutoff(threshold=threshold),
    )


def _at_totals_of_the_card(risk: Risk, scores: Floats, threshold: Fraction) -> Risk:
    """Say a table at the totals that occur, in place of the scores that other cards gave."""
    if not isinstance(risk, TableRisk):
        return risk
    totals = [Fraction(str(s)) + threshold for s in np.unique(scores).tolist()]
    risks = risk.of(np.array([float(t) for t in totals])).tolist()
    return TableRisk(totals=tuple(totals), risks=tuple(risks))

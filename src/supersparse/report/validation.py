"""CrossValidation: the card learned again without each fold in turn, and judged on that fold."""

from dataclasses import dataclass, replace
from statistics import mean, stdev

from supersparse.card.card import Card
from supersparse.card.risk import TableRisk
from supersparse.errors import SupersparseError
from supersparse.evaluate.calibrating import Method, fit_risk
from supersparse.evaluate.evaluation import Evaluation, evaluate
from supersparse.evaluate.outcomes import read_outcomes
from supersparse.report.data import Data, scorable
from supersparse.report.plan import Plan, Progress
from supersparse.report.refit import Refit
from supersparse.report.sampling import folds_of

MEASURES = ("error rate", "sensitivity", "specificity", "AUC", "Brier score")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The measures of one card on some rows, in the order of `MEASURES`; None where there is none."""

    values: tuple[float | None, ...]
    size: int
    proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and standard deviation over samples; the latter None for a single one."""

    mean: float
    sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidation:
    """What folds that the learning did not see say of it, beside what the training rows said."""

    apparent: Judged  # the card itself on all rows
    folds: tuple[Judged, ...]
    asked: int  # so many folds were planned
    failures: tuple[str, ...]
    stopped: bool  # by the user, before all folds were done

    def spread(self, measure: str) -> Spread | None:
        """Mean and standard deviation of a measure over the folds that have it."""
        k = MEASURES.index(measure)
        values = [v for fold in self.folds for v in [fold.values[k]] if v is not None]
        if not values:
            return None
        return Spread(mean=mean(values), sd=stdev(values) if len(values) > 1 else None)


def cross_validate(card: Card, data: Data, refit: Refit, plan: Plan, progress: Progress) -> CrossValidation:
    """Learn again without each fold; Ctrl-C keeps the folds that are done."""
    method = method_of(card)
    judged, failures, stopped = [], [], False
    try:
        for k, (train, test) in enumerate(folds_of(data, plan), start=1):
            progress(f"cross-validation: fold {k} of {plan.folds}")
            try:
                again = refit(train)
                judged.append(judge(again.card, data.take(train), data.take(test), method, again.proven))
            except SupersparseError as error:
                failures.append(f"fold {k}: {error}")
    except KeyboardInterrupt:
        stopped = True
    return CrossValidation(
        apparent=judge(card, data, data, method, True),
        folds=tuple(judged),
        asked=plan.folds,
        failures=tuple(failures),
        stopped=stopped,
    )


def method_of(card: Card) -> Method:
    """The way risks are learned again: that of the card's own."""
    return "isotonic" if isinstance(card.risk, TableRisk) else "logistic"


def judge(card: Card, train: Data, test: Data, method: Method, proven: bool) -> Judged:
    """Judge a card on test rows that it can score, with risks by total learned from its training rows."""
    train, test = scorable(card, train), scorable(card, test)
    outcomes = read_outcomes(card, train.columns, train.y.tolist(), train.weights)
    with_risk = replace(card, risk=fit_risk(outcomes.tally(), method))
    found = evaluate(with_risk, test.columns, test.y.tolist(), sample_weight=test.weights)
    return Judged(values=measures_of(found), size=len(card.items), proven=proven)


def measures_of(found: Evaluation) -> tuple[float | None, ...]:
    """The measures of an evaluation, in the order of `MEASURES`."""
    right = found.confusion.accuracy.value
    return (
        None if right is None else 1 - right,
        found.confusion.sensitivity.value,
        found.confusion.specificity.value,
        found.auc.value,
        found.brier,
    )

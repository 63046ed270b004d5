"""Refits for a report: cross-validation, bootstrap stability, larger and smaller cards, and the recheck."""

import warnings
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from statistics import mean, stdev

from supersparse.card.card import Card
from supersparse.card.printed import follows_from_learned
from supersparse.card.risk import TableRisk
from supersparse.errors import PenaltyRangeWarning, SupersparseError, VerificationError
from supersparse.evaluate.calibrating import Method, fit_risk
from supersparse.evaluate.evaluation import Evaluation, evaluate_card
from supersparse.evaluate.outcomes import read_outcomes
from supersparse.learning.refit import Refit, Refitted
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.report.data import LabelledRows, bootstrap_samples, report_folds, scorable
from supersparse.report.plan import STOPPED, Absent, Plan, Tell
from supersparse.results.frontier import Frontier, frontier
from supersparse.solving.verify import check_points
from supersparse.stop import Stop

MEASURES = ("error rate", "sensitivity", "specificity", "AUC", "Brier score")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The measures of one card on some rows, in the order of `MEASURES`; None if undefined."""

    values: tuple[float | None, ...]
    size: int
    proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and standard deviation over samples; `sd` is None for a single sample."""

    mean: float
    sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidation:
    """Performance on held-out folds, and apparent performance on all rows."""

    apparent: Judged  # of the card itself, on all rows
    folds: tuple[Judged, ...]
    asked: int  # number of folds planned
    failures: tuple[str, ...]
    stopped: bool  # by the user, before the last fold

    def spread(self, measure: str) -> Spread | None:
        """Mean and standard deviation of a measure over the folds where it is defined."""
        k = MEASURES.index(measure)
        values = [v for fold in self.folds for v in [fold.values[k]] if v is not None]
        if not values:
            return None
        return Spread(mean=mean(values), sd=stdev(values) if len(values) > 1 else None)


def cross_validate(
    card: Card, data: LabelledRows, refit: Refit, plan: Plan, progress: Tell
) -> CrossValidation:
    """Refit without each fold; Ctrl-C keeps the finished folds."""
    method = method_of(card)
    judged, failures, stopped = [], [], False
    try:
        for k, (train, test) in enumerate(report_folds(data, plan), start=1):
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
    """The calibration method for refits: the same as the card's."""
    return "isotonic" if isinstance(card.risk, TableRisk) else "logistic"


def judge(card: Card, train: LabelledRows, test: LabelledRows, method: Method, proven: bool) -> Judged:
    """Evaluate a card on test rows that it can score, with risks by total from its training rows."""
    train, test = scorable(card, train), scorable(card, test)
    outcomes = read_outcomes(card, train.columns, train.y.tolist(), train.weights)
    with_risk = replace(card, risk=fit_risk(outcomes.tally(), method))
    found = evaluate_card(with_risk, test.columns, test.y.tolist(), sample_weight=test.weights)
    return Judged(values=measures_of(found), size=len(card.as_learned.items), proven=proven)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemStability:
    """How often one item recurs, and with which points."""

    name: str
    points: Fraction | None  # on the card; None if the card does not have the item
    returned: int
    same_points: int
    points_seen: tuple[tuple[Fraction, int], ...]  # most frequent first


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """How the card varies over bootstrap samples.

    `optimism` of a measure (Harrell): learn a card on each sample and subtract its value on all rows from
    its value on the sample, then average over the samples. None if undefined.
    """

    items: tuple[ItemStability, ...]
    columns: tuple[tuple[str, int], ...]  # raw columns, and the number of samples with an item on them
    samples: int
    asked: int
    proven: int
    same_items: int
    same_card: int  # items, points and threshold
    sizes: tuple[tuple[int, int], ...]  # (number of items, number of samples), ascending
    optimism: tuple[float | None, ...]
    failures: tuple[str, ...]
    stopped: bool  # by the user, before the last sample


def bootstrap(card: Card, data: LabelledRows, refit: Refit, plan: Plan, progress: Tell) -> Stability | Absent:
    """Refit on bootstrap samples of the same size; Ctrl-C keeps the finished samples."""
    found: list[Refitted] = []
    gaps: list[tuple[float | None, ...]] = []
    failures: list[str] = []
    stopped = False
    method = method_of(card)
    try:
        for k, rows in enumerate(bootstrap_samples(data, plan), start=1):
            progress(f"stability: bootstrap sample {k} of {plan.bootstrap}")
            try:
                again = refit(rows)
                sample = data.take(rows)
                inside = judge(again.card, sample, sample, method, again.proven).values
                outside = judge(again.card, sample, data, method, again.proven).values
            except SupersparseError as error:
                failures.append(f"sample {k}: {error}")
                continue
            found.append(again)
            gaps.append(tuple(map(_difference, inside, outside)))
    except KeyboardInterrupt:
        stopped = True
    if not found:
        return STOPPED if stopped else Absent(f"no sample could be fitted; {failures[0]}")
    return replace(_summed_up(card, found, gaps, plan, failures), stopped=stopped)


def _summed_up(
    card: Card,
    found: list[Refitted],
    gaps: list[tuple[float | None, ...]],
    plan: Plan,
    failures: list[str],
) -> Stability:
    own = _points(card)
    models = [_points(again.card) for again in found]
    optimism = []
    for k in range(len(MEASURES)):
        known = [g for gap in gaps for g in [gap[k]] if g is not None]
        optimism.append(mean(known) if known else None)
    names = [*own, *sorted({name for model in models for name in model} - set(own))]
    items = [_item(name, own.get(name), models) for name in names]
    others = sorted((i for i in items if i.points is None), key=lambda i: -i.returned)
    return Stability(
        items=(*(i for i in items if i.points is not None), *others),
        columns=_columns(card, found),
        samples=len(found),
        asked=plan.bootstrap,
        proven=sum(again.proven for again in found),
        same_items=sum(set(model) == set(own) for model in models),
        same_card=sum(
            model == own and again.card.threshold == card.threshold
            for model, again in zip(models, found, strict=True)
        ),
        sizes=tuple(sorted(Counter(map(len, models)).items())),
        optimism=tuple(optimism),
        failures=tuple(failures),
        stopped=False,
    )


def _columns(card: Card, found: list[Refitted]) -> tuple[tuple[str, int], ...]:
    """Columns of the card first, then the others by frequency."""
    often = Counter(column for again in found for column in again.card.columns)
    others = sorted(often.keys() - set(card.columns), key=lambda name: (-often[name], name))
    return tuple((name, often[name]) for name in (*card.columns, *others))


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _points(card: Card) -> dict[str, Fraction]:
    return {item.name: item.points for item in card.as_learned.items}


def _item(name: str, points: Fraction | None, models: list[dict[str, Fraction]]) -> ItemStability:
    seen = Counter(model[name] for model in models if name in model)
    return ItemStability(
        name=name,
        points=points,
        returned=seen.total(),
        same_points=0 if points is None else seen[points],
        points_seen=tuple(sorted(seen.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def sizes_around(refit: Refit, size: int, plan: Plan, progress: Tell) -> Frontier:
    """Return the frontier from 0 features to `plan.larger` more than the card has.

    Each step adds one size and computes all sizes together. The first step that is not proven is the last;
    its result is kept only if there is no earlier one.
    """
    best: Frontier | None = None
    for most in range(max(size, 1), max(size, 1) + plan.larger + 1):
        progress(f"frontier: at most {most} feature{'s' if most > 1 else ''}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenaltyRangeWarning)
            found = frontier(refit.problem, most, random_state=plan.seed, **plan.limits)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        if best is None or found.proven:
            best = found
        if not found.proven or found.reaches_all:
            break
    assert best is not None, "there is at least one step"
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """The card's objective, errors and constraints, recomputed on these rows."""

    objective: Fraction
    training_errors: Fraction
    predicted_errors: Fraction
    n: Fraction  # weight of all rows
    obeys: str | None  # None if all constraints are satisfied, else the violation

    def confirms(self, card: Card) -> bool:
        """Whether every number on the card was reproduced."""
        made = card.provenance
        return (
            made is not None
            and self.obeys is None
            and (self.objective, self.training_errors, self.predicted_errors, self.n)
            == (made.objective, made.training_errors, made.predicted_errors, made.total_weight)
        )


def recheck(card: Card, problem: Problem) -> Recheck | Absent:
    """Evaluate the card's points on the problem's rows."""
    consistent = follows_from_learned(card)
    card = card.as_learned
    if not {item.name for item in card.items} <= set(problem.rows.names):
        return Absent("these rows give different features from those on the card")
    by_name = {item.name: item.points for item in card.items}
    values = [by_name.get(name, Fraction(0)) for name in problem.rows.names]
    intercept = card.intercept
    unit = lcm(problem.unit, intercept.denominator, *(v.denominator for v in values))
    points = Points(tuple(int(v * unit) for v in values), int(intercept * unit), unit)
    try:
        check_points(problem, points, "the card")
        obeys = None
    except VerificationError as error:
        obeys = str(error)
    if not consistent:
        obeys = "the printed points are not those that follow from the learned ones"
    found = evaluate(problem, points)
    return Recheck(
        objective=found.objective,
        training_errors=found.training_errors,
        predicted_errors=found.predicted_errors,
        n=problem.total_weight * problem.rows.weight_unit,
        obeys=obeys,
    )

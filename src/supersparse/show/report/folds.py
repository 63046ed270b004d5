"""Refits of a report: measures of a card on some rows, cross-validation, trade-offs and the bootstrap."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import mean, stdev
from typing import Any

import numpy as np

from supersparse.base.errors import SupersparseError
from supersparse.base.schema.tree import label_text
from supersparse.card.card import Card
from supersparse.card.evaluate.calibrating import Method, fit_risk
from supersparse.card.evaluate.evaluation import evaluate_card
from supersparse.card.evaluate.forecasts import Forecasts, calibration_line, forecasts_by_risk
from supersparse.card.evaluate.rates import Rate
from supersparse.card.evaluate.thresholds import Confusion
from supersparse.card.performance import Compared
from supersparse.card.risk import TableRisk
from supersparse.learn.comparison import Measures, comparison_of
from supersparse.learn.crossfit import CrossFit, Fold, FoldTask
from supersparse.learn.progress import Watch
from supersparse.learn.refit import Refit
from supersparse.show.report.data import LabelledRows, bootstrap_samples, repeats_of, report_folds, scorable
from supersparse.show.report.plan import LEAST_SOLVE, NO_TIME, STOPPED, Absent, Part, Plan

MEASURES = ("error rate", "sensitivity", "specificity", "AUC", "Brier score", "calibration slope")
Values = tuple[float | None, ...]  # in the order of MEASURES; None if undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
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
        with_risk = replace(card, risk=fit_risk(train.outcomes(card).tally(), method))
    evaluation = evaluate_card(with_risk, test.outcomes(with_risk))
    assert evaluation.forecasts is not None, "the card has risks"
    confusion, right = evaluation.confusion, evaluation.confusion.accuracy.value
    return Judged(
        values=(
            None if right is None else 1 - right,
            confusion.sensitivity.value,
            confusion.specificity.value,
            evaluation.auc.value,
            evaluation.brier,
            slope_of(evaluation.forecasts),
        ),
        size=len(card.as_learned.items),
        proven=proven,
        confusion=confusion,
        forecasts=evaluation.forecasts,
    )


def slope_of(forecasts: Forecasts) -> float | None:
    """The calibration slope: below 1, the risks are too extreme."""
    line = calibration_line(forecasts)
    return None if line is None else line.slope


def baseline(confusion: Confusion) -> Values:
    """The measures of always saying the commoner class, with the prevalence as everyone's risk."""
    share = confusion.n_positive / confusion.n if confusion.n else Fraction(0)
    says_positive = share > Fraction(1, 2)
    return (
        float(min(share, 1 - share)),
        float(says_positive) if confusion.n_positive else None,
        float(not says_positive) if confusion.n_negative else None,
        0.5 if confusion.n_positive and confusion.n_negative else None,
        float(share * (1 - share)),
        None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and standard deviation over samples; `sd` is None for a single sample."""

    mean: float
    sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refits:
    """How far a part came: its folds, ratios or samples."""

    asked: int  # planned
    failures: tuple[str, ...]
    stopped: bool  # by the user, before the last one
    timed_out: bool  # before the last one

    def none_of(self, what: str) -> Absent:
        """Why a part has nothing to show."""
        if self.stopped:
            return STOPPED
        return Absent(f"no {what} could be fitted; {self.failures[0]}") if self.failures else NO_TIME


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidation(Refits):
    """Performance on held-out rows, fold by fold."""

    folds: tuple[Judged, ...]
    repeats: int  # how often the rows are divided, one division after another
    compared: tuple[Compared, ...] = ()  # of a card of questions: it and other models on the same rows

    @property
    def first(self) -> tuple[Judged, ...]:
        """The folds of the first division."""
        return self.folds[: self.asked // self.repeats]

    @property
    def done(self) -> int:
        return len(self.folds)

    def spread(self, measure: str) -> Spread | None:
        """Mean and standard deviation of a measure over the folds where it is defined.

        The calibration slope is that of all folds together: a single fold has too few rows for one.
        """
        if measure == "calibration slope":
            slope = slope_of(self.forecasts)
            return None if slope is None else Spread(mean=slope, sd=None)
        k = MEASURES.index(measure)
        values = [v for fold in self.folds for v in [fold.values[k]] if v is not None]
        if not values:
            return None
        return Spread(mean=mean(values), sd=stdev(values) if len(values) > 1 else None)

    @property
    def forecasts(self) -> Forecasts:
        """The risks of all held-out rows, each from a card that was learned without the row."""
        divisions = max(1, self.done // (self.asked // self.repeats))  # complete ones, if there is one
        of_folds = (fold.forecasts for fold in self.folds[: divisions * (self.asked // self.repeats)])
        each = (r for f in of_folds for r in zip(f.risks, f.negatives, f.positives, strict=True))
        return forecasts_by_risk((risk, no / divisions, yes / divisions) for risk, no, yes in each)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Again:
    """A card that was learned again, judged on the rows of its fold and on those that it was learned from."""

    card: Card
    judged: Judged
    inside: Values
    compared: Mapping[str, Measures] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class _Refits(FoldTask["_Again | str"]):
    """Learns the card again from the training rows of each fold; says why where it cannot."""

    refits: Mapping[str, Refit]  # by the name of the fold
    data: LabelledRows
    method: Method
    planned: float | None
    compares: bool

    def learned(self, fold: Fold, seconds: float | None) -> "_Again | str":
        """Learn again; samples follow what was planned, and not what the clock leaves."""
        refit = self.refits[fold.name]
        limit = None if seconds is None else max(LEAST_SOLVE, seconds)
        recipe = replace(
            refit.recipe, options={**refit.recipe.options, "time_limit": limit}, planned_seconds=self.planned
        )
        try:
            held_out = fold.test if self.compares else None
            new, train = replace(refit, recipe=recipe)(fold.train, held_out), self.data.take(fold.train)
            judged = judge(new.card, train, self.data.take(fold.test), self.method, new.proven)
            inside = judge(new.card, train, train, self.method, new.proven).values
        except SupersparseError as error:
            return f"{fold.name}: {error}"
        return _Again(card=new.card, judged=judged, inside=inside, compared=new.compared)


class _Steps(Watch):
    def __init__(self, part: Part, what: str, steps: int) -> None:
        self._part, self._what, self._steps, self._done = part, what, steps, 0

    def stage(self, what: str) -> None:
        self._done += 1
        self._part.tell(f"{self._what} {self._done} of {self._steps}", self._done - 1)


def _learned_again(
    card: Card,
    data: LabelledRows,
    folds: Sequence[Fold],
    refits: Sequence[Refit],
    part: Part,
    what: str,
    *,
    compares: bool = False,
) -> tuple[list[tuple[Fold, _Again]], dict[str, Any]]:
    """Learn again for each fold; Ctrl-C and the end of the time keep what is finished. Say how far it came."""
    by_name = {fold.name: refit for fold, refit in zip(folds, refits, strict=True)}
    task = _Refits(
        recipe=refits[0].recipe,
        refits=by_name,
        data=data,
        method=method_of(card),
        planned=part.planned,
        compares=compares,
    )
    results: list[_Again | str] = []
    stopped = False
    try:
        results.extend(CrossFit(task=task, clock=part, watch=_Steps(part, what, len(folds))).over(folds))
    except KeyboardInterrupt:
        stopped = True
    done = [(fold, one) for fold, one in zip(folds, results, strict=False) if isinstance(one, _Again)]
    failures = tuple(one for one in results if isinstance(one, str))
    return done, {"failures": failures, "stopped": stopped, "timed_out": not stopped and len(results) < len(folds)}


def cross_validation(card: Card, data: LabelledRows, refit: Refit, plan: Plan, part: Part) -> CrossValidation:
    """Judge the card by cards that are learned without each fold."""
    repeats = repeats_of(data, plan)
    splits = report_folds(data, plan, repeats)
    folds = [Fold(name=f"fold {k}", train=train, test=test) for k, (train, test) in enumerate(splits, start=1)]
    done, how = _learned_again(card, data, folds, [refit] * len(folds), part, "cross-validation: fold", compares=True)
    comparison = comparison_of([new.compared for _, new in done])
    compared = () if comparison is None else comparison.kept
    judged = tuple(new.judged for _, new in done)
    return CrossValidation(folds=judged, asked=len(folds), repeats=repeats, compared=compared, **how)


@dataclass(frozen=True, slots=True, kw_only=True)
class TradePoint:
    """Cards learned with one ratio of class weights, on held-out rows of all folds together."""

    ratio: Fraction  # cost of an error in the positive class, over that in the negative class
    is_own: bool  # the ratio that the card was learned with
    sensitivity: Rate
    specificity: Rate
    sizes: tuple[int, int]  # least and most items
    proven: int
    folds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trades(Refits):
    """Sensitivity against specificity over the class weights, by rising ratio; that of the card is one of them."""

    points: tuple[TradePoint, ...]

    @property
    def done(self) -> int:
        return len(self.points)


def trades_planned(plan: Plan) -> int:
    return plan.ratios * plan.folds


def trades(card: Card, data: LabelledRows, refit: Refit, validation: CrossValidation, plan: Plan, part: Part) -> Trades:
    """Judge other class weights without each fold; only ratios with all their folds count."""
    negative, positive = refit.problem.class_weights
    ratio = positive / negative if negative else Fraction(1)
    folds, refits, names = list[Fold](), list[Refit](), dict[str, Fraction]()
    for n in range(plan.ratios):  # 2, 1/2, 4, 1/4, ...: the nearest ratios first, in case the time ends
        factor = Fraction(2) ** ((n // 2 + 1) * (1 if n % 2 == 0 else -1))
        weighted = _with_ratio(refit, ratio * factor)
        for k, (train, test) in enumerate(report_folds(data, plan), start=1):
            folds.append(Fold(name=f"ratio {float(ratio * factor):.3g}, fold {k}", train=train, test=test))
            refits.append(weighted)
            names[folds[-1].name] = ratio * factor
    done, how = _learned_again(card, data, folds, refits, part, "trade-off: card")
    judged: dict[Fraction, list[Judged]] = {}
    for fold, new in done:
        judged.setdefault(names[fold.name], []).append(new.judged)
    others = [
        _point(one, tuple(of_it), is_own=False) for one, of_it in judged.items() if len(of_it) == len(validation.first)
    ]
    points = sorted([_point(ratio, validation.first, is_own=True), *others], key=lambda point: point.ratio)
    return Trades(points=tuple(points), asked=plan.ratios + 1, **how)


def _with_ratio(refit: Refit, ratio: Fraction) -> Refit:
    negative, positive = map(label_text, refit.problem.rows.classes)
    weights = {negative: 2 / (1 + ratio), positive: 2 * ratio / (1 + ratio)}
    return replace(refit, recipe=refit.recipe.asking(class_weight=weights))


def _point(ratio: Fraction, folds: tuple[Judged, ...], *, is_own: bool) -> TradePoint:
    counts = [fold.confusion for fold in folds]
    positives = sum((c.n_positive for c in counts), Fraction(0))
    negatives = sum((c.n_negative for c in counts), Fraction(0))
    sizes = [fold.size for fold in folds]
    return TradePoint(
        ratio=ratio,
        is_own=is_own,
        sensitivity=Rate(
            events=sum((c.true_positives for c in counts), Fraction(0)), of=positives, level=counts[0].level
        ),
        specificity=Rate(
            events=sum((c.true_negatives for c in counts), Fraction(0)), of=negatives, level=counts[0].level
        ),
        sizes=(min(sizes), max(sizes)),
        proven=sum(fold.proven for fold in folds),
        folds=len(folds),
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
class Stability(Refits):
    """How the card varies over bootstrap samples.

    `optimism` of a measure (Harrell): learn a card on each sample and subtract its value on all rows from
    its value on the sample, then average over the samples. None if undefined.
    """

    items: tuple[ItemStability, ...]
    columns: tuple[tuple[str, int], ...]  # raw columns, and the number of samples with an item on them
    samples: int
    proven: int
    same_items: int
    same_card: int  # items, points and threshold
    sizes: tuple[tuple[int, int], ...]  # (number of items, number of samples), ascending
    optimism: Values

    @property
    def done(self) -> int:
        return self.samples


def bootstrap(card: Card, data: LabelledRows, refit: Refit, plan: Plan, part: Part) -> Stability | Absent:
    """Learn again from bootstrap samples of the same size, and judge on all rows."""
    every = np.arange(len(data))
    samples = [
        Fold(name=f"sample {k}", train=rows, test=every)
        for k, rows in enumerate(bootstrap_samples(data, plan), start=1)
    ]
    done, how = _learned_again(card, data, samples, [refit] * len(samples), part, "bootstrap: sample")
    refits = [new for _, new in done]
    if not refits:
        return Refits(asked=plan.bootstrap, **how).none_of("sample")
    gaps = [
        tuple(None if a is None or b is None else a - b for a, b in zip(new.inside, new.judged.values, strict=True))
        for new in refits
    ]
    points = _points(card)
    models = [_points(one.card) for one in refits]
    return Stability(
        items=_items(points, models),
        columns=_columns(card, refits),
        samples=len(refits),
        asked=plan.bootstrap,
        proven=sum(one.judged.proven for one in refits),
        same_items=sum(set(model) == set(points) for model in models),
        same_card=sum(
            model == points and one.card.threshold == card.threshold for model, one in zip(models, refits, strict=True)
        ),
        sizes=tuple(sorted(Counter(map(len, models)).items())),
        optimism=_means(gaps),
        **how,
    )


def _means(gaps: list[Values]) -> Values:
    means: list[float | None] = []
    for k in range(len(MEASURES)):
        known = [g for gap in gaps for g in [gap[k]] if g is not None]
        means.append(mean(known) if known else None)
    return tuple(means)


def _items(points: dict[str, Fraction], models: list[dict[str, Fraction]]) -> tuple[ItemStability, ...]:
    names = [*points, *sorted({name for model in models for name in model} - set(points))]
    items = [_item(name, points.get(name), models) for name in names]
    others = sorted((i for i in items if i.points is None), key=lambda i: -i.returned)
    return (*(i for i in items if i.points is not None), *others)


def _columns(card: Card, refits: Sequence[_Again]) -> tuple[tuple[str, int], ...]:
    often = Counter(column for one in refits for column in one.card.columns)
    others = sorted(often.keys() - set(card.columns), key=lambda name: (-often[name], name))
    return tuple((name, often[name]) for name in (*card.columns, *others))


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

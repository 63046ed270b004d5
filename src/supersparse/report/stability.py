"""Stability: the card learned again on bootstrap samples, and what of it returns."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import mean

from supersparse.card.card import Card
from supersparse.errors import SupersparseError
from supersparse.report.data import Data
from supersparse.report.plan import STOPPED, Missing, Plan, Progress
from supersparse.report.question import Refitted
from supersparse.report.refit import Refit
from supersparse.report.sampling import bootstrap_samples
from supersparse.report.validation import MEASURES, judge, method_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemStability:
    """How often one item came back, and with which points."""

    name: str
    points: Fraction | None  # on the card; None: the card does not have it
    returned: int
    same_points: int
    points_seen: tuple[tuple[Fraction, int], ...]  # most frequent first


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """What bootstrap samples of the rows say of the card.

    `optimism` of a measure is the mean, over the samples, of what the card learned from a sample shows on
    that sample, minus what it shows on the rows it was drawn from (Harrell). None where there is none.
    """

    items: tuple[ItemStability, ...]
    columns: tuple[tuple[str, int], ...]  # raw columns, and the samples with an item on them
    samples: int
    asked: int
    proven: int
    same_items: int
    same_card: int  # items, points and threshold
    sizes: tuple[tuple[int, int], ...]  # number of items, samples; rising
    optimism: tuple[float | None, ...]
    failures: tuple[str, ...]
    stopped: bool  # by the user, before all samples were done


def bootstrap(card: Card, data: Data, refit: Refit, plan: Plan, progress: Progress) -> Stability | Missing:
    """Learn again on samples drawn with replacement, as many rows as there are; Ctrl-C keeps those done."""
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
        return STOPPED if stopped else Missing(f"no sample could be learned from; {failures[0]}")
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
    """Those of the card first, then the others, the most frequent first."""
    often = Counter(column for again in found for column in again.card.columns)
    others = sorted(often.keys() - set(card.columns), key=lambda name: (-often[name], name))
    return tuple((name, often[name]) for name in (*card.columns, *others))


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _points(card: Card) -> dict[str, Fraction]:
    return {item.name: item.points for item in card.items}


def _item(name: str, points: Fraction | None, models: list[dict[str, Fraction]]) -> ItemStability:
    seen = Counter(model[name] for model in models if name in model)
    return ItemStability(
        name=name,
        points=points,
        returned=seen.total(),
        same_points=0 if points is None else seen[points],
        points_seen=tuple(sorted(seen.items(), key=lambda pair: (-pair[1], pair[0]))),
    )

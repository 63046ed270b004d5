"""The bootstrap of a report: optimism of each measure, and how often each question is chosen again."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean

from supersparse.base.errors import SupersparseError
from supersparse.card.card import Card
from supersparse.learn.refit import Refit, Refitted
from supersparse.show.report.data import LabelledRows, bootstrap_samples
from supersparse.show.report.folds import MEASURES, Values, again, judge, method_of
from supersparse.show.report.plan import NO_TIME, STOPPED, Absent, Part, Plan


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
    optimism: Values
    failures: tuple[str, ...]
    stopped: bool  # by the user, before the last sample
    timed_out: bool  # before the last sample

    @property
    def done(self) -> int:
        """How many of those asked there are."""
        return self.samples


def bootstrap(card: Card, data: LabelledRows, refit: Refit, plan: Plan, part: Part) -> Stability | Absent:
    """Refit on bootstrap samples of the same size; Ctrl-C and the end of the time keep those finished."""
    found: list[Refitted] = []
    gaps: list[Values] = []
    failures: list[str] = []
    stopped = timed_out = False
    method = method_of(card)
    try:
        for k, rows in enumerate(bootstrap_samples(data, plan)):
            if part.over:
                timed_out = True
                break
            part.tell(f"bootstrap: sample {k + 1} of {plan.bootstrap}", k)
            try:
                new = again(refit, rows, part.seconds_each(plan.bootstrap - k), part.planned)
                sample = data.take(rows)
                inside = judge(new.card, sample, sample, method, new.proven).values
                outside = judge(new.card, sample, data, method, new.proven).values
            except SupersparseError as error:
                failures.append(f"sample {k + 1}: {error}")
                continue
            found.append(new)
            gaps.append(tuple(map(_difference, inside, outside)))
    except KeyboardInterrupt:
        stopped = True
    if not found:
        if stopped:
            return STOPPED
        return Absent(f"no sample could be fitted; {failures[0]}") if failures else NO_TIME
    own = _points(card)
    models = [_points(one.card) for one in found]
    return Stability(
        items=_items(own, models),
        columns=_columns(card, found),
        samples=len(found),
        asked=plan.bootstrap,
        proven=sum(one.proven for one in found),
        same_items=sum(set(model) == set(own) for model in models),
        same_card=sum(
            model == own and one.card.threshold == card.threshold for model, one in zip(models, found, strict=True)
        ),
        sizes=tuple(sorted(Counter(map(len, models)).items())),
        optimism=_means(gaps),
        failures=tuple(failures),
        stopped=stopped,
        timed_out=timed_out,
    )


def _means(gaps: list[Values]) -> Values:
    found: list[float | None] = []
    for k in range(len(MEASURES)):
        known = [g for gap in gaps for g in [gap[k]] if g is not None]
        found.append(mean(known) if known else None)
    return tuple(found)


def _items(own: dict[str, Fraction], models: list[dict[str, Fraction]]) -> tuple[ItemStability, ...]:
    names = [*own, *sorted({name for model in models for name in model} - set(own))]
    items = [_item(name, own.get(name), models) for name in names]
    others = sorted((i for i in items if i.points is None), key=lambda i: -i.returned)
    return (*(i for i in items if i.points is not None), *others)


def _columns(card: Card, found: list[Refitted]) -> tuple[tuple[str, int], ...]:
    often = Counter(column for one in found for column in one.card.columns)
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

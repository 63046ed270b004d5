"""The search for a good first card: a beam over supports, rounding, then local search from several cards."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import struct
from supersparse.engine.risk.instance import RiskInstance, new_best, new_settled
from supersparse.engine.risk.kernels import Best, RiskData, Support, SwapRecord, extend, improve, round_support

_TRIES = 8  # columns tried for each support of the beam
_ROUNDED_SMALLER = 2  # ... of each smaller size, where a penalty or a limit may prefer it
_SCALES = 6  # of columns, each 4 times the last, that cards grow from
_FEW = 6  # changes that are calibrated each time while a card grows, the best by their estimate
_MOVES = 16  # ... while features are swapped
_CHANGES = ((0, 5.0), (2, 1.0), (3, 2.0), (2, 0.5), (3, 1.0), (2, 2.0), (3, 0.5))  # out, times
_FEW_ROWS, _MANY_ROWS = 400, 1200
_SETTLED_ROWS = 2500  # with fewer, swaps may start again from the same card, and beams may be wider
_LEAST_REGROWN = 0.4  # of the cards that are grown again, where rows are many
_DRAWS = 4  # of features to leave out, until they are new
_LEAST_SHARE = 0.45  # of the fewest points: what has less is about to be rounded to 0


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much is tried: supports kept and rounded of each size, cards improved, and grown again."""

    beam: int = 6
    rounded: int = 8
    starts: int = 4
    regrown: int = 14
    shares: tuple[float, ...] = (0.0,)  # least shares of points, one for each beam

    @classmethod
    def of(cls, instance: RiskInstance) -> "_Effort":
        """More where columns are of different scales, or rows few: there good cards differ most.

        Where rows are many, a card that has grown again is hardly ever better, nor one of a wider beam.
        """
        n = instance.data.x.shape[1]
        times = min(max(_FEW_ROWS / n, 1.0), 3.0)
        again = times * min(max(_MANY_ROWS / n, _LEAST_REGROWN), 1.0)
        if instance.is_of_one_scale:
            return cls(starts=int(4 * times), regrown=int(14 * again))
        shares = (0.0, _LEAST_SHARE) if instance.data.slope_is_free else (0.0,)
        wider = 1 if n >= _SETTLED_ROWS else 2
        return cls(6 * wider, 8 * wider, int(7 * times), int(16 * again), shares)


class _Held(NamedTuple):
    """Inputs that kernels take repeatedly, converted once: `best` and `settled` are those of the search at hand."""

    data: RiskData
    support: Support
    best: Best
    settled: SwapRecord


def first_cards(
    instance: RiskInstance,
    support: Support,
    best: Best,
    stop: Callable[[], bool],
    is_proven: Callable[[], bool] = lambda: False,
) -> None:
    """Improve `best` by a search that is cheap compared with the proof; ends early if `stop` says so.

    `is_proven` is asked half-way; it may use `support`.
    """
    data, size = instance.data, instance.most_features
    if not instance.kept or size == 0:
        return
    effort, settled = _Effort.of(instance), new_settled(instance)
    held = _Held(struct(data), struct(support), struct(best), struct(settled))
    starts = [(float(best.value[0]), _least_card(instance))]
    starts += _grown(instance, held, stop)
    for least in effort.shares:
        starts += _rounded(instance, held, effort, least, stop)
    starts = [start for start in starts if np.isfinite(start[0])]
    starts.sort(key=lambda entry: entry[0])
    supports = {tuple(np.flatnonzero(card != data.zero)): card for _, card in reversed(starts)}
    for card in list(supports.values())[: -effort.starts - 1 : -1]:
        if stop():
            break
        _swap(instance, held, settled, card)
    if not is_proven():
        _regrow(instance, held, best, settled, effort, stop)


def _swap(instance: RiskInstance, held: _Held, settled: SwapRecord, card: Ints) -> None:
    """Improve a card by all moves.

    Where rows are few, from cards that swaps have started from as well: the fit depends a little on how a
    card was reached, and now and then leads elsewhere.
    """
    data, most = instance.data, instance.most_features
    if data.x.shape[1] < _SETTLED_ROWS:
        settled.count[0] = 0
    improve(*held, instance.low, instance.high, most, card, _FEW, _MOVES)


def _regrow(
    instance: RiskInstance, held: _Held, best: Best, settled: SwapRecord, effort: _Effort, stop: Callable[[], bool]
) -> None:
    """Let the best card grow again without some of its features, then improve it with all.

    Swaps change one feature, so a card that differs in two or three is out of their reach if those between are worse.
    So is one whose points are all about half as large or twice as large: a feature may only have enough points at one
    slope, or few enough at another. Which features are left out is drawn, the same on every machine.
    """
    data, most, rng = instance.data, instance.most_features, np.random.default_rng(0)
    seen: set[tuple[float, bytes]] = set()
    for left_out, times in islice(cycle(_CHANGES), effort.regrown):
        droppable = np.flatnonzero((best.index != data.zero) & ~instance.forced)
        if stop() or not len(droppable):
            return
        for _ in range(_DRAWS):
            out = np.sort(rng.permutation(droppable)[:left_out])
            if (times, out.tobytes()) not in seen:
                break
        seen.add((times, out.tobytes()))
        low, high = instance.low.copy(), instance.high.copy()
        card = np.clip(_times(best.index - data.zero, times) + data.zero, low, high)
        card[out] = low[out] = high[out] = data.zero[out]
        improve(*held, low, high, most, card, _FEW, 0)
        if (0.0, card.tobytes()) not in seen:
            seen.add((0.0, card.tobytes()))
            _swap(instance, held, settled, card)


def _times(steps: Ints, times: float) -> Ints:
    """Steps from 0, made larger or smaller, but none of them 0 if it was not."""
    changed: Ints = np.sign(steps) * np.maximum(np.abs(steps) * times, 1).astype(np.int64)
    return changed


def _grown(instance: RiskInstance, held: _Held, stop: Callable[[], bool]) -> Iterator[tuple[float, Ints]]:
    """Cards that grow by one feature at a time, from the best column of each scale.

    A point of a column with large values moves the totals so far that columns with small values hardly
    count, however many points they have; so cards grow without such columns, too.
    """
    data, low, high = instance.data, instance.low, instance.high
    most, least = instance.most_features, _least_card(instance)
    held = held._replace(best=struct(new_best(instance)), settled=struct(new_settled(instance)))
    scale = np.round(np.log2(data.scale) / 2)
    seeds: dict[float, tuple[float, Ints]] = {}
    is_full = instance.forced.sum() >= most
    rises = data.x @ (_share(data) * (data.positive + data.negative) - data.positive)
    for j in np.flatnonzero(~instance.forced & ~is_full):
        for v, is_worse in ((data.zero[j] + 1, rises[j] > 0), (data.zero[j] - 1, rises[j] < 0)):
            if low[j] <= v <= high[j] and (instance.forced.any() or not is_worse):
                card = least.copy()
                card[j] = v
                loss = improve(*held, low, high, most, card, 0, 0)
                if scale[j] not in seeds or loss < seeds[scale[j]][0]:
                    seeds[scale[j]] = loss, card
    for seed, (_, card) in sorted(seeds.items(), key=lambda entry: entry[1][0])[:_SCALES]:
        larger = (scale > seed) & ~instance.forced
        for out in (np.zeros_like(larger), larger)[: 1 + larger.any()]:
            if stop():
                return
            grown = card.copy()
            narrow = np.where(out, data.zero, low), np.where(out, data.zero, high)
            yield improve(*held, *narrow, most, grown, _FEW, 0), grown


def _rounded(
    instance: RiskInstance, held: _Held, effort: _Effort, least: float, stop: Callable[[], bool]
) -> Iterator[tuple[float, Ints]]:
    """Cards rounded from regressions on the best supports of a beam.

    Supports with columns that would have less than `least` of their fewest points come last.
    """
    data, size = instance.data, instance.most_features
    allowed = np.ones(len(instance.kept), np.int64)
    members, points, count = np.zeros((1, size), np.int64), np.zeros((1, size + 1)), 1
    points[0, 0] = np.log(data.positive.sum() / data.negative.sum())
    beams = []
    for k in range(size):
        new_members = np.zeros((effort.rounded, size), np.int64)
        new_points, losses = np.zeros((effort.rounded, size + 1)), np.zeros(effort.rounded)
        count = extend(
            held.data, held.support, members, points, min(count, effort.beam), k, allowed, _TRIES, least,
            new_members, new_points, losses,
        )  # fmt: skip
        members, points = new_members, new_points
        beams.append((k + 1, members, points, losses, count))
        if count == 0 or stop():
            break
    cards = [
        (losses[c] + instance.least_cost[of_beam[c, :k]].sum(), k, of_beam[c], fits[c, : k + 1])
        for k, of_beam, fits, losses, count in (beams if data.strict else beams[-1:])
        for c in range(count if k == size else min(count, _ROUNDED_SMALLER))
    ]
    for _, k, columns, point in sorted(cards, key=lambda entry: entry[0]):
        if stop():
            return
        card = new_best(instance)
        round_support(
            held.data, held.support, card, instance.low, instance.high, columns, k, point.copy(), -np.inf, True
        )
        yield float(card.value[0]), card.index


def _share(data: RiskData) -> float:
    """The best risk of a card without points."""
    positive, negative = float(data.positive.sum()), float(data.negative.sum())
    return positive / (positive + negative)


def _least_card(instance: RiskInstance) -> Ints:
    """No points, except for columns that every card uses."""
    data = instance.data
    card = data.zero.copy()
    for j in np.flatnonzero(instance.forced):
        used = [v for v in range(instance.low[j], instance.high[j] + 1) if v != data.zero[j]]
        card[j] = min(used, key=lambda v: abs(data.values[j, v]))
    return card

"""The search for a good first card: a beam over supports, rounding, then local search from several cards."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.kernels.risk_boxes import Best, Support, offer
from supersparse.solving.kernels.risk_moves import descend, grow
from supersparse.solving.kernels.risk_search import extend, load, round_support
from supersparse.solving.risk.instance import RiskInstance

_BEAM = 6  # supports kept of each size
_TRIES = 8  # columns tried for each of them
_ROUNDED = 8  # supports of each size that are rounded
_ROUNDED_SMALLER = 2  # ... of each smaller size, where a penalty or a limit may prefer it
_SEEDS = 5  # columns that a card is grown from
_STARTS = 4  # cards that are improved by swaps
_FEW, _MOVES = 6, 16  # moves that are calibrated each time, the best by their estimate


def first_cards(instance: RiskInstance, support: Support, best: Best, stop: Callable[[], bool]) -> None:
    """Improve `best` by a search that is cheap beside the proof; ends early if `stop` says so."""
    data, size = instance.data, instance.most_features
    offer_empty(instance, support, best)
    if not instance.kept or size == 0:
        return
    allowed = np.ones(len(instance.kept), np.int64)
    members, points, count = np.zeros((1, size), np.int64), np.zeros((1, size + 1)), 1
    points[0, 0] = np.log(data.positive.sum() / data.negative.sum())
    beams = []
    for k in range(size):
        new_members = np.zeros((_ROUNDED, size), np.int64)
        new_points, losses = np.zeros((_ROUNDED, size + 1)), np.zeros(_ROUNDED)
        count = extend(
            data,
            support,
            members,
            points,
            min(count, _BEAM),
            k,
            allowed,
            _TRIES,
            new_members,
            new_points,
            losses,
        )
        members, points = new_members, new_points
        beams.append((k + 1, members, points, losses, count))
        if count == 0 or stop():
            break
    found = [
        (losses[c] + instance.least_cost[of_beam[c, :k]].sum(), k, of_beam[c], fits[c, : k + 1])
        for k, of_beam, fits, losses, count in (beams if data.strict else beams[-1:])
        for c in range(count if k == size else min(count, _ROUNDED_SMALLER))
    ]
    starts = []
    for _, k, columns, point in sorted(found, key=lambda entry: entry[0]):
        if stop():
            break
        rounded = Best(np.array([np.inf]), data.zero.copy(), np.zeros(2))
        load(data, support, columns, k)
        round_support(data, support, rounded, instance.low, instance.high, point.copy(), -np.inf)
        starts.append((float(rounded.value[0]), rounded.index))
    for card in _seeds(instance, support):
        if not stop():
            value = grow(data, support, instance.low, instance.high, size, card, _FEW)
            starts.append((float(value), card))
    starts.sort(key=lambda entry: entry[0])
    for value, card in starts[:_STARTS]:
        if not stop() and np.isfinite(value):
            descend(data, support, best, instance.low, instance.high, size, card, _MOVES)


def _seeds(instance: RiskInstance, support: Support) -> list[NDArray[np.int64]]:
    """Cards with one point for one column: the best of all, and the best of each scale.

    Columns of one scale can share a card; with those of another their points would have to be too large.
    """
    data, found = instance.data, []
    least = _least_card(instance)
    for j in np.flatnonzero(~instance.forced):
        for v in (data.zero[j] + 1, data.zero[j] - 1):
            if instance.low[j] <= v <= instance.high[j]:
                card = least.copy()
                card[j] = v
                loss = grow(data, support, instance.low, instance.high, 0, card, 0)
                found.append((loss, round(np.log2(data.scale[j]) / 2), card))
    found.sort(key=lambda entry: entry[0])
    first_of_scale = {scale: at for at, (_, scale, _) in reversed(list(enumerate(found)))}
    chosen = sorted({0, *first_of_scale.values()})[:_SEEDS]
    return [least, *(found[at][2] for at in chosen if found)]


def _least_card(instance: RiskInstance) -> NDArray[np.int64]:
    """No points, except for columns that every card uses."""
    data = instance.data
    card = data.zero.copy()
    for j in np.flatnonzero(instance.forced):
        used = [v for v in range(instance.low[j], instance.high[j] + 1) if v != data.zero[j]]
        card[j] = min(used, key=lambda v: abs(data.values[j, v]))
    return card


def offer_empty(instance: RiskInstance, support: Support, best: Best) -> None:
    """The card without features, where it is allowed."""
    data = instance.data
    if instance.forced.any():
        return
    support.state[2] = len(data.positive)
    support.positive[: len(data.positive)] = data.positive
    support.negative[: len(data.negative)] = data.negative
    offer(data, support, best, np.zeros(0, np.int64), 0, np.array([1.0, 0.0]), np.inf)

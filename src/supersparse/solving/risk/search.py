"""The search for a good first card: a beam over supports, rounding, single moves and swaps."""

from collections.abc import Callable

import numpy as np

from supersparse.solving.kernels.risk_data import Best, Support
from supersparse.solving.kernels.risk_search import extend, round_support, swap_points
from supersparse.solving.risk.instance import RiskInstance

_BEAM = 6  # supports kept of each size
_TRIES = 8  # columns tried for each of them
_ROUNDED = 8  # supports of each size that are rounded
_ROUNDED_SMALLER = 2  # ... of each smaller size, where a penalty or a limit may prefer it
_SWAPS = 40


def first_cards(instance: RiskInstance, support: Support, best: Best, stop: Callable[[], bool]) -> None:
    """Improve `best` by a search that is cheap beside the proof; ends early if `stop` says so."""
    data, size = instance.data, instance.most_features
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
    for bound, k, columns, point in sorted(found, key=lambda entry: entry[0]):
        if bound < best.value[0] and not stop():
            round_support(
                data, support, best, instance.low, instance.high, columns, k, point.copy(), np.inf, 1
            )
    for _ in range(_SWAPS):
        if stop() or not swap_points(data, support, best, instance.low, instance.high, size, _TRIES, allowed):
            break

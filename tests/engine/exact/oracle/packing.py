"""The bound of a node in readable steps: its pairs packed greedily, with one capacity θ after the other."""

from dataclasses import dataclass

import numpy as np

from engine.exact.calls import UNLIMITED, literal_bounds
from supersparse.engine.exact.literals import by_feature
from supersparse.engine.exact.pairs import most_gained

NEAR = 0.9  # other θ are tried only when the first came this near to closing the node


@dataclass(frozen=True, eq=False)
class Packed:
    """The bounds that one packing proves for a node, in kernel units beyond its fixed cost."""

    bound: int
    load: np.ndarray
    refused: np.ndarray  # what literals without capacity left could not take
    by_literal: np.ndarray
    theta: int


def uncovered(pool, pairs, added):
    """The pairs that do not have the literal `added`."""
    keeps = [added not in pool.literal[pool.start[q] : pool.start[q + 1]] for q in pairs]
    return pairs[np.array(keeps, bool)]


def pack(pool, pairs, allowed, capacity, up, down, enough):
    """Pack pairs, fewest allowed literals first, until the sum exceeds `enough`.

    Return the sum of the multipliers, the load of each literal, and what literals without capacity refused.
    """
    names = {q: [int(n) for n in pool.literal[pool.start[q] : pool.start[q + 1]] if allowed[n]] for q in pairs}
    up, down, capacity = up.tolist(), down.tolist(), capacity.tolist()
    load, refused, total = [0] * len(allowed), [0] * len(allowed), 0
    for q in sorted(names, key=lambda q: len(names[q])):
        i, j = pool.positive[q], pool.negative[q]
        asked = min(up[i], down[j])
        if asked <= 0:
            continue
        full = [name for name in names[q] if capacity[name] <= load[name]]
        for name in full:
            refused[name] = min(UNLIMITED, refused[name] + asked)
        u = min([asked, *(capacity[name] - load[name] for name in names[q])])
        if u <= 0:
            continue
        up[i], down[j], total = up[i] - u, down[j] - u, total + u
        for name in names[q]:
            load[name] += u
        if total > enough:
            break
    return total, np.array(load, np.int64), np.array(refused, np.int64)


def packing_bound(instance, pool, pairs, allowed, room, theta, enough):
    """Bound the remaining cost of a node; stop early once the bound exceeds `enough`.

    With room for all undecided features, the capacity of a literal is its penalty. Under a size limit, more
    capacity, penalty + θ, may pay off: at most `room` literals take it back. θ is tried near `theta`, which
    was best with as much room; others seldom pay. With a minus sign it was best with more room: then larger
    ones are tried while they are better, else smaller ones. If it is 0, the whole range is tried.
    """
    undecided = int(by_feature(allowed).any(axis=1).sum())
    if room >= undecided:
        return _pack_with(instance, pool, pairs, allowed, undecided, 0, enough)
    if room == 1:
        return _pack_with(instance, pool, pairs, allowed, room, UNLIMITED, enough)
    tries = _whole_range(instance) if theta == 0 else [theta, max(1, theta * 6 // 10), theta * 17 // 10]
    candidate, tried = -theta if theta < 0 else tries[0], 1
    best = _pack_with(instance, pool, pairs, allowed, room, candidate, enough)
    while best.bound <= enough and not (theta > 0 and best.bound < NEAR * enough):
        if theta < 0:
            candidate = _following(-theta, candidate, best.theta)
        else:
            candidate = tries[tried] if tried < len(tries) else -1
        if candidate < 0:
            break
        packed = _pack_with(instance, pool, pairs, allowed, room, candidate, enough)
        tried += 1
        if packed.bound > best.bound:
            best = packed
    return best


def _whole_range(instance):
    """All θ to try where nothing is known, the largest first."""
    ups, downs = instance.positive_weight, instance.negative_weight
    widest = int(min(ups.sum(), downs.sum(), UNLIMITED))
    least = max(1, int(min(ups.min(initial=UNLIMITED), downs.min(initial=UNLIMITED))) // 2)
    tries = []
    while widest > least:
        tries.append(widest)
        widest = widest * 7 // 10
    return tries or [1]


def _following(first, last, best):
    """What to try after `last`: larger θ while they are better, else smaller ones; -1 to end."""
    if last == first or (last == best and last > first):
        return last * 17 // 10 + 1 if last < UNLIMITED // 16 else -1
    if best > first or (last < first and last != best):
        return -1
    return min(first, last) * 6 // 10 if min(first, last) > 1 else -1


def _pack_with(instance, pool, pairs, allowed, room, theta, enough):
    stop_above = min(UNLIMITED, enough + room * theta) if theta < UNLIMITED else UNLIMITED
    penalty = instance.literal_penalty
    total, load, refused = pack(
        pool, pairs, allowed, penalty + theta, instance.positive_weight, instance.negative_weight, stop_above
    )
    gained, least = most_gained(load, penalty, allowed, room)
    by_literal = np.zeros(len(allowed), np.int64)
    literal_bounds(total, load, penalty, allowed, gained, least, by_literal)
    return Packed(int(total - gained), load, refused, by_literal, theta)

"""Limits on the support, on signs and on the largest score at a node: `exact/literals.py`, compiled."""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.sorting import order_of
from supersparse.engine.kernels.tree_data import Branching

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Names = Ints


@reader()
def may_stop(b: Branching, literals: Names, size: int) -> bool:
    """Whether a model of exactly these literals is allowed."""
    for f in b.forced:
        if not uses(literals, size, f):
            return False
    for limit in range(len(b.limit_side)):
        if sides(b.limit_side[limit], literals, size) == 3:
            return False
    for limit in range(len(b.limit_most)):
        if weight_of(b.limit_weight[limit], literals, size) > b.limit_most[limit]:
            return False
    return True


@reader()
def uses(literals: Names, size: int, feature: int) -> bool:
    """Whether a feature is among the literals."""
    found = False
    for t in range(size):
        found = found or literals[t] // 2 == feature
    return found


@reader()
def has(literals: Names, size: int, literal: int) -> bool:
    """Whether a literal is among the literals."""
    found = False
    for t in range(size):
        found = found or literals[t] == literal
    return found


@reader()
def sides(side: Ints, literals: Names, size: int) -> int:
    """1 if a literal is on the positive side of a limit on signs, plus 2 if one is on the negative side."""
    found = 0
    for t in range(size):
        if side[literals[t]] > 0:
            found |= 1
        elif side[literals[t]] < 0:
            found |= 2
    return found


@reader()
def weight_of(weight: Ints, literals: Names, size: int) -> int:
    """What the literals come to in one limit."""
    total = np.int64(0)
    for t in range(size):
        total += weight[literals[t]]
    return total


@reader()
def keep_possible(b: Branching, literals: Names, size: int, allowed: Flags, room: int) -> bool:
    """Disallow literals that no extension within the limits can have; False if there is no extension.

    `LiteralLimits.keep` gives the reasons.
    """
    for limit in range(len(b.limit_side)):
        side = b.limit_side[limit]
        found = sides(side, literals, size)
        if found == 3:
            return False
        for name in range(len(allowed)):
            if (found == 1 and side[name] < 0) or (found == 2 and side[name] > 0):
                allowed[name] = False
    for limit in range(len(b.limit_most)):
        now = weight_of(b.limit_weight[limit], literals, size)
        if not keep_within(b.limit_weight[limit], b.limit_most[limit], now, allowed, room):
            return False
    return True


@inner()
def keep_within(weight: Ints, most: int, now: int, allowed: Flags, room: int) -> bool:
    """The same for one limit on sums: others can lower a sum by the `room` smallest negative weights."""
    n = len(allowed) // 2
    offered = np.zeros(n, np.int64)
    for name in range(len(allowed)):
        if allowed[name]:
            offered[name // 2] = min(offered[name // 2], weight[name])
    order = order_of(offered)
    helped, is_helper = np.int64(0), np.zeros(n, np.bool_)
    for t in range(min(room, n)):
        helped += offered[order[t]]
        is_helper[order[t]] = True
    if now + helped > most:
        return False
    all_but_one = helped - (offered[order[room - 1]] if room <= n else 0)
    for name in range(len(allowed)):
        f = name // 2
        others = helped - offered[f] if is_helper[f] else all_but_one
        if now + weight[name] + others > most:
            allowed[name] = False
    return True

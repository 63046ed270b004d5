"""A node within a slice: its limits on support, signs and score, and the packing of its uncovered pairs.

`exact/literals.py` says how limits become sums over literals, `exact/covers.py` has the inequality.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.pairs import UNLIMITED, literal_bounds, most_gained, popcount
from supersparse.engine.kernels.sorting import order_of
from supersparse.engine.kernels.tree_data import (
    PAIR_COUNT,
    PAIR_PREFIX,
    PAIRS_KNOWN,
    WORK,
    Branching,
    Pairs,
    SliceState,
)

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
    """The total weight of the literals in one limit."""
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


@reader()
def pairs_of(pairs: Pairs, state: SliceState, literals: Ints, size: int) -> int:
    """Find the pairs that these literals leave uncovered; return the level of `state.pair` with them."""
    last = len(state.pair) - 1
    known = 0
    while known < min(size, state.number[PAIRS_KNOWN]) and state.level[PAIR_PREFIX, known] == literals[known]:
        known += 1
    for d in range(known, size):
        here, there = min(d, last), min(d + 1, last)
        word, bit = literals[d] // 64, np.uint64(1) << np.uint64(literals[d] % 64)
        n = 0
        for t in range(state.level[PAIR_COUNT, here]):
            q = state.pair[here, t]
            if not pairs.mask[q, word] & bit:
                state.pair[there, n] = q
                n += 1
        state.level[PAIR_COUNT, there] = n
        state.level[PAIR_PREFIX, d] = literals[d]
        state.number[WORK] += state.level[PAIR_COUNT, here]
    if known < size:
        state.number[PAIRS_KNOWN] = size if size <= last else last - 1
    return min(size, last)


@inner()
def fewest_first(pairs: Pairs, chosen: NDArray[np.int32], allowed: Flags) -> NDArray[np.int32]:
    """The chosen pairs by their number of allowed literals, equal ones in their old order."""
    words = pairs.mask.shape[1]
    mask = np.zeros(words, np.uint64)
    for name in range(len(allowed)):
        if allowed[name]:
            mask[name // 64] |= np.uint64(1) << np.uint64(name % 64)
    n = len(chosen)
    size = np.empty(n, np.int32)
    place = np.zeros(len(allowed) + 2, np.int64)
    for s in range(n):
        count = 0
        for w in range(words):
            count += popcount(pairs.mask[chosen[s], w] & mask[w])
        size[s] = count
        place[count + 1] += 1
    for c in range(len(allowed) + 1):
        place[c + 1] += place[c]
    order = np.empty(n, np.int32)
    for s in range(n):
        order[place[size[s]]] = chosen[s]
        place[size[s]] += 1
    return order


@inner()
def pack_in_order(
    pairs: Pairs, order: NDArray[np.int32], allowed: Flags, penalty: Ints, theta: int, enough: int,
    load: Ints, refused: Ints,
) -> int:  # fmt: skip
    """Give each pair in turn what its points and literals have left; return the sum of the multipliers.

    The capacity of a literal is its penalty and θ; `refused` adds up what it cannot take. Stops once the sum
    exceeds `enough`.
    """
    left_positive, left_negative = pairs.positive_weight.copy(), pairs.negative_weight.copy()
    for name in range(len(load)):
        load[name] = refused[name] = 0
    total = np.int64(0)
    for q in order:
        i, j = pairs.positive[q], pairs.negative[q]
        u = min(left_positive[i], left_negative[j])
        if u <= 0:
            continue
        begin, end = pairs.start[q], pairs.start[q + 1]
        if theta < UNLIMITED:
            asked = u
            for t in range(begin, end):
                name = pairs.literal[t]
                if allowed[name]:
                    spare = penalty[name] + theta - load[name]
                    u = min(u, spare)
                    if spare <= 0:
                        refused[name] = min(UNLIMITED, refused[name] + asked)
            if u <= 0:
                continue
        left_positive[i] -= u
        left_negative[j] -= u
        total += u
        for t in range(begin, end):
            load[pairs.literal[t]] += u  # that of others is not read
        if total > enough:
            break
    return total


@inner()
def pack_node(
    pairs: Pairs, chosen: NDArray[np.int32], allowed: Flags, penalty: Ints, room: int, theta: int,
    enough: int, load: Ints, refused: Ints, by_literal: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Bound the rest of a node's cost; return (bound, its θ, packings tried). Fills the last three.

    With room for all undecided features, the capacity of a literal is its penalty. Under a size limit, more
    capacity, penalty + θ, may pay off: at most `room` literals take it back. θ is tried near `theta`, which
    was best with as much room; others seldom pay. With a minus sign it was best with more room: then larger
    ones are tried while they are better, else smaller ones. If it is 0, the whole range is tried.
    """
    undecided = 0
    for f in range(len(allowed) // 2):
        undecided += allowed[2 * f] or allowed[2 * f + 1]
    order = fewest_first(pairs, chosen, allowed)
    if room >= undecided:
        tries, most = np.array([0]), undecided
    elif room == 1:
        tries, most = np.array([UNLIMITED]), 1
    else:
        tries, most = thetas(pairs, theta), room
    is_given = theta != 0 and most == room and room > 1
    best, best_theta, best_total, tried = np.int64(-(2**62)), np.int64(0), np.int64(0), 0
    some, less = np.empty(len(load), np.int64), np.empty(len(load), np.int64)
    candidate = tries[0]
    while candidate >= 0:
        stop_above = UNLIMITED if candidate >= UNLIMITED else min(UNLIMITED, enough + most * candidate)
        total = pack_in_order(pairs, order, allowed, penalty, candidate, stop_above, some, less)
        gained, _ = most_gained(some, penalty, allowed, most)
        tried += 1
        if total - gained > best:
            best, best_theta, best_total = total - gained, candidate, total
            for name in range(len(load)):
                load[name], refused[name] = some[name], less[name]
        if best > enough or (is_given and theta > 0 and 10 * best < 9 * enough):
            break
        if is_given and theta < 0:
            candidate = following_theta(-theta, candidate, best_theta)
        else:
            candidate = tries[tried] if tried < len(tries) else np.int64(-1)
    gained, least = most_gained(load, penalty, allowed, most)
    literal_bounds(best_total, load, penalty, allowed, most, gained, least, by_literal)
    return best, best_theta, tried


@reader()
def following_theta(first: int, last: int, best: int) -> int:
    """The θ to try after `last`: larger ones while they are better, else smaller ones; -1 to end."""
    if last == first or (last == best and last > first):
        return last * 17 // 10 + 1 if last < UNLIMITED // 16 else -1
    if best > first or (last < first and last != best):
        return -1
    return min(first, last) * 6 // 10 if min(first, last) > 1 else -1


@inner()
def thetas(pairs: Pairs, theta: int) -> Ints:
    """The capacities beyond the penalty to try: near the parent's, or the whole range if that is 0."""
    if theta != 0:
        return np.array([abs(theta), max(1, abs(theta) * 6 // 10), abs(theta) * 17 // 10])
    ups, downs, least = np.int64(0), np.int64(0), np.int64(UNLIMITED)
    for w in pairs.positive_weight:
        ups = min(UNLIMITED, ups + w)
        least = min(least, w)
    for w in pairs.negative_weight:
        downs = min(UNLIMITED, downs + w)
        least = min(least, w)
    least = max(1, least // 2)
    widest = min(ups, downs)
    tries = np.empty(200, np.int64)  # 2^60 falls below 1 within 120 steps
    n = 0
    while widest > least and n < len(tries):
        tries[n] = widest
        widest = widest * 7 // 10
        n += 1
    if n == 0:
        tries[0] = 1
        n = 1
    return tries[:n].copy()

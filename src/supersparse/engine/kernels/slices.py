"""A slice of the tree over supports: open parts, depth first, for so much work.

A node represents the proper extensions of its literals: the supports that contain all of them and at least
one more literal that is still allowed. The support of exactly those literals is not part of the node; if a
model may stop there, it became a support of its own when the node was made. Nodes are bounded, literals that
cannot be in a better model are dropped, and a node is split on its most loaded literal: in the model, or not.
"""

import numpy as np

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.kernels.boxes import DONE, PAUSED
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.nodes import has, keep_possible, may_stop, pack_node, pairs_of, uses
from supersparse.engine.kernels.support import base_loss_with, cells_of
from supersparse.engine.kernels.support_search import search_support
from supersparse.engine.kernels.tree_data import (
    BOUND,
    BOX_TOP,
    DROPPED,
    JUDGED,
    KIND,
    LITERALS,
    NODE,
    NODES,
    PAIR_COUNT,
    PHASE,
    SIZE,
    SUPPORT,
    THETA,
    TOP,
    WORK,
    Branching,
    SliceState,
    TreeData,
)

OUTDATED, CROWDED = 4, 5
"""Results in addition to those of `run_boxes`: a better model is known; there is no room for the parts of a node."""

_LOOK_EVERY = 1_000_000  # touched rows that one support is searched for without a look at the other threads
_WORK_PER_NODE = 2000  # the cost of a node without its pairs, in touched rows


@kernel(short_loops=True)
def run_slice(
    data: TreeData, state: SliceState, shared: Ints, tie: int, strict: int, l1: int, until: int, least: int
) -> int:
    """Work on the parts of the state, the last first, until nothing is open or the work reaches `until`.

    `tie`, `strict` and `l1` are the cuts. `shared` is written by others: the cut that holds now, and how many
    threads have nothing to do; once the work has reached `least`, the slice ends early for them. Alone, a
    thread passes a `least` that is not below `until`.
    """
    while state.number[TOP] > 0:
        if shared[0] < tie:
            return OUTDATED
        if state.number[WORK] >= until:
            return PAUSED
        if shared[1] > 0 and state.number[WORK] >= least and (state.number[TOP] > 1 or state.number[BOX_TOP] > 1):
            return PAUSED
        part = state.number[TOP] - 1
        if state.part[part, BOUND] > tie:
            state.number[BOX_TOP] = 0
            state.number[TOP] = part
        elif state.part[part, KIND] == SUPPORT:
            stop = until if least >= until else min(until, max(least, state.number[WORK] + _LOOK_EVERY))
            result = search_support(data, state, part, tie, strict, l1, stop)
            if result == PAUSED:
                continue
            if result != DONE:
                return result
            state.number[TOP] = part
        else:
            if part + state.allowed.shape[1] + 8 > len(state.part):
                return CROWDED
            expand(data, state, part, tie)
    return DONE


@inner()
def expand(data: TreeData, state: SliceState, part: int, tie: int) -> None:
    """Take the node on top, bound it, and put its parts in its place."""
    b = data.branching
    state.number[TOP] = part
    size = state.part[part, SIZE]
    room = b.max_features - size
    if room <= 0:
        return
    literals, allowed = state.part[part, LITERALS:].copy(), state.allowed[part].copy()
    is_limited = len(b.limit_most) > 0 or len(b.limit_side) > 0
    if is_limited and not keep_possible(b, literals, size, allowed, room):
        return
    fixed = b.fixed_cost
    for t in range(size):
        fixed += b.literal_penalty[literals[t]]
    bound = state.part[part, BOUND]
    load, refused = np.zeros(len(allowed), np.int64), np.zeros(len(allowed), np.int64)
    by_literal = np.full(len(allowed), bound)
    theta = state.part[part, THETA]
    state.number[WORK] += _WORK_PER_NODE
    if room == 1 and not drop_by_cells(data, state, literals, size, allowed, tie):
        return
    if room > 1 or packing_pays(state.number):
        level = pairs_of(data.pairs, state, literals, size)
        n = state.level[PAIR_COUNT, level]
        packed, theta, tried = pack_node(
            data.pairs, state.pair[level, :n], allowed, b.literal_penalty, room, theta, tie - fixed, load,
            refused, by_literal,
        )  # fmt: skip
        state.number[WORK] += n * (4 + 4 * tried)
        bound = max(bound, fixed + packed)
        judged, dropped = 0, 0
        for name in range(len(allowed)):
            by_literal[name] = max(bound, fixed + by_literal[name])
            if allowed[name]:
                judged += 1
                allowed[name] = by_literal[name] <= tie
                dropped += not allowed[name]
        if room == 1:
            state.number[JUDGED] += judged
            state.number[DROPPED] += dropped
        if bound > tie:
            return
    drop_orphans(b, literals, size, allowed)
    if room == 1:
        push_supports(b, state, literals, size, allowed, by_literal)
        return
    name = branching_literal(b, literals, size, allowed, load, refused)
    if name >= 0:
        split(b, state, literals, size, allowed, name, bound, by_literal[name], theta)


@reader()
def packing_pays(number: Ints) -> bool:
    """Whether to pack where one place is left: now and then only, where it has dropped almost nothing."""
    number[NODES] += 1
    return number[JUDGED] < 2000 or 50 * number[DROPPED] > number[JUDGED] or number[NODES] % 16 == 0


@inner()
def drop_by_cells(data: TreeData, state: SliceState, literals: Ints, size: int, allowed: Flags, tie: int) -> bool:
    """Drop the features whose base loss with those of the node is too large; False where none is left."""
    c = data.coefficients
    features = np.empty(size, np.int64)
    fixed = c.empty_penalty + c.shift
    for t in range(size):
        features[t] = literals[t] // 2
        fixed += c.literal_surcharge[literals[t]]
    level = cells_of(data.rows, state, features)
    some = False
    for f in range(len(allowed) // 2):
        if allowed[2 * f] or allowed[2 * f + 1]:
            loss = base_loss_with(data.rows, state, level, f)
            state.number[WORK] += data.rows.ranks.shape[1]
            for name in (2 * f, 2 * f + 1):
                allowed[name] = allowed[name] and fixed + loss + c.literal_surcharge[name] <= tie
                some = some or allowed[name]
    return some


@reader()
def drop_orphans(b: Branching, literals: Ints, size: int, allowed: Flags) -> None:
    """Disallow what must follow something that is neither in the model nor allowed, and so on in turn."""
    changed = True
    while changed:
        changed = False
        for name in range(len(allowed)):
            if not allowed[name]:
                continue
            twin, first = b.twin_of[name // 2], b.after[name]
            if (twin >= 0 and not (allowed[2 * twin] or allowed[2 * twin + 1] or uses(literals, size, twin))) or (
                first >= 0 and not (allowed[first] or has(literals, size, first))
            ):
                allowed[name] = False
                changed = True


@reader()
def may_enter(b: Branching, literals: Ints, size: int, name: int) -> bool:
    """Whether the model has what must be used before a literal: see `exact/literals.py`."""
    twin, first = b.twin_of[name // 2], b.after[name]
    return (twin < 0 or uses(literals, size, twin)) and (first < 0 or has(literals, size, first))


@reader()
def branching_literal(b: Branching, literals: Ints, size: int, allowed: Flags, load: Ints, refused: Ints) -> int:
    """The most loaded literal, of a forced feature where one is missing; -1 if none can be used.

    Of several without capacity left, the one that has refused most.
    """
    missing = np.int64(-1)
    for f in b.forced:
        if missing < 0 and not uses(literals, size, f):
            missing = f
    chosen = np.int64(-1)
    for name in range(len(allowed)):
        is_more = (
            chosen < 0 or load[name] > load[chosen] or (load[name] == load[chosen] and refused[name] > refused[chosen])
        )
        if allowed[name] and is_more and (missing < 0 or missing == name // 2) and may_enter(b, literals, size, name):
            chosen = np.int64(name)
    return chosen


@reader()
def push_supports(b: Branching, state: SliceState, literals: Ints, size: int, allowed: Flags, by_literal: Ints) -> None:
    """One support for each allowed literal, where one place is left."""
    for name in range(len(allowed) - 1, -1, -1):
        if allowed[name] and may_enter(b, literals, size, name):
            literals[size] = name
            if may_stop(b, literals, size + 1):
                bound, theta = by_literal[name], np.int64(0)
                push(state.number, state.part, np.int64(SUPPORT), bound, theta, literals, size + 1)


@inner()
def split(
    b: Branching, state: SliceState, literals: Ints, size: int, allowed: Flags, name: int, bound: int,
    with_literal: int, theta: int,
) -> None:  # fmt: skip
    """A literal out, or in, which comes first; a forced feature that is out needs the other sign."""
    is_forced = False
    for f in b.forced:
        is_forced = is_forced or f == name // 2
    if not is_forced or allowed[name ^ 1]:
        without = allowed.copy()
        without[name] = False
        drop_orphans(b, literals, size, without)
        push(state.number, state.part, np.int64(NODE), bound, theta, literals, size)
        allow(state.number, state.allowed, without)
    rest = allowed.copy()
    rest[name] = rest[name ^ 1] = False
    literals[size] = name
    push(state.number, state.part, np.int64(NODE), with_literal, -theta, literals, size + 1)
    allow(state.number, state.allowed, rest)
    if may_stop(b, literals, size + 1):
        push(state.number, state.part, np.int64(SUPPORT), with_literal, np.int64(0), literals, size + 1)


@reader()
def push(number: Ints, part: Ints, kind: int, bound: int, theta: int, literals: Ints, size: int) -> None:
    """Put a part on top."""
    top = number[TOP]
    part[top, KIND], part[top, BOUND], part[top, THETA] = kind, bound, theta
    part[top, SIZE], part[top, PHASE] = size, 0
    for t in range(size):
        part[top, LITERALS + t] = literals[t]
    number[TOP] = top + 1


@reader()
def allow(number: Ints, flags: Flags, allowed: Flags) -> None:
    """Say which literals the part on top may add."""
    part = number[TOP] - 1
    for name in range(len(allowed)):
        flags[part, name] = allowed[name]

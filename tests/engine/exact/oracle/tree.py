"""The tree over signed supports in plain Python: an oracle for the compiled one.

A node represents the proper extensions of its literals: the supports that contain all of them and at least
one more literal that is still allowed. The support of exactly those literals is not part of the node; if a
model may stop there, it became a separate task when the node was created.

A node is bounded by a packing of pair covers, literals that cannot be in a better model are dropped, and
it is split on the most loaded one: in the model, or not. Tasks are taken best bound first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.exact.oracle.packing import packing_bound, uncovered
from engine.exact.oracle.support_search import SupportSearch
from supersparse.engine.exact.instance import Instance, fixed_cost
from supersparse.engine.exact.literals import (
    both_literals,
    by_feature,
    feature_of,
    flags_of,
    for_both_signs,
    literals_where,
)
from supersparse.engine.exact.pairs import pair_pool
from supersparse.engine.proving.open_parts import OpenParts


@dataclass(frozen=True, eq=False, kw_only=True)
class SupportNode:
    """The supports that extend `literals` by one or more allowed ones, one per feature."""

    instance: Instance
    literals: tuple[int, ...]
    allowed: np.ndarray
    theta: int  # the best θ of the node that it was split off, 0 to try the whole range: see `packing_bound`
    pool: Any = None  # None: created when the node is bounded
    pairs: Any = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Support:
    """One support to search."""

    instance: Instance
    literals: tuple[int, ...]


class ReferenceProof:
    """Open nodes and supports, best bound first; takes one after the other."""

    def __init__(self, cuts, cases):
        self._tasks, self._cuts, self._cases = OpenParts(), cuts, cases

    def begin(self):
        """Open all supports except the empty one, whose model is the start of every solve."""
        for instance in self._cases:
            self._tasks.push(fixed_cost(instance, ()), root(instance))

    @property
    def is_open(self):
        return len(self._tasks) > 0

    @property
    def bound(self):
        return self._tasks.bound

    def step(self, *_):
        """Do one task."""
        taken = self._tasks.take()
        ((at, work),) = taken.left
        left = []
        if at <= self._cuts.tie and isinstance(work, Support):
            SupportSearch(work.instance, work.literals, self._cuts).run()
        elif at <= self._cuts.tie:
            left = expand(work, at, self._cuts)
        self._tasks.put(taken, left)


def root(instance):
    """The node of all supports except the empty one, whose model is the start of every solve."""
    return SupportNode(instance=instance, literals=(), allowed=instance.allowed.copy(), theta=0)


def expand(node, bound, cuts):
    """Bound a node and split it; return the remaining parts with their bounds."""
    instance, room = node.instance, node.instance.max_features - len(node.literals)
    if room <= 0:
        return []
    allowed = node.allowed
    allowed = within_limits(instance.limits, node.literals, allowed, room)
    if allowed is None:
        return []
    pool, pairs = node.pool, node.pairs
    if pool is None:
        pool = pair_pool(instance, node.literals, node.allowed)
        pairs = np.arange(len(pool.positive), dtype=np.int32)
    fixed = fixed_cost(instance, node.literals)
    cut = cuts.tie
    packed = packing_bound(instance, pool, pairs, allowed, room, node.theta, cut - fixed)
    bound = max(bound, fixed + packed.bound)
    if bound > cut:
        return []
    by_literal = np.maximum(bound, fixed + packed.by_literal)
    allowed = allowed & (by_literal <= cut)
    _drop_orphans(instance, node.literals, allowed)
    if room == 1:
        return [
            (int(by_literal[literal]), Support(instance=instance, literals=(*node.literals, literal)))
            for literal in literals_where(allowed)
            if _may_enter(instance, node.literals, literal) and _may_stop(instance, (*node.literals, literal))
        ]
    branch = _branching_literal(instance, node.literals, allowed, packed)
    if branch is None:
        return []
    parts = []
    literals, with_literal = (*node.literals, branch), int(by_literal[branch])
    if _may_stop(instance, literals):
        parts.append((with_literal, Support(instance=instance, literals=literals)))
    rest = allowed.copy()
    rest[list(both_literals(feature_of(branch)))] = False
    child = SupportNode(
        instance=instance,
        literals=literals,
        allowed=rest,
        pool=pool,
        pairs=uncovered(pool, pairs, branch),
        theta=-packed.theta,  # one place less
    )
    parts.append((with_literal, child))
    if _may_be_out(instance, branch, allowed):
        without = allowed.copy()
        without[branch] = False
        _drop_orphans(instance, node.literals, without)
        out = SupportNode(
            instance=instance, literals=node.literals, allowed=without, pool=pool, pairs=pairs, theta=packed.theta
        )
        parts.append((bound, out))
    return parts


def _branching_literal(instance, literals, allowed, packed):
    """The most loaded literal, of a forced feature where one is missing; None if none can be used.

    Of several without capacity left, the one that has refused most. Its feature with the other sign waits:
    where the literal is out, the bound is higher, and fewer others are left to go with it.
    """
    present = set(map(feature_of, literals))
    missing = next((f for f in instance.forced if f not in present), None)
    choices = [
        literal
        for literal in literals_where(allowed)
        if missing in (None, feature_of(literal)) and _may_enter(instance, literals, literal)
    ]
    return max(choices, key=lambda literal: (packed.load[literal], packed.refused[literal]), default=None)


def _may_be_out(instance, literal, allowed):
    """Whether a model may do without a literal: a forced feature then needs the other sign."""
    one, other = both_literals(feature_of(literal))
    return feature_of(literal) not in instance.forced or bool(allowed[other if literal == one else one])


def _may_enter(instance, literals, literal):
    """Whether the model has what must be used before a literal: see `exchanges.py`."""
    twin, first = instance.twin_of[feature_of(literal)], instance.after[literal]
    return (twin < 0 or twin in map(feature_of, literals)) and (first < 0 or first in literals)


def _may_stop(instance, literals):
    """Whether a model of exactly these literals is allowed."""
    present = set(map(feature_of, literals))
    return all(f in present for f in instance.forced) and obeys(instance.limits, literals)


def obeys(limits, literals):
    """Whether a model of exactly these literals can be within the limits."""
    positive, negative = _sides(limits, literals)
    within = limits.weight[:, list(literals)].sum(axis=1) <= limits.most
    return not (positive & negative).any() and bool(within.all())


def _sides(limits, literals):
    """Which limits on signs have a positive literal among these, and which a negative one."""
    side = limits.side[:, list(literals)]
    return np.any(side > 0, axis=1), np.any(side < 0, axis=1)


def within_limits(limits, literals, allowed, room):
    """Drop literals that no extension within the limits can have; None if there is no such extension.

    The others can lower a sum by at most the `room` smallest negative weights, one per feature. So the
    current sum, plus the literal's weight, plus that help (without the share of its own feature, and with
    one place less) is a lower bound for every model with the literal.
    """
    positive, negative = _sides(limits, literals)
    if (positive & negative).any():
        return None
    opposed = (limits.side[positive] < 0).any(axis=0) | (limits.side[negative] > 0).any(axis=0)
    allowed = allowed & ~opposed
    for weight, most in zip(limits.weight, limits.most, strict=True):
        now = int(weight[list(literals)].sum())
        if now > most or (weight < 0).any() or (weight > most - now).any():
            offered = by_feature(np.where(allowed, np.minimum(weight, 0), 0)).min(axis=1)
            order = np.argsort(offered, kind="stable")
            helpers = order[:room]
            if now + int(offered[helpers].sum()) > most:
                return None
            all_but_one = int(offered[order[: room - 1]].sum())
            others = np.full(len(offered), all_but_one)
            others[helpers] = int(offered[helpers].sum()) - offered[helpers]
            allowed &= now + weight + for_both_signs(others) <= most
    return allowed


def has_order(instance):
    """Whether any feature has a twin, or any literal another one, that must be used before it."""
    return max(*instance.twin_of, *instance.after, -1) >= 0


def _drop_orphans(instance, literals, allowed):
    """Disallow what must follow something that is neither in the model nor allowed, and so on in turn."""
    if not has_order(instance):
        return
    twin, first = for_both_signs(np.array(instance.twin_of)), np.array(instance.after)
    present = flags_of(literals, instance.n_features)
    while True:
        can_be = allowed | present
        used = np.any(by_feature(can_be), axis=1)
        orphan = allowed & (((twin >= 0) & ~used[twin]) | ((first >= 0) & ~can_be[first]))
        if not orphan.any():
            return
        allowed &= ~orphan

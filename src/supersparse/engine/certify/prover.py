"""Prover: a depth-first search that writes down why nothing is better than a known model.

The tree is first on literals (a feature with a sign), bounded by packings of covers, then on the points of one support
(`SupportProver`). Each place in it ends with a line "objective >= best", from its covers or from both sides of a
branching. What has no rule in the format is left out: doubled vectors, twin columns, and the partition bound.

A packing is pairs of opposite rows with multipliers of their covers. The multipliers at each row add up to at
most its cost, and the load of each literal to at most its cost plus θ, where θ is what the limit on the
number of features can pay back.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.certify.derivation import Facts, cells_of
from supersparse.engine.certify.lines import SIGNS, Lines, Terms, least_cost, literal_at, written_facts
from supersparse.engine.certify.program import Program
from supersparse.engine.certify.support import BoundWriter, SupportProver
from supersparse.engine.exact.pairs import (
    NEAREST,
    OppositePoints,
    literal_masks,
    most_gained,
    pack_masks,
    pair_literals,
    without_literal,
)

Pairs = NDArray[np.int32]

_ALWAYS_RIGHT = 2**56
_NEAR = 0.97  # other θ are tried only when the first came this near


@dataclass(slots=True)
class Packing:
    """Multipliers of covers, and the bound they prove at a node."""

    bound: int
    uses: Ints  # multiplier of each pair
    load: Ints  # of each literal
    theta: int  # multiplier of the size row
    tried: int  # the θ that gave it


class Pool:
    """Each row with the nearest of the other class: those that the fewest literals distinguish."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self._best = facts.best
        n = len(program.features)
        self.exists = facts.literal >= 0
        self.cost = np.zeros(2 * n, np.int64)
        for f, feature in enumerate(program.features):
            for side, sign in enumerate(SIGNS):
                if feature.literal(sign) >= 0:
                    self.cost[2 * f + side] = least_cost(program, feature, sign)
        has_origin = program.statement.intercept in ("none", "paper")
        nobody = np.full(1 if has_origin else 0, -1)
        weights = self._pair_off(facts)
        up, down = (np.flatnonzero((facts.sign == sign) & (weights > 0)) for sign in SIGNS)
        self._up, self._down = np.append(up, nobody), np.append(down, nobody)
        extra = np.full(len(nobody), _ALWAYS_RIGHT)
        self._up_weight, self._down_weight = np.append(weights[up], extra), np.append(weights[down], extra)
        self._most = int(min(weights[up].sum(), weights[down].sum()))
        self._least = max(1, int(min(weights[up].min(initial=1), weights[down].min(initial=1))) // 2)
        ranks = _ranks(facts.x)
        self._make(ranks[self._up], ranks[self._down], has_origin)

    def _pair_off(self, facts: Facts) -> Ints:
        """Pair rows that differ in their class alone: one of the two is wrong. Return what weight is left."""
        weights = np.ascontiguousarray(facts.objective[facts.first_z :])
        _, cell = np.unique(facts.x, axis=0, return_inverse=True)
        cells = cells_of(cell.reshape(-1).astype(np.int64), facts.x, facts.sign, weights, True)
        self._equal = np.full((len(cells.pairs), 4), -1, np.int64)
        self._equal[:, :2] = cells.pairs
        self._equal_u, self._base = cells.pair_u, int(cells.base)
        left: Ints = cells.left
        return left

    def _make(self, up: Pairs, down: Pairs, has_origin: bool) -> None:
        points = OppositePoints(up, down, self.exists, np.zeros_like(self.exists))
        first, second = points.nearest(NEAREST, NEAREST)
        keys = np.unique(first.astype(np.int64) * len(down) + second)
        positive, negative = keys // len(down), keys % len(down)
        if has_origin:
            proper = (positive < len(up) - 1) | (negative < len(down) - 1)
            positive, negative = positive[proper], negative[proper]
        self._positive, self._negative = positive.astype(np.int32), negative.astype(np.int32)
        start, literal = pair_literals(up, down, self._positive, self._negative, self.exists)
        self._masks = literal_masks(start, literal, len(self.exists) // 2)

    @property
    def all(self) -> Pairs:
        return np.arange(len(self._positive), dtype=np.int32)

    def without(self, pairs: Pairs, literal: int) -> Pairs:
        return without_literal(pairs, self._masks, literal)

    def members(self, packing: Packing, pairs: Pairs) -> tuple[Ints, Ints]:
        """The rows of each cover in use, and its multiplier."""
        used = np.flatnonzero(packing.uses)
        chosen = pairs[used]
        members = np.full((len(used), 4), -1, np.int64)
        members[:, 0] = self._up[self._positive[chosen]]
        members[:, 1] = self._down[self._negative[chosen]]
        return np.vstack([self._equal, members]), np.concatenate([self._equal_u, packing.uses[used]])

    def pack(self, pairs: Pairs, allowed: Flags, room: int, theta: int, fixed: int) -> Packing:
        """Bound a node in which `fixed` is paid already; stop early once it is closed.

        With room for all undecided features, θ is 0. With room for one, no load is too large: only the
        largest is paid back. Otherwise θ is tried near the parent's, or over its whole range if `theta` is 0.
        """
        undecided = int((allowed[::2] | allowed[1::2]).sum())
        if room >= undecided:
            return self._pack_with(pairs, allowed, undecided, 0, fixed)
        if room == 1:
            return replace(self._pack_with(pairs, allowed, room, self._most, fixed), tried=theta)
        if theta:
            tries = [theta, max(1, theta * 6 // 10), theta * 17 // 10]
        else:
            widest, tries = self._most, []
            while widest > self._least:
                tries.append(widest)
                widest = widest * 7 // 10
            tries = tries or [1]
        best = self._pack_with(pairs, allowed, room, tries[0], fixed)
        for candidate in tries[1:]:
            if best.bound >= self._best or (theta and best.bound < _NEAR * self._best):
                break
            packing = self._pack_with(pairs, allowed, room, candidate, fixed)
            if packing.bound > best.bound:
                best = packing
        return best

    def _pack_with(self, pairs: Pairs, allowed: Flags, room: int, theta: int, fixed: int) -> Packing:
        load = np.zeros(len(allowed), np.int64)
        uses = np.zeros(len(pairs), np.int64)
        fixed += self._base
        total = pack_masks(
            pairs,
            self._positive,
            self._negative,
            self._masks,
            allowed,
            np.maximum(self.cost, 0) + theta,
            self._up_weight.copy(),
            self._down_weight.copy(),
            load,
            self._best - fixed + room * theta,
            uses,
        )
        lost, least = most_gained(load, self.cost, allowed, room)
        return Packing(fixed + total - lost, uses, load, least, theta)


def _ranks(x: Ints) -> Pairs:
    """The rank of each value in its column, doubled; the last row is the origin, perhaps between two."""
    ranks = np.zeros((len(x) + 1, x.shape[1]), np.int32)
    for f, column in enumerate(x.T):
        distinct, rank = np.unique(column, return_inverse=True)
        at = int(np.searchsorted(distinct, 0))
        there = at < len(distinct) and distinct[at] == 0
        ranks[:-1, f], ranks[-1, f] = 2 * rank.reshape(-1), 2 * at if there else 2 * at - 1
    return ranks


_ROUNDS = 4  # of dropping literals at one node


class Prover:
    """Writes the derivation of objective >= best."""

    def __init__(
        self, program: Program, lines: Lines, best: int, margins: Ints, check_in: Callable[[], None] = lambda: None
    ) -> None:
        self._program = program
        self._lines = lines
        self._best = best
        self._check_in = check_in
        self._features = program.features
        self._used = lines.here.used  # the sign of each feature in use at the present place
        limit, n = program.statement.max_features, len(self._features)
        self._most = n if limit is None else min(n, limit)
        facts = written_facts(program, lines, best, margins)
        self._pool = Pool(program, facts)
        self._cost = self._pool.cost
        self._bounds = BoundWriter(facts, lines)
        self._support = SupportProver(program, facts, lines, self._bounds, self._cost, check_in)

    def prove(self) -> None:
        self._node(self._pool.all, self._pool.exists.copy(), 0, 0)
        self._lines.flush()

    def _node(self, pairs: Pairs, allowed: Flags, theta: int, fixed: int) -> int:
        """Close this node and everything below it; return the line that does.

        `fixed` is what the literals in use cost, θ what the parent's packing used.
        """
        self._check_in()
        lines = self._lines
        broken = self._broken_limit(allowed)
        if broken is not None:
            return broken
        mark = lines.mark
        room = self._most - int(np.count_nonzero(self._used))
        load = np.zeros(len(allowed), np.int64)
        try:
            for _ in range(_ROUNDS):
                if room <= 0 or not allowed.any():
                    break
                packing = self._pool.pack(pairs, allowed, room, theta, fixed)
                theta, load = packing.tried, packing.load
                if packing.bound >= self._best:
                    members, uses = self._pool.members(packing, pairs)
                    return self._bounds.close(members, uses, allowed, self._cost, packing.theta)
                reduced = self._cost - packing.load + packing.theta
                useless = allowed & (reduced > 0) & (packing.bound + reduced >= self._best)
                if not useless.any():
                    break
                self._drop(packing, pairs, allowed, np.where(useless, reduced, 0))
                allowed = allowed & ~useless
            if room <= 0 or not allowed.any():
                broken = self._broken_limit(allowed)  # what was dropped may have been needed
                return self._support.close(allowed) if broken is None else broken
            return self._branch(self._choose(allowed, load), pairs, allowed, theta, fixed)
        finally:
            lines.back(mark)

    def _choose(self, allowed: Flags, load: Ints) -> int:
        """The most loaded literal; one of a feature that must be used first."""
        weight = np.where(allowed, load, -1)
        for f, feature in enumerate(self._features):
            if 0 not in feature.of.values and not self._used[f] and allowed[2 * f : 2 * f + 2].any():
                return 2 * f + int(np.argmax(weight[2 * f : 2 * f + 2]))
        return int(np.argmax(weight))

    def _branch(self, literal: int, pairs: Pairs, allowed: Flags, theta: int, fixed: int) -> int:
        """Split on a literal being in the model or not."""
        f, sign = literal // 2, 1 if literal % 2 == 0 else -1
        lines, feature = self._lines, self._features[f]
        variable, mark = feature.literal(sign), lines.mark
        rest = allowed.copy()
        rest[literal] = False
        without = rest.copy()
        without[literal ^ 1] = False
        assumed = lines.assume("G", 1, {variable: 1})
        lines.raise_lower(variable, assumed, 1)
        if feature.literal(-sign) >= 0:
            lines.bound_above(feature.literal(-sign), [(feature.one_sign, -1)])
        if sign > 0:
            lines.bound_below(feature.points, [(feature.above, 1)])
        else:
            lines.bound_above(feature.points, [(feature.below, 1)])
        self._forbid_opposite(f, sign, without)
        self._used[f] = sign
        paid = fixed + int(self._cost[literal])
        first = (self._node(self._pool.without(pairs, literal), without, theta, paid), assumed)
        self._used[f] = 0
        lines.back(mark)
        assumed = lines.assume("L", 0, {variable: 1})
        lines.cut_upper(variable, assumed, 0)
        second = (self._node(pairs, rest, theta, fixed), assumed)
        lines.back(mark)
        return lines.close_branching(self._best, first, second)

    def _forbid_opposite(self, f: int, sign: int, allowed: Flags) -> None:
        """Show that features which share the sign of f cannot have the other one, and disallow that."""
        lines, program = self._lines, self._program
        for s, rows in zip(program.signs, program.sign_rows, strict=True):
            if f not in rows:
                continue
            if sign > 0:
                lines.bound_below(s, [(rows[f][0], 1)])
            else:
                lines.bound_above(s, [(rows[f][1], -1)])
            for other, (plus, minus) in rows.items():
                literal = 2 * other + (sign > 0)
                if other != f and allowed[literal]:
                    part = (minus, -1) if sign > 0 else (plus, 1)
                    lines.bound_above(self._features[other].literal(-sign), [part])
                    allowed[literal] = False

    def _broken_limit(self, allowed: Flags) -> int | None:
        """The line that closes a node in which no support obeys some limit; None if one may."""
        lines, program = self._lines, self._program
        for limit in program.limit_rows:
            row = program.rows[limit]
            sign = 1 if row.sense == "G" else -1
            literals = [literal_at(program, at) for at in np.flatnonzero(allowed).tolist()]
            helping = max((sign * row.coefficients.get(v, 0) for v in literals), default=0)
            for theta in (0, helping):
                if theta and program.size_row < 0:
                    continue
                parts: Terms = [(limit, sign)]
                if theta > 0:
                    parts.append((program.size_row, -theta))
                _, right = lines.combined({}, parts)
                if right > 0:  # 0 >= 1 in disguise: often enough, it lifts the objective to any height
                    often = self._best + sum(map(abs, program.objective.values()))
                    many = [(line, m * often) for line, m in parts]
                    terms, _ = lines.combined(program.objective, many)
                    return lines.derive("G", self._best, None, terms)
        return None

    def _drop(self, packing: Packing, pairs: Pairs, allowed: Flags, reduced: Ints) -> None:
        """Show that no better model of this node uses the literals with a reduced cost.

        One line says Σ reduced·literal <= best - 1 - bound. So each of them is at most
        (best - 1 - bound) / reduced, which rounds down to 0.
        """
        lines = self._lines
        members, uses = self._pool.members(packing, pairs)
        line, _ = self._bounds.write(members, uses, allowed, self._cost, packing.theta, reduced)
        for literal, dropped in self._bounds.drop(line, reduced):
            lines.cut_upper(literal, dropped, 0)

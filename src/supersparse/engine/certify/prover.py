"""Prover: a depth-first search that writes down why nothing is better than a known model.

The tree is first on literals (a feature with a sign), bounded by packings of covers, then on the points of
one support (`SupportProver`). Each place in it ends with a line "objective >= best", from its covers or from
both sides of a branching. What has no rule in the format is left out: doubled vectors, twin columns, and the
second bound.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.certify.bounds import BoundWriter
from supersparse.engine.certify.facts import Ints, literal_at, written_facts
from supersparse.engine.certify.lines import Lines, Terms
from supersparse.engine.certify.packing import Flags, Packing, Pairs, Pool
from supersparse.engine.certify.program import Program
from supersparse.engine.certify.support import SupportProver

_ROUNDS = 4  # of dropping literals at one node


class Prover:
    """Writes the derivation of objective >= best."""

    def __init__(
        self,
        program: Program,
        lines: Lines,
        best: int,
        margins: NDArray[np.int64],
        check_in: Callable[[], None] = lambda: None,
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
        """Write the whole derivation."""
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

"""Prover: a depth-first search that writes down why nothing is better than a known model.

The tree is that of the exact engine: first on literals (a feature with a sign), bounded by packings of
covers, then on the points of one support, bounded by matchings of rows in conflict. Each place in it
ends with a line "objective >= best", from its covers or from both sides of a branching. What has no rule
in the format is left out: doubled vectors, twin columns, and the second bound.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from supersparse.certify.covers import NOBODY, Covers
from supersparse.certify.lines import Lines, Terms
from supersparse.certify.program import Coefficients, FeatureVariables, Program
from supersparse.errors import VerificationError
from supersparse.solving.kernels.conflicts import matched_conflicts
from supersparse.solving.kernels.pairs import nearest_pairs, pack, pair_literals, uncovered

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NEAREST = 24  # opposite rows paired with each row
_ALWAYS_RIGHT = 2**56
_ROUNDS = 4  # of dropping literals at one node
_NEAR = 0.9  # other θ are tried only when the first came this near


@dataclass(slots=True)
class _Packing:
    """Multipliers of covers, and the bound they prove at a node."""

    bound: int
    uses: Ints  # multiplier of each pair
    load: Ints  # of each literal
    theta: int  # multiplier of the size row
    tried: int  # the θ that gave it


class Prover:
    """Writes the derivation of objective >= best."""

    def __init__(
        self, program: Program, lines: Lines, best: int, check_in: Callable[[], None] = lambda: None
    ) -> None:
        self._program = program
        self._lines = lines
        self._best = best
        self._check_in = check_in
        self._covers = Covers(program, lines)
        self._features = program.features
        self._signs: dict[int, int] = {}  # features in use at the present place
        n = len(self._features)
        limit = program.statement.max_features
        self._most = n if limit is None else min(n, limit)
        self._cost = np.zeros(2 * n, np.int64)
        self._exists = np.zeros(2 * n, bool)
        for f, feature in enumerate(self._features):
            for side, sign in enumerate((1, -1)):
                if feature.literal(sign) >= 0:
                    self._exists[2 * f + side] = True
                    self._cost[2 * f + side] = self._least_cost(feature, sign)
        self._up = np.flatnonzero(np.array(program.positive, bool))
        self._down = np.flatnonzero(~np.array(program.positive, bool))
        columns = np.array([feature.column for feature in self._features], np.int64).reshape(n, -1)
        self._up_x = np.ascontiguousarray(columns[:, self._up].T)
        self._down_x = np.ascontiguousarray(columns[:, self._down].T)
        weights = np.array([program.objective.get(z, 0) for z in program.wrong], np.int64)
        self._up_weight, self._down_weight = weights[self._up], weights[self._down]
        self._spread = columns.max(axis=1, initial=0) - columns.min(axis=1, initial=0)
        self._has_origin = program.statement.intercept in ("none", "paper")
        self._make_pool(columns)

    def prove(self) -> None:
        """Write the whole derivation."""
        self._cutoff = self._lines.known_solution(self._best - 1)
        self._node(np.arange(len(self._pool_up), dtype=np.int32), self._exists.copy(), 0)

    def _least_cost(
        self, feature: FeatureVariables, sign: int, low: int | None = None, high: int | None = None
    ) -> int:
        """The smallest objective coefficient of a sign, or of its values within a box."""
        costs = self._program.objective
        if not feature.value:
            return costs.get(feature.literal(sign), 0)
        return min(
            costs.get(u, 0)
            for v, u in feature.value.items()
            if v * sign > 0 and (low is None or high is None or low <= v <= high)
        )

    def _make_pool(self, columns: Ints) -> None:
        """Pair each row with the nearest of the other class: those that the fewest literals tell apart."""
        n = len(columns)
        ranks = np.zeros((columns.shape[1] + 1, n), np.int32)  # doubled; the last is the origin
        for f, column in enumerate(columns):
            distinct, rank = np.unique(column, return_inverse=True)
            at = int(np.searchsorted(distinct, 0))
            there = at < len(distinct) and distinct[at] == 0
            ranks[:-1, f], ranks[-1, f] = 2 * rank.reshape(-1), 2 * at if there else 2 * at - 1
        up, down = ranks[self._up], ranks[self._down]
        if self._has_origin:
            up, down = np.vstack([up, ranks[-1:]]), np.vstack([down, ranks[-1:]])
        up, down = np.ascontiguousarray(up), np.ascontiguousarray(down)
        nobody = np.zeros(len(self._exists), bool)
        no_bits, no_masks = np.zeros((0, 0), np.uint64), np.zeros((0, 0), np.uint64)

        def near(points: NDArray[np.int32], others: NDArray[np.int32], positive: bool, most: int):  # type: ignore[no-untyped-def]
            candidates = np.arange(len(others))
            return nearest_pairs(
                points, others, positive, no_bits, no_bits, no_masks, self._exists, nobody, most, candidates
            )

        first, second = near(up, down, True, _NEAREST), near(down, up, False, _NEAREST)
        pairs = np.unique(
            np.stack([np.concatenate([first[0], second[1]]), np.concatenate([first[1], second[0]])], axis=1),
            axis=0,
        )
        if self._has_origin:
            pairs = pairs[(pairs[:, 0] < len(self._up)) | (pairs[:, 1] < len(self._down))]
        self._pool_up = np.ascontiguousarray(pairs[:, 0], np.int32)
        self._pool_down = np.ascontiguousarray(pairs[:, 1], np.int32)
        self._pool_start, self._pool_literal = pair_literals(
            up, down, self._pool_up, self._pool_down, self._exists
        )
        extra = [_ALWAYS_RIGHT] if self._has_origin else []
        self._pool_up_weight = np.array([*self._up_weight, *extra], np.int64)
        self._pool_down_weight = np.array([*self._down_weight, *extra], np.int64)

    # --- the tree over literals ---

    def _node(self, pairs: NDArray[np.int32], allowed: Flags, theta: int) -> int:
        """Close this node and everything below it; return the line that does."""
        self._check_in()
        lines, here = self._lines, self._lines.here
        broken = self._broken_limit(allowed)
        if broken is not None:
            return broken
        mark, own = here.mark, []
        try:
            room = self._most - len(self._signs)
            for _ in range(_ROUNDS):
                if room <= 0 or not allowed.any():
                    break
                packing = self._pack(pairs, allowed, room, theta)
                theta = packing.tried
                if packing.bound >= self._best:
                    return self._close_by(packing, pairs, allowed)
                reduced = self._cost - packing.load + packing.theta
                useless = allowed & (reduced > 0) & (packing.bound + reduced >= self._best)
                if not useless.any():
                    break
                own += self._drop(packing, pairs, allowed, np.flatnonzero(useless).tolist())
                allowed = allowed & ~useless
            if room <= 0 or not allowed.any():
                broken = self._broken_limit(allowed)  # what was dropped may have been needed
                return self._box(allowed) if broken is None else broken
            return self._branch(self._choose(allowed, packing.load), pairs, allowed, theta)
        finally:
            here.back(mark)
            lines.forget(own)

    def _choose(self, allowed: Flags, load: Ints) -> int:
        """The most loaded literal; one of a feature that must be used first."""
        weight = np.where(allowed, load, -1)
        for f, feature in enumerate(self._features):
            if 0 not in feature.of.values and f not in self._signs and allowed[2 * f : 2 * f + 2].any():
                return 2 * f + int(np.argmax(weight[2 * f : 2 * f + 2]))
        return int(np.argmax(weight))

    def _branch(self, literal: int, pairs: NDArray[np.int32], allowed: Flags, theta: int) -> int:
        """Split on a literal being in the model or not."""
        f, sign = literal // 2, 1 if literal % 2 == 0 else -1
        lines, here, feature = self._lines, self._lines.here, self._features[f]
        variable, mark = feature.literal(sign), here.mark
        rest = allowed.copy()
        rest[literal] = False
        without = rest.copy()
        without[literal ^ 1] = False
        assumed = lines.assume("G", 1, {variable: 1})
        here.raise_lower(variable, assumed, 1)
        own = lines.next
        if feature.literal(-sign) >= 0:
            lines.bound_above(feature.literal(-sign), [(feature.one_sign, -1)])
        if sign > 0:
            lines.bound_below(feature.points, [(feature.above, 1)])
        else:
            lines.bound_above(feature.points, [(feature.below, 1)])
        self._forbid_opposite(f, sign, without)
        own_lines = [assumed, *range(own, lines.next)]
        self._signs[f] = sign
        kept = uncovered(pairs, self._pool_start, self._pool_literal, literal)
        first = (self._node(kept, without, theta), assumed)
        del self._signs[f]
        here.back(mark)
        assumed = lines.assume("L", 0, {variable: 1})
        here.cut_upper(variable, assumed, 0)
        second = (self._node(pairs, rest, theta), assumed)
        here.back(mark)
        lines.forget([*own_lines, assumed])
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
            literals = self._literals(allowed)
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
                    return self._conclude([(line, m * often) for line, m in parts])
        return None

    def _literals(self, allowed: Flags) -> list[int]:
        """The variables of some literals."""
        return [
            self._features[at // 2].literal(1 if at % 2 == 0 else -1)
            for at in np.flatnonzero(allowed).tolist()
        ]

    # --- bounds of a node ---

    def _pack(self, pairs: NDArray[np.int32], allowed: Flags, room: int, theta: int) -> _Packing:
        undecided = int((allowed[::2] | allowed[1::2]).sum())
        if room >= undecided:
            return self._pack_with(pairs, allowed, undecided, 0)
        if theta:
            tries = [theta, max(1, theta * 6 // 10), theta * 17 // 10]
        else:
            widest = int(min(self._up_weight.sum(), self._down_weight.sum()))
            least = max(1, int(min(self._up_weight.min(), self._down_weight.min())) // 2)
            tries = []
            while widest > least:
                tries.append(widest)
                widest = widest * 7 // 10
            tries = tries or [1]
        best = self._pack_with(pairs, allowed, room, tries[0])
        for candidate in tries[1:]:
            if best.bound >= self._best or (theta and best.bound < _NEAR * self._best):
                break
            packing = self._pack_with(pairs, allowed, room, candidate)
            if packing.bound > best.bound:
                best = packing
        return best

    def _pack_with(self, pairs: NDArray[np.int32], allowed: Flags, room: int, theta: int) -> _Packing:
        load = np.zeros(len(allowed), np.int64)
        uses = np.zeros(len(pairs), np.int64)
        fixed = sum(int(self._cost[2 * f + (s < 0)]) for f, s in self._signs.items())
        total = int(
            pack(
                pairs,
                self._pool_up,
                self._pool_down,
                self._pool_start,
                self._pool_literal,
                allowed,
                np.maximum(self._cost, 0) + theta,
                self._pool_up_weight.copy(),
                self._pool_down_weight.copy(),
                load,
                self._best - fixed + room * theta,
                uses,
            )
        )
        gains = np.where(allowed, load - self._cost, 0).clip(0)
        per_feature = np.sort(gains.reshape(-1, 2).max(axis=1))[::-1]
        lost = int(per_feature[:room].sum())
        least = 0 if room >= len(per_feature) else int(per_feature[room - 1])
        return _Packing(fixed + total - lost, uses, load, least, theta)

    def _cover_terms(self, packing: _Packing, pairs: NDArray[np.int32]) -> Terms:
        terms: Terms = []
        for at in np.flatnonzero(packing.uses).tolist():
            pair = int(pairs[at])
            a, b = int(self._pool_up[pair]), int(self._pool_down[pair])
            i = int(self._up[a]) if a < len(self._up) else NOBODY
            j = int(self._down[b]) if b < len(self._down) else NOBODY
            terms.append((self._covers.everywhere(i, j), int(packing.uses[at])))
        return terms

    def _completed(self, terms: Terms, load: Coefficients, allowed: Flags, theta: int) -> Terms:
        """Add the rows that every bound of the objective needs: size, signs, and penalties by value."""
        program, here = self._program, self._lines.here
        parts = list(terms)
        if theta:
            parts.append((program.size_row, -theta))
        for f, feature in enumerate(self._features):
            excess = []
            for side, sign in enumerate((1, -1)):
                literal = feature.literal(sign)
                if literal < 0:
                    continue
                cost = int(self._cost[2 * f + side])
                if feature.value:
                    if self._signs.get(f) == sign:
                        box = here.lower[feature.points][1], here.upper[feature.points][1]
                        cost = self._least_cost(feature, sign, *box)
                    if cost:
                        row = feature.positive_sum if sign > 0 else feature.negative_sum
                        parts.append((row, -cost))
                if allowed[2 * f + side]:
                    excess.append(load.get(literal, 0) - cost - theta)
            if len(excess) == 2 and min(excess) > 0:
                parts.append((feature.one_sign, -min(excess)))
        return parts

    def _loads(self, terms: Terms) -> Coefficients:
        """The multiplier that covers put on each literal."""
        load: Coefficients = {}
        for line, u in terms:
            for v, c in self._lines.content(line).coefficients.items():
                load[v] = load.get(v, 0) + u * c
        return load

    def _close_by(self, packing: _Packing, pairs: NDArray[np.int32], allowed: Flags) -> int:
        terms = self._cover_terms(packing, pairs)
        return self._conclude(self._completed(terms, self._loads(terms), allowed, packing.theta))

    def _conclude(self, parts: Terms) -> int:
        terms, right = self._lines.combined(self._program.objective, parts)
        if right < self._best:
            raise VerificationError(
                f"a bound of {right} was derived where {self._best} was claimed; please report this"
            )
        return self._lines.derive("G", self._best, None, terms)

    def _drop(
        self, packing: _Packing, pairs: NDArray[np.int32], allowed: Flags, useless: list[int]
    ) -> list[int]:
        """Show that no better model of this node uses some literals; return the lines written for that.

        One line says objective - Σ r_l·literal_l >= bound, with the reduced costs r. As only objectives below
        the best matter, literal_l <= (best - 1 - bound) / r_l, which rounds down to 0.
        """
        lines, here = self._lines, self._lines.here
        terms = self._cover_terms(packing, pairs)
        parts = self._completed(terms, self._loads(terms), allowed, packing.theta)
        reduced: Coefficients = {}
        for at in useless:
            literal = self._features[at // 2].literal(1 if at % 2 == 0 else -1)
            reduced[literal] = int(self._cost[at] - packing.load[at] + packing.theta)
        target = dict(self._program.objective)
        for literal, r in reduced.items():
            target[literal] = target.get(literal, 0) - r
        target = {v: c for v, c in target.items() if c}
        combined, right = lines.combined(target, parts)
        written = [lines.derive("G", right, target, combined)]
        for literal, r in reduced.items():
            if right + r < self._best:
                raise VerificationError(f"a literal was dropped by a bound of {right}; please report this")
            rest = [(here.lower[other][0], -c) for other, c in reduced.items() if other != literal]
            line = lines.derive(
                "L", 0, {literal: 1}, [(written[0], -1), (self._cutoff, 1), *rest], over=r, rounded=True
            )
            here.cut_upper(literal, line, 0)
            written.append(line)
        return written

    # --- boxes of points on one support ---

    def _box(self, allowed: Flags) -> int:
        """Close the present box of points; no further literal can be used."""
        self._check_in()
        here, program = self._lines.here, self._program
        used = tuple(self._signs)
        variables = [self._features[f].points for f in used]
        up_x, down_x = self._up_x[:, list(used)], self._down_x[:, list(used)]
        spread = [float(self._spread[f]) for f in used]
        if program.statement.intercept == "range":
            variables.append(program.threshold)
            up_x = np.hstack([up_x, np.full((len(up_x), 1), program.step)])
            down_x = np.hstack([down_x, np.full((len(down_x), 1), program.step)])
            spread.append(0.7 * program.step)
        low = np.array([here.lower[v][1] for v in variables], np.int64)
        high = np.array([here.upper[v][1] for v in variables], np.int64)
        fixed = 0
        for f, sign in self._signs.items():
            feature = self._features[f]
            box = (here.lower[feature.points][1], here.upper[feature.points][1])
            fixed += self._least_cost(feature, sign, *box)
        total, first, second, uses = matched_conflicts(
            np.ascontiguousarray(up_x, np.int64),
            np.ascontiguousarray(down_x, np.int64),
            self._up_weight,
            self._down_weight,
            low,
            high,
            program.gap,
            program.statement.intercept != "free",
            self._best - fixed,
        )
        if fixed + total >= self._best:
            return self._close_box(first, second, uses, allowed)
        return self._split(variables, low, high, spread, allowed)

    def _close_box(self, first: Ints, second: Ints, uses: Ints, allowed: Flags) -> int:
        lines, covers, used = self._lines, self._covers, tuple(self._signs)
        terms: Terms = []
        local = []
        for a, b, u in zip(first.tolist(), second.tolist(), uses.tolist(), strict=True):
            i = int(self._up[a]) if a >= 0 else NOBODY
            j = int(self._down[b]) if b >= 0 else NOBODY
            if covers.is_local(i, j, self._signs):
                covers.prepare(i, j, used)
                local.append((i, j, u))
            else:
                terms.append((covers.everywhere(i, j), u))
        last_use = lines.next + len(local)
        written = []
        for i, j, u in local:
            written.append(covers.in_box(i, j, used, last_use))
            terms.append((written[-1], u))
        load = self._loads(terms)
        costs = self._cost[allowed].tolist()
        gains = [load.get(v, 0) - c for v, c in zip(self._literals(allowed), costs, strict=True)]
        theta = max(0, *gains) if gains else 0  # no room is left, so the size row pays for it
        parts = self._completed(terms, load, allowed, theta)
        line = self._conclude(parts)
        lines.forget(written)
        return line

    def _split(self, variables: list[int], low: Ints, high: Ints, spread: list[float], allowed: Flags) -> int:
        """Split the widest side of a box in two."""
        widths = [(float(b) - float(a)) * s for a, b, s in zip(low, high, spread, strict=True)]
        at = int(np.argmax(widths)) if widths else -1
        if at < 0 or not (high > low).any():
            raise VerificationError(
                f"the model of objective {self._best * self._program.unit + self._program.constant} "
                "is not the best: there is a better one, so there is no certificate"
            )
        if high[at] <= low[at]:
            at = int(np.flatnonzero(high > low)[0])
        feature = None if at >= len(self._signs) else self._features[list(self._signs)[at]]
        a, b = int(low[at]), int(high[at])
        if feature is not None and feature.value:
            return self._split_values(feature, a, b, allowed)
        lines, here, variable = self._lines, self._lines.here, variables[at]
        k, mark = _middle(a, b), here.mark
        lower = lines.assume("L", k, {variable: 1})
        here.cut_upper(variable, lower, k)
        first = (self._box(allowed), lower)
        here.back(mark)
        upper = lines.assume("G", k + 1, {variable: 1})
        here.raise_lower(variable, upper, k + 1)
        second = (self._box(allowed), upper)
        here.back(mark)
        lines.forget([lower, upper])
        return lines.close_branching(self._best, first, second)

    def _split_values(self, feature: FeatureVariables, low: int, high: int, allowed: Flags) -> int:
        """Split a set of values: none of the larger ones, or one of them."""
        lines, here = self._lines, self._lines.here
        sign = 1 if low > 0 else -1
        values = [v for v in feature.signed(sign) if low <= v <= high]
        middle = _middle(low, high)
        k = max([v for v in values[:-1] if v <= middle] or values[:1])
        above = [v for v in feature.signed(sign) if v > k]
        below = [v for v in feature.signed(sign) if v <= k]
        sums = {1: feature.positive_sum, -1: feature.negative_sum}
        total, other = {feature.value[v]: 1 for v in above}, sums[-sign]
        ends = {1: max(feature.of.values), -1: -min(feature.of.values)}
        mark, begin = here.mark, lines.next
        none = lines.assume("L", 0, total)
        for v in above:
            lines.bound_above(feature.value[v], [(none, -1)])
        parts = [(feature.value_sum, -1), (sums[sign], k)]
        if sign < 0 and other >= 0:
            parts.append((other, ends[1]))
        lines.bound_above(feature.points, parts)
        own = list(range(begin, lines.next))
        first = (self._box(allowed), none)
        here.back(mark)
        lines.forget(own)
        begin = lines.next
        some = lines.assume("G", 1, total)
        for v in below:
            lines.bound_above(feature.value[v], [(some, 1), (sums[sign], 1)])
        parts = [(feature.value_sum, 1), (sums[sign], -min(above))]
        if sign > 0 and other >= 0:
            parts.append((other, ends[-1]))
        lines.bound_below(feature.points, parts)
        own = list(range(begin, lines.next))
        second = (self._box(allowed), some)
        here.back(mark)
        lines.forget(own)
        return lines.close_branching(self._best, first, second)


def _middle(a: int, b: int) -> int:
    """The last whole number of the lower part of a range: at the geometric mean where it is long."""
    if a < 0 < b:
        return -1
    near, far = min(abs(a), abs(b)), max(abs(a), abs(b))
    middle = sqrt(max(near, 1) * far) if far > 2 * near else (near + far) / 2
    at = int(middle) if a >= 0 else -int(middle) - 1
    return max(a, min(b - 1, at))

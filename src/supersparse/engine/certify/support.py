"""SupportProver: closes one support, over all points that its features can have.

`BoundWriter` writes what covers prove at the present place, through compiled code. Where pairs of cells do not suffice,
quadruples often do: if x_a + x_b <= x_c + x_d in every direction that the points of a box can have, then the totals of
a and b add up to no more than those of c and d, so one of the four is on the wrong side of the threshold. A linear
program finds their multipliers. They are only a proposal: what is written is checked exactly.
"""

from collections.abc import Callable

import numpy as np

from supersparse.base.errors import VerificationError
from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.certify.derivation import (
    BETTER,
    CLOSED,
    COVERS,
    FRAME,
    LINE,
    OPEN,
    PAUSED,
    Cells,
    Combination,
    CoverTable,
    Facts,
    SupportTask,
    cells_of,
    close_by,
    in_rows,
    middle,
    move_covers,
    prove_boxes,
    write_dropped,
)
from supersparse.engine.certify.lines import ENOUGH_TEXT, Content, Lines, least_cost
from supersparse.engine.certify.program import FeatureVariables, Program
from supersparse.engine.core import struct
from supersparse.engine.exact.tree_data import group_rows

_NO_DROP = np.zeros(0, np.int64)


class BoundWriter:
    """Writes bounds, and keeps the covers that hold everywhere to use them again."""

    def __init__(self, facts: Facts, lines: Lines) -> None:
        self._facts = facts
        self.facts_struct = struct(facts)
        self._lines = lines
        room = 2**16 + 8 * len(facts.row_line)
        self.kept = _open(room)

    def close(self, members: Ints, uses: Ints, allowed: Flags, cost: Ints, theta: int) -> int:
        """Write objective >= best from covers times multipliers; return the line.

        θ is the multiplier of the size row, or -1 for the one that is needed.
        """
        line, _ = self.write(members, uses, allowed, cost, theta, _NO_DROP)
        return line

    def write(
        self, members: Ints, uses: Ints, allowed: Flags, cost: Ints, theta: int, dropped: Ints
    ) -> tuple[int, int]:
        """Write a bound, see `write_bound`; return its line and value."""
        lines = self._lines
        self.make_room(len(members))
        combination = Combination(members, uses, allowed, cost, theta, dropped)
        state, bound = close_by(self.facts_struct, lines.here_struct, combination, self.kept, lines.text, lines.at)
        if state != CLOSED:
            raise VerificationError(
                f"a bound of {bound} was derived where {self._facts.best} was claimed", "please report this"
            )
        lines.flush_if_long()
        return lines.next - 1, bound

    def drop(self, line: int, reduced: Ints) -> list[tuple[int, int]]:
        """Write literal <= 0 for each literal of a line Σ reduced·literal <= rest: (variable, line)."""
        lines = self._lines
        first = lines.next
        write_dropped(self.facts_struct, lines.here_struct, line, reduced, lines.text, lines.at)
        lines.flush_if_long()
        variables = self._facts.literal[np.flatnonzero(reduced)].tolist()
        return list(zip(variables, range(first, int(lines.at[LINE])), strict=True))

    def make_room(self, more: int) -> None:
        """Enlarge the table of covers before it is half full."""
        old = self.kept
        if 2 * (int(self._lines.at[COVERS]) + more) < len(old.key):
            return
        self.kept = _open(4 * (len(old.key) + more))
        move_covers(old, self.kept)


def _open(room: int) -> CoverTable:
    return CoverTable(np.full(room, -1, np.int64), np.zeros(room, np.int64))


_MOST_CELLS = 120  # of a class: the number of quadruples grows with its square, on both sides
_ROUNDS = 30
_A_ROUND = 400  # quadruples that are added at a time
_TOLERANCE = 1e-7


def quadruples(cells: Cells, low: Ints, high: Ints, gap: int, need: int) -> tuple[Ints, Ints] | None:
    """Find multipliers of at least `need` in all: cells (positive, negative, positive, negative), or -1.

    None if there are none, or too many cells to look.
    """
    n_up, n_down = len(cells.up_weight), len(cells.down_weight)
    if not 0 < n_up <= _MOST_CELLS or not 0 < n_down <= _MOST_CELLS:
        return None
    if min(int(cells.up_weight.sum()), int(cells.down_weight.sum())) < need:
        return None
    up, up_x = _sums(cells.up_x)
    down, down_x = _sums(cells.down_x)
    conflicts = [_conflicts(x, down_x, low, high, gap) for x in up_x]
    weights = np.concatenate([cells.up_weight, cells.down_weight]).astype(float)
    rows = [
        (a, n_up + c, a, n_up + c)
        for t, (a, b) in enumerate(up.tolist())
        for c, d in down[conflicts[t]].tolist()
        if a == b and c == d
    ]
    for _ in range(_ROUNDS):
        total, z, u = _program(rows, weights)
        if total >= need - 0.5:
            return _rounded(rows, u, n_up, need, cells)
        z_up, z_down = _half(z[:n_up], up), _half(z[n_up:], down)
        new = []
        for t, conflict in enumerate(conflicts):
            if len(conflict):
                worst = conflict[np.argmin(z_down[conflict])]
                lack = z_up[t] + z_down[worst]
                if lack < 1 - _TOLERANCE:
                    new.append((lack, t, int(worst)))
        if not new:
            return None
        for _, t, s in sorted(new)[:_A_ROUND]:
            rows.append((int(up[t, 0]), n_up + int(down[s, 0]), int(up[t, 1]), n_up + int(down[s, 1])))
    return None


def _sums(x: Ints) -> tuple[Ints, Ints]:
    """All pairs of cells, one with itself included, and their sums."""
    first, second = np.triu_indices(len(x))
    return np.stack([first, second], axis=1), x[first] + x[second]


def _conflicts(x: Ints, others: Ints, low: Ints, high: Ints, gap: int) -> Ints:
    """Which sums of negatives cannot be exceeded enough by a sum of positives, anywhere in the box."""
    d = x - others
    most = np.where(d > 0, d * high, d * low).sum(axis=1)
    return np.flatnonzero(most < 2 * gap)


def _half(z: Floats, pairs: Ints) -> Floats:
    """The part that two cells have in a cover; a cell that stands twice counts once."""
    total: Floats = z[pairs].sum(axis=1)
    return np.where(pairs[:, 0] == pairs[:, 1], total / 2, total)


def _program(rows: list[tuple[int, int, int, int]], weights: Floats) -> tuple[float, Floats, Floats]:
    """Minimise the weight of wrong cells such that each cover has one: (minimum, z, multipliers)."""
    if not rows:
        return 0.0, np.zeros(len(weights)), np.zeros(0)
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    distinct = [sorted(set(row)) for row in rows]
    at = np.repeat(np.arange(len(rows)), [len(row) for row in distinct])
    cells = np.concatenate([np.array(row) for row in distinct])
    covers = csr_matrix((np.ones(len(cells)), (at, cells)), shape=(len(rows), len(weights)))
    outcome = linprog(weights, A_ub=-covers, b_ub=-np.ones(len(rows)), bounds=(0, None), method="highs")
    if outcome.x is None:
        return 0.0, np.zeros(len(weights)), np.zeros(len(rows))
    return float(outcome.fun), outcome.x, -outcome.ineqlin.marginals


def _rounded(
    rows: list[tuple[int, int, int, int]], u: Floats, n_up: int, need: int, cells: Cells
) -> tuple[Ints, Ints] | None:
    """Whole multipliers within the weights; None if they no longer suffice."""
    left = np.concatenate([cells.up_weight, cells.down_weight])
    chosen, whole = [], []
    for k in np.argsort(-u).tolist():
        row = rows[k]
        t = min(int(np.floor(u[k] + 1e-6)), *(int(left[cell]) for cell in row))
        if t <= 0:
            continue
        left[list(set(row))] -= t
        a, c, b, d = row
        is_pair = a == b and c == d
        chosen.append((a, c - n_up, -1 if is_pair else b, -1 if is_pair else d - n_up))
        whole.append(t)
    if sum(whole) < need:
        return None
    return np.array(chosen, np.int64).reshape(-1, 4), np.array(whole, np.int64)


class SupportProver:
    """Writes the derivation for the support in use at the present place."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        lines: Lines,
        bounds: BoundWriter,
        cost: Ints,
        check_in: Callable[[], None],
    ) -> None:
        self._program = program
        self._facts = facts
        self._lines = lines
        self._bounds = bounds
        self._cost = cost
        self._check_in = check_in
        self._weights = np.ascontiguousarray(facts.objective[facts.first_z :])
        ranks = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in facts.x.T]
        self._ranks = np.array(ranks, np.int32).reshape(len(ranks), -1)
        self._n_ranks = np.asarray(self._ranks.max(axis=1, initial=0) + 1, np.int64)
        self._spread = np.ptp(facts.x, axis=0).astype(float)
        self._has_range = program.statement.intercept == "range"

    def close(self, allowed: Flags) -> int:
        """Close the present support; no further literal can be used. Return the line that does."""
        self._check_in()
        program, facts = self._program, self._facts
        support = np.flatnonzero(self._lines.here.used)
        variables, spread = facts.points[support], self._spread[support]
        x = facts.x[:, support]
        if self._has_range:
            variables = np.append(variables, program.threshold)
            spread = np.append(spread, 0.7 * program.step)
            x = np.hstack([x, np.full((len(x), 1), program.step)])
        cell, _ = group_rows(self._ranks, self._n_ranks, support)
        is_free = program.statement.intercept == "free"
        cells = cells_of(cell, np.ascontiguousarray(x), facts.sign, self._weights, is_free)
        place = _Place(cells=cells, variables=variables, spread=spread, allowed=allowed)
        if any(program.features[f].value for f in support.tolist()):
            return self._values(place)
        return self._boxes(place)

    def _boxes(self, place: "_Place") -> int:
        """Close the present box by boxes; first try whether quadruples close it whole."""
        low, high = place.ends(self._lines)
        widths = sum(2 * width.bit_length() + 8 for width in (high - low).tolist())
        place.frames, place.depth = np.zeros((widths + 8, FRAME), np.int64), np.zeros(1, np.int64)
        state = self._run(place, single=True)
        if state == OPEN and self._close_by_quadruples(place):
            state = CLOSED
        while state in (OPEN, PAUSED):
            state = self._run(place, single=False)
        return self._finished(state)

    def _finished(self, state: int) -> int:
        if state == BETTER:
            raise VerificationError(
                f"the model of objective {self._facts.best * self._program.unit + self._program.constant} "
                "is not the best: there is a better one, so there is no certificate"
            )
        if state != CLOSED:
            raise VerificationError("a cover is weaker than its derivation claims", "please report this")
        return self._lines.next - 1

    def _run(self, place: "_Place", *, single: bool) -> int:
        """Work on the present box until it is closed or the text is long."""
        self._check_in()
        program, lines = self._program, self._lines
        lines.flush_if_long()
        self._bounds.make_room(len(self._weights))
        cost = self._costs_here()
        support = SupportTask(
            place.cells,
            place.variables,
            place.spread,
            place.allowed,
            cost,
            self._fixed(cost),
            program.gap,
            program.statement.intercept != "free",
        )
        return prove_boxes(
            self._bounds.facts_struct,
            lines.here_struct,
            support,
            single,
            place.frames,
            place.depth,
            self._bounds.kept,
            lines.text,
            lines.at,
            ENOUGH_TEXT,
        )

    def _costs_here(self) -> Ints:
        """The least cost of each literal within the present box."""
        cost, here = self._cost, self._lines.here
        for f in np.flatnonzero(here.used).tolist():
            feature, sign = self._program.features[f], int(here.used[f])
            if feature.value:
                if cost is self._cost:
                    cost = cost.copy()
                box = int(here.lower[feature.points]), int(here.upper[feature.points])
                cost[2 * f + (sign < 0)] = least_cost(self._program, feature, sign, *box)
        return cost

    def _fixed(self, cost: Ints) -> int:
        used = self._lines.here.used
        at = np.flatnonzero(used)
        return int(cost[2 * at + (used[at] < 0)].sum())

    def _close_by_quadruples(self, place: "_Place") -> bool:
        """Close the present box by pairs and quadruples of cells, if they suffice."""
        program, cost = self._program, self._costs_here()
        low, high = place.ends(self._lines)
        need = self._facts.best - self._fixed(cost) - int(place.cells.base)
        closing = quadruples(place.cells, low, high, program.gap, need)
        if closing is None:
            return False
        members, uses = in_rows(place.cells, *closing)
        self._bounds.close(members, uses, place.allowed, cost, -1)
        return True

    # --- sets of values with gaps, or with penalties of their own ---

    def _values(self, place: "_Place") -> int:
        """Close the present box, in which some feature has a binary for each of its values."""
        place.frames, place.depth = np.zeros((2, FRAME), np.int64), np.zeros(1, np.int64)
        state = self._run(place, single=True)
        if state != OPEN:
            return self._finished(state)
        low, high = place.ends(self._lines)
        widths = (high - low) * place.spread
        if not (high > low).any():
            return self._finished(BETTER)
        at = int(np.argmax(np.where(high > low, widths, -1)))
        a, b = int(low[at]), int(high[at])
        support = np.flatnonzero(self._lines.here.used)
        if at < len(support) and self._program.features[support[at]].value:
            return self._split_values(self._program.features[support[at]], a, b, place)
        lines, variable = self._lines, int(place.variables[at])
        k, mark = middle(a, b), lines.mark
        lower = lines.assume("L", k, {variable: 1})
        lines.cut_upper(variable, lower, k)
        first = (self._values(place), lower)
        lines.back(mark)
        upper = lines.assume("G", k + 1, {variable: 1})
        lines.raise_lower(variable, upper, k + 1)
        second = (self._values(place), upper)
        lines.back(mark)
        return lines.close_branching(self._facts.best, first, second)

    def _split_values(self, feature: FeatureVariables, low: int, high: int, place: "_Place") -> int:
        """Split a set of values: none of the larger ones, or one of them."""
        lines = self._lines
        sign = 1 if low > 0 else -1
        values = [v for v in feature.signed(sign) if low <= v <= high]
        at = middle(low, high)
        k = max([v for v in values[:-1] if v <= at] or values[:1])
        above = [v for v in feature.signed(sign) if v > k]
        below = [v for v in feature.signed(sign) if v <= k]
        sums = {1: feature.positive_sum, -1: feature.negative_sum}
        total, other = {feature.value[v]: 1 for v in above}, sums[-sign]
        ends = {1: max(feature.of.values), -1: -min(feature.of.values)}
        mark = lines.mark
        none = lines.assume("L", 0, total)
        known: dict[int, Content] = {none: (0, total)}
        for v in above:
            lines.bound_above(feature.value[v], [(none, -1)], known)
        parts = [(feature.value_sum, -1), (sums[sign], k)]
        if sign < 0 and other >= 0:
            parts.append((other, ends[1]))
        lines.bound_above(feature.points, parts)
        first = (self._values(place), none)
        lines.back(mark)
        some = lines.assume("G", 1, total)
        known = {some: (1, total)}
        for v in below:
            lines.bound_above(feature.value[v], [(some, 1), (sums[sign], 1)], known)
        parts = [(feature.value_sum, 1), (sums[sign], -min(above))]
        if sign > 0 and other >= 0:
            parts.append((other, ends[-1]))
        lines.bound_below(feature.points, parts)
        second = (self._values(place), some)
        lines.back(mark)
        return lines.close_branching(self._facts.best, first, second)


class _Place:
    """A support being closed: its cells, the variables of its points, and the boxes under way."""

    def __init__(self, *, cells: Cells, variables: Ints, spread: Floats, allowed: Flags) -> None:
        self.cells = cells
        self.variables = variables
        self.spread = spread
        self.allowed = allowed
        self.frames = np.zeros((0, FRAME), np.int64)
        self.depth = np.zeros(1, np.int64)

    def ends(self, lines: Lines) -> tuple[Ints, Ints]:
        return lines.here.lower[self.variables], lines.here.upper[self.variables]

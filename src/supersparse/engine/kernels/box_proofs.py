"""Proofs over boxes of points on one support: match cells in conflict, write their covers, or split.

Rows that agree on the support form a cell. Rows of both classes in one cell are in conflict whatever the
points, so they are paired first; what is left of a cell is of one class. A box is closed by a matching of
positive with negative cells that cannot both be right in it.
"""

from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.kernels.cover_proofs import BETTER, CLOSED, OPEN, PAUSED, close_by
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.proof_lines import (
    COVERS,
    LINE,
    POSITION,
    Bytes,
    Combination,
    CoverTable,
    Facts,
    PlaceBounds,
    assume,
    close_branching,
)
from supersparse.engine.kernels.sorting import order_of

STATE, SIDE, SPLIT, ASSUMED, FIRST_LINE, FIRST_ASSUMED, OLD_LINE, OLD_VALUE = range(8)
FRAME = 8  # numbers that a box under way needs, besides its bounds
_NO_DROP = np.zeros(0, np.int64)


class Cells(NamedTuple):
    """The cells of a support with weight left, positive ones and negative ones, and the rows behind them."""

    up_x: Ints  # (cells, dimensions)
    down_x: Ints
    up_weight: Ints
    down_weight: Ints
    up_start: Ints  # where the rows of each cell begin in `up_row`
    up_row: Ints
    down_start: Ints
    down_row: Ints
    left: Ints  # of each row's weight, after the pairs below
    pairs: Ints  # (pairs, 2): rows of both classes in one cell
    pair_u: Ints
    base: int  # Σ pair_u


@kernel()
def cells_of(cell: Ints, x: Ints, sign: Ints, weight: Ints, is_free: bool) -> Cells:
    """Merge rows into cells; `x` holds the dimensions of the support for every row.

    With a free threshold, the two classes of a cell are paired off. Otherwise both may be wrong, at a score
    of 0, so nothing is paired off before the box is known.
    """
    order = order_of(cell)
    n = len(x)
    left = weight.copy()
    pairs, u, n_pairs, base = np.empty((n, 2), np.int64), np.empty(n, np.int64), 0, np.int64(0)
    begin = 0 if is_free else n
    while begin < n:
        end = begin
        while end < n and cell[order[end]] == cell[order[begin]]:
            end += 1
        a, b = begin, begin
        while True:
            while a < end and (sign[order[a]] < 0 or left[order[a]] == 0):
                a += 1
            while b < end and (sign[order[b]] > 0 or left[order[b]] == 0):
                b += 1
            if a == end or b == end:
                break
            i, j = order[a], order[b]
            t = min(left[i], left[j])
            left[i] -= t
            left[j] -= t
            pairs[n_pairs, 0], pairs[n_pairs, 1], u[n_pairs] = i, j, t
            n_pairs += 1
            base += t
        begin = end
    up_x, up_weight, up_start, up_row = cells_on_one_side(order, cell, x, left, sign, 1)
    down_x, down_weight, down_start, down_row = cells_on_one_side(order, cell, x, left, sign, -1)
    return Cells(
        up_x, down_x, up_weight, down_weight, up_start, up_row, down_start, down_row, left,
        pairs[:n_pairs].copy(), u[:n_pairs].copy(), base,
    )  # fmt: skip


@kernel()
def cells_on_one_side(
    order: Ints, cell: Ints, x: Ints, left: Ints, sign: Ints, side: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """The cells with weight left in one class: x, weight, and their rows."""
    n_cells, n_rows, last = 0, 0, np.int64(-1)
    for r in order:
        if sign[r] == side and left[r] > 0:
            n_rows += 1
            n_cells += cell[r] != last
            last = cell[r]
    k = x.shape[1]
    of_x, weight = np.empty((n_cells, k), np.int64), np.zeros(n_cells, np.int64)
    start, rows = np.zeros(n_cells + 1, np.int64), np.empty(n_rows, np.int64)
    n, t, last = 0, 0, np.int64(-1)
    for r in order:
        if sign[r] != side or left[r] == 0:
            continue
        if cell[r] != last:
            last = cell[r]
            start[n] = t
            for f in range(k):
                of_x[n, f] = x[r, f]
            n += 1
        weight[n - 1] += left[r]
        rows[t] = r
        t += 1
    start[n_cells] = t
    return of_x, weight, start, rows


@kernel()
def most_difference(x: Ints, other: Ints, low: Ints, high: Ints) -> int:
    """The largest Σ λ·(x - other) over a box."""
    total = np.int64(0)
    for f in range(len(x)):
        d = x[f] - other[f]
        total += high[f] * d if d > 0 else low[f] * d
    return total


@kernel()
def matched(
    cells: Cells, low: Ints, high: Ints, gap: int, alone: bool, enough: int, found: Ints, u: Ints
) -> tuple[int, int]:
    """Match cells in conflict; return (total weight, number) and fill (positive, negative, -1, -1) and u.

    Both right needs totals that differ by `gap`. With `alone`, a cell that is wrong everywhere in the box
    pays alone. Stops once the total reaches `enough`.
    """
    n_up, n_down, k = len(cells.up_weight), len(cells.down_weight), len(low)
    left_up, left_down = cells.up_weight.copy(), cells.down_weight.copy()
    total, n = np.int64(0), 0
    if alone:
        origin = np.zeros(k, np.int64)
        for i in range(n_up):
            if total < enough and most_difference(cells.up_x[i], origin, low, high) < 1:
                found[n, 0], found[n, 1], found[n, 2], found[n, 3], u[n] = i, -1, -1, -1, left_up[i]
                total += left_up[i]
                left_up[i] = 0
                n += 1
        for j in range(n_down):
            if total < enough and most_difference(origin, cells.down_x[j], low, high) < 1:
                found[n, 0], found[n, 1], found[n, 2], found[n, 3], u[n] = -1, j, -1, -1, left_down[j]
                total += left_down[j]
                left_down[j] = 0
                n += 1
    up_score, down_score = np.zeros(n_up, np.int64), np.zeros(n_down, np.int64)
    for f in range(k):
        for i in range(n_up):
            up_score[i] -= (low[f] + high[f]) * cells.up_x[i, f]
        for j in range(n_down):
            down_score[j] += (low[f] + high[f]) * cells.down_x[j, f]
    up, down = order_of(up_score), order_of(down_score)  # falling, rising
    begin = n_up
    rest = np.int64(0)
    for j in range(n_down):
        rest += left_down[j]
    for j in down:
        if total >= enough or total + rest < enough:
            break
        rest -= left_down[j]
        if left_down[j] == 0:
            continue
        while begin > 0 and -up_score[up[begin - 1]] < down_score[j] + 2 * gap:
            begin -= 1
        for a in range(begin, n_up):
            i = up[a]
            if left_up[i] > 0 and most_difference(cells.up_x[i], cells.down_x[j], low, high) < gap:
                t = min(left_up[i], left_down[j])
                left_up[i] -= t
                left_down[j] -= t
                total += t
                found[n, 0], found[n, 1], found[n, 2], found[n, 3], u[n] = i, j, -1, -1, t
                n += 1
                if left_down[j] == 0 or total >= enough:
                    break
    return total, n


@kernel()
def in_rows(cells: Cells, found: Ints, u: Ints) -> tuple[Ints, Ints]:
    """Turn multipliers of cells (positive, negative, positive, negative) into multipliers of rows."""
    room = len(cells.pairs) + 4 * len(found) + len(cells.up_row) + len(cells.down_row)
    members, of_rows = np.full((room, 4), -1, np.int64), np.empty(room, np.int64)
    n = len(cells.pairs)
    for k in range(n):
        members[k, 0], members[k, 1], of_rows[k] = cells.pairs[k, 0], cells.pairs[k, 1], cells.pair_u[k]
    left = cells.left.copy()
    up_at, down_at = cells.up_start[:-1].copy(), cells.down_start[:-1].copy()
    for k in range(len(found)):
        missing = u[k]
        while missing > 0:
            t = missing
            for m in range(4):
                if found[k, m] < 0:
                    continue
                place, row = (up_at, cells.up_row) if m % 2 == 0 else (down_at, cells.down_row)
                while left[row[place[found[k, m]]]] == 0:
                    place[found[k, m]] += 1
                members[n, m] = row[place[found[k, m]]]
                t = min(t, left[members[n, m]])
            for m in range(4):
                if members[n, m] >= 0 and (m < 2 or members[n, m] != members[n, m - 2]):
                    left[members[n, m]] -= t
            of_rows[n] = t
            missing -= t
            n += 1
    return members[:n], of_rows[:n]


@kernel()
def middle(a: int, b: int) -> int:
    """The last whole number of the lower part of a range: at the geometric mean where it is long."""
    if a < 0 < b:
        return -1
    near, far = min(abs(a), abs(b)), max(abs(a), abs(b))
    at = np.sqrt(float(max(near, 1)) * float(far)) if far > 2 * near else 0.5 * (near + far)
    whole = np.int64(at) if a >= 0 else -np.int64(at) - 1
    return max(a, min(b - 1, whole))


class SupportTask(NamedTuple):
    """One support to prove: its cells, its points, and what every model on it pays."""

    cells: Cells
    variables: Ints  # of the points
    spread: Floats  # how far a unit of each moves the totals
    allowed: Flags
    cost: Ints  # the least cost of each literal
    fixed: int  # what every model on the support pays for its literals
    gap: int  # between the totals of a positive and a negative row, both right
    alone: bool  # whether a row can be wrong by itself


@kernel()
def prove_boxes(
    facts: Facts, standing: PlaceBounds, support: SupportTask, single: bool, frames: Ints, depth: Ints,
    kept: CoverTable, text: Bytes, at: Ints, enough_text: int,
) -> tuple[Bytes, int]:  # fmt: skip
    """Close the present box, or split it on and on; return the text and CLOSED once the whole box is closed.

    PAUSED asks the caller to take the text and call again; OPEN (with `single`) means that the box must be
    split; BETTER that a better model exists.
    """
    cells, variables = support.cells, support.variables
    k = len(variables)
    room = len(cells.up_weight) + len(cells.down_weight) + 1
    found, u = np.empty((room, 4), np.int64), np.empty(room, np.int64)
    low, high = np.empty(k, np.int64), np.empty(k, np.int64)
    while depth[0] >= 0:
        frame = frames[depth[0]]
        if frame[STATE] == 0:
            if at[POSITION] > enough_text or 2 * at[COVERS] > len(kept.key):
                return text, PAUSED
            for f in range(k):
                low[f], high[f] = standing.lower[variables[f]], standing.upper[variables[f]]
            need = facts.best - support.fixed - cells.base
            total, n = matched(cells, low, high, support.gap, support.alone, need, found, u)
            if total >= need:
                members, of_rows = in_rows(cells, found[:n], u[:n])
                combination = Combination(members, of_rows, support.allowed, support.cost, -1, _NO_DROP)
                text, state, _ = close_by(facts, standing, combination, kept, text, at)
                if state != CLOSED:
                    return text, state
                depth[0] -= 1
                continue
            if single:
                return text, OPEN
            side, widest = -1, -1.0
            for f in range(k):
                width = float(high[f] - low[f]) * support.spread[f]
                if high[f] > low[f] and width > widest:
                    side, widest = f, width
            if side < 0:
                return text, BETTER
            v = variables[side]
            frame[STATE], frame[SIDE], frame[SPLIT] = 1, v, middle(low[side], high[side])
            frame[ASSUMED] = at[LINE]
            frame[OLD_LINE], frame[OLD_VALUE] = standing.upper_line[v], standing.upper[v]
            text = assume(text, at, True, frame[SPLIT], v)
            standing.upper_line[v], standing.upper[v] = frame[ASSUMED], frame[SPLIT]
        elif frame[STATE] == 1:
            v = frame[SIDE]
            standing.upper_line[v], standing.upper[v] = frame[OLD_LINE], frame[OLD_VALUE]
            frame[FIRST_LINE], frame[FIRST_ASSUMED] = at[LINE] - 1, frame[ASSUMED]
            frame[STATE], frame[ASSUMED] = 2, at[LINE]
            frame[OLD_LINE], frame[OLD_VALUE] = standing.lower_line[v], standing.lower[v]
            text = assume(text, at, False, frame[SPLIT] + 1, v)
            standing.lower_line[v], standing.lower[v] = frame[ASSUMED], frame[SPLIT] + 1
        else:
            v = frame[SIDE]
            standing.lower_line[v], standing.lower[v] = frame[OLD_LINE], frame[OLD_VALUE]
            text = close_branching(
                text, at, facts.best, frame[FIRST_LINE], frame[FIRST_ASSUMED], at[LINE] - 1, frame[ASSUMED]
            )
            depth[0] -= 1
            continue
        depth[0] += 1
        frames[depth[0], STATE] = 0
    return text, CLOSED

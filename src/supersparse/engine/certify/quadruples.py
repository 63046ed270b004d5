"""Quadruples: two positive and two negative cells that cannot all be right, where pairs do not suffice.

If x_a + x_b <= x_c + x_d in every direction that the points of a box can have, then the totals of a and b add
up to no more than those of c and d, so one of the four is on the wrong side of the threshold. Pairs
see only a single positive below a single negative: where no pair is in conflict, quadruples often are.
A linear program finds the multipliers. They are only a proposal: what is written is checked exactly.
"""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels.box_proofs import Cells

Ints = NDArray[np.int64]

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


def _half(z: NDArray[np.float64], pairs: Ints) -> NDArray[np.float64]:
    """The part that two cells have in a cover; a cell that stands twice counts once."""
    total: NDArray[np.float64] = z[pairs].sum(axis=1)
    return np.where(pairs[:, 0] == pairs[:, 1], total / 2, total)


def _program(
    rows: list[tuple[int, int, int, int]], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Minimise the weight of wrong cells such that each cover has one: (minimum, z, multipliers)."""
    if not rows:
        return 0.0, np.zeros(len(weights)), np.zeros(0)
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    distinct = [sorted(set(row)) for row in rows]
    at = np.repeat(np.arange(len(rows)), [len(row) for row in distinct])
    cells = np.concatenate([np.array(row) for row in distinct])
    covers = csr_matrix((np.ones(len(cells)), (at, cells)), shape=(len(rows), len(weights)))
    found = linprog(weights, A_ub=-covers, b_ub=-np.ones(len(rows)), bounds=(0, None), method="highs")
    if found.x is None:
        return 0.0, np.zeros(len(weights)), np.zeros(len(rows))
    return float(found.fun), found.x, -found.ineqlin.marginals


def _rounded(
    rows: list[tuple[int, int, int, int]], u: NDArray[np.float64], n_up: int, need: int, cells: Cells
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

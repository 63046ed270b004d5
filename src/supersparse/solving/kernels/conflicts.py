"""Conflicts within a box of coefficients, listed: the pairs of rows that a certificate derives one by one."""

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.kernels.jit import kernel
from supersparse.solving.kernels.sorting import order_of

Ints = NDArray[np.int64]


@kernel()
def most_difference(d: Ints, low: Ints, high: Ints) -> int:
    """The largest Σ_f λ_f·d_f with each λ_f between its bounds."""
    total = np.int64(0)
    for f in range(len(d)):
        total += high[f] * d[f] if d[f] > 0 else low[f] * d[f]
    return total


@kernel()
def matched_conflicts(
    up_x: Ints,
    down_x: Ints,
    up_weight: Ints,
    down_weight: Ints,
    low: Ints,
    high: Ints,
    gap: int,
    alone: bool,
    enough: int,
) -> tuple[int, Ints, Ints, Ints]:
    """Match positive with negative rows that cannot both be right; return (total, positive, negative, u).

    Both right needs a difference of totals of at least `gap`. With `alone`, a row that is wrong everywhere in
    the box pays alone; its partner is -1. Stops once the total reaches `enough`.
    """
    n_up, n_down, k = len(up_x), len(down_x), up_x.shape[1]
    left_up, left_down = up_weight.copy(), down_weight.copy()
    room = n_up + n_down + 1
    first, second, u = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    n, total = 0, np.int64(0)
    d = np.empty(k, np.int64)
    if alone:
        for i in range(n_up):
            if total < enough and left_up[i] > 0 and most_difference(up_x[i], low, high) < 1:
                first[n], second[n], u[n] = i, -1, left_up[i]
                total += left_up[i]
                left_up[i] = 0
                n += 1
        for j in range(n_down):
            for f in range(k):
                d[f] = -down_x[j, f]
            if total < enough and left_down[j] > 0 and most_difference(d, low, high) < 1:
                first[n], second[n], u[n] = -1, j, left_down[j]
                total += left_down[j]
                left_down[j] = 0
                n += 1
    up_score, down_score = np.zeros(n_up, np.int64), np.zeros(n_down, np.int64)
    for f in range(k):
        for i in range(n_up):
            up_score[i] -= (low[f] + high[f]) * up_x[i, f]
        for j in range(n_down):
            down_score[j] += (low[f] + high[f]) * down_x[j, f]
    up, down = order_of(up_score), order_of(down_score)  # falling, rising
    begin = n_up
    for j in down:
        if total >= enough:
            break
        if left_down[j] == 0:
            continue
        while begin > 0 and -up_score[up[begin - 1]] < down_score[j] + 2 * gap:
            begin -= 1
        for a in range(begin, n_up):
            i = up[a]
            if left_up[i] == 0:
                continue
            for f in range(k):
                d[f] = up_x[i, f] - down_x[j, f]
            if most_difference(d, low, high) < gap:
                taken = min(left_up[i], left_down[j])
                left_up[i] -= taken
                left_down[j] -= taken
                total += taken
                first[n], second[n], u[n] = i, j, taken
                n += 1
                if left_down[j] == 0 or total >= enough:
                    break
    return total, first[:n], second[:n], u[:n]

"""The box search in plain Python: the reference for the compiled one, with logging.

It visits the same boxes in the same order as `kernels.boxes.run_boxes`, in readable steps.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.exact.literals import Literals
from supersparse.engine.exact.log import BoxPruned, BoxSplit, VectorEvaluated
from supersparse.engine.kernels.boxes import DONE, FOUND, FULL, PAUSED
from supersparse.engine.kernels.calls import (
    evaluate_vector,
    least_fixed_cost,
    least_l1,
    magnitude,
    split_at,
    widest,
)
from supersparse.engine.kernels.support import SupportData

Ints = NDArray[np.int64]
Log = Callable[[object], None]
Matches = list[tuple[int, int, int]]


def loss_bound_reference(
    data: SupportData, low: Ints, high: Ints
) -> tuple[int, Matches, list[tuple[int, int]]]:
    """Match conflicting cells greedily; return (bound, matches, single cells), cells by index.

    The bound of `kernels.box_bounds.loss_bound`, computed to the end instead of until it suffices.
    """
    k = len(data.first)
    A = np.array([magnitude(data, f, low[f]) for f in range(k)])
    B = np.array([magnitude(data, f, high[f]) for f in range(k)])
    slack = data.slack * int(B.sum())
    left_up, left_down = data.up_weight.copy(), data.down_weight.copy()
    single = []
    if len(data.intercepts):
        b_low, b_high = int(data.intercepts[low[k]]), int(data.intercepts[high[k]])
        loose = slack + data.slack * max(abs(b_low), abs(b_high))
        highest = np.maximum(B * data.up_x, A * data.up_x).sum(axis=1) + b_high * data.step + loose
        lowest = np.minimum(B * data.down_x, A * data.down_x).sum(axis=1) + b_low * data.step - loose
        for i in np.flatnonzero(highest <= 0):
            single.append((int(i), int(left_up[i])))
            left_up[i] = 0
        for j in np.flatnonzero(lowest >= 0):
            single.append((-1 - int(j), int(left_down[j])))
            left_down[j] = 0
    up_score, down_score = data.up_x @ (A + B), data.down_x @ (A + B)
    up_order = np.argsort(-up_score, kind="stable")
    matches: Matches = []
    for j in np.argsort(down_score, kind="stable"):
        for i in up_order:
            if left_down[j] == 0:
                break
            if left_up[i] == 0:
                continue
            d = data.up_x[i] - data.down_x[j]
            if np.maximum(B * d, A * d).sum() + slack <= (0 if data.slack or data.half else 1):
                u = min(int(left_up[i]), int(left_down[j]))
                left_up[i] -= u
                left_down[j] -= u
                matches.append((int(i), int(j), u))
    total = sum(u for *_, u in matches) + sum(w for _, w in single)
    return total, matches, single


def run_boxes_reference(
    data: SupportData,
    stack: Ints,
    top: int,
    cut: int,
    best_l1: int,
    ties: bool,
    budget: int,
    hit: Ints,
    *,
    literals: Literals,
    rows: tuple[Ints, Ints],
    log: Log,
) -> tuple[int, int, int]:
    """Do the same as `run_boxes`, and report every box to `log`; `rows` are the rows of the cells."""
    k = len(data.first)
    for spent in range(1, budget + 1):
        if top == 0:
            return DONE, top, spent - 1
        if top == len(stack):
            return FULL, top, spent - 1
        top -= 1
        low, high = stack[top, 0].copy(), stack[top, 1].copy()
        l1 = int(least_l1(data, low, high))
        if ties and l1 >= best_l1:
            continue
        fixed = int(least_fixed_cost(data, low, high))
        shown_low, shown_high = _values(data, low), _values(data, high)
        bound, matches, single = loss_bound_reference(data, low, high)
        if fixed + bound > cut:
            log(
                BoxPruned(
                    literals=literals,
                    low=shown_low,
                    high=shown_high,
                    fixed_cost=fixed,
                    bound=fixed + bound,
                    cut=cut,
                    matched=tuple((int(rows[0][i]), int(rows[1][j]), u) for i, j, u in matches),
                    single=tuple(
                        (int(rows[0][c]) if c >= 0 else int(rows[1][-1 - c]), weight) for c, weight in single
                    ),
                )
            )
            continue
        if (low[:k] == high[:k]).all():
            if data.slack:
                hit[:k] = low[:k]
                return FOUND, top, spent
            vector = np.array(shown_low[:k], np.int64)
            loss, b = evaluate_vector(data, vector, low[-1], high[-1])
            extra = 0 if data.is_flat else sum(int(data.magnitude_extra[f, low[f]]) for f in range(k))
            cost = data.fixed_cost - data.base_loss + extra + data.l1_penalty * int(vector.sum()) + int(loss)
            log(VectorEvaluated(literals=literals, magnitudes=shown_low[:k], cost=cost, intercept=int(b)))
            if cost <= cut and (not ties or int(vector.sum()) + data.counts_b * abs(int(b)) < best_l1):
                hit[:k], hit[k] = low[:k], b
                return FOUND, top, spent
            continue
        d = int(widest(data, low, high))
        at = int(split_at(data, d, low[d], high[d]))
        log(BoxSplit(literals=literals, low=shown_low, high=shown_high, dimension=d, last_of_lower=at))
        stack[top, 0], stack[top, 1] = low, high
        stack[top, 0, d] = at + 1
        stack[top + 1, 0], stack[top + 1, 1] = low, high
        stack[top + 1, 1, d] = at
        top += 2
    return (PAUSED if top else DONE), top, budget


def _values(data: SupportData, index: Ints) -> tuple[int, ...]:
    k = len(data.first)
    values = [int(magnitude(data, f, index[f])) for f in range(k)]
    if len(data.intercepts):
        values.append(int(data.intercepts[index[k]]))
    return tuple(values)

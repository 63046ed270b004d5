"""Descent: exact line searches over one coefficient, then swaps of one feature for another."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.lines import (
    SearchData,
    add_column,
    best_b,
    best_on_line,
    most_promising,
)

Ints = NDArray[np.int64]

WIDE = 100  # with more features than this, only the most promising ones are tried in full
PROMISING = 12


@njit(cache=True, nogil=True)
def next_random(state: NDArray[np.uint64]) -> int:
    """xorshift64*: advance and return a non-negative integer."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.int64((x * np.uint64(2685821657736338717)) >> np.uint64(33))


@njit(cache=True, nogil=True)
def shuffle(order: Ints, state: NDArray[np.uint64]) -> None:
    """Permute in place."""
    for t in range(len(order) - 1, 0, -1):
        u = next_random(state) % (t + 1)
        order[t], order[u] = order[u], order[t]


@njit(cache=True, nogil=True)
def model_cost(data: SearchData, index: Ints) -> tuple[int, int]:
    """Penalties of a model's features, and how many there are."""
    total, size = np.int64(0), 0
    for j in range(len(index)):
        total += data.value_cost[j, index[j]]
        if data.values[j, index[j]] != 0:
            size += 1
    return total, size


@njit(cache=True, nogil=True)
def rescore(data: SearchData, index: Ints, scores: Ints) -> None:
    """Fill the scores of a model, the intercept left out."""
    for i in range(len(scores)):
        scores[i] = 0
    for j in range(len(index)):
        value = data.values[j, index[j]]
        if value != 0:
            add_column(scores, data, j, value)


@njit(cache=True, nogil=True)
def descend(
    data: SearchData,
    index: Ints,
    intercept: Ints,
    scores: Ints,
    window: int,
    budget: int,
    state: NDArray[np.uint64],
    work: Ints,
) -> int:
    """Improve a model until no line and no swap helps, or the budget of touched rows is spent.

    Changes `index`, `intercept[0]` and `scores`; returns the cost reached, the tie-break included.
    """
    p, m = len(index), len(scores)
    scratch, jumps = np.empty(m, np.int64), np.empty(2 * window + 3, np.int64)
    totals = np.empty(data.values.shape[1] + 2, np.int64)
    order = np.arange(p)
    limit = work[0] + budget
    loss, intercept[0] = best_b(scores, data, intercept[0], window, jumps)
    features, size = model_cost(data, index)
    cost = loss + features
    wide = p > WIDE
    while work[0] < limit:
        improved = False
        if wide:
            order = most_promising(scores, data, index, intercept[0], PROMISING, totals, work)
        shuffle(order, state)
        for j in order:
            if work[0] >= limit:
                return cost
            value = data.values[j, index[j]]
            used = value != 0
            may_be_used = used or size < data.max_size
            if not may_be_used:
                continue
            own = data.value_cost[j, index[j]]
            found, at, b = best_on_line(
                scores,
                data,
                j,
                index[j],
                intercept[0],
                data.zero[j] >= 0,
                may_be_used,
                window,
                scratch,
                totals,
                jumps,
                work,
            )
            if features - own + found < cost:
                new = data.values[j, at]
                add_column(scores, data, j, new - value)
                cost = features - own + found
                features += data.value_cost[j, at] - own
                size += (1 if new != 0 else 0) - (1 if used else 0)
                index[j], intercept[0] = at, b
                improved = True
        if improved:
            continue
        for out in order:
            value = data.values[out, index[out]]
            if value == 0 or data.zero[out] < 0:
                continue
            own = data.value_cost[out, index[out]] - data.value_cost[out, data.zero[out]]
            add_column(scores, data, out, -value)
            best, best_j, best_at, best_intercept = cost, -1, np.int64(0), np.int64(0)
            candidates = order
            if wide:
                candidates = most_promising(scores, data, index, intercept[0], PROMISING, totals, work)
            for j in candidates:
                if work[0] >= limit:
                    break
                if j == out or data.values[j, index[j]] != 0:
                    continue
                found, at, b = best_on_line(
                    scores, data, j, index[j], intercept[0], False, True, window, scratch, totals, jumps, work
                )
                total = features - own - data.value_cost[j, index[j]] + found
                if found < 2**61 and total < best:
                    best, best_j, best_at, best_intercept = total, j, at, b
            if best_j < 0:
                add_column(scores, data, out, value)
                if work[0] >= limit:
                    return cost
                continue
            new = data.values[best_j, best_at]
            add_column(scores, data, best_j, new)
            features += data.value_cost[best_j, best_at] - data.value_cost[best_j, index[best_j]] - own
            index[out], index[best_j], intercept[0] = data.zero[out], best_at, best_intercept
            cost = best
            improved = True
            break
        if not improved:
            break
    return cost

"""One coefficient vector on one support: its least loss over the allowed intercepts."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.losses import least_over_b, loss_by_b
from supersparse.solving.kernels.sorting import order_of
from supersparse.solving.kernels.support import SupportData

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def evaluate_vector(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    """Return (loss, b): the least loss of one coefficient vector over the allowed b, b's own cost with it.

    `b_low` and `b_high` index the restricted intercepts, if any. The loss counts every cell in full.
    """
    starts, losses = loss_by_b(scores_of(data, vector), data.step, data.half, data.positive, data.negative)
    if len(data.intercepts) == 0:
        return least_over_b(starts, losses, data.b_least, data.b_most)
    best, best_b = np.int64(2**62), np.int64(0)
    t, last = 0, len(starts)
    for at in range(b_low, b_high + 1):
        b = data.intercepts[at]
        while t < last and starts[t] <= b:
            t += 1
        cost = losses[t] + data.intercept_extra[at] + data.counts_b * data.cost_l1 * abs(b)
        if cost < best or (cost == best and data.counts_b and abs(b) < abs(best_b)):
            best, best_b = cost, b
    return best, best_b


@njit(cache=True, nogil=True)
def evaluate_within_rates(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    """Do as `evaluate_vector` with the true weights, over those b that obey every limit on wrong rows."""
    rates = data.rates
    m, n_limits = data.cell_x.shape[0], len(rates.most)
    keys, scores = np.empty(2 * m, np.int64), scores_of(data, vector)
    loss, counted = np.int64(0), np.zeros(n_limits, np.int64)
    for i in range(m):
        s = scores[i]
        q = s // data.step
        keys[i], keys[m + i] = -q + (1 if s == q * data.step and not data.half else 0), -q
        loss += rates.true_positive[i]
        for limit in range(n_limits):
            counted[limit] += rates.positive[limit, i]
    order = order_of(keys)
    best, best_b = np.int64(2**62), np.int64(0)
    listed = len(data.intercepts) > 0
    at, t = b_low, 0
    low = data.b_least
    while True:  # the interval of b from `low` up to the next key
        until = keys[order[t]] - 1 if t < 2 * m else data.b_most
        obeys = True
        for limit in range(n_limits):
            obeys = obeys and counted[limit] <= rates.most[limit]
        if listed:
            while at <= b_high and (t == 2 * m or data.intercepts[at] <= until):
                b = data.intercepts[at]
                cost = loss + data.intercept_extra[at] + data.counts_b * data.cost_l1 * abs(b)
                if obeys and (cost < best or (cost == best and data.counts_b and abs(b) < abs(best_b))):
                    best, best_b = cost, b
                at += 1
        elif obeys and loss < best and max(low, data.b_least) <= min(until, data.b_most):
            best, best_b = loss, max(low, data.b_least)
        if t == 2 * m:
            return best, best_b
        low = keys[order[t]]
        while t < 2 * m and keys[order[t]] == low:
            i = order[t]
            if i < m:
                loss -= rates.true_positive[i]
                for limit in range(n_limits):
                    counted[limit] -= rates.positive[limit, i]
            else:
                loss += rates.true_negative[i - m]
                for limit in range(n_limits):
                    counted[limit] += rates.negative[limit, i - m]
            t += 1


@njit(cache=True, nogil=True)
def scores_of(data: SupportData, vector: Ints) -> Ints:
    """The score of each cell, b left out."""
    scores = np.zeros(len(data.cell_x), np.int64)
    for i in range(len(scores)):
        for f in range(len(vector)):
            scores[i] += vector[f] * data.cell_x[i, f]
    return scores

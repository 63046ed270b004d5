"""Simulated annealing over coefficient values, the intercept re-optimised after each move."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersparse.solving.kernels.descent import model_cost, next_random, rescore
from supersparse.solving.kernels.lines import SearchData, add_column, best_b

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def excess(data: SearchData, index: Ints, counted: Ints) -> int:
    """The price of what a model counts beyond its limits; `counted` is scratch."""
    price = np.int64(0)
    for limit in range(len(data.limit_most)):
        counted[limit] = 0
        for j in range(len(index)):
            counted[limit] += data.limit_term[limit, j, index[j]]
        if counted[limit] > data.limit_most[limit]:
            price += min(8, counted[limit] - data.limit_most[limit]) * data.limit_price[limit]
    return price


@njit(cache=True, nogil=True)
def anneal(
    data: SearchData,
    index: Ints,
    intercept: Ints,
    scores: Ints,
    best_index: Ints,
    hot: float,
    cold: float,
    moves: int,
    settled: bool,
    window: int,
    state: NDArray[np.uint64],
    work: Ints,
) -> int:
    """Walk for so many moves while cooling from `hot` to `cold`; return the best cost seen.

    Moves are steps of mixed length in one coefficient, now and then in two at once, or a
    coefficient set to 0; once `settled`, mostly of what is in use. A model beyond a limit pays for
    it. `index`, `intercept[0]` and `scores` follow the walk; `best_index` and `intercept[1]` receive
    the best model.
    """
    p, m = len(index), len(scores)
    jumps = np.empty(2 * window + 3, np.int64)
    rescore(data, index, scores)
    loss, b = best_b(scores, data, intercept[0], window, jumps)
    features, size = model_cost(data, index)
    counted = np.zeros(len(data.limit_most), np.int64)
    cost = loss + features + excess(data, index, counted)
    best = cost
    intercept[1] = b
    for j in range(p):
        best_index[j] = index[j]
    moved, before = np.empty(2, np.int64), np.empty(2, np.int64)
    ratio = cold / hot
    for move in range(moves):
        temperature = hot * ratio ** (move / moves)
        count = 0
        new_size = size
        for _ in range(2 if next_random(state) % 3 == 0 else 1):
            j = next_random(state) % p
            if settled and index[j] == data.zero[j] and next_random(state) % 3 != 0:
                j = next_random(state) % p
            old = index[j]
            n = data.n_values[j]
            if old != data.zero[j] and data.zero[j] >= 0 and next_random(state) % 8 == 0:
                new = data.zero[j]
            else:
                reach = 1
                while 4 * reach < n and next_random(state) % 2 == 0:
                    reach *= 2
                length = 1 + next_random(state) % reach
                new = old + (length if next_random(state) % 2 == 0 else -length)
                if new < 0 or new >= n:
                    continue
            if count == 1 and moved[0] == j:
                continue
            grows = (1 if new != data.zero[j] else 0) - (1 if old != data.zero[j] else 0)
            if new_size + grows > data.max_size and grows > 0:
                continue
            new_size += grows
            moved[count], before[count] = j, old
            count += 1
            index[j] = new
            add_column(scores, data, j, data.values[j, new] - data.values[j, old])
            work[0] += data.start[j + 1] - data.start[j]
        if count == 0:
            continue
        loss, new_b = best_b(scores, data, b, window, jumps)
        work[0] += m + window
        new_features, _ = model_cost(data, index)
        new_cost = loss + new_features + excess(data, index, counted)
        if new_cost <= cost or next_random(state) / 2147483648.0 < np.exp((cost - new_cost) / temperature):
            cost, b, size = new_cost, new_b, new_size
            if cost < best:
                best = cost
                intercept[1] = b
                for j in range(p):
                    best_index[j] = index[j]
        else:
            for t in range(count - 1, -1, -1):
                j = moved[t]
                add_column(scores, data, j, data.values[j, before[t]] - data.values[j, index[j]])
                index[j] = before[t]
    intercept[0] = b
    return best

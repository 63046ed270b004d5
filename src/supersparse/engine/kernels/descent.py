"""Search over coefficients: exact line searches, swaps of features, simulated annealing."""

import numpy as np

from supersparse.base.integer_arrays import Ints, Words
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.lines import SearchData, add_column, best_b, best_on_line, most_promising

WIDE = 100  # with more features than this, only the most promising ones are tried in full
PROMISING = 12


@kernel()
def next_random(state: Words) -> int:
    """xorshift64*: advance and return a non-negative integer."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.int64((x * np.uint64(2685821657736338717)) >> np.uint64(33))


@kernel()
def shuffle(order: Ints, state: Words) -> None:
    """Permute in place, every order equally likely."""
    for t in range(len(order) - 1, 0, -1):
        u = next_random(state) % (t + 1)
        order[t], order[u] = order[u], order[t]


@kernel()
def model_penalty(data: SearchData, index: Ints) -> tuple[int, int]:
    """Return (penalty, size): what a model's features pay, and how many it uses."""
    total, size = np.int64(0), 0
    for j in range(len(index)):
        total += data.value_penalty[j, index[j]]
        if data.values[j, index[j]] != 0:
            size += 1
    return total, size


@kernel()
def rescore(data: SearchData, index: Ints, scores: Ints) -> None:
    """Fill the scores of a model, the intercept left out."""
    for i in range(len(scores)):
        scores[i] = 0
    for j in range(len(index)):
        value = data.values[j, index[j]]
        if value != 0:
            add_column(scores, data, j, value)


@kernel()
def descend(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, window: int, budget: int,
    state: Words, work: Ints,
) -> int:  # fmt: skip
    """Improve a model until no line and no swap helps, or the budget of touched rows is spent.

    Changes `index`, `intercept[0]` and `scores`; returns the cost reached, the tie-break included.
    """
    p, m = len(index), len(scores)
    scratch, jumps = np.empty(m, np.int64), np.empty(2 * window + 3, np.int64)
    totals = np.empty(data.values.shape[1] + 2, np.int64)
    order = np.arange(p)
    limit = work[0] + budget
    loss, intercept[0] = best_b(scores, data, intercept[0], window, jumps)
    penalty, size = model_penalty(data, index)
    cost = loss + penalty
    while work[0] < limit:
        if p > WIDE:
            order = most_promising(scores, data, index, intercept[0], PROMISING, totals, work)
        shuffle(order, state)
        before = cost
        finished, cost, penalty, size = change_one(
            data, index, intercept, scores, order, cost, penalty, size, window, limit, scratch, totals, jumps,
            work,
        )  # fmt: skip
        if not finished:
            return cost
        if cost < before:
            continue
        cost, penalty = swap_one(
            data, index, intercept, scores, order, cost, penalty, window, limit, scratch, totals, jumps, work
        )
        if cost == before:
            break
    return cost


@kernel()
def change_one(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, order: Ints, cost: int, penalty: int,
    size: int, window: int, limit: int, scratch: Ints, totals: Ints, jumps: Ints, work: Ints,
) -> tuple[bool, int, int, int]:  # fmt: skip
    """Search the line of one feature after the other and take what helps.

    Returns (whether the budget sufficed for all features, cost, penalty, size).
    """
    for j in order:
        if work[0] >= limit:
            return False, cost, penalty, size
        value = data.values[j, index[j]]
        used = value != 0
        may_be_used = used or size < data.max_size
        if not may_be_used:
            continue
        current = data.value_penalty[j, index[j]]
        line_cost, at, b = best_on_line(
            scores, data, j, index[j], intercept[0], data.zero[j] >= 0, may_be_used, window, scratch, totals,
            jumps, work,
        )  # fmt: skip
        if penalty - current + line_cost < cost:
            new = data.values[j, at]
            add_column(scores, data, j, new - value)
            cost = penalty - current + line_cost
            penalty += data.value_penalty[j, at] - current
            size += (1 if new != 0 else 0) - (1 if used else 0)
            index[j], intercept[0] = at, b
    return True, cost, penalty, size


@kernel()
def swap_one(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, order: Ints, cost: int, penalty: int,
    window: int, limit: int, scratch: Ints, totals: Ints, jumps: Ints, work: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Put another feature in the place of one in use, the first time that helps; return (cost, penalty)."""
    no, yes = np.bool_(False), np.bool_(True)  # not literal: each would be compiled separately
    for out in order:
        value = data.values[out, index[out]]
        if value == 0 or data.zero[out] < 0:
            continue
        spared = data.value_penalty[out, index[out]] - data.value_penalty[out, data.zero[out]]
        add_column(scores, data, out, -value)
        best, best_j, best_at, best_intercept = cost, np.int64(-1), np.int64(0), np.int64(0)
        candidates = order
        if len(index) > WIDE:
            candidates = most_promising(scores, data, index, intercept[0], PROMISING, totals, work)
        for j in candidates:
            if work[0] >= limit:
                break
            if j == out or data.values[j, index[j]] != 0:
                continue
            line_cost, at, b = best_on_line(
                scores, data, j, index[j], intercept[0], no, yes, window, scratch, totals, jumps, work
            )
            total = penalty - spared - data.value_penalty[j, index[j]] + line_cost
            if line_cost < 2**61 and total < best:
                best, best_j, best_at, best_intercept = total, j, at, b
        if best_j >= 0:
            add_column(scores, data, best_j, data.values[best_j, best_at])
            penalty += data.value_penalty[best_j, best_at] - data.value_penalty[best_j, index[best_j]] - spared
            index[out], index[best_j], intercept[0] = data.zero[out], best_at, best_intercept
            return best, penalty
        add_column(scores, data, out, value)
        if work[0] >= limit:
            break
    return cost, penalty


@kernel()
def excess(data: SearchData, index: Ints, counted: Ints) -> int:
    """The price of what a model counts beyond its limits; `counted` is scratch."""
    price = np.int64(0)
    for limit in range(len(data.limit_most)):
        counted[limit] = 0
        for j in range(len(index)):
            counted[limit] += data.limit_term[limit, j, index[j]]
        if counted[limit] > data.limit_most[limit]:
            price += min(8, counted[limit] - data.limit_most[limit]) * data.limit_price[limit]
    for group in range(len(data.group_start) - 1):
        above, below = 0, 0
        for t in range(data.group_start[group], data.group_start[group + 1]):
            value = data.values[data.group_feature[t], index[data.group_feature[t]]]
            above += value > 0
            below += value < 0
        price += min(8, above, below) * data.group_price
    return price


@kernel()
def anneal(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, best_index: Ints, hot: float, cold: float,
    moves: int, settled: bool, window: int, state: Words, work: Ints,
) -> int:  # fmt: skip
    """Walk for `moves` steps while cooling from `hot` to `cold`; return the best cost seen.

    Moves are steps of mixed length in one coefficient, now and then in two at once, or a
    coefficient set to 0; once `settled`, mostly of what is in use. A model beyond a limit pays for
    it. `index`, `intercept[0]` and `scores` follow the walk; `best_index` and `intercept[1]` receive
    the best model.
    """
    p, m = len(index), len(scores)
    jumps = np.empty(2 * window + 3, np.int64)
    rescore(data, index, scores)
    loss, b = best_b(scores, data, intercept[0], window, jumps)
    penalty, size = model_penalty(data, index)
    counted = np.zeros(len(data.limit_most), np.int64)
    cost = loss + penalty + excess(data, index, counted)
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
            if settled and new_size > 0 and index[j] == data.zero[j] and next_random(state) % 3 != 0:
                while index[j] == data.zero[j]:
                    j = j + 1 if j + 1 < p else 0
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
        new_penalty, _ = model_penalty(data, index)
        new_cost = loss + new_penalty + excess(data, index, counted)
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

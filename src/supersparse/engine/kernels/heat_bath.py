"""Annealing by heat bath: a feature gives its place to one drawn from all features, with a good value.

A step empties a place of the model and tries every feature there: a few values first, then, for the most
promising features, the values around the best, each with the best threshold of a grid. What comes in is
drawn, the likelier the less it costs. Between such steps two features in use change their values together.
Without heat the best comes in, and the walk is a descent by swaps. For free thresholds only: there a row is
positive from a total of -b on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints, Words
from supersparse.engine.kernels.descent import model_penalty, next_random, rescore
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.lines import SearchData, add_column, best_b
from supersparse.engine.kernels.sorting import order_of

State = Words

PAIRS_PER_PLACE = 8
"""One step in this number, while there is heat, fills a place; the others change the values of two features."""

_GRID = 512  # cells between the thresholds of a grid, at most
_SAMPLE = 128  # rows that tell where the thresholds should lie
_REACH = 30  # of those, to either side of the known threshold
_PROMISING = 8  # features whose values are tried closely
_NONE = np.int64(2**61)


class Grid(NamedTuple):
    """Thresholds ``first + (t << shift)``, and the rows between them; cell t lies below threshold t."""

    first: Ints  # of length 1, as is `shift` and `cells`
    shift: Ints
    cells: Ints
    weight: Ints  # what calling a row negative adds to the loss
    cell: NDArray[np.int32]  # where each row is
    base: Ints  # the weight of each cell
    change: Ints  # all 0 between two calls


@inner()
def new_grid(data: SearchData) -> Grid:
    """A grid without thresholds."""
    one, m = np.zeros(1, np.int64), len(data.positive)
    base, change = np.zeros(_GRID, np.int64), np.zeros(_GRID, np.int64)
    weight = np.empty(m, np.int64)  # in a loop, as below: array expressions take seconds to compile
    for i in range(m):
        weight[i] = data.positive[i] - data.negative[i]
    return Grid(one, one.copy(), one.copy(), weight, np.empty(m, np.int32), base, change)


@inner()
def lay(grid: Grid, scores: Ints, threshold: int) -> None:
    """Lay thresholds around a known one, as far as a quarter of the rows to either side."""
    m = len(scores)
    count = min(_SAMPLE, m)
    some = np.empty(count, np.int64)
    below = 0
    for t in range(count):
        some[t] = scores[t * m // count]
        below += some[t] < threshold
    order = order_of(some)
    low = min(threshold, some[order[max(0, min(below, count - 1) - _REACH)]])
    high = max(threshold, some[order[min(count - 1, below + _REACH)]])
    margin = (high - low) // 4 + 4
    low, high = low - margin, high + margin
    shift = 0
    while (high - low) >> shift >= _GRID - 2:
        shift += 1
    cells = ((high - low) >> shift) + 2
    grid.first[0], grid.shift[0], grid.cells[0] = low, shift, cells
    for t in range(cells):
        grid.base[t] = 0
    for i in range(m):
        at = max(0, min(cells - 1, ((scores[i] - low) >> shift) + 1))
        grid.cell[i] = at
        grid.base[at] += grid.weight[i]


@reader()
def least_with(data: SearchData, grid: Grid, scores: Ints, j: int, value: int, work: Ints) -> tuple[int, int]:
    """Return (loss, place of its threshold): the least on the grid with column j added `value` times.

    Losses are counted from that of calling every row positive.
    """
    first, shift, cells = grid.first[0], grid.shift[0], grid.cells[0]
    cell, weight, base, change = grid.cell, grid.weight, grid.base, grid.change
    if value != 0:
        for k in range(data.start[j], data.start[j + 1]):
            i = data.row[k]
            at = max(0, min(cells - 1, ((scores[i] + value * data.entry[k] - first) >> shift) + 1))
            change[cell[i]] -= weight[i]
            change[at] += weight[i]
        work[0] += 2 * (data.start[j + 1] - data.start[j])
    work[0] += cells
    loss, best, best_at = np.int64(0), _NONE, 0
    for t in range(cells - 1):
        loss += base[t] + change[t]
        change[t] = 0
        if loss < best:
            best, best_at = loss, t
    change[cells - 1] = 0
    return best, best_at


@reader()
def magnitudes_of(data: SearchData, j: int, sign: int) -> int:
    """Number of values of one sign; the t-th of them is at ``zero + sign * t``."""
    return data.n_values[j] - 1 - data.zero[j] if sign > 0 else data.zero[j]


@reader()
def probe(data: SearchData, grid: Grid, scores: Ints, j: int, work: Ints) -> tuple[int, int]:
    """Try a few values of a feature, small and large; return (cost, index) of the best."""
    best, best_at = _NONE, np.int64(0)
    for sign in (-1, 1):
        count = magnitudes_of(data, j, sign)
        for t in (1, 3, 8, count):
            if 0 < t < count or t == count > 0:
                at = data.zero[j] + sign * t
                loss, _ = least_with(data, grid, scores, j, data.values[j, at], work)
                if loss + data.value_penalty[j, at] < best:
                    best, best_at = loss + data.value_penalty[j, at], at
    return best, best_at


@reader()
def climb(data: SearchData, grid: Grid, scores: Ints, j: int, at: int, work: Ints) -> tuple[int, int, int]:
    """Improve a feature's value in ever shorter steps; return (cost, its index, place of the threshold)."""
    sign = 1 if at > data.zero[j] else -1
    count = magnitudes_of(data, j, sign)
    t, reach = abs(at - data.zero[j]), 1
    while 4 * reach <= t:
        reach *= 2
    cost, threshold = least_with(data, grid, scores, j, data.values[j, at], work)
    cost += data.value_penalty[j, at]
    while reach > 0:
        known = t
        for u in (known - reach, known + reach):
            if 1 <= u <= count:
                tried = data.zero[j] + sign * u
                loss, where = least_with(data, grid, scores, j, data.values[j, tried], work)
                if loss + data.value_penalty[j, tried] < cost:
                    cost, t, threshold = loss + data.value_penalty[j, tried], u, where
        if t == known:
            reach //= 2
    return cost, data.zero[j] + sign * t, threshold


@inner()
def draw(
    data: SearchData, grid: Grid, scores: Ints, index: Ints, unit: int, noise: Ints, state: State, work: Ints
) -> tuple[int, int, int]:
    """Draw what comes into an empty place: (feature or -1, index of its value, place of the threshold)."""
    p = len(index)
    probed, start, luck = np.empty(p, np.int64), np.empty(p, np.int64), np.empty(p, np.int64)
    drawn, threshold = least_with(data, grid, scores, np.int64(0), np.int64(0), work)
    drawn -= unit * noise[next_random(state) % len(noise)]
    feature, value = -1, np.int64(0)
    for j in range(p):
        probed[j] = _NONE
        if data.zero[j] >= 0 and index[j] == data.zero[j]:
            luck[j] = data.value_penalty[j, index[j]] + unit * noise[next_random(state) % len(noise)]
            probed[j], start[j] = probe(data, grid, scores, j, work)
            probed[j] = min(probed[j] - luck[j], _NONE) if probed[j] < _NONE else _NONE
    work[0] += 10 * p
    for _ in range(min(p, _PROMISING)):
        j = np.int64(0)
        for k in range(p):
            if probed[k] < probed[j]:
                j = k
        if probed[j] == _NONE:
            break
        probed[j] = _NONE
        cost, at, where = climb(data, grid, scores, j, start[j], work)
        if cost - luck[j] < drawn:
            drawn, feature, value, threshold = cost - luck[j], j, at, where
    return feature, value, threshold


@reader()
def set_value(data: SearchData, index: Ints, scores: Ints, j: int, at: int) -> int:
    """Give a feature another of its values; return what that adds to the penalty."""
    added = data.value_penalty[j, at] - data.value_penalty[j, index[j]]
    add_column(scores, data, j, data.values[j, at] - data.values[j, index[j]])
    index[j] = at
    return added


@reader()
def copy_into(target: Ints, source: Ints) -> None:
    for j in range(len(source)):
        target[j] = source[j]


@reader()
def nth_in_use(data: SearchData, index: Ints, n: int) -> int:
    """The n-th feature in use that could be left out; -1 where there are fewer."""
    for j in range(len(index)):
        if data.zero[j] >= 0 and index[j] != data.zero[j]:
            if n == 0:
                return j
            n -= 1
    return -1


@reader()
def random_step(data: SearchData, j: int, at: int, state: State) -> int:
    """The index of another value of the same sign, near ones more often; the same at the end of a set."""
    sign = 1 if at > data.zero[j] else -1
    reach, count = 1, magnitudes_of(data, j, sign)
    while 2 * reach < count and next_random(state) % 2 == 0:
        reach *= 2
    length = 1 + next_random(state) % reach
    t = abs(at - data.zero[j]) + (length if next_random(state) % 2 == 0 else -length)
    return data.zero[j] + sign * max(1, min(count, t))


@kernel()
def heat_bath(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, best_index: Ints, hot: int, cold: int,
    steps: int, progress: Ints, noise: Ints, window: int, budget: int, state: State, work: Ints,
) -> int:  # fmt: skip
    """Take steps while cooling from `hot` to `cold`, as far as the budget goes; return the best cost seen.

    `progress` counts the steps done, and those in a row that changed nothing: without heat the walk ends when
    no place has a better feature. `noise` holds draws of the Gumbel distribution, in 1/256. `index`,
    `intercept[0]` and `scores` follow the walk; `best_index` and `intercept[1]` receive the best model.
    """
    m = len(scores)
    jumps, grid = np.empty(2 * window + 3, np.int64), new_grid(data)
    rescore(data, index, scores)
    loss, b = best_b(scores, data, intercept[0], window, jumps)
    penalty, _ = model_penalty(data, index)
    cost = loss + penalty
    best = cost
    intercept[1] = b
    copy_into(best_index, index)
    limit = work[0] + budget
    while progress[0] < steps and work[0] < limit:
        step = progress[0]
        progress[0] += 1
        unit = (hot + (cold - hot) // steps * step) >> 8
        _, size = model_penalty(data, index)
        in_use = 0
        for j in range(len(index)):
            in_use += data.zero[j] >= 0 and index[j] != data.zero[j]
        places = in_use + (1 if size < data.max_size else 0)
        if places == 0 or (hot == 0 and progress[1] >= places):
            progress[0] = steps
            break
        of_two = hot > 0 and in_use > 1 and step % PAIRS_PER_PLACE != 0
        place = step % places if hot == 0 else next_random(state) % (in_use if of_two else places)
        out, other = nth_in_use(data, index, place), -1
        before, b_before, out_before, other_before = cost, b, np.int64(0), np.int64(0)
        if out >= 0:
            out_before = index[out]
            penalty += set_value(data, index, scores, out, data.zero[out])
        if of_two:
            other = nth_in_use(data, index, next_random(state) % (in_use - 1))
            other_before = index[other]
            penalty += set_value(data, index, scores, other, random_step(data, other, other_before, state))
        lay(grid, scores, -b)
        if of_two:
            _, value, threshold = climb(data, grid, scores, out, out_before, work)
            feature = out
        else:
            feature, value, threshold = draw(data, grid, scores, index, unit, noise, state, work)
        if feature >= 0:
            penalty += set_value(data, index, scores, feature, value)
        loss, b = best_b(scores, data, -(grid.first[0] + (threshold << grid.shift[0])), window, jumps)
        work[0] += 4 * m + window
        cost = loss + penalty
        progress[1] = 0 if cost < before else progress[1] + 1
        if cost < best:
            best = cost
            intercept[1] = b
            copy_into(best_index, index)
        luck = np.int64(0)
        if of_two:
            luck = unit * (noise[next_random(state) % len(noise)] - noise[next_random(state) % len(noise)])
        if cost - luck >= before and (of_two or hot == 0):  # back to what was
            if feature >= 0:
                penalty += set_value(data, index, scores, feature, data.zero[feature])
            if other >= 0:
                penalty += set_value(data, index, scores, other, other_before)
            if out >= 0:
                penalty += set_value(data, index, scores, out, out_before)
            cost, b = before, b_before
    intercept[0] = b
    return best

"""The loss as a function of the intercept."""

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.sorting import order_of


@kernel()
def loss_by_b(scores: Ints, step: int, half: int, positive: Ints, negative: Ints) -> tuple[Ints, Ints]:
    """The loss as a step function of b: ``losses[t]`` holds from ``starts[t-1]`` to ``starts[t] - 1``.

    Positive rows are right from b = floor(-s/step) + 1 on, negative ones wrong from ceil(-s/step) on;
    with `half`, where b stands for b + 1/2, both from ceil(-s/step) on. Where those b lie close together
    they are counted in a table, else sorted.
    """
    m = len(scores)
    keys, change = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64)
    loss, least, most = np.int64(0), np.int64(2**62), np.int64(-(2**62))
    for i in range(m):
        s = scores[i]
        q = s // step
        keys[i], change[i] = -q + (1 if s == q * step and not half else 0), -positive[i]
        keys[m + i], change[m + i] = -q, negative[i]
        loss += positive[i]
        least, most = min(least, -q), max(most, keys[i])
    starts, losses = np.empty(2 * m, np.int64), np.empty(2 * m + 1, np.int64)
    losses[0] = loss
    n = 0
    if most - least <= 16 * m:
        table = np.zeros(most - least + 1, np.int64)
        for t in range(2 * m):
            table[keys[t] - least] += change[t]
        for b in range(len(table)):
            if table[b] != 0:
                loss += table[b]
                starts[n], losses[n + 1] = least + b, loss
                n += 1
        return starts[:n], losses[: n + 1]
    order = order_of(keys)
    for t in range(2 * m):
        loss += change[order[t]]
        if n > 0 and starts[n - 1] == keys[order[t]]:
            losses[n] = loss
        else:
            starts[n], losses[n + 1] = keys[order[t]], loss
            n += 1
    return starts[:n], losses[: n + 1]


@kernel()
def least_over_b(starts: Ints, losses: Ints, low: int, high: int) -> tuple[int, int]:
    """Return (loss, b): the least loss over low <= b <= high, at an end of its interval."""
    best, best_b = np.int64(2**62), np.int64(0)
    last = len(starts)
    if last == 0:  # every b does the same
        return losses[0], np.int64(max(low, min(high, 0)))
    for t in range(last + 1):
        b = low if t == 0 else max(low, starts[t - 1])
        until = high if t == last else min(high, starts[t] - 1)
        if losses[t] < best and b <= until:
            best, best_b = losses[t], until if t == 0 else b
    return best, best_b

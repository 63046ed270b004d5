"""Points of a box that cannot all be right, whatever its coefficients: a linear program that finds them.

Some points of both classes can all be right only if some ratios r of the box leave every positive one above
every negative one by the gap. Weights that sum to 1 over the positive points, and to 1 over the negative
ones, prove that none does: with d for the difference of the two weighted means,

    Σ_f max(low_f·d_f, high_f·d_f) < gap .

The least such sum over all weights is a linear program, whose dual finds the ratios with the widest gap. It
is solved by the simplex method from one pair of points, in floating point and only until the sum is below
the gap; the weights it ends with are then put into the inequality itself. At most two points more than there
are features have weights.
"""

import numpy as np

from supersparse.engine.kernels.jit import reader
from supersparse.engine.kernels.ratio_pairs import Doubles, Floats, Separation

_ZERO = 1e-9  # what counts as nothing
_MOST_STEPS = 60


@reader()
def separate(s: Separation, n_positive: int, low: Floats, high: Floats, gap: float) -> int:
    """Look for taken points that cannot all be right in a box, and write their weights.

    Return the number of steps, negative where no such points were found.
    """
    k = begin_features(s, low, high)
    write_scores(s, k)
    up, down = most_extreme(s, n_positive)
    if up < 0 or down < 0:
        return -1
    begin_basis(s, k, up, down)
    for step in range(1, _MOST_STEPS + 1):
        if write_dual(s, k + 2) < gap:
            is_proven = write_weights(s, k + 2, n_positive) and reach_of_weights(s, k, n_positive) < gap
            return step if is_proven else -step
        what, cost = entering(s, k, n_positive)
        if what < 0:
            return -step
        write_column(s, k, n_positive, what)
        row = leaving(s, k + 2)
        if row < 0:
            return -step
        replace(s, k + 2, row, what, cost)
    return -_MOST_STEPS


@reader()
def begin_features(s: Separation, low: Floats, high: Floats) -> int:
    """List the features that can help, and begin with the middle of the box; return their number."""
    k = 0
    for f in range(len(low)):
        if (low[f] != np.float32(0.0) or high[f] != np.float32(0.0)) and s.range[f] > 0.0:
            s.feature[k], s.low[k], s.high[k] = f, low[f] * s.range[f], high[f] * s.range[f]
            s.dual[k] = -0.5 * (s.low[k] + s.high[k])
            k += 1
    return k


@reader()
def add_scores(times: float, numbers: Doubles, score: Doubles) -> None:
    """Add a multiple of an array to another."""
    for i in range(len(score)):
        score[i] += times * numbers[i]


@reader()
def write_scores(s: Separation, k: int) -> None:
    """The scores of all points with the ratios of the dual."""
    for i in range(len(s.score)):
        s.score[i] = 0.0
    for t in range(k):
        add_scores(-s.dual[t], s.part[s.feature[t]], s.score)


@reader()
def most_extreme(s: Separation, n_positive: int) -> tuple[int, int]:
    """The taken positive point of least score and the negative one of largest; -1 where there is none."""
    lowest, highest, up, down = np.inf, -np.inf, -1, -1
    for i in range(n_positive):
        if s.is_taken[i] and s.score[i] < lowest:
            lowest, up = s.score[i], i
    for i in range(n_positive, len(s.score)):
        if s.is_taken[i] and s.score[i] > highest:
            highest, down = s.score[i], i
    return up, down


@reader()
def begin_basis(s: Separation, k: int, up: int, down: int) -> None:
    """The basis of one pair of points, and of the features by the signs of their differences."""
    points = len(s.score)
    for a in range(k + 2):
        for b in range(k + 2):
            s.inverse[a, b] = 0.0
    for t in range(k):
        x, z = s.part[s.feature[t], up], s.part[s.feature[t], down]
        gives = x >= z
        sign = 1.0 if gives else -1.0
        s.inverse[t, t], s.inverse[t, k], s.inverse[t, k + 1] = -sign, sign * x, -sign * z
        s.basis[t] = points + t if gives else points + k + t
        s.cost[t] = s.high[t] if gives else -s.low[t]
        s.value[t] = abs(x - z)
    for side in range(2):
        s.inverse[k + side, k + side] = 1.0
        s.basis[k + side] = down if side else up
        s.cost[k + side], s.value[k + side] = 0.0, 1.0


@reader()
def write_dual(s: Separation, m: int) -> float:
    """Write the dual of the basis, the ratios with their signs turned; return the sum."""
    total = 0.0
    for b in range(m):
        s.dual[b] = 0.0
    for a in range(m):
        total += s.cost[a] * s.value[a]
        if s.cost[a] != 0.0:
            add_scores(s.cost[a], s.inverse[a], s.dual[:m])
    return total


@reader()
def entering(s: Separation, k: int, n_positive: int) -> tuple[int, float]:
    """The column that lowers the sum fastest, numbered as in `basis`, and its cost; -1 if none does."""
    points = len(s.score)
    write_scores(s, k)
    up, down = most_extreme(s, n_positive)
    best, gain, cost = -1, _ZERO, 0.0
    if s.dual[k] - s.score[up] > gain:
        best, gain = up, s.dual[k] - s.score[up]
    if s.dual[k + 1] + s.score[down] > gain:
        best, gain = down, s.dual[k + 1] + s.score[down]
    for t in range(k):
        if -s.dual[t] - s.high[t] > gain:
            best, gain, cost = points + t, -s.dual[t] - s.high[t], s.high[t]
        if s.low[t] + s.dual[t] > gain:
            best, gain, cost = points + k + t, s.low[t] + s.dual[t], -s.low[t]
    return best, cost


@reader()
def write_column(s: Separation, k: int, n_positive: int, what: int) -> None:
    """Write what enters in terms of the basis."""
    points = len(s.score)
    if what >= points:
        t, sign = (what - points, -1.0) if what < points + k else (what - points - k, 1.0)
        for a in range(k + 2):
            s.column[a] = sign * s.inverse[a, t]
        return
    side, sign = (k, 1.0) if what < n_positive else (k + 1, -1.0)
    for a in range(k + 2):
        total = s.inverse[a, side]
        for t in range(k):
            total += sign * s.part[s.feature[t], what] * s.inverse[a, t]
        s.column[a] = total


@reader(error_model="numpy")
def leaving(s: Separation, m: int) -> int:
    """Which of the basis becomes 0 first; -1 for none."""
    row, step = -1, np.inf
    for a in range(m):
        if s.column[a] > _ZERO and s.value[a] < step * s.column[a]:
            row, step = a, max(0.0, s.value[a]) / s.column[a]
    return row


@reader(error_model="numpy")
def replace(s: Separation, m: int, row: int, what: int, cost: float) -> None:
    """Let something enter the basis in the place of another."""
    over = 1.0 / s.column[row]
    step, pivot = s.value[row] * over, s.inverse[row, :m]
    for b in range(m):
        pivot[b] *= over
    for a in range(m):
        if a != row and s.column[a] != 0.0:
            s.value[a] -= s.column[a] * step
            add_scores(-s.column[a], pivot, s.inverse[a, :m])
    s.value[row], s.basis[row], s.cost[row] = step, what, cost


@reader(error_model="numpy")
def write_weights(s: Separation, m: int, n_positive: int) -> bool:
    """Write the weights of the points; False where a class has none."""
    points, up, down = len(s.score), 0.0, 0.0
    for i in range(points):
        s.weight[i] = 0.0
    for a in range(m):
        if s.basis[a] < points and s.value[a] > 0.0:
            s.weight[s.basis[a]] = s.value[a]
            if s.basis[a] < n_positive:
                up += s.value[a]
            else:
                down += s.value[a]
    for i in range(points):
        s.weight[i] /= up if i < n_positive else down
    return up > 0.5 and down > 0.5


@reader()
def reach_of_weights(s: Separation, k: int, n_positive: int) -> float:
    """The largest value in the box of the difference of the weighted means."""
    reach = 0.0
    for t in range(k):
        d, part = 0.0, s.part[s.feature[t]]
        for i in range(len(part)):
            if s.weight[i] > 0.0:
                d += s.weight[i] * part[i] if i < n_positive else -s.weight[i] * part[i]
        reach += max(s.low[t] * d, s.high[t] * d)
    return reach

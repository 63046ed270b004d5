"""Changes of one column of a card, ranked by an estimate of the loss and penalty they lead to.

The estimate is a quadratic model of the loss at the card's own fit, least over slope and intercept. It knows
how far the points of a column move the totals, which a regression coefficient does not: where columns differ
in scale, the best supports by regression need points that do not exist.
"""

from typing import NamedTuple

import numpy as np

from supersparse.engine.kernels.jit import inner, reader
from supersparse.engine.kernels.risk_bound import add_column
from supersparse.engine.kernels.risk_data import WORK, Floats, Ints, RiskData, Support
from supersparse.engine.kernels.risk_loss import (
    ANY_ORDER,
    exp_of_negative,
    fill,
    log_of_one_plus,
    loss_at,
    slopes_at,
)

_FAR = 4.0  # rows whose value in a column is so many times its scale are estimated exactly


class Card(NamedTuple):
    """A card and how it is calibrated."""

    index: Ints  # (columns,): into the values of each column
    fit: Floats  # (4,): slope and intercept
    value: Floats  # (1,): loss and penalty


class Far(NamedTuple):
    """The rows of each column whose values are far from the others."""

    first: Ints  # (columns + 1,): where those of a column begin
    rows: Ints


class Moves(NamedTuple):
    """The best moves by their estimate, best first."""

    estimate: Floats  # (room,)
    drop: Ints  # the column that is left out, or -1
    column: Ints  # the column whose value changes
    value: Ints  # its new value, as an index
    count: Ints  # (1,)


@reader(error_model="numpy")
def _insert(moves: Moves, estimate: float, drop: int, column: int, value: int) -> None:
    room, at = len(moves.estimate), moves.count[0]
    if at == room and estimate >= moves.estimate[room - 1]:
        return
    moves.count[0] = min(at + 1, room)
    at = moves.count[0] - 1
    while at > 0 and moves.estimate[at - 1] > estimate:
        moves.estimate[at] = moves.estimate[at - 1]
        moves.drop[at] = moves.drop[at - 1]
        moves.column[at] = moves.column[at - 1]
        moves.value[at] = moves.value[at - 1]
        at -= 1
    moves.estimate[at], moves.drop[at], moves.column[at], moves.value[at] = estimate, drop, column, value


@reader(error_model="numpy")
def _worst(moves: Moves) -> float:
    """Moves with at least this estimate are not kept."""
    room = len(moves.estimate)
    return moves.estimate[room - 1] if moves.count[0] == room else np.inf


@reader(error_model="numpy")
def _breaks_a_limit(data: RiskData, totals: Floats, j: int, old: int, new: int) -> bool:
    for limit in range(len(data.most)):
        if totals[limit] + data.tables[limit, j, new] - data.tables[limit, j, old] > data.most[limit]:
            return True
    return False


@inner(error_model="numpy")
def far_rows(data: RiskData) -> Far:
    """Find the rows of each column whose values are far from the others."""
    p, n = data.x.shape
    first = np.zeros(p + 1, np.int64)
    for j in range(p):
        count = 0
        for i in range(n):
            count += abs(data.x[j, i]) > _FAR
        first[j + 1] = first[j] + count
    rows, at = np.empty(first[p], np.int64), 0
    for j in range(p):
        if first[j + 1] > first[j]:
            for i in range(n):
                if abs(data.x[j, i]) > _FAR:
                    rows[at] = i
                    at += 1
    return Far(first, rows)


@reader(error_model="numpy")
def _far_loss(data: RiskData, far: Far, z: Floats, j: int, by: float) -> float:
    """The loss of the far rows of a column when their logits z move by so much times its values."""
    total = 0.0
    for at in range(far.first[j], far.first[j + 1]):
        i = far.rows[at]
        v = z[i] + by * data.x[j, i]
        tail = log_of_one_plus(exp_of_negative(-abs(v)))
        total += data.positive[i] * (max(-v, 0.0) + tail) + data.negative[i] * (max(v, 0.0) + tail)
    return total


@inner(error_model="numpy", fastmath=ANY_ORDER)
def rank(
    data: RiskData,
    support: Support,
    far: Far,
    low: Ints,
    high: Ints,
    at: Card,
    drop: int,
    used: bool,
    unused: bool,
    freely: bool,
    moves: Moves,
) -> None:
    """Estimate the loss and penalty of every change of one column of a card, and keep the best.

    Columns in use take part if `used`, the others if `unused`; `drop` is only noted, and never added again.
    If `freely`, a column is added with any weight, not only with points: its sign is what counts.
    Far from the rest, a row would decide by itself what a quadratic model says of a column; it is left to its
    own loss.
    """
    n, p = data.x.shape[1], data.x.shape[0]
    z, e, residual, curve, score = (
        support.work[0], support.work[1], support.work[2], support.work[3], support.work[4],
    )  # fmt: skip
    card, a, b = at.index, at.fit[0], at.fit[1]
    fill(score, 0.0, n)
    penalty, totals = 0.0, np.zeros(len(data.most))
    for j in range(p):
        if card[j] != data.zero[j]:
            add_column(score, data.values[j, card[j]] * data.scale[j], data.x[j], n)
            penalty += data.penalty[j, card[j]]
            for limit in range(len(data.most)):
                totals[limit] += data.tables[limit, j, card[j]]
    for i in range(n):
        z[i] = a * score[i] + b
    f = loss_at(z, data.positive, data.negative, e, n) + penalty
    slopes_at(z, e, data.positive, data.negative, residual, curve, n)
    r1, rs, h1, hs, hss = 0.0, 0.0, 1e-12, 0.0, 0.0
    for i in range(n):
        r1 += residual[i]
        rs += residual[i] * score[i]
        h1 += curve[i]
        hs += curve[i] * score[i]
        hss += curve[i] * score[i] * score[i]
    support.counts[WORK] += 3 * n * p
    for j in range(p):
        is_used = card[j] != data.zero[j]
        if j == drop or (is_used and not used) or (not is_used and not unused):
            continue
        x = data.x[j]
        rx, hx, hxx, hsx = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            c = curve[i] * x[i]
            rx += residual[i] * x[i]
            hx += c
            hxx += c * x[i]
            hsx += c * score[i]
        best, chosen = np.inf, data.zero[j]
        if freely:
            rest = hxx - hx * hx / h1
            v = data.zero[j] + (1 if rx < 0 else -1)
            if low[j] <= v <= high[j]:
                _insert(moves, f - 0.5 * rx * rx / max(rest, 1e-3 * hxx), drop, j, v)
            continue
        for at_far in range(far.first[j], far.first[j + 1]):
            i = far.rows[at_far]
            c = curve[i] * x[i]
            rx -= residual[i] * x[i]
            hx -= c
            hxx -= c * x[i]
            hsx -= c * score[i]
        near, worst = f - _far_loss(data, far, z, j, 0.0), _worst(moves)
        for v in range(low[j], high[j] + 1):
            if (
                v == card[j]
                or (v == data.zero[j] and not is_used)
                or _breaks_a_limit(data, totals, j, card[j], v)
            ):
                continue
            u = (data.values[j, v] - data.values[j, card[j]]) * data.scale[j]
            linear, square = a * u * rx, a * a * u * u * hxx
            gb = r1 + a * u * hx
            if data.slope_is_free:
                ga = rs + u * rx + a * u * (hsx + u * hxx)
                haa, hab = hss + 2 * u * hsx + u * u * hxx, hs + u * hx
                det = haa * h1 - hab * hab
                if det > 1e-12 * haa * h1:
                    gain = 0.5 * (h1 * ga * ga - 2 * hab * ga * gb + haa * gb * gb) / det
                else:
                    gain = 0.5 * gb * gb / h1
            else:
                gain = 0.5 * gb * gb / h1
            new = near + linear + 0.5 * square - gain + data.penalty[j, v] - data.penalty[j, card[j]]
            if new >= worst or (not is_used and new >= best - 1e-12):
                continue
            new += _far_loss(data, far, z, j, a * u)
            if used and is_used:
                _insert(moves, new, drop, j, v)
                worst = _worst(moves)
            elif new < best - 1e-12:
                best, chosen = new, v
        if best < np.inf:
            _insert(moves, best, drop, j, chosen)

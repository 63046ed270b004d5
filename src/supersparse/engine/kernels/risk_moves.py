"""Local search over cards: change a point, add a feature, swap two; the best by their estimate are tried.

The estimate is a quadratic model of the loss at the card's own fit, least over slope and intercept. It knows
how far the points of a column move the totals, which a regression coefficient does not: where columns differ
in scale, the best supports by regression need points that do not exist.
"""

from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.risk_bound import add_column
from supersparse.engine.kernels.risk_cards import load, offer
from supersparse.engine.kernels.risk_loss import (
    ANY_ORDER,
    copy,
    copy_floats,
    exp_of_negative,
    fill,
    log_of_one_plus,
    loss_at,
    same,
    slopes_at,
)
from supersparse.engine.kernels.risk_search import card_value
from supersparse.engine.kernels.risk_shapes import Shapes, shape
from supersparse.engine.risk.data import WORK, Best, RiskData, Support, SwapRecord

_FAR = 4.0  # rows whose value in a column is this many times its scale are estimated exactly


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
    data: RiskData, support: Support, far: Far, low: Ints, high: Ints, at: Card, drop: int, used: bool,
    unused: bool, freely: bool, moves: Moves,
) -> None:  # fmt: skip
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
            if v == card[j] or (v == data.zero[j] and not is_used) or _breaks_a_limit(data, totals, j, card[j], v):
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


_NONE, _KEEPS = np.int64(-1), np.int64(1)  # typed: a literal would be compiled anew
_LEAST_GAIN = 1e-9
_MOST_STEPS = 200
_SHAPES = 4  # roundings that are calibrated
_PROMISE = 0.005  # points that are this much worse by the model, relatively, are not tried
_NEAR = 0.02  # swaps that are this much worse, relatively, are settled before they are given up


@inner(error_model="numpy")
def _new_card(p: int) -> Card:
    return Card(np.empty(p, np.int64), np.zeros(4), np.zeros(1))


@reader(error_model="numpy")
def _copy_card(target: Card, source: Card) -> None:
    copy(target.index, source.index, len(source.index))
    copy_floats(target.fit, source.fit, np.int64(2))
    target.value[0] = source.value[0]


@inner(error_model="numpy")
def _new_moves(room: int) -> Moves:
    return Moves(
        np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64),
        np.zeros(1, np.int64),
    )  # fmt: skip


@inner(error_model="numpy")
def _used(data: RiskData, index: Ints) -> tuple[Ints, Ints, int]:
    """The columns in use, their values, and how many they are."""
    columns, points, k = np.empty(len(index), np.int64), np.empty(len(index), np.int64), np.int64(0)
    for j in range(len(index)):
        if index[j] != data.zero[j]:
            columns[k], points[k] = j, index[j]
            k += 1
    return columns, points, k


@reader(error_model="numpy")
def _count(data: RiskData, index: Ints) -> int:
    count = 0
    for j in range(len(index)):
        count += index[j] != data.zero[j]
    return count


@inner(error_model="numpy")
def _calibrate(data: RiskData, support: Support, card: Card, enough: float) -> float:
    """Find slope, intercept, loss and penalty of a card; infinite if it is not allowed.

    More than `enough` may be an estimate.
    """
    columns, points, k = _used(data, card.index)
    load(data, support, columns, k)
    card.value[0] = card_value(data, support, points, k, card.fit, enough)
    return card.value[0]


@reader(error_model="numpy")
def _try_moves(data: RiskData, support: Support, at: Card, moves: Moves, trial: Card) -> bool:
    """Make the first of the moves that improves the card; they receive their exact values."""
    for m in range(moves.count[0]):
        _copy_card(trial, at)
        if moves.drop[m] >= 0:
            trial.index[moves.drop[m]] = data.zero[moves.drop[m]]
        trial.index[moves.column[m]] = moves.value[m]
        moves.estimate[m] = _calibrate(data, support, trial, at.value[0])
        if moves.estimate[m] < at.value[0] - _LEAST_GAIN:
            _copy_card(at, trial)
            return True
    return False


@reader(error_model="numpy")
def _rank_additions(
    data: RiskData, support: Support, far: Far, low: Ints, high: Ints, at: Card, drop: int, freely: bool,
    moves: Moves,
) -> None:  # fmt: skip
    """Rank all columns that a card could add, with points or `freely`."""
    rank(data, support, far, low, high, at, drop, np.bool_(False), np.bool_(True), freely, moves)


@reader(error_model="numpy")
def _settle(
    data: RiskData, support: Support, far: Far, low: Ints, high: Ints, most: int, at: Card, moves: Moves,
    trial: Card,
) -> None:  # fmt: skip
    """Change one column at a time, or add one, while that helps."""
    for _ in range(_MOST_STEPS):
        moves.count[0] = 0
        rank(
            data, support, far, low, high, at, _NONE, np.bool_(True), _count(data, at.index) < most,
            np.bool_(False), moves,
        )  # fmt: skip
        if not _try_moves(data, support, at, moves, trial):
            break


@inner(error_model="numpy")
def _reshape(
    data: RiskData, support: Support, low: Ints, high: Ints, at: Card, added: int, enough: float,
    shapes: Shapes, trial: Card,
) -> bool:  # fmt: skip
    """Choose all points of a card again, features unchanged, while that helps; whether it did.

    Points are only tried where a model promises about `enough`. A column that is `added` is in the card, but
    not in its fit.
    """
    improved, again = False, True
    while again:
        again = False
        columns, points, k = _used(data, at.index)
        if k < 2:
            return improved
        load(data, support, columns, k)
        beta = np.empty(k)
        for q in range(k):
            is_new = columns[q] == added and not improved
            value = 0.0 if is_new else data.values[columns[q], points[q]]
            beta[q] = at.fit[0] * value * data.scale[columns[q]]
        shape(data, support, low, high, beta, at.fit[1], (1 + _PROMISE) * enough, shapes)
        for c in range(shapes.count[0]):
            _copy_card(trial, at)
            for q in range(k):
                trial.index[columns[q]] = shapes.index[c, q]
            if _calibrate(data, support, trial, at.value[0]) < at.value[0] - _LEAST_GAIN:
                _copy_card(at, trial)
                improved, again = True, True
                break
    return improved


@reader(error_model="numpy")
def _reshape_moved(
    data: RiskData, support: Support, low: Ints, high: Ints, at: Card, moves: Moves, shapes: Shapes,
    rest: Card, trial: Card,
) -> bool:  # fmt: skip
    """Make the first of the moves that improves the card once all its points are chosen again."""
    for m in range(moves.count[0]):
        if not moves.estimate[m] < (1 + _NEAR) * at.value[0]:
            continue
        _copy_card(rest, at)
        rest.index[moves.column[m]] = moves.value[m]
        added = moves.column[m]
        if moves.drop[m] >= 0:
            rest.index[moves.drop[m]] = data.zero[moves.drop[m]]
            added = _NONE
            _calibrate(data, support, rest, np.inf)
        _reshape(data, support, low, high, rest, added, at.value[0], shapes, trial)
        if rest.value[0] < at.value[0] - _LEAST_GAIN:
            _copy_card(at, rest)
            return True
    return False


@reader(error_model="numpy")
def _was_here(settled: SwapRecord, index: Ints) -> bool:
    """Whether swaps have started from a card; from now on, they have."""
    room, p = settled.index.shape
    for c in range(min(settled.count[0], room)):
        if same(settled.index[c], index, p):
            return True
    copy(settled.index[settled.count[0] % room], index, p)
    settled.count[0] += 1
    return False


@kernel(error_model="numpy")
def improve(
    data: RiskData, support: Support, best: Best, settled: SwapRecord, low: Ints, high: Ints, most: int,
    index: Ints, few: int, tries: int,
) -> float:  # fmt: skip
    """Improve a card as far as asked, and return its loss and penalty.

    It is calibrated; then, with `few` of the best changes tried each time, points change and features are
    added until that does not help; then, with `tries`, features are swapped and all points chosen again, and
    the best card receives it if it is better. Where swaps have started from before, it ends.
    """
    p = len(index)
    at, trial, rest = _new_card(p), _new_card(p), _new_card(p)
    copy(at.index, index, p)
    at.fit[1] = np.log(data.positive.sum() / data.negative.sum())
    _calibrate(data, support, at, np.inf)
    if few == 0:
        return at.value[0]
    far = far_rows(data)
    moves, singly = _new_moves(tries), _new_moves(few)
    shapes = Shapes(np.empty(_SHAPES), np.empty((_SHAPES, p), np.int64), np.zeros(1, np.int64))
    improved = True
    while improved:
        _settle(data, support, far, low, high, most, at, singly, trial)
        copy(index, at.index, p)
        if tries == 0 or same(at.index, best.index, p) or _was_here(settled, at.index):
            return at.value[0]
        moves.count[0] = 0
        for drop in range(p):
            if at.index[drop] == data.zero[drop] or low[drop] > data.zero[drop] or high[drop] < data.zero[drop]:
                continue
            _copy_card(rest, at)
            rest.index[drop] = data.zero[drop]
            _calibrate(data, support, rest, np.inf)
            _rank_additions(data, support, far, low, high, rest, drop, np.bool_(False), moves)
        improved = _try_moves(data, support, at, moves, trial)
        if improved:
            continue
        improved = _reshape(data, support, low, high, at, _NONE, at.value[0], shapes, trial)
        if improved:
            continue
        if _count(data, at.index) < most:
            singly.count[0] = 0
            _rank_additions(data, support, far, low, high, at, _NONE, np.bool_(True), singly)
            improved = _reshape_moved(data, support, low, high, at, singly, shapes, rest, trial)
        if not improved:
            improved = _reshape_moved(data, support, low, high, at, moves, shapes, rest, trial)
    copy(index, at.index, p)
    if at.value[0] < best.value[0] + 1e-7:
        columns, points, k = _used(data, at.index)
        load(data, support, columns, k)
        offer(data, support, best, points, k, at.fit, np.inf, _KEEPS)
    return at.value[0]

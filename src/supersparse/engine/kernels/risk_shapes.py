"""The points of a card on its own features, all chosen again by a quadratic model of the loss.

At a point (beta, b) the loss is about f + g·d + d·H·d/2. Least over the intercept and the slope, that is a
function of the points alone, and changing one or two of them costs a few operations. So roundings at many
slopes are improved by single changes, the best of them by pairs of changes; the best by the model are
calibrated.
"""

from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.kernels.jit import inner, njit, reader
from supersparse.engine.kernels.risk_bound import add_column
from supersparse.engine.kernels.risk_loss import copy, dot, fill, loss_at, same, slopes_at
from supersparse.engine.risk.data import ROWS, SIZE, WORK, RiskData, Support

_SLOPES = 24
_SWEEPS = 12


class Shapes(NamedTuple):
    """The best points of a support by the model, best first."""

    estimate: Floats  # (room,)
    index: Ints  # (room, columns)
    count: Ints  # (1,)


class Model(NamedTuple):
    """The loss of a·c is about base + a·(slope·c) + a²·(c·curve·c)/2, for the points times the scales c."""

    base: Floats  # (1,)
    slope: Floats  # (columns,)
    curve: Floats  # (columns, columns)


@inner(error_model="numpy")
def _model(data: RiskData, support: Support, beta: Floats, b: float) -> Model:
    """Expand the loss of the support at hand at a point."""
    k, n = support.state[SIZE], support.state[ROWS]
    z, e, residual, curve, c = (
        support.work[0], support.work[1], support.work[2], support.work[3], support.work[4],
    )  # fmt: skip
    fill(z, b, n)
    for q in range(k):
        add_column(z, beta[q], support.x[q], n)
    f = loss_at(z, support.positive, support.negative, e, n)
    gb, _, _ = slopes_at(z, e, support.positive, support.negative, residual, curve, n)
    support.counts[WORK] += n * (k * k + 8)
    g, cross, h, hbb = np.empty(k), np.empty(k), np.empty((k, k)), 1e-12
    for i in range(n):
        hbb += curve[i]
    for q in range(k):
        g[q] = dot(residual, support.x[q], n)
        for i in range(n):
            c[i] = curve[i] * support.x[q, i]
        cross[q] = 0.0
        for i in range(n):
            cross[q] += c[i]
        for other in range(q + 1):
            h[q, other] = dot(c, support.x[other], n)
            h[other, q] = h[q, other]
        h[q, q] += 1e-12
    slope, base, slope_b = np.empty(k), f, gb
    for q in range(k):
        slope[q] = g[q]
        base -= g[q] * beta[q]
        slope_b -= cross[q] * beta[q]
        for other in range(k):
            slope[q] -= h[q, other] * beta[other]
            base += 0.5 * beta[q] * h[q, other] * beta[other]
    base -= 0.5 * slope_b * slope_b / hbb
    for q in range(k):
        slope[q] -= slope_b * cross[q] / hbb
        for other in range(k):
            h[q, other] -= cross[q] * cross[other] / hbb
    whole = np.empty(1)
    whole[0] = base
    return Model(whole, slope, h)


@njit(cache=True, error_model="numpy", nogil=True, inline="always")
def _estimate(model: Model, linear: float, square: float, is_free: int) -> float:
    if not is_free:
        return model.base[0] + linear + 0.5 * square
    if linear >= 0 or square <= 0:
        return model.base[0]
    return model.base[0] - 0.5 * linear * linear / square


@reader(error_model="numpy")
def _keep(shapes: Shapes, estimate: float, index: Ints, k: int) -> None:
    for c in range(shapes.count[0]):
        if same(shapes.index[c], index, k):
            return
    room, at = len(shapes.estimate), shapes.count[0]
    if at == room:
        at -= 1
        if estimate >= shapes.estimate[at]:
            return
    else:
        shapes.count[0] += 1
    while at > 0 and shapes.estimate[at - 1] > estimate:
        shapes.estimate[at] = shapes.estimate[at - 1]
        copy(shapes.index[at], shapes.index[at - 1], k)
        at -= 1
    shapes.estimate[at] = estimate
    copy(shapes.index[at], index, k)


@inner(error_model="numpy")
def _improve(
    data: RiskData, support: Support, low: Ints, high: Ints, model: Model, index: Ints, in_pairs: bool,
    shapes: Shapes,
) -> None:  # fmt: skip
    """Change one point, or two, while the model says that this helps; keep the result."""
    k = support.state[SIZE]
    c, hc, penalty = np.empty(k), np.empty(k), 0.0
    for q in range(k):
        j = support.columns[q]
        c[q] = data.values[j, index[q]] * data.scale[j]
        penalty += data.penalty[j, index[q]]
    for _ in range(_SWEEPS):
        linear, square = 0.0, 0.0
        for q in range(k):
            hc[q] = 0.0
            for other in range(k):
                hc[q] += model.curve[q, other] * c[other]
            linear += model.slope[q] * c[q]
            square += c[q] * hc[q]
        best = _estimate(model, linear, square, data.slope_is_free) + penalty - 1e-10
        one, two, new_one, new_two = -1, -1, 0, 0
        for q in range(k):
            j = support.columns[q]
            for v in range(low[j], high[j] + 1):
                d = data.values[j, v] * data.scale[j] - c[q]
                linear_q = linear + model.slope[q] * d
                square_q = square + 2 * d * hc[q] + d * d * model.curve[q, q]
                paid = penalty + data.penalty[j, v] - data.penalty[j, index[q]]
                value = _estimate(model, linear_q, square_q, data.slope_is_free) + paid
                if value < best:
                    best, one, two, new_one = value, q, -1, v
                for other in range(q if in_pairs else 0):
                    i = support.columns[other]
                    along = hc[other] + d * model.curve[q, other]
                    for w in range(low[i], high[i] + 1):
                        step = data.values[i, w] * data.scale[i] - c[other]
                        value = (
                            _estimate(
                                model,
                                linear_q + model.slope[other] * step,
                                square_q + 2 * step * along + step * step * model.curve[other, other],
                                data.slope_is_free,
                            )
                            + paid
                            + data.penalty[i, w]
                            - data.penalty[i, index[other]]
                        )
                        if value < best:
                            best, one, two, new_one, new_two = value, q, other, v, w
        if one < 0:
            break
        for which in range(2):
            q, v = (one, new_one) if which == 0 else (two, new_two)
            if q >= 0:
                j = support.columns[q]
                penalty += data.penalty[j, v] - data.penalty[j, index[q]]
                index[q] = v
                c[q] = data.values[j, v] * data.scale[j]
    linear, square = 0.0, 0.0
    for q in range(k):
        linear += model.slope[q] * c[q]
        for other in range(k):
            square += c[q] * model.curve[q, other] * c[other]
    _keep(shapes, _estimate(model, linear, square, data.slope_is_free) + penalty, index, k)


@inner(error_model="numpy")
def shape(
    data: RiskData, support: Support, low: Ints, high: Ints, beta: Floats, b: float, enough: float,
    shapes: Shapes,
) -> None:  # fmt: skip
    """Find the best points for the support at hand by the model at (beta, b), if it promises `enough`."""
    k = support.state[SIZE]
    shapes.count[0] = 0
    model = _model(data, support, beta, b)
    for q in range(k):
        if beta[q] == 0:  # a new column: its value next to the others
            rise = model.slope[q]
            for other in range(k):
                rise += model.curve[q, other] * beta[other]
            beta[q] = -rise / max(model.curve[q, q], 1e-12)
    least, most = 0.0, 0.0
    for q in range(k):
        j = support.columns[q]
        large = max(abs(data.values[j, low[j]]), abs(data.values[j, high[j]])) * data.scale[j]
        least = max(least, abs(beta[q]) / max(large, 1e-300))
        small = np.inf
        for v in range(low[j], high[j] + 1):
            if data.values[j, v] != 0:
                small = min(small, abs(data.values[j, v]))
        most = max(most, abs(beta[q]) / (small * data.scale[j]))
    if not least > 0:
        return
    least *= 0.3  # the largest points end at their limit
    most = min(max(1.5 * most, 1.01 * least), 200 * least)
    index, last, room = np.empty(k, np.int64), np.empty(k, np.int64), len(shapes.estimate)
    singly = Shapes(np.empty(room), np.empty((room, k), np.int64), np.zeros(1, np.int64))
    for t in range(_SLOPES if data.slope_is_free else 1):
        a = least * (most / least) ** (t / (_SLOPES - 1)) if data.slope_is_free else 1.0
        for q in range(k):
            j = support.columns[q]
            wanted = beta[q] / (a * data.scale[j])
            nearest = low[j]
            for v in range(low[j], high[j] + 1):
                if abs(data.values[j, v] - wanted) < abs(data.values[j, nearest] - wanted):
                    nearest = v
            index[q] = nearest
        if t == 0 or not same(index, last, k):
            copy(last, index, k)
            _improve(data, support, low, high, model, index, np.bool_(False), singly)
    for c in range(singly.count[0]):
        if singly.estimate[c] > enough:
            break
        copy(index, singly.index[c], k)
        _improve(data, support, low, high, model, index, np.bool_(True), shapes)

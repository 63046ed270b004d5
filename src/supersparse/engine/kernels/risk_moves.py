"""Local search over cards: change a point, add a feature, swap two; the best by their estimate are tried."""

import numpy as np

from supersparse.engine.kernels.jit import inner, kernel, reader
from supersparse.engine.kernels.risk_cards import load, offer
from supersparse.engine.kernels.risk_data import Best, Ints, RiskData, Settled, Support
from supersparse.engine.kernels.risk_loss import copy, copy_floats, same
from supersparse.engine.kernels.risk_ranking import Card, Far, Moves, far_rows, rank
from supersparse.engine.kernels.risk_search import card_value
from supersparse.engine.kernels.risk_shapes import Shapes, shape

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
    data: RiskData,
    support: Support,
    far: Far,
    low: Ints,
    high: Ints,
    at: Card,
    drop: int,
    freely: bool,
    moves: Moves,
) -> None:
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
def _was_here(settled: Settled, index: Ints) -> bool:
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
    data: RiskData, support: Support, best: Best, settled: Settled, low: Ints, high: Ints, most: int,
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
            if (
                at.index[drop] == data.zero[drop]
                or low[drop] > data.zero[drop]
                or high[drop] < data.zero[drop]
            ):
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

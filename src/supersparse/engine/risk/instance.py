"""The risk problem in floating point, for the kernels, with a bound on every rounding error.

Columns are shifted by a whole number and scaled by a power of two, so their entries are exact. What rounds are the sums
over rows; `RiskData.limits` bounds their error for every card that obeys the cap on effects. Here is also the room that
kernels write to: the best card, the support at hand, the boxes and cells of an enumeration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.integer_arrays import Flags, Floats, IntArray, Ints, Words, row_groups
from supersparse.base.stop import check_deadline
from supersparse.engine.core import zeros
from supersparse.engine.proving.cluster import fields_of
from supersparse.engine.risk.choices import choices_of
from supersparse.engine.risk.kernels import BLOCK, Best, Bits, Boxes, Cells, RiskData, Support, SwapRecord
from supersparse.problem.log_loss import EFFECT_CAP, PROOF_TOLERANCE, centred_column, threshold_odds
from supersparse.problem.problem import Problem

TOLERANCE = float(PROOF_TOLERANCE)
_MOST_BITS = 2**17
_ALIKE = 4  # scales of columns, as powers of two
_ROUNDING = 2.0**-53
_MOST_LOGIT = 1e5  # of one column with slope 1: a double holds larger ones to no 1e-9


@dataclass(frozen=True)
class RiskInstance:
    """The data of the kernels, and how to read their cards."""

    data: RiskData
    bits: Bits
    kept: tuple[int, ...]  # columns of the problem, in the order of data
    values: tuple[tuple[Fraction, ...], ...]  # the exact values behind data.values
    shift: tuple[Fraction, ...]  # what was taken from each column
    low: Ints  # range of each column, as indices into its values
    high: Ints
    forced: Flags  # columns that every card uses
    least_cost: Floats  # least penalty of using each column
    most_features: int
    base_penalty: Fraction  # paid by every card

    @property
    def is_of_one_scale(self) -> bool:
        """Whether the points of all columns move the totals about equally far."""
        return not self.kept or float(np.ptp(np.log2(self.data.scale))) <= _ALIKE

    def steps(self) -> tuple[Floats, Floats]:
        """The least and the largest change of the scores by points of each column; 0 points do not count."""
        data, at = self.data, np.arange(self.data.values.shape[1])
        values, inside = np.abs(data.values), (at >= self.low[:, None]) & (at <= self.high[:, None])
        fewest = np.where(inside & (values > 0), values, np.inf).min(axis=1, initial=np.inf)
        most = np.where(inside, values, 0.0).max(axis=1, initial=0.0)
        return fewest * data.scale, most * data.scale

    def ranges(self, columns: Ints, low: Ints, high: Ints) -> tuple[Floats, Floats, Floats]:
        """The least and most that points add to the scores, and the largest slope of cards that use each.

        `low` and `high` are the ranges of all columns, as indices into their values.
        """
        data, first, last = self.data, low[columns], high[columns]
        values, at = np.abs(data.values[columns]), np.arange(data.values.shape[1])
        outside = (at < first[:, None]) | (at > last[:, None]) | (values == 0)
        caps = data.cap[columns] / np.where(outside, np.inf, values).min(axis=1, initial=np.inf)
        scale = data.scale[columns]
        return data.values[columns, first] * scale, data.values[columns, last] * scale, caps


def risk_instance(problem: Problem, *, slope_is_free: bool) -> RiskInstance:
    """Convert a problem; columns that cannot be used are left out."""
    columns, scales = problem.rows.columns, problem.rows.scales
    choices = choices_of(problem)
    kept = choices.kept
    positive_weight, negative_weight, group = _merged(problem, kept)
    weights = np.array(problem.rows.weights, dtype=float)
    centred = [_centred(columns[j], weights) for j in kept]
    first = np.zeros(len(positive_weight), np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    x = np.array([c.x[first] for c in centred]).reshape(len(kept), len(first))
    ranks, distinct = _ranks(x)
    unit = np.array([1 / scales[j] for j in kept])
    scale = np.array([c.step for c in centred]) * unit
    deviation = np.array([c.deviation for c in centred]) * unit
    _without_spread(deviation, scale, choices.table)
    room = len(kept) if problem.max_features is None else min(problem.max_features, len(kept))
    shift = tuple(Fraction(c.shift, scales[j]) for c, j in zip(centred, kept, strict=True))
    offset = np.array([_modulo_whole(moved, of) for moved, of in zip(shift, choices.values, strict=True)])
    most_points = np.abs(choices.table).max(axis=1, initial=0)
    if slope_is_free:
        reach, cap = EFFECT_CAP * scale / deviation, EFFECT_CAP / deviation
    else:
        reach, cap = most_points * scale, np.full(len(kept), np.inf)
        _check_logits(problem, kept, most_points, np.abs(x).max(axis=1, initial=0.0) * scale)
    limits = _error_limits(
        x, positive_weight, negative_weight, reach, most_points * np.abs(offset), room, slope_is_free
    )
    rates, rate_most = _rates(problem, group, len(positive_weight))
    data = RiskData(
        x=x,
        positive=positive_weight,
        negative=negative_weight,
        ranks=ranks,
        distinct=distinct,
        scale=scale,
        offset=offset,
        values=choices.table,
        zero=choices.zero,
        penalty=choices.penalty,
        tables=choices.tables,
        most=choices.most,
        cap=cap,
        reach=reach,
        limits=limits,
        rates=rates,
        rate_most=rate_most,
        threshold=float(threshold_odds(problem)),
        pull=0.0,
        slope_is_free=int(slope_is_free),
        strict=int(bool(choices.penalty.any()) or len(choices.most) > 0 or bool(choices.forced.any())),
        tolerance=max(TOLERANCE, 2 * limits[2 if slope_is_free else 3]),
    )
    return RiskInstance(
        data=data,
        bits=_bit_sets(problem, x, group, is_binary=bool(kept) and bool((distinct == 2).all())),
        kept=kept,
        values=choices.values,
        shift=shift,
        low=choices.low,
        high=choices.high,
        forced=choices.forced,
        least_cost=choices.least_cost,
        most_features=room,
        base_penalty=choices.base_penalty,
    )


@dataclass(frozen=True)
class _CentredColumn:
    x: Floats
    shift: int
    step: float
    deviation: float


def _centred(column: IntArray, weights: Floats) -> _CentredColumn:
    """Shift a whole column by about its mean and divide it by a power of two near its standard deviation."""
    check_deadline()
    x, shift, deviation = centred_column(column, weights)
    step = 2.0 ** round(np.log2(deviation)) if deviation else 1.0
    return _CentredColumn(x / step, shift, step, deviation)


def _check_logits(problem: Problem, kept: tuple[int, ...], points: Floats, values: Floats) -> None:
    """Refuse columns whose log odds cannot be held to 1e-9, where their points are the log odds."""
    logits = points * values
    if logits.max(initial=0.0) > _MOST_LOGIT:
        worst = int(logits.argmax())
        raise UnsupportedProblemError(
            f"column {problem.rows.names[kept[worst]]!r} has values as far as {values[worst]:.3g} from their "
            f"mean, and up to {points[worst]:.3g} points",
            f"with slope=1 these change the log odds by {logits[worst]:.3g}, and doubles hold no more than "
            f"{_MOST_LOGIT:.0e} to 1e-9: divide the column by a power of ten, or use slope='free'",
        )


def _without_spread(deviation: Floats, scale: Floats, values: Floats) -> None:
    """Give constant columns, which are 0 here, a scale among the others, and deviations that cap no slope."""
    flat = deviation == 0
    if not flat.any() or flat.all():
        deviation[flat] = 1.0
        return
    scale[flat] = np.median(scale[~flat])
    sizes = np.abs(values)
    fewest = np.where(sizes > 0, sizes, np.inf).min(axis=1)
    deviation[flat] = (deviation * fewest)[~flat].min() / sizes.max(axis=1)[flat]


def _modulo_whole(shift: Fraction, values: tuple[Fraction, ...]) -> float:
    """A small shift that differs from another by a whole number, whichever of the values multiplies it."""
    return float(shift % lcm(*(v.denominator for v in values)))


def _merged(problem: Problem, kept: tuple[int, ...]) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """The weight of each class in each distinct row, as a share of N, and the distinct row of each row."""
    rows = problem.rows
    columns = [rows.columns[j] for j in kept] or [np.zeros(rows.n_rows, np.int64)]
    group, first = row_groups(columns)
    weights = np.array(rows.weights, dtype=float)
    negative, positive = (float(w / problem.total_weight) for w in problem.class_weights)
    of_positive = np.zeros(len(first))
    of_negative = np.zeros(len(first))
    np.add.at(of_positive, group, np.where(rows.positive, weights * positive, 0.0))
    np.add.at(of_negative, group, np.where(rows.positive, 0.0, weights * negative))
    return of_positive, of_negative, group


def _rates(problem: Problem, group: NDArray[np.intp], n_groups: int) -> tuple[Floats, Floats]:
    """The weights of the limits on wrong rows by distinct row and prediction, and what they may add up to."""
    limits, most = [], []
    for limit in problem.rate_limits:
        weights = np.array(limit.weights, dtype=float)
        missed = np.where(problem.rows.positive, weights, 0.0)
        limits.append([np.bincount(group, w, n_groups) for w in (missed, weights - missed)])
        most.append([float(limit.at_most), float(np.abs(weights).sum())])
    return np.array(limits).reshape(len(most), 2, n_groups), np.array(most).reshape(len(most), 2)


def _ranks(x: Floats) -> tuple[NDArray[np.int32], Ints]:
    """The rank of every value in its column, and how many distinct values each column has."""
    ranks, distinct = np.empty(x.shape, np.int32), np.zeros(len(x), np.int64)
    for j, values in enumerate(x):
        check_deadline()
        different, place = np.unique(values, return_inverse=True)
        ranks[j], distinct[j] = place.reshape(-1), len(different)
    return ranks, distinct


def _error_limits(
    x: Floats, positive: Floats, negative: Floats, reach: Floats, shift: Floats, room: int, slope_is_free: bool
) -> Floats:
    """(B, relative error, fixed error), as `value_of_bound` subtracts them, and three errors of one card.

    Those are for slope 1: the logits of a card, the last of them, are off by a few roundings of their terms,
    and of what its points `shift` the whole intercept by, however many rows there are; and so are its loss,
    in addition to the relative error, and its derivative by the intercept. So where scores are large, rounding may
    keep a relaxation from excluding a card, but not from judging it.

    B: with a free slope, a card at its best slope and intercept loses no more than the best constant risk, loss L0. By
    Jensen's inequality W-·(b + mean of the scores of the negative rows) <= L0, and likewise for the positive rows,
    which bounds |b|. With slope 1, the best b lies within the largest score of the log odds.
    """
    n = x.shape[1]
    of_positive, of_negative = float(positive.sum()), float(negative.sum())
    both = of_positive + of_negative
    constant = -of_positive * log(of_positive / both) - of_negative * log(of_negative / both)

    def largest(of_column: Floats) -> float:
        return float(np.sort(of_column)[::-1][:room].sum())

    if slope_is_free:
        means = np.maximum(np.abs(x @ positive) / of_positive, np.abs(x @ negative) / of_negative)
        intercept = constant / min(of_positive, of_negative) + largest(reach * means)
    else:
        intercept = abs(log(of_positive / of_negative)) + largest(reach * np.abs(x).max(axis=1, initial=0))
    intercept = 1.001 * intercept + 1
    relative = 2 * (min(n, BLOCK + n / BLOCK) + 16) * _ROUNDING
    sums = largest(reach * (np.abs(x) @ (positive + negative)))
    fixed = relative * (sums + intercept * both) + 4 * n * _ROUNDING * max(constant, 1.0) + 1e-15
    of_terms, most = 2 * (room + 8) * _ROUNDING, intercept + largest(shift)
    of_card = of_terms * (sums + most * both) + 1e-15
    of_logits = of_terms * (largest(reach * np.abs(x).max(axis=1, initial=0)) + most)
    return np.array([intercept, relative, fixed, of_card, (relative + of_logits) * both, of_logits])


def _bit_sets(problem: Problem, x: Floats, group: NDArray[np.intp], *, is_binary: bool) -> Bits:
    """Bit sets where every column has two values and the rows can be counted one by one."""
    rows = problem.rows
    if not is_binary or problem.total_weight > _MOST_BITS:
        empty = np.zeros(0)
        return Bits(np.zeros((len(x), 0), np.uint64), np.zeros(0, np.uint64), 0, empty, empty, empty, 1.0, 1.0)
    copies = np.repeat(np.arange(rows.n_rows), rows.weights.astype(np.int64))
    positive = copies[rows.positive[copies]]
    negative = copies[~rows.positive[copies]]
    top = x > x.min(axis=1, keepdims=True)

    def packed(of_rows: Flags) -> Words:
        size = -(-of_rows.shape[-1] // 64) * 64
        wide = np.zeros((*of_rows.shape[:-1], size), bool)
        wide[..., : of_rows.shape[-1]] = of_rows
        return np.packbits(wide, axis=-1).view(np.uint64)

    parts = [packed(top[:, group[chosen]]) for chosen in (positive, negative)]
    everything = [packed(np.ones(len(chosen), bool)) for chosen in (positive, negative)]
    of_negative, of_positive = (float(w / problem.total_weight) for w in problem.class_weights)

    def products(count: int, unit: float) -> Floats:
        weight = np.arange(count + 1) * unit
        return np.where(weight > 0, weight * np.log(np.maximum(weight, 1e-300)), 0.0)

    same = of_negative == of_positive
    return Bits(
        columns=np.ascontiguousarray(np.concatenate(parts, axis=1)),
        all=np.concatenate(everything),
        split=parts[0].shape[1],
        of_positive=products(len(positive), of_positive),
        of_negative=products(len(negative), of_negative),
        of_both=products(len(copies), of_positive) if same else np.zeros(0),
        unit_positive=of_positive,
        unit_negative=of_negative,
    )


_MOST_CELLS = 512
_SETTLED = 100


def new_best(instance: RiskInstance) -> Best:
    return Best(np.array([np.inf]), instance.data.zero.copy(), np.array([1.0, 0.0]))


def copy_best(source: Best, target: Best) -> None:
    for mine, other in zip(target, source, strict=True):
        mine[:] = other


def new_settled(instance: RiskInstance) -> SwapRecord:
    """Room for cards that features were swapped in."""
    return SwapRecord(np.zeros((_SETTLED, len(instance.kept)), np.int64), np.zeros(1, np.int64))


def new_support(instance: RiskInstance, room_for_cards: int = 0) -> Support:
    """Room for one support, and for cards to be listed."""
    data, k = instance.data, max(1, instance.most_features)
    n = data.x.shape[1]
    sizes = {"columns": k + 1, "rows": n, "cards": room_for_cards, "numbers": 1 + 2 * (k + 1)}
    return zeros(Support, sizes, order=np.arange(k + 1), floor=np.array([np.inf]))


def new_boxes(instance: RiskInstance) -> Boxes:
    k = max(1, instance.most_features)
    spread = np.sort(instance.high - instance.low)[::-1][:k].sum() if len(instance.low) else 0
    return zeros(Boxes, {"stack": int(spread) + 4, "columns": k + 1, "point": k + 3, "wide": k + 5})


def new_cells(instance: RiskInstance) -> Cells:
    levels = instance.most_features + 2
    n, words = instance.data.x.shape[1], len(instance.bits.all)
    cells = min(_MOST_CELLS, 2 ** min(levels, 20)) if words else 0
    return zeros(Cells, {"levels": levels, "rows": 0 if words else n, "cells": cells, "words": words})


def arrays_of(instance: RiskInstance) -> Iterator[Any]:
    """The parts of an instance that the kernels and the tree read, in the order of `instance_of`."""
    yield from instance.data
    yield from instance.bits
    yield from (instance.low, instance.high, instance.forced, instance.least_cost, instance.most_features)


def instance_of(values: Iterator[Any]) -> RiskInstance:
    """An instance that can be searched; a worker needs no exact values."""
    data, bits = fields_of(RiskData, values), fields_of(Bits, values)
    low, high, forced, least_cost, most_features = values
    return RiskInstance(
        data=data,
        bits=bits,
        kept=tuple(range(len(low))),
        values=(),
        shift=(),
        low=low,
        high=high,
        forced=forced,
        least_cost=least_cost,
        most_features=most_features,
        base_penalty=Fraction(0),
    )

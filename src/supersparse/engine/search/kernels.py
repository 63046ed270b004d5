"""The compiled search for good models, see ``native/errors``: its arrays, made of an IntegerForm, and its kernels."""

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints, Words
from supersparse.base.stop import check_deadline
from supersparse.engine.core import kernel
from supersparse.engine.integer_form import IntegerForm


class SearchData(NamedTuple):
    """The arrays of an IntegerForm as the search kernels read them: columns by their nonzeros.

    Losses, penalties and prices are in search units: kernel units times a factor, so fine that the tie-break
    by l1 weighs less than any other difference.
    """

    start: Ints  # (p + 1) where each column's nonzeros begin
    row: NDArray[np.int32]
    entry: Ints
    positive: Ints
    negative: Ints
    values: Ints  # (p, widest set) padded
    n_values: Ints
    zero: Ints  # index of 0 in each set, -1 where a set leaves it out
    value_penalty: Ints  # (p, widest set): the whole penalty of a value, C1 and the tie-break by l1 included
    l1_penalty: int  # of one unit of magnitude: C1 and the tie-break
    max_size: int
    step: int
    half: int  # 1 where b stands for b + 1/2, so that no score is 0
    intercept_low: int
    intercept_high: int
    intercepts: Ints  # allowed b, sorted; empty where all between the ends are
    intercept_penalties: Ints  # of each of them, without |b|
    limit_term: Ints  # (limits, p, widest set): what each value counts
    limit_most: Ints
    limit_price: Ints  # of one unit too much
    group_start: Ints  # features that must have points of one sign, group after group ...
    group_feature: Ints  # ... group g has those from group_start[g] to group_start[g + 1]
    group_price: int  # of one feature with the other sign


@kernel
def price_of(data: SearchData, index: Ints, window: int) -> tuple[int, int]:
    """Return (cost, b) of a model with its best threshold, limits included; 2^61 if it is too large.

    Where each threshold has a penalty of its own, only those within `window` of 0 are tried.
    """


@kernel
def rescore(data: SearchData, index: Ints, scores: Ints) -> None:
    """Fill the scores of a model, the intercept left out."""


@kernel
def descend(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, window: int, budget: int,
    state: Words, work: Ints,
) -> int:  # fmt: skip
    """Improve a model until no line and no swap helps, or the budget of touched rows is spent.

    Changes `index`, `intercept[0]` and `scores`; returns the cost reached, the tie-break included.
    """


@kernel
def anneal(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, best_index: Ints, hot: float, cold: float,
    moves: int, settled: bool, window: int, state: Words, work: Ints,
) -> int:  # fmt: skip
    """Walk for `moves` steps while cooling from `hot` to `cold`; return the best cost seen.

    A model beyond a limit pays for it. `index`, `intercept[0]` and `scores` follow the walk; `best_index` and
    `intercept[1]` receive the best model.
    """


@kernel
def heat_bath(
    data: SearchData, index: Ints, intercept: Ints, scores: Ints, best_index: Ints, hot: int, cold: int,
    steps: int, progress: Ints, noise: Ints, window: int, budget: int, state: Words, work: Ints,
) -> int:  # fmt: skip
    """Take steps while cooling from `hot` to `cold`, as far as the budget goes; return the best cost seen.

    `progress` counts the steps done, and those in a row that changed nothing: without heat the walk ends when
    no place has a better feature. `noise` holds draws of the Gumbel distribution, in 1/256. `index`,
    `intercept[0]` and `scores` follow the walk; `best_index` and `intercept[1]` receive the best model.
    """


_ROOM = 2**59  # the largest cost that the kernels may compute
_LARGEST_LIMIT = 2**50  # what a limit may come to


def search_data(form: IntegerForm, largest: int | None = None, *, even: bool = False) -> SearchData:
    """Lay out the arrays; `largest` keeps values up to that size, `even` even ones, where a set has some.

    Costs are multiplied so that one unit of l1 can weigh less than any other difference: the
    tie-break then needs no second objective.
    """
    sets = [_narrowed(values.sample, largest, even) for values in form.values]
    widest = max(len(v) for v in sets)
    values = np.zeros((len(sets), widest), np.int64)
    for j, v in enumerate(sets):
        values[j, : len(v)] = v
        values[j, len(v) :] = v[-1]
    factor, tie = _units(form)
    terms, most = _limits(form, values)
    groups = [np.flatnonzero(limit.together) for limit in form.problem.sign_limits]
    price = _price(form, factor, len(most) + len(groups))
    row, entry, start = [], [], [0]
    for column in form.columns:
        check_deadline()
        nonzero = np.flatnonzero(column)
        row.append(nonzero)
        entry.append(column[nonzero])
        start.append(start[-1] + len(nonzero))
    return SearchData(
        start=np.array(start, np.int64),
        row=np.concatenate(row).astype(np.int32),
        entry=np.concatenate(entry),
        positive=form.positive * factor,
        negative=form.negative * factor,
        values=values,
        n_values=np.array([len(v) for v in sets], np.int64),
        zero=np.array([int(np.flatnonzero(v == 0)[0]) if (v == 0).any() else -1 for v in sets], np.int64),
        value_penalty=_value_penalties(form, values, factor, form.l1_penalty * factor + tie),
        l1_penalty=form.l1_penalty * factor + tie,
        max_size=form.max_size,
        step=form.step,
        half=form.half,
        intercept_low=form.intercept_low,
        intercept_high=form.intercept_high,
        intercepts=form.intercept_values,
        intercept_penalties=form.intercept_penalties * factor,
        limit_term=terms,
        limit_most=most,
        limit_price=np.full(len(most), price, np.int64),
        group_start=np.cumsum([0, *map(len, groups)], dtype=np.int64),
        group_feature=np.concatenate([np.zeros(0, np.int64), *groups]).astype(np.int64),
        group_price=price,
    )


def _value_penalties(form: IntegerForm, values: Ints, factor: int, l1_penalty: int) -> Ints:
    result = np.zeros_like(values)
    for j, (allowed, penalties) in enumerate(zip(form.values, form.penalties, strict=True)):
        if form.problem.levels[j] is None:
            result[j] = np.where(values[j] != 0, penalties.least_used * factor, 0)
        else:
            result[j] = [penalties.of(allowed, int(v)) * factor for v in values[j]]
    result += np.abs(values) * l1_penalty
    return result


def _limits(form: IntegerForm, values: Ints) -> tuple[Ints, Ints]:
    """The weight of each value in each limit on the support or the score, as small integers.

    A guide for the search alone, so limits that do not come out even are rounded.
    """
    problem = form.problem
    terms, most = [], []
    for limit in problem.support_limits:
        unit = _unit([Fraction(w) for w in limit.weights], limit.at_most, form.n_features)
        weights = np.array([round(w * unit) for w in limit.weights], np.int64)
        terms.append(np.where(values != 0, weights[:, None], 0))
        most.append(round(limit.at_most * unit))
    for score in problem.score_limits:
        reach = max((allowed.largest for allowed in form.values), default=1)
        unit = _unit([*score.low, *score.high], score.at_most * problem.unit, max(1, reach))
        low = np.array([round(v * unit) for v in score.low], np.int64)[:, None]
        high = np.array([round(v * unit) for v in score.high], np.int64)[:, None]
        terms.append(np.maximum(values * low, values * high))
        most.append(round(score.at_most * unit * problem.unit))
    shape = (len(terms), *values.shape)
    return np.array(terms, np.int64).reshape(shape), np.array(most, np.int64)


def _unit(numbers: list[Fraction], most: Fraction, reach: int) -> Fraction:
    """Whole numbers where they stay small, multiplied by `reach` too, else a fine enough rounding."""
    whole = lcm(*(v.denominator for v in (*numbers, most)))
    largest = max((abs(most), *(abs(v) * reach for v in numbers)), default=Fraction(1)) or Fraction(1)
    return Fraction(whole) if whole * largest <= _LARGEST_LIMIT else _LARGEST_LIMIT / largest


def _narrowed(values: Ints, largest: int | None, even: bool) -> Ints:
    kept = values
    if largest is not None:
        kept = kept[np.abs(kept) <= largest]
    if even:
        kept = kept[kept % 2 == 0]
    return kept if len(kept) else values


def _total(form: IntegerForm) -> int:
    """More than any model costs, in kernel units; prices on rates included."""
    return int(form.positive.sum() + form.negative.sum()) + form.most_penalty + 1


def _price(form: IntegerForm, factor: int, limits: int) -> int:
    """The price of one unit beyond a limit: more than any model costs, if eight units of each have room."""
    return min(2 * factor * _total(form), _ROOM // (8 * max(1, limits)))


def _units(form: IntegerForm) -> tuple[int, int]:
    """Search units: the factor from kernel units, and what one unit of l1 weighs as a tie-break."""
    total = _total(form)
    problem = form.problem
    limited = problem.support_limits or problem.sign_limits or problem.score_limits
    factor = max(1, _ROOM // ((64 if limited else 2) * total))
    magnitudes = sorted((values.largest for values in form.values), reverse=True)
    longest = sum(magnitudes[: form.max_size]) + int(np.abs(form.intercept_values).max(initial=0)) + 1
    weights = np.concatenate([form.positive, form.negative, form.used_penalty])
    least = int(weights[weights > 0].min(initial=total))
    return factor, max(1, min(factor * least // (20 * longest), _ROOM // (4 * longest)))

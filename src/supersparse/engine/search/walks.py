"""The compiled kernels of the search for good models, see ``native/errors``: descent, annealing, heat bath."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints, Words
from supersparse.engine.core import kernel


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


def price_of(data: SearchData, index: Ints, window: int) -> tuple[int, int]:
    """Return (cost, b) of a model with its best threshold, limits included; 2^61 if it is too large.

    Where each threshold has a penalty of its own, only those within `window` of 0 are tried.
    """
    b = np.empty(1, np.int64)
    cost = _price_of(data, index, window, b)
    return cost, int(b[0])


@kernel
def _price_of(data: SearchData, index: Ints, window: int, b: Ints) -> int: ...


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

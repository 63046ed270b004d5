"""What the compiled search does inside, see ``native/tests/lines_probes.cpp``."""

import numpy as np

from supersparse.base.integer_arrays import Ints, Words
from supersparse.engine.core import kernel
from supersparse.engine.search.kernels import SearchData


def best_b(scores, data, centre, window):
    """(loss with the cost of b, b) for the best b within a window."""
    b = np.empty(1, np.int64)
    return probe_best_b(scores, data, centre, window, b), int(b[0])


def best_b_anywhere(scores, data):
    """(loss, b) for the best b of all."""
    b = np.empty(1, np.int64)
    return probe_best_b_anywhere(scores, data, b), int(b[0])


def line_at_fixed_b(scores, data, j, current, b):
    """(the loss as it is, the loss for each value of feature j)."""
    totals = np.empty(data.values.shape[1] + 2, np.int64)
    return probe_line_at_fixed_b(scores, data, j, current, b, totals), totals[: data.n_values[j]]


def best_on_line(scores, data, j, index, b, zero, used, window):
    """(cost, index of the value, b) of the best value of feature j."""
    found = np.empty(2, np.int64)
    cost = probe_best_on_line(scores, data, j, index, b, zero, used, window, found)
    return cost, int(found[0]), int(found[1])


def model_penalty(data, index):
    """(penalty, size) of a model."""
    size = np.empty(1, np.int64)
    return probe_model_penalty(data, index, size), int(size[0])


@kernel
def probe_best_b(scores: Ints, data: SearchData, centre: int, window: int, b: Ints) -> int: ...


@kernel
def probe_best_b_anywhere(scores: Ints, data: SearchData, b: Ints) -> int: ...


@kernel
def probe_line_at_fixed_b(scores: Ints, data: SearchData, j: int, current: int, b: int, totals: Ints) -> int: ...


@kernel
def probe_best_on_line(
    scores: Ints, data: SearchData, j: int, index: int, b: int, zero: bool, used: bool, window: int, found: Ints
) -> int: ...


@kernel
def probe_model_penalty(data: SearchData, index: Ints, size: Ints) -> int: ...


@kernel
def probe_excess(data: SearchData, index: Ints) -> int: ...


@kernel
def probe_next_random(state: Words) -> int: ...


@kernel
def probe_shuffle(order: Ints, state: Words) -> None: ...

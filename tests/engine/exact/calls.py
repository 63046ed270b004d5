"""What tests ask of one support, its boxes and its packings: `native/tests/slices_probes.cpp`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.core import kernel
from supersparse.engine.exact.tree_data import Pairs

UNLIMITED = 2**60
"""A capacity that no packing uses up."""


class CellRates(NamedTuple):
    """`CellRates` of `native/errors/support.hpp`."""

    true_positive: Ints
    true_negative: Ints
    positive: Ints
    negative: Ints
    most: Ints


class SupportData(NamedTuple):
    """`SupportData` of `native/errors/support.hpp`."""

    up_x: Ints
    down_x: Ints
    up_weight: Ints
    down_weight: Ints
    cell_x: Ints
    positive: Ints
    negative: Ints
    first: Ints
    stride: Ints
    table: Ints
    spread: Floats
    step: int
    slack: int
    judged: int
    half: int
    base_loss: int
    fixed_cost: int
    shift: int
    l1_penalty: int
    is_flat: int
    magnitude_extra: Ints
    intercept_extra: Ints
    score_rate: Ints
    score_most: Ints
    rates: CellRates
    intercept_low: int
    intercept_high: int
    intercepts: Ints
    counts_b: int


def magnitude(data: SupportData, f: int, index: int) -> int:
    stride = data.stride[f]
    return int(data.first[f] + stride * index if stride else data.table[f, index])


@kernel
def probe_cell_weights(cell: Ints, positive: Ints, negative: Ints, up: Ints, down: Ints, row: Ints) -> None: ...


def cell_weights(cell: Ints, count: int, positive: Ints, negative: Ints) -> Ints:
    sums = np.zeros((3, count), np.int64)
    probe_cell_weights(cell, positive, negative, *sums)
    return sums


@kernel
def probe_net_cells(x: Ints, heavy: Ints, light: Ints, net: Ints, weight: Ints) -> int: ...


def net_cells(x: Ints, heavy: Ints, light: Ints) -> tuple[Ints, Ints]:
    net, weight = np.empty_like(x), np.empty(len(x), np.int64)
    n = probe_net_cells(x, heavy, light, net, weight)
    return net[:n], weight[:n]


@kernel
def probe_spreads(x: Ints, weight: Ints, spread: Floats) -> None: ...


def spreads(x: Ints, weight: Ints) -> Floats:
    spread = np.empty(x.shape[1])
    probe_spreads(x, weight, spread)
    return spread


@kernel
def probe_evaluate(data: SupportData, vector: Ints, b_low: int, b_high: int, within_rates: bool, b: Ints) -> int: ...


def evaluate_vector(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    b = np.empty(1, np.int64)
    return probe_evaluate(data, vector, b_low, b_high, False, b), int(b[0])


def evaluate_within_rates(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    b = np.empty(1, np.int64)
    return probe_evaluate(data, vector, b_low, b_high, True, b), int(b[0])


@kernel
def probe_least_l1(data: SupportData, low: Ints, high: Ints) -> int: ...


@kernel
def probe_least_fixed_cost(data: SupportData, low: Ints, high: Ints) -> int: ...


@kernel
def probe_scores_too_high(data: SupportData, low: Ints, high: Ints) -> bool: ...


@kernel
def probe_loss_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int: ...


@kernel
def probe_widest(data: SupportData, low: Ints, high: Ints) -> int: ...


@kernel
def probe_split_at(data: SupportData, dimension: int, low: int, high: int) -> int: ...


least_l1, least_fixed_cost, scores_too_high = probe_least_l1, probe_least_fixed_cost, probe_scores_too_high
loss_bound, widest, split_at = probe_loss_bound, probe_widest, probe_split_at


def cost_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int:
    fixed = least_fixed_cost(data, low, high)
    return fixed + loss_bound(data, low, high, enough - fixed)


@kernel
def probe_run_boxes(
    data: SupportData, stack: Ints, top: int, cut: int, best_l1: int, ties: bool, budget: int, hit: Ints, counts: Ints
) -> int: ...


def run_boxes(
    data: SupportData, stack: Ints, top: int, cut: int, best_l1: int, ties: bool, budget: int, hit: Ints
) -> tuple[int, int, int]:
    """Return (result, new top, boxes spent)."""
    counts = np.empty(2, np.int64)
    result = probe_run_boxes(data, stack, top, cut, best_l1, ties, budget, hit, counts)
    return result, int(counts[0]), int(counts[1])


@kernel
def probe_pack_node(
    pairs: Pairs, chosen: NDArray[np.int32], allowed: Flags, penalty: Ints, room: int, theta: int, enough: int,
    load: Ints, refused: Ints, by_literal: Ints, counts: Ints,
) -> int: ...  # fmt: skip


def pack_node(
    pairs: Pairs, chosen: NDArray[np.int32], allowed: Flags, penalty: Ints, room: int, theta: int, enough: int,
    load: Ints, refused: Ints, by_literal: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Return (bound, its θ, packings tried)."""
    counts = np.empty(2, np.int64)
    bound = probe_pack_node(pairs, chosen, allowed, penalty, room, theta, enough, load, refused, by_literal, counts)
    return bound, int(counts[0]), int(counts[1])


@kernel
def probe_literal_bounds(
    total: int, load: Ints, penalty: Ints, allowed: Flags, gained: int, least: int, bound: Ints
) -> None: ...


def literal_bounds(total: int, load: Ints, penalty: Ints, allowed: Flags, gained: int, least: int, bound: Ints) -> None:
    probe_literal_bounds(total, load, penalty, allowed, gained, least, bound)

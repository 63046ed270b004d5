"""Inner kernels for callers in Python: a solve calls them from other kernels alone."""

import numpy as np
from numpy.typing import NDArray

from supersparse.engine.kernels import boxes, nodes, support
from supersparse.engine.kernels.jit import kernel
from supersparse.engine.kernels.support import SupportData
from supersparse.engine.kernels.tree_data import Pairs

Ints = NDArray[np.int64]


@kernel()
def magnitude(data: SupportData, f: int, index: int) -> int:
    return support.magnitude(data.first, data.stride, data.table, f, index)


@kernel()
def evaluate_vector(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    return support.evaluate_vector(data, vector, b_low, b_high)


@kernel()
def evaluate_within_rates(data: SupportData, vector: Ints, b_low: int, b_high: int) -> tuple[int, int]:
    return support.evaluate_within_rates(data, vector, b_low, b_high)


@kernel()
def least_l1(data: SupportData, low: Ints, high: Ints) -> int:
    return boxes.least_l1(data, low, high)


@kernel()
def least_fixed_cost(data: SupportData, low: Ints, high: Ints) -> int:
    return boxes.least_fixed_cost(data, low, high)


@kernel()
def scores_too_high(data: SupportData, low: Ints, high: Ints) -> bool:
    return boxes.scores_too_high(data, low, high)


@kernel()
def loss_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int:
    return boxes.loss_bound(data, low, high, enough, boxes.new_space(data))


@kernel()
def cost_bound(data: SupportData, low: Ints, high: Ints, enough: int) -> int:
    return boxes.cost_bound(data, low, high, enough, boxes.new_space(data))


@kernel()
def widest(data: SupportData, low: Ints, high: Ints) -> int:
    return boxes.widest(data, low, high)


@kernel()
def split_at(data: SupportData, dimension: int, low: int, high: int) -> int:
    return boxes.split_at(data, dimension, low, high)


@kernel()
def run_boxes(
    data: SupportData, stack: Ints, top: int, cut: int, best_l1: int, ties: bool, budget: int, hit: Ints
) -> tuple[int, int, int]:
    return boxes.run_boxes(data, stack, top, cut, best_l1, ties, budget, hit, boxes.new_space(data))


@kernel()
def pack_node(
    pairs: Pairs, chosen: Ints, allowed: Ints, penalty: Ints, room: int, theta: int, enough: int, load: Ints,
    refused: Ints, by_literal: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    return nodes.pack_node(pairs, chosen, allowed, penalty, room, theta, enough, load, refused, by_literal)

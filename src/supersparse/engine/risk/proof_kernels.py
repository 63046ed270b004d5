"""The kernels of a proof (``native/log_loss``): relaxations of nodes, and the enumeration of what these leave."""

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.core import kernel
from supersparse.engine.risk.data import Best, Bits, Boxes, Cells, RiskData, Support


@kernel
def relax(
    data: RiskData, columns: Ints, low: Floats, high: Floats, optional: Ints, cost: Floats, room: int,
    slope_low: float, slope_high: float, threshold: float, haste: float, point: Floats, dual: Floats,
    work: Floats, gram: Floats, found: Floats,
) -> bool:  # fmt: skip
    """Whether the bound of a box's relaxation passes the threshold; `found` receives it and the relaxed loss.

    Where it cannot pass, it ends when a step gains less than `haste` of what the loss is below the threshold.
    point = (a, b, beta...) is the start and receives the end. dual receives the tangent's constant and its
    gradient at the best bound; gram the curvature of the loss near the end, with the intercept first.
    """


@kernel
def relax_open(
    data: RiskData, columns: Ints, low: Floats, high: Floats, optional: Ints, cost: Floats, room: int,
    slope_high: float, threshold: float, point: Floats, dual: Floats, work: Floats, gram: Floats, found: Floats,
) -> bool:  # fmt: skip
    """Do the same where low < 0 < high in every column and nothing has a price.

    The largest slope counts in the bound alone: where the point has it, the relaxation itself may be better.
    """


@kernel
def run_completions(
    data: RiskData, support: Support, boxes: Boxes, best: Best, bits: Bits, cells: Cells, used: Ints,
    candidates: Ints, room: int, low: Ints, high: Ints, start: Floats, loss_floor: float, least_cost: Floats,
    budget: int,
) -> bool:  # fmt: skip
    """Go through the completions of `used` by at most `room` candidates; True when all are done.

    Where 0 points are allowed in a support, only completions of full size are tried, since they contain the
    smaller ones. `least_cost` is the least penalty of each column; `loss_floor` bounds the loss of them all.
    """


@kernel
def support_tree(data: RiskData, bits: Bits, most_features: int) -> int:
    """The address of a new proof over supports of binary columns, to be freed; its arrays must live as long."""


@kernel
def free_supports(tree: int) -> None:
    """Free a proof."""


@kernel
def start_supports(
    tree: int, data: RiskData, used: Ints, candidates: Ints, room: int, most_features: int, low: Ints, high: Ints,
    point: Floats,
) -> None:  # fmt: skip
    """Begin with the supports that use these columns and at most `room` of the candidates."""


@kernel
def run_supports(tree: int, support: Support, boxes: Boxes, best: Best, budget: int) -> bool:
    """Go through the supports; True when all are done."""


@kernel
def find_cards(
    tree: int, data: RiskData, support: Support, best: Best, low: Ints, high: Ints, budget: int
) -> bool:  # fmt: skip
    """Look for good cards before the proof, for so much work; False once that is enough."""


@kernel
def supports_left(tree: int) -> int:
    """At most how many nodes `list_supports` has."""


@kernel
def list_supports(tree: int, status: NDArray[np.int8], bounds: Floats) -> int:
    """What is left as nodes, except for boxes of the support at hand: statuses, and bounds on the loss."""

"""Within the risk engine, by ``native/tests/cone_probes.cpp`` and ``loss_probes.cpp``: rows, boxes, one card."""

from typing import NamedTuple

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.core import kernel
from supersparse.engine.risk.kernels import RiskData, Support


class ConeProblem(NamedTuple):
    """Rows, and the cards of a box: a·low <= beta <= a·high."""

    x: Floats
    columns: Ints
    positive: Floats
    negative: Floats
    low: Floats
    high: Floats
    slope_is_free: int
    slope_high: float
    threshold: float
    limits: Floats


@kernel
def probe_relax_box(
    problem: ConeProblem, accuracy: float, point: Floats, dual: Floats, work: Floats, gradient: Floats,
    model: Floats, found: Floats,
) -> bool:  # fmt: skip
    """Relax a box; `found` receives the bound and the loss."""


@kernel
def probe_quadratic_below(
    problem: ConeProblem, point: Floats, loss: float, gradient: Floats, work: Floats, quadratic: Floats
) -> int:
    """Make a quadratic where a box was relaxed."""


@kernel
def probe_least_in_cone(problem: ConeProblem, quadratic: Floats, point: Floats, found: Floats) -> None:
    """`found` receives a lower bound of the quadratic."""


@kernel
def probe_is_above(problem: ConeProblem, point: Floats, work: Floats, gradient: Floats, quadratic: Floats) -> bool:
    """Whether all cards are above the threshold, by the loss at one point."""


@kernel
def probe_last_column(
    data: RiskData, support: Support, columns: Ints, thresholds: Floats, step: Floats, found: Floats
) -> bool:
    """Fit a support without its last column; `found`: that loss, and for each threshold whether it is excluded."""


@kernel
def probe_logarithms(x: Floats, out: Floats) -> None:
    """Fill `out` with log x as the core has it."""


@kernel
def probe_entropy(risk: Floats, positive: Floats, negative: Floats, out: Floats) -> None:
    """Fill out[0] with the least loss of rows with these risks."""


@kernel
def probe_scores(x: Floats, columns: Ints, point: Floats, first: int, z: Floats) -> None:
    """Fill z with point[0] + Σ_j point[first + j]·x[columns[j]]."""


@kernel
def probe_dots(x: Floats, columns: Ints, v: Floats, out: Floats) -> None:
    """Fill out[j] with v·x[columns[j]]."""


@kernel
def probe_curvature(x: Floats, columns: Ints, weights: Floats, h: Floats) -> None:
    """Fill h with Σ weight·x·x', the intercept first."""


@kernel
def probe_load(data: RiskData, support: Support, columns: Ints) -> int:
    """Make columns the support at hand; how many rows it has once equal ones are merged."""


@kernel
def probe_card_loss(data: RiskData, support: Support, index: Ints, fit: Floats, found: Floats) -> None:
    """`found` receives the least loss of a card on the support at hand, and its bound."""

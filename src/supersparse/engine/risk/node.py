"""Node: a part of the search space, as bytes, and with the best card in the file of a checkpoint."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.risk.instance import RiskInstance
from supersparse.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Node:
    """-1 for a column that is out, 0 for an open one, 1 for a used one; and the range of its points."""

    status: NDArray[np.int8]
    bound: float  # of loss and penalty
    loss_bound: float  # of the loss alone
    low: Ints  # as indices into the values of each column
    high: Ints
    point: Floats  # (slope, intercept, beta of every column): where the relaxation starts

    def to_bytes(self) -> bytes:
        numbers = np.concatenate([[self.bound, self.loss_bound], self.point]).astype("<f8")
        ranges = np.concatenate([self.low, self.high]).astype("<i4")
        return zlib.compress(numbers.tobytes() + ranges.tobytes() + self.status.tobytes())


def node_from_bytes(written: bytes, instance: RiskInstance) -> Node:
    """Read a node of this instance; a `ValueError` says what cannot be part of it."""
    p = len(instance.kept)
    sizes = 8 * (4 + p), 8 * p, p
    plain = zlib.decompressobj().decompress(written, sum(sizes) + 1)
    if len(plain) != sum(sizes):
        raise ValueError(f"a node is {len(plain)} bytes long, not {sum(sizes)}")
    numbers = np.frombuffer(plain[: sizes[0]], "<f8").astype(np.float64)
    ranges = np.frombuffer(plain[sizes[0] : -p or None], "<i4").astype(np.int64)
    status = np.frombuffer(plain[len(plain) - p :], np.int8).copy()
    low, high = ranges[:p], ranges[p : 2 * p]
    if not np.isfinite(numbers).all():
        raise ValueError("a node has a number that is not finite")
    if not ((low >= instance.low) & (low <= high) & (high <= instance.high)).all():
        raise ValueError("a node allows points that the problem forbids")
    if not (np.isin(status, (-1, 0, 1)) & ~(instance.forced & (status != 1))).all():
        raise ValueError("a node leaves out a feature that every card uses, or marks one in no known way")
    return Node(status, float(numbers[0]), float(numbers[1]), low, high, numbers[2:])


def root_of(instance: RiskInstance, slope: float, intercept: float, index: Ints) -> Node:
    """The whole search space; the relaxation starts at this card."""
    data, p = instance.data, len(instance.kept)
    point = np.zeros(2 + p)
    point[0], point[1] = slope, intercept
    point[2:] = slope * data.values[np.arange(p), index] * data.scale
    status = np.where(instance.forced, 1, 0).astype(np.int8)
    return Node(status, 0.0, 0.0, instance.low, instance.high, point)


FORMAT = "supersparse risk checkpoint 2"


@dataclass(frozen=True, kw_only=True)
class SavedTree:
    coefficients: tuple[int, ...]  # of the best card, in the problem's unit
    lower_bound: Fraction
    floor: float  # the least bound of a card that could not be pruned; infinite if there is none
    nodes: tuple[Node, ...]


def written_tree(
    coefficients: tuple[int, ...], lower_bound: Fraction, floor: float, nodes: Sequence[Node]
) -> dict[str, Any]:
    return {
        "coefficients": coefficients,
        "lower_bound": str(lower_bound),
        "floor": None if floor == inf else floor,
        "nodes": [b64encode(node.to_bytes()).decode() for node in nodes],
    }


def read_tree(content: dict[str, Any], problem: Problem, instance: RiskInstance) -> SavedTree:
    """Read the open tree, checked."""
    floor = content["floor"]
    return SavedTree(
        coefficients=_coefficients(content["coefficients"], problem),
        lower_bound=Fraction(_text(content["lower_bound"])),
        floor=inf if floor is None else _real(floor),
        nodes=tuple(node_from_bytes(b64decode(_text(n)), instance) for n in content["nodes"]),
    )


def _coefficients(values: Any, problem: Problem) -> tuple[int, ...]:
    if not isinstance(values, list) or len(values) != problem.n_features:
        raise ValueError(f"it needs {problem.n_features} coefficients")
    for allowed, value in zip(problem.sets, values, strict=True):
        if type(value) is not int or Fraction(value, problem.unit) not in allowed:
            raise ValueError(f"the coefficient {value!r:.60} is not allowed")
    return tuple(values)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is not a string")
    return value


def _real(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or isnan(value):
        raise ValueError(f"{value!r:.60} is not a number")
    return float(value)

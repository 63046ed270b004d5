"""Checkpoints of the log-loss engine: the best card and the open nodes in a file."""

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isnan
from pathlib import Path
from typing import Any

from supersparse.engine import checkpoint_file
from supersparse.engine.risk.instance import RiskInstance
from supersparse.engine.risk.node import Node, node_from_bytes
from supersparse.problem.problem import Problem

_FORMAT = "supersparse risk checkpoint 2"


@dataclass(frozen=True, kw_only=True)
class Saved:
    """The contents of a checkpoint."""

    coefficients: tuple[int, ...]  # of the best card, in the problem's unit
    lower_bound: Fraction
    floor: float  # the least bound of a card that could not be pruned; infinite if there is none
    nodes: tuple[Node, ...]


def save_tree(
    path: Path,
    identity: str,
    coefficients: tuple[int, ...],
    lower_bound: Fraction,
    floor: float,
    nodes: Sequence[Node],
) -> None:
    """Write the open tree, atomically replacing an older file."""
    content = {
        "coefficients": coefficients,
        "lower_bound": str(lower_bound),
        "floor": None if floor == inf else floor,
        "nodes": [b64encode(node.to_bytes()).decode() for node in nodes],
    }
    checkpoint_file.save(path, _FORMAT, identity, content)


def load_tree(path: Path, identity: str, problem: Problem, instance: RiskInstance) -> Saved:
    """Read a checkpoint of this problem, or raise with the reason."""
    content = checkpoint_file.load(path, _FORMAT, identity)
    try:
        floor = content["floor"]
        return Saved(
            coefficients=_coefficients(content["coefficients"], problem),
            lower_bound=Fraction(_text(content["lower_bound"])),
            floor=inf if floor is None else _real(floor),
            nodes=tuple(node_from_bytes(b64decode(_text(n)), instance) for n in content["nodes"]),
        )
    except (ValueError, TypeError, KeyError, ArithmeticError, binascii.Error, zlib.error) as error:
        raise checkpoint_file.malformed(path, str(error) or type(error).__name__) from None


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

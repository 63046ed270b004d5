"""Checkpoints of the exact engine: the open tree in a file, so that a killed process loses little."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.exact import written_fraction
from supersparse.engine import checkpoint_file
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import literals_where
from supersparse.engine.exact.partition.tree import OpenNodes
from supersparse.engine.exact.partition.tree import PartitionNode as PartitionNode
from supersparse.engine.exact.parts import Part, coefficients_of, node_part, support_part, whole
from supersparse.engine.kernels.support_search import IMPROVING, PIECE

_FORMAT = "supersparse checkpoint 3"


@dataclass(frozen=True, kw_only=True)
class Saved:
    """The contents of a checkpoint: the best model's coefficients, the proven bound, the open parts.

    `second` is the open work of the second bound; None if it has not started.
    """

    coefficients: tuple[int, ...]
    lower_bound: Fraction
    parts: tuple[Part, ...]
    second: OpenNodes | None


def save_tree(
    path: Path,
    identity: str,
    coefficients: tuple[int, ...],
    lower_bound: Fraction,
    tasks: list[dict[str, Any]],
    second: OpenNodes | None,
) -> None:
    """Write the open tree, atomically replacing an older file."""
    content = {
        "coefficients": coefficients,
        "lower_bound": str(lower_bound),
        "tasks": tasks,
        "second": None if second is None else _written_second(second),
    }
    checkpoint_file.save(path, _FORMAT, identity, content)


def written(part: Part) -> dict[str, Any]:
    """Convert an open part to JSON data."""
    entry: dict[str, Any] = {"bound": part.bound, "case": part.case, "literals": part.literals}
    if part.allowed is not None:
        return entry | {"allowed": literals_where(part.allowed), "theta": part.theta}
    phase = IMPROVING if part.phase == PIECE else part.phase
    return entry | {"boxes": None if part.boxes is None else (phase, part.boxes.tolist())}


def _written_second(left: OpenNodes) -> dict[str, Any]:
    return {
        "given_up": [str(bound) for bound in left.given_up],
        "nodes": [
            {
                "bound": str(node.bound),
                "allowed": node.allowed,
                "sets": [[family, *quad.tolist()] for family, quad in node.sets],
            }
            for node in left.nodes
        ],
    }


def load_tree(path: Path, identity: str, cases: list[Instance]) -> Saved:
    """Read a checkpoint of this problem, or raise with the reason."""
    content = checkpoint_file.load(path, _FORMAT, identity)
    by_case = {instance.case: instance for instance in cases}
    try:
        return Saved(
            coefficients=tuple(coefficients_of(content["coefficients"], cases[0])),
            lower_bound=written_fraction(_text(content["lower_bound"])),
            parts=tuple(_read(entry, by_case[entry["case"]]) for entry in content["tasks"]),
            second=None if content["second"] is None else _read_second(content["second"]),
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise checkpoint_file.malformed(path, str(error) or type(error).__name__) from None


_LARGEST = 2**62
_MOST_FAMILIES = 2**31


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 4000:
        raise ValueError(f"{value!r:.60} is not a fraction")
    return value


def _read_second(entry: dict[str, Any]) -> OpenNodes:
    return OpenNodes(
        nodes=tuple(
            PartitionNode(
                written_fraction(_text(node["bound"])),
                tuple(tuple(whole(c, 0, _LARGEST) for c in states) for states in node["allowed"]),
                tuple(
                    (
                        whole(family, 0, _MOST_FAMILIES),
                        np.array([whole(i, 0, _LARGEST) for i in quad], np.int64),
                    )
                    for family, *quad in node["sets"]
                ),
            )
            for node in entry["nodes"]
        ),
        given_up=tuple(written_fraction(_text(bound)) for bound in entry["given_up"]),
    )


def _read(entry: dict[str, Any], instance: Instance) -> Part:
    if "allowed" in entry:
        return node_part(entry["bound"], instance, entry["literals"], entry["allowed"], entry["theta"])
    if entry["boxes"] is None:
        return support_part(entry["bound"], instance, entry["literals"], 0, None)
    phase, boxes = entry["boxes"]
    sides = len(entry["literals"]) + (len(instance.intercepts) > 0)
    for value in (v for box in boxes for side in box for v in side):
        whole(value, 0, _LARGEST)
    array = np.array(boxes, np.int64) if boxes else np.zeros((0, 2, sides), np.int64)
    return support_part(entry["bound"], instance, entry["literals"], phase, array)

"""Checkpoints of the exact engine: the open tree in a file, so that a killed process loses little."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.exact import written_fraction
from supersparse.solving import checkpoint_file
from supersparse.solving.exact.cuts import Cuts
from supersparse.solving.exact.instance import Instance
from supersparse.solving.exact.literals import Literal, feature_of, flags_of, literals_where, n_literals
from supersparse.solving.exact.partition.tree import OpenNodes
from supersparse.solving.exact.partition.tree import PartitionNode as PartitionNode
from supersparse.solving.exact.supports import LAST_PHASE, SupportSearch
from supersparse.solving.exact.tree import Support, SupportNode, Task

_FORMAT = "supersparse checkpoint 3"


@dataclass(frozen=True, kw_only=True)
class Saved:
    """The contents of a checkpoint: the best model's coefficients, the proven bound, the open tasks.

    `second` is the open work of the second bound; None if it has not started.
    """

    coefficients: tuple[int, ...]
    lower_bound: Fraction
    tasks: tuple[tuple[int, SupportNode | Support], ...]
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


def written(task: Task) -> dict[str, Any]:
    """Convert an open task to JSON data."""
    work = task.work
    entry: dict[str, Any] = {"bound": task.bound, "case": work.instance.case, "literals": work.literals}
    if isinstance(work, SupportNode):
        return entry | {"allowed": literals_where(work.allowed), "theta": work.theta}
    return entry | {"boxes": None if work.search is None else work.search.state}


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


def load_tree(path: Path, identity: str, cases: list[Instance], cuts: Cuts) -> Saved:
    """Read a checkpoint of this problem, or raise with the reason."""
    content = checkpoint_file.load(path, _FORMAT, identity)
    by_case = {instance.case: instance for instance in cases}
    try:
        return Saved(
            coefficients=_coefficients(content["coefficients"], cases[0]),
            lower_bound=written_fraction(_text(content["lower_bound"])),
            tasks=tuple(
                (_whole(e["bound"], -_LARGEST, _LARGEST), _read(e, by_case[e["case"]], cuts))
                for e in content["tasks"]
            ),
            second=None if content["second"] is None else _read_second(content["second"]),
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise checkpoint_file.malformed(path, str(error) or type(error).__name__) from None


_LARGEST = 2**62
_MOST_FAMILIES = 2**31


def _whole(value: object, low: int, high: int) -> int:
    """A whole number within bounds: kernels index arrays by some of them, unchecked."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r:.60} is no whole number from {low} to {high}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 4000:
        raise ValueError(f"{value!r:.60} is no fraction")
    return value


def _coefficients(values: Any, instance: Instance) -> tuple[int, ...]:
    if not isinstance(values, list) or len(values) != instance.n_features:
        raise ValueError(f"it needs {instance.n_features} coefficients")
    for allowed, value in zip(instance.form.values, values, strict=True):
        side = allowed.of_sign(1 if _whole(value, -_LARGEST, _LARGEST) > 0 else -1)
        at = side.below(abs(value))
        if not (allowed.has_zero if value == 0 else at < len(side) and side[at] == abs(value)):
            raise ValueError(f"the coefficient {value} is not allowed")
    return tuple(values)


def _literals(values: Any, instance: Instance) -> tuple[Literal, ...]:
    """Literals that exist, each feature once, each with a value of its sign."""
    literals = tuple(Literal(_whole(v, 0, n_literals(instance.n_features) - 1)) for v in values)
    if len({feature_of(literal) for literal in literals}) < len(literals):
        raise ValueError("a feature is used twice")
    if not all(instance.magnitudes.count[literal] for literal in literals):
        raise ValueError("a literal has no values")
    return literals


def _read_second(entry: dict[str, Any]) -> OpenNodes:
    return OpenNodes(
        nodes=tuple(
            PartitionNode(
                written_fraction(_text(node["bound"])),
                tuple(tuple(_whole(c, 0, _LARGEST) for c in states) for states in node["allowed"]),
                tuple(
                    (
                        _whole(family, 0, _MOST_FAMILIES),
                        np.array([_whole(i, 0, _LARGEST) for i in quad], np.int64),
                    )
                    for family, *quad in node["sets"]
                ),
            )
            for node in entry["nodes"]
        ),
        given_up=tuple(written_fraction(_text(bound)) for bound in entry["given_up"]),
    )


def _read(entry: dict[str, Any], instance: Instance, cuts: Cuts) -> SupportNode | Support:
    literals = _literals(entry["literals"], instance)
    if "allowed" in entry:
        listed = [Literal(_whole(v, 0, n_literals(instance.n_features) - 1)) for v in entry["allowed"]]
        allowed = flags_of(listed, instance.n_features)
        if (allowed & ~instance.allowed).any():
            raise ValueError("a literal is allowed that the problem forbids")
        theta = _whole(entry["theta"], 0, _LARGEST)
        return SupportNode(instance=instance, literals=literals, allowed=allowed, theta=theta)
    search = None
    if entry["boxes"] is not None:
        if not literals:
            raise ValueError("a support without features is being searched")
        search = SupportSearch(instance, literals, cuts)
        phase, boxes = entry["boxes"]
        search.resume((_whole(phase, 0, LAST_PHASE), boxes))
    return Support(instance=instance, literals=literals, search=search)

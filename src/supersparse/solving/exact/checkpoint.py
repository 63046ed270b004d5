"""Checkpoints: the open tree in a file, so that a killed process loses little.

The file is JSON after a line with its format and checksum. It is written next to the old one and then
replaces it, so a crash leaves one or the other. It contains a fingerprint of the problem: damaged files, and
files of another problem, are refused.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.errors import InvalidOptionError
from supersparse.solving.exact.cuts import Cuts
from supersparse.solving.exact.instance import Instance
from supersparse.solving.exact.literals import Literal, flags_of, literals_where
from supersparse.solving.exact.partition.tree import OpenNodes
from supersparse.solving.exact.partition.tree import PartitionNode as PartitionNode
from supersparse.solving.exact.supports import SupportSearch
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


def check_place(path: Path) -> None:
    """Refuse a path that cannot be written, before hours of work are lost."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise InvalidOptionError(f"checkpoint {str(path)!r} {what}; choose a file in an existing folder")


def save_tree(
    path: Path,
    identity: str,
    coefficients: tuple[int, ...],
    lower_bound: Fraction,
    tasks: list[dict[str, Any]],
    second: OpenNodes | None,
) -> None:
    """Write the open tree, atomically replacing an older file."""
    body = json.dumps(
        {
            "problem": identity,
            "coefficients": coefficients,
            "lower_bound": str(lower_bound),
            "tasks": tasks,
            "second": None if second is None else _written_second(second),
        }
    ).encode()
    beside = path.with_name(path.name + ".new")
    with open(beside, "wb") as file:
        file.write(f"{_FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


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
    head, _, body = path.read_bytes().partition(b"\n")
    name, _, checksum = head.decode("utf-8", "replace").rpartition(" ")
    if name != _FORMAT:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} is not a {_FORMAT!r} file; choose another file, or delete it"
        )
    if hashlib.sha256(body).hexdigest() != checksum:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} is damaged (its checksum is wrong); delete it to start again"
        )
    content = json.loads(body)
    if content["problem"] != identity:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} belongs to another problem (data or settings differ); "
            "choose another file, or delete it to start again"
        )
    by_case = {instance.case: instance for instance in cases}
    return Saved(
        coefficients=tuple(content["coefficients"]),
        lower_bound=Fraction(content["lower_bound"]),
        tasks=tuple((e["bound"], _read(e, by_case[e["case"]], cuts)) for e in content["tasks"]),
        second=None if content["second"] is None else _read_second(content["second"]),
    )


def _read_second(entry: dict[str, Any]) -> OpenNodes:
    return OpenNodes(
        nodes=tuple(
            PartitionNode(
                Fraction(node["bound"]),
                tuple(map(tuple, node["allowed"])),
                tuple((family, np.array(quad, np.int64)) for family, *quad in node["sets"]),
            )
            for node in entry["nodes"]
        ),
        given_up=tuple(map(Fraction, entry["given_up"])),
    )


def _read(entry: dict[str, Any], instance: Instance, cuts: Cuts) -> SupportNode | Support:
    literals = tuple(Literal(literal) for literal in entry["literals"])
    if "allowed" in entry:
        allowed = flags_of(entry["allowed"], instance.n_features)
        return SupportNode(instance=instance, literals=literals, allowed=allowed, theta=entry["theta"])
    search = None
    if entry["boxes"] is not None:
        search = SupportSearch(instance, literals, cuts)
        search.resume((entry["boxes"][0], entry["boxes"][1]))
    return Support(instance=instance, literals=literals, search=search)

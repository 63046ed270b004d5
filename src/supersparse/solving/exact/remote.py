"""A slice in another process: bytes and numbers in and out, nothing kept but the problem's arrays.

A worker knows the arrays by their digest. One that does not know them yet says so, and is sent them; it needs
neither the problem nor the evaluator, because what it finds is judged where the solve runs.
"""

import hashlib
import json
import math
import threading
from typing import Any, NamedTuple

import numpy as np

from supersparse.solving.exact.cuts import CutValues
from supersparse.solving.exact.parts import from_bytes, to_bytes
from supersparse.solving.exact.slices import Slicer, alike
from supersparse.solving.kernels.boxes import FOUND
from supersparse.solving.kernels.tree_data import Branching, Coefficients, Pairs, Rows, TreeData

_MOST_KNOWN = 4  # problems that a worker remembers
_MOST_FOUND = 256
_known: dict[str, TreeData] = {}
_lock = threading.Lock()


class Outcome(NamedTuple):
    """What a worker hands back: the open parts as bytes, the models it found, and the work it did."""

    parts: bytes
    found: tuple[tuple[int, ...], ...]
    work: int


def packed(data: TreeData) -> tuple[str, bytes]:
    """Return the digest of a case's arrays, and them as bytes: a line of JSON with shapes, then numbers."""
    arrays = [np.asarray(value) for part in data for value in part]
    head = json.dumps([(array.dtype.str, array.shape) for array in arrays]).encode()
    content = b"\n".join([head, b"".join(array.tobytes() for array in arrays)])
    return hashlib.sha256(content).hexdigest(), content


def unpacked(content: bytes) -> TreeData:
    """Read the arrays of a case."""
    head, _, body = content.partition(b"\n")
    arrays, at = [], 0
    for kind, shape in json.loads(head):
        n = math.prod(shape)
        array = np.frombuffer(body, kind, n, at).reshape(shape).copy()
        arrays.append(array)
        at += array.nbytes
    parts: list[Any] = []
    groups: tuple[Any, ...] = (Pairs, Branching, Rows, Coefficients)
    at = 0
    for group in groups:
        parts.append(alike(group(*arrays[at : at + len(group._fields)])))
        at += len(group._fields)
    return TreeData(*parts)


def run_remotely(
    digest: str, content: bytes | None, case: int, parts: bytes, cuts: tuple[int, int, int], work: int
) -> Outcome | None:
    """Work on open parts of one case; None where the arrays are not known here and `content` is None."""
    with _lock:
        data = _known.get(digest)
        if data is None:
            if content is None:
                return None
            data = _known[digest] = unpacked(content)
            while len(_known) > _MOST_KNOWN:
                del _known[next(iter(_known))]
    now = CutValues(*cuts)
    slicer = Slicer(case, data)
    slicer.load(from_bytes(parts, len(data.branching.twin_of)))
    shared = np.array([now.tie, 0], np.int64)
    # what a kernel decides itself is better than all that is known: the others hear of it at once
    most = _MOST_FOUND if data.coefficients.slack or data.coefficients.judged else 1
    found: list[tuple[int, ...]] = []
    while slicer.advance(now, shared, work, work) == FOUND:
        found.append(tuple(slicer.found()))
        if len(found) >= most:
            break
    return Outcome(to_bytes(slicer.left()), tuple(found), slicer.work)

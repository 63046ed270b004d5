"""Slices of the tree in other processes: bytes and numbers in and out, nothing kept but the problem's arrays.

A worker needs neither the problem nor the evaluator, because what it finds is judged where the solve runs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from supersparse.engine.arrays import Known, fields_of, packed
from supersparse.engine.cluster import Request, checked_count, question_of
from supersparse.engine.exact.covers import CancelledError
from supersparse.engine.exact.cuts import CutValues
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import literals_where
from supersparse.engine.exact.parts import (
    Part,
    coefficients_of,
    from_bytes,
    node_part,
    support_part,
    to_bytes,
)
from supersparse.engine.exact.proof import WORK_PER_NODE, Proof, Task
from supersparse.engine.exact.slices import Slicer, alike
from supersparse.engine.kernels.boxes import FOUND
from supersparse.engine.kernels.tree_data import Branching, Coefficients, Pairs, Rows, TreeData

LEAST_WORK, MOST_WORK = 100 * WORK_PER_NODE, 2000 * WORK_PER_NODE
_BATCH = 32  # parts of a slice, at most
_MOST_FOUND = 256


class Outcome(NamedTuple):
    """What a worker hands back: the open parts as bytes, the models it found, and the work it did."""

    parts: bytes
    found: tuple[tuple[int, ...], ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


class Left(NamedTuple):
    """The same, checked."""

    parts: list[Part]
    found: list[list[int]]
    work: int


class RemoteSlices:
    """The open parts of a proof, for a cluster."""

    def __init__(
        self,
        proof: Proof,
        cases: list[Instance],
        cancelled: Callable[[], bool],
        work_left: Callable[[], int | None] = lambda: None,
    ) -> None:
        self.least_work, self.most_work = LEAST_WORK, MOST_WORK
        self._proof = proof
        self._cancelled, self._work_left = cancelled, work_left
        self._cases = {case.case: case for case in cases}
        self._packed: dict[int, tuple[str, bytes]] = {}

    def divide_among(self, slices: int) -> None:
        """Take smaller batches, so that there are enough for all."""
        self._proof.threads = slices

    def take(self) -> list[Task[Part]] | None:
        """Take open parts of one case."""
        return self._proof.take(_BATCH) or None

    def request(self, taken: list[Task[Part]]) -> Request | None:
        """A slice, with the cuts that hold now; None if its arrays are not made in time."""
        parts = [task.work for task in taken]
        case, now = parts[0].case, self._proof.cuts.now
        if case not in self._packed:
            try:
                data = self._proof.data_of(case, self._cancelled)
            except CancelledError:
                return None
            self._packed[case] = packed(value for part in data for value in part)
        digest, content = self._packed[case]
        rest = (case, to_bytes(parts), (now.tie, now.strict, now.l1))
        return Request(run_remotely, digest, content, rest)

    def read(self, taken: list[Task[Part]], result: Outcome) -> Left:
        """Read the open parts and the models, checked: kernels index arrays by parts, unchecked."""
        instance = self._cases[taken[0].work.case]
        return Left(
            [self._checked(part) for part in from_bytes(result.parts, instance.n_features)],
            [_model(coefficients, instance) for coefficients in result.found],
            checked_count(result.work),
        )

    def receive(self, taken: list[Task[Part]], left: Left) -> None:
        """Judge what was found, and open what is left."""
        for coefficients in left.found:
            self._proof.cuts.offer(coefficients)
        self._proof.put(taken, left.parts, left.work)

    def put_back(self, taken: list[Task[Part]]) -> None:
        """Open the parts again as they were."""
        self._proof.put(taken, [task.work for task in taken], 0)

    def do_here(self, taken: list[Task[Part]] | None = None) -> None:
        """Do a slice in this thread."""
        if taken is None:
            self._proof.step(self._cancelled, self._work_left())
        else:
            self._proof.do(taken, self._cancelled, self._work_left())

    def _checked(self, part: Part) -> Part:
        instance = self._cases[part.case]
        if part.allowed is not None:
            allowed = list(literals_where(part.allowed))
            return node_part(part.bound, instance, list(part.literals), allowed, part.theta)
        literals = list(part.literals)
        return support_part(part.bound, instance, literals, part.phase, part.boxes, is_piece=True)


def _model(values: Sequence[object], instance: Instance) -> list[int]:
    """The coefficients of a model that the tree of this case can find."""
    coefficients = coefficients_of(values, instance)
    used = sum(value != 0 for value in coefficients)
    if used > instance.max_features:
        raise ValueError(f"a model has {used} features, more than the problem allows")
    return coefficients


def _tree_data(values: Iterator[Any]) -> TreeData:
    return TreeData(
        alike(fields_of(Pairs, values)),
        alike(fields_of(Branching, values)),
        alike(fields_of(Rows, values)),
        alike(fields_of(Coefficients, values)),
    )


_known = Known(_tree_data)


def run_remotely(
    digest: str, content: bytes | None, case: int, parts: bytes, cuts: tuple[int, int, int], work: int
) -> Outcome | None:
    """Work on open parts of one case; None where the arrays are not known here and `content` is None."""
    data = _known.get(digest, content)
    if data is None:
        return None
    now = CutValues(*cuts)
    slicer = Slicer(case, data)
    slicer.load(from_bytes(parts, len(data.branching.twin_of)))
    shared = np.array([now.tie, 0], np.int64)
    own = data.coefficients
    # what a kernel decides itself is better than all that is known: the others hear of it at once
    most = _MOST_FOUND if own.slack or own.judged or own.lists else 1
    found: list[tuple[int, ...]] = []
    while slicer.advance(now, shared, work, work) == FOUND:
        found.append(tuple(slicer.found()))
        if len(found) >= most:
            break
    question = question_of(digest, case, parts, cuts, work)
    return Outcome(to_bytes(slicer.left()), tuple(found), slicer.work, question)

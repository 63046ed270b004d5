"""Slices of the tree and boxes of the ratio bound in other processes: bytes and numbers in and out.

A worker needs neither the problem nor the evaluator, because what it finds is judged where the solve runs. It
keeps the arrays of the problem and, for boxes, the groups that it has found among pairs of rows, which make
later boxes quicker; nothing depends on them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from supersparse.engine.cluster import (
    ProblemCache,
    Request,
    as_bytes,
    checked_count,
    fields_of,
    packed,
    question_of,
    unpacked,
)
from supersparse.engine.exact.covers import CancelledError
from supersparse.engine.exact.cuts import CutValues, Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import literals_where
from supersparse.engine.exact.open_parts import Part, coefficients_of, from_bytes, node_part, support_part, to_bytes
from supersparse.engine.exact.proof import WORK_PER_NODE, Proof, Task
from supersparse.engine.exact.ratio_arrays import PointPairs, Ratios
from supersparse.engine.exact.ratios import OpenBoxes, RatioBoxes, RatioProof, Rooms
from supersparse.engine.exact.slices import Slicer, alike
from supersparse.engine.exact.tree_data import FOUND, Branching, Coefficients, Pairs, Rows, TreeData

LEAST_WORK, MOST_WORK = 100 * WORK_PER_NODE, 2000 * WORK_PER_NODE
_BATCH = 32  # parts of a slice, at most
_MOST_FOUND = 256


class Outcome(NamedTuple):
    """A worker's answer: the open parts as bytes, the models it found, and the work it did."""

    parts: bytes
    found: tuple[tuple[int, ...], ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


class CheckedOutcome(NamedTuple):
    """An `Outcome`, checked."""

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

    def read(self, taken: list[Task[Part]], result: Outcome) -> CheckedOutcome:
        """Read the open parts and the models, checked: kernels index arrays by parts, unchecked."""
        instance = self._cases[taken[0].work.case]
        return CheckedOutcome(
            [self._checked(part) for part in from_bytes(result.parts, instance.n_features)],
            [_model(coefficients, instance) for coefficients in result.found],
            checked_count(result.work),
        )

    def receive(self, taken: list[Task[Part]], left: CheckedOutcome) -> None:
        """Judge what was found, and open what is left."""
        for coefficients in left.found:
            self._proof.cuts.offer(coefficients)
        self._proof.put(taken, left.parts, left.work)

    def put_back(self, taken: list[Task[Part]]) -> None:
        """Open the parts again as they were."""
        self._proof.put(taken, [task.work for task in taken], 0)

    def do_here(self, taken: list[Task[Part]] | None = None) -> None:
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
    kinds: tuple[Any, ...] = (Pairs, Branching, Rows, Coefficients)
    return TreeData(*(alike(fields_of(kind, values)) for kind in kinds))


_known = ProblemCache(_tree_data)


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


class BoxOutcome(NamedTuple):
    """A worker's answer: the rest of each piece, a model within the cut, and the work it did."""

    boxes: tuple[bytes, ...]
    found: tuple[int, ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


class CheckedBoxes(NamedTuple):
    """A `BoxOutcome`, checked."""

    boxes: list[OpenBoxes]
    found: list[int]
    work: int


class RemoteBoxes:
    """The open boxes of the ratio bound, for a cluster."""

    def __init__(self, boxes: Callable[[], RatioBoxes | None], cuts: Judge) -> None:
        """Ask for the boxes as long as there are none."""
        self._boxes_when_due, self._cuts = boxes, cuts
        self._known: RatioBoxes | None = None
        self._packed: tuple[str, bytes] | None = None
        self._slices = 1

    def divide_among(self, slices: int) -> None:
        """Put back smaller pieces, so that there are enough for all."""
        self._slices = slices

    @property
    def are_done(self) -> bool:
        """Whether nothing is left of them."""
        return self._known is not None and self._known.is_done

    def have_begun(self) -> bool:
        """Whether there are boxes, which begin if they are due."""
        if self._known is None:
            self._known = self._boxes_when_due()
            if self._known is not None:
                self._known.most_at_once = self._slices
        return self._known is not None

    def take(self) -> list[OpenBoxes] | None:
        """Take open boxes, each piece of one literal."""
        return (self._boxes.take(_BATCH) or None) if self.have_begun() else None

    def request(self, taken: list[OpenBoxes]) -> Request:
        """A slice, with the cut that holds now."""
        if self._packed is None:
            self._packed = packed(self._boxes.pairs)
        digest, content = self._packed
        cut = min(self._boxes.cut, self._cuts.now.strict)
        return Request(run_boxes_remotely, digest, content, (tuple(map(_to_bytes, taken)), cut))

    def read(self, taken: list[OpenBoxes], result: BoxOutcome) -> CheckedBoxes:
        """Read the open boxes and the model, checked: kernels index arrays by boxes, unchecked."""
        return CheckedBoxes(
            [_part_of(*piece) for piece in zip(taken, result.boxes, strict=True)],
            coefficients_of(result.found, self._boxes.instance) if result.found != () else [],
            checked_count(result.work),
        )

    def receive(self, taken: list[OpenBoxes], left: CheckedBoxes) -> None:
        """Judge what was found, and open what is left."""
        if left.found:
            self._cuts.offer(left.found)
        self._boxes.put(left.boxes, left.work)

    def put_back(self, taken: list[OpenBoxes]) -> None:
        """Open the boxes again as they were."""
        self._boxes.put(taken, 0)

    def do_here(self, taken: list[OpenBoxes]) -> None:
        function, digest, content, rest, _ = self.request(taken)
        self.receive(taken, self.read(taken, function(digest, content, *rest, LEAST_WORK)))

    @property
    def _boxes(self) -> RatioBoxes:
        assert self._known is not None, "they have begun"
        return self._known


class TreeAndBoxes:
    """Slices of the tree and of the ratio bound, in turn; what was taken remembers which of them it is of.

    Once there are boxes, the tree gets its share and no more, and that in short slices: it will hardly come
    to an end, and boxes that come must not wait for it.
    """

    def __init__(
        self, tree: RemoteSlices, boxes: RemoteBoxes, ratios: RatioProof, step_here: Callable[[], bool]
    ) -> None:
        """`step_here` does a step of the ratio bound in this process, if it is due, and says so."""
        self.least_work, self.most_work = tree.least_work, tree.most_work
        self._tree, self._boxes, self._ratios, self._step_here = tree, boxes, ratios, step_here
        self._work_of_tree = 0  # sent since there are boxes

    def divide_among(self, slices: int) -> None:
        """Hear how many slices will be on their way at the same time."""
        self._tree.divide_among(slices)
        self._boxes.divide_among(slices)

    def take(self) -> tuple[Any, Any] | None:
        """Take what is due."""
        are_due = self._ratios.work < self._ratios.share * self._work_of_tree and not self._boxes.are_done
        parts = None if are_due else self._tree.take()
        if parts is None:  # or all parts are on their way
            boxes = self._boxes.take()
            return None if boxes is None else (self._boxes, boxes)
        if self._boxes.have_begun():
            self._work_of_tree += self.least_work
        return self._tree, parts

    def request(self, taken: tuple[Any, Any]) -> Request | None:
        """Say what a worker is to do; None where a limit is reached first."""
        slices, given = taken
        request: Request | None = slices.request(given)
        if request is not None and slices is self._tree and self._ratios.may_help:
            return request._replace(most_work=self.least_work)
        return request

    def read(self, taken: tuple[Any, Any], result: Any) -> Any:
        """Read what a worker hands back, checked."""
        slices, given = taken
        return slices.read(given, result)

    def receive(self, taken: tuple[Any, Any], left: Any) -> None:
        """Replace what was taken by what a worker has left of it."""
        slices, given = taken
        slices.receive(given, left)

    def put_back(self, taken: tuple[Any, Any]) -> None:
        """Open again what was taken."""
        slices, given = taken
        slices.put_back(given)

    def do_here(self, taken: tuple[Any, Any] | None = None) -> None:
        """Do a slice in this process: of what was taken, or else of what comes next."""
        if taken is not None:
            slices, given = taken
            slices.do_here(given)
        elif not self._step_here():
            self._tree.do_here()


def _to_bytes(boxes: OpenBoxes) -> bytes:
    return as_bytes([*boxes.ratios, boxes.low, boxes.high, boxes.load])


def _from_bytes(written: bytes) -> OpenBoxes:
    values = unpacked(written)
    ratios = fields_of(Ratios, values)
    low, high, load = values
    return OpenBoxes(ratios, low, high, load)


def _part_of(taken: OpenBoxes, written: bytes) -> OpenBoxes:
    """The rest of a piece as a worker returned it; raises if no slice can have left that."""
    left = _from_bytes(written)
    n, features = len(left.low), taken.low.shape[1]
    for name, shape in {"low": (n, features), "high": (n, features), "load": (n, 2, features)}.items():
        array = getattr(left, name)
        if array.dtype != np.int64 or array.shape != shape:
            raise ValueError(f"{name} of boxes is {array.dtype} of shape {array.shape}, not {shape}")
    lowest, highest = taken.low.min(axis=0), taken.high.max(axis=0)
    if not ((lowest <= left.low) & (left.low <= left.high) & (left.high <= highest)).all():
        raise ValueError("a box is not a part of those that were sent")
    return replace(left, ratios=taken.ratios)


_known_pairs: ProblemCache[Rooms] = ProblemCache(lambda values: Rooms(fields_of(PointPairs, values)))


def run_boxes_remotely(
    digest: str, content: bytes | None, boxes: tuple[bytes, ...], cut: int, work: int
) -> BoxOutcome | None:
    """Work on open boxes; None where the pairs are not known here and `content` is None."""
    rooms = _known_pairs.get(digest, content)
    if rooms is None:
        return None
    left, done, found = list(boxes), 0, None
    with rooms.one() as room:
        for at, piece in enumerate(boxes):
            taken = _from_bytes(piece)
            room.load(taken)
            while room.is_open and done + room.work < work and found is None:
                found = room.advance(taken.ratios, cut, work - done)
            left[at] = _to_bytes(room.left(taken.ratios))
            done += room.work
            if done >= work or found is not None:  # the others hear of a model at once
                break
    return BoxOutcome(tuple(left), tuple(found or ()), done, question_of(digest, boxes, cut, work))

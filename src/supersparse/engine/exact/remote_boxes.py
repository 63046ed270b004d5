"""Boxes of the third bound in other processes, in turn with slices of the tree.

As `remote.py`: bytes and numbers in and out. A worker keeps the pairs of points of a problem, and the groups
that it has found among them, which make later boxes quicker; nothing depends on them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from supersparse.engine.arrays import Known, as_bytes, fields_of, packed, unpacked
from supersparse.engine.cluster import Request, checked_count, question_of
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.parts import coefficients_of
from supersparse.engine.exact.remote import LEAST_WORK, RemoteSlices
from supersparse.engine.exact.third import ThirdBound
from supersparse.engine.exact.whole_boxes import OpenBoxes, Rooms, WholeBoxes
from supersparse.engine.kernels.whole_data import PointPairs, Ratios

_BATCH = 32  # pieces of a slice, at most


class Outcome(NamedTuple):
    """What a worker hands back: what is left of each piece, a model within the cut, and the work it did."""

    boxes: tuple[bytes, ...]
    found: tuple[int, ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


class Left(NamedTuple):
    """The same, checked."""

    boxes: list[OpenBoxes]
    found: list[int]
    work: int


class RemoteBoxes:
    """The open boxes of the third bound, for a cluster."""

    def __init__(self, boxes: Callable[[], WholeBoxes | None], cuts: Judge) -> None:
        """Ask for the boxes as long as there are none."""
        self._boxes_when_due, self._cuts = boxes, cuts
        self._known: WholeBoxes | None = None
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

    def read(self, taken: list[OpenBoxes], result: Outcome) -> Left:
        """Read the open boxes and the model, checked: kernels index arrays by boxes, unchecked."""
        return Left(
            [_part_of(*piece) for piece in zip(taken, result.boxes, strict=True)],
            coefficients_of(result.found, self._boxes.instance) if result.found != () else [],
            checked_count(result.work),
        )

    def receive(self, taken: list[OpenBoxes], left: Left) -> None:
        """Judge what was found, and open what is left."""
        if left.found:
            self._cuts.offer(left.found)
        self._boxes.put(left.boxes, left.work)

    def put_back(self, taken: list[OpenBoxes]) -> None:
        """Open the boxes again as they were."""
        self._boxes.put(taken, 0)

    def do_here(self, taken: list[OpenBoxes]) -> None:
        """Do a slice in this thread."""
        function, digest, content, rest, _ = self.request(taken)
        self.receive(taken, self.read(taken, function(digest, content, *rest, LEAST_WORK)))

    @property
    def _boxes(self) -> WholeBoxes:
        assert self._known is not None, "they have begun"
        return self._known


class TreeAndBoxes:
    """Slices of the tree and of the third bound, in turn; what was taken remembers which of them it is of.

    Once there are boxes, the tree gets its share and no more, and that in short slices: it will hardly come
    to an end, and boxes that come must not wait for it.
    """

    def __init__(
        self, tree: RemoteSlices, boxes: RemoteBoxes, third: ThirdBound, step_here: Callable[[], bool]
    ) -> None:
        """`step_here` does a step of the third bound in this process, if it is due, and says so."""
        self.least_work, self.most_work = tree.least_work, tree.most_work
        self._tree, self._boxes, self._third, self._step_here = tree, boxes, third, step_here
        self._work_of_tree = 0  # sent since there are boxes

    def divide_among(self, slices: int) -> None:
        """Hear how many slices will be on their way at the same time."""
        self._tree.divide_among(slices)
        self._boxes.divide_among(slices)

    def take(self) -> tuple[Any, Any] | None:
        """Take what is due."""
        are_due = self._third.work < self._third.share * self._work_of_tree and not self._boxes.are_done
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
        if request is not None and slices is self._tree and self._third.may_help:
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
    return OpenBoxes(ratios._replace(gap=np.float32(ratios.gap)), low, high, load)


def _part_of(taken: OpenBoxes, written: bytes) -> OpenBoxes:
    """What a worker has left of a piece; an error if no slice can have left that."""
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


_known: Known[Rooms] = Known(lambda values: Rooms(fields_of(PointPairs, values)))


def run_boxes_remotely(
    digest: str, content: bytes | None, boxes: tuple[bytes, ...], cut: int, work: int
) -> Outcome | None:
    """Work on open boxes; None where the pairs are not known here and `content` is None."""
    rooms = _known.get(digest, content)
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
    return Outcome(tuple(left), tuple(found or ()), done, question_of(digest, boxes, cut, work))

"""The third bound for errors, `ratios`: boxes of all coefficients at once, on columns of many values.

The tree over supports bounds a node by the signs of its literals alone, and learns how large coefficients are only once
a support is complete. On 20 columns of many values signs say little. Here a box ranges over all coefficients from the
start, and a feature that is decided has a range at once; `ratio_boxes.hpp` of the compiled core has the inequality.

The proof goes in rounds: that no model costs at most c, for a rising c, up to the best known model. Each
round searches depth first from the beginning and costs several times the one before, so all of them together
cost little more than the last, and every finished round is a bound on F. Each begins with one box for each
literal: the models in which it weighs most, as multiples of its coefficient.

It holds for F only, not for ties in l1.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import struct
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import SIGNS
from supersparse.engine.exact.open_parts import coefficients_of
from supersparse.engine.exact.pair_covers import WORK_PER_NODE
from supersparse.engine.exact.ratio_data import (
    CROWDED,
    FINE,
    FOUND,
    TOP,
    WORK,
    BoxStack,
    PointPairs,
    Ratios,
    first_box,
    first_literals,
    point_pairs,
    run_ratio_boxes,
    stack_for,
    with_more_room,
)
from supersparse.engine.proving.bounds import Bound, Known
from supersparse.engine.proving.cluster import (
    Answer,
    ProblemCache,
    RemoteEngine,
    RemoteParts,
    Request,
    as_bytes,
    checked_count,
    fields_of,
    packed,
    question_of,
    unpacked,
)
from supersparse.engine.proving.open_parts import Taken
from supersparse.engine.proving.proof import Budget, Cancelled, Left, Proof
from supersparse.problem.variants import next_attainable

_MOST_POINT_PAIRS = 2**16
_MOST_POINTS = 1000  # fractions of numbers up to this are listed
_ROUNDS = 6  # about this many from the bound at the start to the best model
_MOST_BYTES = 2**29  # for the pairs of all threads
_FEW_VALUES = 3  # where most columns have no more, signs say almost all
_LATE = 5  # times what the rounds before promise: a round that takes more may well take too long


@dataclass(frozen=True, slots=True)
class OpenBoxes:
    """Open boxes of one literal, the last to be looked at first."""

    ratios: Ratios
    low: Ints  # (boxes, features)
    high: Ints
    load: Ints  # (boxes, 2, features)
    turn: int = 0  # the least is taken first: boxes that were put back, the last of them first

    def divided(self, pieces: int) -> list["OpenBoxes"]:
        """At most `pieces` pieces: the first boxes, which have most in them, one by one, and the rest."""
        n = min(pieces, len(self.low))
        ends = [*range(1, n), len(self.low)]
        return [
            OpenBoxes(self.ratios, self.low[a:b], self.high[a:b], self.load[a:b], self.turn)
            for a, b in zip([0, *ends], ends, strict=False)
        ]

    def to_bytes(self) -> bytes:
        return as_bytes([*self.ratios, self.low, self.high, self.load])


class Room:
    """One thread's working space for boxes: a stack, and the groups of points that it has found."""

    def __init__(self, pairs: PointPairs) -> None:
        """Take over the pairs: groups are written behind them."""
        self._pairs = struct(pairs)
        self._use(stack_for(pairs))

    @property
    def work(self) -> int:
        """The work of the current step, in touched rows."""
        return int(self.stack.number[WORK])

    @property
    def is_open(self) -> bool:
        return bool(self.stack.number[TOP])

    def load(self, boxes: OpenBoxes) -> None:
        n = len(boxes.low)
        while len(self.stack.low) < n:
            self._use(with_more_room(self.stack))
        self.stack.low[:n], self.stack.high[:n], self.stack.load[:n] = boxes.low, boxes.high, boxes.load
        self.stack.number[TOP], self.stack.number[WORK] = n, 0

    def advance(self, ratios: Ratios, cut: int, until: int) -> list[int] | None:
        """Work on the boxes until a model costs at most the cut, which is returned, or till so much is done.

        It may end earlier, without a model.
        """
        result = run_ratio_boxes(self._pairs, ratios, self._stack, cut, until)
        if result == CROWDED:
            self._use(with_more_room(self.stack))
        coefficients: list[int] = self.stack.vector.tolist()
        return coefficients if result == FOUND else None

    def left(self, ratios: Ratios) -> OpenBoxes:
        n = int(self.stack.number[TOP])
        stack = self.stack
        return OpenBoxes(ratios, stack.low[:n].copy(), stack.high[:n].copy(), stack.load[:n].copy())

    def _use(self, stack: BoxStack) -> None:
        self.stack, self._stack = stack, struct(stack)


class Rooms:
    """A room for everyone who works on the same pairs at the same time."""

    def __init__(self, pairs: PointPairs) -> None:
        """Take over the pairs: the first room writes groups behind them."""
        self.pairs = pairs
        self._free = [Room(pairs)]
        self._lock = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[Room]:
        """A room in which nobody else works."""
        with self._lock:
            room = self._free.pop() if self._free else self._another()
        try:
            yield room
        finally:
            with self._lock:
                self._free.append(room)

    def _another(self) -> Room:
        arrays = ("difference", "member", "name")
        return Room(self.pairs._replace(**{name: getattr(self.pairs, name).copy() for name in arrays}))


class RatioBoxes(RemoteEngine[OpenBoxes]):
    """Proves lower bounds on F round by round.

    `lower_bound` holds for every model but the best known ones, which may be better, and never falls.
    """

    least_work, most_work = 100 * WORK_PER_NODE, 2000 * WORK_PER_NODE

    def __init__(self, instance: Instance, cuts: Judge, lower_bound: Fraction, threads: int = 1) -> None:
        """Prepare to raise a bound that is proven already."""
        super().__init__()
        self.instance = instance
        self.rooms = Rooms(point_pairs(instance))
        self.cuts = cuts
        self.lower_bound = lower_bound
        self.is_done = False
        """Whether nothing is left below the best known model."""
        self._turn = 0
        self.finished: list[tuple[int, int]] = []  # cuts of the rounds so far, and the work they took
        self._promised = 0.0  # work of this round and all before it, by the last two; 0 before there are two
        self._packed: tuple[str, bytes] | None = None
        self._start = instance.form.in_kernel_units(lower_bound)
        self.cut = self._next_cut()
        self._first = [self._first_of(at) for at in range(len(first_literals(instance)))]
        self.proof = Proof(self, threads)
        self.proof.begin()

    @staticmethod
    def applies(instance: Instance) -> bool:
        """Whether the bound holds for a case of a problem, and is worth trying."""
        form = instance.form
        n_pairs = len(instance.positive) * len(instance.negative)
        if not (instance.doubles and form.problem.is_plain and 0 < n_pairs <= _MOST_POINT_PAIRS):
            return False
        if instance.forced or len(instance.intercepts) or form.max_size < form.n_features:
            return False
        sides = [values.of_sign(sign) for values in form.values for sign in SIGNS]
        if not all(len(side) == 0 or side.is_full for side in sides):
            return False
        if not all(values.has_zero for values in form.values):
            return False
        heaviest = form.worst_cost * FINE * FINE * FINE
        many = sum(int(n) > _FEW_VALUES for n in instance.n_ranks)
        return max(v.largest for v in form.values) <= _MOST_POINTS and heaviest < 2**62 and 4 * many >= form.n_features

    def roots(self) -> Iterable[OpenBoxes]:
        """The boxes with which every round begins: one for each literal."""
        return self._first

    def bound_of(self, part: OpenBoxes) -> int:
        """Boxes have no bounds of their own: it is depth first."""
        return part.turn

    def is_closed(self, bound: int) -> bool:
        """A round ends when nothing is open."""
        return False

    def worker(self) -> "RatioBoxes":
        """Everyone works in one of the rooms."""
        return self

    def work_on(self, parts: Sequence[OpenBoxes], budget: Budget) -> Left[OpenBoxes]:
        """Do so much work on boxes of one literal, or close them."""
        (boxes,) = parts
        work = _WORK_PER_STEP if budget.most is None else budget.most
        with self.rooms.one() as room:
            room.load(boxes)
            while room.is_open and room.work < work:
                cut = min(self.cut, self.cuts.now.strict)  # a better model lowers it
                coefficients = room.advance(boxes.ratios, cut, work)
                if coefficients is not None:
                    self.cuts.offer(coefficients)
                if budget.cancelled():
                    break
            return Left([room.left(boxes.ratios)], room.work)

    def let_go(self) -> None:
        """Nothing is kept between steps."""

    def settled(self, taken: Taken[OpenBoxes], left: Sequence[OpenBoxes]) -> Sequence[OpenBoxes]:
        """The pieces with boxes in them, to be taken next."""
        self.cut = min(self.cut, self.cuts.now.strict)
        self._turn -= 1
        return [replace(boxes, turn=self._turn) for boxes in left if len(boxes.low)]

    def pieces(self, part: OpenBoxes, most: int) -> Sequence[OpenBoxes]:
        return part.divided(most)

    def again(self) -> Iterable[OpenBoxes]:
        """No model costs at most the cut: raise the bound, and begin the next round with a higher one."""
        form, work = self.instance.form, self.proof.work
        proven = next_attainable(form.problem, Fraction(self.cut + 1) / form.scale)
        self.lower_bound = max(self.lower_bound, proven)
        self.finished.append((self.cut, work - sum(work for _, work in self.finished)))
        self.is_done = self.cut >= self.cuts.now.strict
        if self.is_done:
            return ()
        self.cut = self._next_cut()
        self._promised = work + _LATE * self._expected()
        return self.roots()

    @property
    def most_at_once(self) -> int:
        """How many threads there is memory for."""
        return max(1, min(self.proof.threads, _MOST_BYTES // self.rooms.pairs.difference.nbytes))

    @property
    def has_room(self) -> bool:
        """Whether a thread that has nothing to do could work on boxes."""
        return self.proof.takers < self.most_at_once and self.proof.some_wait

    @property
    def is_on_course(self) -> bool:
        """Whether the round takes about as long as the growth of the rounds before it promises."""
        return self.proof.work < self._promised

    @property
    def has_just_begun(self) -> bool:
        """Whether the first rounds, which are short, are not over."""
        return len(self.finished) < 2

    def wait(self, seconds: float) -> bool:
        """Wait for boxes that others have taken, if there will be any; whether they had to be waited for."""
        return self.proof.takers < self.most_at_once and self.proof.wait_for_more(seconds)

    def run(self, work: int, cancelled: Cancelled) -> None:
        """Do so much work, or finish, or stop early when cancelled; several threads may do this at once."""
        end = self.proof.work + work
        while not self.is_done and self.has_room and self.proof.work < end:
            self.proof.step(cancelled, end - self.proof.work)
            if cancelled():
                return

    def to_bytes(self, parts: Sequence[OpenBoxes]) -> tuple[bytes, ...]:
        return tuple(boxes.to_bytes() for boxes in parts)

    def request(self, parts: Sequence[OpenBoxes], cancelled: Cancelled) -> Request:
        if self._packed is None:
            self._packed = packed(self.rooms.pairs)
        digest, content = self._packed
        cut = min(self.cut, self.cuts.now.strict)
        return Request(run_boxes_remotely, digest, content, (self.to_bytes(parts), cut))

    def read(self, parts: Sequence[OpenBoxes], outcome: "BoxOutcome") -> Answer[OpenBoxes]:
        left = [_part_of(*piece) for piece in zip(parts, outcome.boxes, strict=True)]
        coefficients = coefficients_of(outcome.found, self.instance) if outcome.found != () else []
        return Answer(Left(left, checked_count(outcome.work)), coefficients)

    def judge(self, coefficients: list[int]) -> None:
        if coefficients:
            self.cuts.offer(coefficients)

    def _first_of(self, at: int) -> OpenBoxes:
        ratios, low, high = first_box(self.instance, first_literals(self.instance), at)
        return OpenBoxes(ratios, low[None], high[None], np.zeros((1, 2, len(low)), np.int64), at)

    def _expected(self) -> float:
        """The work of the round if each unit of cost multiplies it as before."""
        if len(self.finished) < 2:
            return 0.0
        (before, little), (last, much) = self.finished[-2:]
        growth = (max(1, much) / max(1, little)) ** (1 / max(1, last - before))
        return float(much * growth ** (self.cut - last))

    def _next_cut(self) -> int:
        """A whole number of steps below the best model, the last one longer: it saves most."""
        strict = self.cuts.now.strict
        step = max(1, -(-(strict + 1 - self._start) // _ROUNDS))
        longer, distance = step // 2, strict - self.instance.form.in_kernel_units(self.lower_bound)
        if distance < step + longer:
            return strict
        return strict - longer - (distance - longer) // step * step


_WORK_PER_STEP = 10_000_000  # touched rows, some thirty milliseconds
_MOMENT = 0.005  # seconds to wait for boxes
_ON_COURSE = 16  # times its usual share while its rounds take about as long as was to be expected: it will be first


class RatioProof(Bound):
    """The boxes next to the tree over supports, with one case of the intercept.

    Several threads may take steps at once.
    """

    name: ClassVar[str] = "ratios"
    in_any_thread: ClassVar[bool] = True
    can_be_sent: ClassVar[bool] = True

    def __init__(self, cases: Sequence[Instance], cuts: Judge, threads: int = 1) -> None:
        self._case = cases[0] if len(cases) == 1 else None
        self._cuts, self._threads = cuts, threads
        self._boxes: RatioBoxes | None = None
        self._beginning = threading.Lock()

    def applies(self) -> bool:
        """Whether the boxes can tell coefficients apart, and their numbers fit."""
        return self._case is not None and RatioBoxes.applies(self._case)

    @property
    def work(self) -> int:
        return 0 if self._boxes is None else self._boxes.proof.work

    @property
    def bound(self) -> Fraction:
        """The bound of the last round that was finished."""
        return Fraction(0) if self._boxes is None else self._boxes.lower_bound

    @property
    def left(self) -> None:
        """Rounds begin anew: the last one takes most of the time."""
        return None

    @property
    def is_done(self) -> bool:
        return self._boxes is not None and self._boxes.is_done

    @property
    def has_room(self) -> bool:
        """Whether boxes wait, and there is memory for one more thread."""
        return self._boxes is None or self._boxes.has_room

    def share(self, usual: int) -> int:
        """Much more once it will be first."""
        return usual * _ON_COURSE if self._boxes is not None and self._boxes.is_on_course else usual

    def wait(self) -> bool:
        """Wait a moment, if boxes are almost all that is worth working on and others have them; whether so.

        The tree's slices are long: who begins one now would miss what comes back, or the next round.
        """
        boxes = self._boxes
        if boxes is None or not (boxes.is_on_course or boxes.has_just_begun):
            return False
        return boxes.wait(_MOMENT)

    def step(self, known: Known, budget: Budget) -> None:
        most = _WORK_PER_STEP if budget.most is None else min(budget.most, _WORK_PER_STEP)
        self.boxes(known).run(most, budget.cancelled)

    def parts(self, known: Known) -> RemoteParts[OpenBoxes]:
        boxes = self.boxes(known)
        return RemoteParts(boxes.proof, boxes)

    def boxes(self, known: Known) -> RatioBoxes:
        """The boxes, which begin from a bound that is proven already."""
        with self._beginning:
            if self._boxes is None:
                assert self._case is not None, "it applies"
                self._boxes = RatioBoxes(self._case, self._cuts, known.lower_bound, self._threads)
        return self._boxes


class BoxOutcome(NamedTuple):
    """A worker's answer: the rest of each piece, a model within the cut, and the work it did."""

    boxes: tuple[bytes, ...]
    found: tuple[int, ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


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
    left, done, best = list(boxes), 0, None
    with rooms.one() as room:
        for at, piece in enumerate(boxes):
            taken = _from_bytes(piece)
            room.load(taken)
            while room.is_open and done + room.work < work and best is None:
                best = room.advance(taken.ratios, cut, work - done)
            left[at] = room.left(taken.ratios).to_bytes()
            done += room.work
            if done >= work or best is not None:  # the others hear of a model at once
                break
    return BoxOutcome(tuple(left), tuple(best or ()), done, question_of(digest, boxes, cut, work))

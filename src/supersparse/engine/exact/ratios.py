"""The ratio bound: boxes of all coefficients at once, for small tables with columns of many values.

The tree over supports bounds a node by the signs of its literals alone, and learns how large coefficients
are only once a support is complete. On 20 columns of many values signs say little. Here a box ranges over all
coefficients from the start, and a feature that is decided has a range at once; `ratio_boxes.hpp` of the
compiled core has the inequality.

The proof goes in rounds: that no model costs at most c, for a rising c, up to the best known model. Each
round searches depth first from the beginning and costs several times the one before, so all of them together
cost little more than the last, and every finished round is a bound on F. Each begins with one box for each
literal: the models in which it weighs most, as multiples of its coefficient.

Several threads can work on a round, and workers elsewhere (`remote.py`): each takes open boxes, and
puts back what is left of them.

It holds for F only, not for ties in l1. `RatioProof` says when it starts, and how much of the time it gets.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import struct
from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import SIGNS
from supersparse.engine.exact.ratio_arrays import (
    CROWDED,
    FINE,
    FOUND,
    TOP,
    WORK,
    BoxStack,
    PointPairs,
    Ratios,
    run_ratio_boxes,
)
from supersparse.engine.exact.ratio_data import first_box, first_literals, point_pairs, stack_for, with_more_room
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

    def divided(self, pieces: int) -> list["OpenBoxes"]:
        """At most `pieces` pieces: the first boxes, which have most in them, one by one, and the rest."""
        n = min(pieces, len(self.low))
        ends = [*range(1, n), len(self.low)]
        return [
            OpenBoxes(self.ratios, self.low[a:b], self.high[a:b], self.load[a:b])
            for a, b in zip([0, *ends], ends, strict=False)
        ]


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
        """Whether boxes are left on the stack."""
        return bool(self.stack.number[TOP])

    def load(self, boxes: OpenBoxes) -> None:
        """Put boxes on the empty stack."""
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
        found: list[int] = self.stack.vector.tolist()
        return found if result == FOUND else None

    def left(self, ratios: Ratios) -> OpenBoxes:
        """The boxes on the stack."""
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


class RatioBoxes:
    """Proves lower bounds on F round by round.

    `lower_bound` holds for every model but the best known ones, which may be better, and never falls.
    """

    def __init__(self, instance: Instance, cuts: Judge, lower_bound: Fraction, threads: int = 1) -> None:
        """Prepare to raise a bound that is proven already."""
        self.instance = instance
        self._cuts = cuts
        self._rooms = Rooms(point_pairs(instance))
        self._literals = first_literals(instance)
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self.most_at_once = max(1, min(threads, _MOST_BYTES // self.pairs.difference.nbytes))
        self._open: list[OpenBoxes] = []
        self._first: list[OpenBoxes] = []  # what rounds begin with, as far as any has come
        self._begun = 0  # how many literals the round has begun with
        self._busy = 0  # threads at work, and slices elsewhere
        self.lower_bound = lower_bound
        self.work = 0
        self._finished: list[tuple[int, int]] = []  # cuts of the rounds so far, and the work they took
        self._promised = 0.0  # work of this round and all before it, by the last two; 0 before there are two
        self._start = instance.form.in_kernel_units(lower_bound)
        self.cut = self._next_cut()

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

    @property
    def pairs(self) -> PointPairs:
        """The pairs of points; the arrays may have groups of a thread behind them."""
        return self._rooms.pairs

    @property
    def is_done(self) -> bool:
        """Whether nothing is left below the best known model."""
        return self.cut >= self._cuts.now.strict and self._is_round_over

    @property
    def has_boxes(self) -> bool:
        """Whether a thread that has nothing to do could work on boxes."""
        return self._busy < self.most_at_once and not self._is_all_taken

    @property
    def is_on_course(self) -> bool:
        """Whether the round takes about as long as the growth of the rounds before it promises."""
        return self.work < self._promised

    @property
    def has_just_begun(self) -> bool:
        """Whether the first rounds, which are short, are not over."""
        return len(self._finished) < 2

    @property
    def _is_all_taken(self) -> bool:
        return not self._open and self._begun == len(self._literals)

    @property
    def _is_round_over(self) -> bool:
        return self._is_all_taken and self._busy == 0

    def wait(self, seconds: float) -> bool:
        """Wait for boxes that others have taken, if there will be any; whether they had to be waited for."""
        with self._changed:
            has_none = self._busy < self.most_at_once and self._is_all_taken and self._busy > 0
            if has_none:
                self._changed.wait(seconds)
            return has_none

    def run(self, work: int, cancelled: Callable[[], bool]) -> None:
        """Do so much work, or finish, or stop early when cancelled; several threads may do this at once."""
        left = work
        while left > 0:
            taken = self.take()
            if not taken:
                return
            (boxes,) = taken
            with self._rooms.one() as room:
                room.load(boxes)
                try:
                    self._work_in(room, boxes.ratios, left, cancelled)
                finally:
                    self.put([room.left(boxes.ratios)], room.work)
                left -= room.work
            if cancelled():
                return

    def take(self, most: int = 1) -> list[OpenBoxes]:
        """Take open boxes of at most `most` literals, to be put back; none if none wait, or all are busy."""
        with self._lock:
            if self.is_done or not self.has_boxes:
                return []
            self._busy += 1
            waiting = len(self._open) + len(self._literals) - self._begun
            return [self._take() for _ in range(min(most, 1 + waiting // (2 * self.most_at_once), waiting))]

    def put(self, left: Iterable[OpenBoxes], work: int) -> None:
        """Put back what is left of boxes after so much work, in pieces where others have nothing to do."""
        with self._lock:
            self._busy -= 1
            self.work += work
            for boxes in left:
                if len(boxes.low):
                    self._open += boxes.divided(max(1, self.most_at_once - len(self._open)))
            self.cut = min(self.cut, self._cuts.now.strict)
            if self._is_round_over:
                self._finish_round()
            self._changed.notify_all()

    def _work_in(self, room: Room, ratios: Ratios, work: int, cancelled: Callable[[], bool]) -> None:
        """Do so much work on the boxes in a room, or close them."""
        while room.is_open and room.work < work:
            cut = min(self.cut, self._cuts.now.strict)  # a better model lowers it
            found = room.advance(ratios, cut, work)
            if found is not None:
                self._cuts.offer(found)
            if cancelled():
                return

    def _take(self) -> OpenBoxes:
        """Open boxes, or the next of those that the round begins with."""
        if self._open:
            return self._open.pop()
        if self._begun == len(self._first):
            ratios, low, high = first_box(self.instance, self._literals, self._begun)
            load = np.zeros((1, 2, len(low)), np.int64)
            self._first.append(OpenBoxes(ratios, low[None], high[None], load))
        self._begun += 1
        return self._first[self._begun - 1]

    def _finish_round(self) -> None:
        """No model costs at most the cut: raise the bound, and begin again with a higher one."""
        form = self.instance.form
        proven = next_attainable(form.problem, Fraction(self.cut + 1) / form.scale)
        self.lower_bound = max(self.lower_bound, proven)
        self._finished.append((self.cut, self.work - sum(work for _, work in self._finished)))
        if self.cut < self._cuts.now.strict:
            self._begun = 0
            self.cut = self._next_cut()
            self._promised = self.work + _LATE * self._expected()

    def _expected(self) -> float:
        """The work of the round if each unit of cost multiplies it as before."""
        if len(self._finished) < 2:
            return 0.0
        (before, little), (last, much) = self._finished[-2:]
        growth = (max(1, much) / max(1, little)) ** (1 / max(1, last - before))
        return float(much * growth ** (self.cut - last))

    def _next_cut(self) -> int:
        """A whole number of steps below the best model, the last one longer: it saves most."""
        strict = self._cuts.now.strict
        step = max(1, -(-(strict + 1 - self._start) // _ROUNDS))
        longer, distance = step // 2, strict - self.instance.form.in_kernel_units(self.lower_bound)
        if distance < step + longer:
            return strict
        return strict - longer - (distance - longer) // step * step


_START_AFTER = 150_000_000  # work of the first proof, about a second: what closes sooner needs no help
_SHARE = 4  # once it runs it gets four parts of the work, about half of the time, the tree over supports one
_SHARE_ON_COURSE = 64  # ... while its rounds take about as long as was to be expected: it will be first
_WORK_PER_STEP = 10_000_000  # touched rows, some thirty milliseconds
_MOMENT = 0.005  # seconds to wait for boxes


class RatioProof:
    """Runs boxes of all coefficients in steps next to the tree over supports.

    They are left out where the partition bound applies, and where boxes as wide as these say nothing. Several
    threads may ask and take steps at once.

    Few problems need them, so their kernel is compiled when one does, in another process while the tree goes
    on; or here, where `waits`, so that a run can be repeated exactly.
    """

    def __init__(self, cases: list[Instance], cuts: Judge, threads: int = 1, *, waits: bool = False) -> None:
        self._case = cases[0] if len(cases) == 1 else None
        self._cuts = cuts
        self._threads = threads
        self._boxes: RatioBoxes | None = None
        self._may_help: bool | None = None  # not yet asked: the answer takes a look at the whole table
        self._began_at = 0
        self._beginning = threading.Lock()

    @property
    def work(self) -> int:
        """The work done so far, in touched rows."""
        return 0 if self._boxes is None else self._boxes.work

    @property
    def lower_bound(self) -> Fraction:
        """The bound proven so far."""
        return Fraction(0) if self._boxes is None else self._boxes.lower_bound

    @property
    def share(self) -> int:
        """Its work for a unit of the tree's."""
        is_on_course = self._boxes is not None and self._boxes.is_on_course
        return _SHARE_ON_COURSE if is_on_course else _SHARE

    @property
    def work_in_turn(self) -> int:
        """The tree's work if both had their usual turns."""
        return self.work // _SHARE

    @property
    def may_help(self) -> bool:
        """Whether it is at work, or may begin yet."""
        return self._case is not None and self._may_help is not False

    def is_due(self, proof_work: int) -> bool:
        """Whether this bound should take the next step, after so much work of the first proof."""
        if self._boxes is not None:
            is_behind = self.work < self.share * (proof_work - self._began_at)
            return is_behind and self._boxes.has_boxes and not self._boxes.is_done
        if self._case is None or proof_work < _START_AFTER or self._may_help is False:
            return False
        if self._may_help is None:
            self._may_help = RatioBoxes.applies(self._case)
        return self._may_help

    def wait(self) -> bool:
        """Wait a moment, if boxes are almost all that is worth working on and others have them; whether so.

        The tree's slices are long: who begins one now would miss what comes back, or the next round.
        """
        boxes = self._boxes
        if boxes is None or not (boxes.is_on_course or boxes.has_just_begun):
            return False
        return boxes.wait(_MOMENT)

    def step(
        self, lower_bound: Fraction, proof_work: int, should_stop: Callable[[], bool], most: int | None = None
    ) -> None:
        """Take one step, of at most so much work, if it is due; from a bound that is proven already."""
        boxes = self.boxes(lower_bound, proof_work)
        if boxes is not None:
            boxes.run(_WORK_PER_STEP if most is None else min(most, _WORK_PER_STEP), should_stop)

    def boxes(self, lower_bound: Fraction, proof_work: int) -> RatioBoxes | None:
        """The boxes, which begin from a bound that is proven already; None before they are due."""
        with self._beginning:
            if self._boxes is None and self.is_due(proof_work):
                assert self._case is not None
                self._boxes = RatioBoxes(self._case, self._cuts, lower_bound, self._threads)
                self._began_at = proof_work
        return self._boxes

"""Proof: an engine's open parts, and the threads of this process that close them.

The engine says how a search space begins, works on parts of it, and judges what it finds; it need not know who
else is at work. No part is lost: what was taken counts as open until what is left of it has been put back.
"""

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, Generic, NamedTuple, Protocol

from supersparse.engine.proving.open_parts import OpenParts, Part, Taken

Cancelled = Callable[[], bool]


class CancelledError(Exception):
    """Work that ends before anything was done; its parts stay open."""


class Budget(NamedTuple):
    most: int | None  # work, where that is limited
    cancelled: Cancelled
    threads: int = 1  # among how many the proof is divided


class Left(NamedTuple, Generic[Part]):
    """The parts that remain after some work on them."""

    parts: Sequence[Part]
    work: int = 0
    at_hand: Sequence[Part] = ()
    """The rest of the part that the worker goes on with, if it does."""


class Worker(Protocol[Part]):
    """One thread's share in a proof: it works on parts, and may go on with what it has begun."""

    def work_on(self, parts: Sequence[Part], budget: Budget) -> Left[Part]:
        """Work on the parts, the first of them first, or go on where something is at hand: then there are none."""
        ...

    def let_go(self) -> None:
        """Forget the part at hand; it has been put back."""
        ...


class Engine(ABC, Generic[Part]):
    """A search space as a proof sees it."""

    at_once = 1
    """Parts that a worker takes together, at most."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while parts are taken or put back, so that a bound fits what else holds at that moment."""

    @abstractmethod
    def roots(self) -> Iterable[Part]:
        """The parts that a proof begins with; together they hold everything."""

    @abstractmethod
    def bound_of(self, part: Part) -> Any:
        """The proven bound of a part."""

    @abstractmethod
    def is_closed(self, bound: Any) -> bool:
        """Whether nothing with this bound is worth looking for any more; true for all that is larger."""

    @abstractmethod
    def worker(self) -> Worker[Part]:
        """A worker for one more thread."""

    def joins(self, first: Part, other: Part) -> bool:
        """Whether a part can be worked on together with the first."""
        return True

    def settled(self, taken: Taken[Part], left: Sequence[Part]) -> Sequence[Part]:
        """The parts to open in place of the taken ones, of which these remain."""
        return left

    def pieces(self, part: Part, most: int) -> Sequence[Part]:
        """A part divided into at most this number, to be worked on at once."""
        return [part]

    def again(self) -> Iterable[Part]:
        """The parts of the next round, if there is one, once no part is open."""
        return ()

    def count_idle(self, workers: int) -> None:
        """Hear how many workers have nothing to do."""


_SWITCH_SECONDS = 0.0005


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let threads switch often: between kernels, each needs Python for well under a millisecond.

    With the default of 5 ms, one thread would wait for the other most of the time.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _SWITCH_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


class Proof(Generic[Part]):
    """The open parts of an engine, and who works on them."""

    def __init__(self, engine: Engine[Part], threads: int = 1) -> None:
        self.engine = engine
        self.threads = threads
        self.work = 0  # as workers count it
        self.has_begun = False
        self._parts: OpenParts[Part] = OpenParts()
        self._mine = threading.local()
        self._at_hand: dict[Worker[Part], Taken[Part]] = {}
        self._changed, self._ended = threading.Condition(engine.lock), threading.Condition(engine.lock)
        self._idle = 0
        self._stopping = False
        self._failure: BaseException | None = None

    def begin(self, parts: Iterable[Part] | None = None) -> None:
        """Open the roots, or what another run has left."""
        self.has_begun = True
        self._open(self.engine.roots() if parts is None else parts)

    def _open(self, parts: Iterable[Part]) -> None:
        engine = self.engine
        with self._changed:
            for part in parts:
                bound = engine.bound_of(part)
                if not engine.is_closed(bound):
                    self._parts.push(bound, part)
            self._changed.notify_all()

    @property
    def is_open(self) -> bool:
        with self._changed:
            return self._failure is None and (self._parts.takers > 0 or self.some_wait)

    @property
    def some_wait(self) -> bool:
        """Whether a part waits; if the first is closed, all are."""
        with self._changed:
            first = self._parts.first
            if first is not None and self.engine.is_closed(first):
                self._parts.drop()
            return len(self._parts) > 0

    @property
    def bound(self) -> Any:
        """The least bound of everything open; None if nothing is."""
        with self._changed:
            return self._parts.bound

    @property
    def are_all_taken(self) -> bool:
        """Whether something is open, and nothing of it waits."""
        with self._changed:
            return self._parts.takers > 0 and not self.some_wait

    @property
    def takers(self) -> int:
        """How many have taken parts, or something at hand."""
        return self._parts.takers

    def open_parts(self) -> list[Part]:
        """Everything open; taken parts as far as they are known."""
        with self._changed:
            return list(self._parts)

    def take(self, most: int) -> Taken[Part] | None:
        """Take at most this number of parts, fewer where others would have nothing to do; None if none waits."""
        with self._changed:
            if not self.some_wait:
                return None
            size = min(most, 1 + len(self._parts) // (2 * self.threads))
            return self._parts.take(size, self.engine.joins)

    def put(self, taken: Taken[Part], left: Left[Part]) -> None:
        engine, parts = self.engine, self._parts
        with self._changed:
            pieces: list[Part] = []
            for part in engine.settled(taken, left.parts):
                if not engine.is_closed(engine.bound_of(part)):
                    spread = len(parts) + len(pieces) < self.threads
                    pieces += engine.pieces(part, self.threads) if spread else [part]
            at_hand = [(engine.bound_of(part), part) for part in left.at_hand]
            parts.put(taken, ((engine.bound_of(part), part) for part in pieces), at_hand)
            self.work += left.work
            if not self.some_wait and not parts.takers:
                self._open(engine.again())
            if len(parts):
                self._changed.notify(min(self._idle, len(parts)))
            elif not parts.takers:
                self._changed.notify_all()
                self._ended.notify_all()

    def put_back(self, taken: Taken[Part]) -> None:
        """Reopen taken parts, as far as they are known."""
        self.put(taken, Left([part for _, part in taken.left]))

    def step(self, cancelled: Cancelled = lambda: False, most: int | None = None) -> bool:
        """Do a step in this thread, of at most so much work; whether there was anything to do."""
        return self._step(self._worker(), cancelled, most, wait=False)

    def _worker(self) -> Worker[Part]:
        worker: Worker[Part] | None = getattr(self._mine, "worker", None)
        if worker is None:
            worker = self._mine.worker = self.engine.worker()
        return worker

    def _step(self, worker: Worker[Part], cancelled: Cancelled, most: int | None, *, wait: bool) -> bool:
        taken, parts = self._at_hand.pop(worker, None), list[Part]()
        if taken is None:
            taken = self._take(wait=wait)
            if taken is None:
                return False
            parts = taken.parts
        left: Left[Part] | None = None
        try:
            left = worker.work_on(parts, Budget(most, cancelled, self.threads))
        except CancelledError:
            pass
        finally:
            if left is None:
                worker.let_go()
                self.put_back(taken)
            else:
                if left.at_hand:
                    self._at_hand[worker] = taken
                self.put(taken, left)
        return True

    def _take(self, *, wait: bool) -> Taken[Part] | None:
        """Take parts, the first of all; None when all are closed or the proof stops."""
        with self._changed:
            while not self._stopping:
                taken = self.take(self.engine.at_once)
                if taken is not None:
                    return taken
                if not wait or not self._parts.takers:
                    self._changed.notify_all()
                    return None
                self._count_idle(1)
                self._changed.wait(0.1)
                self._count_idle(-1)
            return None

    def _count_idle(self, change: int) -> None:
        self._idle += change
        self.engine.count_idle(self._idle)

    def let_go(self) -> None:
        """Open again what workers have at hand; none of them is at work."""
        for worker, taken in list(self._at_hand.items()):
            self._let_go(worker, taken)

    def _let_go(self, worker: Worker[Part], taken: Taken[Part]) -> None:
        del self._at_hand[worker]
        worker.let_go()
        self.put_back(taken)

    def start(
        self,
        threads: int,
        cancelled: Cancelled = lambda: False,
        first: Sequence[Callable[[], None]] = (),
        between: Callable[[], bool] = lambda: False,
    ) -> list[threading.Thread]:
        """Start threads that work until nothing is open; some of them do something else first.

        What they do between steps is done again while it returns True.
        """
        self.threads = threads
        self.let_go()
        mine = [self._mine.__dict__.pop("worker", None)]  # one of them goes on with this thread's worker
        workers = [
            threading.Thread(
                target=self._work_until_closed,
                args=(cancelled, before, between, worker),
                name=f"proof-{t}",
                daemon=True,
            )
            for t, before, worker in zip_longest(range(threads), first, mine)
        ]
        for worker in workers:
            worker.start()
        return workers

    def finish(self, workers: list[threading.Thread]) -> None:
        """Stop the threads, which put their parts back, and raise any error from one."""
        with self._changed:
            self._stopping = True
            self._count_idle(1)  # steps end early, as if this thread had nothing to do
            self._changed.notify_all()
        for worker in workers:
            worker.join()
        self.let_go()
        if self._failure is not None:
            raise self._failure

    def wait(self, seconds: float) -> None:
        """Wait so long, or until nothing is open."""
        with self._ended:
            if self.is_open:
                self._ended.wait(seconds)

    def wait_for_more(self, seconds: float) -> bool:
        """Wait so long for what others have taken, if nothing waits; whether that was so."""
        with self._changed:
            if not self.are_all_taken:
                return False
            self._count_idle(1)
            self._changed.wait(seconds)
            self._count_idle(-1)
            return True

    def _work_until_closed(
        self,
        cancelled: Cancelled,
        before: Callable[[], None] | None,
        between: Callable[[], bool],
        worker: Worker[Part] | None,
    ) -> None:
        try:
            if before is not None:
                before()
            worker = worker or self.engine.worker()
            while self._step(worker, lambda: self._stopping or cancelled(), None, wait=True):
                while not self._stopping and between():
                    pass
        except BaseException as failure:  # passed to the main thread by `finish`
            with self._changed:
                self._failure = failure
                self._stopping = True
                self._changed.notify_all()
                self._ended.notify_all()

"""Bounds that join a proof: further ways to show that nothing is better, and when each has its turn.

A bound is worth its time on some problems only, and which, nobody knows before. So a proof begins alone; bounds that
apply begin after a while, and each then works so much for every unit of the proof's work. That is its share, in the
engine's table of bounds.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from supersparse.engine.proving.cluster import RemoteParts, Request
from supersparse.engine.proving.proof import Budget


class Known(NamedTuple):
    """The state of the proof when a bound takes a step."""

    objective: Fraction  # of the best model: there is nothing to prove beyond
    lower_bound: Fraction  # proven already


class Bound(ABC):
    """Proves that no model has a smaller objective than `bound`, which never falls.

    `step` may be weak, slow and interrupted, never wrong: what it claims is taken as proven.
    """

    name: ClassVar[str]
    in_any_thread: ClassVar[bool] = False
    """Whether threads that prove take its steps as well; else only the one that watches the limits does."""
    can_be_sent: ClassVar[bool] = False
    """Whether it has `parts` for an executor."""

    @abstractmethod
    def applies(self) -> bool:
        """Whether it holds for the problem and is worth trying; asked once, when it would begin."""

    @abstractmethod
    def step(self, known: Known, budget: Budget) -> None:
        """Work for some thirty milliseconds, at most as much as the budget allows."""

    @property
    @abstractmethod
    def work(self) -> int:
        """Done so far, in the units of the proof's work."""

    @property
    @abstractmethod
    def bound(self) -> Fraction:
        """The proven bound; 0 before the first step."""

    @property
    @abstractmethod
    def left(self) -> Any:
        """The open parts, as JSON for a checkpoint; None where another run would begin anew."""

    def resume(self, left: Any) -> None:
        """Go on with what another run has left, checked."""
        raise ValueError(f"the bound {self.name!r} keeps nothing")

    @property
    def is_done(self) -> bool:
        """Whether another step can prove nothing more."""
        return False

    @property
    def has_room(self) -> bool:
        """Whether one more thread could take a step now."""
        return True

    def parts(self, known: Known) -> RemoteParts[Any] | None:
        """Its open parts for an executor, where they can be sent; it has begun."""
        return None

    def share(self, usual: int) -> int:
        """Its work for a unit of the proof's: more than usual where that promises an end."""
        return usual

    def wait(self) -> bool:
        """Wait a moment for what other threads have taken, if there is nothing better to do; whether so."""
        return False


@dataclass(frozen=True, kw_only=True)
class Share:
    """How a bound is made, when it begins, and how much it then works."""

    make: Callable[[Any], Bound]
    """Make the bounds of a problem, as the engine describes it."""
    after: int  # work of the proof: what closes sooner needs no help
    part: int  # its work for each unit of the proof's from then on


class Turns:
    """Says whose turn it is: a bound's, or the proof's."""

    def __init__(self, shares: Mapping[str, Share], about: Any) -> None:
        self.bounds = tuple(share.make(about) for share in shares.values())
        self._shares = shares
        self._began: dict[str, int] = {}  # the proof's work when a bound began
        self._never: set[str] = set()
        self._lock = threading.Lock()

    @property
    def work(self) -> int:
        return sum(bound.work for bound in self.bounds)

    @property
    def best(self) -> Fraction:
        return max((bound.bound for bound in self.bounds), default=Fraction(0))

    @property
    def pace(self) -> int:
        """The proof's work at which a bound with its usual share would have done this much."""
        return max((bound.work // self._shares[bound.name].part for bound in self.bounds), default=0)

    def left(self) -> dict[str, Any]:
        """The open parts of each, for a checkpoint."""
        return {bound.name: left for bound in self.bounds if (left := bound.left) is not None}

    def resume(self, left: Mapping[str, Any]) -> None:
        """Let them go on at once where another run has left them."""
        for bound in self.bounds:
            if bound.name in left and bound.applies():
                bound.resume(left[bound.name])
                self._began[bound.name] = 0

    def usual(self, bound: Bound) -> int:
        return self._shares[bound.name].part

    def may_begin(self, bound: Bound) -> bool:
        """Whether it is at work, or may begin yet."""
        return bound.name not in self._never

    def has_begun(self, bound: Bound, work: int) -> bool:
        """Whether it is at work after so much work of the proof; it begins if it is time."""
        with self._lock:
            if bound.name in self._began:
                return True
            if bound.name in self._never or work < self._shares[bound.name].after:
                return False
            if not bound.applies():
                self._never.add(bound.name)
                return False
            self._began[bound.name] = work
            return True

    def is_due(self, bound: Bound, work: int) -> bool:
        """Whether it should take a step after so much work of the proof."""
        if not self.has_begun(bound, work) or bound.is_done or not bound.has_room:
            return False
        share = bound.share(self._shares[bound.name].part)
        return bound.work == 0 or bound.work < share * (work - self._began[bound.name])


class InTurn:
    """Slices of a proof and of the bounds that can be sent, for a cluster; what was taken remembers which it is of.

    Once a bound has begun, the proof gets its share and no more, and that in short slices: it will hardly come to an
    end, and parts of the bound that come must not wait for it.
    """

    def __init__(
        self, proof: RemoteParts[Any], turns: Turns, work: Callable[[], int], known: Callable[[], Known],
        step_here: Callable[[], bool],
    ) -> None:  # fmt: skip
        """`work` is the proof's so far; `step_here` takes a step of a bound in this process if one is due."""
        self.least_work, self.most_work = proof.least_work, proof.most_work
        self._proof, self._turns, self._work, self._known, self._step_here = proof, turns, work, known, step_here
        self._parts: dict[str, RemoteParts[Any] | None] = {}  # of each bound that has begun
        self._sent = 0  # work of the proof that was sent since
        self._slices = 1

    def divide_among(self, slices: int) -> None:
        self._slices = slices
        self._proof.divide_among(slices)

    def _begun(self) -> list[tuple[Bound, RemoteParts[Any]]]:
        """The bounds that have begun and can be sent; they begin if it is time."""
        for bound in self._turns.bounds:
            if bound.name not in self._parts and self._turns.has_begun(bound, self._work()):
                parts = self._parts[bound.name] = bound.parts(self._known())
                if parts is not None:
                    parts.divide_among(self._slices)
        pairs = ((bound, self._parts.get(bound.name)) for bound in self._turns.bounds)
        return [(bound, parts) for bound, parts in pairs if parts is not None]

    def take(self) -> tuple[RemoteParts[Any], Any] | None:
        begun = self._begun()
        for bound, parts in begun:
            if bound.work < bound.share(self._turns.usual(bound)) * self._sent and not bound.is_done:
                taken = parts.take()
                return None if taken is None else (parts, taken)
        taken = self._proof.take()
        if taken is not None:
            self._sent += self.least_work if begun else 0
            return self._proof, taken
        for _, parts in begun:  # all of the proof is on its way
            taken = parts.take()
            if taken is not None:
                return parts, taken
        return None

    def request(self, taken: tuple[RemoteParts[Any], Any]) -> Request | None:
        parts, what = taken
        request = parts.request(what)
        may_be_sent = any(bound.can_be_sent and self._turns.may_begin(bound) for bound in self._turns.bounds)
        if request is not None and parts is self._proof and may_be_sent:
            return request._replace(most_work=self.least_work)
        return request

    def read(self, taken: tuple[RemoteParts[Any], Any], result: Any) -> Any:
        return taken[0].read(taken[1], result)

    def receive(self, taken: tuple[RemoteParts[Any], Any], left: Any) -> None:
        taken[0].receive(taken[1], left)

    def put_back(self, taken: tuple[RemoteParts[Any], Any]) -> None:
        taken[0].put_back(taken[1])

    def do_here(self, taken: tuple[RemoteParts[Any], Any] | None = None) -> None:
        if taken is not None:
            taken[0].do_here(taken[1])
        elif not self._step_here():
            self._proof.do_here()

"""Open parts elsewhere: what an engine adds so that an executor can work on them, and how a cluster sees a proof."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from supersparse.engine.proving.cluster import Request
from supersparse.engine.proving.open_parts import Part, Taken
from supersparse.engine.proving.proof import Cancelled, Engine, Left, Proof


class Answer(NamedTuple, Generic[Part]):
    """What a worker hands back, checked."""

    left: Left[Part]
    found: Any


class RemoteEngine(Engine[Part]):
    """An engine whose parts can be worked on elsewhere.

    A worker needs neither the problem nor the evaluator: what it finds is judged where the solve runs.
    """

    least_work: int
    """Of a slice elsewhere: some 50 ms."""
    most_work: int
    """About a second."""
    together = 32
    """Parts of a slice, at most."""

    @abstractmethod
    def to_bytes(self, parts: Sequence[Part]) -> bytes | tuple[bytes, ...]:
        """Parts as they travel, and as a checkpoint keeps them."""

    @abstractmethod
    def request(self, parts: Sequence[Part], cancelled: Cancelled) -> Request | None:
        """A slice of these parts with the cuts that hold now; None where a limit is reached first."""

    @abstractmethod
    def read(self, parts: Sequence[Part], outcome: Any) -> Answer[Part]:
        """Read what a worker hands back of parts; an error if no slice can have written it: kernels do not check."""

    @abstractmethod
    def judge(self, found: Any) -> None:
        """Let the evaluator judge what a worker has found."""


class RemoteParts(Generic[Part]):
    """A proof as a cluster sees it."""

    def __init__(
        self,
        proof: Proof[Part],
        engine: RemoteEngine[Part],
        cancelled: Cancelled = lambda: False,
        work_left: Callable[[], int | None] = lambda: None,
    ) -> None:
        self.least_work, self.most_work = engine.least_work, engine.most_work
        self._proof, self._engine = proof, engine
        self._cancelled, self._work_left = cancelled, work_left
        proof.let_go()

    def divide_among(self, slices: int) -> None:
        """Take smaller batches, so that there are enough for all."""
        self._proof.threads = slices

    def take(self) -> Taken[Part] | None:
        """Take open parts."""
        return self._proof.take(self._engine.together)

    def request(self, taken: Taken[Part]) -> Request | None:
        """A slice of what was taken."""
        return self._engine.request(taken.parts, self._cancelled)

    def read(self, taken: Taken[Part], result: Any) -> Answer[Part]:
        """Read a worker's answer, checked."""
        return self._engine.read(taken.parts, result)

    def receive(self, taken: Taken[Part], answer: Answer[Part]) -> None:
        """Judge what was found, and open what is left."""
        self._engine.judge(answer.found)
        self._proof.put(taken, answer.left)

    def put_back(self, taken: Taken[Part]) -> None:
        """Open the parts again as they were."""
        self._proof.put_back(taken)

    def do_here(self, taken: Taken[Part] | None = None) -> None:
        """Do what a worker would do of what was taken, or else a step of what comes next."""
        if taken is None:
            self._proof.step(self._cancelled, self._work_left())
            return
        request, most = self.request(taken), self._work_left()
        if request is None:
            self.put_back(taken)
            return
        work = self.least_work if most is None else max(1, min(self.least_work, most))
        done = request.function(request.digest, request.arrays, *request.rest, work)
        self.receive(taken, self.read(taken, done))

"""Slices of a proof on an executor, how a problem travels to it, and what an engine adds for that.

The queue, the evaluator and the best model stay here. Each slice travels with what the best model says when
it is sent, and comes back as what is still open. Both engines prove this way. While no worker answers, as
when they start, this process proves alone. A problem travels once, as bytes; workers know it by its digest.
"""

import hashlib
import json
import math
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from supersparse.engine.proving.executors import Sender, Task, workers_of
from supersparse.engine.proving.open_parts import Part, Taken
from supersparse.engine.proving.proof import Cancelled, Engine, Left, Proof

_MOST_KNOWN = 4  # problems that a worker remembers
Read = TypeVar("Read")
Fields = TypeVar("Fields", bound=tuple[Any, ...])


def as_bytes(values: Iterable[Any]) -> bytes:
    """Arrays and numbers as bytes: a line of JSON with shapes, then all of them."""
    arrays = [np.asarray(value) for value in values]
    head = json.dumps([(array.dtype.str, array.shape) for array in arrays]).encode()
    return b"\n".join([head, b"".join(array.tobytes() for array in arrays)])


def packed(values: Iterable[Any]) -> tuple[str, bytes]:
    """Return the digest of arrays and numbers, and them as bytes."""
    content = as_bytes(values)
    return hashlib.sha256(content).hexdigest(), content


def unpacked(content: bytes) -> Iterator[Any]:
    """Yield the arrays and numbers again."""
    head, _, body = content.partition(b"\n")
    at = 0
    for kind, shape in json.loads(head):
        array = np.frombuffer(body, kind, math.prod(shape), at).reshape(shape).copy()
        at += array.nbytes
        yield array if array.ndim else array.item()


def fields_of(kind: type[Fields], values: Iterator[Any]) -> Fields:
    """Fill a named tuple with the next values."""
    return kind(*(next(values) for _ in kind._fields))  # type: ignore[attr-defined]


class ProblemCache(Generic[Read]):
    """A worker's memory of the last few problems."""

    def __init__(self, read: Callable[[Iterator[Any]], Read]) -> None:
        self._read = read
        self._known: dict[str, Read] = {}
        self._lock = threading.Lock()

    def get(self, digest: str, content: bytes | None) -> Read | None:
        """Return what is known by a digest, or read it; None where that is not known here and not given."""
        with self._lock:
            known = self._known.get(digest)
            if known is None and content is not None:
                known = self._known[digest] = self._read(unpacked(content))
                while len(self._known) > _MOST_KNOWN:
                    del self._known[next(iter(self._known))]
            return known


LOOK_SECONDS = 0.02  # between two looks at the limits
QUIET_SECONDS = 0.5  # seconds without an answer, at least, after which this process works on what waits
PATIENCE_SECONDS = 5.0  # seconds, at least, after which a slice without an answer is done here
START_SECONDS = 60.0  # the same before the first answer: workers must start, and load what is compiled
_MOST_COUNTED = 2**48  # no slice does so much
Sent = TypeVar("Sent")


class Request(NamedTuple):
    """A slice as a call: the function is given the digest, the arrays, the rest, and an amount of work.

    It returns None where the arrays are None and not known there by their digest, else an outcome whose
    `question` is `question_of` all that it was given but the arrays.
    """

    function: Callable[..., Any]
    digest: str
    arrays: bytes
    rest: tuple[Any, ...]
    most_work: int | None = None  # less than slices have now, where something more important may come


def question_of(digest: str, *asked: Any) -> bytes:
    """The digest of a request, which its outcome repeats: no answer stands for another's."""
    question = hashlib.blake2b(digest.encode(), digest_size=16)
    for value in asked:
        for one in value if isinstance(value, tuple | list) else (value,):
            written = one if isinstance(one, bytes) else repr(one).encode()
            question.update(b"%d:" % len(written))
            question.update(written)
        question.update(b",")
    return question.digest()


def checked_count(value: object) -> int:
    """How much a worker says that it did; an error if no slice can have said so."""
    if type(value) is not int or not 0 <= value <= _MOST_COUNTED:
        raise ValueError(f"{value!r:.60} is not how much a slice can do")
    return value


class Slices(Protocol[Sent]):
    """A proof as a cluster sees it: it hands out slices, and takes back the parts that they leave open."""

    least_work: int  # of a slice: some 50 ms
    most_work: int  # about a second

    def divide_among(self, slices: int) -> None:
        """Hear how many slices will be on their way at the same time."""

    def take(self) -> Sent | None:
        """Take the parts of a slice; None if none waits."""

    def request(self, taken: Sent) -> Request | None:
        """Return the request to a worker; None where a limit is reached first."""

    def read(self, taken: Sent, result: Any) -> Any:
        """Read what a worker hands back of what was taken, checked like a checkpoint.

        An error if no slice can have written it.
        """

    def receive(self, taken: Sent, left: Any) -> None:
        """Replace taken parts by those that a worker left open, as `read`."""

    def put_back(self, taken: Sent) -> None:
        """Reopen taken parts."""

    def do_here(self, taken: Sent | None = None) -> None:
        """Do a slice in this process: of the taken parts, or else of the next ones."""


class Cluster:
    """Sends slices of a proof to an executor and takes back what they leave open."""

    def __init__(self, slices: Slices[Any], executor: Executor) -> None:
        self._slices = slices
        self._sender: Sender[Any] = Sender(executor, "its slice")
        self._work = slices.least_work
        self._most_sent = 2 * workers_of(executor)
        self._heard_at = time.monotonic()  # when a slice last came back
        self._has_heard = False
        slices.divide_among(self._most_sent)

    def run(self, is_over: Callable[[], bool], other_work: Callable[[], bool] = lambda: False) -> None:
        """Prove until it is over; `other_work` is done here in between, and says whether there was any."""
        try:
            while not is_over():
                self._fill()
                if self._sender.is_gone:
                    self._slices.do_here()
                has_worked = self._stand_in()
                is_busy = other_work() or has_worked or self._sender.is_gone
                self._collect(0.0 if is_busy else LOOK_SECONDS)
        finally:
            for task in self._sender.cancel():  # its work is lost
                self._slices.put_back(task.given)

    def _stand_in(self) -> bool:
        """Do a slice here where a worker owes one, or while none answers; say whether there was one.

        What is taken back is forgotten where it was sent, so nothing is closed twice.
        """
        sender, slices = self._sender, self._slices
        slowest = sender.slowest if self._has_heard else 0.0
        late = sender.overdue(max(PATIENCE_SECONDS, 4 * slowest) if self._has_heard else START_SECONDS)
        if late is not None:
            slices.do_here(late.given)
            return True
        if time.monotonic() - self._heard_at < max(QUIET_SECONDS, 2 * slowest):
            return False
        taken = slices.take()
        if taken is None and not self._has_heard:
            if time.monotonic() - self._heard_at > START_SECONDS:
                sender.say_late(START_SECONDS)
            first = sender.take_back()
            taken = None if first is None else first.given
        if taken is None:
            return False
        slices.do_here(taken)
        return True

    def _fill(self) -> None:
        """Send slices until enough are on their way."""
        slices = self._slices
        # what was taken back before the first answer is with workers that start: more would only wait
        most = self._most_sent - (0 if self._has_heard else self._sender.forgotten)
        while len(self._sender) < most and not self._sender.is_gone:
            taken = slices.take()
            if taken is None:
                # short slices give the others something to do
                self._work = max(slices.least_work, self._work // 2)
                return
            if not self._send(taken, with_arrays=False):
                return
        self._work = min(slices.most_work, 2 * self._work)

    def _send(self, taken: Any, *, with_arrays: bool) -> bool:
        request = self._slices.request(taken)
        if request is not None:
            arrays = request.arrays if with_arrays else None
            work = self._work if request.most_work is None else min(self._work, request.most_work)
            arguments = (request.digest, arrays, *request.rest, work)
            if self._sender.send(Task(taken, request.function, arguments)):
                return True
        self._slices.put_back(taken)
        return False

    def _collect(self, seconds: float) -> None:
        """Wait for slices to come back, but not longer, and take in what has come."""
        for task, result, done in self._sender.collect(seconds):
            if not done:
                self._slices.do_here(task.given)
                continue
            if result is None and task.arguments[1] is None:  # it does not know the arrays
                self._send(task.given, with_arrays=True)
                continue
            try:
                if result is None:
                    raise TypeError("it was sent the arrays and answered None")
                digest, _, *asked = task.arguments
                if result.question != question_of(digest, *asked):
                    raise ValueError("it answered another slice")
                left = self._slices.read(task.given, result)
            except Exception as error:  # as good as lost
                if self._sender.failed(task, error):
                    self._slices.do_here(task.given)
                continue
            self._hear()
            self._slices.receive(task.given, left)

    def _hear(self) -> None:
        self._heard_at = time.monotonic()
        if not self._has_heard:
            self._has_heard = True
            self._sender.ready_at = self._heard_at
            self._sender.slowest = 0.0


class Answer(NamedTuple, Generic[Part]):
    """A worker's answer, checked."""

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
    def judge(self, models: Any) -> None:
        """Let the evaluator judge the models of a worker."""


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
        return self._proof.take(self._engine.together)

    def request(self, taken: Taken[Part]) -> Request | None:
        return self._engine.request(taken.parts, self._cancelled)

    def read(self, taken: Taken[Part], result: Any) -> Answer[Part]:
        return self._engine.read(taken.parts, result)

    def receive(self, taken: Taken[Part], answer: Answer[Part]) -> None:
        self._engine.judge(answer.found)
        self._proof.put(taken, answer.left)

    def put_back(self, taken: Taken[Part]) -> None:
        self._proof.put_back(taken)

    def do_here(self, taken: Taken[Part] | None = None) -> None:
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

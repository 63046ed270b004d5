"""Slices on an executor: processes of this machine, or the workers of a cluster.

The queue, the evaluator and the best model stay here. Each slice travels with the cuts that hold when it is
sent, and comes back as open parts. A slice whose worker is lost goes back to the queue as it was, so nothing
but its work is lost; one that failed three times is done here, where its error, if it has one, can be seen.
"""

import os
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass

from supersparse.errors import WorkerLostWarning
from supersparse.solving.exact.instance import Instance
from supersparse.solving.exact.literals import literals_where
from supersparse.solving.exact.parts import Part, from_bytes, node_part, support_part, to_bytes
from supersparse.solving.exact.proof import WORK_PER_NODE, Proof
from supersparse.solving.exact.remote import Outcome, packed, run_remotely
from supersparse.solving.exact.tree import Task

_LEAST_WORK, _MOST_WORK = 100 * WORK_PER_NODE, 2000 * WORK_PER_NODE  # of a slice: about 50 ms, and a second
_BATCH = 32  # parts of a slice, at most
_MOST_FAILURES = 3


@dataclass(eq=False)
class _Sent:
    """A slice that is on its way; `outcome` is None while its worker does not know the problem."""

    tasks: list[Task[Part]]
    failures: int = 0
    with_content: bool = False


class Cluster:
    """Sends slices of a proof to an executor and takes back what they leave open."""

    def __init__(
        self, proof: Proof, cases: list[Instance], executor: Executor, cancelled: Callable[[], bool]
    ) -> None:
        self._proof = proof
        self._executor = executor
        self._cancelled = cancelled
        self._cases = {case.case: case for case in cases}
        self._content: dict[int, tuple[str, bytes]] = {}
        self._sent: dict[Future[Outcome | None], _Sent] = {}
        self._work = _LEAST_WORK
        self._most_sent = 2 * workers_of(executor)
        self._has_warned = False
        self.is_gone = False  # the executor takes no more work: the rest is done here
        proof.threads = self._most_sent

    def fill(self) -> None:
        """Send slices until enough are on their way."""
        while len(self._sent) < self._most_sent and not self.is_gone:
            tasks = self._proof.take(_BATCH)
            if not tasks:
                self._work = max(_LEAST_WORK, self._work // 2)  # short slices give the others something to do
                return
            self._send(_Sent(tasks))
        self._work = min(_MOST_WORK, 2 * self._work)

    def collect(self, seconds: float) -> None:
        """Wait for slices to come back, but not longer, and take in what has come."""
        done, _ = wait(self._sent, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in done:
            sent = self._sent.pop(future)
            try:
                outcome = future.result()
                left = None if outcome is None else self._read(outcome.parts, sent.tasks[0].work)
            except Exception as error:  # whatever an executor raises where a worker is lost
                self._lost(sent, error)
                continue
            if outcome is None or left is None:
                sent.with_content = True
                self._send(sent)
                continue
            for coefficients in outcome.found:
                self._proof.cuts.offer(list(coefficients))
            self._proof.put(sent.tasks, left, outcome.work)

    def stop(self) -> None:
        """Put back what is on its way; its work is lost."""
        for future, sent in self._sent.items():
            future.cancel()
            self._proof.put(sent.tasks, [task.work for task in sent.tasks], 0)
        self._sent.clear()

    def _send(self, sent: _Sent) -> None:
        parts = [task.work for task in sent.tasks]
        case, now = parts[0].case, self._proof.cuts.now
        if case not in self._content:
            self._content[case] = packed(self._proof.data_of(case, self._cancelled))
        digest, content = self._content[case]
        try:
            future = self._executor.submit(
                run_remotely,
                digest,
                content if sent.with_content else None,
                case,
                to_bytes(parts),
                (now.tie, now.strict, now.l1),
                self._work,
            )
        except Exception as error:  # a broken pool raises its own kind, one that is shut down a RuntimeError
            self._proof.put(sent.tasks, parts, 0)
            self._give_up(error)
            return
        self._sent[future] = sent

    def _lost(self, sent: _Sent, error: Exception) -> None:
        sent.failures += 1
        self._warn(f"a worker was lost ({error or type(error).__name__}); its slice is done again")
        if sent.failures < _MOST_FAILURES and not self.is_gone:
            self._send(sent)
            return
        self._proof.put(sent.tasks, [task.work for task in sent.tasks], 0)
        self._proof.step(self._cancelled)

    def _give_up(self, error: Exception) -> None:
        self.is_gone = True
        self._has_warned = False
        self._warn(
            f"the executor takes no more work ({error or type(error).__name__}); the solve goes on here"
        )

    def _warn(self, message: str) -> None:
        if not self._has_warned:
            warnings.warn(message, WorkerLostWarning, stacklevel=2)
        self._has_warned = True

    def _read(self, content: bytes, taken: Part) -> list[Part]:
        """Read what a worker hands back, checked like a checkpoint; it took this part first."""
        first = next(iter(self._cases.values()))
        return [self._checked(part, taken) for part in from_bytes(content, first.n_features)]

    def _checked(self, part: Part, taken: Part) -> Part:
        instance = self._cases[part.case]
        if part.allowed is not None:
            allowed = list(literals_where(part.allowed))
            return node_part(part.bound, instance, list(part.literals), allowed, part.theta)
        literals, is_piece = list(part.literals), taken.pieces is not None
        return support_part(part.bound, instance, literals, part.phase, part.boxes, is_piece=is_piece)


def workers_of(executor: Executor) -> int:
    """How many workers an executor has, as far as it says; else one a core of this machine."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):  # dask's
        return max(1, int(sum(client.nthreads().values())))
    known = getattr(executor, "_max_workers", None)
    return max(1, known if isinstance(known, int) else os.cpu_count() or 1)

"""What more workers would give, from recorded slices: ``python -m benchmarks.cluster [--only NAME,...]``.

Solves each problem with an executor that runs every slice at once, here, and writes down its CPU seconds and
the slices whose parts it needed. Then it plays the record on more workers. Assumptions: a slice takes as long
on a worker as it did here; it can begin when all slices that left its parts are back; sending and reading it
takes the queue, which does one at a time, `SERIAL` seconds, and the network `LATENCY` seconds each way;
slices and their results are the same whatever the order. The work before the first slice is not divided. The
ratio bound proves in rounds: the first boxes of one wait for all slices of the round before.
Writes ``results/cluster.md`` (not with ``--only``) and puts it into docs/cluster.md; ``--report`` does only
the latter.
"""

import argparse
import heapq
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.table import into_docs
from benchmarks.threads import PAGE, problems
from supersparse import solve
from supersparse.base.exact import counted
from supersparse.engine.exact.open_parts import from_bytes, to_bytes
from supersparse.engine.exact.pair_covers import PairCovers
from supersparse.engine.exact.ratios import run_boxes_remotely
from supersparse.engine.proving.cluster import as_bytes, unpacked

RESULTS = Path(__file__).parent / "results" / "cluster.md"
WORKERS = (1, 2, 4, 16, 100, 1000)
SERIAL, LATENCY = 0.0005, 0.002
_MOST_FEATURES = 10_000  # to read parts: no problem here has more
_LIMIT = 120.0


@dataclass(frozen=True)
class Slice:
    """One slice of a record: its CPU seconds, and which slices before it left its parts."""

    seconds: float
    after: tuple[int, ...]


@dataclass
class Recorder(Executor):
    """Runs slices at once and writes them down."""

    slices: list[Slice] = field(default_factory=list)
    _left_by: dict[bytes, int] = field(default_factory=dict)
    _first: set[bytes] = field(default_factory=set)  # boxes that the round has begun with
    _round: list[int] = field(default_factory=list)  # its slices
    _before: list[int] = field(default_factory=list)  # those of the round before
    _max_workers: int = 50  # as many are asked for at a time as a cluster would need

    def submit(self, function: Callable[..., Any], /, *given: Any, **options: Any) -> Future[Any]:
        """Run a slice."""
        future: Future[Any] = Future()
        began = time.process_time()
        outcome = function(*given, **options)
        seconds = time.process_time() - began
        future.set_result(outcome)
        if outcome is not None:
            if function is run_boxes_remotely:
                after, left = self._after_boxes(_boxes(given[2])), _boxes(outcome.boxes)
            else:
                after = {self._left_by[key] for key in _parts(given[3]) if key in self._left_by}
                left = _parts(outcome.parts)
            for key in left:
                self._left_by[key] = len(self.slices)
            self.slices.append(Slice(seconds, tuple(sorted(after))))
        return future

    def _after_boxes(self, keys: list[bytes]) -> set[int]:
        """The slices that left these boxes; a box that none has left is one that a round begins with."""
        after = set()
        for key in keys:
            if key in self._left_by:
                after.add(self._left_by.pop(key))
                continue
            if key in self._first:
                self._first, self._before, self._round = set(), self._round, []
            self._first.add(key)
            after.update(self._before)
        self._round.append(len(self.slices))
        return after


def _parts(content: bytes) -> list[bytes]:
    """A key for each part of a slice of the tree."""
    return [to_bytes([part]) for part in from_bytes(content, _MOST_FEATURES)]


def _boxes(pieces: tuple[bytes, ...]) -> list[bytes]:
    """A key for each box of a slice of the ratio bound: its ratios and ranges."""
    keys = []
    for piece in pieces:
        *ratios, low, high, _ = unpacked(piece)
        keys += [as_bytes([*ratios, *box]) for box in zip(low, high, strict=True)]
    return keys


def makespan(slices: list[Slice], workers: int) -> float:
    """Seconds until the last slice of a record is back, on so many workers."""
    back = [0.0] * len(slices)
    free = [0.0] * workers
    queue_free = 0.0
    waiting = [(max((back[i] for i in s.after), default=0.0), n) for n, s in enumerate(slices) if not s.after]
    followers: dict[int, list[int]] = {}
    open_parents = [len(s.after) for s in slices]
    for n, s in enumerate(slices):
        for i in s.after:
            followers.setdefault(i, []).append(n)
    heapq.heapify(waiting)
    heapq.heapify(free)
    while waiting:
        ready, n = heapq.heappop(waiting)
        begins = max(ready, queue_free, heapq.heappop(free))
        queue_free = begins + SERIAL
        back[n] = begins + SERIAL + 2 * LATENCY + slices[n].seconds
        heapq.heappush(free, back[n] - LATENCY)
        for f in followers.get(n, []):
            open_parents[f] -= 1
            if not open_parents[f]:
                heapq.heappush(waiting, (max(back[i] for i in slices[f].after), f))
    return max(back, default=0.0)


def main() -> None:
    """Record and play each problem."""
    parser = argparse.ArgumentParser(prog="benchmarks.cluster", description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="problems, separated by commas")
    parser.add_argument("--report", action="store_true", help="measure nothing, put the stored table into the page")
    asked = parser.parse_args()
    if asked.report:
        return report()
    warnings.simplefilter("ignore")
    PairCovers.most_work = PairCovers.least_work  # short slices: many can then run side by side
    only = None if asked.only is None else frozenset(asked.only.split(","))
    head = "| problem | slices | CPU s | " + " | ".join(counted(n, "worker") for n in WORKERS) + " |"
    lines = [head, "|---" * (3 + len(WORKERS)) + "|"]
    for name, problem in problems(only):
        recorder, began = Recorder(), time.process_time()
        solve(problem, "exact", executor=recorder, time_limit=_LIMIT)
        total = time.process_time() - began
        alone = total - sum(s.seconds for s in recorder.slices)
        seconds = [alone + makespan(recorder.slices, n) for n in WORKERS]
        shown = " | ".join(f"{s:.2f} s" for s in seconds)
        lines.append(f"| {name} | {len(recorder.slices)} | {total:.1f} | {shown} |")
        print(lines[-1], flush=True)
    if only is None:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
        report()


def report() -> None:
    """Put the stored table into the page."""
    into_docs(RESULTS.read_text(encoding="utf-8"), PAGE, "simulation")


if __name__ == "__main__":
    main()

"""Stop: why a solver stopped; and the limits that preparations keep: a deadline, and the memory that is free.

Presolve, the integer form and starting points are loops over the columns of a table, which may be large, and have no
monitor to ask. `deadline` sets the end of what runs inside it, in this thread; `check_deadline` raises `OutOfTime` once
it has passed.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path


class Stop(Enum):
    """Why a solver stopped. What it proved is in its bound."""

    __module__ = "supersparse"

    OPTIMAL = "the search is complete"
    BOUND = "the objective is proven optimal, but an equally good card with smaller points could exist"
    ROUNDING = "the search is complete, but rounding errors leave the proof open"
    GAP = "the requested gap was reached"
    TIME_LIMIT = "the time limit was reached"
    NODE_LIMIT = "the node limit was reached"
    MEMORY_LIMIT = "the memory limit was reached"
    INTERRUPTED = "the search was interrupted"
    READ = "the card was read from a solution file; nothing was searched"
    SEARCH_ENDED = "the heuristic search ended; it proves nothing"

    @property
    def is_complete(self) -> bool:
        """Whether the search left nothing open: it would only end the same way again."""
        return self in (Stop.OPTIMAL, Stop.ROUNDING)


_ends: ContextVar[float | None] = ContextVar("ends", default=None)


class OutOfTime(Exception):  # noqa: N818  # says what happened, and never leaves `engine`
    """The deadline has passed; whoever set it goes on with what there is."""


@contextmanager
def deadline(ends: float | None) -> Iterator[None]:
    """Give what runs inside until ``time.perf_counter() == ends``; None lifts a deadline."""
    token = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(token)


def check_deadline() -> None:
    """Raise `OutOfTime` if the deadline has passed."""
    ends = _ends.get()
    if ends is not None and time.perf_counter() >= ends:
        raise OutOfTime


def free_bytes() -> int | None:
    """The bytes that this process can still take: of the machine, its container, or its own limit.

    None where the system does not tell.
    """
    known = [value for value in (_of_machine(), _of_container(), _of_process()) if value is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _of_container() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        return None if most == "max" else int(most) - used
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return None
    try:
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        taken = 0
    return max(0, most - taken)

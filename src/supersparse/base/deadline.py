"""A deadline for preparations: presolve, the integer form and starting points look at the clock as well.

They are loops over the columns of a table, which may be large, and have no monitor to ask. `until` sets the
deadline of what runs inside it, in this thread; `look` raises `OutOfTime` once it has passed.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ends: ContextVar[float | None] = ContextVar("ends", default=None)


class OutOfTime(Exception):  # noqa: N818  # says what happened, and never leaves `engine`
    """The deadline has passed; whoever set it goes on with what there is."""


@contextmanager
def until(ends: float | None) -> Iterator[None]:
    """Give what runs inside until ``time.perf_counter() == ends``; None lifts a deadline."""
    token = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(token)


def look() -> None:
    """Raise `OutOfTime` if the deadline has passed."""
    ends = _ends.get()
    if ends is not None and time.perf_counter() >= ends:
        raise OutOfTime

"""What `verbose` does: progress through the standard `logging` module."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from supersparse.engine.solution import TraceEvent

logger = logging.getLogger("supersparse")


@contextmanager
def reporting(verbose: int) -> Iterator[Callable[[TraceEvent], None] | None]:
    """Yield a progress callback: none for 0, one line a second at most for 1, all lines from 2 on.

    Lines go to the logger "supersparse" at level INFO. Where the application has set up no
    logging they go to standard error, for as long as the fit lasts.
    """
    if not verbose:
        yield None
        return
    level = logger.level
    own = None if logger.hasHandlers() else logging.StreamHandler()
    if own is not None:
        logger.addHandler(own)
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
    try:
        yield _Lines(seconds_between=1.0 if verbose == 1 else 0.0)
    finally:
        logger.setLevel(level)
        if own is not None:
            logger.removeHandler(own)


class _Lines:
    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._next = 0.0

    def __call__(self, event: TraceEvent) -> None:
        now = time.monotonic()
        if now < self._next or event.objective is None:
            return
        self._next = now + self._between
        logger.info(
            "%7.1f s  objective %.6f  bound %.6f  gap %.1f %%",
            event.seconds,
            float(event.objective),
            float(event.lower_bound),
            100 * (event.gap or 0.0),
        )

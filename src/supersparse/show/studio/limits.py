"""How much the studio takes: sizes and numbers, all bounded."""

import os
from dataclasses import asdict, dataclass, field
from typing import Any


def _side_by_side() -> int:
    return max(2, min(4, (os.cpu_count() or 2) - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what a page may ask for.

    >>> Limits(runs=3).as_data()["runs"]
    3
    """

    upload_bytes: int = 500 * 2**20
    json_bytes: int = 2**20
    tables: int = 50
    runs: int = 200  # kept, whatever their state
    edits: int = 100
    steps: int = 500  # of one edit
    running: int = field(default_factory=_side_by_side)  # the others wait in a queue
    desks: int = 2  # tables that are held in memory
    cards_compared: int = 6
    seconds: float = 24 * 3600.0  # the longest time limit of a run

    def processes(self, asked: object) -> int:
        """How many processes the folds of a run may use: as many as threads are asked for, or its share.

        >>> Limits(running=2).processes(3)
        3
        """
        cores = os.cpu_count() or 1
        if isinstance(asked, int) and not isinstance(asked, bool):
            return cores if asked < 0 else max(1, min(asked, 2 * cores))
        return max(1, cores // self.running)

    def as_data(self) -> dict[str, Any]:
        """Return the limits for JSON."""
        return asdict(self)

"""Plan: how much work a report may do, and Missing: why a part of it is not there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from supersparse.errors import InvalidOptionError

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is learned again for a report, and how long each solve may take.

    `folds`, `bootstrap` and `larger` may be 0, which leaves out cross-validation, stability and the
    frontier. A solve that hits `time_limit` may find another model on another day; with `node_limit`, in
    units of work, the same report comes out everywhere.
    """

    folds: int = 5
    bootstrap: int = 50
    larger: int = 3  # the frontier goes on to so many features more than the card has
    time_limit: float | None = 20.0  # seconds of one solve
    node_limit: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("folds", 0), ("bootstrap", 0), ("larger", 0), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InvalidOptionError(f"{name} is {value!r}; give a whole number of at least {least}")
        if self.folds == 1:
            raise InvalidOptionError("folds is 1; give 2 or more, or 0 for no cross-validation")

    @classmethod
    def nothing(cls) -> "Plan":
        """Learn nothing again."""
        return cls(folds=0, bootstrap=0, larger=0)

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of one solve."""
        return {"time_limit": self.time_limit, "node_limit": self.node_limit}


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a part of the report is not there."""

    reason: str


NOT_ASKED = Absent("it was not asked for")
STOPPED = Absent("the work was stopped by the user before it was done")

"""Plan: how much work a report may do. Absent: why a part is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from supersparse.data.small_table import Tabular
from supersparse.errors import InvalidOptionError

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Tabular):
    """How many refits a report runs, and how long each solve may take.

    Set `folds`, `bootstrap` or `larger` to 0 to skip cross-validation, stability or the frontier. A solve
    that hits `time_limit` may find a different model next time; `node_limit`, in units of work, gives the
    same report on every machine.
    """

    folds: int = 5
    bootstrap: int = 50
    larger: int = 3  # how many more features than the card the frontier covers
    time_limit: float | None = 20.0  # seconds per solve
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
        """A plan without refits."""
        return cls(folds=0, bootstrap=0, larger=0)

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of one solve."""
        return {"time_limit": self.time_limit, "node_limit": self.node_limit}


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a part of the report is missing."""

    reason: str


NOT_ASKED = Absent("it was switched off")
STOPPED = Absent("stopped by the user")

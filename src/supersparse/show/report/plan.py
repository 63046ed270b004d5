"""Plan: how much work a report may do. Absent: why a part is missing."""

from dataclasses import dataclass, replace
from math import isfinite, isnan

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import read_whole
from supersparse.table.small_table import Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Tabular):
    """How many refits a report aims at, and how long all of them together may take.

    Set `larger`, `folds`, `ratios` or `bootstrap` to 0 to skip the frontier, cross-validation, trade-offs
    (which need the folds) or the bootstrap. Each part gets a share of `time_limit`, does what it can in it,
    and says how much that was. A solve that hits its limit may find a different model next time; without a
    time limit (None), or with a `node_limit` that is reached first, a report is the same on every machine,
    unless the partition bound of the exact engine takes part, whose steps are timed.
    """

    __module__ = "supersparse"

    folds: int = 5
    ratios: int = 6  # other ratios of the class weights to learn with
    bootstrap: int = 100
    larger: int = 3  # how many more features than the card the frontier covers
    time_limit: float | None = 90.0  # seconds for the whole report
    node_limit: int | None = None  # of each solve
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("folds", "ratios", "bootstrap", "larger", "seed"):
            object.__setattr__(self, name, read_whole(getattr(self, name), name, 0, InvalidOptionError))
        if self.folds == 1:
            raise InvalidOptionError("folds is 1", "give 2 or more, or 0 for no cross-validation")
        limit = self.time_limit
        if limit is not None and (isnan(limit) or limit <= 0):
            raise InvalidOptionError(
                subject="time_limit", value=limit, remedy="give seconds above 0, or None for no limit"
            )
        if limit is not None and not isfinite(limit):
            object.__setattr__(self, "time_limit", None)

    @classmethod
    def nothing(cls) -> "Plan":
        """A plan without refits."""
        return cls().without_refits()

    def without_refits(self) -> "Plan":
        """The same limits and seed, for a report in which nothing is learned again."""
        return replace(self, folds=0, ratios=0, bootstrap=0, larger=0)


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a part of the report is missing."""

    reason: str


NOT_ASKED = Absent("it was switched off")
EDITED = Absent(
    "the card was edited by hand, and cards that are learned again have none of its edits: their figures are "
    "not those of this card"
)
STOPPED = Absent("stopped by the user")
NO_TIME = Absent("no time was left for it; allow more with --time-limit (time_limit in Python)")

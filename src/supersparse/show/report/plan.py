"""The plan of a report: how much it may do, its time divided among the parts, and why a part is absent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite, isnan
from time import monotonic
from typing import Literal

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
    repeats: int | None = None  # how often rows are divided into folds; None: twice up to 1,000 rows
    ratios: int = 6  # other ratios of the class weights to learn with
    bootstrap: int = 100
    larger: int = 3  # how many more features than the card the frontier covers
    time_limit: float | None = 90.0  # seconds for the whole report
    node_limit: int | None = None  # of each solve
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("folds", "ratios", "bootstrap", "larger", "seed"):
            object.__setattr__(self, name, read_whole(getattr(self, name), name, 0, InvalidOptionError))
        if self.repeats is not None:
            object.__setattr__(self, "repeats", read_whole(self.repeats, "repeats", 1, InvalidOptionError))
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
        return cls().without_refits()

    def without_refits(self) -> "Plan":
        """The same limits and seed, for a report in which nothing is learned again."""
        return replace(self, folds=0, ratios=0, bootstrap=0, larger=0)


@dataclass(frozen=True, slots=True)
class Absent:
    reason: str


NOT_ASKED = Absent("it was switched off")
EDITED = Absent(
    "the card was edited by hand, and cards that are learned again have none of its edits: their figures are "
    "not those of this card"
)
STOPPED = Absent("stopped by the user")
NO_TIME = Absent("no time was left for it; allow more with --time-limit (time_limit in Python)")

PartName = Literal["sizes", "cross-validation", "trade-off", "bootstrap"]

# shares of the time limit, in the order of the work; unused time goes to the parts that follow
SHARES: Mapping[PartName, float] = {
    "sizes": 0.26, "cross-validation": 0.18, "trade-off": 0.14, "bootstrap": 0.36,
}  # fmt: skip
_WRITING = 0.06  # of the time limit, for figures and files
_WRITING_SECONDS = 4.0  # usual
LEAST_SOLVE = 0.4  # seconds: below, a heuristic search is not worth much


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The work that a report is at: a line of text, the time since it began, and an estimate of what is left."""

    text: str
    seconds: float
    left: float | None  # None where there is no estimate

    def __str__(self) -> str:
        left = "" if self.left is None else f", about {spoken(self.left)} left"
        return f"{self.text} ({spoken(self.seconds)}{left})"


def spoken(seconds: float) -> str:
    """Say a duration in whole seconds or minutes.

    >>> spoken(3.2), spoken(75)
    ('3 s', '1 min 15 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


Tell = Callable[[Step], None]


def silent(_: Step) -> None:
    """Ignore a step."""


class Budget:
    """The clock of one report. `steps` says how many steps each part plans; a part without steps is off."""

    def __init__(
        self,
        time_limit: float | None,
        steps: Mapping[PartName, int],
        tell: Tell = silent,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._clock, self._tell, self._limit = clock, tell, time_limit
        self._began = clock()
        on = {name: share for name, share in SHARES.items() if steps.get(name)}
        whole, so_far = sum(on.values()), 0.0
        self._parts: dict[PartName, Part] = {}
        for name, share in on.items():
            so_far += share
            until = planned = None
            if time_limit is not None:
                until = self._began + time_limit * (1 - _WRITING) * so_far / whole
                planned = time_limit * (1 - _WRITING) * share / whole / steps[name]
            self._parts[name] = Part(self, steps[name], until, planned)

    @property
    def now(self) -> float:
        return self._clock()

    @property
    def seconds(self) -> float:
        return self.now - self._began

    def part(self, name: PartName) -> "Part":
        """Begin a part; the time limit of a part that was not planned is the whole one."""
        part = self._parts.get(name)
        if part is None:
            until = None if self._limit is None else self._began + self._limit
            part = self._parts[name] = Part(self, 1, until)
        part.begin()
        return part

    def tell(self, text: str) -> None:
        self._tell(Step(text=text, seconds=self.seconds, left=self._left()))

    def _left(self) -> float | None:
        """Add up what each part has still to do, at its own pace or that of the last, within its limit."""
        total, pace, at = _WRITING_SECONDS, None, self.now
        for name, part in self._parts.items():
            if not part.ended:
                needs = part.estimate(pace, at)
                if needs is None:
                    return None  # no limit, and nothing is known yet
                total, at = total + needs, at + needs
            if name != "sizes":  # its steps are not refits
                pace = part.pace or pace
        return total


class Part:
    def __init__(self, budget: Budget, steps: int, until: float | None, planned: float | None = None) -> None:
        self._budget, self._steps, self._until = budget, steps, until
        self.planned = planned  # seconds of a step by the settings alone, whatever the clock leaves
        self._done, self._spent = 0, 0.0
        self._began: float | None = None
        self.ended = False

    def begin(self) -> None:
        self._began = self._budget.now

    def end(self) -> None:
        """Leave the rest of the time to the parts that follow."""
        self.ended = True

    @property
    def over(self) -> bool:
        return self._until is not None and self._budget.now >= self._until

    @property
    def left(self) -> float | None:
        """Seconds that the part has; None without a limit."""
        return None if self._until is None else max(0.0, self._until - self._budget.now)

    @property
    def pace(self) -> float | None:
        """Seconds per step so far; None before the first step is done."""
        return self._spent / self._done if self._done else None

    def seconds_each(self, steps: int) -> float | None:
        """The time limit of the next solve, if as many as `steps` have to share what is left."""
        if self._until is None:
            return None
        return max(LEAST_SOLVE, (self._until - self._budget.now) / max(steps, 1))

    def tell(self, text: str, done: int) -> None:
        """Announce the next step, after `done` others."""
        assert self._began is not None, "the part has begun"
        self._done, self._spent = done, self._budget.now - self._began
        self._budget.tell(text)

    def estimate(self, pace: float | None, at: float) -> float | None:
        """Seconds until this part will have ended, if it is at work or begins `at`."""
        begins = at if self._began is None else self._budget.now
        most = None if self._until is None else max(0.0, self._until - begins)
        pace_so_far = self.pace or pace
        if pace_so_far is None:
            return most
        needs = pace_so_far * (self._steps - self._done)
        return needs if most is None else min(needs, most)

"""The contract between a solver and the rest: what it declares, takes and answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solution.claim import Claim
from supersparse.solution.trace import TraceEvent

if TYPE_CHECKING:
    from supersparse.solving.monitor import Monitor

Formulation = Literal["bigm", "indicator"]


class Question(Enum):
    """What can be asked of a solver."""

    BEST = "the best model"
    BEST_PER_SIZE = "the best model of each size"
    ALL_WITHIN = "all models within a factor of the best"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a solver declares it can do; anything else is refused before solving."""

    questions: frozenset[Question]
    package: str | None = None  # what must be installed, and the extra that does it
    extra: str | None = None
    formulations: frozenset[str] = frozenset()
    branching_priorities: bool = False
    takes_pair_covers: bool = False
    checkpoints: bool = False
    logs_proof: bool = False
    uses_kernels: bool = True  # compiled on first use, before the clock starts
    wants_start: bool = True  # whether the incumbent search runs first and hands its best over
    own_options: frozenset[str] | None = frozenset()  # passed through; None: the solver checks them itself


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions:
    """What every solver takes. Limits of None are open."""

    time_limit: float | None = None  # seconds
    node_limit: int | None = None  # deterministic work units
    memory_limit: float | None = None  # megabytes of the whole process
    relative_gap: float = 0.0
    absolute_gap: float = 0.0
    threads: int = 1
    seed: int = 0
    initial: Points | None = None
    on_progress: Callable[[TraceEvent], None] | None = None
    cancel: Callable[[], bool] | None = None
    formulation: Formulation = "bigm"
    branching_priorities: Mapping[str, int] = field(default_factory=dict)  # by feature name; higher first
    pair_covers: bool = False  # add the exact engine's inequalities to a MIP back end
    checkpoint: str | PathLike[str] | None = None  # where to save the open tree, and to resume it from
    proof_log: Callable[[object], None] | None = None  # receives each branching and each pruning reason
    solver_options: Mapping[str, object] = field(default_factory=dict)  # by the solver's own names

    def __post_init__(self) -> None:
        _check_at_least("time_limit", self.time_limit, 0, optional=True)
        _check_at_least("node_limit", self.node_limit, 0, optional=True, whole=True)
        _check_at_least("memory_limit", self.memory_limit, 1, optional=True)
        _check_at_least("relative_gap", self.relative_gap, 0)
        _check_at_least("absolute_gap", self.absolute_gap, 0)
        _check_at_least("threads", self.threads, 1, whole=True)
        _check_at_least("seed", self.seed, 0, whole=True)
        if self.formulation not in ("bigm", "indicator"):
            raise InvalidOptionError(
                f"formulation is {self.formulation!r}; "
                f"{did_you_mean(str(self.formulation), ['bigm', 'indicator'])}"
            )

    @classmethod
    def read(cls, options: Mapping[str, object]) -> "SolveOptions":
        """Read options by name; an unknown one raises with the nearest known."""
        known = [f.name for f in fields(cls)]
        for name in options:
            if name not in known:
                raise InvalidOptionError(f"unknown option {name!r}; {did_you_mean(name, known)}")
        return cls(**options)  # type: ignore[arg-type]


def _check_at_least(
    name: str, value: object, least: int, *, optional: bool = False, whole: bool = False
) -> None:
    if value is None and optional:
        return
    number = (
        isinstance(value, int | float | Fraction)
        or hasattr(value, "__index__")
        or hasattr(value, "__float__")
    )
    if not number or isinstance(value, bool | str):
        raise InvalidOptionError(f"{name} is {value!r}; give a number of at least {least}")
    if whole and not hasattr(value, "__index__"):
        raise InvalidOptionError(f"{name} is {value!r}; give a whole number of at least {least}")
    if not isfinite(value) or value < least:  # type: ignore[arg-type, operator]
        raise InvalidOptionError(f"{name} is {value!r}; give a finite number of at least {least}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedModels:
    """Several models, and whether the solver claims that none is missing."""

    models: tuple[Points, ...]
    complete: bool


@runtime_checkable
class AnswersPerSize(Protocol):
    """A solver that declares `Question.BEST_PER_SIZE`."""

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: "Monitor") -> ClaimedModels:
        """Of exactly each size the model with the least (F, l1), smallest size first."""
        ...


@runtime_checkable
class AnswersAllWithin(Protocol):
    """A solver that declares `Question.ALL_WITHIN`."""

    def all_within(
        self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: "Monitor"
    ) -> ClaimedModels:
        """Every λ, with its best b, of F <= (1 + epsilon)·F*."""
        ...


@runtime_checkable
class Refuses(Protocol):
    """A solver that looks at the problem and its options once more, before any search or solving."""

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Raise for what the solver cannot do."""
        ...


class Solver(Protocol):
    """One way to find scoring systems. A solver that cannot do its work raises."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]

    def solve(self, problem: Problem, options: SolveOptions, monitor: "Monitor") -> Claim:
        """Answer `Question.BEST`: the least F and, of those, the least l1."""
        ...

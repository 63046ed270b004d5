"""The contract between a solver and the rest: options, what it declares, and what it returns."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

from supersparse.problem.limits import Constraint
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.solution import Claim


class Aim(Enum):
    """What can be asked of a solver."""

    BEST = "the best model"
    BEST_PER_SIZE = "the best model of each size"
    ALL_WITHIN = "all models within a factor of the best"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a solver declares it can do; anything else is refused before solving."""

    questions: frozenset[Aim]
    package: str | None = None  # what must be installed, and the extra that does it
    extra: str | None = None
    formulations: frozenset[str] = frozenset()
    branching_priorities: bool = False
    takes_pair_covers: bool = False
    checkpoints: bool = False
    logs_proof: bool = False
    uses_kernels: bool = True  # compiled on first use, before the clock starts
    levels: bool = False  # penalties by level, see `Problem.levels`
    constraints: frozenset[str] = frozenset()  # of the kinds that `constraint_kinds` names
    wants_start: bool = True  # whether the incumbent search runs first and hands its best over
    own_options: frozenset[str] | None = frozenset()  # passed through; None: the solver checks them itself


SUPPORT, RATES, SCORE = "support", "rates", "score"


def constraint_kinds(problem: Problem) -> dict[str, tuple[Constraint, ...]]:
    """Return what a problem asks beyond sets and max_features, by the kind a solver must declare."""
    by_kind = {
        SUPPORT: [limit.source for limit in problem.support_limits],
        RATES: [limit.source for limit in problem.rate_limits],
        SCORE: [limit.source for limit in problem.score_limits],
    }
    return {kind: tuple(dict.fromkeys(sources)) for kind, sources in by_kind.items() if sources}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedModels:
    """Several models, and whether the solver claims that none is missing.

    For `Question.BEST_PER_SIZE`, ``bounds[s]`` is claimed proven: no feasible model of exactly s
    features (the intercept counted where the size counts it) has a smaller F; None: there is no
    such model. Sizes beyond the end are not bounded. With `complete` and no bounds the models
    are proven best, and sizes without a model have none. ``smallest`` holds the sizes whose model is proven
    to have the least l1 of its F as well; with `complete` all have.
    """

    models: tuple[Points, ...]
    complete: bool
    bounds: tuple[Fraction | None, ...] = ()
    smallest: frozenset[int] = frozenset()


@runtime_checkable
class AnswersPerSize(Protocol):
    """A solver that declares `Question.BEST_PER_SIZE`."""

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Of exactly each size the model with the least (F, l1), smallest size first.

        A size may be left out, with its bound, when no model of it has a smaller F, the C0 of
        its features left out, than one of fewer features: such a model is best for no C0 > 0.
        """
        ...


@runtime_checkable
class AnswersAllWithin(Protocol):
    """A solver that declares `Question.ALL_WITHIN`."""

    def all_within(
        self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor
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

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Answer `Question.BEST`: the least F and, of those, the least l1."""
        ...

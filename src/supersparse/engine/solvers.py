"""The capabilities and results of solvers, and all solvers by name, loaded when used."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import ClassVar, Protocol, runtime_checkable

from supersparse.base.errors import InvalidOptionError, SolverNotInstalledError, UnsupportedProblemError, did_you_mean
from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solution import Claim
from supersparse.problem.limits import Constraint
from supersparse.problem.losses import loss_of
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import Tabular


class Aim(Enum):
    """The questions that solvers answer."""

    BEST = "the best model"
    BEST_PER_SIZE = "the best model of each size"
    ALL_WITHIN = "all models within a factor of the best"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The problems and options that a solver supports; anything else is refused before solving."""

    questions: frozenset[Aim]
    package: str | None = None  # the required package
    formulations: frozenset[str] = frozenset()
    branching_priorities: bool = False
    tunes: bool = False  # its own options, within `tuning_time`
    takes_pair_covers: bool = False
    checkpoints: bool = False
    uses_executors: bool = False
    levels: bool = False  # penalties by level, see `Problem.levels`
    constraints: frozenset[str] = frozenset()  # supported kinds, as in `constraint_kinds`
    wants_start: bool = True  # whether the incumbent search runs first and passes on its best model
    goals: frozenset[str] = frozenset({"errors"})  # with features; see `asks`
    asks: bool = False  # questions, in place of features
    own_options: frozenset[str] | None = frozenset()  # passed through; None if the solver checks them


SUPPORT, SIGNS, RATES, SCORE = "support", "signs", "rates", "score"


def constraint_kinds(problem: Problem) -> dict[str, tuple[Constraint, ...]]:
    """Return the kinds of constraint in a problem, beyond sets and max_features."""
    by_kind = {
        SUPPORT: [limit.source for limit in problem.support_limits],
        SIGNS: [limit.source for limit in problem.sign_limits],
        RATES: [limit.source for limit in problem.rate_limits],
        SCORE: [limit.source for limit in problem.score_limits],
    }
    return {kind: tuple(dict.fromkeys(sources)) for kind, sources in by_kind.items() if sources}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedModels:
    """Several models, and whether the solver claims that none is missing.

    For `Aim.BEST_PER_SIZE`, ``bounds[s]`` is a claimed lower bound on F of feasible models with exactly s features
    (including the intercept if the size counts it); None means that there is no such model. Sizes beyond the end have
    no bound. With `complete` and no bounds, the models are claimed best, and sizes without a model have none.
    ``smallest`` lists the sizes whose model is also claimed to have the smallest l1 for its F; with `complete`, all do.
    ``stop`` is why a size was left open, where each has its share of the limits.
    """

    models: tuple[Points, ...]
    complete: bool
    bounds: tuple[Fraction | None, ...] = ()
    smallest: frozenset[int] = frozenset()
    stop: Stop | None = None


@runtime_checkable
class AnswersWithSeveral(Protocol):
    """A solver that answers `Aim.BEST_PER_SIZE` and `Aim.ALL_WITHIN`."""

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Return the model with the smallest (F, l1) of exactly each size, smallest size first.

        A size may be skipped, with its bound, if none of its models has a smaller F, ignoring C0, than one
        with fewer features: such a model is not the best for any C0 > 0.
        """
        ...

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Return every λ, with its best b, with F <= (1 + epsilon)·F*."""
        ...


@runtime_checkable
class Refuses(Protocol):
    """A solver with further checks of the problem and options before solving."""

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Raise for anything the solver does not support."""
        ...


class Solver(Protocol):
    """A solver. It raises if it cannot do its work."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Answer `Aim.BEST`: the smallest F, then the smallest l1."""
        ...


_CLASSES = {
    "exact": "supersparse.engine.exact.engine:ExactSolver",
    "risk": "supersparse.engine.risk.engine:RiskSolver",
    "questions": "supersparse.engine.questions.solver:QuestionsSolver",
    "exhaustive": "supersparse.engine.exhaustive:ExhaustiveSolver",
    "highs": "supersparse.engine.mip.highs:HighsSolver",
    "scip": "supersparse.engine.mip.scip:ScipSolver",
    "gurobi": "supersparse.engine.mip.gurobi:GurobiSolver",
    "cplex": "supersparse.engine.mip.cplex:CplexSolver",
}


@dataclass(frozen=True, slots=True, repr=False)
class Availability(Tabular):
    """Whether a solver is available, its version, and how to install it otherwise."""

    name: str
    installed: bool
    version: str | None
    remedy: str


def names() -> tuple[str, ...]:
    return tuple(_CLASSES)


def solver_class(name: str) -> type[Solver]:
    """Return a solver class by name, without importing the solver's package."""
    if name not in _CLASSES:
        raise InvalidOptionError(f"unknown solver {name!r}", did_you_mean(name, [*_CLASSES, "auto"]))
    module, _, attribute = _CLASSES[name].partition(":")
    solver: type[Solver] = getattr(import_module(module), attribute)
    return solver


def availability(name: str) -> Availability:
    """Return whether a solver's package is installed, without importing it."""
    needs = solver_class(name).capabilities
    if needs.package is None:
        return Availability(name, True, None, "")
    if find_spec(needs.package) is None:
        return Availability(name, False, None, f"pip install {needs.package}")
    return Availability(name, True, installed_version(needs.package), "")


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution; those of solvers have the name of their package."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def get(name: str) -> Solver:
    """Create a solver, or raise with what to install."""
    state = availability(name)
    if not state.installed:
        raise SolverNotInstalledError(f"solver {name!r} is not installed", state.remedy, subject=name)
    return solver_class(name)()


def choose_solver(problem: Problem) -> str:
    """Return the solver for "auto": the exact engine of the problem's goal, or of its questions."""
    if problem.questions:
        return "questions"
    return loss_of(problem).solver


def check_supported(solver: Solver, aim: Aim, problem: Problem, options: SolveOptions) -> None:
    """Raise if a solver does not answer a question, cannot express the problem, or lacks an option."""
    can = solver.capabilities
    if aim not in can.questions:
        raise UnsupportedProblemError(f"solver {solver.name!r} does not answer: {aim.value}")
    check_asked(solver, problem)
    formulation = options.formulation
    if formulation != "bigm" and formulation not in can.formulations:
        has = "has big-M constraints only, no" if can.formulations else "is no MIP solver and has no"
        raise UnsupportedProblemError(
            f"solver {solver.name!r} {has} {formulation} constraints",
            f"solvers that have them: {_able(lambda other: formulation in other.formulations)}",
        )
    lacks = {
        "tunes": (options.tuning_time, "does not tune its options, so it takes no tuning_time"),
        "takes_pair_covers": (options.pair_covers, "does not support pair covers"),
        "branching_priorities": (options.branching_priorities, "does not support branching priorities"),
        "checkpoints": (options.checkpoint is not None, "does not support checkpoints"),
        "uses_executors": (options.executor is not None, "does not support executor"),
    }
    for capability, (is_wanted, lack) in lacks.items():
        if is_wanted and not getattr(can, capability):
            able = _able(lambda other: getattr(other, capability))  # noqa: B023  # asked at once
            raise UnsupportedProblemError(f"solver {solver.name!r} {lack}", f"solvers that do: {able}")
    unknown = [name for name in options.solver_options if can.own_options is not None and name not in can.own_options]
    if unknown:
        raise InvalidOptionError(
            f"solver {solver.name!r} has no option {unknown[0]!r}", did_you_mean(unknown[0], can.own_options or ())
        )


def check_asked(solver: Solver, problem: Problem) -> None:
    """Raise if a solver does not support the problem's goal, questions, levels or constraints."""
    can = solver.capabilities
    if not problem.questions:
        check_goal(solver.name, can, problem.goal)
    elif not can.asks:
        raise _cannot(solver.name, "questions", lambda other: other.asks)
    if problem.has_levels and not can.levels:
        raise _cannot(solver.name, "levels", lambda other: other.levels)
    for kind, asked in constraint_kinds(problem).items():
        if kind not in can.constraints:
            raise _cannot(solver.name, repr(asked[0].in_words()), lambda other: kind in other.constraints)  # noqa: B023


def check_goal(solver: str, can: Capabilities, goal: str) -> None:
    """Raise if a solver does not minimise the loss of the goal."""
    if goal not in can.goals:
        raise _cannot(solver, f"goal {goal!r}", lambda other: goal in other.goals)


def _able(can: Callable[[Capabilities], object]) -> str:
    """The names of the solvers that can do something."""
    return ", ".join(name for name in _CLASSES if can(solver_class(name).capabilities))


def _cannot(solver: str, what: str, can: Callable[[Capabilities], object]) -> UnsupportedProblemError:
    return UnsupportedProblemError(
        f"solver {solver!r} cannot express {what}", f"solvers that can: {_able(can)}", subject=solver
    )

"""All solvers by name, loaded when used."""

from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec

from supersparse.base.errors import InvalidOptionError, SolverNotInstalledError, did_you_mean
from supersparse.engine.contract import Solver
from supersparse.table.small_table import Tabular

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
    """All solver names, installed or not."""
    return tuple(_CLASSES)


def solver_class(name: str) -> type[Solver]:
    """Return a solver class by name, without importing the solver's package."""
    if name not in _CLASSES:
        raise InvalidOptionError(f"unknown solver {name!r}; {did_you_mean(name, [*_CLASSES, 'auto'])}")
    module, _, attribute = _CLASSES[name].partition(":")
    found: type[Solver] = getattr(import_module(module), attribute)
    return found


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
        raise SolverNotInstalledError(f"solver {name!r} is not installed; {state.remedy}")
    return solver_class(name)()

"""SolveOptions: the options of every solver."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.exact import read_whole
from supersparse.base.schema.scalars import Either, InsideForm, Null, Real, TextForm, Truth, Whole, Word
from supersparse.base.schema.setting import NOWHERE, Option, in_python, keywords, keywords_of, setting, show
from supersparse.base.schema.shapes import TableOf
from supersparse.engine.rounding import Start
from supersparse.engine.solution import TraceEvent
from supersparse.problem.points import Points

N_JOBS = "give a whole number of at least 1, or -1 for one per core"
_FEW_THREADS, _THREADS_PER_CORE = 32, 4  # at most, whatever is asked: more only wait for one another
Formulation = Literal["bigm", "indicator"]
Priorities = Mapping[str, int] | Mapping[int, int] | Mapping[str | int, int]
FORMULATIONS: tuple[Formulation, ...] = ("bigm", "indicator")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions:
    """Options of every solver. A limit of None means no limit."""

    __module__ = "supersparse"

    time_limit: float | None = setting(
        None,
        Either(Real(0), Null()),
        "Time limit in seconds.",
        option=Option(help="Time limit in seconds, after reading the table; null for none.", default="60"),
        is_common=True,
    )
    node_limit: int | None = setting(
        None,
        Either(Whole(0), Null()),
        "Work limit in nodes, the same on every machine.",
        doc="""int
        Limit on work, the same on every machine. With ``time_limit=None`` and one thread, every run gives the same
        model, unless the partition bound of the exact engine takes part, whose steps are timed.""",
    )
    memory_limit: float | None = setting(None, Either(Real(1), Null()), "Memory limit of the process in megabytes.")
    gap: float = setting(
        0.0,
        Real(0),
        "Stop at this relative gap to the best possible objective.",
        doc="""float
        Stop when the objective is proven to be within this fraction of the optimum.""",
    )
    absolute_gap: float = setting(0.0, Real(0), "Stop at this absolute gap to the best possible objective.")
    n_jobs: int = setting(
        1,
        Whole(1, also=-1),
        "Number of threads; -1 for one per core.",
        option=Option(
            metavar="N",
            help="Number of threads of the search, and of processes for folds; -1 for one per core.",
            default="1 thread, and as many processes as cores for folds",
        ),
        accepts=int | None,
        doc="""int
        Number of threads. None means 1, -1 all cores.""",
    )
    random_state: int = setting(0, Whole(0), "Random seed.", option=Option(name="seed", default="0"))
    formulation: Formulation = setting(
        "bigm", Word(*FORMULATIONS), "Loss constraints of MIP solvers: bigm, or indicator (scip, gurobi, cplex)."
    )
    branching_priorities: Priorities = setting(
        {},
        TableOf(Whole(), "a mapping by feature name"),
        "Branching priorities by feature name or pattern, in Python also by row; higher first.",
    )
    tuning_time: float = setting(
        0.0, Real(0), "Seconds for CPLEX or Gurobi to tune its own options first, within the time limit."
    )
    pair_covers: bool = setting(False, Truth(), "Add the exact engine's inequalities for MIP solvers.")
    checkpoint: str | PathLike[str] | None = setting(
        None,
        InsideForm(),
        "File to save the search to and resume it from; in a settings file, within the working folder.",
        group=NOWHERE,
        doc="""path
        File to save the search to, every ten seconds and when a limit stops it. Run the same fit with the same file to
        resume. The fits of `calibrate` are not saved.""",
    )
    solver_options: Mapping[str, object] = setting(
        {},
        TableOf(Either(Truth(), Whole(), Real(), TextForm()), "a mapping by the solver's own names"),
        "Extra options under the solver's own names.",
        group=NOWHERE,
    )
    initial: Points | None = in_python(
        "Starting point: a solution, points, a scoring system, or a linear model to round.", accepts=Start | None
    )
    on_progress: Callable[[TraceEvent], None] | None = in_python(
        "Called with each better model or bound, and four times a second."
    )
    cancel: Callable[[], bool] | None = in_python("Asked often; the search stops once it returns True.")
    certificate: str | PathLike[str] | None = in_python(
        "File for a proof that others can check, such as 'proof.vipr.gz'.",
        doc="""path
        File for a proof that no card is better, such as "proof.vipr.gz", which `supersparse-check` and other programs
        can check. Written once the optimum is proven, beyond the time limit.""",
    )
    executor: Executor | None = in_python(
        "Where slices of a proof run, instead of threads: a concurrent.futures.Executor.",
        doc="""concurrent.futures.Executor
        Where the proof runs, instead of threads: a `ProcessPoolExecutor`, or dask's ``Client.get_executor()``. A clone
        shares it.""",
    )

    def __post_init__(self) -> None:
        _check_at_least("time_limit", self.time_limit, 0, optional=True)
        if self.node_limit is not None:
            read_whole(self.node_limit, "node_limit", 0, InvalidOptionError)
        _check_at_least("memory_limit", self.memory_limit, 1, optional=True)
        _check_at_least("gap", self.gap, 0)
        _check_at_least("absolute_gap", self.absolute_gap, 0)
        if self.n_jobs is None:  # as scikit-learn has it
            object.__setattr__(self, "n_jobs", 1)
        if self.n_jobs == -1:
            object.__setattr__(self, "n_jobs", os.cpu_count() or 1)
        if isinstance(self.n_jobs, bool) or not hasattr(self.n_jobs, "__index__") or self.n_jobs < 1:
            raise InvalidOptionError(subject="n_jobs", value=self.n_jobs, remedy=N_JOBS)
        object.__setattr__(
            self, "n_jobs", min(int(self.n_jobs), max(_FEW_THREADS, _THREADS_PER_CORE * (os.cpu_count() or 1)))
        )
        if not isinstance(self.checkpoint, str | PathLike | None):
            raise InvalidOptionError(subject="checkpoint", value=self.checkpoint, remedy="give the path of a file")
        read_whole(self.random_state, "random_state", 0, InvalidOptionError)
        _check_at_least("tuning_time", self.tuning_time, 0)
        _check_priorities(self.branching_priorities)
        _check_executor(self.executor)
        if self.formulation not in FORMULATIONS:
            raise InvalidOptionError(
                subject="formulation", value=self.formulation, remedy=did_you_mean(str(self.formulation), FORMULATIONS)
            )

    @classmethod
    def read(cls, options: Mapping[str, object]) -> "SolveOptions":
        """Read options by name; an unknown one raises with the nearest known."""
        known = [f.name for f in fields(cls)]
        for name in options:
            if name not in known:
                raise InvalidOptionError(f"unknown option {name!r}", did_you_mean(name, known), subject=name)
        return cls(**options)  # type: ignore[arg-type]


Function = TypeVar("Function", bound=Callable[..., Any])
SOLVERS = ("auto", "exact", "risk", "questions", "exhaustive", "highs", "scip", "gurobi", "cplex")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverOptions(SolveOptions):
    """The options together with the name of the solver: the section `solve` of a settings file."""

    solver: str = setting(
        "auto",
        Word(*SOLVERS),
        "Solver; see `supersparse solvers`.",
        option=Option(metavar="NAME"),
        doc="""str
        "auto", or a name from ``supersparse solvers``.""",
    )


def options_in_words() -> str:
    """Every option with its meaning, as a list for a docstring."""
    return "\n".join(f"    {one.name}\n        {one.help}" for one in keywords_of(SolveOptions))


def shows_options(function: Function) -> Function:
    """Show the options in the signature and the docstring of a function that takes them as ``**options``."""
    show(function, keywords_of(SolveOptions))
    function.__doc__ = f"{function.__doc__}\n    Options:\n\n{options_in_words()}\n    "
    return function


SolveOptions.__doc__ = f"{SolveOptions.__doc__}\n\n{options_in_words()}\n    "


if TYPE_CHECKING:
    from supersparse.engine.keywords import SolveKeywords as SolveKeywords
    from supersparse.engine.keywords import SolverKeywords as SolverKeywords
else:
    SolveKeywords = keywords("SolveKeywords", keywords_of(SolveOptions))
    SolverKeywords = keywords("SolverKeywords", keywords_of(SolverOptions))


# of the command line and the studio
DEFAULT_OPTIONS: SolverKeywords = {"solver": "auto", "time_limit": 60.0, "random_state": 0}


def _check_executor(executor: object) -> None:
    if executor is None:
        return
    if isinstance(executor, type):
        raise InvalidOptionError(
            f"executor is the class {executor.__name__}", f"give an instance: {executor.__name__}()"
        )
    if callable(getattr(executor, "get_executor", None)):  # a Client of dask, whose futures are of another kind
        raise InvalidOptionError(subject="executor", value=executor, remedy="give client.get_executor()")
    if not callable(getattr(executor, "submit", None)):
        raise InvalidOptionError(
            subject="executor",
            value=executor,
            remedy=(
                "give a concurrent.futures.Executor, such as ProcessPoolExecutor() or dask's Client.get_executor()"
            ),
        )


def _check_priorities(priorities: object) -> None:
    """Raise for anything but a mapping; whether there are such features and rows depends on the problem."""
    if not isinstance(priorities, Mapping):
        raise InvalidOptionError(
            subject="branching_priorities",
            value=priorities,
            remedy="use a mapping by feature name or row number, such as {'age': 2, 17: 1}",
        )
    for key in priorities:
        if isinstance(key, bool) or not (isinstance(key, str) or hasattr(key, "__index__")):
            raise InvalidOptionError(
                f"branching_priorities: {key!r} is neither a feature name nor the number of a row; use "
                "{'age': 2, 17: 1}",
                "the columns of an array are named 'x0', 'x1', ...",
            )


def _check_at_least(name: str, value: object, least: int, *, optional: bool = False) -> None:
    if value is None and optional:
        return
    number = isinstance(value, int | float | Fraction) or hasattr(value, "__index__") or hasattr(value, "__float__")
    if not number or isinstance(value, bool | str):
        raise InvalidOptionError(subject=name, value=value, remedy=f"give a number of at least {least}")
    finite = hasattr(value, "__index__") or isfinite(value)  # type: ignore[arg-type]
    if not finite or value < least:  # type: ignore[operator]
        raise InvalidOptionError(subject=name, value=value, remedy=f"give a finite number of at least {least}")

"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from os import PathLike
from typing import TypedDict

from supersparse.engine.options import Formulation, Priorities
from supersparse.engine.rounding import Start
from supersparse.engine.solution import TraceEvent

class SolveKeywords(TypedDict, total=False):
    time_limit: float | None
    node_limit: int | None
    memory_limit: float | None
    gap: float
    absolute_gap: float
    n_jobs: int | None
    random_state: int
    formulation: Formulation
    branching_priorities: Priorities
    tuning_time: float
    pair_covers: bool
    checkpoint: str | PathLike[str] | None
    solver_options: Mapping[str, object]
    initial: Start | None
    on_progress: Callable[[TraceEvent], None] | None
    cancel: Callable[[], bool] | None
    certificate: str | PathLike[str] | None
    executor: Executor | None

class SolverKeywords(TypedDict, total=False):
    time_limit: float | None
    node_limit: int | None
    memory_limit: float | None
    gap: float
    absolute_gap: float
    n_jobs: int | None
    random_state: int
    formulation: Formulation
    branching_priorities: Priorities
    tuning_time: float
    pair_covers: bool
    checkpoint: str | PathLike[str] | None
    solver_options: Mapping[str, object]
    initial: Start | None
    on_progress: Callable[[TraceEvent], None] | None
    cancel: Callable[[], bool] | None
    certificate: str | PathLike[str] | None
    executor: Executor | None
    solver: str

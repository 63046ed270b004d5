"""Solving with progress, shared by the commands that learn."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from supersparse.cli.progress import progress
from supersparse.cli.say import remark, warnings_as_remarks

if TYPE_CHECKING:
    from supersparse.problem.problem import Problem
    from supersparse.solving.options import SolverKeywords
    from supersparse.solving.solution import Solution

Answer = TypeVar("Answer")


def learn(problem: "Problem", **options: "Unpack[SolverKeywords]") -> "Solution":
    """Solve, showing progress on standard error; Ctrl-C stops it and keeps the best found."""
    from supersparse.solving.solve import solve
    from supersparse.stop import Stop

    solution = with_progress(solve, problem, **options)
    if solution.stop is Stop.INTERRUPTED:
        remark("Interrupted. This is the best scoring system found so far.")
    return solution


def with_progress(run: Callable[..., Answer], problem: "Problem", **options: Any) -> Answer:
    """Run a search that reports what it finds."""
    with warnings_as_remarks(), progress() as show:
        return run(problem, **options, on_progress=show)

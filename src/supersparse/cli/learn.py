"""Solving with progress, shared by the commands that learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from supersparse.cli.progress import progress
from supersparse.cli.say import remark, warnings_as_remarks

if TYPE_CHECKING:
    from supersparse.problem.problem import Problem
    from supersparse.solution.solution import Solution


def learn(problem: "Problem", **options: Any) -> "Solution":
    """Solve, showing progress on standard error; Ctrl-C stops it and keeps the best found."""
    from supersparse.solution.stop import Stop
    from supersparse.solving.solve import solve

    with warnings_as_remarks(), progress() as show:
        solution = solve(problem, **options, on_progress=show)
    if solution.stop is Stop.INTERRUPTED:
        remark("Interrupted: this is the best scoring system found until then.")
    return solution


def show_and_save(solution: "Solution", *, title: str, out: Path | None) -> None:
    """Print the card of a solution, and write it where the user asked for it."""
    from supersparse.scorecard import ScoringSystem

    system = ScoringSystem.from_solution(solution, title=title)
    typer.echo(err=True)
    typer.echo(system)
    if out is not None:
        system.save(out)
        remark(f"Saved to {out}")

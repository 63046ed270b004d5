"""CP-SAT on an .mps file: ``python -m benchmarks.cpsat_file PROGRAM.mps SOLUTION`` writes names and values.

OR-Tools bundles a HiGHS library that clashes with highspy's in one process, so nothing here loads highspy.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LOOK_EVERY = 0.05  # seconds


@dataclass(frozen=True)
class Answer:
    """What CP-SAT says of a program."""

    values: dict[str, float] | None
    bound: float
    is_optimal: bool


def solve_file(
    path: Path, *, seconds: float, start: dict[str, float] | None = None, must_stop: Callable[[], bool] = lambda: False
) -> Answer:
    """Let CP-SAT read and solve an .mps file."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    if not model.import_from_mps_file(str(path)):
        raise ValueError(f"CP-SAT does not read {path}")
    variables = list(model.get_variables())
    for variable in variables if start is not None else ():
        model.add_hint(variable, start.get(variable.name, 1.0))
    solver = model_builder.Solver("sat")
    solver.set_time_limit_in_seconds(seconds)
    solver.set_solver_specific_parameters("num_workers:1 random_seed:0 relative_gap_limit:0")
    with _interrupted_when(must_stop, solver):
        status = solver.solve(model)
    known = status in (model_builder.SolveStatus.OPTIMAL, model_builder.SolveStatus.FEASIBLE)
    if not known and status not in (
        model_builder.SolveStatus.NOT_SOLVED, model_builder.SolveStatus.CANCELLED_BY_USER,
    ):  # fmt: skip
        raise ValueError(f"CP-SAT ended with the status {status}")
    return Answer(
        values={v.name: solver.value(v) for v in variables} if known else None,
        bound=float(solver.best_objective_bound) if known else float(0),
        is_optimal=status == model_builder.SolveStatus.OPTIMAL,
    )


@contextmanager
def _interrupted_when(must_stop: Callable[[], bool], solver: Any) -> Iterator[None]:
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_EVERY):
            if must_stop():
                solver.stop_search()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def lines(values: dict[str, float]) -> str:
    """Write a solution."""
    return "".join(f"{name} {value!r}\n" for name, value in values.items())


def main() -> None:
    """Solve the file that the command line names."""
    program, solution = map(Path, sys.argv[1:])
    answer = solve_file(program, seconds=60.0)
    print("optimal" if answer.is_optimal else "not proven", answer.bound)
    if answer.values is not None:
        solution.write_text(lines(answer.values), encoding="utf-8")


if __name__ == "__main__":
    main()

"""CP-SAT of OR-Tools as a peer: it reads the program from an .mps file, and starts from our first model."""

import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from importlib import metadata
from math import ceil
from pathlib import Path

from benchmarks.cpsat_file import lines, solve_file
from supersparse import Problem, Solution, Stop
from supersparse.engine.mip.program_file import NumberedProgram, read_solution, write_program
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import search
from supersparse.problem.variants import next_attainable

_ROUNDING = 1e-6  # of a bound, which is a whole number printed as a double


def version() -> str | None:
    """The version of OR-Tools; None where it is not installed."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version("ortools")
    return None


def solve(problem: Problem, seconds: float, must_stop: Callable[[], bool]) -> Solution:
    """Search as `supersparse.solve` does before a MIP solver, then let CP-SAT go on with one thread."""
    began = time.perf_counter()
    made = NumberedProgram.of(problem, "bigm")
    monitor = Monitor(made.small.problem, SolveOptions(time_limit=seconds), made.small.restore, began)
    search(made.small.problem, monitor)
    start = None
    if monitor.best is not None:
        values = made.program.start(monitor.best).tolist()
        start = dict(zip(made.program.model.names, values, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "slim.mps", Path(folder) / "cpsat.sol"
        write_program(problem, path)
        left = max(0.1, seconds - monitor.seconds)
        answer = solve_file(path, seconds=left, start=start, must_stop=must_stop)
        best = answer.values or start
        assert best is not None, "the card without features is a solution"
        out.write_text(lines(best), encoding="utf-8")
        found = read_solution(problem, out)
    aim = made.program.aim
    bound = aim.unit * aim.divisor * ceil(answer.bound - _ROUNDING) - aim.unit * aim.error
    lower_bound = min(next_attainable(made.small.problem, max(Fraction(0), bound)), found.objective)
    return replace(
        found,
        solver="cpsat",
        lower_bound=lower_bound,
        stop=Stop.OPTIMAL if answer.is_optimal else Stop.TIME_LIMIT,
        seconds=time.perf_counter() - began,
        trace=monitor.claim(stop=Stop.TIME_LIMIT, smallest=False).trace,
    )

"""One measurement in a process of its own: ``python -m benchmarks.worker INSTANCE SOLVER LIMIT REPEATS``.

Prints the record as the last line of its output.
"""

import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

import numpy as np

import supersparse
from benchmarks import cpsat
from benchmarks.instances import Instance, all_instances
from benchmarks.record import Model, Record, to_line
from benchmarks.suites import CPSAT, EXECUTOR, OURS, PATIENCE, VARIANTS
from benchmarks.usage import cpu_seconds, peak_megabytes
from supersparse import Problem, Solution, Stop, solve
from supersparse.engine import solvers
from supersparse.engine.solution import TraceEvent

_ENOUGH = 90.0  # seconds: no further repeat is begun after that much


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One solve and what it cost."""

    cpu: float
    proof: float | None  # CPU seconds until F was proven
    wall: float
    build: float
    solution: Solution


def warm_up(solver: str) -> float:
    """Load the solver, with tiny problems of each kind; return the time."""
    began = time.perf_counter()
    rng = np.random.default_rng(0)
    for values, scale, intercept in ((2, 1, "free"), (5, 1, (-100, 100)), (9, 10, "paper")):
        X = rng.integers(0, values, size=(24, 4)) / scale
        y = (X[:, 0] + X[:, 1] > X[:, 2] + rng.random(24)).astype(int)
        y[:2] = 0, 1
        problem = Problem.of(X, y, max_points=3, max_features=3, intercept=intercept)
        if solver == CPSAT:
            cpsat.solve(problem, 1, lambda: False)
        else:
            solve(problem, solver, time_limit=60 if solver == "exact" else 1)
    return time.perf_counter() - began


def run_once(instance: Instance, solver: str, limit: float) -> Run:
    """Build the problem anew and solve it, with one thread unless a variant asks for more."""
    table = instance.table()
    began = time.perf_counter()
    problem = instance.settings.problem(table)
    built = time.perf_counter()
    at_proof: list[float] = []

    def note_proof(event: TraceEvent) -> None:
        if event.lower_bound == event.objective and not at_proof:
            at_proof.append(cpu_seconds())

    start = cpu_seconds()
    name, _, variant = solver.partition("+")
    options: dict[str, object] = {"n_jobs": 1, "time_limit": limit, **VARIANTS.get(variant, {})}
    if name != OURS:  # a peer gets its CPU seconds in full, whatever else the machine does
        options |= {"time_limit": PATIENCE * limit, "cancel": lambda: cpu_seconds() - start >= limit}
    with ExitStack() as stack:  # an executor's processes end here, so that their CPU time is counted
        if variant == EXECUTOR:
            options["executor"] = stack.enter_context(ProcessPoolExecutor(2))
        if name == CPSAT:
            solution = cpsat.solve(problem, PATIENCE * limit, lambda: cpu_seconds() - start >= limit)
        else:
            solution = solve(problem, name, on_progress=note_proof, **options)
    end = cpu_seconds()
    proof = at_proof[0] if at_proof else end
    return Run(
        cpu=end - start,
        proof=proof - start if solution.proven_optimal else None,
        wall=time.perf_counter() - built,
        build=built - began,
        solution=solution,
    )


def measure(instance: Instance, solver: str, limit: float, repeats: int) -> Record:
    """Warm up, solve up to `repeats` times (once where the limit is reached) and take medians."""
    name = solver.partition("+")[0]
    warm = warm_up(name)
    runs: list[Run] = []
    began = time.perf_counter()
    while len(runs) < repeats and time.perf_counter() - began < _ENOUGH:
        runs.append(run_once(instance, solver, limit))
        if not runs[-1].solution.proven_optimal:
            break
    return Record(
        instance=instance.name,
        solver=solver,
        version=_version(name),
        limit=limit,
        repeats=len(runs),
        cpu_seconds=median(run.cpu for run in runs),
        proof_seconds=_median_if_all([run.proof for run in runs]),
        wall_seconds=median(run.wall for run in runs),
        build_seconds=median(run.build for run in runs),
        warm_seconds=warm,
        peak_megabytes=peak_megabytes(),
        model=_model(runs[-1].solution),
        error=None,
    )


def _version(solver: str) -> str:
    known = cpsat.version() if solver == CPSAT else solvers.availability(solver).version
    return known or supersparse.__version__


def _median_if_all(values: list[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return median(known) if len(known) == len(values) else None


def _model(solution: Solution) -> Model:
    found = solution.evaluation
    return Model(
        objective=float(solution.objective),
        errors=float(found.training_errors),
        size=found.size,
        l1=float(found.l1),
        lower_bound=float(solution.lower_bound),
        gap=solution.gap,
        proven_optimal=solution.proven_optimal,
        proven_smallest=solution.proven_smallest,
        stop="TIME_LIMIT" if solution.stop is Stop.INTERRUPTED else solution.stop.name,
        nodes=solution.nodes,
        incumbents=tuple((e.seconds, float(e.objective or 0)) for e in solution.trace.incumbents),
    )


def main() -> None:
    """Measure what the command line names."""
    name, solver, limit, repeats = sys.argv[1:]
    warnings.simplefilter("ignore")  # penalties out of the paper's range are meant so
    print(to_line(measure(all_instances()[name], solver, float(limit), int(repeats))))


if __name__ == "__main__":
    main()

"""CP-SAT of OR-Tools (Apache 2.0): exact integer arithmetic, no tolerances.

OR-Tools bundles a HiGHS library that clashes with highspy's if both are loaded in one process, in either
order. So CP-SAT always runs in a child process.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from supersparse.errors import SolverFailedError
from supersparse.solving.contract import Capabilities
from supersparse.solving.mip import run as own_options
from supersparse.solving.mip.child import run_in_child
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import INTEGERS, Precision
from supersparse.solving.mip.run import POLL_SECONDS, BoundReport, Outcome, RunSettings, Talk
from supersparse.solving.mip.solver import MipSolver, mip_capabilities
from supersparse.stop import Stop

# None: no solution.
STOPS: Mapping[str, Stop | None] = {"OPTIMAL": Stop.OPTIMAL, "INFEASIBLE": None}
LIMITED = ("FEASIBLE", "UNKNOWN")  # a limit was reached; CP-SAT does not say which

RESERVED = {
    **dict.fromkeys(
        [
            "max_time_in_seconds",
            "max_deterministic_time",
            "max_number_of_conflicts",
            "relative_gap_limit",
            "absolute_gap_limit",
        ],
        own_options.LIMIT,
    ),
    **dict.fromkeys(["num_workers", "num_search_workers", "random_seed"], own_options.RESOURCES),
    **dict.fromkeys(["log_search_progress", "log_to_stdout"], own_options.SILENT),
    **dict.fromkeys(["catch_sigint_signal"], "Ctrl-C keeps the best model found"),
    **dict.fromkeys(["stop_after_first_solution", "enumerate_all_solutions"], own_options.TOLERANCE),
}


class CpSatSolver(MipSolver):
    """CP-SAT. A node is one conflict; `indicator` enforces rows by literals.

    Branching priorities become a decision strategy, which CP-SAT follows before its own heuristics, as
    advice.
    """

    name: ClassVar[str] = "cpsat"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="ortools")
    precision: ClassVar[Precision] = INTEGERS

    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Try the options on an empty set of parameters; loads no solver."""
        from ortools.sat import sat_parameters_pb2

        parameters = sat_parameters_pb2.SatParameters()
        own_options.check_option_names("cpsat", given, parameters.DESCRIPTOR.fields_by_name, RESERVED)
        for name, value in given.items():
            try:
                setattr(parameters, name, value)
            except (AttributeError, TypeError, ValueError) as refused:
                raise own_options.bad_value("cpsat", name, value, refused) from None

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Minimise in a child process."""
        return run_in_child(f"{__name__}:minimise", model, settings, talk)


def minimise(model: Model, settings: RunSettings, talk: Talk) -> Outcome:
    """Run CP-SAT in this process."""
    from ortools.sat.python import cp_model

    program = cp_model.CpModel()
    variables = _write(program, model)
    solver = cp_model.CpSolver()
    _set_parameters(solver.parameters, settings)
    if model.priorities.any():
        _prefer(program, solver.parameters, variables, model.priorities)
    if settings.start is not None:
        for variable, value in zip(variables, settings.start.tolist(), strict=True):
            program.add_hint(variable, int(value))

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            values = np.array([self.value(v) for v in variables], dtype=np.float64)
            talk.report(BoundReport(values=values, nodes=int(self.num_conflicts)))

    solver.best_bound_callback = lambda bound: talk.report(BoundReport(bound=float(bound)))
    with _watched(solver, talk):
        status = solver.status_name(solver.solve(program, Listener()))
    return _outcome(solver, status, variables, settings, talk)


@contextmanager
def _watched(solver: Any, talk: Talk) -> Iterator[None]:
    """Repeat a stop request until it takes effect: CP-SAT ignores one that arrives before it starts."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            if talk.stopping:
                solver.stop_search()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _set_parameters(parameters: Any, settings: RunSettings) -> None:
    for name, value in settings.own.items():
        setattr(parameters, name, value)
    parameters.catch_sigint_signal = False
    parameters.num_workers = settings.threads
    parameters.random_seed = settings.seed % 2**31
    parameters.relative_gap_limit = settings.relative_gap
    parameters.absolute_gap_limit = settings.absolute_gap
    if settings.seconds is not None:
        parameters.max_time_in_seconds = settings.seconds
    if settings.nodes is not None:
        parameters.max_number_of_conflicts = settings.nodes
        parameters.interleave_search = settings.threads > 1  # several workers, but deterministic


def _write(program: Any, model: Model) -> list[Any]:
    from ortools.sat.python import cp_model

    variables = [
        program.new_int_var(int(low), int(high), f"x{j}")
        for j, (low, high) in enumerate(zip(model.lower, model.upper, strict=True))
    ]

    def total(factors: Any, indices: Any) -> Any:
        return cp_model.LinearExpr.weighted_sum([variables[j] for j in indices], [int(f) for f in factors])

    def row(matrix: Any, i: int) -> Any:
        at = slice(matrix.indptr[i], matrix.indptr[i + 1])
        return total(matrix.data[at].tolist(), matrix.indices[at].tolist())

    rows = model.rows
    for i, (low, high) in enumerate(zip(rows.lower.tolist(), rows.upper.tolist(), strict=True)):
        if low == high:
            program.add(row(rows.matrix, i) == int(low))
            continue
        if np.isfinite(low):
            program.add(row(rows.matrix, i) >= int(low))
        if np.isfinite(high):
            program.add(row(rows.matrix, i) <= int(high))
    logical = model.indicators
    each = zip(logical.lower.tolist(), logical.binary.tolist(), logical.when.tolist(), strict=True)
    for i, (low, binary, when) in enumerate(each):
        literal = variables[binary] if when else ~variables[binary]
        program.add(row(logical.matrix, i) >= int(low)).only_enforce_if(literal)
    priced = np.flatnonzero(model.cost)
    program.minimize(total(model.cost[priced].tolist(), priced.tolist()) + int(model.cost_offset))
    return variables


def _prefer(program: Any, parameters: Any, variables: list[Any], priorities: Any) -> None:
    from ortools.sat.python import cp_model

    for priority in sorted(set(priorities.tolist()), reverse=True):
        chosen = [variables[j] for j in np.flatnonzero(priorities == priority)] if priority else []
        if chosen:
            program.add_decision_strategy(chosen, cp_model.CHOOSE_FIRST, cp_model.SELECT_MEDIAN_VALUE)
    parameters.search_branching = cp_model.PARTIAL_FIXED_SEARCH


def _outcome(solver: Any, status: str, variables: list[Any], settings: RunSettings, talk: Talk) -> Outcome:
    if status not in STOPS and status not in LIMITED:
        raise SolverFailedError(f"cpsat stopped with the status {status!r}")
    found = status in ("OPTIMAL", "FEASIBLE")
    return Outcome(
        stop=STOPS[status] if status in STOPS else _limit(solver, settings, talk),
        values=np.array([solver.value(v) for v in variables], dtype=np.float64) if found else None,
        bound=None if status == "INFEASIBLE" else float(solver.best_objective_bound),
        nodes=int(solver.num_conflicts),
    )


def _limit(solver: Any, settings: RunSettings, talk: Talk) -> Stop:
    """Determine which limit was reached."""
    if talk.stopping:
        return Stop.INTERRUPTED
    if settings.nodes is not None and (settings.seconds is None or solver.wall_time < settings.seconds):
        return Stop.NODE_LIMIT
    return Stop.TIME_LIMIT if settings.seconds is not None else Stop.MEMORY_LIMIT

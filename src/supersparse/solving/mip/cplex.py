"""CPLEX (commercial; the licence in the wheel is limited to 1000 variables and 1000 rows)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from supersparse.errors import SolverError, SolverFailedError, SolverLimitError
from supersparse.solving.contract import Capabilities
from supersparse.solving.mip import run as own_options
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import FLOATS, Precision
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings, Talk
from supersparse.solving.mip.solver import MipSolver, mip_capabilities
from supersparse.stop import Stop

# None: no solution. Every variable is bounded, so "infeasible or unbounded" can only mean infeasible.
STOPS: Mapping[str, Stop | None] = {
    "MIP_optimal": Stop.OPTIMAL,
    "optimal_tolerance": Stop.OPTIMAL,
    "MIP_infeasible": None,
    "MIP_infeasible_or_unbounded": None,
    "MIP_time_limit_feasible": Stop.TIME_LIMIT,
    "MIP_time_limit_infeasible": Stop.TIME_LIMIT,
    "node_limit_feasible": Stop.NODE_LIMIT,
    "node_limit_infeasible": Stop.NODE_LIMIT,
    "mem_limit_feasible": Stop.MEMORY_LIMIT,
    "mem_limit_infeasible": Stop.MEMORY_LIMIT,
    "MIP_abort_feasible": Stop.INTERRUPTED,
    "MIP_abort_infeasible": Stop.INTERRUPTED,
}

RESERVED = {
    **dict.fromkeys(
        ["timelimit", "mip.limits.nodes", "mip.tolerances.mipgap", "mip.tolerances.absmipgap"],
        own_options.LIMIT,
    ),
    **dict.fromkeys(["threads", "randomseed"], own_options.RESOURCES),
    **dict.fromkeys(
        [
            "mip.tolerances.integrality",
            "simplex.tolerances.feasibility",
            "simplex.tolerances.optimality",
            "mip.tolerances.lowercutoff",
            "mip.tolerances.uppercutoff",
            "mip.tolerances.objdifference",
            "mip.tolerances.relobjdifference",
        ],
        own_options.TOLERANCE,
    ),
}


class CplexSolver(MipSolver):
    """CPLEX, with big-M or indicator constraints and branching priorities."""

    name: ClassVar[str] = "cplex"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="cplex")
    precision: ClassVar[Precision] = FLOATS

    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Try the options on an empty model; names are paths such as "mip.strategy.probe"."""
        if given:
            with _silent() as cplex:
                _apply_own(cplex, given)

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Run branch and cut; a node is one of its nodes."""
        with _silent() as cplex:
            _apply_own(cplex, settings.own)
            return _solve(cplex, model, settings, talk)


def _solve(cplex: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
    import cplex as package
    from cplex.callbacks import Context

    own = cplex.parameters
    own.mip.tolerances.integrality.set(0.0)
    own.simplex.tolerances.feasibility.set(FLOATS.tolerance)
    own.simplex.tolerances.optimality.set(FLOATS.tolerance)
    own.mip.tolerances.mipgap.set(min(1.0, settings.relative_gap))
    own.mip.tolerances.absmipgap.set(settings.absolute_gap)
    own.threads.set(settings.threads)
    own.randomseed.set(settings.seed % (2**31 - 1))
    if settings.seconds is not None:
        own.timelimit.set(settings.seconds)
    if settings.nodes is not None:
        own.mip.limits.nodes.set(settings.nodes)
    _write(cplex, model)
    if settings.start is not None:
        everything = [list(range(model.n_variables)), settings.start.tolist()]
        cplex.MIP_starts.add(everything, cplex.MIP_starts.effort_level.check_feasibility)
    try:
        with package.Aborter() as aborter:
            cplex.use_aborter(aborter)
            cplex.set_callback(_Listener(talk), Context.id.global_progress | Context.id.local_progress)
            with talk.interrupted_by(aborter.abort):
                cplex.solve()
            cplex.remove_aborter()
    except package.exceptions.CplexSolverError as error:
        raise _translated(error) from error
    return _outcome(cplex)


class _Listener:
    """Progress callback; CPLEX calls `invoke`."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._best_cost = 1e70  # CPLEX reports 1e75 before there is one
        self._best_bound = -np.inf

    def invoke(self, context: Any) -> None:
        """Report a better model or bound."""
        nodes = int(context.get_long_info(context.info.node_count))
        cost = context.get_incumbent_objective()
        if cost < self._best_cost:
            self._best_cost = cost
            self._talk.report(BoundReport(values=np.array(context.get_incumbent()), nodes=nodes))
        bound = min(cost, context.get_double_info(context.info.best_bound))
        if bound > self._best_bound and abs(bound) < 1e20:
            self._best_bound = bound
            self._talk.report(BoundReport(bound=float(bound), nodes=nodes))
        if self._talk.stopping:
            context.abort()


def _write(cplex: Any, model: Model) -> None:
    cplex.objective.set_offset(model.cost_offset)
    cplex.variables.add(
        obj=model.cost.tolist(),
        lb=model.lower.tolist(),
        ub=model.upper.tolist(),
        types="".join("B" if binary else "I" for binary in model.is_binary),
    )
    rows = model.rows
    cplex.linear_constraints.add(
        lin_expr=[_parts(rows.matrix, i) for i in range(len(rows))],
        senses="".join(_sense(low, high) for low, high in zip(rows.lower, rows.upper, strict=True)),
        rhs=np.where(np.isfinite(rows.lower), rows.lower, rows.upper).tolist(),
        range_values=[
            high - low if _sense(low, high) == "R" else 0.0
            for low, high in zip(rows.lower, rows.upper, strict=True)
        ],
    )
    logical = model.indicators
    if len(logical):
        cplex.indicator_constraints.add_batch(
            lin_expr=[_parts(logical.matrix, i) for i in range(len(logical))],
            sense="G" * len(logical),
            rhs=logical.lower.tolist(),
            indvar=logical.binary.tolist(),
            complemented=(~logical.when).astype(int).tolist(),
        )
    ranked = np.flatnonzero(model.priorities)
    if len(ranked):
        default = cplex.order.branch_direction.default
        cplex.order.set([(int(j), int(model.priorities[j]), default) for j in ranked])


def _parts(matrix: Any, i: int) -> list[list[Any]]:
    at = slice(matrix.indptr[i], matrix.indptr[i + 1])
    return [matrix.indices[at].tolist(), matrix.data[at].tolist()]


def _sense(low: float, high: float) -> str:
    if low == high:
        return "E"
    if np.isfinite(low) and np.isfinite(high):
        return "R"
    return "G" if np.isfinite(low) else "L"


def _outcome(cplex: Any) -> Outcome:
    status = cplex.solution.status[cplex.solution.get_status()]
    if status not in STOPS:
        raise SolverFailedError(f"cplex stopped with the status {status!r}")
    has_solution = cplex.solution.is_primal_feasible()
    bound = None if STOPS[status] is None else cplex.solution.MIP.get_best_objective()
    if has_solution and bound is not None:
        cost = cplex.solution.get_objective_value()
        # If CPLEX reports optimal, and not just within the gap, its bound may still be that of the root.
        bound = cost if status == "MIP_optimal" else min(bound, cost)
    return Outcome(
        stop=STOPS[status],
        values=np.array(cplex.solution.get_values()) if has_solution else None,
        bound=bound if bound is not None and abs(bound) < 1e20 else None,
        nodes=int(cplex.solution.progress.get_num_nodes_processed()),
    )


def _translated(error: Any) -> SolverError:
    from cplex.exceptions import error_codes

    code = error.args[2] if len(error.args) > 2 else None
    if code == error_codes.CPXERR_RESTRICTED_VERSION:
        return SolverLimitError(
            "cplex: the problem exceeds the size-limited licence of the wheel; use a full licence, "
            "another solver, or fewer rows and features"
        )
    return SolverFailedError(f"cplex failed: {error}")


@contextmanager
def _silent() -> Iterator[Any]:
    import cplex as package

    with package.Cplex() as cplex:
        for stream in (
            cplex.set_log_stream,
            cplex.set_results_stream,
            cplex.set_warning_stream,
            cplex.set_error_stream,
        ):
            stream(None)
        yield cplex


def _apply_own(cplex: Any, given: Mapping[str, object]) -> None:
    from cplex.exceptions import CplexError

    known = {
        repr(parameter).removeprefix("parameters."): parameter for parameter, _ in cplex.parameters.get_all()
    }
    own_options.check_option_names("cplex", given, known, RESERVED)
    for name, value in given.items():
        own_options.check_kind("cplex", name, value, known[name].get())
        try:
            known[name].set(value)
        except (CplexError, TypeError, ValueError) as refused:
            raise own_options.bad_value("cplex", name, value, refused) from None

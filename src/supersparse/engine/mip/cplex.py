"""CPLEX (commercial; the licence in the wheel is limited to 1000 variables and 1000 rows)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from supersparse.base.stop import Stop
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import FLOATS, Precision
from supersparse.engine.mip.run import OptionTable, Outcome, RunSettings, Talk
from supersparse.engine.mip.solver import MipSolver, failure, mip_capabilities, stop_of
from supersparse.engine.solvers import Capabilities

# None: no solution. Every variable is bounded, so "infeasible or unbounded" can only mean infeasible.
STOPS = {
    "MIP_optimal": Stop.OPTIMAL, "optimal_tolerance": Stop.OPTIMAL,
    "MIP_infeasible": None, "MIP_infeasible_or_unbounded": None,
    "MIP_time_limit_feasible": Stop.TIME_LIMIT, "MIP_time_limit_infeasible": Stop.TIME_LIMIT,
    "node_limit_feasible": Stop.NODE_LIMIT, "node_limit_infeasible": Stop.NODE_LIMIT,
    "mem_limit_feasible": Stop.MEMORY_LIMIT, "mem_limit_infeasible": Stop.MEMORY_LIMIT,
    "MIP_abort_feasible": Stop.INTERRUPTED, "MIP_abort_infeasible": Stop.INTERRUPTED,
}  # fmt: skip
OPTIONS = OptionTable(
    "cplex", FLOATS, seconds="timelimit", nodes="mip.limits.nodes", relative_gap="mip.tolerances.mipgap",
    absolute_gap="mip.tolerances.absmipgap", threads="threads", seed="randomseed",
    tolerance="simplex.tolerances.feasibility simplex.tolerances.optimality", tuning="tune.timelimit",
    limits="tune.dettimelimit", proofs="mip.tolerances.integrality mip.tolerances.lowercutoff "
    "mip.tolerances.uppercutoff mip.tolerances.objdifference mip.tolerances.relobjdifference",
)  # fmt: skip


class CplexSolver(MipSolver):
    """CPLEX, with big-M or indicator constraints, branching priorities and its tuning tool."""

    name: ClassVar[str] = "cplex"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="cplex", tunes=True)
    precision: ClassVar[Precision] = FLOATS

    @contextmanager
    def session(self, options: Mapping[str, object]) -> Iterator[Any]:
        import cplex as package
        from cplex.exceptions import CplexError, error_codes

        try:
            with package.Cplex() as cplex:
                for stream in ("log", "results", "warning", "error"):
                    getattr(cplex, f"set_{stream}_stream")(None)
                known = {repr(p).removeprefix("parameters."): p for p, _ in cplex.parameters.get_all()}
                OPTIONS.set_own(options, known, lambda n, v: known[n].set(v), lambda n: known[n].get(), CplexError)
                yield cplex, package
        except CplexError as error:
            too_large = error.args[2:3] == (error_codes.CPXERR_RESTRICTED_VERSION,)
            raise failure("cplex", error, too_large=too_large) from error

    def minimise(self, session: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        cplex, package = session
        parameters, context = cplex.parameters, package.callbacks.Context.id
        _write(cplex, model, settings)
        with package.Aborter() as aborter, talk.interrupted_by(aborter.abort):
            cplex.use_aborter(aborter)
            parameters.mip.tolerances.integrality.set(0.0)
            tuned = OPTIONS.set_ours(
                settings, lambda n, v: attrgetter(n)(parameters).set(v), lambda: _tuned(parameters)
            )
            cplex.set_callback(_Listener(talk), context.global_progress | context.local_progress)
            cplex.solve()
            cplex.remove_aborter()
        return _outcome(cplex.solution, tuned)


@dataclass
class _Listener:
    talk: Talk

    def invoke(self, context: Any) -> None:
        """Report a better model or bound; CPLEX calls this."""
        nodes, cost = context.get_long_info(context.info.node_count), context.get_incumbent_objective()
        self.talk.report_better(cost, context.get_incumbent, nodes)
        self.talk.report_bound(min(cost, context.get_double_info(context.info.best_bound)), nodes)
        if self.talk.stopping:
            context.abort()


def _write(cplex: Any, model: Model, settings: RunSettings) -> None:
    cplex.objective.set_offset(model.cost_offset)
    cplex.variables.add(model.cost.tolist(), model.lower.tolist(), model.upper.tolist(), model.kinds)
    cplex.linear_constraints.add(model.rows.sums(), model.rows.senses, model.rows.sides.tolist())
    for binary, when, columns, factors, low in model.indicators.each():
        cplex.indicator_constraints.add([columns, factors], "G", low, binary, int(not when))
    if model.ranked:
        cplex.order.set([(j, p, cplex.order.branch_direction.default) for j, p in model.ranked])
    if settings.start is not None:
        everything = [list(range(model.n_variables)), settings.start.tolist()]
        cplex.MIP_starts.add(everything, cplex.MIP_starts.effort_level.check_feasibility)


def _tuned(parameters: Any) -> dict[str, object]:
    """Run the tuning tool, keep the options that it finds, and return them."""
    fixed = parameters.get_changed()
    parameters.tune_problem(fixed)
    before, after = ({repr(p)[len("parameters.") :]: v for p, v in c} for c in (fixed, parameters.get_changed()))
    return OPTIONS.chosen(before, after)


def _outcome(solution: Any, tuned: dict[str, object]) -> Outcome:
    status, nodes = solution.status[solution.get_status()], int(solution.progress.get_num_nodes_processed())
    stop, values = stop_of("cplex", status, STOPS), None
    bound = None if stop is None else solution.MIP.get_best_objective()
    if solution.is_primal_feasible():
        values, cost = np.array(solution.get_values()), solution.get_objective_value()
        # If CPLEX reports optimal, and not just within the gap, its bound may still be that of the root.
        bound = cost if status == "MIP_optimal" else min(bound, cost)
    return Outcome(stop=stop, values=values, bound=bound, nodes=nodes, tuned=tuned)

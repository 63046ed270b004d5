"""Gurobi (commercial; the licence in the wheel is limited to 2000 variables and 2000 rows)."""

from collections.abc import Mapping
from contextlib import closing
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
    "OPTIMAL": Stop.OPTIMAL,
    "INFEASIBLE": None,
    "INF_OR_UNBD": None,
    "TIME_LIMIT": Stop.TIME_LIMIT,
    "NODE_LIMIT": Stop.NODE_LIMIT,
    "INTERRUPTED": Stop.INTERRUPTED,
    "MEM_LIMIT": Stop.MEMORY_LIMIT,
}

RESERVED = {
    **dict.fromkeys(["TimeLimit", "NodeLimit", "MIPGap", "MIPGapAbs"], own_options.LIMIT),
    **dict.fromkeys(["Threads", "Seed"], own_options.RESOURCES),
    **dict.fromkeys(["OutputFlag", "LogToConsole"], own_options.SILENT),
    **dict.fromkeys(
        [
            "IntFeasTol",
            "FeasibilityTol",
            "OptimalityTol",
            "Cutoff",
            "BestObjStop",
            "BestBdStop",
        ],
        own_options.TOLERANCE,
    ),
}


class GurobiSolver(MipSolver):
    """Gurobi, with big-M or indicator constraints and branching priorities."""

    name: ClassVar[str] = "gurobi"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="gurobipy")
    precision: ClassVar[Precision] = FLOATS

    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Try the options on an empty model."""
        if given:
            with closing(_environment()) as environment, closing(_new_model(environment)) as gurobi:
                _apply_own(gurobi, given)

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Run branch and cut; a node is one of its nodes."""
        import gurobipy

        try:
            with closing(_environment()) as environment, closing(_new_model(environment)) as gurobi:
                _apply_own(gurobi, settings.own)
                return _solve(gurobi, model, settings, talk)
        except gurobipy.GurobiError as error:
            raise _translated(error) from error


def _solve(gurobi: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
    from gurobipy import GRB

    gurobi.Params.IntFeasTol = FLOATS.tolerance
    gurobi.Params.FeasibilityTol = FLOATS.tolerance
    gurobi.Params.OptimalityTol = FLOATS.tolerance
    gurobi.Params.MIPGap = settings.relative_gap
    gurobi.Params.MIPGapAbs = settings.absolute_gap
    gurobi.Params.Threads = settings.threads
    gurobi.Params.Seed = settings.seed % 2_000_000_000
    if settings.seconds is not None:
        gurobi.Params.TimeLimit = settings.seconds
    if settings.nodes is not None:
        gurobi.Params.NodeLimit = settings.nodes
    variables = _write(gurobi, model)
    if settings.start is not None:
        variables.Start = settings.start

    best_bound = -np.inf

    def hear(gurobi: Any, where: int) -> None:
        nonlocal best_bound
        if where == GRB.Callback.MIPSOL:
            nodes = int(gurobi.cbGet(GRB.Callback.MIPSOL_NODCNT))
            talk.report(BoundReport(values=np.array(gurobi.cbGetSolution(variables)), nodes=nodes))
        elif where == GRB.Callback.MIP:
            bound = min(gurobi.cbGet(GRB.Callback.MIP_OBJBND), gurobi.cbGet(GRB.Callback.MIP_OBJBST))
            if bound > best_bound and abs(bound) < GRB.INFINITY:
                best_bound = bound
                talk.report(BoundReport(bound=float(bound), nodes=int(gurobi.cbGet(GRB.Callback.MIP_NODCNT))))
        if talk.stopping:
            gurobi.terminate()

    with talk.interrupted_by(gurobi.terminate):
        gurobi.optimize(hear)
    return _outcome(gurobi, variables)


def _write(gurobi: Any, model: Model) -> Any:
    from gurobipy import GRB

    kinds = np.where(model.is_binary, GRB.BINARY, GRB.INTEGER)
    variables = gurobi.addMVar(model.n_variables, lb=model.lower, ub=model.upper, obj=model.cost, vtype=kinds)
    gurobi.ObjCon = model.cost_offset
    if model.priorities.any():
        variables.BranchPriority = model.priorities
    rows = model.rows
    both = np.isfinite(rows.lower) & np.isfinite(rows.upper) & (rows.lower == rows.upper)
    for chosen, sense, side in (
        (both, GRB.EQUAL, rows.lower),
        (~both & np.isfinite(rows.lower), GRB.GREATER_EQUAL, rows.lower),
        (~both & np.isfinite(rows.upper), GRB.LESS_EQUAL, rows.upper),
    ):
        if chosen.any():
            gurobi.addMConstr(rows.matrix[np.flatnonzero(chosen)], variables, sense, side[chosen])
    logical = model.indicators
    each = zip(logical.lower.tolist(), logical.binary.tolist(), logical.when.tolist(), strict=True)
    for i, (low, binary, when) in enumerate(each):
        at = slice(logical.matrix.indptr[i], logical.matrix.indptr[i + 1])
        total = logical.matrix.data[at] @ variables[logical.matrix.indices[at]]
        gurobi.addGenConstrIndicator(variables[binary].item(), when, total.item(), GRB.GREATER_EQUAL, low)
    return variables


def _outcome(gurobi: Any, variables: Any) -> Outcome:
    from gurobipy import GRB

    names = {getattr(GRB.Status, name): name for name in dir(GRB.Status) if name.isupper()}
    status = names.get(gurobi.Status, str(gurobi.Status))
    if status not in STOPS:
        raise SolverFailedError(f"gurobi stopped with the status {status!r}")
    found = gurobi.SolCount > 0
    bound = min(gurobi.ObjBound, gurobi.ObjVal) if found else gurobi.ObjBound
    return Outcome(
        stop=STOPS[status],
        values=np.array(variables.X) if found else None,
        bound=bound if abs(bound) < GRB.INFINITY else None,
        nodes=int(gurobi.NodeCount),
    )


def _translated(error: Any) -> SolverError:
    from gurobipy import GRB

    if error.errno == GRB.Error.SIZE_LIMIT_EXCEEDED:
        return SolverLimitError(
            "gurobi: the problem exceeds the size-limited licence of the wheel; use a full licence, "
            "another solver, or fewer rows and features"
        )
    return SolverFailedError(f"gurobi failed: {error} (code {error.errno})")


def _environment() -> Any:
    import gurobipy

    environment = gurobipy.Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.start()
    return environment


def _new_model(environment: Any) -> Any:
    import gurobipy

    return gurobipy.Model(env=environment)


def _apply_own(gurobi: Any, given: Mapping[str, object]) -> None:
    import gurobipy

    known = [name for name in dir(gurobipy.GRB.Param) if not name.startswith("_")]
    own_options.check_option_names("gurobi", given, known, RESERVED)
    for name, value in given.items():
        own_options.check_kind("gurobi", name, value, gurobi.getParamInfo(name)[2])
        try:
            gurobi.setParam(name, value)
        except (gurobipy.GurobiError, TypeError, ValueError) as refused:
            raise own_options.bad_value("gurobi", name, value, refused) from None

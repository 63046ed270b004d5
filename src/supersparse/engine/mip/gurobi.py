"""Gurobi (commercial; the licence in the wheel is limited to 2000 variables and 2000 rows)."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
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
    "OPTIMAL": Stop.OPTIMAL, "INFEASIBLE": None, "INF_OR_UNBD": None, "INTERRUPTED": Stop.INTERRUPTED,
    "TIME_LIMIT": Stop.TIME_LIMIT, "NODE_LIMIT": Stop.NODE_LIMIT, "MEM_LIMIT": Stop.MEMORY_LIMIT,
}  # fmt: skip
OPTIONS = OptionTable(
    "gurobi", FLOATS, seconds="TimeLimit", nodes="NodeLimit", relative_gap="MIPGap", absolute_gap="MIPGapAbs",
    threads="Threads", seed="Seed", tolerance="IntFeasTol FeasibilityTol OptimalityTol",
    tuning="TuneTimeLimit", output="OutputFlag LogToConsole", proofs="Cutoff BestObjStop BestBdStop",
)  # fmt: skip
_SENSES = str.maketrans("EGL", "=><")


class GurobiSolver(MipSolver):
    """Gurobi, with big-M or indicator constraints, branching priorities and its tuning tool."""

    name: ClassVar[str] = "gurobi"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="gurobipy", tunes=True)
    precision: ClassVar[Precision] = FLOATS

    @contextmanager
    def session(self, options: Mapping[str, object]) -> Iterator[Any]:
        import gurobipy

        known = [name for name in dir(gurobipy.GRB.Param) if not name.startswith("_")]
        try:
            with closing(gurobipy.Env(empty=True)) as environment:
                environment.setParam("OutputFlag", 0)
                environment.start()
                with closing(gurobipy.Model(env=environment)) as gurobi:
                    OPTIONS.set_own(
                        options, known, gurobi.setParam, lambda n: gurobi.getParamInfo(n)[2], gurobipy.GurobiError
                    )
                    yield gurobi
        except gurobipy.GurobiError as error:
            too_large = error.errno == gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED
            raise failure("gurobi", error, too_large=too_large) from error

    def minimise(self, gurobi: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        from gurobipy import GRB

        def hear(gurobi: Any, where: int) -> None:
            if where == GRB.Callback.MIPSOL:
                nodes = gurobi.cbGet(GRB.Callback.MIPSOL_NODCNT)
                talk.report_values(gurobi.cbGetSolution(variables), nodes)
            elif where == GRB.Callback.MIP:
                bound = min(gurobi.cbGet(GRB.Callback.MIP_OBJBND), gurobi.cbGet(GRB.Callback.MIP_OBJBST))
                talk.report_bound(bound, gurobi.cbGet(GRB.Callback.MIP_NODCNT))
            if talk.stopping:
                gurobi.terminate()

        variables = _write(gurobi, model, settings)
        with talk.interrupted_by(gurobi.terminate):
            tuned = OPTIONS.set_ours(settings, gurobi.setParam, lambda: _tuned(gurobi))
            gurobi.optimize(hear)
        return _outcome(gurobi, variables, tuned)


def _write(gurobi: Any, model: Model, settings: RunSettings) -> Any:
    variables = gurobi.addMVar(
        model.n_variables, lb=model.lower, ub=model.upper, obj=model.cost, vtype=np.array(list(model.kinds))
    )
    gurobi.ObjCon = model.cost_offset
    variables.BranchPriority = model.priorities
    if settings.start is not None:
        variables.Start = settings.start
    senses = np.array(list(model.rows.senses.translate(_SENSES)))
    if len(senses):
        gurobi.addMConstr(model.rows.matrix, variables, senses, model.rows.sides)
    for binary, when, columns, factors, low in model.indicators.each():
        total = (np.array(factors) @ variables[columns]).item()
        gurobi.addGenConstrIndicator(variables[binary].item(), when, total, ">", low)
    return variables


def _tuned(gurobi: Any) -> dict[str, object]:
    """Run the tuning tool, keep its best options, and return those that it changed."""
    gurobi.update()
    known = {name: info for name in dir(gurobi.Params) if (info := gurobi.getParamInfo(name))}
    gurobi.tune()
    if gurobi.TuneResultCount:
        gurobi.getTuneResult(0)  # of all options, and so it speaks again
        gurobi.Params.OutputFlag = 0
    before = {name: info[2] for name, info in known.items()}
    return OPTIONS.chosen(before, {name: gurobi.getParamInfo(name)[2] for name in known})


def _outcome(gurobi: Any, variables: Any, tuned: dict[str, object]) -> Outcome:
    from gurobipy import GRB

    names = {getattr(GRB.Status, name): name for name in dir(GRB.Status) if name.isupper()}
    has_solution = gurobi.SolCount > 0
    bound = min(gurobi.ObjBound, gurobi.ObjVal) if has_solution else gurobi.ObjBound
    stop = stop_of("gurobi", names.get(gurobi.Status, gurobi.Status), STOPS)
    values = np.array(variables.X) if has_solution else None
    return Outcome(stop=stop, values=values, bound=bound, nodes=int(gurobi.NodeCount), tuned=tuned)

"""SCIP (Apache 2.0). It uses one thread, whatever `threads` says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import numpy as np

from supersparse.base.stop import Stop
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import FLOATS, Precision
from supersparse.engine.mip.run import OptionTable, Outcome, RunSettings, Talk
from supersparse.engine.mip.solver import MipSolver, mip_capabilities, stop_of
from supersparse.engine.solvers import Capabilities

# None: no solution. Every variable is bounded, so "infeasible or unbounded" can only mean infeasible.
STOPS: Mapping[str, Stop | None] = {
    "optimal": Stop.OPTIMAL,
    "gaplimit": Stop.OPTIMAL,  # within the requested gap; the bound tells whether that is 0
    "infeasible": None,
    "inforunbd": None,
    "timelimit": Stop.TIME_LIMIT,
    "nodelimit": Stop.NODE_LIMIT,
    "totalnodelimit": Stop.NODE_LIMIT,
    "memlimit": Stop.MEMORY_LIMIT,
    "userinterrupt": Stop.INTERRUPTED,
}

OPTIONS = OptionTable(
    "scip", FLOATS, seconds="limits/time", nodes="limits/totalnodes", absolute_gap="limits/absgap",
    seed="randomization/randomseedshift", tolerance="numerics/feastol numerics/dualfeastol",
    limits="limits/nodes limits/gap", resources="lp/threads parallel/maxnthreads",
    interrupts="misc/catchctrlc", proofs="numerics/epsilon limits/primal limits/dual",
)  # fmt: skip


class ScipSolver(MipSolver):
    """SCIP, with big-M or indicator constraints and branching priorities."""

    name: ClassVar[str] = "scip"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="pyscipopt")
    precision: ClassVar[Precision] = FLOATS

    @contextmanager
    def session(self, options: Mapping[str, object]) -> Iterator[Any]:
        import pyscipopt

        scip = pyscipopt.Model()
        scip.hideOutput()
        known = scip.getParams()
        OPTIONS.set_own(options, known, scip.setParam, lambda name: known[name])
        yield scip

    def minimise(self, scip: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Run branch and cut; a node is one of its nodes, including those before a restart."""
        OPTIONS.set_ours(settings, scip.setParam)
        scip.setParam("misc/catchctrlc", False)
        scip.setParam("limits/gap", _gap_of_scip(settings.relative_gap))
        variables, slacks = _write(scip, model)
        if settings.start is not None:
            missing = model.indicators.lower - model.indicators.matrix @ settings.start
            everything = [*settings.start.tolist(), *np.maximum(0.0, missing).tolist()]
            solution = scip.createSol()
            for variable, value in zip([*variables, *slacks], everything, strict=True):
                scip.setSolVal(solution, variable, value)
            scip.addSol(solution)
        listener = _listen(scip, variables, talk)
        with talk.interrupted_by(listener.interrupt):
            scip.optimizeNogil()
        return _outcome(scip, variables)


def _gap_of_scip(relative_gap: float) -> float:
    """Convert the gap: SCIP divides by the lower bound, this package by the upper."""
    return min(1e20, relative_gap / (1 - relative_gap)) if relative_gap < 1 else 1e20


def _write(scip: Any, model: Model) -> tuple[list[Any], list[Any]]:
    """Return the variables, and the slack variables that SCIP adds for indicator rows."""
    import pyscipopt

    variables = [
        scip.addVar(name=name, vtype=kind, lb=low, ub=high, obj=cost)
        for name, low, high, cost, kind in zip(
            model.names, model.lower, model.upper, model.cost, model.kinds, strict=True
        )
    ]
    scip.addObjoffset(model.cost_offset)
    for j, priority in model.ranked:
        scip.chgVarBranchPriority(variables[j], priority)

    def total(columns: list[int], factors: list[float]) -> Any:
        return pyscipopt.quicksum(f * variables[j] for j, f in zip(columns, factors, strict=True))

    rows = model.rows
    for (columns, factors), sense, side in zip(rows.sums(), rows.senses, rows.sides.tolist(), strict=True):
        low, high = (None if sense == "L" else side), (None if sense == "G" else side)
        scip.addCons(pyscipopt.ExprCons(total(columns, factors), lhs=low, rhs=high))
    slacks = []
    for binary, when, columns, factors, low in model.indicators.each():
        row = scip.addConsIndicator(-total(columns, factors) <= -low, variables[binary], activeone=when)
        slacks.append(scip.getSlackVarIndicator(row))
    return variables, slacks


def _listen(scip: Any, variables: list[Any], talk: Talk) -> Any:
    import pyscipopt

    package: Any = pyscipopt
    kinds = package.SCIP_EVENTTYPE
    stages = package.SCIP_STAGE
    interruptible = (stages.PRESOLVING, stages.SOLVING)
    heard = [kinds.BESTSOLFOUND, kinds.NODEFOCUSED, kinds.NODESOLVED, kinds.LPSOLVED, kinds.PRESOLVEROUND]

    class Listener(pyscipopt.Eventhdlr):
        is_live = False

        def interrupt(self) -> None:
            # SCIP refuses an interrupt between its stages, which another thread cannot exclude; the
            # next event then stops it.
            if self.is_live and scip.getStage() in interruptible:
                with suppress(Exception):  # pyscipopt raises no narrower kind
                    scip.interruptSolve()

        def eventinit(self) -> None:
            for kind in heard:
                self.model.catchEvent(kind, self)
            self.is_live = True

        def eventexit(self) -> None:
            self.is_live = False
            for kind in heard:
                self.model.dropEvent(kind, self)

        def eventexec(self, event: Any) -> None:
            nodes = self.model.getNTotalNodes()
            if event.getType() == kinds.BESTSOLFOUND:
                best = self.model.getBestSol()
                talk.report_values([self.model.getSolVal(best, v) for v in variables], nodes)
            elif event.getType() in (kinds.NODESOLVED, kinds.LPSOLVED):
                talk.report_bound(min(self.model.getDualbound(), self.model.getPrimalbound()), nodes)
            if talk.stopping:
                self.model.interruptSolve()

    listener = Listener()
    scip.includeEventhdlr(listener, "supersparse", "reports models and bounds")
    return listener


def _outcome(scip: Any, variables: list[Any]) -> Outcome:
    values = None
    if scip.getNSols() > 0:
        best = scip.getBestSol()
        values = np.array([scip.getSolVal(best, v) for v in variables])
    return Outcome(
        stop=stop_of("scip", scip.getStatus(), STOPS),
        values=values,
        bound=min(scip.getDualbound(), scip.getPrimalbound()),
        nodes=int(scip.getNTotalNodes()),
    )

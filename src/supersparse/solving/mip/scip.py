"""SCIP (Apache 2.0). It uses one thread, whatever `threads` says."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from supersparse.errors import SolverFailedError
from supersparse.solving.contract import Capabilities
from supersparse.solving.mip import run as own_options
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import FLOATS, Precision
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings, Talk
from supersparse.solving.mip.solver import MipSolver, mip_capabilities
from supersparse.stop import Stop

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

RESERVED = {
    **dict.fromkeys(
        ["limits/time", "limits/nodes", "limits/totalnodes", "limits/gap", "limits/absgap"], own_options.LIMIT
    ),
    **dict.fromkeys(
        ["randomization/randomseedshift", "lp/threads", "parallel/maxnthreads"], own_options.RESOURCES
    ),
    **dict.fromkeys(["misc/catchctrlc"], "Ctrl-C keeps the best model found"),
    **dict.fromkeys(
        ["numerics/feastol", "numerics/dualfeastol", "numerics/epsilon", "limits/primal", "limits/dual"],
        own_options.TOLERANCE,
    ),
}


class ScipSolver(MipSolver):
    """SCIP, with big-M or indicator constraints and branching priorities."""

    name: ClassVar[str] = "scip"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="pyscipopt")
    precision: ClassVar[Precision] = FLOATS

    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Try the options on an empty model."""
        if given:
            _apply_own(_silent(), given)

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Run branch and cut; a node is one of its nodes, including those before a restart."""
        scip = _silent()
        _apply_own(scip, settings.own)
        scip.setParam("numerics/feastol", FLOATS.tolerance)
        scip.setParam("numerics/dualfeastol", FLOATS.tolerance)
        scip.setParam("misc/catchctrlc", False)
        scip.setParam("limits/absgap", settings.absolute_gap)
        scip.setParam("limits/gap", _own_gap(settings.relative_gap))
        scip.setParam("randomization/randomseedshift", settings.seed % 2**31)
        if settings.seconds is not None:
            scip.setParam("limits/time", settings.seconds)
        if settings.nodes is not None:
            scip.setParam("limits/totalnodes", settings.nodes)
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


def _own_gap(relative_gap: float) -> float:
    """Convert the gap: SCIP divides by the lower bound, this package by the upper."""
    return min(1e20, relative_gap / (1 - relative_gap)) if relative_gap < 1 else 1e20


def _write(scip: Any, model: Model) -> tuple[list[Any], list[Any]]:
    """Return the variables, and the slack variables that SCIP adds for indicator rows."""
    import pyscipopt

    kinds = np.where(model.is_binary, "B", "I").tolist()
    variables = [
        scip.addVar(name=f"x{j}", vtype=kind, lb=low, ub=high, obj=cost)
        for j, (low, high, cost, kind) in enumerate(
            zip(model.lower, model.upper, model.cost, kinds, strict=True)
        )
    ]
    scip.addObjoffset(model.cost_offset)
    for variable, priority in zip(variables, model.priorities.tolist(), strict=True):
        if priority:
            scip.chgVarBranchPriority(variable, priority)

    def total(matrix: Any, i: int) -> Any:
        at = slice(matrix.indptr[i], matrix.indptr[i + 1])
        return pyscipopt.quicksum(
            f * variables[j]
            for j, f in zip(matrix.indices[at].tolist(), matrix.data[at].tolist(), strict=True)
        )

    rows = model.rows
    for i, (low, high) in enumerate(zip(rows.lower.tolist(), rows.upper.tolist(), strict=True)):
        scip.addCons(pyscipopt.ExprCons(total(rows.matrix, i), lhs=_finite(low), rhs=_finite(high)))
    logical = model.indicators
    slacks = []
    each = zip(logical.lower.tolist(), logical.binary.tolist(), logical.when.tolist(), strict=True)
    for i, (low, binary, when) in enumerate(each):
        row = scip.addConsIndicator(-total(logical.matrix, i) <= -low, variables[binary], activeone=when)
        slacks.append(scip.getSlackVarIndicator(row))
    return variables, slacks


def _finite(side: float) -> float | None:
    return side if np.isfinite(side) else None


def _listen(scip: Any, variables: list[Any], talk: Talk) -> Any:
    import pyscipopt

    package: Any = pyscipopt
    kinds = package.SCIP_EVENTTYPE
    stages = package.SCIP_STAGE
    interruptible = (stages.PRESOLVING, stages.SOLVING)
    heard = [kinds.BESTSOLFOUND, kinds.NODEFOCUSED, kinds.NODESOLVED, kinds.LPSOLVED, kinds.PRESOLVEROUND]

    class Listener(pyscipopt.Eventhdlr):
        best_bound = -np.inf
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
            if event.getType() == kinds.BESTSOLFOUND:
                best = self.model.getBestSol()
                values = np.array([self.model.getSolVal(best, v) for v in variables])
                talk.report(BoundReport(values=values, nodes=int(self.model.getNTotalNodes())))
            elif event.getType() in (kinds.NODESOLVED, kinds.LPSOLVED):
                bound = min(self.model.getDualbound(), self.model.getPrimalbound())
                if bound > self.best_bound and abs(bound) < self.model.infinity():
                    self.best_bound = bound
                    talk.report(BoundReport(bound=float(bound), nodes=int(self.model.getNTotalNodes())))
            if talk.stopping:
                self.model.interruptSolve()

    listener = Listener()
    scip.includeEventhdlr(listener, "supersparse", "reports models and bounds")
    return listener


def _outcome(scip: Any, variables: list[Any]) -> Outcome:
    status = scip.getStatus()
    if status not in STOPS:
        raise SolverFailedError(f"scip stopped with the status {status!r}")
    values = None
    if scip.getNSols() > 0:
        best = scip.getBestSol()
        values = np.array([scip.getSolVal(best, v) for v in variables])
    bound = min(scip.getDualbound(), scip.getPrimalbound())
    return Outcome(
        stop=STOPS[status],
        values=values,
        bound=bound if abs(bound) < scip.infinity() else None,
        nodes=int(scip.getNTotalNodes()),
    )


def _silent() -> Any:
    import pyscipopt

    scip = pyscipopt.Model()
    scip.hideOutput()
    return scip


def _apply_own(scip: Any, given: Mapping[str, object]) -> None:
    known = scip.getParams()
    own_options.check_option_names("scip", given, known, RESERVED)
    for name, value in given.items():
        own_options.check_kind("scip", name, value, known[name])
        try:
            scip.setParam(name, value)
        except (TypeError, ValueError) as refused:
            raise own_options.bad_value("scip", name, value, refused) from None

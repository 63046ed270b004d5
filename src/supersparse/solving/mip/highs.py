"""HiGHS, the default MIP solver (MIT); the model is passed as a sparse matrix."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from supersparse.errors import SolverFailedError
from supersparse.solving.contract import Capabilities
from supersparse.solving.mip import run as own_options
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import Precision
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings, Talk
from supersparse.solving.mip.solver import MipSolver, mip_capabilities
from supersparse.stop import Stop

# Tighter tolerances make HiGHS worse, not better: of 120 problems with M about 6·10^5 it cut off the optimum
# of 3 with 1e-9, and of none with 1e-7; with M about 6·10^6 of 5 with 1e-9, 1 with 1e-8, none with 1e-7, and
# with 1e-6 it called wrong rows right in 14. So 1e-7, and a tenth of γ at most.
PRECISION = Precision(
    integers_only=False, tolerance=1e-7, largest_big_m=10**6, largest_factor=10**6, largest_score=10**7
)

# None: no solution. Every variable is bounded, so "infeasible or unbounded" can only mean infeasible.
STOPS: Mapping[str, Stop | None] = {
    "kOptimal": Stop.OPTIMAL,
    "kModelEmpty": Stop.OPTIMAL,
    "kInfeasible": None,
    "kUnboundedOrInfeasible": None,
    "kTimeLimit": Stop.TIME_LIMIT,
    "kSolutionLimit": Stop.NODE_LIMIT,  # mip_max_nodes; the other limits with this status are reserved
    "kInterrupt": Stop.INTERRUPTED,
    "kHighsInterrupt": Stop.INTERRUPTED,
    "kMemoryLimit": Stop.MEMORY_LIMIT,
}

RESERVED = {
    **dict.fromkeys(["time_limit", "mip_rel_gap", "mip_abs_gap"], own_options.LIMIT),
    **dict.fromkeys(
        ["mip_max_nodes", "mip_max_leaves", "mip_max_stall_nodes", "mip_max_improving_sols"],
        own_options.LIMIT,
    ),
    **dict.fromkeys(["threads", "parallel", "random_seed"], own_options.RESOURCES),
    **dict.fromkeys(["output_flag", "log_to_console"], own_options.SILENT),
    **dict.fromkeys(
        [
            "mip_feasibility_tolerance",
            "primal_feasibility_tolerance",
            "dual_feasibility_tolerance",
            "kkt_tolerance",
            "optimality_tolerance",
            "objective_bound",
            "objective_target",
            "solve_relaxation",
        ],
        own_options.TOLERANCE,
    ),
}


class HighsSolver(MipSolver):
    """HiGHS has no indicator constraints and no branching priorities."""

    name: ClassVar[str] = "highs"
    capabilities: ClassVar[Capabilities] = mip_capabilities(
        package="highspy", indicators=False, priorities=False
    )
    precision: ClassVar[Precision] = PRECISION

    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Try the options on a solver without a model."""
        if given:
            _apply_own(_silent(), given)

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Run branch and cut; a node is one of its nodes."""
        highs = _silent()
        _apply_own(highs, settings.own)
        _set(highs, "mip_feasibility_tolerance", PRECISION.tolerance)
        _set(highs, "primal_feasibility_tolerance", PRECISION.tolerance)
        _set(highs, "dual_feasibility_tolerance", PRECISION.tolerance)
        _set(highs, "mip_rel_gap", settings.relative_gap)
        _set(highs, "mip_abs_gap", settings.absolute_gap)
        _set(highs, "threads", settings.threads)
        _set(highs, "parallel", "off" if settings.threads == 1 else "on")
        _set(highs, "random_seed", settings.seed % 2**31)
        if settings.seconds is not None:
            _set(highs, "time_limit", settings.seconds)
        if settings.nodes is not None:
            _set(highs, "mip_max_nodes", min(settings.nodes, 2**31 - 1))
        return _solve(highs, model, settings, talk)


def _solve(highs: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
    _pass_model(highs, model)
    if settings.start is not None:
        every = np.arange(model.n_variables, dtype=np.int32)
        highs.setSolution(model.n_variables, every, settings.start)

    def hear_solution(event: Any) -> None:
        talk.report(
            BoundReport(
                values=np.array(event.data_out.mip_solution), nodes=int(event.data_out.mip_node_count)
            )
        )

    best_bound = -np.inf

    def look_up(event: Any) -> None:
        nonlocal best_bound
        bound = min(event.data_out.mip_dual_bound, event.data_out.mip_primal_bound)
        if bound > best_bound:
            best_bound = bound
            talk.report(BoundReport(bound=float(bound), nodes=int(event.data_out.mip_node_count)))
        if talk.stopping:
            event.interrupt()

    highs.cbMipImprovingSolution.subscribe(hear_solution)
    highs.cbMipInterrupt.subscribe(look_up)
    highs.run()
    highs.clearCallbacks()
    return _outcome(highs)


def _pass_model(highs: Any, model: Model) -> None:
    package = _package()
    rows = model.rows
    status = highs.passModel(
        model.n_variables,
        len(rows),
        rows.matrix.nnz,
        int(package.MatrixFormat.kRowwise),
        int(package.ObjSense.kMinimize),
        model.cost_offset,
        model.cost,
        model.lower,
        model.upper,
        rows.lower,
        rows.upper,
        rows.matrix.indptr.astype(np.int32),
        rows.matrix.indices.astype(np.int32),
        rows.matrix.data,
        np.full(model.n_variables, int(package.HighsVarType.kInteger), dtype=np.int32),
    )
    if status == package.HighsStatus.kError:
        raise SolverFailedError("highs does not accept the model")


def _outcome(highs: Any) -> Outcome:
    status = highs.getModelStatus()
    if status.name not in STOPS:
        raise SolverFailedError(f"highs stopped with the status {highs.modelStatusToString(status)!r}")
    info = highs.getInfo()
    has_solution = info.primal_solution_status == _package().SolutionStatus.kSolutionStatusFeasible
    return Outcome(
        stop=STOPS[status.name],
        values=np.array(highs.getSolution().col_value) if has_solution else None,
        bound=min(info.mip_dual_bound, info.objective_function_value)
        if has_solution
        else info.mip_dual_bound,
        nodes=max(0, int(info.mip_node_count)),
    )


def _package() -> Any:
    try:
        import highspy
    except ImportError as clash:
        raise SolverFailedError(
            f"highspy cannot be loaded ({clash}); if ortools is imported in the same process, its bundled "
            "HiGHS library causes this: use another solver or another process"
        ) from clash
    return highspy


def _silent() -> Any:
    highs = _package().Highs()
    highs.setOptionValue("output_flag", False)
    return highs


def _set(highs: Any, name: str, value: object) -> None:
    if highs.setOptionValue(name, value) == _package().HighsStatus.kError:
        raise own_options.bad_value("highs", name, value)


def _apply_own(highs: Any, given: Mapping[str, object]) -> None:
    known = [name for name in dir(highs.getOptions()) if not name.startswith("_")]
    own_options.check_option_names("highs", given, known, RESERVED)
    for name, value in given.items():
        _set(highs, name, value)

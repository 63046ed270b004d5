"""HiGHS, the default MIP solver (MIT); the model is passed as a sparse matrix."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

import numpy as np

from supersparse.base.errors import SolverFailedError
from supersparse.base.stop import Stop
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import Precision
from supersparse.engine.mip.run import OptionTable, Outcome, RunSettings, Talk, bad_value
from supersparse.engine.mip.solver import MipSolver, mip_capabilities, stop_of
from supersparse.engine.solvers import Capabilities

# Tighter tolerances make HiGHS worse, not better: of 120 problems with M about 6·10^5 it cut off the optimum
# of 3 with 1e-9, and of none with 1e-7; with M about 6·10^6 of 5 with 1e-9, 1 with 1e-8, none with 1e-7, and
# with 1e-6 it called wrong rows right in 14. So 1e-7, and a tenth of γ at most.
PRECISION = Precision(tolerance=1e-7, largest_big_m=10**6, largest_factor=10**6, largest_score=10**7)

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

OPTIONS = OptionTable(
    "highs", PRECISION, seconds="time_limit", nodes="mip_max_nodes", relative_gap="mip_rel_gap",
    absolute_gap="mip_abs_gap", threads="threads", seed="random_seed", resources="parallel",
    tolerance="mip_feasibility_tolerance primal_feasibility_tolerance dual_feasibility_tolerance",
    limits="mip_max_leaves mip_max_stall_nodes mip_max_improving_sols", output="output_flag log_to_console",
    proofs="kkt_tolerance optimality_tolerance objective_bound objective_target solve_relaxation",
)  # fmt: skip


class HighsSolver(MipSolver):
    """HiGHS has no indicator constraints and no branching priorities."""

    name: ClassVar[str] = "highs"
    capabilities: ClassVar[Capabilities] = mip_capabilities(package="highspy", indicators=False, priorities=False)
    precision: ClassVar[Precision] = PRECISION

    @contextmanager
    def session(self, options: Mapping[str, object]) -> Iterator[Any]:
        highs = _package().Highs()
        highs.setOptionValue("output_flag", False)
        known = [name for name in dir(highs.getOptions()) if not name.startswith("_")]
        OPTIONS.set_own(options, known, partial(_set, highs))
        yield highs

    def minimise(self, highs: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        OPTIONS.set_ours(settings, partial(_set, highs))
        _set(highs, "parallel", "off" if settings.threads == 1 else "on")
        _pass_model(highs, model)
        if settings.start is not None:
            every = np.arange(model.n_variables, dtype=np.int32)
            highs.setSolution(model.n_variables, every, settings.start)

        def hear_solution(event: Any) -> None:
            talk.report_values(event.data_out.mip_solution, event.data_out.mip_node_count)

        def look_up(event: Any) -> None:
            data = event.data_out
            talk.report_bound(min(data.mip_dual_bound, data.mip_primal_bound), data.mip_node_count)
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
    info = highs.getInfo()
    has_solution = info.primal_solution_status == _package().SolutionStatus.kSolutionStatusFeasible
    return Outcome(
        stop=stop_of("highs", highs.getModelStatus().name, STOPS),
        values=np.array(highs.getSolution().col_value) if has_solution else None,
        bound=min(info.mip_dual_bound, info.objective_function_value) if has_solution else info.mip_dual_bound,
        nodes=max(0, int(info.mip_node_count)),
    )


def _package() -> Any:
    try:
        import highspy
    except ImportError as clash:
        raise SolverFailedError(
            f"highspy cannot be loaded ({clash})",
            (
                "if ortools is imported in the same process, its bundled HiGHS library causes this: use "
                "another solver or another process"
            ),
        ) from clash
    return highspy


def _set(highs: Any, name: str, value: object) -> None:
    if highs.setOptionValue(name, value) == _package().HighsStatus.kError:
        raise bad_value("highs", name, value)

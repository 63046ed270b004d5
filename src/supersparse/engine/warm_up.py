"""Load the kernels, or compile them on first use, before any clock starts."""

import logging
import threading
from typing import TYPE_CHECKING

import numpy as np

from supersparse.engine.exact.instance import instances
from supersparse.engine.integer_form import integer_form
from supersparse.engine.kernels.jit import in_cache
from supersparse.engine.kernels.slices import run_slice
from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.problem.problem import Problem

if TYPE_CHECKING:
    from supersparse.engine.exact.slices import Slicer

_lock = threading.Lock()
_ready: set[str] = set()
_FREE = "errors, free threshold"


def warm_up(goal: str = "errors", *, only_free: bool = False) -> None:
    """Run every kernel of a goal once on a tiny problem; later calls in the process do nothing.

    `only_free` leaves out what is needed only for an intercept that is not free.
    """
    with _lock:
        if goal == "risk" or goal in _ready or (goal == "errors" and only_free and _FREE in _ready):
            return
        from supersparse.engine.exact.engine import ExactSolver

        if not in_cache(run_slice):
            logging.getLogger("supersparse").warning(
                "compiling the solver for this machine: once only, 20 to 60 seconds"
            )
            compile_tree()
        options = SolveOptions()
        for problem in tiny_problems():
            ExactSolver().solve(problem, options, Monitor(problem, options, lambda points: points))
            if only_free:
                break
        _ready.add(_FREE if only_free else goal)


def compile_tree() -> None:
    """Compile the tree over supports with all that it calls, the larger part."""
    from supersparse.engine.kernels.jit import compile_for

    data, state = _tiny_slicer().arguments
    compile_for(run_slice, data, state, np.zeros(2, np.int64), 0, 0, 0, 0, 0)  # shared, cuts, work


def _tiny_slicer() -> "Slicer":
    from supersparse.engine.exact.slices import CaseData, Slicer

    case = instances(integer_form(tiny_problems()[0]))[0]
    return Slicer(case.case, CaseData(case).data(lambda: False))


def tiny_problems() -> list[Problem]:
    """One problem with a free threshold and one without, and with wider columns, to cover all kernels."""
    random = np.random.default_rng(0)
    label = np.array([0, 1] * 8)
    binary = random.integers(0, 2, (16, 3))
    wider = np.column_stack([random.integers(0, 6, (16, 2)), binary])
    problems = [
        Problem.of(binary, label, C0=0.1, max_points=2),
        Problem.of(wider, label, C0=0.1, max_points=2, max_features=2, intercept="paper"),
    ]
    return [MergeRows.apply(p) for p in problems]

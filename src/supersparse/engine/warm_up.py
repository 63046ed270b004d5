"""Load the kernels, or compile them on first use, before any clock starts."""

import threading

import numpy as np

from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.problem.problem import Problem

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

        options = SolveOptions()
        for problem in tiny_problems():
            ExactSolver().solve(problem, options, Monitor(problem, options, lambda points: points))
            if only_free:
                break
        _ready.add(_FREE if only_free else goal)


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

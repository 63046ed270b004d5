"""Load the kernels, or compile them on first use, before any clock starts."""

import logging
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supersparse.engine.exact.instance import instances
from supersparse.engine.integer_form import integer_form
from supersparse.engine.kernels.jit import in_another_process, in_cache
from supersparse.engine.kernels.slices import run_slice
from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.problem.problem import Problem

if TYPE_CHECKING:
    from supersparse.engine.exact.slices import Slicer
    from supersparse.engine.risk.instance import RiskInstance

_lock = threading.Lock()
_ready: set[str] = set()
_FREE = "errors, free threshold"
_PATIENCE = 60.0  # seconds to wait for the other process


def warm_up(goal: str = "errors", *, only_free: bool = False) -> None:
    """Run every kernel of a goal once on a tiny problem; later calls in the process do nothing.

    `only_free` leaves out what is needed only for an intercept that is not free.
    """
    with _lock:
        if goal in _ready or (goal == "errors" and only_free and _FREE in _ready):
            return
        if goal == "risk":
            _warm_up_risk()
            _ready.add(goal)
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


def _in_other_processes(shares: Sequence[Sequence[Callable[[], None]]], work: Callable[[], None]) -> None:
    """Run functions of this module in other processes, a share in each, while `work` runs in this one.

    Numba's cache brings all together. Whatever the others do not get done is compiled here afterwards.
    """
    others = []
    try:
        for share in shares:
            others.append(in_another_process(share))
    except OSError:
        pass
    try:
        work()
        for other in others:
            other.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        for other in others:
            other.kill()
            other.wait()


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


def _warm_up_risk() -> None:
    """Run the kernels of the log loss, compiled in two processes on first use."""
    from supersparse.engine.kernels.risk_search import round_support

    if not in_cache(round_support):
        logging.getLogger("supersparse").warning("compiling the solver for this machine: once only, 20 to 60 seconds")
        _in_other_processes([[run_risk_search]], compile_rounding)
    run_risk_search()
    run_risk_proof()


def run_risk_search() -> None:
    """Run the kernels that search for a first card."""
    from supersparse.engine.risk.instance import new_best, new_support
    from supersparse.engine.risk.search import first_cards

    for instance in _tiny_risk_instances():
        first_cards(instance, new_support(instance), new_best(instance), lambda: False)


def compile_rounding() -> None:
    """Compile the rounding of a relaxed node, and what tightens its box."""
    from supersparse.engine.kernels.jit import compile_for
    from supersparse.engine.kernels.risk_bound import tighten
    from supersparse.engine.kernels.risk_search import round_support
    from supersparse.engine.risk.instance import new_best, new_support

    instance, ints, floats = _tiny_risk_instances()[0], np.zeros(1, np.int64), np.zeros(1)
    data = instance.data
    compile_for(tighten, data.values, data.zero, data.scale, ints, ints, floats, floats, 1, 0.0, ints, ints)
    card = (data, new_support(instance), new_best(instance), instance.low, instance.high)
    compile_for(round_support, *card, ints, 1, floats, 0.0, 0)


def run_risk_proof() -> None:
    """Run the kernels of the proof, without the search."""
    from supersparse.engine.risk.tree import RiskTree

    for instance in _tiny_risk_instances():
        tree = RiskTree(instance)
        tree.best.value[0] = 1.0
        tree.start()
        while tree.is_open:
            tree.step()


def _tiny_risk_instances() -> list["RiskInstance"]:
    """Both slopes, so that the relaxation that tightens boxes is among the kernels that run."""
    from supersparse.engine.risk.instance import risk_instance

    random = np.random.default_rng(0)
    X, label = random.integers(0, 2, (16, 3)), np.array([0, 1] * 8)
    problems = [
        Problem.of(X, label, goal="risk", C0=0.01, max_points=2, slope="free"),
        Problem.of(X, label, goal="risk", C0=0.01, max_points=2, slope=1),
    ]
    return [risk_instance(problem, slope_is_free=problem.slope == "free") for problem in problems]

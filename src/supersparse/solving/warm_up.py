"""Load the kernels, or compile them on first use, before any clock starts."""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from supersparse.problem.problem import Problem
from supersparse.solving.kernels.slices import run_slice
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.presolve import MergeRows

_lock = threading.Lock()
_ready: set[str] = set()
_PATIENCE = 60.0  # seconds to wait for the other process


def warm_up(goal: str = "errors") -> None:
    """Run every kernel of a goal once on a tiny problem; later calls in the process do nothing."""
    with _lock:
        if goal in _ready:
            return
        if goal == "risk":
            _warm_up_risk()
            _ready.add(goal)
            return
        from supersparse.solving.exact.engine import ExactSolver

        if not compiled_before():
            logging.getLogger("supersparse").warning(
                "compiling the solver for this machine: once only, 20 to 60 seconds"
            )
            _compile_in_two_processes()
        options = SolveOptions()
        for problem in _tiny_problems():
            ExactSolver().solve(problem, options, Monitor(problem, options, lambda points: points))
        run_search()
        _ready.add(goal)


def _compile_in_two_processes() -> None:
    """Compile the search in another process and the proofs in this one; numba's cache brings them together.

    Whatever the other process does not get done is compiled here afterwards.
    """
    from supersparse.solving.exact.engine import prove_without_search

    def prove() -> None:
        options = SolveOptions()
        for problem in _tiny_problems():
            prove_without_search(problem, options, Monitor(problem, options, lambda points: points))

    _beside_another(run_search.__name__, prove)


def _beside_another(name: str, work: Callable[[], None]) -> None:
    """Run a function of this module in another process while `work` runs in this one."""
    command = f"from {__name__} import {name}; {name}()"
    try:
        other = subprocess.Popen(
            [sys.executable, "-P", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return
    try:
        work()
        other.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        other.kill()
        other.wait()


def run_search() -> None:
    """Run every kernel of the incumbent search once."""
    from supersparse.solving.integer_form import integer_form
    from supersparse.solving.search.incumbent import Search

    options = SolveOptions()
    for problem in _tiny_problems():
        monitor = Monitor(problem, options, lambda points: points)
        Search(integer_form(problem), monitor).run(8_000_000)


def _tiny_problems() -> list[Problem]:
    """One problem with binary and one with wider columns and sets, to cover both kernel paths."""
    random = np.random.default_rng(0)
    label = np.array([0, 1] * 8)
    binary = random.integers(0, 2, (16, 3))
    wider = np.column_stack([random.integers(0, 6, (16, 2)), binary])
    problems = [
        Problem.of(binary, label, C0=0.1, max_points=2),
        Problem.of(wider, label, C0=0.1, max_points=2, max_features=2, intercept="paper"),
    ]
    return [MergeRows.apply(p) for p in problems]


def compiled_before() -> bool:
    """Whether numba's cache contains the largest kernel; True if numba does not say."""
    return _in_cache(run_slice, "slices.run_slice*.nbi")


def _in_cache(kernel: object, pattern: str) -> bool:
    folder = getattr(getattr(kernel, "_cache", None), "cache_path", None)
    return folder is None or any(Path(folder).glob(pattern))


def _warm_up_risk() -> None:
    """Run the kernels of the log loss, compiled in two processes on first use."""
    from supersparse.solving.kernels.risk_cells import run_completions

    if not _in_cache(run_completions, "risk_cells.run_completions*.nbi"):
        logging.getLogger("supersparse").warning(
            "compiling the solver for this machine: once only, 20 to 60 seconds"
        )
        _beside_another(run_risk_search.__name__, run_risk_proof)
    run_risk_search()
    run_risk_proof()


def run_risk_search() -> None:
    """Run the kernels that search for a first card."""
    from supersparse.solving.risk.instance import risk_instance
    from supersparse.solving.risk.search import first_cards
    from supersparse.solving.risk.workspace import new_best, new_support

    for problem in _tiny_risk_problems():
        instance = risk_instance(problem, slope_is_free=problem.slope == "free")
        first_cards(instance, new_support(instance), new_best(instance), lambda: False)


def run_risk_proof() -> None:
    """Run the kernels of the proof, without the search."""
    from supersparse.solving.risk.instance import risk_instance
    from supersparse.solving.risk.tree import RiskTree

    for problem in _tiny_risk_problems():
        tree = RiskTree(risk_instance(problem, slope_is_free=problem.slope == "free"))
        tree.best.value[0] = 1.0
        tree.start()
        while tree.is_open:
            tree.step()


def _tiny_risk_problems() -> list[Problem]:
    """Both slopes, so that the relaxation that tightens boxes is among the kernels that run."""
    random = np.random.default_rng(0)
    X, label = random.integers(0, 2, (16, 3)), np.array([0, 1] * 8)
    return [Problem.of(X, label, goal="risk", C0=0.01, max_points=2, slope=slope) for slope in ("free", 1)]

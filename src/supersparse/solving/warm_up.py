"""Load the kernels, or compile them on first use, before any clock starts."""

import logging
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from supersparse.problem.problem import Problem
from supersparse.solving.kernels.boxes import run_boxes
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.presolve import MergeRows

_lock = threading.Lock()
_ready = False
_PATIENCE = 60.0  # seconds to wait for the other process


def warm_up() -> None:
    """Run every kernel once on a tiny problem; later calls in the process do nothing."""
    global _ready
    with _lock:
        if _ready:
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
        _ready = True


def _compile_in_two_processes() -> None:
    """Compile the search in another process and the proofs in this one; numba's cache brings them together.

    Whatever the other process does not get done is compiled here afterwards.
    """
    from supersparse.solving.exact.engine import prove_without_search

    command = f"from {__name__} import run_search; run_search()"
    try:
        other = subprocess.Popen(
            [sys.executable, "-P", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return
    try:
        options = SolveOptions()
        for problem in _tiny_problems():
            prove_without_search(problem, options, Monitor(problem, options, lambda points: points))
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
    folder = getattr(getattr(run_boxes, "_cache", None), "cache_path", None)
    return folder is None or any(Path(folder).glob("boxes.run_boxes*.nbi"))

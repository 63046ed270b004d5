"""Compiling in two processes: the proofs here, the search there."""

import subprocess

from supersparse.solving import warm_up
from supersparse.solving.exact.engine import ExactSolver, prove_without_search
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions


def test_the_proofs_alone_find_what_the_engine_finds():
    options = SolveOptions()
    for problem in warm_up._tiny_problems():
        alone, together = (Monitor(problem, options, lambda points: points) for _ in range(2))
        prove_without_search(problem, options, alone)
        ExactSolver().solve(problem, options, together)
        assert alone.best_evaluation.objective == together.best_evaluation.objective


def test_a_process_that_cannot_start_leaves_the_work_to_this_one(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    warm_up._compile_in_two_processes()
    monkeypatch.setattr(warm_up, "_ready", set())
    warm_up.warm_up()
    warm_up.warm_up("risk")
    assert warm_up._ready == {"errors", "risk"}

"""Compiling in two processes: the tree here, the search there."""

import subprocess

from supersparse.engine import warm_up
from supersparse.engine.kernels.risk_bound import tighten
from supersparse.engine.kernels.risk_search import round_support
from supersparse.engine.kernels.slices import run_slice


def test_what_is_compiled_apart_is_what_the_solver_calls():
    warm_up.warm_up()
    warm_up.compile_tree()
    assert len(run_slice.signatures) == 1


def test_what_is_compiled_apart_is_what_the_risk_solver_calls():
    warm_up.warm_up("risk")
    warm_up.compile_rounding()
    for kernel in (round_support, tighten):
        assert len(kernel.signatures) == 1


def test_a_process_that_cannot_start_leaves_the_work_to_this_one(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    warm_up._in_other_processes([[warm_up.compile_relaxation]], warm_up.compile_tree)
    monkeypatch.setattr(warm_up, "_ready", set())
    warm_up.warm_up()
    warm_up.warm_up("risk")
    assert warm_up._ready == {"errors", "risk"}

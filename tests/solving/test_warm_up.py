"""Compiling in two processes: the supports here, the tree and the search there."""

import subprocess

from supersparse.solving import warm_up
from supersparse.solving.kernels.descent import anneal, descend
from supersparse.solving.kernels.heat_bath import heat_bath
from supersparse.solving.kernels.slices import expand, run_slice
from supersparse.solving.kernels.support_search import search_support


def test_what_is_compiled_apart_is_what_the_tree_calls():
    warm_up.warm_up()
    warm_up.compile_supports()
    warm_up.compile_tree_and_search()
    ((data, state, *_),) = run_slice.signatures
    for half in (search_support, expand):
        ((of_data, of_state, *numbers),) = half.signatures
        assert (of_data, of_state) == (data, state)
        assert {str(kind) for kind in numbers} == {"int64"}


def test_every_kernel_of_the_search_runs():
    warm_up.warm_up()
    assert all(kernel.signatures for kernel in (anneal, descend, heat_bath))


def test_a_process_that_cannot_start_leaves_the_work_to_this_one(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    warm_up._compile_in_two_processes()
    monkeypatch.setattr(warm_up, "_ready", set())
    warm_up.warm_up()
    warm_up.warm_up("risk")
    assert warm_up._ready == {"errors", "risk"}

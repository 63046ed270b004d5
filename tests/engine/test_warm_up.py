"""Compiling before any clock starts."""

from supersparse.engine import warm_up
from supersparse.engine.kernels.slices import run_slice


def test_what_is_compiled_apart_is_what_the_solver_calls():
    warm_up.warm_up()
    warm_up.compile_tree()
    assert len(run_slice.signatures) == 1

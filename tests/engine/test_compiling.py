"""Kernels compiled in another process while the solver goes on."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from supersparse.engine.kernels import jit
from supersparse.engine.warm_up import tiny_problems


def kernel(folder, signatures=()):
    cache = SimpleNamespace(cache_path=str(folder))
    return SimpleNamespace(__module__="kernels.boxes", __name__="run", signatures=[*signatures], _cache=cache)


@pytest.fixture
def begun(monkeypatch):
    """No process was begun yet; return those that are."""
    begun = {}
    monkeypatch.setattr(jit, "_begun", begun)
    return begun


def test_a_kernel_in_the_cache_or_in_this_process_is_ready(tmp_path, begun):
    (tmp_path / "boxes.run-1.nbi").touch()
    assert jit.is_ready(kernel(tmp_path), print)
    assert jit.is_ready(kernel(tmp_path / "empty", ["(int64,)"]), print)
    assert not begun


def test_another_one_is_ready_once_the_other_process_is_done(tmp_path, begun, monkeypatch):
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    calls = []

    def waiting(functions):
        calls.append(functions)
        return subprocess.Popen(command, stdin=subprocess.PIPE)

    monkeypatch.setattr(jit, "in_another_process", waiting)
    asked = (kernel(tmp_path), print)
    assert not jit.is_ready(*asked)
    assert not jit.is_ready(*asked)
    assert calls == [[print]]
    begun["boxes.run"].communicate()
    assert jit.is_ready(*asked)


def test_where_no_process_can_be_started_it_is_compiled_here(tmp_path, begun, monkeypatch):
    def refused(functions):
        raise OSError("no more processes")

    monkeypatch.setattr(jit, "in_another_process", refused)
    assert jit.is_ready(kernel(tmp_path), print)


def test_functions_run_in_another_process_one_after_the_other():
    assert jit.in_another_process([tiny_problems, tiny_problems]).wait() == 0

"""Kernels are compiled with numba's own functions replaced for as long as that takes, and no longer."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import config
from numba.core.runtime import _nrt_python, rtsys

from supersparse.engine.kernels import compiler
from supersparse.engine.kernels.compiler import KernelCompiler, KernelLibrary
from supersparse.engine.kernels.jit import inner, kernel, njit


@inner()
def _half(x: float) -> float:
    return x / 2


@njit(cache=False, pipeline_class=KernelCompiler)
def _total_of_halves(values: np.ndarray) -> float:
    total = 0.0
    for i in range(len(values)):
        total += _half(values[i]) + abs(values[i])
    return total


@njit(cache=False, pipeline_class=KernelCompiler)
def _untypable(values: np.ndarray) -> float:
    return values + "text"


@njit(cache=False, pipeline_class=KernelCompiler)
def _length_of_copies(values: np.ndarray, count: int) -> int:
    length = 0
    for i in range(count):
        copied, other = values.copy(), values
        if i % 2:
            other = copied + 1.0
        length += len(copied) + len(other)
    return length


@kernel()
def _largest(values: np.ndarray) -> float:
    largest = values[0]
    for i in range(1, len(values)):
        largest = max(largest, values[i])
    return largest


@njit(cache=False, pipeline_class=KernelCompiler)
def _twice_the_largest(values: np.ndarray) -> float:
    return 2 * _largest(values)


def _replaced():
    """All that is replaced while a kernel is compiled."""
    return [vars(owner)[name] for owner, name, _ in compiler._REPLACED], gc.get_threshold()


def test_numba_and_the_garbage_collector_are_as_before_after_a_kernel_is_compiled():
    before = _replaced()
    assert _total_of_halves(np.array([2.0, -4.0])) == 5.0
    assert _total_of_halves(np.array([2, -4])) == 5.0  # other types, other answers
    assert _replaced() == before


def test_a_kernel_that_does_not_compile_leaves_numba_as_it_was():
    before = _replaced()
    with pytest.raises(Exception, match="No implementation of function"):
        _untypable(np.zeros(2))
    assert _replaced() == before


@pytest.fixture
def _counts_arrays():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("_counts_arrays")
def test_arrays_are_freed_once_each():
    values = np.arange(3.0)
    before = rtsys.get_allocation_stats()
    assert _length_of_copies(values, 100) == 600
    after = rtsys.get_allocation_stats()
    made = after.alloc - before.alloc
    assert made >= 150
    assert after.free - before.free == made


@pytest.mark.parametrize("short_loops", [True, False])
def test_only_kernels_of_short_loops_are_compiled_without_vectors(monkeypatch, short_loops):
    usual, seen = config.LOOP_VECTORIZE, []
    optimise = KernelLibrary._optimize_final_module

    def noted(library):
        seen.append((library.name, config.LOOP_VECTORIZE))
        optimise(library)

    monkeypatch.setattr(KernelLibrary, "_optimize_final_module", noted)

    @kernel(short_loops=short_loops, cache=False)
    def doubled(value: int) -> int:
        return 2 * value

    assert doubled(4) == 8
    assert [how for name, how in seen if "doubled" in name] == [0 if short_loops else usual]
    assert usual == config.LOOP_VECTORIZE


def test_a_kernel_that_another_calls_is_compiled_by_itself_only_for_python():
    values = np.array([1.0, 5.0, 2.0])
    assert _twice_the_largest(values) == 10.0
    assert not _largest.signatures
    assert _largest(values) == 5.0
    assert len(_largest.signatures) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "name", "other"),
    [
        ("numba.core.untyped_passes", "InlineClosureLikes", None),
        ("numba.core.typing.templates", "_OverloadFunctionTemplate", "object"),
    ],
)
def test_a_numba_that_is_different_inside_compiles_kernels_too(tmp_path, module, name, other):
    command = f"""
import {module} as module
own = module.{name}
{f"del module.{name}" if other is None else f"module.{name} = {other}"}
import numpy as np
from supersparse.engine.kernels import jit
assert not any(jit._pipelines)
module.{name} = own
from supersparse.engine.kernels.sorting import order_of
print(order_of(np.array([3, 1, 2])).tolist())
"""
    anew = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, env=anew)
    assert done.stdout == "[1, 2, 0]\n", done.stderr

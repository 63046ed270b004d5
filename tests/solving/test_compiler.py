"""Kernels are compiled with numba's own functions replaced for as long as that takes, and no longer."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core.base import BaseContext
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import _OverloadFunctionTemplate

from supersparse.solving.kernels.compiler import KernelCompiler
from supersparse.solving.kernels.jit import inner, njit


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


def _replaced():
    """All that is replaced while a kernel is compiled."""
    decorator = _OverloadFunctionTemplate._get_jit_decorator
    return BaseFunction.get_call_type, BaseContext.get_abi_sizeof, decorator, gc.get_threshold()


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
from supersparse.solving.kernels import jit
assert not any(jit._pipelines)
module.{name} = own
from supersparse.solving.kernels.sorting import order_of
print(order_of(np.array([3, 1, 2])).tolist())
"""
    anew = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, env=anew)
    assert done.stdout == "[1, 2, 0]\n", done.stderr

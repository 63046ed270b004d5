"""How kernels are compiled: without the lock of the interpreter, once, and with no wrapper that nobody calls.

The wrappers of a function with many arrays take longer to compile than the function. `kernel` is for what
Python calls, `inner` for what only other kernels call: called from Python, it would crash.
"""

from functools import partial
from typing import Any

from numba import njit, typeof

kernel = partial(njit, cache=True, nogil=True, no_cfunc_wrapper=True)
inner = partial(njit, cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def compile_for(function: Any, *arguments: object) -> None:
    """Compile a kernel, an `inner` one too, for arguments of these types, or load it from the cache."""
    function.compile(tuple(map(typeof, arguments)))

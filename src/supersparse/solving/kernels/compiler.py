"""Numba's compiler, with a fifth less time for a kernel.

Numba finds out anew what every `+` and every `a[i]` means: it tries all that is registered under the name,
for strings and sets too, thousands of times for a few hundred answers. Here an answer is kept. Its objects
are seldom searched for garbage, and passes are left out that find nothing to do in kernels: those for
functions within functions, and for array expressions, which take long to compile and are written as loops.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import InlineClosureLikes

_NOTHING_TO_DO = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
_OBJECTS = 100_000  # between two searches for garbage; usually 700
_known: dict[Any, Any] = {}
_find = BaseFunction.get_call_type


def _known_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """What a built-in function means for these types and settings: the signature and what implements it."""
    settings = ConfigStack.top_or_none()
    settings = settings and str(settings._values)
    key = function, context, tuple(args), tuple(kws.items()), settings
    if key not in _known:
        signature = _find(function, context, args, kws)
        _known[key] = signature, signature and function._impl_keys[signature.args]
    signature, implementation = _known[key]
    if signature:
        function._impl_keys[signature.args] = implementation
    return signature


@contextmanager
def _quickly() -> Iterator[None]:
    """Kernels only: what else a process compiles is left to numba. Its lock keeps other threads out."""
    if BaseFunction.get_call_type is not _find:  # a function called by the one being compiled
        yield
        return
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *usual[1:])
    BaseFunction.get_call_type = _known_call_type
    try:
        yield
    finally:
        BaseFunction.get_call_type = _find
        gc.set_threshold(*usual)


class KernelCompiler(CompilerBase):
    """Compile a kernel and all that it calls."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        with _quickly():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Numba's passes for compiled code without those that do nothing."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0] not in _NOTHING_TO_DO]
        passes.finalize()
        return [passes]

"""Functions that only other kernels call: compiled for LLVM, and to machine code only within their callers.

Numba links all that a function calls into it, so that it can be inlined. Usually it also optimises every
function by itself and makes machine code of it, with all that it calls in turn: code at the bottom of six
calls goes through all that six times. Here only kernels that Python calls do; it halves the time to compile.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import IRLegalization

from supersparse.solving.kernels.compiler import KernelCompiler


class LinkedLibrary(JITCodeLibrary):
    """The code of a function that is linked into others and never runs by itself."""

    def get_pointer_to_function(self, name: str) -> int:
        """Give no address: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Stand in for the code generator where numba would fill in the address of an environment."""
        return _NoEnvironments()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _NoEnvironments:
    """Python objects that code in no-Python mode does not use."""

    def set_env(self, name: str, environment: object) -> None:
        pass


@register_pass(mutates_CFG=False, analysis_only=True)
class _UseLinkedLibrary(AnalysisPass):
    _name = "use_linked_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class LinkedCompiler(KernelCompiler):
    """The same, up to machine code."""

    def define_pipelines(self) -> list[Any]:
        """Put the library in place before code is written to it."""
        (passes,) = super().define_pipelines()
        passes.add_pass_after(_UseLinkedLibrary, IRLegalization)
        passes.finalize()
        return [passes]

"""Functions that only other kernels call: compiled for LLVM, and to machine code only within their callers.

Numba links all that a function calls into it, so that it can be inlined. Usually it also optimises every
function by itself and makes machine code of it, with all that it calls in turn: code at the bottom of six
calls goes through all that six times. Here only kernels that Python calls do; it halves the time to compile.
In those, long loops are not unrolled and only short functions are inlined: what that costs LLVM, kernels do
not win back.
"""

from inspect import Parameter, signature
from typing import Any

from llvmlite import binding as llvm
from numba.core import config, ir
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import IRLegalization

_IS_OLD = any(
    name != "self" and kind.kind is Parameter.POSITIONAL_OR_KEYWORD  # one manager for all of a module
    for name, kind in signature(CPUCodegen._function_pass_manager).parameters.items()
)
_INLINED = 75  # LLVM's measure of how long a function may be; usually 250


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel."""

    unrolls = False

    def _optimize_functions(self, ll_module: Any) -> None:
        """Shorten the functions of a module, which kernels optimise; leave alone what it only declares."""
        if _IS_OLD:
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        builder = llvm.create_pass_builder(self._codegen._tm, llvm.create_pipeline_tuning_options())
        passes = llvm.create_new_function_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Optimise a kernel with all that is linked into it."""
        if _IS_OLD:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)
        options = llvm.create_pipeline_tuning_options(config.OPT)
        options.loop_vectorization = bool(config.LOOP_VECTORIZE)
        options.slp_vectorization = False
        options.loop_unrolling = self.unrolls
        options.inlining_threshold = _INLINED
        builder = llvm.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        passes.run(self._final_module, builder)


class ShortLoopsLibrary(KernelLibrary):
    """The code of a kernel whose loops take few turns: code for vectors would cost more than it saves.

    To unroll these loops saves a tenth of a proof.
    """

    unrolls = True

    def _optimize_final_module(self) -> None:
        usual = config.LOOP_VECTORIZE
        config.LOOP_VECTORIZE = 0
        try:
            super()._optimize_final_module()
        finally:
            config.LOOP_VECTORIZE = usual


class LinkedLibrary(KernelLibrary):
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


def _keep_what_is_counted(state: Any) -> None:
    """Delete variables only where something counts their uses: half of all statements are of no effect."""
    models = state.targetctx.data_model_manager

    def is_needed(statement: Any) -> bool:
        return not isinstance(statement, ir.Del) or (
            state.flags.nrt and models[state.typemap[statement.value]].contains_nrt_meminfo()
        )

    for block in state.func_ir.blocks.values():
        block.body = [statement for statement in block.body if is_needed(statement)]


class _UseLibrary(AnalysisPass):
    def __init__(self) -> None:
        AnalysisPass.__init__(self)


@register_pass(mutates_CFG=False, analysis_only=True)
class UseLinkedLibrary(_UseLibrary):
    """Write code to be linked."""

    _name = "use_linked_library"

    def run_pass(self, state: Any) -> bool:
        """Put the library in place."""
        _keep_what_is_counted(state)
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class UseKernelLibrary(_UseLibrary):
    """Write the code of a kernel."""

    _name = "use_kernel_library"
    library: type[KernelLibrary] = KernelLibrary

    def run_pass(self, state: Any) -> bool:
        """Put the library in place."""
        _keep_what_is_counted(state)
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class UseShortLoopsLibrary(UseKernelLibrary):
    """Write the code of a kernel of short loops."""

    _name = "use_short_loops_library"
    library = ShortLoopsLibrary


def put_in_library(passes: Any, library: type[_UseLibrary]) -> None:
    """Put the library in place before code is written to it."""
    passes.add_pass_after(library, IRLegalization)


class BuiltinCompiler(CompilerBase):
    """Numba's own functions that kernels call: all passes, up to machine code."""

    def define_pipelines(self) -> list[Any]:
        """Numba's passes for compiled code."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        put_in_library(passes, UseLinkedLibrary)
        passes.finalize()
        return [passes]

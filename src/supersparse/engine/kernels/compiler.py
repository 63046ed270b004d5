"""Numba's compiler, with less work for a kernel, and the libraries that its code is put into.

Functions that only other kernels call become machine code only within their callers. Numba links all that a
function calls into it, so that it can be inlined. Usually it also optimises every function by itself and
makes machine code of it, with all that it calls in turn: code at the bottom of six calls goes through all
that six times. Here only kernels that Python calls do; it halves the time to compile. In those, long loops
are not unrolled and only short functions are inlined: what that costs LLVM, kernels do not win back.

Numba finds out anew what every `+` and every `a[i]` means: it tries all that is registered under the name,
for strings and sets too, thousands of times for a few hundred answers. It also asks LLVM again how large a
type is, for every variable. Here answers are kept. Its objects are seldom searched for garbage, and passes
are left out that find nothing to do in kernels: those for functions within functions, and for array
expressions, which take long to compile and are written as loops. After every pass numba finds out which
variables are still of use; here only before they are deleted, and deletions without effect are left out.
Elements of arrays and loops take few instructions (`memory`), and so does what counts the uses of
arrays: numba takes an array to pieces for that. Numba's own functions, such as `np.empty`, are linked into
kernels as inner functions are.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from inspect import Parameter, signature
from typing import Any

from llvmlite import binding as llvm
from numba.core import base, config, ir
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.runtime.context import NRTContext
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import InlineOverloads, IRLegalization, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import _OverloadFunctionTemplate as _Builtin
from numba.core.untyped_passes import InlineClosureLikes

from supersparse.engine.kernels.memory import element_code, range_code

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


_NOTHING_TO_DO = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
_OBJECTS = 400_000  # between two searches for garbage; usually 700
_known: dict[Any, Any] = {}
_sizes: dict[str, int] = {}
_unknown: set[Any] = set()
_find = BaseFunction.get_call_type
_size_of = BaseContext.get_abi_sizeof
_code_of = BaseContext.get_function
_usual_decorator = _Builtin._get_jit_decorator
_process = PostProcessor.run


def _known_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature and the implementation of a built-in function for these types and settings."""
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


def _known_size(context: Any, kind: Any) -> int:
    """How many bytes a type of LLVM has."""
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = _size_of(context, kind)
    return _sizes[name]


def _known_function(context: Any, function: Any, signature: Any, _firstcall: bool = True) -> Any:
    """The code writer of a built-in function, of an element of an array, or of a range.

    Numba asks first for what is written for an index that is a constant, and looks through all its modules
    before it finds that arrays have no such thing.
    """
    own = element_code(context, function, signature) or range_code(context, function, signature)
    if own:
        return own
    key = (function, signature) if isinstance(function, str) else None
    if key in _unknown:
        raise NotImplementedError(function)
    try:
        return _code_of(context, function, signature, _firstcall)
    except NotImplementedError:
        if key:
            _unknown.add(key)
        raise


def _counted(counts: Any, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """The use counters of the parts of a value, with their types; other parts are not looked at."""
    models = counts._context.data_model_manager
    model = models[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for own, part_of in model.traverse(builder):
        if models[own].contains_nrt_meminfo():
            found += _counted(counts, builder, own, part_of(value))
    return found


def _process_lazily(processor: Any, emit_dels: bool = False, **options: Any) -> None:
    """Leave out what variables are alive where, until they are deleted: passes before do not ask."""
    code = processor.func_ir
    if emit_dels or code.is_generator:
        _process(processor, emit_dels=emit_dels, **options)
        return
    code.blocks = canonicalize_cfg(code.blocks)
    code.variable_lifetime = VariableLifetime(code.blocks)
    code.generator_info = None


def _linked_decorator(builtin: Any) -> Callable[..., Any]:
    """The compiler of a built-in function that is written in Python: only to be linked, without a wrapper."""
    return partial(_usual_decorator(builtin), no_cfunc_wrapper=True, pipeline_class=BuiltinCompiler)


_REPLACED = (
    (BaseFunction, "get_call_type", _known_call_type),
    (BaseContext, "get_abi_sizeof", _known_size),
    (BaseContext, "get_function", _known_function),
    (PostProcessor, "run", _process_lazily),
    (NRTContext, "get_meminfos", _counted),
    (_Builtin, "_get_jit_decorator", _linked_decorator),
    (base, "_has_loc", lru_cache(maxsize=None)(base._has_loc)),
)


@contextmanager
def _quickly() -> Iterator[None]:
    """Kernels only: what else a process compiles is left to numba. Its lock keeps other threads out."""
    if BaseFunction.get_call_type is not _find:  # a function called by the one being compiled
        yield
        return
    usual = gc.get_threshold()
    before = [vars(owner)[name] for owner, name, _ in _REPLACED]
    gc.set_threshold(_OBJECTS, *usual[1:])
    for owner, name, own in _REPLACED:
        setattr(owner, name, own)
    try:
        yield
    finally:
        for (owner, name, _), own in zip(_REPLACED, before, strict=True):
            setattr(owner, name, own)
        gc.set_threshold(*usual)


class KernelCompiler(CompilerBase):
    """Compile a kernel and all that it calls."""

    library: type[Any] = UseKernelLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        with _quickly():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Numba's passes for compiled code without those that do nothing."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0] not in _NOTHING_TO_DO]
        put_in_library(passes, self.library)
        passes.finalize()
        return [passes]


class LinkedCompiler(KernelCompiler):
    """Compile a function that only kernels call, up to machine code."""

    library = UseLinkedLibrary


class ShortLoopsCompiler(KernelCompiler):
    """Compile a kernel whose loops take few turns."""

    library = UseShortLoopsLibrary

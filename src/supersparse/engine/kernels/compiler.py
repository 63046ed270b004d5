"""Numba's compiler, with less work for a kernel.

Numba finds out anew what every `+` and every `a[i]` means: it tries all that is registered under the name,
for strings and sets too, thousands of times for a few hundred answers. It also asks LLVM again how large a
type is, for every variable. Here answers are kept. Its objects are seldom searched for garbage, and passes
are left out that find nothing to do in kernels: those for functions within functions, and for array
expressions, which take long to compile and are written as loops. After every pass numba finds out which
variables are still of use; here only before they are deleted (`linking` leaves out deletions without effect).
Elements of arrays and loops take few instructions (`elements`, `ranges`), and so does what counts the uses of
arrays: numba takes all of an array apart for that. Numba's own functions, such as `np.empty`, are linked into
kernels as inner functions are.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from numba.core import base
from numba.core.base import BaseContext
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.runtime.context import NRTContext
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import _OverloadFunctionTemplate as _Builtin
from numba.core.untyped_passes import InlineClosureLikes

from supersparse.engine.kernels.elements import element_code
from supersparse.engine.kernels.linking import (
    BuiltinCompiler,
    UseKernelLibrary,
    UseLinkedLibrary,
    UseShortLoopsLibrary,
    put_in_library,
)
from supersparse.engine.kernels.ranges import range_code

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


def _known_size(context: Any, kind: Any) -> int:
    """How many bytes a type of LLVM has."""
    name = str(kind)
    if name not in _sizes:
        _sizes[name] = _size_of(context, kind)
    return _sizes[name]


def _known_function(context: Any, function: Any, signature: Any, _firstcall: bool = True) -> Any:
    """What writes the code of a built-in function, of an element of an array, or of a range.

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
    """What counts the uses of the parts of a value, with their types; other parts are not looked at."""
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
    """What compiles a built-in function that is written in Python: only to be linked, without a wrapper."""
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

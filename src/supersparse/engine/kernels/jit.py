"""How kernels are compiled: without the lock of the interpreter, once, and with no wrapper that nobody calls.

`kernel` is for what Python calls, `inner` for what only other kernels call (from Python, it would crash). An
inner function is compiled no further than kernels need to take it in (`compiler`): only theirs becomes
machine code, and only that is kept for the next process, where it is possible. A kernel that another one
calls is taken in the same way, and becomes machine code by itself only if Python calls it. On a full disk, or
where no folder can be written, everything is compiled all the same, and a warning says so, once.

`reader` is for inner functions that make no arrays and call none that returns one. Numba counts at every call
who uses each array that is passed, a tuple's arrays one by one; a reader has no need of that, and leaving it
out makes boxes almost twice as fast. A function that does make arrays must not be one: it would never free
them.

Kernels are also compiled in other processes (`in_another_process`); numba's cache brings all together.
"""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numba

try:
    from supersparse.engine.kernels.compiler import KernelCompiler, LinkedCompiler, ShortLoopsCompiler
except (ImportError, AttributeError):  # a numba that is different inside: its own way takes twice as long
    _pipelines: list[dict[str, Any]] = [{}, {}, {}]
else:
    _pipelines = [{"pipeline_class": own} for own in (KernelCompiler, LinkedCompiler, ShortLoopsCompiler)]

_said: list[str] = []


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile as numba's own decorator does; what cannot be kept is compiled in every process."""
    return lambda function: _compiled(function, {"cache": cache, **options})


inner = partial(
    njit, cache=False, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=True, **_pipelines[1]
)
reader = partial(inner, _nrt=False)


def kernel(*, short_loops: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile what Python calls; kernels that call it, too, take it in as an inner function.

    Where loops take few turns, vectors of numbers make them slower.
    """
    pipeline = _pipelines[2 if short_loops else 0]

    def compiled(function: Callable[..., Any]) -> Any:
        own = njit(nogil=True, no_cfunc_wrapper=True, _nrt=True, **pipeline, **options)(function)
        if _pipelines[1]:
            linked = inner(**options)(function)
            own.get_call_template, own.get_overload = linked.get_call_template, linked.get_overload
        return own

    return compiled


def compile_for(function: Any, *arguments: object) -> None:
    """Compile a kernel, an `inner` one too, for arguments of these types, or load it from the cache."""
    function.compile(tuple(map(numba.typeof, arguments)))


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    try:
        compiled = numba.njit(**options)(function)
    except (RuntimeError, OSError) as error:  # numba has no folder for it
        _say(error)
        return numba.njit(**{**options, "cache": False})(function)
    cache = compiled._cache
    save, load = cache.save_overload, cache.load_overload

    def save_overload(signature: object, data: object) -> None:
        try:
            save(signature, data)
        except OSError as error:
            cache.disable()
            _say(error)

    def load_overload(signature: object, target: object) -> object:
        try:
            return load(signature, target)
        except Exception:  # whatever a file makes of it that was cut off, or that another version wrote
            forget()
            return None

    def forget() -> None:
        try:
            cache.flush()  # compile it and keep it anew
        except OSError as error:
            cache.disable()
            _say(error)

    cache.save_overload, cache.load_overload = save_overload, load_overload
    return compiled


def _say(error: Exception) -> None:
    if not _said:
        _said.append(str(error))
        logging.getLogger("supersparse").warning(
            "compiled code cannot be kept (%s), so every process compiles it; "
            "set NUMBA_CACHE_DIR to a folder that can be written",
            error,
        )


_lock = threading.Lock()
_begun: dict[str, "subprocess.Popen[bytes] | None"] = {}  # by kernel; None where no process can be started


def in_cache(kernel: Any) -> bool:
    """Whether numba's cache contains a kernel; True if numba does not say."""
    folder = getattr(getattr(kernel, "_cache", None), "cache_path", None)
    return folder is None or any(Path(folder).glob(f"{_name_of(kernel)}-*.nbi"))


def _name_of(kernel: Any) -> str:
    """The name of a kernel with its file's, as numba's cache has it."""
    return f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"


def in_another_process(functions: Sequence[Callable[[], None]]) -> "subprocess.Popen[bytes]":
    """Run functions of one module, one after the other, in another process."""
    names = [function.__name__ for function in functions]
    lines = [f"from {functions[0].__module__} import {', '.join(names)}", *(f"{name}()" for name in names)]
    command = [sys.executable, "-P", "-c", "; ".join(lines)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def is_ready(kernel: Any, compile_it: Callable[[], None]) -> bool:
    """Whether a kernel can be called without a wait; if not, begin to compile it in another process, once.

    That goes on when nobody asks any more, and is of use to the next process at least. True as well when the
    other process is done and has not kept what it compiled.
    """
    if kernel.signatures or in_cache(kernel):
        return True
    name = _name_of(kernel)
    with _lock:
        if name not in _begun:
            try:
                _begun[name] = in_another_process([compile_it])
            except OSError:
                _begun[name] = None
        other = _begun[name]
    return other is None or other.poll() is not None

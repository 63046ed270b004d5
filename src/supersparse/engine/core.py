"""The door to the compiled core: it alone loads it, checks buffers, and turns its status into our errors.

Structures and signatures are those of ``native/api.h``; ``INTERFACE`` is raised there and here together.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from ctypes import (
    POINTER,
    Structure,
    addressof,
    byref,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_uint8,
    c_uint64,
    c_void_p,
)  # fmt: skip
from functools import cache, partial, wraps
from operator import index
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import SolverFailedError, SolverNotInstalledError, TooLargeError

INTERFACE = 3
JUDGE = ctypes.CFUNCTYPE(c_int32, POINTER(c_int32), c_double, c_double, c_double)
PROGRESS = ctypes.CFUNCTYPE(None, c_double, c_double, c_int64)


class ProblemBuffers(Structure):
    """``ss_problem``: a problem of questions as pointers into arrays that outlive it."""

    _fields_ = (
        ("rows", c_int64), ("answer", POINTER(c_uint8)), ("weight", POINTER(c_double)),
        ("positive", POINTER(c_double)), ("questions", c_int32), ("answers", POINTER(c_int32)),
        ("ordered", POINTER(c_int32)), ("shape", POINTER(c_int32)), ("equal_steps", POINTER(c_int32)),
        ("allowed", POINTER(c_uint64)), ("price", POINTER(c_double)), ("must", POINTER(c_uint8)),
        ("must_not", POINTER(c_uint8)), ("least", c_int32), ("most", c_int32), ("change_price", c_double),
        ("effect_limit", c_double), ("limits", c_int32), ("limit_weight", POINTER(c_int64)),
        ("limit_most", POINTER(c_int64)), ("reference", POINTER(c_int32)),
        ("most_questions_changed", c_int32), ("most_answers_changed", c_int32),
    )  # fmt: skip


class OptionBuffers(Structure):
    """``ss_options``."""

    _fields_ = (
        ("search_incumbent", c_int32), ("by_size", c_int32), ("threads", c_int32), ("bounds", c_int32),
        ("most_kept", c_int64), ("work_limit", c_int64), ("slack", c_double), ("seconds", c_double),
        ("cancelled", POINTER(c_int32)), ("judge", JUDGE), ("progress", PROGRESS),
    )  # fmt: skip


class OutcomeBuffers(Structure):
    """``ss_outcome``."""

    _fields_ = (
        ("proven", c_int32), ("complete", c_int32), ("cards", c_int64), ("open", c_int64),
        ("state_length", c_int64), ("checks", c_int64), ("decoded", c_int64), ("nodes", c_int64),
        ("leaves", c_int64), ("work", c_int64), ("bound", c_double),
    )  # fmt: skip


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ss_interface": (c_int32, ()),
    "ss_loops": (c_char_p, ()),
    "ss_choose_loops": (c_int32, (c_char_p,)),
    "ss_message": (c_char_p, ()),
    "ss_search_new": (c_int32, (POINTER(ProblemBuffers), POINTER(OptionBuffers), POINTER(c_void_p))),
    "ss_search_free": (None, (c_void_p,)),
    "ss_search_add_card": (c_int32, (c_void_p, POINTER(c_int32))),
    "ss_search_resume": (c_int32, (c_void_p, POINTER(c_int64), c_int64)),
    "ss_search_run": (c_int32, (c_void_p, POINTER(OutcomeBuffers))),
    "ss_search_card": (c_int32, (c_void_p, c_int64, POINTER(c_int32), POINTER(c_double))),
    "ss_search_bounds": (c_int32, (c_void_p, POINTER(c_double))),
    "ss_search_state": (c_int32, (c_void_p, POINTER(c_int64))),
}

_REMEDY = (
    "run `make`, or `pip install .` in the checkout: it builds the core with the system's C++ compiler, "
    "or with ziglang where there is none"
)


@cache
def library() -> ctypes.CDLL:
    """The compiled core, loaded once, its signatures declared; SUPERSPARSE_CORE names another build, to test it."""
    suffix = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    path = os.environ.get("SUPERSPARSE_CORE") or Path(__file__).with_name(f"libsupersparse_core.{suffix}")
    try:
        core = ctypes.CDLL(str(path))
    except OSError as error:
        raise SolverNotInstalledError(f"the compiled core could not be loaded ({error})", _REMEDY) from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(core, name, None)
        if function is None:
            raise SolverNotInstalledError(f"the compiled core lacks {name}: it is an older build", _REMEDY)
        function.restype, function.argtypes = result, arguments
    if core.ss_interface() != INTERFACE:
        raise SolverNotInstalledError(
            f"the compiled core has interface {core.ss_interface()}, this version needs {INTERFACE}", _REMEDY
        )
    return core


def call(name: str, *arguments: Any) -> None:
    """Call a function of the core that returns a status; anything but success is one of our errors."""
    core = library()
    status = getattr(core, name)(*arguments)
    if status == 0:
        return
    message = core.ss_message().decode()
    if status == 1:
        raise ValueError(message)
    if status == 2:
        raise TooLargeError(f"the compiled core ran out of memory ({name})")
    raise SolverFailedError(f"the compiled core failed in {name}: {message}")


_ARRAY = get_origin(NDArray[np.int64])
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])
_Value = TypeVar("_Value")


def kernel(declared: _Kernel) -> _Kernel:
    """Turn a function without a body into a call of the C function of its name, by its annotations.

    Arrays go as views, named tuples of arrays and numbers as structs of the same fields, whole numbers and flags as
    64 bits, floats as doubles; the kernel's own last parameter is the address of its answer, a whole number (``int``,
    ``bool``, or ``None`` where there is no answer). A ``float``, or the second of two whole numbers, is the one entry
    of an array before it. An array of another dtype, or with gaps, is a TypeError.
    """
    hints = get_type_hints(declared)
    answered = hints.pop("return")
    further = {float: np.dtype(np.float64), tuple[int, int]: np.dtype(np.int64)}.get(answered)
    converters = tuple(_converter(hint) for hint in hints.values())
    name = f"ss_{declared.__name__.removeprefix('_')}"

    @wraps(declared)
    def called(*arguments: Any) -> Any:
        answer = c_int64()
        given = [convert(one) for convert, one in zip(converters, arguments, strict=True)]
        if further is None:
            call(name, *given, byref(answer))
            return None if answered is NoneType else answered(answer.value)
        entry = np.empty(1, further)
        call(name, *given, byref(_view(further, entry)), byref(answer))
        return entry.item() if answered is float else (answer.value, entry.item())

    return cast(_Kernel, called)


def struct(value: _Value) -> _Value:
    """A named tuple of arrays and numbers as its C struct, to stand in its place where kernels are called often."""
    made = _filled(value)
    made.kept = value  # the arrays live as long as their addresses
    return cast(_Value, made)


def zeros(kind: type[_Value], sizes: Mapping[str, int], **others: Any) -> _Value:
    """A named tuple of arrays of zeros, of the shapes that its annotations declare, and of the `others` as they are.

    ``low: Annotated[Ints, 2, "rows"]`` has two rows of ``sizes["rows"]``.
    """
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name not in others:
            array, *shape = get_args(hint)
            others[name] = np.zeros([sizes[one] if isinstance(one, str) else one for one in shape], _element(array))
    return kind(**others)


def _filled(value: Any) -> Any:
    kind: Any = type(value)
    layout = _layout(kind, _dimensions(value))
    return layout.kind(*[convert(item) for convert, item in zip(layout.converters, value, strict=True)])


def _dimensions(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_dimensions(item) for item in value)
    return getattr(value, "ndim", 0)


class _Layout(NamedTuple):
    kind: type[Structure]
    converters: tuple[Callable[[Any], Any], ...]


@cache
def _layout(of: type, dimensions: tuple[Any, ...]) -> _Layout:
    fields: list[tuple[str, Any]] = []
    converters: list[Callable[[Any], Any]] = []
    for (name, hint), shape in zip(get_type_hints(of).items(), dimensions, strict=True):
        element = _element(hint)
        if element is not None:
            fields.append((name, _view_kind(shape)))
            converters.append(partial(_view, element))
        elif isinstance(shape, tuple):
            fields.append((name, _layout(hint, shape).kind))
            converters.append(_filled)
        else:
            fields.append((name, c_double if hint is float else c_int64))
            converters.append(float if hint is float else index)
    return _Layout(type(of.__name__, (Structure,), {"_fields_": fields}), tuple(converters))


def _converter(hint: Any) -> Callable[[Any], Any]:
    element = _element(hint)
    if element is not None:
        return lambda array: byref(_view(element, array))
    if hint is float:
        return c_double
    if hint in (int, bool):
        return lambda number: c_int64(index(number))
    return lambda value: byref(value if isinstance(value, Structure) else struct(value))


def _element(hint: Any) -> np.dtype[Any] | None:
    """The dtype of an annotation like ``NDArray[np.int64]``; None if it is not an array."""
    if get_origin(hint) is not _ARRAY:
        return None
    of = get_args(hint)[-1]  # np.dtype[np.int64], or np.int64 where NDArray is an alias of its own (numpy 2.5)
    scalar: type[np.generic] = (get_args(of) or (of,))[0]
    return np.dtype(scalar)


@cache
def _view_kind(ndim: int) -> type[Structure]:
    sizes = [(f"size_{k}", c_int64) for k in range(ndim)]
    return type(f"View{ndim}", (Structure,), {"_fields_": [("data", c_void_p), *sizes]})


_first_byte: Callable[[Any], c_char] = c_char.from_buffer


def _view(element: np.dtype[Any], array: np.ndarray[Any, Any]) -> Structure:
    if array.dtype != element or not array.flags.c_contiguous:
        raise TypeError(f"the core expects a contiguous array of {element}, not {array.dtype} of {array.strides}")
    try:
        address = addressof(_first_byte(array))  # a third of the time of what follows
    except (TypeError, ValueError):  # read only, or empty
        address = array.__array_interface__["data"][0]
    return _view_kind(array.ndim)(address, *array.shape)


_POINTERS: dict[np.dtype[Any], Any] = {
    np.dtype(np.uint8): c_uint8,
    np.dtype(np.int32): c_int32,
    np.dtype(np.int64): c_int64,
    np.dtype(np.uint64): c_uint64,
    np.dtype(np.float64): c_double,
}


def pointer(array: np.ndarray[Any, Any], dtype: Any, shape: tuple[int, ...]) -> Any:
    """The address of a contiguous array of exactly this dtype and shape; it must outlive the call."""
    if array.dtype != np.dtype(dtype) or array.shape != shape or not array.flags.c_contiguous:
        raise TypeError(
            f"the core expects a contiguous array of {np.dtype(dtype)} with shape {shape}, "
            f"not {array.dtype} with shape {array.shape}"
        )
    return array.ctypes.data_as(POINTER(_POINTERS[array.dtype]))


def loops() -> str:
    """The version of the loops over rows that runs here: ``baseline``, ``avx2`` or ``avx512``."""
    return str(library().ss_loops().decode())


def choose_loops(name: str) -> None:
    """Run this version of the loops (``best``: the fastest that this machine has); all give the same bits."""
    call("ss_choose_loops", name.encode())

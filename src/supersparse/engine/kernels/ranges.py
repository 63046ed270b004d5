"""Ranges in few instructions.

Numba counts the turns of a loop over any `range` in four branches, fifty instructions for LLVM to reduce to
one where the step is 1. Here there are no branches, and a step of 0, which numba refuses, counts as 1.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from supersparse.engine.kernels.references import struct_of


def range_code(context: Any, function: Any, signature: Any) -> Callable[..., Any] | None:
    """Give what writes the code of a range of signed numbers or of its iterator; None if it is neither."""
    name = getattr(function, "typing_key", function)
    made = signature.args[0] if name == "getiter" else signature.return_type
    if (name is not range and name != "getiter") or not isinstance(made, types.RangeType):
        return None
    if not made.dtype.signed or any(own != made.dtype for own in signature.args if own != made):
        return None
    return partial(_range if name is range else _iterator, context, signature)


def _range(context: Any, signature: Any, builder: Any, given: Any, loc: Any = None) -> Any:
    kind = context.get_value_type(signature.return_type.dtype)
    start = ir.Constant(kind, 0) if len(given) == 1 else given[0]
    stop = given[min(len(given) - 1, 1)]
    step = ir.Constant(kind, 1) if len(given) < 3 else given[2]
    parts = {("start",): start, ("stop",): stop, ("step",): step}
    return struct_of(context, builder, signature.return_type, parts)


def _iterator(context: Any, signature: Any, builder: Any, given: Any, loc: Any = None) -> Any:
    fields = context.data_model_manager[signature.args[0]]
    start, stop, step = (
        builder.extract_value(given[0], fields.get_field_position(name)) for name in ("start", "stop", "step")
    )
    zero, one = ir.Constant(start.type, 0), ir.Constant(start.type, 1)
    is_down = builder.icmp_signed("<", step, zero)
    size = builder.select(is_down, builder.neg(step), step)
    size = builder.select(builder.icmp_signed("==", size, zero), one, size)
    first, last = builder.select(is_down, stop, start), builder.select(is_down, start, stop)
    steps = builder.udiv(builder.sub(builder.sub(last, first), one), size)
    turns = builder.select(builder.icmp_signed("<", first, last), builder.add(steps, one), zero)
    place, count = cgutils.alloca_once_value(builder, start), cgutils.alloca_once_value(builder, turns)
    parts = {("iter",): place, ("stop",): stop, ("step",): step, ("count",): count}
    return struct_of(context, builder, signature.return_type, parts)

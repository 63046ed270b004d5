"""Elements of arrays in few instructions.

Numba takes `a[i]` for any view of any array, thirty instructions for LLVM to reduce to five. Here only
numbers in arrays in order of their rows are read or written, at whole numbers; all else is left to numba.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numba import types
from numba.core.base import BaseContext

_read, _write = BaseContext.unpack_value, BaseContext.pack_value
_NUMBERS = (types.Number, types.Boolean)


def element_code(context: Any, function: Any, signature: Any) -> Callable[..., Any] | None:
    """Give what writes the code for an element that is read or written; None if it is something else."""
    name = getattr(function, "typing_key", function)
    if name is not operator.getitem and name is not operator.setitem:
        return None
    kind, index, *value = signature.args
    if type(kind) is not types.Array or kind.layout != "C" or context.enable_boundscheck:
        return None
    indices = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    are_whole = len(indices) == kind.ndim and all(isinstance(each, types.Integer) for each in indices)
    if not (are_whole and all(isinstance(each, _NUMBERS) for each in (kind.dtype, *value))):
        return None
    return partial(_store if value else _load, context, signature, indices)


def _load(
    context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None
) -> Any:
    kind = signature.args[0]
    address = _address(context, builder, signature, indices, given)
    return _read(context, builder, kind.dtype, address, align=_alignment(kind))


def _store(
    context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None
) -> None:
    kind, _, own = signature.args
    value = context.cast(builder, given[2], own, kind.dtype)
    address = _address(context, builder, signature, indices, given)
    _write(context, builder, kind.dtype, value, address, align=_alignment(kind))


def _alignment(kind: Any) -> int | None:
    return None if kind.aligned else 1


def _address(context: Any, builder: Any, signature: Any, indices: Sequence[Any], given: Any) -> Any:
    """Where an element is."""
    array, index = given[:2]
    kind, own = signature.args[:2]
    fields = context.data_model_manager[kind]
    shape, place = fields.get_field_position("shape"), None
    for axis, each in enumerate(indices):
        at = builder.extract_value(index, axis) if isinstance(own, types.BaseTuple) else index
        length = builder.extract_value(array, [shape, axis])
        at = _from_the_start(context, builder, each, at, length)
        place = at if place is None else builder.add(builder.mul(place, length), at)
    return builder.gep(builder.extract_value(array, fields.get_field_position("data")), [place])


def _from_the_start(context: Any, builder: Any, kind: Any, index: Any, length: Any) -> Any:
    """An index along an axis; one below 0 counts from the end."""
    if not kind.signed:
        return context.cast(builder, index, kind, types.uintp)
    whole = context.cast(builder, index, kind, types.intp)
    is_negative = builder.icmp_signed("<", whole, whole.type(0))
    return builder.select(is_negative, builder.add(whole, length), whole)

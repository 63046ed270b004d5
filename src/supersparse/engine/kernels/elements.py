"""Elements and rows of arrays in few instructions.

Numba takes `a[i]` for any view of any array, thirty instructions for LLVM to reduce to five. Here only
numbers in arrays in order of their rows are read or written, at whole numbers, and rows of such tables; all
else is left to numba.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numba import types
from numba.core.base import BaseContext
from numba.core.imputils import impl_ret_borrowed

from supersparse.engine.kernels.references import struct_of

_read, _write = BaseContext.unpack_value, BaseContext.pack_value
_NUMBERS = (types.Number, types.Boolean)


def element_code(context: Any, function: Any, signature: Any) -> Callable[..., Any] | None:
    """Give what writes the code for an element or a row; None if it is something else."""
    name = getattr(function, "typing_key", function)
    if name is not operator.getitem and name is not operator.setitem:
        return None
    kind, index, *value = signature.args
    if type(kind) is not types.Array or kind.layout != "C" or context.enable_boundscheck:
        return None
    indices = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    are_whole = all(isinstance(each, types.Integer) for each in indices)
    if not (are_whole and all(isinstance(each, _NUMBERS) for each in (kind.dtype, *value))):
        return None
    if len(indices) == kind.ndim:
        return partial(_store if value else _load, context, signature, indices)
    if len(indices) == 1 and kind.ndim == 2 and not value:
        return partial(_row, context, signature, indices)
    return None


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


def _row(
    context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None
) -> Any:
    """A row of a table, which belongs to whom the table belongs to."""
    array, kind = given[0], signature.args[0]
    fields = context.data_model_manager[kind]
    length = builder.extract_value(array, [fields.get_field_position("shape"), 1])
    first = _index(context, builder, signature, indices, given, 0)
    data = builder.extract_value(array, fields.get_field_position("data"))
    width = builder.extract_value(array, fields.get_field_position("itemsize"))
    parts: dict[Any, Any] = {
        ("data",): builder.gep(data, [builder.mul(first, length)]),
        ("itemsize",): width,
        ("nitems",): length,
        ("shape", 0): length,
        ("strides", 0): width,
    }
    for name in ("meminfo", "parent"):
        parts[name,] = builder.extract_value(array, fields.get_field_position(name))
    row = struct_of(context, builder, signature.return_type, parts)
    return impl_ret_borrowed(context, builder, signature.return_type, row)


def _alignment(kind: Any) -> int | None:
    return None if kind.aligned else 1


def _address(context: Any, builder: Any, signature: Any, indices: Sequence[Any], given: Any) -> Any:
    """Where an element is."""
    array, fields = given[0], context.data_model_manager[signature.args[0]]
    shape, place = fields.get_field_position("shape"), None
    for axis in range(len(indices)):
        at = _index(context, builder, signature, indices, given, axis)
        if place is not None:
            at = builder.add(builder.mul(place, builder.extract_value(array, [shape, axis])), at)
        place = at
    return builder.gep(builder.extract_value(array, fields.get_field_position("data")), [place])


def _index(context: Any, builder: Any, signature: Any, indices: Sequence[Any], given: Any, axis: int) -> Any:
    """An index along an axis; one below 0 counts from the end."""
    array, index = given[:2]
    if isinstance(signature.args[1], types.BaseTuple):
        index = builder.extract_value(index, axis)
    kind = indices[axis]
    if not kind.signed:
        return context.cast(builder, index, kind, types.uintp)
    whole = context.cast(builder, index, kind, types.intp)
    shape = context.data_model_manager[signature.args[0]].get_field_position("shape")
    length = builder.extract_value(array, [shape, axis])
    is_negative = builder.icmp_signed("<", whole, whole.type(0))
    return builder.select(is_negative, builder.add(whole, length), whole)

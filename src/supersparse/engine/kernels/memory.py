"""How kernels reach tuples of arrays, elements of arrays, and the numbers of a range, in few instructions.

Numba passes a tuple's arrays as seven numbers or more each, at every call: hundreds for what the kernels of
a goal share, which take longer to compile than the work itself. A tuple that is declared here arrives
from Python as before, is kept in the frame of the kernel that was called, and its address is passed on. What
it refers to lasts as long as that call, so its arrays are not counted; kernels must not return them to
Python, and cannot make such a tuple themselves.

Numba takes `a[i]` for any view of any array, thirty instructions for LLVM to reduce to five. Here only
numbers in arrays in order of their rows are read or written, at whole numbers, and rows of such tables; all
else is left to numba. It counts the turns of a loop over any `range` in four branches, fifty instructions for
LLVM to reduce to one where the step is 1. Here there are no branches, and a step of 0, which numba refuses,
counts as 1.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

_Class = TypeVar("_Class", bound=type)


class Reference(types.Type):
    """The address of a named tuple."""

    def __init__(self, of: types.BaseTuple) -> None:
        self.of = of
        super().__init__(name=f"Reference({of.name})")


def by_reference(kind: _Class) -> _Class:
    """Declare a class of named tuples that are passed on by their address."""

    @typeof_impl.register(kind)
    def _type_of(value: Any, context: Any) -> Reference:
        return Reference(types.BaseTuple.from_types([typeof_impl(own, context) for own in value], kind))

    return kind


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Reference) -> None:
        super().__init__(manager, of, manager.lookup(of.of).get_value_type().as_pointer())


@unbox(Reference)
def _unbox(kind: Reference, given: Any, c: Any) -> NativeValue:
    native = c.unbox(kind.of, given)
    place = cgutils.alloca_once_value(c.builder, native.value)
    return NativeValue(place, is_error=native.is_error, cleanup=native.cleanup)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, kind: Reference, name: str) -> Any:
        return kind.of[kind.of.fields.index(name)] if name in kind.of.fields else None


@lower_getattr_generic(Reference)
def _field(context: Any, builder: Any, kind: Reference, address: Any, name: str) -> Any:
    index = kind.of.fields.index(name)
    own = kind.of[index]
    place = cgutils.gep_inbounds(builder, address, 0, index)
    return _array(context, builder, own, place) if isinstance(own, types.Array) else _load(builder, place)


def _load(builder: Any, place: Any) -> Any:
    """Load what does not change while a kernel runs, so that loops need to do it once."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _array(context: Any, builder: Any, kind: types.Array, place: Any) -> Any:
    """An array without an owner, from its address and shape: in order of its rows, the rest follows."""
    names, word = list(context.data_model_manager[kind]._fields), ir.IntType(64)

    def part(name: str, *at: int) -> Any:
        return _load(builder, cgutils.gep_inbounds(builder, place, 0, names.index(name), *at))

    width = ir.Constant(word, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    parts = {("data",): part("data"), ("itemsize",): width}
    items = ir.Constant(word, 1)
    for axis in reversed(range(kind.ndim)):
        length = part("shape", axis)
        is_last = axis == kind.ndim - 1
        parts["shape", axis] = length
        parts["strides", axis] = (
            (width if is_last else builder.mul(items, width)) if kind.layout == "C" else part("strides", axis)
        )
        items = length if is_last else builder.mul(items, length)
    parts["nitems",] = items
    return struct_of(context, builder, kind, parts)


def struct_of(context: Any, builder: Any, kind: Any, parts: dict[Any, Any]) -> Any:
    """Put a struct together from its parts, by name and, where a part is a tuple, place; others are 0."""
    fields = context.data_model_manager[kind]
    value = ir.Constant(context.get_value_type(kind), None)
    for (name, *at), part in parts.items():
        value = builder.insert_value(value, part, [fields.get_field_position(name), *at])
    return value


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
        return partial(_store if value else _load_element, context, signature, indices)
    if len(indices) == 1 and kind.ndim == 2 and not value:
        return partial(_row, context, signature, indices)
    return None


def _load_element(
    context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None
) -> Any:
    kind = signature.args[0]
    address = _address(context, builder, signature, indices, given)
    return _read(context, builder, kind.dtype, address, align=_alignment(kind))


def _store(context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None) -> None:
    kind, _, own = signature.args
    value = context.cast(builder, given[2], own, kind.dtype)
    address = _address(context, builder, signature, indices, given)
    _write(context, builder, kind.dtype, value, address, align=_alignment(kind))


def _row(context: Any, signature: Any, indices: Sequence[Any], builder: Any, given: Any, loc: Any = None) -> Any:
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

"""Tuples of arrays that kernels pass on as one address.

Numba passes a tuple's arrays as seven numbers or more each, at every call: hundreds for what the kernels of
a goal share, which take longer to compile than the work itself. A tuple that is declared here arrives
from Python as before, is kept in the frame of the kernel that was called, and its address is passed on. What
it refers to lasts as long as that call, so its arrays are not counted; kernels must not return them to
Python, and cannot make such a tuple themselves.
"""

from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.core import cgutils
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

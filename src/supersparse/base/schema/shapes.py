"""Forms: how one kind of value is read, written and described; and forms made of others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic

from supersparse.base.schema.scalars import NOTHING, Form, Nothing, Plain, Schema, T, TextForm, suggest
from supersparse.base.schema.tree import ByName, FileMapping, FileNode, Items, scalar_text


class ListOf(Form[tuple[T, ...]], Generic[T]):
    def __init__(self, form: Form[T], wanted: str, *, least: int = 0, widget: str = "text") -> None:
        self.form, self.wanted, self.least, self.widget = form, wanted, least, widget

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Items)

    def read(self, node: FileNode, what: str) -> tuple[T, ...]:
        if not isinstance(node, Items) or len(node.items) < self.least:
            self.refuse(node, what)
        return tuple(self.form.read(item, f"{what}, entry {i}") for i, item in enumerate(node.items, start=1))

    def convert(self, value: object) -> tuple[T, ...] | Nothing:
        """Every value of anything with values but no names."""
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return NOTHING
        converted = tuple(map(self.form.convert, value))
        return NOTHING if len(converted) < self.least or NOTHING in converted else converted  # type: ignore[return-value]

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple)

    def write(self, value: tuple[T, ...]) -> Plain:
        return [self.form.write(item) for item in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.form.schema(), **({"minItems": self.least} if self.least else {})}


class NamesForm(Form[tuple[str, ...]]):
    """Features by name or pattern: one, or a list."""

    def __init__(
        self, wanted: str = "a feature's name, a pattern such as age*, or a list of them", *, widget: str = "questions"
    ) -> None:
        self.wanted, self.widget = wanted, widget
        self._one = TextForm()
        self._list = ListOf(self._one, self.wanted, least=1)

    def fits(self, node: FileNode) -> bool:
        return self._one.fits(node) or self._list.fits(node)

    def read(self, node: FileNode, what: str) -> tuple[str, ...]:
        """The names, one as a list of one."""
        if self._list.fits(node):
            return self._list.read(node, what)
        if not self._one.fits(node):
            self.refuse(node, what)
        return (self._one.read(node, what),)

    def convert(self, value: object) -> tuple[str, ...] | Nothing:
        return (value,) if isinstance(value, str) else self._list.convert(value)

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple)

    def write(self, value: tuple[str, ...]) -> Plain:
        return value[0] if len(value) == 1 else list(value)

    def schema(self) -> Schema:
        return {"anyOf": [self._one.schema(), self._list.schema()]}


class Pair(Form[tuple[Any, Any]]):
    """Two numbers, the lower first; an end may be open where the form of the ends allows it."""

    widget = "range"

    def __init__(self, end: Form[Any], wanted: str) -> None:
        self.end, self.wanted = end, wanted

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Items)

    def read(self, node: FileNode, what: str) -> tuple[Any, Any]:
        if not isinstance(node, Items) or len(node.items) != 2:
            self.refuse(node, what)
        low, high = (self.end.read(item, f"an end of {what}") for item in node.items)
        if isinstance(low, Fraction) and isinstance(high, Fraction) and high < low:
            node.fail(f"{what} ends at {node.items[1].shown}, below its start {node.items[0].shown}", "swap them")
        return low, high

    def convert(self, value: object) -> tuple[Any, Any] | Nothing:
        ends: list[Any] = [self.end.convert(end) for end in value] if isinstance(value, list | tuple) else []
        if len(ends) != 2 or NOTHING in ends or (None not in ends and ends[1] < ends[0]):
            return NOTHING
        return ends[0], ends[1]

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple)

    def write(self, value: tuple[Any, Any]) -> Plain:
        return [self.end.write(end) for end in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.end.schema(), "minItems": 2, "maxItems": 2}


class TableOf(Form[ByName[T]], Generic[T]):
    """Values by feature name or pattern, by class, or by whatever else has names."""

    def __init__(self, form: Form[T], wanted: str, *, widget: str | None = None) -> None:
        self.form, self.wanted = form, wanted
        self.widget = widget or ("by column" if isinstance(form, NamesForm) else "by question")

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, FileMapping)

    def read(self, node: FileNode, what: str) -> ByName[T]:
        if not isinstance(node, FileMapping) or not node.entries:
            self.refuse(node, what)
        return ByName(
            tuple((key.text, self.form.read(value, f"{what} of {key.text!r}")) for key, value in node.entries)
        )

    def convert(self, value: object) -> ByName[T] | Nothing:
        if not isinstance(value, Mapping) or not value:
            return NOTHING
        converted = [
            (key if isinstance(key, str) else scalar_text(key), self.form.convert(one)) for key, one in value.items()
        ]
        return NOTHING if any(n is None or v is NOTHING for n, v in converted) else ByName(tuple(converted))  # type: ignore[arg-type]

    def holds(self, value: object) -> bool:
        return isinstance(value, ByName)

    def write(self, value: ByName[T]) -> Plain:
        return {name: self.form.write(v) for name, v in value.entries}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.form.schema(), "minProperties": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key of a record."""

    form: Form[Any]
    help: str
    required: bool = False


class Record(Form[ByName[Any]]):
    """A mapping of fixed keys, each with a form of its own."""

    wanted = "a mapping"

    def __init__(
        self,
        fields: Mapping[str, Field],
        *,
        synonyms: Mapping[str, str] | None = None,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        """`elsewhere` says of keys that belong to another place where that is."""
        self.fields = fields
        self._synonyms, self._elsewhere = synonyms, elsewhere or {}

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, FileMapping)

    def read(self, node: FileNode, what: str) -> ByName[Any]:
        if not isinstance(node, FileMapping):
            self.refuse(node, what)
        values: dict[str, Any] = {}
        for key, value in node.entries:
            name = key.text
            if name not in self.fields:
                hint = self._elsewhere.get(name) or suggest(name, list(self.fields), self._synonyms)
                key.fail(f"unknown key {name!r} in {what}", hint, subject=name)
            values[name] = self.fields[name].form.read(value, name)
        for name in self.required:
            if name not in values:
                node.fail(f"{what} lacks {name!r}", f"add it: {self.fields[name].help}", subject=what)
        return ByName(tuple((name, values[name]) for name in self.fields if name in values))

    def convert(self, value: object) -> ByName[Any] | Nothing:
        if not isinstance(value, Mapping) or not set(self.required) <= set(value) <= set(self.fields):
            return NOTHING
        converted = {name: f.form.convert(value[name]) for name, f in self.fields.items() if name in value}
        return NOTHING if NOTHING in converted.values() else ByName(tuple(converted.items()))

    @property
    def required(self) -> Sequence[str]:
        return [name for name, field in self.fields.items() if field.required]

    def holds(self, value: object) -> bool:
        return isinstance(value, ByName)

    def write(self, value: Mapping[str, Any]) -> dict[str, Plain]:
        return {name: field.form.write(value[name]) for name, field in self.fields.items() if name in value}

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {
                name: {"description": field.help, **field.form.schema()} for name, field in self.fields.items()
            },
            **({"required": list(self.required)} if self.required else {}),
            "additionalProperties": False,
        }

"""How the file of a card is declared: kinds of values, and objects made of entries.

From one entry come its reading, strictly and with the place in messages, its writing, and its JSON Schema.
Entries that came with a later version of the format are unknown in an earlier file.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from typing import Any, Never

from supersparse.base.errors import InvalidCardError, did_you_mean
from supersparse.base.exact import shown
from supersparse.table.values import Category

Schema = dict[str, Any]

# so short that whatever is read can be written and read again, as a fraction too
_EXACT = r"-?([0-9]{1,2000}/(?=0*[1-9])[0-9]{1,2000}|[0-9]{1,1000}\.[0-9]{1,999})"
_EXACT_TEXT = re.compile(_EXACT, re.ASCII)
_LONGEST = 60  # of a value in a message


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands, for messages, and in which version of the format."""

    where: str
    version: int

    def inside(self, where: str) -> "Place":
        """Return the place of an object within."""
        return Place(where, self.version)


class Kind(ABC):
    """One kind of value in JSON; `wanted` ends the sentence "it must be ..." in messages."""

    wanted: str
    is_object = False

    @abstractmethod
    def read(self, value: Any, name: str, place: Place) -> Any:
        """Return the value, or refuse it."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """Return what reads back as the same value."""

    @abstractmethod
    def schema(self) -> Schema:
        """The JSON Schema of what is written."""

    def refuse(self, value: Any, name: str, place: Place) -> Never:
        """Say what is wrong with a value and what would be right."""
        shown = repr(value)
        if len(shown) > _LONGEST:
            shown = shown[: _LONGEST - 3] + "..."
        raise InvalidCardError(
            f"{name!r} of {place.where} is {shown}", f"it must be {self.wanted}", subject=name, value=value
        )


REFUSED = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Single(Kind):
    """A single value: `take` returns it, or `REFUSED`; `defined` is its name among the definitions."""

    wanted: str
    take: Callable[[Any], Any]
    json: Schema
    put: Callable[[Any], Any] = lambda value: value
    defined: str | None = None

    def read(self, value: Any, name: str, place: Place) -> Any:
        result = self.take(value)
        return self.refuse(value, name, place) if result is REFUSED else result

    def write(self, value: Any) -> Any:
        return self.put(value)

    def schema(self) -> Schema:
        return self.json if self.defined is None else {"$ref": f"#/$defs/{self.defined}"}


def of_type(wanted: str, type_: type, **schema: Any) -> Single:
    """A value of one type of Python; true is not a number."""

    def take(value: Any) -> Any:
        return value if isinstance(value, type_) and (type_ is bool or not isinstance(value, bool)) else REFUSED

    return Single(wanted=wanted, take=take, json=schema)


@dataclass(frozen=True, slots=True)
class Word(Kind):
    """One of some words; before version 3 of the format there were fewer."""

    known: tuple[str, ...]
    before: tuple[str, ...] | None = None

    def read(self, value: Any, name: str, place: Place) -> Any:
        known = self.known if self.before is None or place.version > 2 else self.before
        return value if isinstance(value, str) and value in known else Word(known).refuse(value, name, place)

    @property
    def wanted(self) -> str:  # type: ignore[override]
        return " or ".join(map(repr, self.known))

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.known)}


def exact_number(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT_TEXT.fullmatch(value) else REFUSED


def number(value: Fraction) -> int | str:
    """Write an exact number: an integer, or a decimal or fraction in quotes."""
    return value.numerator if value.denominator == 1 else shown(value)


def _finite(value: Any) -> Any:
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:  # an integer beyond all floats
            pass
    return REFUSED


def _category(value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    return exact_number(value["number"] if isinstance(value, dict) and list(value) == ["number"] else value)


def _put_category(value: Category) -> Any:
    if isinstance(value, str | bool):
        return value
    return value.numerator if value.denominator == 1 else {"number": shown(value)}


TEXT = of_type("text", str, type="string")
SOME_TEXT = of_type("text", str, type="string", minLength=1)
WHOLE = of_type("a whole number", int, type="integer")
COUNT = of_type("a whole number", int, type="integer", minimum=0)
TRUTH = of_type("true or false", bool, type="boolean")
HEXADECIMAL = of_type("text", str, type="string", pattern="^[0-9a-f]{64}$")  # of a sha256
ANY_OBJECT = of_type("an object", dict, type="object")
NUMBER = Single(
    wanted='an integer, or a decimal or fraction in quotes, such as "2.5" or "1/3"',
    take=exact_number,
    put=number,
    json={
        "description": "An exact number: an integer, or a decimal or fraction in quotes.",
        "anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^{_EXACT}$"}],
    },
    defined="number",
)
CATEGORY = Single(
    wanted='a list of strings, true, false, integers, or decimals such as {"number": "2.5"}',
    take=_category,
    put=_put_category,
    json={
        "description": "Text, true, false, an integer, or another exact number. Text is never a number.",
        "anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "boolean"},
            {"type": "integer"},
            {
                "type": "object",
                "properties": {"number": {"$ref": "#/$defs/number"}},
                "required": ["number"],
                "additionalProperties": False,
            },
        ],
    },
    defined="category",
)
MISSING = Single(
    wanted=NUMBER.wanted,
    take=lambda value: None if value == "refuse" else exact_number(value),
    put=lambda value: value if value == "refuse" else number(value),
    json={
        "description": "Refuse a missing value, or the points that it gives.",
        "anyOf": [{"const": "refuse"}, NUMBER.schema(), {"type": "null"}],
    },
    defined="missing",
)
LABEL = Single(
    wanted="text or a number",
    take=lambda value: value if isinstance(value, str | int | float) else REFUSED,
    json={"type": ["string", "number", "boolean"]},
    defined="label",
)


def real(**limits: float) -> Single:
    """A finite number that need not be exact; the limits are checked by what it becomes a part of."""
    return Single(wanted="a finite number", take=_finite, put=float, json={"type": "number", **limits})


_PLURALS = {"text": "a list of strings", "an object": "a list of objects"}


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    kind: Kind
    least: int = 0

    @property
    def wanted(self) -> str:  # type: ignore[override]
        return _PLURALS.get(self.kind.wanted, "a list")

    def read(self, value: Any, name: str, place: Place) -> tuple[Any, ...]:
        fits = {"a list of strings": str, "a list of objects": dict}.get(self.wanted, object)
        if not isinstance(value, list) or not all(isinstance(one, fits) for one in value):
            self.refuse(value, name, place)
        if not self.kind.is_object:
            return tuple(self.kind.read(one, name, place) for one in value)
        places = [place.inside(f"entry {i} of {name!r}") for i in range(1, len(value) + 1)]
        return tuple(map(self.kind.read_at, value, places))  # type: ignore[attr-defined]

    def write(self, value: Any) -> list[Any]:
        return [self.kind.write(one) for one in value]

    def schema(self) -> Schema:
        least = {"minItems": self.least} if self.least else {}
        return {"type": "array", **least, "items": self.kind.schema()}


@dataclass(frozen=True, slots=True)
class MapOf(Kind):
    """Values of one kind by any name."""

    kind: Kind

    @property
    def wanted(self) -> str:  # type: ignore[override]
        return "an object of objects" if self.kind.is_object else "an object of strings"

    def read(self, value: Any, name: str, place: Place) -> dict[str, Any]:
        fits = dict if self.kind.is_object else str
        if not isinstance(value, dict) or not all(isinstance(one, fits) for one in value.values()):
            self.refuse(value, name, place)
        if not self.kind.is_object:
            return {key: self.kind.read(one, key, place.inside(repr(name))) for key, one in value.items()}
        places = {key: place.inside(f"entry {key!r} of {name!r}") for key in value}
        return {key: self.kind.read_at(one, places[key]) for key, one in value.items()}  # type: ignore[attr-defined]

    def write(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.kind.write(one) for key, one in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.kind.schema()}


_REQUIRED = object()
_STILL = 99  # the last version of an entry that is still there


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an object: its name and kind, its name in Python, and how Python gets it from the object.

    One with a default may be left out or null. It is written where it differs from the default, or `always`.
    """

    name: str
    kind: Kind
    default: Any = _REQUIRED
    help: str | None = None
    key: str | None = None
    get: Callable[[Any], Any] | None = None
    always: bool | Callable[[Any], bool] = False
    since: int = 1
    until: int = _STILL

    @property
    def attribute(self) -> str:
        return self.key or self.name

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED

    def write(self, value: Any) -> dict[str, Any]:
        content = getattr(value, self.attribute) if self.get is None else self.get(value)
        always = self.always(value) if callable(self.always) else self.always
        if not (always or self.is_required or content != self.default):
            return {}
        return {self.name: None if content is None else self.kind.write(content)}

    def read(self, content: Mapping[str, Any], place: Place) -> Any:
        if not self.is_required and content.get(self.name) is None:
            return self.default
        if self.name not in content:
            raise InvalidCardError(f"{place.where} lacks {self.name!r}", subject=self.name)
        return self.kind.read(content[self.name], self.name, place)

    def schema(self) -> Schema:
        described = self.kind.schema()
        if not self.is_required:
            known = described["anyOf"] if list(described) == ["anyOf"] else [described]
            described = {"anyOf": [*known, {"type": "null"}]}
        return described if self.help is None else {"description": self.help, **described}


class _Objects(Kind):
    """Objects are read at a place of their own."""

    wanted = "an object"
    is_object = True

    @abstractmethod
    def read_at(self, content: Mapping[str, Any], place: Place) -> Any: ...

    def read(self, value: Any, name: str, place: Place) -> Any:
        if not isinstance(value, dict):
            self.refuse(value, name, place)
        return self.read_at(value, place.inside(repr(name)))


class Object(_Objects):
    """An object of entries: `make` takes their values by their names in Python."""

    def __init__(
        self,
        *entries: Entry,
        make: Callable[..., Any],
        help: str | None = None,
        defined: str | None = None,
        more: Schema | None = None,
    ) -> None:
        """`more` is what the schema says besides the entries."""
        self.entries, self.make, self.help, self.defined, self._more = entries, make, help, defined, more or {}

    @property
    def present(self) -> list[Entry]:
        return [one for one in self.entries if one.until == _STILL]

    def read_at(self, content: Mapping[str, Any], place: Place) -> Any:
        known = [one for one in self.entries if one.since <= place.version <= one.until]
        made = self.make(**{one.attribute: one.read(content, place) for one in known})
        names = [one.name for one in known]
        for name in content:
            if name not in names:
                raise InvalidCardError(
                    f"{place.where} has the unknown entry {name!r}", did_you_mean(name, names), subject=name
                )
        return made

    def write(self, value: Any) -> dict[str, Any]:
        return {name: content for one in self.present for name, content in one.write(value).items()}

    def schema(self) -> Schema:
        return self.definition() if self.defined is None else {"$ref": f"#/$defs/{self.defined}"}

    def definition(self) -> Schema:
        return {
            **({} if self.help is None else {"description": self.help}),
            "type": "object",
            "properties": {one.name: one.schema() for one in self.present},
            "required": [one.name for one in self.present if one.is_required],
            **self._more,
            "additionalProperties": False,
        }


def tuple_of(*entries: Entry) -> Object:
    """An object that is a tuple in Python."""
    return Object(
        *(replace(one, get=itemgetter(i)) for i, one in enumerate(entries)),
        make=lambda **values: tuple(values[one.attribute] for one in entries),
    )


def rows_of(*entries: Entry) -> ListOf:
    """A list of such objects, at least one."""
    return ListOf(tuple_of(*entries), least=1)


class OneOf(_Objects):
    """One of several objects, told apart by one entry, the tag, which `tag` returns for a value in Python."""

    def __init__(self, by: str, tag: Callable[[Any], str], kinds: Mapping[str, Object], first: Collection[str]) -> None:
        """`first` are those of version 1 of the format."""
        self._by, self._tag, self._kinds, self._first = by, tag, kinds, first

    def read_at(self, content: Mapping[str, Any], place: Place) -> Any:
        tag = Entry(self._by, TEXT).read(content, place)
        known = list(self._kinds if place.version > 1 else self._first)
        if tag not in known:
            raise InvalidCardError(
                f"{place.where} has the unknown {self._by} {tag!r}", did_you_mean(tag, known), subject=place.where
            )
        rest = {name: value for name, value in content.items() if name != self._by}
        return self._kinds[tag].read_at(rest, place)

    def write(self, value: Any) -> dict[str, Any]:
        tag = self._tag(value)
        return {self._by: tag, **self._kinds[tag].write(value)}

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self._kinds.values()]}

    def definitions(self) -> dict[str, Schema]:
        defined = {}
        for tag, kind in self._kinds.items():
            schema = kind.definition()
            schema["properties"] = {self._by: {"const": tag}, **schema["properties"]}
            schema["required"] = [self._by, *schema["required"]]
            defined[str(kind.defined)] = schema
        return defined

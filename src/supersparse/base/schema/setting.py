"""A setting: one field of a frozen dataclass, from which everything that can say it is derived.

The field holds the default and the type. `setting` adds the form that reads and checks a value, a line of
help, and how the command line asks for it. Files, their JSON Schema, signatures, options of the command line
and the form of the studio read the declaration; a new setting is a new field, and its effect.
"""

from collections.abc import Callable, Mapping, Sized
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from supersparse.base.schema.scalars import Form
from supersparse.base.schema.shapes import Field

BY_COLUMN, NOWHERE = "by column", "nowhere"  # for the studio: next to each column, or in files only


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """How the command line asks for a setting, where the name, the form and the help do not say it."""

    name: str | None = None
    metavar: str | None = None
    help: str | None = None
    default: str | None = None  # in words
    read: Callable[[str], Any] | None = None  # of one text; a type of Python is the type of the option
    is_read_later: bool = False


def setting(
    default: Any,
    form: Form[Any],
    help: str,
    *,
    option: Option | None = None,
    in_files: bool = True,
    accepts: Any = None,  # noqa: ARG001, stubs have it from the source
    group: str | None = None,
    is_common: bool = False,
    doc: str | None = None,
) -> Any:
    """Declare a setting; with an `option` the command line has it, too.

    `accepts` is the type of what people may give in Python, where the field keeps it in another one. Of
    settings that are not `in_files`, files have another word. `group` is the place in the form of the studio
    (None: that of its class, or `BY_COLUMN` or `NOWHERE`), where settings that are common come first. `doc` describes
    a parameter at length: its type on the first line, then what it means.
    """
    metadata = {
        "field": Field(form=form, help=help),
        "option": option,
        "in_files": in_files,
        "group": group,
        "is_common": is_common,
        "doc": doc,
    }
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def in_python(help: str, *, default: Any = None, accepts: Any = None, doc: str | None = None) -> Any:  # noqa: ARG001
    """Declare a setting that no file can hold."""
    return field(default=default, metadata={"help": help, "doc": doc})


def names_of(declared: type) -> list[str]:
    """Name the settings that a class declares, and files have."""
    return list(fields_of(declared))


def settings_of(declared: type) -> dict[str, Any]:
    """Return the fields that a class declares and files have, by name."""
    return {f.name: f for f in fields(declared) if f.metadata.get("in_files")}


def fields_of(declared: type) -> dict[str, Field]:
    """Return the form and the help of each setting that a class declares, and files have."""
    return {name: f.metadata["field"] for name, f in settings_of(declared).items()}


def options_of(declared: type) -> dict[str, Any]:
    """Return the fields that the command line has, by name."""
    return {f.name: f for f in fields(declared) if f.metadata.get("option") is not None}


def taken(declared: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of Python as the forms of a declaration have them, without those that say nothing.

    None says nothing where it is not a value itself, and neither does an empty mapping or list.
    """
    asked = ((f, values[f.name]) for f in fields(declared) if f.name in values and "field" in f.metadata)
    return {f.name: f.metadata["field"].form.take(value, f.name) for f, value in asked if not _says_nothing(f, value)}


def _says_nothing(one: Any, value: object) -> bool:
    if value is None:
        return not one.metadata["field"].form.holds(None)
    holds_several = one.default is MISSING or one.default == ()
    return holds_several and isinstance(value, Sized) and not isinstance(value, str) and not len(value)

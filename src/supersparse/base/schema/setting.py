"""A setting: one field of a frozen dataclass, from which everything that can say it is derived.

The field holds the default and the type. `setting` adds the form that reads and checks a value, a line of
help, and how the command line asks for it. Files, their JSON Schema, signatures, options of the command line
and the form of the studio read the declaration; a new setting is a new field, and its effect.

At run time `constructor` makes a class whose constructor takes declared settings, and `keywords` the type of a mapping
of them. People, editors and type checkers see both in `keywords.pyi` of the same room, which `make stubs` writes from
the same declarations.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import MISSING, dataclass, field, fields, replace
from inspect import Parameter, Signature, cleandoc, get_annotations, signature
from typing import Any, ClassVar, TypedDict, cast

from supersparse.base.errors import UnknownParameterError, did_you_mean
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
    flag: bool | None = None  # what an option says that takes no value
    is_file: bool = False  # to be read, so it must be there


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """A setting as a keyword: its default, its line of help or more, and the class that declares it."""

    name: str
    default: Any
    help: str
    declared: type
    doc: str | None = None

    @property
    def parameter(self) -> Parameter:
        """The keyword in a signature that people read."""
        return Parameter(self.name, Parameter.KEYWORD_ONLY, default=self.default)

    @property
    def description(self) -> str:
        """The entry under the parameters in a docstring."""
        if self.doc is None:
            return f"{self.name}\n    {self.help}\n"
        type_, *text = self.doc.splitlines()
        default = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        lines = [f"    {line.strip()}\n" for line in text]
        return f"{self.name} : {type_}, default={default}\n{''.join(lines)}"


def keywords_of(declared: type, *names: str, without: Sequence[str] = (), **defaults: Any) -> list[Keyword]:
    """Return the settings that a class declares as keywords: those that are named, or all but some.

    `defaults` stand in place of those that are declared.
    """
    by_name = {
        f.name: Keyword(
            name=f.name,
            default=defaults.get(f.name, {} if f.default is MISSING else f.default),
            help=f.metadata["help"] if "help" in f.metadata else f.metadata["field"].help,
            declared=next(one for one in reversed(declared.__mro__) if f.name in get_annotations(one)),
            doc=f.metadata["doc"],
        )
        for f in fields(declared)
        if "help" in f.metadata or "field" in f.metadata
    }
    return [by_name[name] for name in names or by_name if name not in without]


def keywords(name: str, of: Sequence[Keyword]) -> Any:
    """Return the type of a mapping that holds any of these keywords."""
    make = cast(Any, TypedDict)  # checkers know only those whose names stand in the source
    made = make(name, {one.name: Any for one in of}, total=False)
    made.__keywords__ = list(of)
    return made


def show(function: Any, of: Sequence[Keyword]) -> None:
    """Let the signature of a function show these keywords in place of its ``**`` parameter."""
    shown = signature(function)
    *others, _ = shown.parameters.values()
    function.__signature__ = shown.replace(parameters=[*others, *(one.parameter for one in of)])


def constructor(name: str, of: Sequence[Keyword], elsewhere: Mapping[str, str] | None = None) -> type:
    """Return a class whose constructor takes these keywords and keeps each under its name, None for {}.

    The docstring of a class below it describes those that mean something else there; the others are added.
    `elsewhere` are remedies for keywords that other classes take.
    """
    remedies = elsewhere or {}
    of = [replace(one, default=None) if one.default == {} else one for one in of]
    defaults = {one.name: one.default for one in of}

    class Parameters:
        __keywords__: ClassVar = list(of)

        def __init__(self, **values: Any) -> None:
            for keyword in values:
                if keyword not in defaults:
                    raise UnknownParameterError(
                        f"{type(self).__name__}.__init__() got an unexpected keyword argument {keyword!r}",
                        remedies.get(keyword) or did_you_mean(keyword, defaults),
                        subject=keyword,
                        value=values[keyword],
                    )
            for keyword, default in defaults.items():
                setattr(self, keyword, values.get(keyword, default))

        def __init_subclass__(cls, **more: Any) -> None:
            super().__init_subclass__(**more)
            if Parameters in cls.__bases__:
                cls.__doc__ = _documented(cls.__doc__ or "", of)

    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    Parameters.__init__.__signature__ = Signature([first, *(one.parameter for one in of)])  # type: ignore[attr-defined]
    Parameters.__name__ = Parameters.__qualname__ = name
    return Parameters


def _documented(text: str, of: Sequence[Keyword]) -> str:
    """Return a docstring in which every parameter is described, in the order of the signature."""
    before, head, described = cleandoc(text).partition("\nParameters\n----------\n")
    described, rule, rest = described.partition("\nAttributes\n")
    entries = {
        name: entry
        for entry in re.split(r"^(?=\w)", described.strip("\n"), flags=re.MULTILINE)
        for name in re.findall(r"\w+", entry.partition(" : ")[0].partition("\n    ")[0])
    }
    shown = "\n".join(dict.fromkeys(entries.get(one.name, one.description).rstrip("\n") for one in of))
    return f"{before}{head}{shown}\n{rule}{rest}"

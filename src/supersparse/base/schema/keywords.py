"""Declared settings as keywords of functions and constructors.

At run time `constructor` makes a class whose constructor takes them, and `keywords` the type of a mapping of
them. People, editors and type checkers see both in `keywords.pyi` of the same room, which `make stubs` writes
from the same declarations.
"""

import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace
from inspect import Parameter, Signature, cleandoc, get_annotations, signature
from typing import Any, ClassVar, TypedDict, cast


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


def constructor(name: str, of: Sequence[Keyword]) -> type:
    """Return a class whose constructor takes these keywords and keeps each under its name, None for {}.

    The docstring of a class below it describes those that mean something else there; the others are added.
    """
    of = [replace(one, default=None) if one.default == {} else one for one in of]
    defaults = {one.name: one.default for one in of}

    class Parameters:
        __keywords__: ClassVar = list(of)

        def __init__(self, **values: Any) -> None:
            for keyword in values:
                if keyword not in defaults:
                    raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {keyword!r}")
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

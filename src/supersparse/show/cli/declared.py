"""Options of the command line that come out of declared settings.

The form of a setting decides how its option looks: a word, a number, a flag, a name that may be
repeated, or ``NAME=VALUE``. The same form reads and checks the value, and messages name the option.
"""

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field
from inspect import Parameter
from math import inf
from typing import Annotated, Any, ClassVar

import typer

from supersparse.base.errors import InvalidOptionError, InvalidSettingsError
from supersparse.base.schema import setting
from supersparse.base.schema.scalars import Either, Form, Null, NumberForm, Real, Truth, Whole, Word
from supersparse.base.schema.shapes import ListOf, NamesForm, TableOf
from supersparse.base.schema.tree import Scalar


def options_of(declared: type, *names: str, without: Sequence[str] = ()) -> dict[str, Field[Any]]:
    """Return the settings of a class that have options: those that are named, or all but some."""
    by_name = setting.options_of(declared)
    return {name: by_name[name] for name in names or by_name if name not in without}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A group of options: their values are attributes, None for one that was not given."""

    SETTINGS: ClassVar[Mapping[str, Field[Any]]] = {}

    texts: Mapping[str, Any] = field(default_factory=dict)  # as the command line has them
    in_file: Mapping[str, Any] = field(default_factory=dict)  # values of a settings file, which texts override
    values: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        read = {name: _read(self.SETTINGS[name], text) for name, text in self.texts.items()}
        object.__setattr__(self, "values", {**self.in_file, **read})

    def __getattr__(self, name: str) -> Any:
        if name not in self.SETTINGS:
            raise AttributeError(name)
        return self.values.get(name)

    def words(self) -> list[str]:
        """The options as they were given, so that they can be given again."""
        words: list[str] = []
        for name, text in self.texts.items():
            option = option_name(self.SETTINGS[name])
            if isinstance(text, bool):
                words.append(option if text else f"--no-{option[2:]}")
            else:
                words += [word for one in (text if isinstance(text, list) else [text]) for word in (option, str(one))]
        return words

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """The options as parameters that typer reads."""
        return [_parameter(one) for one in cls.SETTINGS.values()]


def option_name(one: Field[Any]) -> str:
    return f"--{(one.metadata['option'].name or one.name).replace('_', '-')}"


def _parameter(one: Field[Any]) -> Parameter:
    form, option, name = one.metadata["field"].form, one.metadata["option"], option_name(one)
    text, default, metavar = option.help or one.metadata["field"].help, option.default, option.metavar
    type_: Any = str
    if option.flag is not None:
        type_ = bool
    elif isinstance(form, Truth) or option.read is bool:
        type_, off = bool, f"--no-{name[2:]}"
        default, name = (name if one.default else off), f"{name}/{off}"
    elif isinstance(form, Word):
        default, metavar = default or one.default, metavar or "|".join(form.known)
    elif isinstance(option.read, type):
        type_ = option.read
    elif option.read is None and isinstance(form, NamesForm | TableOf):
        type_, metavar, text = list[str], metavar or "NAME", f"{text} Repeatable."
    elif not _has_word(form):
        kinds = (NumberForm, float), (Real, float), (Whole, int)
        type_ = next((type_ for kind, type_ in kinds for part in _parts(form) if isinstance(part, kind)), str)
    info = typer.Option(
        name,
        help=text.replace("null", _word_for_none(form)) if form.holds(None) else text,
        metavar=metavar,
        exists=option.is_file,
        dir_okay=not option.is_file,
        show_default="" if default is None else str(default),
    )
    return Parameter(one.name, Parameter.KEYWORD_ONLY, annotation=Annotated[type_ | None, info], default=None)


def _read(one: Field[Any], value: Any) -> Any:
    """Read what was given for a setting; messages name the option."""
    form, option, name = one.metadata["field"].form, one.metadata["option"], option_name(one)
    if option.is_read_later:
        return value
    if option.flag is not None:
        return option.flag
    if option.read is not None:
        value = option.read(value)
    elif isinstance(form, TableOf):
        value = _by_name(value, name, option.metavar)
        if isinstance(form.form, ListOf):
            value = {key: [one.strip() for one in text.split(",")] for key, text in value.items()}
    elif value == (inf if _word_for_none(form) == "inf" else "all") and form.holds(None):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as it was written
    if form.holds(None):
        form = Either(*(_None(form) if isinstance(part, Null) else part for part in _parts(form)))
    try:
        if isinstance(value, str) and _has_word(form):
            return form.read(Scalar(where="", text=value, quoted=False), name)
        return form.take(value, name)
    except InvalidSettingsError as error:
        raise InvalidOptionError.of(error) from None


class _None(Null):
    """Null as the command line writes it."""

    def __init__(self, whole: Form[Any]) -> None:
        self.wanted = _word_for_none(whole)


def _parts(form: Form[Any]) -> Sequence[Form[Any]]:
    return form.forms if isinstance(form, Either) else (form,)


def _has_word(form: Form[Any]) -> bool:
    """Whether a word or all may stand for a whole number, so that typer can only take it as text."""
    parts = _parts(form)
    special = any(isinstance(part, Word | Null) for part in parts)
    return special and any(isinstance(part, Whole) for part in parts)


def _word_for_none(form: Form[Any]) -> str:
    return "inf" if any(isinstance(part, Real) for part in _parts(form)) else "all"


def _by_name(entries: Sequence[str], option: str, wanted: str) -> dict[str, str]:
    """Read ``NAME=VALUE`` entries; the name is all before the last equals sign."""
    by_name: dict[str, str] = {}
    for entry in entries:
        name, sign, value = (part.strip() for part in entry.rpartition("="))
        if not (name and sign and value):
            raise InvalidOptionError(subject=option, value=entry, remedy=f"give {wanted}")
        if name in by_name:
            raise InvalidOptionError(f"{option} names {name!r} twice", "give it once", subject=option)
        by_name[name] = value
    return by_name

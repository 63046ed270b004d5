"""Commands: their parameters spread out as options, put together again before they run.

A command takes some dataclasses of options as parameters, or all but some of their options or groups:
``Annotated[TrainingOptions, Without("wording", "sample_weight")]``. What the command line leaves open, the
settings file says, where the command has one.
"""

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from typer.models import OptionInfo

from supersparse.learn.settings.settings import Settings
from supersparse.show.cli import say
from supersparse.show.cli.declared import Declared
from supersparse.show.cli.options import (
    AskedOptions,
    ColumnOptions,
    Output,
    TableOptions,
    TrainingOptions,
    ValidationOptions,
)
from supersparse.table.other_files import is_workbook


class Without:
    """The options, or groups of them, that a command does not have."""

    def __init__(self, *names: str) -> None:
        self.names = names


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Spread the dataclasses among a command's parameters out as options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    together: str | None = None  # the parameter that takes the groups of training
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        group, *more = get_args(parameter.annotation) or (parameter.annotation,)
        without = {name for one in more if isinstance(one, Without) for name in one.names}
        if group is TrainingOptions:
            together = parameter.name
            parts = {name: one for name, one in get_type_hints(group).items() if name not in without}
        else:
            parts = {parameter.name: group}
        if is_dataclass(group):
            groups |= parts
            listed = [one for part in parts.values() for one in _fields_as_parameters(part)]
            parameters += [one for one in listed if one.name not in without]
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    parameters = list(map(_with_default_in_help, parameters))

    def run(**arguments: Any) -> None:
        for name, group in groups.items():
            values = {f.name: arguments.pop(f.name) for f in _fields_of(group) if f.name in arguments}
            if issubclass(group, Declared):
                texts = {option: arguments.pop(option) for option in group.SETTINGS if option in arguments}
                values["texts"] = {option: text for option, text in texts.items() if text not in (None, [])}
            arguments[name] = group(**values)
        say.hush(quiet=any(isinstance(one, Output) and bool(one.quiet) for one in arguments.values()))
        asked = next((one for one in arguments.values() if isinstance(one, AskedOptions)), None)
        if asked is not None and asked.settings is not None:
            settings = Settings.load(asked.settings)
            for name, group in groups.items():
                if group in _SECTIONS:
                    arguments[name] = _with_file(arguments[name], settings, asked.settings)
        _note_unused_sheet(arguments)
        if together is not None:
            of_training = [one.name for one in fields(TrainingOptions) if one.name in groups]
            arguments[together] = TrainingOptions(**{name: arguments.pop(name) for name in of_training})
        function(**arguments)

    run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, function.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _note_unused_sheet(arguments: Mapping[str, Any]) -> None:
    """Say that a sheet, or its header, was named of a file that has none."""
    table = next((one for one in arguments.values() if isinstance(one, TableOptions)), None)
    if table is None or (table.sheet is None and table.header_row is None):
        return

    data = arguments.get("data")
    for path in data if isinstance(data, list) else [data]:
        if isinstance(path, Path) and not is_workbook(path):
            option = f"--header-row {table.header_row}" if table.sheet is None else f"--sheet {table.sheet!r}"
            say.note(f"{option} is not used: {path} is not a workbook")


_SECTIONS = {ColumnOptions: "table", TableOptions: "table", ValidationOptions: "validate"}


def _with_file(group: Any, settings: Settings, path: Path) -> Any:
    """Return the options with what the settings file says where the command line says nothing."""
    section: Mapping[str, Any] | bool = getattr(settings, _SECTIONS[type(group)])
    if isinstance(section, bool):
        section = {} if section else {"validate": False}
    known = {*group.SETTINGS, *(f.name for f in fields(group))}
    changes: dict[str, Any] = {}
    for name, value in section.items():
        if name not in known:
            continue
        overriding = _overriding(group, name)
        if overriding is None:
            changes[name] = value
        else:
            say.note(f"{overriding} overrides {name} in {path}")
    return replace(group, in_file=changes)


def _overriding(group: Any, name: str) -> str | None:
    """The option that stands against what a file says, if one was given."""
    if isinstance(group, ValidationOptions):
        if name != "validate" and group.validate is False:
            return "--no-validate"
        if name == "validate" and (group.validate or group.asks):
            return "--validate" if group.validate else group.asks[0]
    return None if getattr(group, name) is None else f"--{name.replace('_', '-')}"


def _fields_as_parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    of_file = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[one.name],
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
        )
        for one in _fields_of(group)
    ]
    return [*of_file, *(group.parameters() if issubclass(group, Declared) else ())]


def _fields_of(group: type[Any]) -> list[Field[Any]]:
    """The options that a group has besides its settings."""
    common = {f.name for f in fields(Declared)} if issubclass(group, Declared) else set()
    return [f for f in fields(group) if f.name not in common]


def _with_default_in_help(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return an option that says its default at the end of its help, as "default: 6", and nowhere else."""
    type_, *more = get_args(parameter.annotation) or (parameter.annotation,)
    info = next((one for one in more if isinstance(one, OptionInfo)), None)
    if info is None or parameter.default is inspect.Parameter.empty:
        return parameter
    shown = info.show_default if isinstance(info.show_default, str) else None
    if shown is None and type(parameter.default) in (int, float, str):
        shown = f"{parameter.default:g}" if isinstance(parameter.default, float) else str(parameter.default)
    if shown is None and parameter.default is True:
        shown = f"--{parameter.name}"
    with_default = copy.copy(info)
    with_default.show_default = False
    if shown:
        text = (info.help or "").removesuffix(".")
        with_default.help = f"{text}{'. Default' if '. ' in text else '; default'}: {shown}."
    return parameter.replace(annotation=Annotated[type_, with_default])

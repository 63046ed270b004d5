"""The options that commands share, each said once.

A command takes some of these dataclasses as parameters; `command` spreads their fields out as options
of the command line and puts them together again before the command runs.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from supersparse.cli import say
from supersparse.problem.asked import Asked

if TYPE_CHECKING:
    from supersparse.data.cells_of_text import Reading

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="CSV or TSV file with names of columns, also as .gz, or Parquet; - is standard input.",
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", exists=True, dir_okay=False, help="Scoring system saved by `fit --out`."),
]

Weights = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column of sample weights; default: rows count alike.")
]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Spread the dataclasses among a command's parameters out as options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation  # type: ignore[assignment]
            parameters += _fields_as_parameters(parameter.annotation)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    def run(**given: Any) -> None:
        for name, group in groups.items():
            values = {f.name: given.pop(f.name) for f in fields(group) if f.name in given}
            if group is AskedOptions:
                values["declared"] = {option: given.pop(option) for option in _OPTIONS}
            given[name] = group(**values)
            if isinstance(given[name], Output) and given[name].quiet:
                say.hush()
        function(**given)

    run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, function.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _fields_as_parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    parameters = []
    for one in fields(group):
        if one.name == "declared":
            parameters += [_setting_option(name) for name in _OPTIONS]
            continue
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        parameters.append(
            inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name], default=default
            )
        )
    return parameters


_OPTIONS = {f.name: f for f in fields(Asked) if f.metadata.get("option") is not None}


def _setting_option(name: str) -> inspect.Parameter:
    """Return a declared setting as an option, which is named like it and has its line of help."""
    setting = _OPTIONS[name]
    option = typer.Option(f"--{name.replace('_', '-')}", help=setting.metadata["field"].help)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[setting.metadata["option"] | None, option],
        default=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the result is shown."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, for scripts.")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the result only: no notes, no progress.")
    ] = False

    def show(self, text: str, document: Callable[[], object]) -> None:
        """Print the result: as text, or the document that a function makes as JSON."""
        if self.json:
            import json

            typer.echo(json.dumps(document(), indent=2, ensure_ascii=False))
        else:
            typer.echo(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How a file of raw columns is read."""

    na: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="More words for a missing value, with commas: '?,n/a'."),
    ] = None
    default_na: Annotated[
        bool,
        typer.Option(
            "--default-na/--no-default-na", help="Whether NA, NaN and null are missing, as blanks always are."
        ),
    ] = True
    separator: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="What separates cells; default: as the file shows."),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="How text is encoded; default: UTF-8, or as marked.")
    ] = None
    decimal: Annotated[str, typer.Option(metavar="CHARACTER", help="Decimal point of numbers.")] = "."

    @property
    def given(self) -> list[str]:
        """What was given, as words of a command that reads the same file."""
        words = [] if self.default_na else ["--no-default-na"]
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, str) and value != one.default:
                words += [f"--{one.name}", value]
        return words

    @property
    def reading(self) -> "Reading":
        """The same as the library takes it."""
        from supersparse.data.cells_of_text import Reading

        return Reading.of(
            na=self.na,
            default_na=self.default_na,
            separator=self.separator,
            encoding=self.encoding,
            decimal=self.decimal,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """Which columns of a training table are used, and for what."""

    target: Annotated[str, typer.Option(metavar="NAME", help="Column to predict; see also --positive.")]
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE", help="Value of the target that scores high; default: the last in sorted order."
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Column to leave out, or a pattern such as 'lab*'; repeatable."),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Column to use, or a pattern, and no others; repeatable."),
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Column whose numbers are names of categories; repeatable."),
    ] = None
    weights: Weights = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureOptions:
    """How raw columns become features."""

    no_prepare: Annotated[
        bool, typer.Option("--no-prepare", help="Multiply the numbers themselves; make no features.")
    ] = False
    cuts: Annotated[
        str, typer.Option(help="Cut points of numbers: optimal, quantile, tree, or none to multiply them.")
    ] = "optimal"
    cut_points: Annotated[
        str | None,
        typer.Option(
            metavar="FILE OR TEXT", help="Cut points of your own: 'age=40,60;bmi=25,30', or a file."
        ),
    ] = None
    missing: Annotated[
        str, typer.Option(help="Missing values: item (of their own), median, mode, or drop the rows.")
    ] = "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOptions:
    """What is asked of a scoring system; a settings file can say the rest.

    `declared` holds the settings that have an option of their own, each declared in problem/asked.py.
    """

    settings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="YAML or JSON file with settings and constraints. Options given here override it.",
        ),
    ] = None
    declared: dict[str, Any] = field(default_factory=dict)
    class_weight: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help="Cost of an error in each class: two numbers, NEGATIVE,POSITIVE (1.2,0.8); by class "
            "(ill=2,well=1); balanced; or none. Default: balanced if columns are prepared and one class "
            "has less than a fifth of the rows.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationOptions:
    """Cross-validation, and how rows are divided for it."""

    cv: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Cross-validate on K folds, features made anew in each; chooses C0 where none is given.",
        ),
    ] = None
    cv_groups: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of groups, such as patients, that stay in one fold."),
    ] = None
    cv_time: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of dates or numbers: judge later rows by earlier ones."),
    ] = None

    @property
    def folds(self) -> int | None:
        """How many folds; None without cross-validation."""
        return 5 if self.cv is None and (self.cv_groups or self.cv_time) else self.cv


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How long and with what is searched."""

    time_limit: Annotated[float | None, typer.Option(show_default="60", help="Most seconds to search.")] = (
        None
    )
    solver: Annotated[str | None, typer.Option(show_default="auto", help="See `supersparse solvers`.")] = None
    seed: Annotated[
        int | None, typer.Option(show_default="0", help="Seed of what is random in the search.")
    ] = None

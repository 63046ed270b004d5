"""The groups of options that commands share.

A command takes some of these dataclasses as parameters; see `cli.command`. Most options are declared
settings. One that was not given is None, so that a settings file can say it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, cast

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.card.names_file import WordingSettings
from supersparse.engine.options import SolverKeywords, SolverOptions
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import ValidationSettings, usual_repeats
from supersparse.show.cli.declared import Declared, option_name, options_of
from supersparse.table.reading import ColumnSettings, Reading, ReadingSettings
from supersparse.table.small_table import listed

_TABLE = (
    "CSV or TSV file with a header line (.gz allowed), Excel, Parquet, SAS, SPSS or Stata file; - for standard input."
)
_COUNTS = " Or count tables, one from each site; see `supersparse counts`."
DataFile = Annotated[Path, typer.Argument(metavar="DATA", help=_TABLE)]
DataFiles = Annotated[list[Path], typer.Argument(metavar="DATA", help=_TABLE + _COUNTS)]
CardFile = Annotated[
    Path, typer.Argument(metavar="CARD", exists=True, dir_okay=False, help="Card saved with `fit --out`.")
]

CardTarget = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column with the true classes; default: the title of the card.")
]

Subgroups = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Column of subgroups to compare. Repeatable.")
]
Unknown = Annotated[
    str,
    typer.Option(
        metavar="refuse|allow",
        help="Numbers far from the training rows, and categories that they did not have: refuse them, or "
        "score them by the usual rules.",
    ),
]
Weights = Annotated[str | None, typer.Option(metavar="NAME", help="Column of sample weights; default: equal weights.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the result is shown."""

    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result, without notes or progress.")] = (
        False
    )

    def show(self, text: str, document: Callable[[], object]) -> None:
        """Print the result: as text, or the document that a function makes as JSON."""
        if self.json:
            import json

            typer.echo(json.dumps(document(), indent=2, ensure_ascii=False))
        else:
            typer.echo(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions(Declared):
    """How a file of raw columns is read; a card keeps how its own file was read."""

    SETTINGS = options_of(ReadingSettings)

    @property
    def reading(self) -> Reading:
        """The same as the library takes it."""
        return Reading.of(**self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions(Declared):
    """Which columns of a training table are used, and for what."""

    SETTINGS: ClassVar = {
        **options_of(ColumnSettings, "target"),
        **options_of(Settings, "positive"),
        **options_of(ColumnSettings),
        **options_of(Settings, "sample_weight"),
    }

    def told_target(self, known: Sequence[str] = ()) -> str:
        """The column to predict; an error, which names the columns of the table, if none was told."""
        if self.event is not None:
            return self._told_event()
        if self.target is None:
            table = f"; the table has {listed(known, most=20)}" if known else ""
            raise InvalidOptionError(f"Missing option '--target': name the column to predict{table}")
        return str(self.target)

    def _told_event(self) -> str:
        """The column of events; it comes with a time and a horizon, and without a target."""
        needed = {"--time": self.time, "--horizon": self.horizon}
        lacking = [option for option, value in needed.items() if value is None]
        if lacking or self.target is not None:
            raise InvalidOptionError(
                "--event is what ended a follow-up", f"add {lacking[0]}" if lacking else "remove --target"
            )
        return str(self.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingOptions(Declared):
    """The title of the card, and the names of its columns, answers and classes."""

    SETTINGS = options_of(WordingSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureOptions(Declared):
    """How raw columns become features."""

    SETTINGS: ClassVar = {**options_of(Settings, "prepare"), **options_of(PrepareSettings)}

    @property
    def none(self) -> bool:
        """Whether columns are used as they are."""
        return self.prepare is False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOptions(Declared):
    """Settings of the scoring system; a settings file covers the rest."""

    SETTINGS: ClassVar = {
        **options_of(Settings, "questions"),
        **options_of(Settings, without=(*ColumnOptions.SETTINGS, "prepare", "validate")),
    }

    settings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="YAML or JSON file with settings and constraints, and any of the options here, which override it.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationOptions(Declared):
    """Cross-validation, and how rows are divided for it."""

    SETTINGS: ClassVar = {**options_of(Settings, "validate"), **options_of(ValidationSettings)}

    @property
    def judges(self) -> bool:
        """Whether the card is judged on held-out rows."""
        return self.validate is not False

    @property
    def asks(self) -> list[str]:
        """The options that say how rows are divided."""
        asked = {name: one for name, one in self.SETTINGS.items() if name != "validate"}
        return [option_name(one) for name, one in asked.items() if self.values.get(name, "none") != "none"]

    @property
    def folds(self) -> int:
        return 5 if self.cv is None else int(self.cv)

    def times(self, n_rows: int, n_columns: int, *, asks_questions: bool = False) -> int:
        """How many times the rows of such a table are divided into folds."""
        if self.repeats is not None:
            return int(self.repeats)

        planned = self.cv is not None or self.cv_time is not None
        return 1 if planned else usual_repeats(n_rows, n_columns, asks_questions=asks_questions)

    @property
    def groups(self) -> str | None:
        return None if self.cv_groups == "none" else self.cv_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions(Declared):
    """The solver and its limits."""

    SETTINGS: ClassVar = {
        **options_of(SolverOptions, "time_limit", "solver", "random_state"),
        **options_of(SolverOptions),
    }

    @property
    def options(self) -> SolverKeywords:
        """Those that were given, as options of `solve`."""
        return cast("SolverKeywords", dict(self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """What a command that learns is told of the rows and of the card; those that it leaves out say nothing."""

    columns: ColumnOptions
    wording: WordingOptions = WordingOptions()
    asked: AskedOptions = AskedOptions()
    features: FeatureOptions
    validation: ValidationOptions = ValidationOptions(in_file={"validate": False})
    search: SearchOptions = SearchOptions()
    table: TableOptions

    @property
    def inputs(self) -> tuple[Path | str | None, ...]:
        """The files that are read besides the rows."""
        return self.asked.settings, self.wording.names, self.features.texts.get("cut_points")

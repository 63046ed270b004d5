"""The options that commands share, each said once.

A command takes some of these dataclasses as parameters; see `cli.command`. An option that was
not given is None, so that a settings file can say it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from supersparse.base.errors import InvalidOptionError

if TYPE_CHECKING:
    from supersparse.engine.options import SolverKeywords
    from supersparse.table.reading import Reading

_TABLE = (
    "CSV or TSV file with a header line (.gz allowed), Excel, Parquet, SAS, SPSS or Stata file; "
    "- for standard input."
)
_COUNTS = " Or count tables, one from each site; see `supersparse counts`."
DataFile = Annotated[Path, typer.Argument(metavar="DATA", help=_TABLE)]
DataFiles = Annotated[list[Path], typer.Argument(metavar="DATA", help=_TABLE + _COUNTS)]
CardFile = Annotated[
    Path,
    typer.Argument(metavar="CARD", exists=True, dir_okay=False, help="Card saved with `fit --out`."),
]

CardTarget = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Column with the true classes; default: the title of the card."),
]

Weights = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column of sample weights; default: equal weights.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the result is shown."""

    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the result, without notes or progress.")
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
    """How a file of raw columns is read; a card keeps how its own file was read."""

    na: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="More words for missing values, separated by commas: '?,n/a'."),
    ] = None
    default_na: Annotated[
        bool | None,
        typer.Option(
            "--default-na/--no-default-na",
            show_default="--default-na",
            help="Treat NA, NaN and null as missing. Blanks always are.",
        ),
    ] = None
    separator: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="Column separator; default: detected."),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Text encoding; default: from the byte order mark, else UTF-8, else cp1252."
        ),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(metavar=".|,", help="Decimal sign; the other may group thousands."),
    ] = None
    dates: Annotated[
        str | None,
        typer.Option(metavar="dmy|mdy", help="Whether 03/05/2024 has the day or the month first."),
    ] = None
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of a workbook; default: the first.")
    ] = None
    as_written: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Column or pattern to read as it is written: -99 is a number, and 'ja' and 'Ja' are two "
            "categories. Repeatable.",
        ),
    ] = None

    @property
    def reading(self) -> "Reading":
        """The same as the library takes it."""
        from supersparse.table.reading import Reading

        return Reading.of(
            na=self.na,
            default_na=self.default_na is not False,
            separator=self.separator,
            encoding=self.encoding,
            decimal=self.decimal,
            dates=self.dates,
            sheet=self.sheet,
            as_written=tuple(self.as_written or ()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """Which columns of a training table are used, and for what."""

    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column to predict. See also --positive.")
    ] = None  # tables of counts name it; others need it
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="Positive class, the one that scores high; default: the class with a usual name (yes, died, "
            "...), else the larger number, else the rarer class.",
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Column to leave out, or a pattern such as 'lab*'. Repeatable."),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Use only this column or pattern. Repeatable."),
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Treat the numbers in this column as categories. Repeatable."),
    ] = None
    weights: Weights = None

    def told_target(self, known: Sequence[str] = ()) -> str:
        """The column to predict; an error, which names the columns of the table, if none was told."""
        from supersparse.table.small_table import listed

        if self.target is None:
            table = f"; the table has {listed(known, most=20)}" if known else ""
            raise InvalidOptionError(f"Missing option '--target': name the column to predict{table}")
        return self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingOptions:
    """What the card is called, and how its columns, answers and classes are."""

    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the card; default: the target.")
    ] = None
    names: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="YAML or JSON file with labels, units, questions, answers and names of classes; "
            "`supersparse names` starts one.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureOptions:
    """How raw columns become features."""

    no_prepare: Annotated[bool, typer.Option("--no-prepare", help="Use the numeric columns as they are.")] = (
        False
    )
    cuts: Annotated[
        str | None,
        typer.Option(
            metavar="optimal|quantile|tree|none",
            show_default="optimal",
            help="How to cut numbers; none to use the values.",
        ),
    ] = None
    cut_points: Annotated[
        str | None,
        typer.Option(metavar="FILE OR TEXT", help="Your own cut points: 'age=40,60;bmi=25,30', or a file."),
    ] = None
    max_cuts: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="6", help="Maximum number of cut points to try per column."),
    ] = None
    per_variable: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            show_default="2",
            help="Maximum number of cut points per column on one card; all for no limit.",
        ),
    ] = None
    intervals: Annotated[
        bool | None,
        typer.Option(
            "--intervals/--no-intervals",
            show_default="--no-intervals",
            help="Also offer intervals such as 45 <= age < 60.",
        ),
    ] = None
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="item|median|mode|drop",
            show_default="item",
            help="Missing values: a question of their own, replaced, or their rows dropped.",
        ),
    ] = None
    direction: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SIGN",
            help="Let the points of this column only rise with its values (age=+) or only fall (age=-). "
            "Repeatable.",
        ),
    ] = None
    shape: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SHAPE",
            help="How the points of this column change with its values: monotone (the default: they rise or "
            "fall), rising, falling, or any. Repeatable.",
        ),
    ] = None
    units: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=UNIT", help="Unit of this column on the card (age=years). Repeatable."),
    ] = None
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            show_default="auto",
            help="How many questions the search may choose from; all for no limit, auto for 60 (8 for "
            "counts), or fewer above 333,333 rows. The card says how many there were.",
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The options that were given."""
        return [f.name for f in fields(self) if getattr(self, f.name) is not f.default]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOptions:
    """Settings of the scoring system; a settings file covers the rest.

    `declared` holds the settings that have an option of their own, each declared in problem/asked.py.
    """

    settings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="YAML or JSON file with settings and constraints, and any of the options here, which "
            "override it.",
        ),
    ] = None
    declared: dict[str, Any] = field(default_factory=dict)
    class_weight: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help="Cost of an error in each class: two numbers NEGATIVE,POSITIVE (1.2,0.8); by class "
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
            show_default="5",
            help="Cross-validate on K folds, features included. Chooses C0 if you do not set it.",
        ),
    ] = None
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="2, or 1 with --cv, --cv-time or more than 300,000 values",
            help="Divide the rows into folds N times, each time in another way.",
        ),
    ] = None
    cv_groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of groups, such as patients, to keep in one fold, or none; default: an identifier "
            "that repeats.",
        ),
    ] = None
    cv_time: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column of dates or numbers: train on earlier rows, test on later ones."
        ),
    ] = None
    validate: Annotated[
        bool | None,
        typer.Option(
            "--validate/--no-validate",
            show_default="--validate",
            help="Judge the card on held-out rows, and give it risks.",
        ),
    ] = None

    @property
    def judges(self) -> bool:
        """Whether the card is judged on held-out rows."""
        return self.validate is not False

    @property
    def asks(self) -> list[str]:
        """The options that were given."""
        names = ("cv", "repeats", "cv_groups", "cv_time")
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) not in (None, "none")]

    @property
    def folds(self) -> int:
        """How many folds."""
        return 5 if self.cv is None else self.cv

    def times(self, n_rows: int, n_columns: int) -> int:
        """How many times the rows of such a table are divided into folds."""
        if self.repeats is not None:
            return self.repeats
        from supersparse.learn.splits import usual_repeats

        return usual_repeats(n_rows, n_columns) if self.cv is None and self.cv_time is None else 1

    @property
    def groups(self) -> str | None:
        """The column of groups that was asked for."""
        return None if self.cv_groups == "none" else self.cv_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The solver and its limits."""

    time_limit: Annotated[
        float | None,
        typer.Option(show_default="60", help="Time limit in seconds, after reading the table; inf for none."),
    ] = None
    solver: Annotated[
        str | None, typer.Option(show_default="auto", help="Solver; see `supersparse solvers`.")
    ] = None
    seed: Annotated[int | None, typer.Option(show_default="0", help="Random seed.")] = None
    n_jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="1 thread, and as many processes as cores for folds",
            help="Number of threads of the search, and of processes for folds; -1 for one per core.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a time limit that is none before anything is read."""
        if self.time_limit is not None and not self.time_limit >= 0:
            raise InvalidOptionError(
                f"--time-limit is {self.time_limit:g}; give seconds, at least 0, or inf for no limit"
            )
        if self.seed is not None and self.seed < 0:
            raise InvalidOptionError(f"--seed is {self.seed}; give a whole number of at least 0")

    @property
    def options(self) -> "SolverKeywords":
        """Those that were given, as options of `solve`."""
        given: dict[str, object] = {"solver": self.solver, "random_state": self.seed, "n_jobs": self.n_jobs}
        given = {name: value for name, value in given.items() if value is not None}
        if self.time_limit is not None:
            given["time_limit"] = None if self.time_limit == inf else self.time_limit
        return cast("SolverKeywords", given)

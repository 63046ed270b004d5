"""Rows that are counted where they are, for `supersparse fit --engine duckdb`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
from supersparse.show.cli.options import AskedOptions, ColumnOptions, FeatureOptions, SearchOptions, ValidationOptions
from supersparse.show.cli.say import note, remark
from supersparse.table.counted_rows import count_training
from supersparse.table.duckdb_files import open_rows
from supersparse.table.lazy import LazyTable
from supersparse.table.reading import Reading
from supersparse.table.training import Roles

if TYPE_CHECKING:
    from supersparse.learn.recipe import PreparedProblem, Recipe
    from supersparse.learn.row_counts import RowCounts
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.splits import Split

_ENGINES = ("memory", "duckdb")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How rows are read."""

    engine: Annotated[
        str,
        typer.Option(
            metavar="memory|duckdb",
            help="How rows are read: into memory, or counted by DuckDB, for files larger than memory: "
            "several Parquet or CSV files, folders, or a pattern in quotes.",
        ),
    ] = "memory"
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory that --engine duckdb may use; more goes to disk.")
    ] = "2GB"

    @property
    def counts_rows(self) -> bool:
        """Whether rows are counted where they are."""
        if self.engine not in _ENGINES:
            raise InvalidOptionError(subject="--engine", value=self.engine, remedy="give memory or duckdb")
        return self.engine == "duckdb"


def read_rows_question(
    data: list[Path],
    reading: Reading,
    columns: ColumnOptions,
    asked: AskedOptions,
    features: FeatureOptions,
    search: SearchOptions,
    validation: ValidationOptions,
    memory: str,
) -> "tuple[PreparedProblem, TrainingRows, tuple[list[Split], int]]":
    """Count the rows by their answers; return the question, the cells, their folds and the divisions."""
    from supersparse.show.cli.recipe import read_recipe, say_question, weighted_recipe

    recipe = read_recipe(asked, columns, features, search)
    _check(columns, recipe, validation)
    if recipe.settings.sample_weight is not None:
        raise InvalidOptionError("weights: counts cannot be weighted", "remove them, or use --engine memory")
    counts = _counts(data, reading, columns, recipe, memory)
    folds = validation.folds if validation.judges else 0
    repeats = validation.times(counts.n_rows, len(counts.X))
    rows, splits = counts.rows(folds, repeats)
    recipe = counts.recipe(recipe)
    recipe = weighted_recipe(recipe, asked, rows)
    question = recipe.question(counts.rows()[0])
    say_question(question, rows)
    remark(f"{counted(len(counts.counts), 'cell')} of rows with the same answers and class")
    if splits:
        note("the questions were made from all rows; folds divide the rows at random and learn the points")
    return question, rows, (splits, repeats)


def _check(columns: ColumnOptions, recipe: "Recipe", validation: ValidationOptions) -> None:
    columns.told_target()
    needs = {
        "--no-prepare": recipe.prepare is None,
        "--missing drop": recipe.prepare is not None and recipe.prepare.missing == "drop",
        "--weights": columns.sample_weight is not None,
        "--cv-groups": validation.groups is not None,
        "--cv-time": validation.cv_time is not None,
    }
    for option, given in needs.items():
        if given:
            raise InvalidOptionError(f"{option} needs the rows in memory", "remove it, or use --engine memory")


def _counts(data: list[Path], reading: Reading, columns: ColumnOptions, recipe: object, memory: str) -> "RowCounts":
    from supersparse.learn.recipe import Recipe
    from supersparse.learn.row_counts import RowCounts

    assert isinstance(recipe, Recipe)
    assert recipe.prepare is not None
    assert columns.target is not None
    roles = Roles(
        target=columns.target,
        positive=columns.positive,
        drop=columns.drop or (),
        keep=columns.keep or (),
        category=columns.category or (),
        ordered=tuple(recipe.prepare.ordered or ()),
        rate_groups=recipe.settings.rate_groups,
        place=recipe.settings.place,
    )
    remark(f"counting rows with DuckDB within {memory} of memory")
    texts = list(roles.expected())
    with open_rows(data, reading, texts, memory) as opened:
        reading = replace(reading, found=opened.found)
        table = count_training(LazyTable.of(opened.relation), opened.name, reading, roles, note, texts=opened.is_text)
        return RowCounts.of(table, recipe.prepare)

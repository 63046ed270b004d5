"""The question that the options ask, the rows it is asked of, and how they are divided into folds."""

from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.base.errors import InvalidOptionError
from supersparse.show.cli.options import AskedOptions, ColumnOptions, FeatureOptions, SearchOptions, ValidationOptions
from supersparse.show.cli.recipe import read_recipe, say_question, weighted_recipe
from supersparse.show.cli.say import note, say_size
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.training import Roles, read_training

if TYPE_CHECKING:
    from supersparse.learn.recipe import PreparedProblem, Recipe
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.splits import Split


def read_question(
    path: Path,
    reading: Reading,
    columns: ColumnOptions,
    asked: AskedOptions,
    features: FeatureOptions,
    search: SearchOptions,
    validation: ValidationOptions | None = None,
) -> "tuple[PreparedProblem, TrainingRows]":
    """Read what is asked and of which rows, and note what became of the columns."""
    recipe = read_recipe(asked, columns, features, search)
    rows = _read_rows(path, reading, columns, recipe, validation)
    question = weighted_recipe(recipe, asked, rows).question(rows)
    say_question(question, rows)
    return question, rows


def _read_rows(
    path: Path, reading: Reading, asked: ColumnOptions, recipe: "Recipe", validation: ValidationOptions | None
) -> "TrainingRows":
    """Read the rows that a recipe learns from, and note which columns cannot be features."""
    from supersparse.learn.rows import TrainingRows

    settings = recipe.settings
    roles = Roles(
        target=asked.told_target(list(read_table(path, reading).columns) if asked.target is None else ()),
        positive=asked.positive,
        drop=asked.drop or (),
        keep=asked.keep or (),
        category=asked.category or (),
        ordered=tuple(() if recipe.prepare is None else recipe.prepare.ordered or ()),
        weights=settings.sample_weight,
        rate_groups=settings.rate_groups,
        split_groups=None if validation is None else validation.groups,
        split_times=None if validation is None else validation.cv_time,
        find_groups=validation is not None and validation.judges and validation.cv_groups is None,
        place=settings.place,
    )
    say_size(path)
    table = read_training(path, reading, roles, note)
    return recipe.complete(TrainingRows.of_table(table, prepared=recipe.prepare is not None))


def read_splits(
    rows: "TrainingRows", validation: ValidationOptions, *, asks_questions: bool = False
) -> "tuple[list[Split], int]":
    """Divide the rows as the options say, and how often; no splits if no rows can or shall be left out."""
    from supersparse.learn.splits import fewer_folds, most_folds, repeated_splits

    if not validation.judges:
        return [], 1
    if validation.groups is not None and validation.cv_time is not None:
        raise InvalidOptionError("--cv-groups and --cv-time cannot be combined", "use one of them")
    times = None if validation.cv_time is None else rows.groups
    groups = None if times is not None else rows.groups
    folds = validation.folds
    if validation.cv is None:
        folds = min(folds, most_folds(rows.y, groups))
        if folds < 2:
            note("a class has too few rows for folds, so the card is not judged on held-out rows")
            return [], 1
        if folds < validation.folds:
            note(fewer_folds(folds, validation.folds, groups))
    repeats = validation.times(len(rows.y), rows.n_columns, asks_questions=asks_questions)
    return repeated_splits(rows.y, folds, repeats, groups=groups, times=times), repeats

"""The question that the options ask, the rows it is asked of, and their cross-validation."""

from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.cli.options import (
    AskedOptions,
    ColumnOptions,
    FeatureOptions,
    SearchOptions,
    ValidationOptions,
)
from supersparse.cli.recipe import read_recipe, say_question, weighted_recipe
from supersparse.cli.say import note, remark, say_size
from supersparse.errors import InvalidOptionError

if TYPE_CHECKING:
    from supersparse.data.reading import Reading
    from supersparse.learning.recipe import Question, Recipe
    from supersparse.learning.rows import TrainingRows
    from supersparse.learning.splits import Split
    from supersparse.learning.validating import Validation


def read_question(
    path: Path,
    reading: "Reading",
    columns: ColumnOptions,
    asked: AskedOptions,
    features: FeatureOptions,
    search: SearchOptions,
    validation: ValidationOptions | None = None,
) -> "tuple[Question, TrainingRows]":
    """Read what is asked and of which rows, and note what became of the columns."""
    recipe = read_recipe(asked, columns, features, search)
    rows = _read_rows(path, reading, columns, recipe, validation)
    question = weighted_recipe(recipe, asked, rows).question(rows)
    say_question(question, rows)
    return question, rows


def _read_rows(
    path: Path,
    reading: "Reading",
    asked: ColumnOptions,
    recipe: "Recipe",
    validation: ValidationOptions | None,
) -> "TrainingRows":
    """Read the rows that a recipe learns from, and note which columns cannot be features."""
    from supersparse.data.training import Roles, read_training
    from supersparse.learning.rows import TrainingRows

    settings = recipe.settings
    roles = Roles(
        target=asked.target,
        positive=asked.positive,
        drop=asked.drop or (),
        keep=asked.keep or (),
        category=asked.category or (),
        weights=settings.sample_weight,
        rate_groups=settings.rate_groups,
        split_groups=None if validation is None else validation.groups,
        split_times=None if validation is None else validation.cv_time,
        find_groups=validation is not None and validation.cv_groups is None,
        place=settings.place,
    )
    say_size(path)
    table = read_training(path, reading, roles, note)
    return recipe.complete(TrainingRows.of_table(table, prepared=recipe.prepare is not None))


def cross_validated(
    recipe: "Recipe", rows: "TrainingRows", validation: ValidationOptions
) -> "Validation | None":
    """Cross-validate if the options ask for it; Ctrl-C keeps the finished folds, None if there are none."""
    from supersparse.learning.validating import validate

    if validation.folds is None:
        return None
    splits = _splits(rows, validation)
    found = validate(recipe, rows, splits, remark)
    finished = 0 if found is None else found.folds
    if finished < len(splits):
        remark(
            f"Interrupted in fold {finished + 1} of {len(splits)}; the remaining folds are skipped. Now "
            "learning the scoring system; press Ctrl-C again to stop and keep the best so far."
        )
    return found


def _splits(rows: "TrainingRows", validation: ValidationOptions) -> "list[Split]":
    from supersparse.learning.splits import splits_of

    assert validation.folds is not None
    if validation.cv_time is None:
        return splits_of(rows.y, validation.folds, groups=rows.groups)
    if validation.groups is not None:
        raise InvalidOptionError("--cv-groups and --cv-time cannot be combined; use one of them")
    return splits_of(rows.y, validation.folds, times=rows.groups)

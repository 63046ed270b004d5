"""The recipe that the command line and a settings file ask for, and what is said about it."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.cli.class_weights import ClassWeights
from supersparse.cli.cut_points import read_cut_points
from supersparse.cli.options import AskedOptions, ColumnOptions, FeatureOptions, SearchOptions
from supersparse.cli.say import count, remark
from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.settings.settings import Settings

if TYPE_CHECKING:
    from supersparse.learning.recipe import Question, Recipe
    from supersparse.learning.rows import TrainingRows
    from supersparse.prepare.prepare import Prepare

DEFAULT_OPTIONS = {"solver": "auto", "time_limit": 60.0, "random_state": 0}
_MISSING = ("item", "median", "mode", "drop")
_OPTIONS = {"sample_weight": "--weights", "random_state": "--seed"}  # others are named like the setting


def read_recipe(
    asked: AskedOptions, columns: ColumnOptions, features: FeatureOptions, search: SearchOptions
) -> "Recipe":
    """Put together what the command line and the settings file say; class weights need the rows."""
    from supersparse.learning.recipe import Recipe

    settings = read_settings_file(
        asked.settings, {**asked.declared, "positive": columns.positive, "sample_weight": columns.weights}
    )
    if asked.class_weight is not None:
        ClassWeights.read(asked.class_weight)  # what is wrong with it is said before the table is read
        if settings.class_weight != "auto":
            remark(f"note: --class-weight overrides class_weight in {asked.settings}")
    given = {"time_limit": search.time_limit, "solver": search.solver, "random_state": search.seed}
    return Recipe(
        settings=settings,
        prepare=None if features.no_prepare else _prepare(features),
        options=solver_options(settings, asked.settings, given),
    )


def with_class_weights(recipe: "Recipe", asked: AskedOptions, rows: "TrainingRows") -> "Recipe":
    """Return the recipe with the weights that --class-weight gives to the classes of these rows."""
    if asked.class_weight is None:
        return recipe
    weights = ClassWeights.read(asked.class_weight).of(rows.y, recipe.settings.positive)
    return recipe.asking(class_weight=weights)


def read_settings_file(path: Path | None, given: Mapping[str, object]) -> Settings:
    """Read the settings file, if there is one; options that are given override it."""
    settings = Settings() if path is None else Settings.load(path)
    changes = {name: value for name, value in given.items() if value is not None}
    if "max_points" in changes and not _has_default_sets(settings):
        raise InvalidOptionError(
            f"--max-points: {path} says which points each feature may have; "
            "change them there, or leave --max-points out"
        )
    for name in changes:
        if getattr(settings, name) != getattr(Settings(), name):
            remark(f"note: {_option(name)} overrides {name} in {path}")
    return settings.changed(**changes)


def solver_options(settings: Settings, path: Path | None, given: Mapping[str, object]) -> dict[str, object]:
    """Return options of the solver: those of the command line, else those of the file, else the default."""
    changes = {name: value for name, value in given.items() if value is not None}
    for name in changes:
        if name in settings.solve:
            remark(f"note: {_option(name)} overrides {name} in {path}")
    return {**DEFAULT_OPTIONS, **settings.solve, **changes}


def say_question(question: "Question", rows: "TrainingRows") -> None:
    """Say what was done to each column, and what is asked about."""
    problem, recipe = question.problem, question.recipe
    for note in () if question.prepare is None else question.prepare.notes_:
        remark(f"  {note}")
    remark(f"{count(problem.rows.n_rows, 'row')}, {count(problem.rows.n_features, 'feature')}")
    cases = int(problem.rows.positive.sum())
    negative, positive = problem.rows.classes
    swap = f"; use --positive {shlex.quote(str(negative))} to swap the classes"
    remark(
        f"positive class {positive!r} ({count(cases, 'row')}), "
        f"negative class {negative!r} ({count(problem.rows.n_rows - cases, 'row')})"
        + (swap if recipe.settings.positive is None else "")
    )
    if recipe.balances(rows.y):
        from supersparse.learning.recipe import RARE_CLASS

        remark(
            f"note: one class has less than {RARE_CLASS:.0%} of the rows, so errors are weighted: both "
            "classes count the same; --class-weight none counts rows"
        )
    if problem.ignored:
        constant = ", ".join(repr(problem.rows.names[j]) for j in problem.ignored)
        remark(f"note: constant, so of no use: {constant}")


def _prepare(features: FeatureOptions) -> "Prepare":
    from supersparse.prepare.prepare import Prepare

    if features.missing not in _MISSING:
        raise InvalidOptionError(
            f"--missing is {features.missing!r}; {did_you_mean(features.missing, _MISSING)}"
        )
    points = None if features.cut_points is None else read_cut_points(features.cut_points)
    return Prepare(cuts=features.cuts, cut_points=points, missing=features.missing)


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")


def _has_default_sets(settings: Settings) -> bool:
    """Whether some feature may have whole points up to a largest magnitude that is not yet said."""
    shared = [part for part in (settings.points, settings.levels) if part is not None]
    return all(isinstance(part, Mapping) for part in shared)

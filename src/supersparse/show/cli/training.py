"""From the options of a command to training rows, what is asked of them, and the card that is learned."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Unpack

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
from supersparse.base.stop import Stop
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.progress import Clock
from supersparse.learn.splits import Folds, divided, fewer_folds, possible_folds
from supersparse.problem.problem import Problem
from supersparse.show.cli.options import ColumnOptions, TrainingOptions, ValidationOptions
from supersparse.show.cli.progress import progress
from supersparse.show.cli.recipe import read_recipe, say_question, weighted_recipe
from supersparse.show.cli.say import note, remark, say_size, warnings_as_remarks
from supersparse.table.counted_rows import count_training
from supersparse.table.duckdb_files import open_rows
from supersparse.table.files import read_table
from supersparse.table.lazy import LazyTable
from supersparse.table.reading import Reading
from supersparse.table.training import Roles, read_training

if TYPE_CHECKING:
    from supersparse.learn.fit import Fitted
    from supersparse.learn.recipe import PreparedProblem, Recipe
    from supersparse.learn.row_counts import RowCounts
    from supersparse.learn.rows import TrainingRows


def read_question(
    path: Path, how: TrainingOptions, *, usual_goal: str = "errors", counts_errors: str | None = None
) -> "tuple[PreparedProblem, TrainingRows]":
    """Read what is asked and of which rows, and note what became of the columns.

    `counts_errors` names a command that would count them by blended labels.
    """
    recipe = read_recipe(how, usual_goal=usual_goal)
    if counts_errors is not None:
        recipe.refuse_blended_errors(counts_errors)
    rows = _read_rows(path, how, recipe)
    question = weighted_recipe(recipe, how.asked, rows).question(rows)
    say_question(question, rows)
    return question, rows


def _read_rows(path: Path, how: TrainingOptions, recipe: "Recipe") -> "TrainingRows":
    """Read the rows that a recipe learns from, and note which columns cannot be features."""
    from supersparse.learn.rows import TrainingRows

    settings, asked, validation, reading = recipe.settings, how.columns, how.validation, how.table.reading
    roles = Roles(
        target=asked.told_target(
            list(read_table(path, reading).columns) if asked.target is None and asked.event is None else ()
        ),
        positive=asked.positive,
        drop=asked.drop or (),
        keep=asked.keep or (),
        category=asked.category or (),
        ordered=tuple(() if recipe.prepare is None else recipe.prepare.ordered or ()),
        weights=settings.sample_weight,
        follow_up=None if asked.event is None else asked.time,
        rate_groups=settings.rate_groups,
        split_groups=validation.groups,
        split_times=validation.cv_time,
        find_groups=validation.judges and validation.cv_groups is None,
        place=settings.place,
    )
    say_size(path)
    table = read_training(path, reading, roles, note)
    rows = TrainingRows.of_table(table, prepared=recipe.prepare is not None)
    if table.follow_up is not None:
        rows = _within(rows, table.follow_up, asked, roles.target)
    return recipe.complete(rows)


def _within(rows: "TrainingRows", times: object, asked: ColumnOptions, event: str) -> "TrainingRows":
    """The rows with the classes and weights of a risk within the horizon."""
    from supersparse.learn.horizon import followed, unit_of

    about = followed(
        rows.y, times, asked.horizon, asked.positive, asked.censored, unit=unit_of(str(asked.time)), what=event
    )
    for doubt in about[0].doubts():
        note(doubt)
    return rows.within(*about)


def read_folds(
    rows: "TrainingRows", validation: ValidationOptions, recipe: "Recipe", *, asks_questions: bool = False
) -> Folds | None:
    """Divide the rows as the options say; None if no rows can or shall be left out."""
    if not validation.judges:
        return None
    if validation.groups is not None and validation.cv_time is not None:
        raise InvalidOptionError("--cv-groups and --cv-time cannot be combined", "use one of them")
    folds = validation.folds
    if validation.cv is None:
        folds = possible_folds(rows, folds)
        if folds < 2:
            note("a class has too few rows for folds, so the card is not judged on held-out rows")
            return None
        if folds < validation.folds:
            note(fewer_folds(folds, validation.folds, rows.groups))
    repeats = validation.times(len(rows.y), rows.n_columns, asks_questions=asks_questions)
    return Folds(splits=divided(rows, folds, repeats), repeats=repeats, n_jobs=_processes(recipe))


def _processes(recipe: "Recipe") -> int:
    """How many processes folds may have: as many as cores, unless a number was given."""
    n_jobs = recipe.options.get("n_jobs", -1) or 1
    return (os.cpu_count() or 1) if n_jobs == -1 else n_jobs


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
    data: list[Path], how: TrainingOptions, memory: str, *, usual_goal: str
) -> "tuple[PreparedProblem, TrainingRows, Folds | None]":
    """Count the rows by their answers; return the question, the cells and their folds."""
    columns, validation = how.columns, how.validation
    recipe = read_recipe(how, usual_goal=usual_goal)
    _check(columns, recipe, validation)
    if recipe.settings.sample_weight is not None:
        raise InvalidOptionError("weights: counts cannot be weighted", "remove them, or use --engine memory")
    counts = _counts(data, how.table.reading, columns, recipe, memory)
    folds = validation.folds if validation.judges else 0
    repeats = validation.times(counts.n_rows, len(counts.X))
    rows, splits = counts.rows(folds, repeats)
    recipe = counts.recipe(recipe)
    recipe = weighted_recipe(recipe, how.asked, rows)
    question = recipe.question(counts.rows()[0])
    say_question(question, rows)
    remark(f"{counted(len(counts.counts), 'cell')} of rows with the same answers and class")
    if splits:
        note("the questions were made from all rows; folds divide the rows at random and learn the points")
    of_cells = Folds(splits=splits, repeats=repeats, n_jobs=_processes(recipe))
    return question, rows, of_cells if splits else None


def _check(columns: ColumnOptions, recipe: "Recipe", validation: ValidationOptions) -> None:
    recipe.check_teacher_of_counts()
    columns.told_target()
    needs = {
        "--no-prepare": recipe.prepare is None,
        "--update": recipe.prepare is not None and recipe.prepare.update is not None,
        "--missing drop": recipe.prepare is not None and recipe.prepare.missing == "drop",
        "--weights": columns.sample_weight is not None,
        "--event": columns.event is not None,
        "--cv-groups": validation.groups is not None,
        "--cv-time": validation.cv_time is not None,
    }
    for option, is_asked in needs.items():
        if is_asked:
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
        return RowCounts.of(table, recipe.prepare, questions=recipe.settings.asks_questions)


Answer = TypeVar("Answer")


def learn(problem: Problem, **options: Unpack[SolverKeywords]) -> Solution:
    """Solve, showing progress on standard error; Ctrl-C stops it and keeps the best found."""
    solution = with_progress(solve, problem, **options)
    if solution.stop is Stop.INTERRUPTED:
        remark("Interrupted. This is the best scoring system found so far.")
    return solution


def with_progress(run: Callable[..., Answer], problem: Problem, **options: Any) -> Answer:
    """Run a search that reports what it finds."""
    with warnings_as_remarks(), progress() as show:
        return run(problem, **options, on_progress=show)


def fit_with_progress(question: "PreparedProblem", rows: "TrainingRows", folds: Folds | None, clock: Clock) -> "Fitted":
    """Learn and judge a card, showing progress, and say what did not go well."""
    from supersparse.learn.calibration import no_better_than_baseline, slope_at_its_limit, weighs_risks
    from supersparse.learn.fit import INTERRUPTED, Learner

    with warnings_as_remarks(), progress(clock.ends) as watch:
        fitted = Learner(folds=folds, watch=watch).fit(question, rows, clock)
    if fitted.solution.stop is Stop.INTERRUPTED:
        remark("Interrupted. This is the best scoring system found so far.")
    done = 0 if fitted.validation is None else fitted.validation.folds
    planned = 0 if folds is None else len(folds.splits)
    if fitted.unjudged == INTERRUPTED or (fitted.validation and fitted.validation.interrupted):
        remark(f"Interrupted after {done} of {planned} folds; the others were skipped.")
    elif fitted.unjudged is not None:
        note(f"the card could not be judged on held-out rows: {fitted.unjudged}")
    elif done < planned:
        note(f"the time limit left time for the first {done} of {planned} folds; raise --time-limit")
    problem = fitted.question.problem
    useless = no_better_than_baseline(fitted.card)
    for warning in (useless, slope_at_its_limit(fitted.solution), weighs_risks(problem)):
        if warning is not None:
            remark(f"warning: {warning}")
    return fitted

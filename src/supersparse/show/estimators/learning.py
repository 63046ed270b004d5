"""How a classifier learns: from its parameters and training data to its fitted attributes.

It is loaded by `fit`, since it needs the solvers: a classifier that is made, set or loaded does without. `model` is a
classifier everywhere.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from supersparse.base.errors import (
    InvalidDataError,
    InvalidOptionError,
    MissingCodesWarning,
    NoBetterThanBaselineWarning,
    NotProvenWarning,
    SeparatedClassesWarning,
    SkippedFoldsWarning,
    UnreadableColumnsWarning,
    WeightedRisksWarning,
    did_you_mean,
    warn,
)
from supersparse.base.exact import int_or_float, nearest_float
from supersparse.base.schema.setting import names_of
from supersparse.base.stop import Stop
from supersparse.engine.certify.statement import check_certifiable
from supersparse.engine.options import N_JOBS, SolveOptions, SolverKeywords
from supersparse.engine.solution import Solution, TraceEvent
from supersparse.learn.calibration import no_better_than_baseline, slope_at_its_limit, weighs_risks
from supersparse.learn.certifying import certified
from supersparse.learn.doubts import doubts
from supersparse.learn.fit import Fitted, Learner
from supersparse.learn.horizon import followed
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.progress import Clock, Watch
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows, name_of
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, Split, divided, possible_folds, usual_repeats
from supersparse.learn.teacher import check_predicts_risks, read_risks
from supersparse.learn.training_performance import by_classes
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem
from supersparse.show.document import ScoringSystem
from supersparse.show.estimators.reading import read_numeric_training, read_raw_training
from supersparse.table.sources import as_array, is_column

_METHODS = ("isotonic", "logistic")
_PREPARATIONS = 'give None to use numbers as they are, "auto", or a Prepare'
_LIMITS = (Stop.TIME_LIMIT, Stop.NODE_LIMIT, Stop.MEMORY_LIMIT)
_FOLDS = 5
_SHOWN = 5  # columns that a warning names
_WIDE_WEIGHTS = 1000  # largest over smallest: from here on weights leave proofs open
_MANY_VALUES = 20  # of a column: points times such a number do not make a card for people

logger = logging.getLogger("supersparse")


def read_training(
    model: Any, X: Any, y: Any, sample_weight: Any, rate_groups: Any, groups: Any = None, follow_up: Any = None
) -> tuple[Recipe, TrainingRows]:
    """Return the checked recipe and training data."""
    if model.calibrate is not None and model.calibrate not in _METHODS:
        hint = did_you_mean(str(model.calibrate), _METHODS)
        raise InvalidOptionError(subject="calibrate", value=model.calibrate, remedy=f"give None, or {hint}")
    recipe, title = recipe_of(model), name_of(y)
    about = None
    if follow_up is not None:
        about = followed(as_array(y), what=title or "the event", **follow_up)
        y = np.where(about[0].cases, np.array(about[1]), np.array(about[2]))
    X, y = (read_numeric_training if recipe.prepare is None else read_raw_training)(model, X, y)
    if hasattr(sample_weight, "__array__"):
        sample_weight = as_array(sample_weight)
    rows = TrainingRows(X=X, y=y, sample_weight=sample_weight, rate_groups=rate_groups, groups=groups, title=title)
    if about is not None:
        rows = rows.within(*about)
    teacher = getattr(model, "teacher", None)
    if _is_risks(teacher):
        rows = replace(rows, risks=read_risks(as_array(teacher), len(rows.y)))
    return recipe, recipe.complete(rows)


def _is_risks(teacher: Any) -> bool:
    """Whether a teacher is a column of risks; a forest has a length as well."""
    return is_column(teacher) and not hasattr(teacher, "predict_proba")


def recipe_of(model: Any) -> Recipe:
    """Build the recipe from the parameters."""
    names = [name for name in names_of(Settings) if name not in ("prepare", "sample_weight", "rate_groups")]
    asked = {name: getattr(model, name) for name in names if hasattr(model, name)}
    teacher = asked.get("teacher")
    if teacher is None and "teacher" in asked and model.prepare is not None:
        asked["teacher"] = "none"  # a setting of None says nothing
    if not isinstance(teacher, str | None):
        asked["teacher"] = "auto"
        if not _is_risks(teacher):
            check_predicts_risks(teacher)
    by_name = isinstance(model.prepare, str) and model.prepare == "auto"
    if not (model.prepare is None or by_name or isinstance(model.prepare, Prepare)):
        raise InvalidOptionError(subject="prepare", value=model.prepare, remedy=_PREPARATIONS)
    if model.n_jobs is not None and (not hasattr(model.n_jobs, "__index__") or int(model.n_jobs) == 0):
        raise InvalidOptionError(subject="n_jobs", value=model.n_jobs, remedy=N_JOBS)
    options: SolverKeywords = {
        "solver": model.solver,
        **_options_of(model),
        "checkpoint": model.checkpoint,
        "executor": model.executor,
        "time_limit": model.time_limit,
        "node_limit": model.node_limit,
        "gap": model.gap,
        "n_jobs": effective_n_jobs(model.n_jobs),
        "random_state": _seed_from(model.random_state),
    }
    SolveOptions.read({name: value for name, value in options.items() if name != "solver"})
    recipe = Recipe(
        settings=Settings.of(**asked),
        prepare=Prepare() if by_name else model.prepare,
        options=options,
        teacher=None if isinstance(teacher, str | None) or _is_risks(teacher) else teacher,
    )
    recipe.check()
    return recipe


def _options_of(model: Any) -> SolverKeywords:
    """Divide `solver_options` into those of `solve` that are not parameters, and the solver's own."""
    options = model.solver_options or {}
    if not isinstance(options, Mapping):
        raise InvalidOptionError(subject="solver_options", value=options, remedy="give a mapping by name")
    of_solve = {name for name in names_of(SolveOptions) if name in options and not hasattr(model, name)}
    rest = {name: value for name, value in options.items() if name not in of_solve}
    return cast(SolverKeywords, {**{name: options[name] for name in of_solve}, "solver_options": rest})


def _seed_from(random_state: int | np.random.RandomState | None) -> int:
    """Return a seed; None always gives the same one, so fits are reproducible."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


Divide = Callable[[Any, Recipe, TrainingRows], Folds | None]


def learn(model: Any, recipe: Recipe, rows: TrainingRows, divide: Divide) -> Fitted:
    """Learn from all rows, judge the card by the folds into which they are divided, and keep it, within one limit."""
    clock, place = Clock.of(recipe), None if model.certificate is None else Path(model.certificate)
    question = recipe.question(rows)
    if place is not None:
        check_certifiable(question.problem)
    folds = divide(model, recipe, rows)
    clock = clock.reserving(2 * question.seconds_again)  # making the card reads the rows again, which takes longer
    model.classes_ = np.unique(rows.y)
    with reporting(model.verbose) as watch:
        learner = Learner(folds=folds, watch=watch, method=model.calibrate, initial=model.initial, solve=model._solve)
        fitted = learner.fit(question, rows, clock)
        if model.verbose:
            logger.info("%s: %s", fitted.solution, fitted.solution.stop.value)
    _keep(model, fitted, rows)
    _say_if_unproven(fitted.solution, prepares=model.prepare is not None)
    _say_unclear(fitted.question, codes=isinstance(model.prepare, str))
    _say_skipped(fitted, folds)
    if place is not None and fitted.solution.proven_optimal:
        points = fitted.solution.points
        card = certified(model.scoring_system_.card, fitted.question, points, place, rows)
        model.scoring_system_ = ScoringSystem(card)
    return fitted


def folds_of(model: Any, recipe: Recipe, rows: TrainingRows) -> Folds | None:
    """The folds that judge a card and give it its risks; None where neither is asked."""
    if model.calibrate is None and not model.validate:
        return None
    folds, repeats = possible_folds(rows, _FOLDS), 1
    if folds < 2:
        needs, none = ("calibrate", None) if model.calibrate is not None else ("validate", False)
        raise InvalidDataError(
            f"a class has {folds} row of weight above 0", f"{needs} needs 2 or more, or set it to {none}"
        )
    if model.validate:
        repeats = usual_repeats(len(rows.y), rows.n_columns, asks_questions=recipe.settings.asks_questions)
    return folds_with(model, divided(rows, folds, repeats), repeats=repeats, Cs=None)


def folds_with(model: Any, splits: Sequence[Split], **how: Any) -> Folds:
    """Folds that are learned as a classifier is."""
    # a linear model fitted to all rows would leak the held-out ones
    initial = clone(model.initial) if hasattr(model.initial, "fit") else model.initial
    return Folds(splits=splits, n_jobs=effective_n_jobs(model.n_jobs), at_once=True, must=True, initial=initial, **how)


def _say_skipped(fitted: Fitted, folds: Folds | None) -> None:
    """Warn about folds for which there was no time."""
    if folds is None or fitted.validation is None:
        return
    done, asked = fitted.validation.folds, len(folds.splits)
    if done < asked:
        warn(f"the time limit left time for {done} of {asked} folds; raise time_limit", SkippedFoldsWarning)


def _keep(model: Any, fitted: Fitted, rows: TrainingRows) -> None:
    """Set the fitted attributes; the training rows are not kept."""
    question, solution, card = fitted.question, fitted.solution, fitted.card
    names, evaluation = solution.problem.rows.names, by_classes(solution).evaluation
    model.__dict__.pop("prepare_", None)  # of an earlier fit
    if question.prepare is not None:
        model.prepare_ = question.prepare
        model.prepare_.notes_ = [*model.prepare_.notes_, *doubts(question, rows)]
    model.positive_ = model.classes_[model.classes_.tolist().index(solution.problem.rows.classes[1])]
    model.points_ = solution.points
    model.coef_ = model._towards_last(np.array([[nearest_float(v) for v in solution.points.values]], dtype=np.float64))
    model.objective_ = float(solution.objective)
    model.lower_bound_ = float(solution.lower_bound)
    model.gap_ = solution.gap
    model.proven_optimal_ = solution.proven_optimal
    model.proven_smallest_ = solution.proven_smallest
    model.training_errors_ = int_or_float(evaluation.training_errors)
    model.predicted_errors_ = int_or_float(evaluation.predicted_errors)
    model.training_sensitivity_ = float(evaluation.sensitivity)
    model.training_specificity_ = float(evaluation.specificity)
    model.stop_ = solution.stop
    model.trace_ = solution.trace
    if loss_of(solution.problem).gives_risks:  # the card says from which total on a risk is above one half
        threshold = -card.as_learned.intercept * solution.points.denominator
        model.points_ = replace(solution.points, intercept=-threshold)
    model.intercept_ = model._towards_last(np.array([nearest_float(model.points_.intercept_value)]))
    model.scoring_system_ = ScoringSystem(card)
    model.ignored_features_ = np.array([names[j] for j in solution.problem.ignored], dtype=object)
    if loss_of(solution.problem).gives_risks:
        _keep_risks(model, solution)
    model.__dict__.pop("validation_", None)
    judges = getattr(model, "validate", False)
    if judges and fitted.validation is not None:
        model.validation_ = fitted.validation.as_data()
    useless = no_better_than_baseline(card) if judges or model.calibrate is not None else None
    if useless is not None:
        warn(useless, NoBetterThanBaselineWarning)


def _keep_risks(model: Any, solution: Solution) -> None:
    model.loss_ = float(solution.evaluation.loss)
    model.slope_, model.offset_ = solution.slope, solution.offset
    separated = slope_at_its_limit(solution)
    if separated is not None:
        warn(separated, SeparatedClassesWarning)
    weighted = weighs_risks(solution.problem)
    if weighted is not None:
        warn(weighted, WeightedRisksWarning)


def _say_if_unproven(solution: Solution, *, prepares: bool) -> None:
    """Warn if the proof is open, which would otherwise show in `proven_optimal_` only."""
    if solution.proven_optimal or solution.stop not in (*_LIMITS, Stop.ROUNDING, Stop.INTERRUPTED):
        return
    gap = 100 * solution.gap
    percent = f"{gap:.2g}" if gap < 0.05 else f"{gap:.1f}"
    warn(
        f"the card is not proven optimal ({solution.stop.value}): its objective is "
        f"{float(solution.objective):.4g}, and no card has less than {float(solution.lower_bound):.4g}, "
        f"a gap of {percent} %; {_remedy(solution, prepares)}",
        NotProvenWarning,
    )


def _remedy(solution: Solution, prepares: bool) -> str:
    if solution.stop is Stop.INTERRUPTED:
        return (
            "fit again to continue the search; if this is one fit of many, as in a grid search, the others "
            "continue unless Ctrl-C is pressed twice"
        )
    if solution.stop is Stop.ROUNDING:
        spread = _spread_of_weights(solution.problem)
        if spread >= _WIDE_WEIGHTS:
            return f"weigh rows and classes less unevenly: one counts {spread:.3g} times as much as another"
        return f"rescale or shift columns with very large values, such as {_largest(solution.problem)}"
    size = "max_questions" if solution.problem.questions else "max_features"
    remedy = f"raise the limit, or ask for less: a larger C0, a smaller {size} or max_points"
    if not prepares and _many_values(solution.problem):
        remedy += ', or prepare="auto", which cuts numbers into questions'
    return remedy


def _many_values(problem: Problem) -> bool:
    rows = problem.rows
    columns = (rows.raw or rows.columns)[:1000]  # enough to tell
    return any(len(np.unique(column[:10_000])) > _MANY_VALUES for column in columns)


def _spread_of_weights(problem: Problem) -> float:
    """The largest weight of a row, its class's included, over the smallest."""
    rows = problem.rows
    weights = rows.weights * np.where(rows.positive, *map(float, reversed(problem.class_weights)))
    weights = weights[weights > 0]
    return float(weights.max() / weights.min())


def _largest(problem: Problem) -> str:
    """The column with the largest value, and that value."""
    rows = problem.rows
    if rows.raw is None:
        sizes = [nearest_float(Fraction(m, s)) for m, s in zip(rows.magnitudes, rows.scales, strict=True)]
    else:
        sizes = [max(abs(float(raw.max())), abs(float(raw.min()))) for raw in rows.raw]
    j = int(np.argmax(sizes))
    return f"{rows.names[j]!r} (up to {sizes[j]:.3g})"


def _say_unclear(question: PreparedProblem, *, codes: bool) -> None:
    """Warn about columns that the preparation left out, which would otherwise show in its notes only.

    Warn about `codes`, too: numbers that look like those for missing values. Arrays and frames are taken literally.
    """
    if question.prepare is None:
        return
    unreadable = [f"{name} ({kind.removeprefix('values ')})" for name, kind in question.prepare.unreadable_.items()]
    coded = [f"{name} ({', '.join(map(str, numbers))})" for name, numbers in question.prepare.codes_.items()]
    for columns, what, remedy, warning in (
        (
            unreadable,
            "columns are left out, because they contain neither numbers nor text",
            "convert them, such as dates to years or days, or remove them from X",
            UnreadableColumnsWarning,
        ),
        (
            coded if codes else [],
            "numbers stand apart like codes for missing values, and count as numbers",
            "if they are codes, replace them with NaN",
            MissingCodesWarning,
        ),
    ):
        if columns:
            warn(f"{what}: {_listed(columns)}; {remedy}", warning)


def _listed(columns: list[str]) -> str:
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return ", ".join(columns[:_SHOWN]) + more


@contextmanager
def reporting(verbose: int) -> Iterator[Watch]:
    """Yield what is told of progress: nothing for 0, one line a second at most for 1, all lines from 2 on.

    Lines go to the logger "supersparse" at level INFO. Where the application has set up no
    logging they go to standard error, for as long as the fit lasts.
    """
    if not verbose:
        yield Watch()
        return
    level = logger.level
    handler = None if logger.hasHandlers() else logging.StreamHandler()
    if handler is not None:
        logger.addHandler(handler)
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
    try:
        yield _Lines(seconds_between=1.0 if verbose == 1 else 0.0)
    finally:
        logger.setLevel(level)
        if handler is not None:
            logger.removeHandler(handler)


class _Lines(Watch):
    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._next = 0.0

    def __call__(self, event: TraceEvent) -> None:
        now = time.monotonic()
        if now < self._next or event.objective is None:
            return
        self._next = now + self._between
        logger.info(
            "%7.1f s  objective %.6f  bound %.6f  gap %.1f %%",
            event.seconds,
            float(event.objective),
            float(event.lower_bound),
            100 * (event.gap or 0.0),
        )

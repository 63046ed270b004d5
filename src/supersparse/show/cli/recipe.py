"""The recipe from the command line and the settings file, and the notes about it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.exact import counted
from supersparse.base.schema.tree import find_label, label_text
from supersparse.engine.options import DEFAULT_OPTIONS, SolveOptions, SolverKeywords, SolverOptions
from supersparse.engine.solvers import check_goal, get
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.settings.settings import PREPARE, Settings, load_settings
from supersparse.problem.rows import chosen_positive, read_labels
from supersparse.problem.variants import of_classes
from supersparse.show.cli.declared import option_name, options_of
from supersparse.show.cli.options import AskedOptions, FeatureOptions, TrainingOptions
from supersparse.show.cli.say import note, remark

if TYPE_CHECKING:
    from supersparse.learn.prepare.prepare import Prepare
    from supersparse.learn.recipe import PreparedProblem, Recipe
    from supersparse.learn.rows import TrainingRows

_OPTIONS = {
    name: option_name(one)
    for declared in (Settings, SolverOptions, PrepareSettings)
    for name, one in options_of(declared).items()
}


def read_recipe(how: TrainingOptions, *, usual_goal: str = "errors", of_counts: bool = False) -> "Recipe":
    """Combine the command line with the settings file; class weights come later, with the rows.

    `usual_goal` is that of a command where neither says one. Counts have yes/no features.
    """
    from supersparse.learn.recipe import Recipe

    asked, features = how.asked, how.features
    changes = {
        name: value
        for name, value in {**asked.values, **how.columns.values}.items()
        if name in Settings.__dataclass_fields__ and name != "class_weight"
    }
    settings = read_settings_file(asked.settings, changes, usual_goal=usual_goal)
    if of_counts and settings.loss.gives_risks:
        if settings.asks_questions:
            raise InvalidOptionError("counts are of yes/no features, and have no questions", "use max_features")
        settings = settings.changed(questions=False)
    if asked.class_weight is not None:
        ClassWeights.read(asked.class_weight, "--class-weight")
        if settings.class_weight is not None:
            note(f"--class-weight overrides class_weight in {asked.settings}")
    if features.none and settings.prepare:
        note(f"--no-prepare overrides prepare in {asked.settings}")
    recipe = Recipe(
        settings=settings,
        prepare=None if features.none else _prepare(features, settings, asked.settings),
        options=solver_options(settings, asked.settings, how.search.options),
    )
    recipe.check()
    return recipe


def weighted_recipe(recipe: "Recipe", asked: AskedOptions, rows: "TrainingRows") -> "Recipe":
    """Return the recipe with the weights that --class-weight gives to the classes of these rows."""
    if asked.class_weight is None:
        return recipe
    weights = ClassWeights.read(asked.class_weight, "--class-weight").of(rows.y, recipe.settings.positive)
    return recipe.asking(class_weight=weights)


def read_settings_file(path: Path | None, options: Mapping[str, Any], *, usual_goal: str = "errors") -> Settings:
    """Read the settings file, if any; options override it."""
    changes = {name: value for name, value in options.items() if value is not None}
    if path is None:
        return Settings.of(**changes if usual_goal == "errors" else {"goal": usual_goal, **changes})
    settings = Settings.load(path)
    if "max_points" in changes and not _has_default_sets(settings):
        raise InvalidOptionError(
            f"--max-points: {path} already sets the points of each feature", "change them there, or remove --max-points"
        )
    for name in changes:
        if getattr(settings, name) != getattr(Settings(), name):
            note(f"{_OPTIONS[name]} overrides {name} in {path}")
    settings = load_settings(path, goal=changes.get("goal"), usual_goal=usual_goal)
    for about_the_file in () if settings.origin is None else settings.origin.notes:
        note(f"{path}: {about_the_file}")
    return settings.changed(**changes)


def solver_options(settings: Settings, path: Path | None, asked: SolverKeywords) -> SolverKeywords:
    """Return solver options: the command line overrides the file, which overrides the defaults.

    Values that no solver takes are refused here, before the table is read.
    """
    for name in asked:
        if name in settings.solve:
            note(f"{_OPTIONS[name]} overrides {name} in {path}")
    options: SolverKeywords = {**DEFAULT_OPTIONS, **settings.solve, **asked}
    if (solver := options.get("solver", "auto")) != "auto":
        check_goal(solver, get(solver).capabilities, settings.goal)
    SolveOptions.read({name: value for name, value in options.items() if name != "solver"})
    return options


def say_question(question: "PreparedProblem", rows: "TrainingRows") -> None:
    """Print notes on each column, and the size and classes of the problem."""
    from supersparse.learn.doubts import doubts

    problem, recipe = of_classes(question.problem), question.recipe
    for about_a_column in () if question.prepare is None else question.prepare.notes_:
        remark(f"  {about_a_column}")
    controls, cases = int((~problem.rows.positive).sum()), int(problem.rows.positive.sum())
    if rows.is_counted:
        controls, cases = map(int, problem.class_totals)
    unit = "question" if problem.questions else "feature"
    remark(f"{counted(controls + cases, 'row')}, {counted(problem.rows.n_features, unit)}")
    negative, positive = problem.rows.classes
    why = chosen_positive(rows.y).why
    chosen = recipe.settings.positive is None
    remark(
        f'Predicting "{positive}"{f" ({why})" if chosen else ""}: {counted(cases, "row")}, against '
        f'{counted(controls, "row")} of "{negative}".'
        + (f' For "{negative}": --positive {shlex.quote(str(negative))}.' if chosen else "")
    )
    if recipe.balances(rows.y, rows.copies):
        from supersparse.learn.recipe import RARE_CLASS

        note(
            f"one class has less than {RARE_CLASS:.0%} of the rows, so errors are weighted to give "
            "both classes the same total; use --class-weight none for equal weights"
        )
    if problem.ignored:
        constant = ", ".join(repr(problem.rows.names[j]) for j in problem.ignored)
        note(f"constant, so not used: {constant}")
    for doubt in doubts(question, rows):
        note(doubt)


def _prepare(features: FeatureOptions, settings: Settings, path: Path | None) -> "Prepare":
    from supersparse.learn.prepare.prepare import Prepare

    for name, value in features.values.items():
        if name in settings.prepare:
            note(f"{'--no-intervals' if value is False else _OPTIONS[name]} overrides {name} in {path}")
    parameters: dict[str, Any] = PREPARE.write({**settings.prepare, **features.values})
    return Prepare(**parameters)


def _has_default_sets(settings: Settings) -> bool:
    """Whether some feature still takes its points from max_points."""
    shared = [part for part in (settings.points, settings.levels) if part is not None]
    return all(isinstance(part, Mapping) for part in shared)


_WORDS: Mapping[str, Literal["balanced", "none"]] = {"balanced": "balanced", "none": "none"}
_FORMS = "use balanced, none, two numbers NEGATIVE,POSITIVE (1.2,0.8), or weights by class (yes=1.2,no=0.8)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeights:
    """One of: a word, a pair (negative, positive), or weights by the text of the class."""

    word: Literal["balanced", "none"] | None = None
    pair: tuple[Fraction, Fraction] | None = None
    by_class: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str, what: str = "class_weight") -> "ClassWeights":
        """Read the text; `what` names it in messages.

        >>> ClassWeights.read("1.2,0.8").pair
        (Fraction(6, 5), Fraction(4, 5))
        >>> dict(ClassWeights.read("ill=2").by_class)
        {'ill': Fraction(2, 1)}
        """
        if text in _WORDS:
            return cls(word=_WORDS[text])
        parts = text.split(",")
        if all("=" in part for part in parts):
            pairs = [part.rpartition("=")[::2] for part in parts]
            if len(dict(pairs)) < len(pairs):
                raise InvalidOptionError(f"{what} is {text!r}, which names a class twice", _FORMS)
            return cls(by_class={label.strip(): _weight(text, weight, what) for label, weight in pairs})
        if len(parts) == 1 and not any(c.isdigit() for c in text):
            raise InvalidOptionError(f"{what} is {text!r}; {did_you_mean(text, list(_WORDS))}", f"or {_FORMS}")
        if len(parts) != 2:
            raise InvalidOptionError(subject=what, value=text, remedy=_FORMS)
        negative, positive = (_weight(text, part, what) for part in parts)
        return cls(pair=(negative, positive))

    def of(self, y: NDArray[np.generic], positive: str | None) -> Literal["balanced"] | dict[str, Fraction] | None:
        """Return the `class_weight` setting for the classes of these rows."""
        if self.pair is None:
            return dict(self.by_class) or ("balanced" if self.word == "balanced" else None)
        classes = read_labels(y, None)[1]
        if positive is not None:
            classes = read_labels(y, find_label(positive, classes, "positive"))[1]
        return dict(zip(map(label_text, classes), self.pair, strict=True))


def _weight(text: str, part: str, what: str) -> Fraction:
    try:
        weight = Fraction(part.strip())
    except (ValueError, ZeroDivisionError):
        raise InvalidOptionError(
            f"{what} is {text!r}, but {part.strip()!r} is not a number", _FORMS, subject=what, value=text
        ) from None
    if weight < 0:
        raise InvalidOptionError(f"{what} is {text!r}, but {part.strip()} is negative", "give 0 or more")
    return weight

"""Recipe: from raw rows to a question, and from its answer to a card on raw columns."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supersparse.cli.asked import read_asked, read_options
from supersparse.cli.class_weights import ClassWeights
from supersparse.cli.cut_points import read_cut_points
from supersparse.cli.options import AskedOptions, ColumnOptions, FeatureOptions, SearchOptions
from supersparse.cli.say import count, remark
from supersparse.cli.training import Training
from supersparse.errors import InvalidDataError, InvalidOptionError, InvalidSettingsError, did_you_mean
from supersparse.problem.limits import Constraint
from supersparse.problem.problem import Problem
from supersparse.settings.settings import Settings

if TYPE_CHECKING:
    from supersparse.faces import ScoringSystem
    from supersparse.prepare.prepare import Prepare
    from supersparse.solving.solution import Solution

_PREPARED_SIZE, _PREPARED_POINTS = 10, 5
_RARE_CLASS = 0.2
_MISSING = ("item", "median", "mode", "drop")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """What is asked, how features are made, and the options of the solver."""

    settings: Settings
    prepare: "Prepare | None"
    options: dict[str, Any]
    class_weights: ClassWeights | None  # of the command line
    chooses_weights: bool  # whether the share of the classes decides if they are balanced

    @classmethod
    def read(
        cls, asked: AskedOptions, columns: ColumnOptions, features: FeatureOptions, search: SearchOptions
    ) -> "Recipe":
        """Put together what the command line and the settings file say."""
        class_weights = None if asked.class_weight is None else ClassWeights.read(asked.class_weight)
        settings = read_asked(
            asked.settings,
            {
                "positive": columns.positive,
                "sample_weight": columns.weights,
                "C0": asked.C0,
                "max_features": asked.max_features,
                "max_points": asked.max_points,
            },
        )
        if class_weights is not None and settings.class_weight is not None:
            remark(f"note: --class-weight takes the place of class_weight in {asked.settings}")
        if not features.no_prepare:
            settings = _with_usual_sizes(settings, asked)
        return cls(
            settings=settings,
            prepare=None if features.no_prepare else _prepare(features),
            options=read_options(
                settings,
                asked.settings,
                {"time_limit": search.time_limit, "solver": search.solver, "random_state": search.seed},
            ),
            class_weights=class_weights,
            chooses_weights=asked.class_weight is None and asked.settings is None,
        )

    def asking(self, **changes: object) -> "Recipe":
        """The same with some settings given anew."""
        return replace(self, settings=self.settings.changed(**changes))

    def complete(self, training: Training) -> Training:
        """Leave out the rows with a missing value, where that is asked."""
        if self.prepare is None or self.prepare.missing != "drop":
            return training
        complete = self.prepare.complete_rows(training.raw)
        gone = int((~complete).sum())
        if gone == len(complete):
            raise InvalidDataError(
                f"{training.name}: every row has a missing value, so --missing drop leaves none"
            )
        if not gone:
            return training
        remark(f"note: {gone} of {count(len(complete), 'row')} left out: a value is missing")
        return training.take(np.flatnonzero(complete))

    def question(self, training: Training) -> "Question":
        """Make features of the rows, and the problem that is asked of them."""
        chose = self.chooses_weights and _smaller_share(training.y) < _RARE_CLASS
        if self.prepare is None:
            problem = self._problem(training, training.matrix(), list(training.columns))
            return Question(prepare=None, problem=problem, chose_weights=chose)
        prepare = type(self.prepare)(**self.prepare.get_params())
        prepare.fit(training.raw, training.y, training.weights)
        names = [str(name) for name in prepare.get_feature_names_out()]
        if not names:
            raise InvalidDataError(
                f"{training.name}: no column tells the classes apart; --no-prepare uses numbers as they are"
            )
        try:
            problem = self._problem(training, prepare.transform(training.raw), names, prepare.constraints_)
        except InvalidSettingsError as error:
            raise InvalidSettingsError(
                f"{error}; features made of columns are called such as {names[0]!r}, and "
                f"{prepare.features_[0].column + '*'!r} stands for all of a column"
            ) from None
        return Question(prepare=prepare, problem=problem, chose_weights=chose)

    def _problem(
        self, training: Training, X: object, names: list[str], further: Sequence[Constraint] = ()
    ) -> Problem:
        settings = self.settings.changed(constraints=[*self.settings.constraints, *further])
        if self.class_weights is not None:
            settings = settings.changed(class_weight=self.class_weights.of(training.y, settings.positive))
        elif self.chooses_weights and _smaller_share(training.y) < _RARE_CLASS:
            settings = settings.changed(class_weight="balanced")
        return settings.problem(
            X,
            training.y,
            feature_names=names,
            rate_groups=dict(training.rate_groups) or None,
            sample_weight=training.weights,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Question:
    """A problem, and the preparation that made its features, if there is one."""

    problem: Problem
    prepare: "Prepare | None"
    chose_weights: bool  # whether class weights were chosen because one class is rare

    def say(self, *, positive_given: bool) -> None:
        """Say what was done to each column, and what is asked about."""
        rows = self.problem.rows
        if self.prepare is not None:
            for note in self.prepare.notes_:
                remark(f"  {note}")
        remark(f"{count(rows.n_rows, 'row')}, {count(rows.n_features, 'feature')}")
        cases = int(rows.positive.sum())
        negative, positive = rows.classes
        remark(
            f"positive class {positive!r} ({count(cases, 'row')}), "
            f"negative class {negative!r} ({count(rows.n_rows - cases, 'row')})"
            + ("" if positive_given else f"; --positive {shlex.quote(str(negative))} turns them round")
        )
        if self.chose_weights:
            remark(
                f"note: a class is in less than {_RARE_CLASS:.0%} of the rows, so errors are weighted: both "
                "classes count the same; --class-weight none counts rows"
            )
        if self.problem.ignored:
            constant = ", ".join(repr(rows.names[j]) for j in self.problem.ignored)
            remark(f"note: constant, so of no use: {constant}")

    def system(self, solution: "Solution", title: str) -> "ScoringSystem":
        """The scoring system of a solution, on raw columns."""
        from supersparse.faces import ScoringSystem

        system = ScoringSystem.from_solution(solution, title=title)
        return system if self.prepare is None else ScoringSystem(self.prepare.raw_card(system.card))


def _prepare(features: FeatureOptions) -> "Prepare":
    from supersparse.prepare.prepare import Prepare

    if features.missing not in _MISSING:
        raise InvalidOptionError(
            f"--missing is {features.missing!r}; {did_you_mean(features.missing, _MISSING)}"
        )
    points = None if features.cut_points is None else read_cut_points(features.cut_points)
    return Prepare(cuts=features.cuts, cut_points=points, missing=features.missing)


def _with_usual_sizes(settings: Settings, asked: AskedOptions) -> Settings:
    """Features made from raw columns are questions: few, with small points, unless asked otherwise."""
    changes: dict[str, object] = {}
    if settings.max_features is None:
        changes["max_features"] = _PREPARED_SIZE
    if asked.max_points is None and settings.max_points == Settings().max_points:
        changes["max_points"] = _PREPARED_POINTS
    return settings.changed(**changes)


def _smaller_share(y: NDArray[np.generic]) -> float:
    counts = np.unique(y, return_counts=True)[1]
    return float(counts.min() / counts.sum())

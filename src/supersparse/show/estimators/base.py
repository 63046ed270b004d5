"""Code shared by both classifiers: from parameters to a recipe, and from a model to predictions."""

import time
import warnings
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import update_wrapper
from pathlib import Path
from types import MethodType
from typing import Any, Self, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from supersparse.base.errors import (
    InvalidOptionError,
    NoBetterThanBaselineWarning,
    PackageNotInstalledError,
    did_you_mean,
    users_level,
)
from supersparse.base.exact import nearest_float
from supersparse.base.schema.setting import names_of
from supersparse.card.card import Card
from supersparse.card.checks import accepting
from supersparse.card.scoring import decisive_floats, score_table
from supersparse.engine.options import N_JOBS, SolveOptions, SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.calibrating import LeftOut
from supersparse.learn.certifying import certified
from supersparse.learn.clock import Clock
from supersparse.learn.doubts import doubts
from supersparse.learn.judging import judged, no_better_than_baseline
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows, name_of
from supersparse.learn.scoring import scores_of_points
from supersparse.learn.settings.settings import Settings
from supersparse.learn.starting import start_from
from supersparse.problem.asked import Asked
from supersparse.problem.points import Points
from supersparse.show.document import ScoringSystem
from supersparse.show.estimators.parameters import PREPARATIONS
from supersparse.show.estimators.reading import (
    check_table,
    read_features,
    read_known_labels,
    read_numeric_training,
    read_raw_training,
)
from supersparse.show.estimators.reporting import logger, reporting
from supersparse.show.estimators.warning import say_codes, say_if_unproven, say_unreadable
from supersparse.table.sources import as_array, as_table, is_array

_METHODS = ("isotonic", "logistic")


class _WithRisks:
    """A method of classifiers that have risks; of others, asking for it says how they get some."""

    def __init__(self, method: Callable[..., Any]) -> None:
        update_wrapper(cast(Any, self), method)
        self._method = method

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self._method
        if hasattr(estimator, "scoring_system_"):
            has_risks = estimator.scoring_system_.card.risk is not None
        else:
            has_risks = estimator.calibrate is not None or getattr(estimator, "goal", "errors") == "risk"
        if not has_risks:
            other = "RiskScoreClassifierCV" if owner.__name__.endswith("CV") else "RiskScoreClassifier"
            raise AttributeError(
                f"this {owner.__name__} predicts classes and has no {self._method.__name__}; for risks fit "
                f'it with calibrate="isotonic" or calibrate="logistic", or use {other}',
                name=self._method.__name__,
                obj=estimator,
            )
        return MethodType(self._method, estimator)


# options of `solve` that no parameter has, among the solver's own
OF_SOLVE = ("formulation", "branching_priorities", "tuning_time", "pair_covers", "absolute_gap", "memory_limit")


def _split(given: Mapping[str, Any]) -> SolverKeywords:
    """Take the options of `solve` out of `solver_options`; the others are the solver's own."""
    if not isinstance(given, Mapping):
        raise InvalidOptionError(subject="solver_options", value=given, remedy="give a mapping by name")
    own = {name: value for name, value in given.items() if name not in OF_SOLVE}
    of_solve = {name: value for name, value in given.items() if name in OF_SOLVE}
    return cast(SolverKeywords, {**of_solve, "solver_options": own})


class ScoringSystemClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scoring system as a classifier; subclasses define how it is learned."""

    def _read(
        self, X: Any, y: Any, sample_weight: Any, rate_groups: Any, groups: Any = None
    ) -> tuple[Recipe, TrainingRows]:
        """Return the checked recipe and training data."""
        if self.calibrate is not None and self.calibrate not in _METHODS:
            hint = did_you_mean(str(self.calibrate), _METHODS)
            raise InvalidOptionError(subject="calibrate", value=self.calibrate, remedy=f"give None, or {hint}")
        recipe, title = self._recipe(), name_of(y)
        X, y = read_numeric_training(self, X, y) if recipe.prepare is None else read_raw_training(self, X, y)
        rows = TrainingRows(X=X, y=y, sample_weight=sample_weight, rate_groups=rate_groups, groups=groups, title=title)
        return recipe, recipe.complete(rows)

    def _recipe(self) -> Recipe:
        """Build the recipe from the parameters."""
        names = [*names_of(Asked), "tie_break", "slack"]
        asked = {name: getattr(self, name) for name in names if hasattr(self, name)}
        by_name = isinstance(self.prepare, str) and self.prepare == "auto"
        if not (self.prepare is None or by_name or isinstance(self.prepare, Prepare)):
            raise InvalidOptionError(subject="prepare", value=self.prepare, remedy=PREPARATIONS)
        if self.n_jobs is not None and (not hasattr(self.n_jobs, "__index__") or int(self.n_jobs) == 0):
            raise InvalidOptionError(subject="n_jobs", value=self.n_jobs, remedy=N_JOBS)
        options: SolverKeywords = {
            "solver": self.solver,
            **_split(self.solver_options or {}),
            "checkpoint": self.checkpoint,
            "executor": self.executor,
            "time_limit": self.time_limit,
            "node_limit": self.node_limit,
            "gap": self.gap,
            "n_jobs": effective_n_jobs(self.n_jobs),
            "random_state": seed_from(self.random_state),
        }
        SolveOptions.read({name: value for name, value in options.items() if name != "solver"})
        return Recipe(
            settings=Settings.of(**asked),
            prepare=Prepare() if isinstance(self.prepare, str) else self.prepare,
            options=options,
        )

    scoring_system_: ScoringSystem

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the preparation as ``prepare__max_cuts``.

        Parameters
        ----------
        **params : dict
            Parameters by name. Those of the preparation make ``prepare="auto"`` a `Prepare`.

        Returns
        -------
        self
        """
        prepare = params.get("prepare", getattr(self, "prepare", None))
        nested = [name for name in params if name.startswith("prepare__")]
        if nested and prepare is None:
            raise InvalidOptionError(f"{nested[0]} needs a preparation", 'give prepare="auto" or a Prepare')
        if nested and isinstance(prepare, str) and prepare == "auto":
            params = {**params, "prepare": Prepare()}
        return super().set_params(**params)  # type: ignore[no-any-return]

    def __sklearn_clone__(self) -> Self:
        """A clone shares the executor, which cannot be copied; everything else is cloned."""
        if self.executor is None:
            return super().__sklearn_clone__()  # type: ignore[no-any-return]
        alone = copy(self)
        alone.executor = None
        return clone(alone).set_params(executor=self.executor)  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        """A pickle leaves out the executor, which is of this process and not of the model."""
        return {**super().__getstate__(), "executor": None}

    def _learn_from(self, recipe: Recipe, rows: TrainingRows, share: float = 1.0) -> tuple[PreparedProblem, Clock]:
        """Learn from all rows in a share of the time; return what was asked, and the clock for the rest."""
        clock, began = Clock.of(recipe), time.monotonic()
        question = recipe.question(rows)
        start = start_from(self.initial, question.problem)
        # making the card reads the rows again, which in large tables takes a few times as long as this
        self._learn(question, rows, start, clock.reserving(3 * (time.monotonic() - began)), share)
        return question, clock

    def _learn(
        self, question: PreparedProblem, rows: TrainingRows, start: Points | None, clock: Clock, share: float = 1.0
    ) -> Self:
        """Answer the question in a share of the time left, and keep the answer."""
        self.classes_ = np.unique(rows.y)
        with reporting(self.verbose) as on_progress:
            limited = clock.limited(question.recipe, share).options
            solution = self._solve(question, {**limited, "initial": start, "on_progress": on_progress})
            if self.verbose:
                logger.info("%s: %s", solution, solution.stop.value)
        self._keep(question, solution, rows)
        say_if_unproven(solution, prepares=self.prepare is not None)
        say_unreadable(question)
        if isinstance(self.prepare, str):
            say_codes(question)
        if self.certificate is not None and solution.proven_optimal:
            card: Card = self.scoring_system_.card
            card = certified(card, question, solution.points, Path(self.certificate), rows)
            self.scoring_system_ = ScoringSystem(card)
        return self

    def _solve(self, question: PreparedProblem, options: SolverKeywords) -> Solution:
        self.__dict__.pop("tie_break_", None)  # of an earlier fit
        if question.recipe.slack is None:
            return question.solve(**options)
        self.tie_break_ = question.tie_break(**options)
        return self.tie_break_.solution

    def _keep(self, question: PreparedProblem, solution: Solution, rows: TrainingRows) -> None:
        """Set the fitted attributes; the training rows are not kept."""
        names, evaluation = solution.problem.rows.names, solution.evaluation
        self.__dict__.pop("prepare_", None)  # of an earlier fit
        if question.prepare is not None:
            self.prepare_ = question.prepare
            self.prepare_.notes_ = [*self.prepare_.notes_, *doubts(question, rows)]
        self.positive_ = self.classes_[self.classes_.tolist().index(solution.problem.rows.classes[1])]
        self.points_ = solution.points
        self.coef_ = self._towards_last(
            np.array([[nearest_float(v) for v in solution.points.values]], dtype=np.float64)
        )
        self.intercept_ = self._towards_last(np.array([nearest_float(solution.points.intercept_value)]))
        self.objective_ = float(solution.objective)
        self.lower_bound_ = float(solution.lower_bound)
        self.gap_ = solution.gap
        self.proven_optimal_ = solution.proven_optimal
        self.proven_smallest_ = solution.proven_smallest
        self.training_errors_ = _count(evaluation.training_errors)
        self.predicted_errors_ = _count(evaluation.predicted_errors)
        self.training_sensitivity_ = float(evaluation.sensitivity)
        self.training_specificity_ = float(evaluation.specificity)
        self.stop_ = solution.stop
        self.trace_ = solution.trace
        card = question.card(solution, rows.title, rows)
        if solution.slope is not None:  # the card says from which total on a risk is above one half
            threshold = -card.as_learned.intercept * solution.points.denominator
            self.points_ = replace(solution.points, intercept=-threshold)
            self.intercept_ = self._towards_last(np.array([nearest_float(self.points_.intercept_value)]))
        self.scoring_system_ = ScoringSystem(card)
        self.ignored_features_ = np.array([names[j] for j in solution.problem.ignored], dtype=object)

    def _keep_judged(
        self, question: PreparedProblem, rows: TrainingRows, unseen: list[LeftOut], cut: tuple[int, int] | None = None
    ) -> None:
        """Give the card its performance on held-out rows and, with `calibrate`, its risks."""
        card, seen = self.scoring_system_.card, self._scores(rows.X)
        weights = question.problem.class_weights
        card = judged(card, seen, rows, self.positive_, unseen, self.calibrate, weights, cut)
        self.scoring_system_ = ScoringSystem(card)
        useless = no_better_than_baseline(card)
        if self.calibrate is not None and useless is not None:
            warnings.warn(useless, NoBetterThanBaselineWarning, stacklevel=users_level())

    def _towards_last(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert scores for the positive class to scores for ``classes_[1]``, as scikit-learn requires."""
        return scores if self.positive_ == self.classes_[1] else 0 - scores

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row for ``classes_[1]``, including the intercept.

        This is the score of the card, negated if ``classes_[0]`` is the positive class. Scores are computed
        exactly, with each float read as its shortest decimal, and then rounded to the nearest float:
        3·0.1 - 0.3 is 0. The sign is that of the class that the card gives: a total that just reaches a
        fractional threshold has the smallest score above 0, and one between whole totals that does not reach
        "k or more" has 0.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        ndarray of shape (n_samples,)
            The scores: above 0 predicts ``classes_[1]``, below 0 ``classes_[0]``.
        """
        check_is_fitted(self)
        return self._towards_last(self._decisive(X))

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Score rows as the card does."""
        if hasattr(self, "prepare_"):
            check_table(X, mappings=True)
            return score_table(self._card_for(X), as_table(X)).floats
        return scores_of_points(self.points_, read_features(self, X))

    def _card_for(self, X: Any) -> Card:
        """The card; for arrays, whose columns have no names to be taken for others, with every number."""
        card: Card = self.scoring_system_.card
        return accepting(card) if is_array(X) else card

    def _decisive(self, X: Any) -> NDArray[np.float64]:
        """Score rows as the card does; above 0 where it predicts the positive class, and nowhere else."""
        card: Card = self.scoring_system_.card
        if hasattr(self, "prepare_"):
            check_table(X, mappings=True)
            return score_table(self._card_for(X), as_table(X)).decisive
        scores, cutoff = self._scores(X), card.cutoff
        least = nearest_float(cutoff.threshold - card.zero_total)
        return decisive_floats(scores, scores >= least if cutoff.reached else scores > least)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: the positive class if the total reaches the card's threshold.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted labels.
        """
        check_is_fitted(self)
        is_positive = self._decisive(X) > 0
        is_last = is_positive if self.positive_ == self.classes_[1] else ~is_positive
        labels: NDArray[Any] = self.classes_[is_last.astype(np.intp)]
        return labels

    @_WithRisks
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row: of a risk model, or with `calibrate`.

        Probabilities that were calibrated and `predict` may disagree: the class depends on the threshold,
        while the probability is how often such scores had the positive class.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        card = self.scoring_system_.card
        assert card.risk is not None, "it has risks, or there is no such method"
        positive = card.risk.of(self._scores(X) + float(card.zero_total))
        last = positive if self.positive_ == self.classes_[1] else 1 - positive
        return np.column_stack([1 - last, last])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of the rows, or of their weight, that `predict` gets right.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to classify.
        y : array-like of shape (n_samples,)
            Their labels, all of them among ``classes_``.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.

        Returns
        -------
        float
            The accuracy.
        """
        # accuracy_score would refuse labels such as 2.5 and 7.25
        predicted, y = self.predict(X), read_known_labels(y, self.classes_)
        check_consistent_length(predicted, y, sample_weight)
        return float(np.average(predicted == y, weights=None if sample_weight is None else as_array(sample_weight)))

    def studio(self, X: Any = None, y: Any = None, *, folder: str | Path | None = None) -> Any:
        """Open the studio below this cell of a notebook, asking for what this classifier asks for.

        Parameters
        ----------
        X : frame, mapping of columns, or array, default=None
            The table to begin with; without it, the studio shows the tables and runs that its folder holds.
        y : array-like of shape (n_samples,), default=None
            Its labels, of two classes.
        folder : str or path, default=None
            Where tables and runs are kept; by default as for ``supersparse studio``.

        Returns
        -------
        widget
            Notebooks show it. It needs anywidget: ``pip install anywidget``.
        """
        try:
            from supersparse.show.studio.notebook import open_studio
        except ImportError as error:
            raise PackageNotInstalledError(f"the studio needs {error.name}: pip install starlette anywidget") from None
        title = name_of(y)
        return open_studio(X, y, target=title or "target", settings=self._recipe().settings.to_dict(), folder=folder)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """Return a seed; None always gives the same one, so fits are reproducible."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


def _count(weight: Fraction) -> int | float:
    """A weight of rows, as an int if it is whole."""
    return int(weight) if weight.denominator == 1 else float(weight)

"""What both classifiers share: from parameters to a solved problem, and from a model to predictions."""

from fractions import Fraction
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from supersparse.data.frames import as_frame, read_table
from supersparse.estimators.preparing import (
    TrainingRows,
    complete_only,
    new_preparation,
    raw_scores,
    read_raw_training,
    within_directions,
)
from supersparse.estimators.reading import as_array, read_features, read_training
from supersparse.estimators.reporting import logger, reporting
from supersparse.estimators.scores import score_rows
from supersparse.exact import nearest_float
from supersparse.faces import ScoringSystem
from supersparse.prepare import Prepare
from supersparse.problem.limits import Constraint
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem
from supersparse.solving.solution import Solution
from supersparse.solving.solve import solve

SHARED_CONSTRAINTS: dict[str, Any] = {
    "positive": "no_validation",  # any label; `read_rows` compares it with those of y
    "C1": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
    "points": [None, Integral, "array-like", CoefficientSet, dict],
    "max_points": [Interval(Integral, 1, None, closed="left")],
    "bounds": [None, list, tuple, dict],
    "levels": [None, list, tuple, dict],
    "max_features": [None, Interval(Integral, 0, None, closed="left")],
    "min_features": [None, Interval(Integral, 0, None, closed="left")],
    "constraints": [None, Constraint, list, tuple],
    "class_weight": [None, StrOptions({"balanced"}), dict],
    "intercept": [StrOptions({"free", "paper", "none"}), tuple, list],
    "calibrate": [None, StrOptions({"isotonic", "logistic"})],
    "prepare": [None, StrOptions({"auto"}), Prepare],
    "initial": "no_validation",  # a model of any kind; `start_from` reads it
    "solver": [str],
    "solver_options": [None, dict],
    "checkpoint": [None, str, PathLike],
    "time_limit": [None, Interval(Real, 0, None, closed="left")],
    "node_limit": [None, Interval(Integral, 0, None, closed="left")],
    "gap": [Interval(Real, 0, None, closed="left")],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


class ScoringSystemClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted scoring system as a classifier; subclasses say how it is learned."""

    def _read(
        self, X: Any, y: Any, sample_weight: Any, rate_groups: Any, splitter_groups: Any = None
    ) -> TrainingRows:
        """Return what to learn from, checked."""
        X, y = read_training(self, X, y) if self.prepare is None else read_raw_training(self, X, y)
        given = TrainingRows(
            X=X, y=y, sample_weight=sample_weight, rate_groups=rate_groups, splitter_groups=splitter_groups
        )
        return given if self.prepare is None else complete_only(self.prepare, given)

    def _problem(self, given: TrainingRows, C0: object) -> Problem:
        X, y, sample_weight = given.X, given.y, given.sample_weight
        names, bounds, constraints = None, self.bounds, self.constraints
        if self.prepare is not None:
            self.prepare_ = new_preparation(self.prepare).fit(X, y, sample_weight)
            self.prepare_.notes_[:0] = given.notes
            X, names = self.prepare_.transform(X), self.prepare_.get_feature_names_out().tolist()
            bounds = within_directions(self.bounds, self.prepare_.bounds_, names)
            constraints = (*as_tuple(self.constraints), *self.prepare_.constraints_)
        return Problem.of(
            X,
            y,
            feature_names=names,
            bounds=bounds,
            C0=C0,
            C1=self.C1,
            points=self.points,
            max_points=self.max_points,
            levels=self.levels,
            max_features=self.max_features,
            min_features=self.min_features,
            constraints=constraints,
            intercept=self.intercept,
            positive=self.positive,
            class_weight=self.class_weight,
            sample_weight=sample_weight,
            rate_groups=given.rate_groups,
        )

    def _learn(self, problem: Problem, start: Points | None, *, seed: int) -> Self:
        with reporting(self.verbose) as on_progress:
            options = {**self._options(seed), "initial": start, "on_progress": on_progress}
            solution = self._solve(problem, options)
            if self.verbose:
                logger.info("%s: %s", solution, solution.stop.value)
        return self._keep(solution)

    def _solve(self, problem: Problem, options: dict[str, Any]) -> Solution:
        return solve(problem, self.solver, checkpoint=self.checkpoint, **options)

    def _options(self, seed: int) -> dict[str, Any]:
        return {
            "time_limit": self.time_limit,
            "node_limit": self.node_limit,
            "gap": self.gap,
            "n_jobs": effective_n_jobs(self.n_jobs),
            "random_state": seed,
            "solver_options": self.solver_options or {},
        }

    def _keep(self, solution: Solution) -> Self:
        """Set the fitted attributes; the training rows are not among them."""
        names, evaluation = solution.problem.rows.names, solution.evaluation
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
        self.scoring_system_ = ScoringSystem.from_solution(solution)
        if self.prepare is not None:
            self.scoring_system_ = ScoringSystem(self.prepare_.raw_card(self.scoring_system_.card))
        self.ignored_features_ = np.array([names[j] for j in solution.problem.ignored], dtype=object)
        return self

    def _remember(self, given: TrainingRows) -> None:
        """Let a card on raw columns keep what its items gave on the training rows; others know it already."""
        if self.prepare is not None:
            self.scoring_system_ = self.scoring_system_.remember(given.X, sample_weight=given.sample_weight)

    def _towards_last(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn scores of the positive class into those of ``classes_[1]``, which scikit-learn asks for."""
        return scores if self.positive_ == self.classes_[1] else 0 - scores

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row, the intercept included, for ``classes_[1]``.

        That is the score of the card, or minus that score where `positive` names ``classes_[0]``. Scores are
        computed exactly, a float being read as its shortest decimal, and then rounded to the nearest float:
        3·0.1 - 0.3 is 0.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        ndarray of shape (n_samples,)
            The scores: above 0 ``classes_[1]`` is predicted, below 0 ``classes_[0]``.
        """
        check_is_fitted(self)
        return self._towards_last(self._scores(X))

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Score rows as the card does: above 0 the positive class is predicted."""
        if self.prepare is not None:
            return raw_scores(self.scoring_system_, X)
        X = read_features(self, X)
        support = self.points_.support
        if as_frame(X) is not None:
            columns = read_table(X)[1]
            return score_rows(self.points_, [columns[j] for j in support], len(columns[0]))
        part = X[:, list(support)]
        dense = part.toarray() if hasattr(part, "toarray") else part
        return score_rows(self.points_, list(dense.T), len(dense))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: the positive class where the card's score is above 0.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted labels. A score of exactly 0 gives the negative class.
        """
        check_is_fitted(self)
        is_positive = self._scores(X) > 0
        is_last = is_positive if self.positive_ == self.classes_[1] else ~is_positive
        labels: NDArray[Any] = self.classes_[is_last.astype(np.intp)]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the rows, or of their weight, that `predict` gets right.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows to classify.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.

        Returns
        -------
        float
            The accuracy.
        """
        # not accuracy_score: that refuses labels such as 2.5 and 7.25
        predicted, y = self.predict(X), column_or_1d(y)
        check_consistent_length(predicted, y, sample_weight)
        return float(
            np.average(predicted == y, weights=None if sample_weight is None else as_array(sample_weight))
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def as_tuple(constraints: Any) -> tuple[Any, ...]:
    """Return constraints given as one, as several or not at all."""
    if constraints is None:
        return ()
    return (constraints,) if isinstance(constraints, Constraint) else tuple(constraints)


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """Return a seed: the same one for None, so that a fit repeats."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


def _count(weight: Fraction) -> int | float:
    """A weight of rows: a whole number where it is one."""
    return int(weight) if weight.denominator == 1 else float(weight)

"""The base of all classifiers: parameters, copies, and from a fitted model to predictions."""

from collections.abc import Callable
from copy import copy
from functools import update_wrapper
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from supersparse.base.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError
from supersparse.base.exact import nearest_float
from supersparse.card.card import Card
from supersparse.card.checks import accepting
from supersparse.card.export.estimator import PlainState
from supersparse.card.scoring import decisive_floats, score_table
from supersparse.learn.scoring import scores_of_points
from supersparse.show.estimators.reading import check_table, read_features, read_known_labels
from supersparse.table.sources import as_array, as_table, is_array

if TYPE_CHECKING:  # fit loads the solvers and what a card looks like
    from supersparse.engine.options import SolverKeywords
    from supersparse.engine.solution import Solution
    from supersparse.learn.recipe import PreparedProblem
    from supersparse.show.document import ScoringSystem


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


class ScoringSystemClassifier(PlainState, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scoring system as a classifier; subclasses define how it is learned, with `learning`."""

    scoring_system_: "ScoringSystem"

    def _solve(self, question: "PreparedProblem", options: "SolverKeywords") -> "Solution":
        self.__dict__.pop("tie_break_", None)  # of an earlier fit
        if question.recipe.slack is None:
            return question.solve(**options)
        self.tie_break_ = question.tie_break(**options)
        return self.tie_break_.solution

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
            from supersparse.learn.prepare.prepare import Prepare

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
        """A pickle holds plain data, and leaves out the executor, which is of this process and not of the model."""
        return {**super().__getstate__(), "executor": None}

    def _towards_last(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert scores for the positive class to scores for ``classes_[1]``, as scikit-learn requires."""
        return scores if self.positive_ == self.classes_[1] else 0 - scores

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row for ``classes_[1]``, including the intercept.

        This is the score of the card, negated if ``classes_[0]`` is the positive class. Scores are computed exactly,
        with each float read as its shortest decimal, and then rounded to the nearest float: 3·0.1 - 0.3 is 0. The sign
        is that of the class that the card gives: a total that just reaches a fractional threshold has the smallest
        score above 0, and one between whole totals that does not reach "k or more" has 0.

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
        if hasattr(self, "prepare_"):
            return score_table(self._card_for(X), self._raw(X)).floats
        return scores_of_points(self.points_, read_features(self, X))

    def _card_for(self, X: Any) -> Card:
        """The card; for arrays, whose columns have no names to be taken for others, with every number."""
        card: Card = self.scoring_system_.card
        return accepting(card) if is_array(X) else card

    def _raw(self, X: Any) -> Any:
        """Check that rows may be raw ones of the columns that were learned from."""
        check_table(X, mappings=True)
        known, width = self.prepare_.n_features_in_, X.shape[1] if hasattr(X, "shape") and is_array(X) else None
        if width is not None and width != known:
            raise InvalidDataError(
                f"X has {width} features, but {type(self).__name__} is expecting {known} features as input",
                "without names of columns it must have those of the training table, else give a data frame",
            )
        return as_table(X)

    def _decisive(self, X: Any) -> NDArray[np.float64]:
        """Score rows as the card does; above 0 where it predicts the positive class, and nowhere else."""
        card: Card = self.scoring_system_.card
        if hasattr(self, "prepare_"):
            return score_table(self._card_for(X), self._raw(X)).decisive
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
        from supersparse.learn.rows import name_of
        from supersparse.show.estimators.learning import recipe_of

        settings = recipe_of(self).settings.to_dict()
        return open_studio(X, y, target=name_of(y) or "target", settings=settings, folder=folder)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.string = tags.input_tags.allow_nan = self.prepare is not None
        return tags

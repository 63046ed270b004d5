"""RiskScoreClassifier and RiskScoreClassifierCV: scoring systems whose risks are what was learned."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from supersparse.base.errors import InvalidOptionError, SkippedFoldsWarning, warn
from supersparse.base.schema.tree import label_text
from supersparse.learn.choice import RULES, Candidate, choose_penalty
from supersparse.learn.comparison import CARD, Measures, at_most
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.validation import Validation
from supersparse.show.estimators.base import ScoringSystemClassifier
from supersparse.show.estimators.learning import (
    folds_of,
    folds_with,
    learn,
    logger,
    read_training,
    recipe_of,
    reporting,
)
from supersparse.show.estimators.parameters import RiskCVParameters, RiskParameters
from supersparse.show.estimators.slim_cv import SLIMClassifierCV


class _RiskModel(ScoringSystemClassifier):
    """The parts of a risk model that both classifiers share."""

    goal = "risk"
    calibrate = None  # the risks are the model; see `predict_proba`


class RiskScoreClassifier(RiskParameters, _RiskModel):
    """Learn a risk score: at most six questions with whole points for each answer, and a risk for each total.

    Minimises the log loss of the risks plus C0 times the number of questions, to a proven optimum, on labels
    blended with the risks of a `teacher`. The risk is 1 / (1 + exp(-(slope * total + offset))). Columns may be
    raw: numbers are cut into bands, and categories grouped. With ``questions=False`` the card has yes/no
    features with one number of points each, with ``prepare=None`` the numbers are the features; both are
    learned from the labels as they are, and their settings are those of `SLIMClassifier`. The effect of a
    question or feature is limited: slope times the standard deviation of its points is at most 30.

    Parameters
    ----------
    max_features : int, None or "auto", default="auto"
        Maximum number of features. "auto" means 10; None means no limit. Refused with questions, as `points`,
        `bounds`, `levels`, `C1` and `min_features` are.
    prepare : "auto", Prepare or None, default="auto"
        How raw columns become questions or features, as in `SLIMClassifier`; None uses numbers as they are.
    constraints : list of constraints, default=None
        Constraints on the features, points and rates of errors; see `supersparse.constraints`. Slope and
        intercept always have the least loss, so that the risks stay what the rows say. A constraint on rates,
        such as `max_error` or `min_sensitivity`, excludes the cards whose predictions at `risk_threshold`
        violate it.
    risk_threshold : float, default=None
        Risk above which `predict` says the positive class, and rates are counted. None means 0.5. With a free
        slope, a fitted risk equal to it counts as above; with slope 1, a risk of exactly 0.5 counts as wrong
        for both classes.
    class_weight : None, "balanced", "auto" or dict, default=None
        Weight of each class in the loss. Weights other than None distort the risks. "auto" means None.
    certificate : path, default=None
        File for a proof that no card is better, for cards of questions; see docs/certificates.md.

    Attributes
    ----------
    loss_ : float
        The log loss of the training rows, by weight.
    slope_ : float
        The log odds of one point.
    offset_ : float
        The log odds of a total of 0: the intercept of the risk.
    intercept_ : ndarray of shape (1,)
        Where `predict` changes its mind, with the sign of ``coef_``: a row with a risk above `risk_threshold`
        has a score above 0. It lies between two totals, such as -4.5, and is not ``offset_``.
    objective_, lower_bound_, gap_ : float
        Log loss plus penalties, the proven lower bound on that of any card, and the relative gap.
    proven_optimal_ : bool
        Whether it is proven that no card with these settings is better by more than 1e-9.
    scoring_system_ : ScoringSystem
        The scoring system, with its risks.
    points_, coef_, classes_, positive_, stop_, trace_, prepare_, ignored_features_, validation_
        As in `SLIMClassifier`; the intercept of ``points_`` is that of ``intercept_``.

    Examples
    --------
    >>> from supersparse import RiskScoreClassifier
    >>> table = {"age": [20 + 3 * (7 * i % 20) for i in range(60)], "even": [0, 1] * 30}
    >>> model = RiskScoreClassifier().fit(table, [age > 50 for age in table["age"]])
    >>> model.scoring_system_.card.columns, model.proven_optimal_
    (('age',), True)
    >>> model.predict({"age": [40, 60]})
    array([False,  True])
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, [0, 1, 1, 0] * 4 + [1, 0, 0, 1]
    >>> model = RiskScoreClassifier(prepare=None, max_points=3).fit(X, y)
    >>> model.coef_, model.proven_optimal_
    (array([[1., 0.]]), True)
    >>> model.predict_proba([[1, 0], [0, 0]]).round(2)
    array([[0.2, 0.8],
           [0.8, 0.2]])
    """

    __module__ = "supersparse"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        rate_groups: Any = None,
        groups: Any = None,
        times: Any = None,
        horizon: Any = None,
        censored: Any = None,
    ) -> Self:
        """Learn a risk score.

        Parameters
        ----------
        X, y, sample_weight, rate_groups
            As in `SLIMClassifier.fit`.
        groups : array-like of shape (n_samples,), default=None
            Groups such as patients, one label per row: `validate` keeps each in one fold, and so does the teacher.
        times : array-like of shape (n_samples,), default=None
            How long each row was followed; y then says what ended it: the event (`positive`), or a loss.
        horizon : float, default=None
            With `times`: the risk is that of the event within this time. Rows weigh by the inverse of the chance not
            to be lost before, in every fold anew.
        censored : label, default=None
            The value of y for a loss, where y has more than two. Other values are events that rule this one out.

        Returns
        -------
        self
        """
        if (times is None) != (horizon is None):
            raise InvalidOptionError("times and horizon belong together", "give both, or none")
        about = None
        if times is not None:
            event = None if self.positive is None else label_text(self.positive)
            about = {"times": times, "horizon": horizon, "event": event, "censored": censored}
        learn(self, *read_training(self, X, y, sample_weight, rate_groups, groups, about), folds_of)
        return self


class RiskScoreClassifierCV(RiskCVParameters, _RiskModel, SLIMClassifierCV):
    """Learn a risk score, with the number of questions chosen by cross-validated log loss.

    Cards of 1 to `max_questions` questions are compared on the held-out rows of each fold. With
    ``questions=False`` it chooses C0 instead, as `SLIMClassifierCV` does, with log loss in place of errors:
    ``cv_results_["mean_test_score"]`` is minus the mean log loss of the held-out rows.

    Parameters
    ----------
    max_questions : int or "auto", default="auto"
        Largest number of questions to try. "auto" means 6.
    questions, slope, prepare, constraints, risk_threshold, class_weight
        As in `RiskScoreClassifier`.

    Attributes
    ----------
    max_questions_ : int
        The chosen number of questions; with ``questions=False`` there is ``C0_`` instead, and all else as in
        `SLIMClassifierCV`.
    max_questions_by_rule_ : dict
        The number that each rule would choose.
    best_index_, best_score_ : int, float
        Its index in ``cv_results_``, and minus its mean log loss.
    cv_results_ : dict of arrays
        ``params``, ``param_max_questions``, ``split0_test_score``, ..., ``mean_test_score``, ``std_test_score``
        and ``rank_test_score``.
    n_splits_ : int
        The number of folds that there was time for.

    Examples
    --------
    >>> from supersparse import RiskScoreClassifierCV
    >>> table = {"age": [20 + 3 * (7 * i % 20) for i in range(60)], "even": [0, 1] * 30}
    >>> model = RiskScoreClassifierCV(cv=3, time_limit=None)
    >>> model = model.fit(table, [age > 50 for age in table["age"]])
    >>> model.scoring_system_.card.columns, 1 <= model.max_questions_ <= 6
    (('age',), True)
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, [0, 1, 1, 0] * 4 + [1, 0, 0, 1]
    >>> RiskScoreClassifierCV(prepare=None, max_points=3, Cs=[0.01, 0.3], cv=2).fit(X, y).C0_
    0.01
    """

    __module__ = "supersparse"

    certificate = None

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, rate_groups: Any = None
    ) -> Self:
        """Choose the size by cross-validation and learn a risk score from all rows.

        Parameters
        ----------
        X, y, sample_weight, groups, rate_groups
            As in `SLIMClassifierCV.fit`.

        Returns
        -------
        self
        """
        if not recipe_of(self).settings.asks_questions:
            return super().fit(X, y, sample_weight, groups, rate_groups)
        self._check_rule()
        if not np.array_equal(self.Cs, type(self)().Cs):
            raise InvalidOptionError(
                "Cs are prices of features to choose from, and the size of this card is chosen in questions",
                "give max_questions, the most to try, or questions=False",
                subject="Cs",
            )
        recipe, rows = read_training(self, X, y, sample_weight, rate_groups, groups)
        limit = recipe.options.get("time_limit")
        half = recipe if limit is None else replace(recipe, options={**recipe.options, "time_limit": limit / 2})
        validation = self._judged(half, rows)
        self._choose_size([results[0].compared or {} for results in validation.by_fold], half.settings.most_questions)
        self.n_splits_ = self._judged(half.asking(max_questions=self.max_questions_), rows).folds
        return self

    def _judged(self, recipe: Recipe, rows: TrainingRows) -> Validation:
        """Learn a card, and judge it by the folds."""
        validation = learn(self, recipe, rows, lambda *_: folds_with(self, self._splits(rows), Cs=None)).validation
        assert validation is not None, "a fold is learned even without any time"
        return validation

    def _choose_size(self, by_fold: Sequence[Mapping[str, Measures]], most: int) -> None:
        sizes = [
            k for k in range(1, 1 + max(map(len, by_fold), default=0)) if all(at_most(k) in fold for fold in by_fold)
        ]
        losses = {k: [fold[at_most(k)].log_loss for fold in by_fold] for k in sizes}
        if not sizes:
            sizes, losses = [most], {most: [fold[CARD].log_loss for fold in by_fold]}
            warn(
                f"no fold had the time to compare sizes, so the card may ask {most} questions; raise time_limit",
                SkippedFoldsWarning,
            )
        candidates = [
            Candidate(C0=0.0, errors=tuple(map(Fraction, of_folds)), sizes=(k,) * len(of_folds))
            for k, of_folds in losses.items()
        ]
        choices = {rule: choose_penalty(candidates, rule) for rule in RULES}
        self.best_index_ = choices[self.rule]
        self.max_questions_ = sizes[self.best_index_]
        self.max_questions_by_rule_ = {rule: sizes[index] for rule, index in choices.items()}
        scores = -np.array([losses[k] for k in sizes])
        self.cv_results_ = {
            "params": [{"max_questions": k} for k in sizes],
            "param_max_questions": np.ma.MaskedArray(sizes, mask=False),
            **{f"split{k}_test_score": column for k, column in enumerate(scores.T)},
            "mean_test_score": scores.mean(axis=1),
            "std_test_score": scores.std(axis=1, ddof=min(1, scores.shape[1] - 1)),
        }
        mean = self.cv_results_["mean_test_score"]
        self.cv_results_["rank_test_score"] = np.array([1 + int((mean > one).sum()) for one in mean], dtype=np.int32)
        self.best_score_ = float(mean[self.best_index_])
        with reporting(self.verbose):
            for k, one in zip(sizes, mean, strict=True):
                logger.info("%s  log loss %.4f", at_most(k), -one)

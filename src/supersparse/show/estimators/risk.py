"""RiskScoreClassifier and RiskScoreClassifierCV: scoring systems whose risks are what was learned."""

from typing import Any, Self

from supersparse.show.estimators.base import ScoringSystemClassifier
from supersparse.show.estimators.learning import folds_of, learn, read_training
from supersparse.show.estimators.parameters import RiskCVParameters, RiskParameters
from supersparse.show.estimators.slim_cv import SLIMClassifierCV


class _RiskModel(ScoringSystemClassifier):
    """What both classifiers keep of a risk model."""

    goal = "risk"
    calibrate = None  # the risks are the model; see `predict_proba`


class RiskScoreClassifier(RiskParameters, _RiskModel):
    """Learn a risk score: few features with small whole points, and a risk for each total.

    Minimises the log loss of the risks plus C0 times the number of features, to a proven optimum. The risk
    is 1 / (1 + exp(-(slope * total + offset))). Settings are those of `SLIMClassifier`. The effect of a
    feature is limited: slope times points times the standard deviation of its column is at most 30.

    Parameters
    ----------
    C0 : float, array-like of shape (n_features,) or dict, default=None
        Cost of a feature: the log loss it must save to be used. None means 0.01.
    slope : "free" or 1, default="free"
        The log odds of one point. With 1, the offset is whole, as in RiskSLIM.
    max_points : int or "auto", default="auto"
        Largest points of a feature, plus or minus, unless `points` sets them. "auto" means 5.
    max_features : int, None or "auto", default="auto"
        Maximum number of features. "auto" means 10; None means no limit.
    constraints : list of constraints, default=None
        Constraints on the features, points and rates of errors; see `supersparse.constraints`. Slope and
        intercept always have the least loss, so that the risks stay what the rows say. A constraint on rates,
        such as `max_error` or `min_sensitivity`, excludes the cards whose predictions at `risk_threshold`
        violate it.
    risk_threshold : float, default=None
        Risk above which `predict` says the positive class, and rates are counted. None means 0.5. With a free
        slope, a fitted risk equal to it counts as above; with slope 1, a risk of exactly 0.5 counts as wrong
        for both classes.
    class_weight : None, "balanced", "auto" or dict, default="auto"
        Weight of each class in the loss. Weights other than None distort the risks. "auto" means None.
    certificate : path, default=None
        File for a proof that no card is better, for cards of questions; see docs/certificates.md.
    validate, prepare, initial, solver, solver_options, checkpoint, time_limit, node_limit, gap, n_jobs, executor, \
random_state, verbose
        As in `SLIMClassifier`.

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
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, [0, 1, 1, 0] * 4 + [1, 0, 0, 1]
    >>> model = RiskScoreClassifier(max_points=3).fit(X, y)
    >>> model.coef_, model.proven_optimal_
    (array([[1., 0.]]), True)
    >>> model.predict_proba([[1, 0], [0, 0]]).round(2)
    array([[0.2, 0.8],
           [0.8, 0.2]])
    """

    __module__ = "supersparse"

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, rate_groups: Any = None, groups: Any = None
    ) -> Self:
        """Learn a risk score.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            Training data. Data frames keep their feature names.
        y : array-like of shape (n_samples,)
            Labels, of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Weight k equals k copies of a row; weight 0 leaves it out.
        rate_groups : dict of array-likes, frame or array-like of shape (n_samples,), default=None
            As in `SLIMClassifier.fit`.
        groups : array-like of shape (n_samples,), default=None
            Groups such as patients, one label per row: `validate` keeps each in one fold, and so does the teacher.

        Returns
        -------
        self
        """
        learn(self, *read_training(self, X, y, sample_weight, rate_groups, groups), folds_of)
        return self


class RiskScoreClassifierCV(RiskCVParameters, _RiskModel, SLIMClassifierCV):
    """Learn a risk score, with C0 chosen by cross-validated log loss.

    As `SLIMClassifierCV`, with log loss in place of errors: ``cv_results_["mean_test_score"]`` is minus the
    mean log loss of the held-out rows.

    Parameters
    ----------
    Cs : int or array-like, default=6
        Values of C0 to try, or how many.
    cv : int, splitter or iterable, default=5
        How the rows are divided.
    rule : {"best", "one_sd", "one_se"}, default="best"
        Which value of C0 is chosen, as in `SLIMClassifierCV`.
    slope : "free" or 1, default="free"
        As in `RiskScoreClassifier`, with its other parameters.

    Attributes
    ----------
    C0_ : float
        The chosen value; other attributes are those of `RiskScoreClassifier` and `SLIMClassifierCV`.

    Examples
    --------
    >>> from supersparse import RiskScoreClassifierCV
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, [0, 1, 1, 0] * 4 + [1, 0, 0, 1]
    >>> RiskScoreClassifierCV(max_points=3, Cs=[0.01, 0.3], cv=2).fit(X, y).C0_
    0.01
    """

    __module__ = "supersparse"

    certificate = None  # its cards ask no questions

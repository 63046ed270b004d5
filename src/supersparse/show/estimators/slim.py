"""SLIMClassifier: one scoring system for one C0."""

from typing import Any, Self

from supersparse.show.estimators.base import ScoringSystemClassifier
from supersparse.show.estimators.parameters import SLIMParameters


class SLIMClassifier(SLIMParameters, ScoringSystemClassifier):
    """Learn a scoring system: a linear classifier with few features and small whole points.

    Minimises the error rate plus C0 times the number of features, exactly. Ties go to the model with the
    smallest points. A row counts as an error if its score has the wrong sign or is 0. Labels can be any
    two values; see `positive`.

    Parameters
    ----------
    teacher : "auto", "ridge", "none", None, classifier, str or array-like, default=None
        The model of all columns with whose risks labels are blended, as in `RiskScoreClassifier`: a row of blended
        label p counts ``|2 p - 1|`` times, for the class that p favours. Class weights decide with p which class an
        error costs more. Errors, sensitivity and all other numbers are of the true labels; the objective is not.
        None and "none" learn from the labels as they are.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order.
    positive_ : label
        The positive class, used by `points_`, `scoring_system_`, sensitivity and specificity.
    coef_ : ndarray of shape (1, n_features)
        The points of each feature, negated if ``classes_[0]`` is the positive class.
    intercept_ : ndarray of shape (1,)
        The intercept, with the same sign as ``coef_``.
    points_ : Points
        The points and the intercept of the card, exactly.
    prepare_ : Prepare
        The fitted preparation; only with `prepare`. ``prepare_.notes_`` describes what it did, and
        ``prepare_.features_`` are the features of ``coef_``.
    scoring_system_ : ScoringSystem
        The scoring system, which can be printed, saved and used to score rows. Has risks with `calibrate`.
    objective_, lower_bound_, gap_ : float
        The objective, the proven lower bound on that of any model, and the relative gap,
        ``(objective_ - lower_bound_) / objective_``.
    proven_optimal_ : bool
        Whether it is proven that no scoring system with these settings has a lower objective.
    proven_smallest_ : bool
        Whether it is also proven that none with the same objective has a smaller sum of points.
    training_errors_ : int or float
        Weight of the training rows in error. A score of 0 is an error for both classes.
    predicted_errors_ : int or float
        Weight of the training rows that `predict` gets wrong. A score of 0 predicts the negative class.
    training_sensitivity_, training_specificity_ : float
        Share of the positive and of the negative training rows that is right, by weight. A score of 0 is
        wrong for both classes.
    tie_break_ : TieBreak
        With ``tie_break="log_loss"``: the log loss of the card, with risks logistic in its total, the number
        of cards compared, and whether it is proven that none within the slack is better by more than 1e-9.
    validation_ : dict
        With `validate`: what the held-out rows say, by measure; the card keeps it, too.
    stop_ : Stop
        Why the solver stopped.
    trace_ : Trace
        Models and bounds over time.
    ignored_features_ : ndarray
        Names of the constant columns, which get 0 points.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if all are strings.

    Notes
    -----
    Ctrl-C stops the search and keeps the best model so far, with a `NotProvenWarning`; see ``stop_``. A
    second Ctrl-C, or one during the fits of `calibrate`, interrupts. A grid search or cross-validation goes
    on with its next fit after the first Ctrl-C, and ends at a second during the same fit.

    Examples
    --------
    >>> from supersparse import SLIMClassifier
    >>> X = [[0, 1], [1, 0], [2, 1], [3, 0]]
    >>> model = SLIMClassifier(C0=0.25, max_points=5, solver="exhaustive").fit(X, ["a", "a", "b", "b"])
    >>> model.coef_, model.intercept_, model.proven_optimal_
    (array([[1., 0.]]), array([-1.5]), True)
    >>> model.predict([[1, 1], [2, 0]])
    array(['a', 'b'], dtype='<U1')
    """

    __module__ = "supersparse"

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, rate_groups: Any = None, groups: Any = None
    ) -> Self:
        """Learn a scoring system.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            Training data. Data frames keep their feature names.
        y : array-like of shape (n_samples,)
            Labels, of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Weight k equals k copies of a row; weight 0 leaves it out.
        rate_groups : dict of array-likes, frame or array-like of shape (n_samples,), default=None
            Groups for constraints on rates by group: for each name, one label per row. A frame uses its
            column names, and scikit-learn can split it into folds. An array is named "group".
        groups : array-like of shape (n_samples,), default=None
            Groups such as patients, one label per row: `calibrate` and `validate` keep each in one fold.

        Returns
        -------
        self
        """
        from supersparse.show.estimators.learning import folds_of, learn, read_training

        recipe, rows = read_training(self, X, y, sample_weight, rate_groups, groups)
        learn(self, recipe, rows, folds_of)
        return self

"""SLIMClassifier: one scoring system for one C0."""

from typing import Any, Self

from sklearn.base import clone

from supersparse.estimators.base import ScoringSystemClassifier
from supersparse.estimators.parameters import takes_settings
from supersparse.learning.calibrating import learn_without, weighty_folds
from supersparse.learning.starting import start_from


@takes_settings()
class SLIMClassifier(ScoringSystemClassifier):
    """A scoring system with the least training error plus C0 for each feature used.

    It minimises the share of wrong rows + C0·(number of features), exactly; of all models
    with the least value it takes one with the smallest coefficients. A row is wrong when its
    score has the wrong sign or is 0. Labels may be any two values; the larger in sorted
    order is the positive class unless `positive` names the other.

    Parameters
    ----------
    C0 : float, array-like of shape (n_features,) or dict, default=None
        The training error that a feature must save to be used: 0.01 is one row in a hundred.
        A dict gives values by feature name or pattern, ``{"age*": 0.02, "*": 0.01}``.
        None is 0.01; `levels` take the place of C0.
    positive : label, default=None
        The class that the card gives points for and that `min_sensitivity` protects: ``positive="case"``.
        None: the larger label in sorted order; of "case" and "control" that is "control". ``classes_`` stays
        sorted, because the scorers of scikit-learn rely on it. Where labels are encoded before the
        fit (stacking, `cross_val_predict` with ``method="decision_function"``), give the code, 0 or 1.
    C1 : "auto" or float, default="auto"
        "auto": of all models with the least objective, one with the least sum of absolute
        coefficients, exactly. A number is a penalty on that sum, honoured as written.
    points : None, int, array-like, CoefficientSet or dict, default=None
        The values a coefficient may take: None for the integers up to ``max_points``, a set
        for all features, or a dict of sets by feature name or pattern.
    max_points : int or "auto", default="auto"
        The largest magnitude of a coefficient that no set speaks of; "auto" is 100, and 5 with `prepare`.
    bounds : (low, high), list of pairs or dict of pairs, default=None
        The least and the largest coefficient, None where an end is open: ``{"age*": (0, None)}``. They narrow
        the sets, for all features, for each, or by feature name or pattern.
    levels : list of (values, penalty) or dict of such lists, default=None
        Penalties by the values of a coefficient, the most welcome values first:
        ``[([-1, 1], 0.01), ([-2, 2], 0.02)]``. They take the place of `C0` and `points`, for
        all features or, in a dict, for those named; 0 costs nothing unless a level holds it.
    max_features : int, None or "auto", default="auto"
        The largest number of features; "auto" is no limit, and 10 with `prepare`.
    min_features : int, default=None
        The smallest number of features.
    constraints : list of constraints, default=None
        What else the scoring system must obey; see `supersparse.constraints`.
    class_weight : None, "balanced", "auto" or dict, default="auto"
        What an error costs in each class; "balanced" gives both classes half of the total. "auto" is None,
        and with `prepare` it is "balanced" where one class has less than a fifth of the rows.
    intercept : {"free", "paper", "none"} or (low, high), default="free"
        "free": the threshold lies anywhere, and costs nothing. A pair bounds the intercept, which is then a
        multiple of the coefficients' unit. "paper": a coefficient like the others, penalised and counted.
        "none": 0.
    calibrate : {"isotonic", "logistic"}, default=None
        Whether there is `predict_proba`, and how scores become probabilities. It takes up to five more fits:
        the risk of a score is learned from rows that were left out of the fit that scored them. The
        points are the same with and without it.
    prepare : None, "auto" or Prepare, default=None
        How raw columns become features, inside of fit: numbers are cut, categories and missing values get
        features of their own, and the scoring system speaks of raw columns. X may then be a mapping of
        columns too, and hold text and blanks. "auto" is ``Prepare()``. Settings by feature name
        speak of the prepared features: ``constraints.at_most(1, of="age *")``.
    initial : model, default=None
        Where the search starts: a `Solution`, `Points` or a `ScoringSystem` on the same features; a fitted
        linear classifier, or its coefficients, which `supersparse.rounded` brings into the sets; or a linear
        classifier that is not fitted, such as ``LogisticRegression()``, which is fitted to the training rows
        first. In cross-validation each fit has a start of its own: scikit-learn's clones are not fitted.
    solver : str, default="auto"
        "auto", or a name that ``supersparse solvers`` lists.
    solver_options : dict, default=None
        Options of the solver, by its own names.
    checkpoint : path, default=None
        A file to save the open search to, every ten seconds and when a limit stops it. The same fit with the
        same file goes on from there. The fits of `calibrate` are not saved.
    time_limit : float, default=60
        Seconds to spend on a fit; the best model found by then is kept. None: no limit.
    node_limit : int, default=None
        The same in units of work that do not depend on the machine: with ``time_limit=None``
        every run gives the same model.
    gap : float, default=0.0
        Stop when the objective is proven to be within this share of the best possible.
    n_jobs : int, default=None
        Threads of one solve; None is 1, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the search; None is 0, so that a fit repeats.
    verbose : int, default=0
        1: one line of progress a second, 2: every line, through the logger "supersparse", or
        to standard error where no logging is set up.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order.
    positive_ : label
        The positive class: that of `points_`, `scoring_system_`, sensitivity and specificity.
    coef_ : ndarray of shape (1, n_features)
        The points of each feature; their negatives where ``classes_[0]`` is the positive class.
    intercept_ : ndarray of shape (1,)
        The intercept, with the same sign as ``coef_``.
    points_ : Points
        The points and the intercept of the card, exactly.
    prepare_ : Prepare
        The fitted preparation, with what it did in ``prepare_.notes_``; only with `prepare`. The features
        of ``coef_`` are then ``prepare_.features_``.
    scoring_system_ : ScoringSystem
        The scoring system: prints as a card, scores, saves itself; with `calibrate` it has risks.
    objective_, lower_bound_, gap_ : float
        The value reached, what is proven about any other model, and
        ``(objective_ - lower_bound_) / objective_``.
    proven_optimal_ : bool
        Whether no allowed scoring system has a smaller objective.
    proven_smallest_ : bool
        Whether, besides, none with that objective has smaller coefficients.
    training_errors_ : int or float
        The weight of the training rows in error, a score of 0 being an error for both classes.
    predicted_errors_ : int or float
        The weight of those that `predict` gets wrong, a score of 0 being the negative class.
    training_sensitivity_, training_specificity_ : float
        The share of the positive, and of the negative, training rows that is right, by weight,
        a score of 0 being wrong for both classes.
    stop_ : Stop
        Why the solver stopped.
    trace_ : Trace
        The models and bounds found over time.
    ignored_features_ : ndarray
        Names of the constant columns; their coefficient is 0.
    n_features_in_ : int
        Number of features seen by fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where all are text.

    Notes
    -----
    Ctrl-C during a fit keeps the best model found; ``stop_`` then says so. A second Ctrl-C
    interrupts as usual.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, rate_groups: Any = None) -> Self:
        """Learn a scoring system.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            The rows; any data frame that narwhals reads keeps its feature names.
        y : array-like of shape (n_samples,)
            Labels of two values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k is the same as k copies of a row, weight 0 as leaving it out.
        rate_groups : dict of array-likes, frame or array-like of shape (n_samples,), default=None
            The groups that constraints speak of: a label for each row, by name. A frame has a
            name for each column, and scikit-learn can divide it among folds; an array is
            called "group".

        Returns
        -------
        self
        """
        recipe, rows = self._read(X, y, sample_weight, rate_groups)
        question = recipe.question(rows)
        self._learn(question, rows, start_from(self.initial, question.problem))
        if self.calibrate is not None:
            folds = weighty_folds(rows, self.positive_)
            self._keep_risks(rows, learn_without(recipe, rows, folds, _unfitted(self.initial)))
        return self


def _unfitted(initial: Any) -> Any:
    """Return a linear model without what it learned: fitted to all rows, it would tell of those left out."""
    return clone(initial) if hasattr(initial, "fit") else initial

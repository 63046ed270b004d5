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
    C0 : float, array-like of shape (n_features,) or dict, default=None
        Cost of a feature: the error rate it must save to be used. 0.01 is one row in a hundred.
        A dict sets costs by feature name or pattern: ``{"age*": 0.02, "*": 0.01}``.
        None means 0.01. `levels` replace C0.
    positive : label, default=None
        The positive class: a high score predicts it, and `min_sensitivity` refers to it. By default, it is
        the larger of two numbers; of two texts the one with a usual name ("yes", "case", "died",
        "malignant"), else the rarer one. ``classes_`` stays sorted, as scikit-learn's scorers require. If
        labels are encoded before the fit (stacking, or `cross_val_predict` with
        ``method="decision_function"``), give the code, 0 or 1.
    C1 : "auto" or float, default="auto"
        Penalty on the sum of absolute points. "auto" breaks ties exactly: of all optimal models, it
        returns one with the smallest sum.
    points : None, int, array-like, CoefficientSet or dict, default=None
        Values that points may take: one set for all features, or a dict of sets by feature name or
        pattern. None means whole numbers from ``-max_points`` to ``max_points``.
    max_points : int or "auto", default="auto"
        Largest points of a feature, plus or minus, unless `points` sets them. "auto" means 10.
    bounds : (low, high), list of pairs or dict of pairs, default=None
        Smallest and largest points, for all features, for each, or by feature name or pattern. None
        leaves an end open: ``{"age*": (0, None)}`` forbids negative points.
    levels : list of (values, penalty) or dict of such lists, default=None
        Penalties by the value of the points, cheapest first: ``[([-1, 1], 0.01), ([-2, 2], 0.02)]``.
        They replace `C0` and `points`, for all features or, in a dict, for those named. 0 is free unless a
        level contains it.
    max_features : int, None or "auto", default="auto"
        Maximum number of features. "auto" means 10; None means no limit.
    min_features : int, default=None
        Minimum number of features.
    constraints : list of constraints, default=None
        Constraints on the scoring system; see `supersparse.constraints`.
    class_weight : None, "balanced", "auto" or dict, default=None
        Cost of an error in each class. "balanced" gives both classes the same total. "auto" means
        "balanced" if `prepare` is set and one class has less than a fifth of the rows, otherwise None.
    objective : {"errors", "net_benefit"}, default="errors"
        What is counted. "net_benefit" is a name for the class weights that it amounts to at `risk_threshold`:
        t for the negative and 1 - t for the positive class, times 2.
    risk_threshold : float, default=None
        The risk above which one would act, such as 0.2; only with ``objective="net_benefit"``.
    intercept : {"free", "paper", "none"} or (low, high), default="free"
        "free": any threshold, at no cost. A pair: an intercept in this range, a multiple of the unit of
        the points. "paper": a coefficient like the others, penalised and counted as a feature. "none": 0.
    tie_break : {"points", "log_loss"}, default="points"
        Which of the best models to choose: "points", the one with the smallest sum of points, or "log_loss",
        the one whose totals tell most about the risk; see ``tie_break_``. It lists all of them, which takes
        longer, and may take very long if points are large and features many.
    slack : float, default=0.0
        With ``tie_break="log_loss"``: how much larger the objective may be than the least. 0.01 is one row in
        a hundred.
    teacher : "auto", "ridge", "none", None, classifier, str or array-like, default=None
        The model of all columns with whose risks labels are blended, as in `RiskScoreClassifier`: a row of blended
        label p counts ``|2 p - 1|`` times, for the class that p favours. Class weights decide with p which class an
        error costs more. Errors, sensitivity and all other numbers are of the true labels; the objective is not.
        None and "none" learn from the labels as they are.
    blend : float, default=0.85
        Weight of the teacher's risks in the labels, from 0 to 1.
    calibrate : {"isotonic", "logistic"}, default=None
        How scores become probabilities. `predict_proba` is available only with `calibrate`. Risks are
        learned by cross-fitting, which takes up to five more fits and half of the time. The card
        also keeps its cross-validated performance, and `NoBetterThanBaselineWarning` warns if it is no better
        than the baseline.
    validate : bool, default=False
        Whether the card is judged on held-out rows: 5 folds of a fixed seed, divided twice unless the table is
        large, each learned from anew; see ``validation_``.
    prepare : None, "auto" or Prepare, default=None
        How raw columns become features during fit: numbers are cut, and categories and missing values get
        their own features. The scoring system then takes raw columns. X may contain text and blanks, and may
        be a mapping of columns. "auto" means ``Prepare()``. Settings by feature name refer to the prepared
        features: ``constraints.at_most(1, of="age *")``.
    initial : model, default=None
        Starting point of the search: a `Solution`, `Points` or a `ScoringSystem` on the same features; a
        fitted linear classifier or its coefficients, rounded by `supersparse.rounded`; or an unfitted linear
        classifier such as ``LogisticRegression()``, which is fitted to the training rows first.
        Scikit-learn's cross-validation clones it, so each fold starts from its own fit.
    solver : str, default="auto"
        "auto", or a name from ``supersparse solvers``.
    solver_options : dict, default=None
        Options of `solve` that have no parameter here ("formulation", "branching_priorities", "tuning_time",
        "pair_covers", "absolute_gap", "memory_limit"), and options under the solver's own names. Priorities
        hold for the fit to all rows, not for folds.
    checkpoint : path, default=None
        File to save the search to, every ten seconds and when a limit stops it. Run the same fit with the
        same file to resume. The fits of `calibrate` are not saved.
    certificate : path, default=None
        File for a proof that no card is better, such as "proof.vipr.gz", which `supersparse-check` and other
        programs can check. Written once the optimum is proven, beyond the time limit.
    time_limit : float, default=60
        Time limit of the whole fit in seconds, `calibrate` included; the best model found by then is kept,
        and `NotProvenWarning` says how far it may be from the best. None means no limit.
    node_limit : int, default=None
        Limit on work, the same on every machine. With ``time_limit=None`` and one thread, every run gives
        the same model, unless the partition bound of the exact engine takes part, whose steps are timed.
    gap : float, default=0.0
        Stop when the objective is proven to be within this fraction of the optimum.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all cores.
    executor : concurrent.futures.Executor, default=None
        Where the proof runs, instead of threads: a `ProcessPoolExecutor`, or dask's
        ``Client.get_executor()``. A clone shares it.
    random_state : int, RandomState instance or None, default=None
        Random seed. None means 0, so fits are reproducible.
    verbose : int, default=0
        1 logs one line of progress per second, 2 logs every line. Uses the logger "supersparse", or
        standard error if logging is not configured.

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

"""SLIMClassifierCV: the penalty C0 chosen by cross-validation."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from statistics import mean
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.engine.answers.penalty_grid import folder_of, solve_in
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.choice import RULES
from supersparse.learn.crossfit import FoldResult
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Split, divided
from supersparse.learn.validation import Validation
from supersparse.show.estimators.base import ScoringSystemClassifier
from supersparse.show.estimators.learning import folds_with, learn, logger, read_training, reporting
from supersparse.show.estimators.parameters import SLIMCVParameters


class SLIMClassifierCV(SLIMCVParameters, ScoringSystemClassifier):
    """Learn a scoring system, with C0 chosen by cross-validation.

    The error of a fold is the share of its test rows that `predict` gets wrong, by sample and class weight. The final
    model is fitted to all rows. At least one feature must have no `levels`, because C0 applies only to those.

    Parameters
    ----------
    tie_break, slack
        As in `SLIMClassifier`, for every fit, which then neither share their work nor save it.
    teacher, blend
        As in `SLIMClassifier`; the teacher is fitted to the training rows of each fold.
    calibrate : {"isotonic", "logistic"}, default=None
        How scores become probabilities. `predict_proba` is available only with `calibrate`. Risks are
        learned from the test rows of the folds, which takes no more fits and respects `cv` and `groups`. They
        are slightly optimistic, because C0 was chosen on the same rows.
    prepare : None, "auto" or Prepare, default=None
        As in `SLIMClassifier`. Each fold learns its own features, so its test rows do not leak into the
        cut points.
    initial : model, default=None
        As in `SLIMClassifier`, for every fit. A linear classifier is fitted again in each fold. A fold in
        which the starting point violates a constraint starts without it.
    checkpoint : path, default=None
        Folder to save the progress of every fit to; created if missing. Run the same fit with the same
        folder to resume. What its files say was proven is believed, so keep it where only you can write.
        Delete the folder when you are done.
    time_limit : float, default=60
        Time limit of the whole fit in seconds: 60 % for the folds, the rest for the final fit.
    node_limit : int, default=None
        Limit of each fit; there are folds x values + 1 fits. Where possible, a fold solves one fit and one
        frontier over sizes instead of a fit per value. This gives the same objective and the same sum of
        points, but perhaps another of several equally good models.
    n_jobs : int, default=None
        Number of joblib processes for the folds, each with one thread, and of threads for the final fit.
    executor : concurrent.futures.Executor, default=None
        Where the folds and the proof of the final fit run, instead of joblib's processes and threads: a
        `ProcessPoolExecutor`, or dask's ``Client.get_executor()``. A clone shares it.
    random_state : int, RandomState instance or None, default=None
        Random seed of every fit. None means 0. Folds are random only if `cv` is a random splitter.
    verbose : int, default=0
        1 logs the error of each value and the progress of the final fit, 2 logs all of that progress.

    Attributes
    ----------
    C0_ : float
        The chosen value.
    Cs_ : ndarray
        The values tried, in ascending order.
    C0_by_rule_ : dict
        The value that each rule would choose.
    best_index_ : int
        Index of the chosen value in ``Cs_`` and ``cv_results_``.
    best_score_ : float
        Its mean score, 1 - error.
    cv_results_ : dict of arrays
        As in GridSearchCV: ``params``, ``param_C0``, ``split0_test_score``, ...,
        ``mean_test_score``, ``std_test_score`` (of a sample), ``rank_test_score`` and times; also
        ``split0_size``, ..., ``mean_size`` (features) and ``split0_gap``, ..., ``mean_gap``.
    n_splits_ : int
        The number of folds; fewer than `cv` asks for where the time limit left no time for some.

    All attributes of a fitted `SLIMClassifier` are available too, from the fit on all rows.

    Notes
    -----
    Ctrl-C during the folds interrupts. During the final fit it keeps the best model so far.

    Examples
    --------
    >>> from supersparse import SLIMClassifierCV
    >>> X = [[i, i % 2] for i in range(12)]
    >>> y = [i > 5 for i in range(12)]
    >>> model = SLIMClassifierCV(Cs=[0.1, 0.5], cv=3, max_points=2, solver="exhaustive").fit(X, y)
    >>> model.C0_, model.C0_by_rule_["one_sd"]
    (0.1, 0.1)
    """

    __module__ = "supersparse"

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, rate_groups: Any = None
    ) -> Self:
        """Choose C0 by cross-validation and learn a scoring system from all rows.

        Parameters
        ----------
        X, y, rate_groups
            As in `SLIMClassifier.fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, used in the fits and in the errors of the folds. Weight k equals k copies of a
            row in the same fold; weight 0 leaves it out.
        groups : array-like of shape (n_samples,), default=None
            Groups such as patients, one label per row, which the folds keep together; or for the splitter.

        Returns
        -------
        self
        """
        self._check_rule()
        recipe, rows = read_training(self, X, y, sample_weight, rate_groups, groups)
        shared = self.checkpoint if recipe.slack is None else None
        how = {"Cs": self.Cs, "rule": self.rule, "checkpoint": shared}
        validation = learn(self, recipe, rows, lambda *_: folds_with(self, self._splits(rows), **how)).validation
        assert validation is not None, "a fold is learned even without any time"
        self._keep_choice(validation)
        return self

    def _check_rule(self) -> None:
        if self.rule not in RULES:
            raise InvalidOptionError(subject="rule", value=self.rule, remedy=did_you_mean(str(self.rule), RULES))

    def _splits(self, rows: TrainingRows) -> list[Split]:
        if self.cv is None or isinstance(self.cv, Integral):
            return divided(rows, 5 if self.cv is None else int(self.cv))
        X = np.zeros(len(rows.y)) if isinstance(rows.X, Mapping) else rows.X  # its length does not count rows
        return list(check_cv(self.cv, rows.y, classifier=True).split(X, rows.y, rows.groups))

    def _solve(self, question: PreparedProblem, options: SolverKeywords) -> Solution:
        if self.checkpoint is None or question.recipe.slack is not None:
            return super()._solve(question, {**options, "checkpoint": None})
        all_options: SolverKeywords = {**question.recipe.options, **options, "checkpoint": None}
        return solve_in(folder_of(self.checkpoint), question.problem, **all_options)

    def _keep_choice(self, validation: Validation) -> None:
        by_value = [list(results) for results in zip(*validation.by_fold, strict=True)]
        self.n_splits_ = validation.folds
        self.Cs_ = np.array(validation.penalties)
        self.best_index_ = validation.choices[self.rule]
        self.C0_ = float(self.Cs_[self.best_index_])
        self.C0_by_rule_ = {rule: float(self.Cs_[index]) for rule, index in validation.choices.items()}
        self.cv_results_ = tabulate(self.Cs_, by_value)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        with reporting(self.verbose):
            word = "log loss" if getattr(self, "goal", "errors") == "risk" else "error"
            results = self.cv_results_
            for k, C0 in enumerate(self.Cs_):
                of_value = [float(result.loss) for result in by_value[k]]
                deviation, size = results["std_test_score"][k], results["mean_size"][k]
                logger.info("C0 %.6g  %s %.4f ± %.4f  %.1f features", C0, word, mean(of_value), deviation, size)
            logger.info("chosen by rule %r: C0 %.6g", self.rule, self.C0_)


def tabulate(Cs: NDArray[np.float64], by_value: Sequence[Sequence[FoldResult]]) -> dict[str, Any]:
    """Put the results of all folds into the form of GridSearchCV's ``cv_results_``."""
    params = np.ma.MaskedArray(Cs, mask=False)
    table: dict[str, Any] = {"params": [{"C0": float(C0)} for C0 in Cs], "param_C0": params}
    columns = {
        "fit_time": [[r.fit_seconds for r in results] for results in by_value],
        "score_time": [[r.score_seconds for r in results] for results in by_value],
        "test_score": [[r.score for r in results] for results in by_value],
        "size": [[r.size for r in results] for results in by_value],
        "gap": [[r.gap for r in results] for results in by_value],
    }
    for name, values in columns.items():
        matrix = np.array(values)
        if not name.endswith("_time"):
            table.update({f"split{k}_{name}": column for k, column in enumerate(matrix.T)})
        table[f"mean_{name}"] = matrix.mean(axis=1)
        table[f"std_{name}"] = matrix.std(axis=1, ddof=min(1, matrix.shape[1] - 1))
    losses = [sum(r.loss for r in results) for results in by_value]  # exact: equal means rank equal
    ranks = [1 + sum(other < loss for other in losses) for loss in losses]
    table["rank_test_score"] = np.array(ranks, dtype=np.int32)
    return table

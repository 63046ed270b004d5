"""cross_validated_trade_off: what a classifier's cards do on held-out rows as the class weights change."""

from collections.abc import Iterable
from typing import Any

from joblib import effective_n_jobs

from supersparse.base.errors import InvalidOptionError
from supersparse.card.evaluate.trade_off import CrossValidatedTradeOff, read_ratios
from supersparse.engine.answers.trade_off import read_limits
from supersparse.learn.splits import Folds, repeated_splits
from supersparse.learn.trade_off import sweep
from supersparse.show.estimators.base import ScoringSystemClassifier
from supersparse.show.estimators.learning import read_training


def cross_validated_trade_off(
    model: ScoringSystemClassifier,
    X: Any,
    y: Any,
    *,
    ratios: Iterable[Any] | None = None,
    thresholds: Iterable[Any] | None = None,
    max_false_positive_rates: Iterable[Any] | None = None,
    cv: int = 5,
    repeats: int = 1,
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
) -> CrossValidatedTradeOff:
    """Learn for several ratios of class weights W+/W- without each fold, and judge on the held-out rows.

    Parameters
    ----------
    model : SLIMClassifier
        The settings, which need not be fitted; its time limit is for the whole call.
    X, y
        As in ``model.fit``.
    ratios : iterable of numbers, default=None
        The ratios W+/W-. By default they double from 1/16 to 16 times the balanced ratio, and include 1.
    thresholds : iterable of numbers, default=None
        Risk thresholds instead of ratios: t stands for the ratio (1-t)/t.
    max_false_positive_rates : iterable of numbers, default=None
        Limits on the false positive rate instead of ratios: each fold has the most sensitive card within a
        limit on its training rows.
    cv, repeats : int, default=5, default=1
        The number of stratified folds, and how often the rows are divided into them.
    sample_weight, groups : array-like of shape (n_samples,), default=None
        Sample weights, and groups that folds keep together.
    n_jobs : int, default=None
        Number of processes. None means 1, -1 all cores.

    Returns
    -------
    CrossValidatedTradeOff
        Sensitivity, specificity and net benefit for each ratio or limit; ``supersparse.plot`` draws it.

    Examples
    --------
    >>> from supersparse import SLIMClassifier, cross_validated_trade_off
    >>> X, y = [[i % 6] for i in range(24)], [0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1] * 2
    >>> model = SLIMClassifier(C0=0.05, max_points=1, solver="exhaustive")
    >>> print(cross_validated_trade_off(model, X, y, thresholds=[0.25, 0.5], cv=2))
    On held-out rows (2 folds):
    <BLANKLINE>
    W+/W-  threshold  features  sensitivity  specificity  net benefit  treat all
        1      0.500       1.0       0.7500       0.8333       0.2917     0.0000
        3      0.250       1.0       1.0000       0.6667       0.4444     0.3333
    """
    if not isinstance(model, ScoringSystemClassifier):
        raise InvalidOptionError(f"model is {type(model).__name__}", "give a SLIMClassifier", subject="model")
    asked = read_ratios(ratios, thresholds)
    limits = None if max_false_positive_rates is None else read_limits(max_false_positive_rates)
    if asked is not None and limits is not None:
        raise InvalidOptionError(
            "max_false_positive_rates is another sweep than ratios or thresholds", "give one of them"
        )
    recipe, rows = read_training(model, X, y, sample_weight, None, groups)
    splits = repeated_splits(rows.y, cv, repeats, groups=rows.groups)
    folds = Folds(splits=splits, repeats=repeats, n_jobs=effective_n_jobs(n_jobs))
    return sweep(recipe, rows, folds, asked, limits=limits)

"""The fits on one fold: what SLIMClassifierCV repeats for each fold."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InfeasibleError, InvalidDataError, InvalidProblemError, PenaltyRangeWarning
from supersparse.estimators.slim import SLIMClassifier
from supersparse.exact import integer_column
from supersparse.learning.calibrating import LeftOut, left_out
from supersparse.learning.rows import take_rows
from supersparse.solving.solution import Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldResult:
    """What one fit on one fold gave."""

    error: Fraction
    size: int
    gap: float
    fit_seconds: float
    score_seconds: float
    unseen: LeftOut | None  # with `calibrate`


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """The rows of one split, by position."""

    name: str
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def fit_fold(
    model: SLIMClassifier,
    Cs: Sequence[float],
    X: Any,
    y: NDArray[Any],
    sample_weight: NDArray[Any] | None,
    rate_groups: dict[str, NDArray[Any]],
    costs: dict[object, Fraction],
    fold: Fold,
) -> list[FoldResult]:
    """Fit each C0 on the fold's training rows and weigh the errors on its test rows.

    The fits share their work; each is reported to have taken its share of the time.
    """
    began = time.perf_counter()
    with warnings.catch_warnings():
        # the useful range differs a little from fold to fold; the final fit warns
        warnings.simplefilter("ignore", PenaltyRangeWarning)
        try:
            weights = None if sample_weight is None else sample_weight[fold.train]
            labels = {name: column[fold.train] for name, column in rate_groups.items()}
            solutions = model._solve_each(
                take_rows(X, fold.train), y[fold.train], Cs, sample_weight=weights, rate_groups=labels
            )
        except (InvalidDataError, InvalidProblemError, InfeasibleError) as found:
            raise type(found)(f"the training rows of {fold.name}: {found}") from None
    fit_seconds = (time.perf_counter() - began) / len(solutions)
    return [_tested(model, solution, X, y, sample_weight, costs, fold, fit_seconds) for solution in solutions]


def _tested(
    model: SLIMClassifier,
    solution: Solution,
    X: Any,
    y: NDArray[Any],
    sample_weight: NDArray[Any] | None,
    costs: dict[object, Fraction],
    fold: Fold,
    fit_seconds: float,
) -> FoldResult:
    began = time.perf_counter()
    model._keep(solution)
    wrong = model.predict(take_rows(X, fold.test)) != y[fold.test]
    error = weighted_error(
        wrong, y[fold.test], None if sample_weight is None else sample_weight[fold.test], costs, fold
    )
    score_seconds = time.perf_counter() - began
    return FoldResult(
        error=error,
        size=int(np.count_nonzero(model.coef_)),
        gap=model.gap_,
        fit_seconds=fit_seconds,
        score_seconds=score_seconds,
        unseen=None if model.calibrate is None else left_out(model, X, fold.train, fold.test, sample_weight),
    )


def weighted_error(
    wrong: NDArray[np.bool_],
    y: NDArray[Any],
    sample_weight: NDArray[Any] | None,
    costs: dict[object, Fraction],
    fold: Fold,
) -> Fraction:
    """Return the share of the weight that is wrong, sample and class weights applied, exactly."""
    weights = integer_column(np.ones(len(y), dtype=np.int8) if sample_weight is None else sample_weight)[0]
    total = missed = Fraction(0)
    for label, cost in costs.items():
        of_class = y == label
        total += cost * int(weights[of_class].sum(dtype=object))
        missed += cost * int(weights[of_class & wrong].sum(dtype=object))
    if total == 0:
        raise InvalidDataError(f"the test rows of {fold.name} have no weight; use fewer folds")
    return missed / total

"""Where the search starts: the parameter `initial`, read for one fit (section 3.5 of the paper)."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from supersparse.base.errors import InvalidOptionError
from supersparse.base.integer_arrays import IntArray
from supersparse.engine.pipeline import read_initial
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem


def start_from(initial: Any, problem: Problem, *, required: bool = True) -> Points | None:
    """Return the model to start from, None where there is none.

    A linear model that is not fitted, as every clone is, is fitted to the rows of the problem first. On the rows of a
    fold a start may break a constraint that it obeys on all rows: where it is not `required`, it is then left out.
    """
    if initial is None:
        return None
    if hasattr(initial, "fit") and not hasattr(initial, "coef_"):
        initial = _fitted_coefficients(initial, problem)
    try:
        return read_initial(problem, initial)
    except InvalidOptionError:
        if required:
            raise
        return None


def _fitted_coefficients(model: Any, problem: Problem) -> Any:
    """Fit a copy of a linear model to the problem's rows and features, by weight."""
    rows = problem.rows
    X = np.column_stack([_floats(c, scale) for c, scale in zip(rows.columns, rows.scales, strict=True)])
    negative, positive = problem.class_weights
    costs = np.where(rows.positive, float(positive), float(negative))
    weights = costs * _floats(rows.weights, 1) * float(rows.weight_unit)
    copy = clone(model)
    if has_fit_parameter(copy, "sample_weight"):
        copy.fit(X, rows.positive, sample_weight=weights)
    else:
        copy.fit(X, rows.positive)
    if not hasattr(copy, "coef_"):
        raise InvalidOptionError(
            f"initial is a {type(model).__name__}, which has no coef_ once it is fitted", "give a linear model"
        )
    return copy.coef_


def _floats(integers: IntArray, scale: int) -> NDArray[np.float64]:
    if integers.dtype == object:
        return np.array([float(Fraction(int(v), scale)) for v in integers])
    return integers.astype(np.float64) / scale

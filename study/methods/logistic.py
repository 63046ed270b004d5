"""Logistic regression without a penalty, as R's glm fits it."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.special import expit

from study.methods.contract import Linear, Method, Model
from study.setting import Setting
from study.study_data import StudyData

_ROUNDS = 25  # glm.control(maxit = 25), epsilon = 1e-8
_CLOSE = 1e-8
_DEPENDENT = 1e-7  # of a column's norm, left after the columns before it


class LogisticRegression(Method):
    """R's glm: a column that depends on those before it gets no coefficient."""

    name: ClassVar[str] = "LR"
    title: ClassVar[str] = "Logistic regression"
    made_with: ClassVar[str] = "implemented as in R's glm: iteratively reweighted least squares, 25 rounds"
    tuning: ClassVar[str] = "none"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """There is nothing to choose."""
        return (Setting(),)

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit once."""
        for setting in settings:
            yield Model.of_linear(setting, fit_logistic(train.X, train.y))


def fit_logistic(X: NDArray[Any], y: NDArray[np.bool_]) -> Linear:
    """Maximise the likelihood; on separable rows stop after 25 rounds, as R does."""
    X = X.astype(np.float64)
    columns = independent_columns(X)
    middle, spread = X[:, columns].mean(axis=0), X[:, columns].std(axis=0)
    design = np.column_stack([np.ones(len(y)), (X[:, columns] - middle) / spread])
    weights = _reweighted(design, y.astype(np.float64))
    coefficients = np.zeros(X.shape[1])
    coefficients[columns] = weights[1:] / spread
    return Linear(coefficients, float(weights[0] - coefficients[columns] @ middle))


def independent_columns(X: NDArray[np.float64]) -> list[int]:
    """Return the columns that do not depend on the intercept and the columns before them.

    >>> independent_columns(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [1.0, 0.0, 5.0]]))
    [0, 2]
    """
    basis = np.empty((len(X), min(X.shape[1] + 1, len(X))))
    basis[:, 0] = len(X) ** -0.5
    found: list[int] = []
    for j, column in enumerate(X.T):
        known = basis[:, : len(found) + 1]
        rest = column - known @ (known.T @ column)
        rest -= known @ (known.T @ rest)  # twice: once is not orthogonal enough
        norm = np.linalg.norm(rest)
        if norm > _DEPENDENT * np.linalg.norm(column) and len(found) + 1 < basis.shape[1]:
            found.append(j)
            basis[:, len(found)] = rest / norm
    return found


def _reweighted(design: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(design.shape[1])
    chance = (y + 0.5) / 2
    score = np.log(chance / (1 - chance))
    before = np.inf
    for _ in range(_ROUNDS):
        importance = np.maximum(chance * (1 - chance), 1e-12)
        root = np.sqrt(importance)
        target = score + (y - chance) / importance
        weights = lstsq(design * root[:, None], target * root, lapack_driver="gelsy")[0]
        score = design @ weights
        chance = expit(score)
        deviance = 2 * np.logaddexp(0, np.where(y == 1, -score, score)).sum()
        if abs(deviance - before) < _CLOSE * (deviance + 0.1):
            break
        before = deviance
    return weights

"""Scoring systems by hand: a regression rounded, and unit weights."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from study.methods.contract import Linear, Method, Model
from study.methods.logistic import fit_logistic
from study.methods.paths import standardised
from study.records import InSet
from study.setting import Setting
from study.study_data import StudyData
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

LARGEST = 100  # of the coefficients of the study: L = -100, ..., 100


def times_ten(linear: Linear) -> Linear:
    """Multiply by 10 and round, as SAPS II did.

    >>> times_ten(Linear(np.array([0.31, -0.04]), 1.26)).coefficients.tolist()
    [3.0, -0.0]
    """
    return Linear(np.round(10 * linear.coefficients), float(np.round(10 * linear.intercept)))


def scaled_to_set(linear: Linear, largest: int = LARGEST) -> Linear:
    """Let the largest coefficient be the largest of the set, and round; the intercept follows.

    >>> scaled_to_set(Linear(np.array([0.5, -0.004]), 0.25)).coefficients.tolist()
    [100.0, -1.0]
    """
    top = float(np.abs(linear.coefficients).max(initial=0.0))
    if 0 < top < largest / np.finfo(float).max:  # the factor would be infinite
        return scaled_to_set(Linear(linear.coefficients / top, linear.intercept / top), largest)
    factor = largest / top if top else 1.0
    return Linear(np.round(linear.coefficients * factor), float(np.round(linear.intercept * factor)))


class _Rounded(Method):
    made_with: ClassVar[str] = "implemented here"
    tuning: ClassVar[str] = "none"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """There is nothing to choose."""
        return (Setting(),)


class TimesTen(_Rounded):
    """Logistic regression, coefficients and intercept times 10, rounded."""

    name: ClassVar[str] = "LR x10"
    title: ClassVar[str] = "Logistic regression times 10, rounded (SAPS II)"

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit and round."""
        for setting in settings:
            yield Model.of_linear(setting, times_ten(fit_logistic(train.X, train.y)))


class ScaledToSet(_Rounded):
    """Logistic regression, the largest coefficient scaled to 100, rounded."""

    name: ClassVar[str] = "LR ±100"
    title: ClassVar[str] = "Logistic regression scaled to ±100, rounded"

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit, scale and round."""
        for setting in settings:
            yield Model.of_linear(setting, scaled_to_set(fit_logistic(train.X, train.y)))


class UnitWeights(Method):
    """Dawes: +1 or -1 for each standardised feature that tells the classes apart, 0 for the others.

    The threshold is the one of the fewest training errors.
    """

    name: ClassVar[str] = "Unit"
    title: ClassVar[str] = "Unit weights -1, 0, +1 of standardised features (Dawes)"
    made_with: ClassVar[str] = "implemented here"
    tuning: ClassVar[str] = "6 minimum z values of a feature's correlation"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """From all features to the clearest only."""
        return tuple(Setting.of(least_z=value) for value in (0.0, 1.96, 4.0, 8.0, 12.0, 16.0))

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Take the signs of the correlations."""
        Z, middle, spread = standardised(train.X.astype(np.float64))
        target = train.y - train.y.mean()
        z = Z.T @ target / target.std() / sqrt(len(target))
        for setting in settings:
            signs = np.where(np.abs(z) >= setting.number("least_z"), np.sign(np.round(z, 12)), 0.0)
            threshold = fewest_errors(Z @ signs, train.y)
            coefficients = signs / spread
            yield Model.of_linear(setting, Linear(coefficients, float(-threshold - coefficients @ middle)))


def fewest_errors(scores: NDArray[np.float64], y: NDArray[np.bool_]) -> float:
    """Return the threshold with the fewest errors: positive above it; of several the lowest.

    >>> fewest_errors(np.array([0.0, 1.0, 2.0]), np.array([False, True, True]))
    0.5
    """
    order = np.argsort(scores, kind="stable")
    ranked, labels = scores[order], y[order]
    # after the k lowest rows: positives among them and negatives above are wrong
    wrong = np.concatenate([[0], np.cumsum(labels)]) + np.concatenate([np.cumsum(~labels[::-1])[::-1], [0]])
    allowed = np.concatenate([[True], np.diff(ranked) > 1e-12, [True]])
    best = int(np.argmin(np.where(allowed, wrong, len(y) + 1)))
    ends = np.concatenate([[ranked[0] - 2], ranked, [ranked[-1] + 2]])
    return float((ends[best] + ends[best + 1]) / 2)


def in_set(free: Problem, paper: Problem, linear: Linear) -> InSet:
    """Scale to ±100, round, and take the best intercept of each formulation; `paper` prices nothing."""
    coefficients = _whole(scaled_to_set(linear))
    points = _best(free, coefficients)
    together = Linear(np.append(linear.coefficients, linear.intercept), 0.0)
    paper_coefficients = _whole(scaled_to_set(together))[:-1]
    paper_points = _best(paper, paper_coefficients)
    without_b = Points(tuple(paper_coefficients), 0)
    return InSet(
        features=len(points.support),
        errors=_errors(free, points),
        paper_features=len(paper_points.support),
        paper_errors=_errors(paper, paper_points),
        paper_errors_without_b=_errors(paper, without_b),
    )


def _whole(linear: Linear) -> list[int]:
    return [int(c) for c in linear.coefficients]


def _best(problem: Problem, coefficients: list[int]) -> Points:
    points = with_best_intercept(problem, coefficients)
    assert points is not None, "a plain problem allows an intercept beside any coefficients"
    return points


def _errors(problem: Problem, points: Points) -> int:
    return int(evaluate(problem, points).training_errors)

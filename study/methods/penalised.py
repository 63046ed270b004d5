"""Lasso, ridge and elastic net for logistic regression: glmnet's whole paths."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from study.methods.contract import Method, Model
from study.methods.paths import path_of_lambdas, penalised_path
from study.setting import Setting
from study.study_data import StudyData


class PenalisedLogistic(Method):
    """One alpha of the elastic net; all folds have the lambdas of the whole table, as in cv.glmnet."""

    whole_path: ClassVar[bool] = True
    made_with: ClassVar[str] = "implemented here with glmnet's algorithm and lambdas"
    alpha: ClassVar[float]

    def __init__(self, count: int = 100) -> None:
        self.count = count

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """From the least penalty to the largest, which leaves no feature."""
        values = path_of_lambdas(data.X.astype(np.float64), data.y.astype(np.float64), self.alpha, self.count)
        return tuple(Setting.of(penalty=value) for value in reversed(values))

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit the path from large penalties to small ones."""
        falling = sorted(settings, key=lambda setting: -setting.number("penalty"))
        models = penalised_path(
            train.X.astype(np.float64),
            train.y.astype(np.float64),
            tuple(setting.number("penalty") for setting in falling),
            self.alpha,
        )
        for setting, linear in zip(falling, models, strict=True):
            yield Model.of_linear(setting, linear)


class Lasso(PenalisedLogistic):
    """The l1 penalty."""

    name: ClassVar[str] = "Lasso"
    title: ClassVar[str] = "Lasso, logistic"
    tuning: ClassVar[str] = "100 penalties on the path"
    alpha: ClassVar[float] = 1.0


class Ridge(PenalisedLogistic):
    """The squared l2 penalty."""

    name: ClassVar[str] = "Ridge"
    title: ClassVar[str] = "Ridge, logistic"
    tuning: ClassVar[str] = "100 penalties on the path"
    alpha: ClassVar[float] = 0.0


class ElasticNet(PenalisedLogistic):
    """Half of each; the paper does not give its mixture."""

    name: ClassVar[str] = "EN"
    title: ClassVar[str] = "Elastic net, logistic"
    tuning: ClassVar[str] = "100 penalties on the path; half l1, half l2"
    alpha: ClassVar[float] = 0.5

"""What a method of the study is: settings to try, and models that predict and have a size."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from study.setting import Setting
from study.study_data import StudyData
from supersparse.engine.solution import Solution

Predictions = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a model, with and without the intercept.

    Of a linear model the coefficients that are not 0, of a tree its leaves, of rules their number. A forest
    and a kernel machine have the number of features, as in the paper: what they have is not comparable.
    """

    features: int
    with_intercept: int

    @classmethod
    def of_parts(cls, count: int) -> "Size":
        """Leaves or rules: there is no intercept to count."""
        return cls(features=count, with_intercept=count)

    @classmethod
    def of_black_box(cls, n_features: int) -> "Size":
        """The number of features, and P of the paper, which counts the intercept's column."""
        return cls(features=n_features, with_intercept=n_features + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Coefficients over the raw columns; positive where the score is above 0."""

    coefficients: NDArray[np.float64]
    intercept: float

    def predict(self, X: NDArray[Any]) -> Predictions:
        """Predict the positive class."""
        above: Predictions = X @ self.coefficients + self.intercept > 0
        return above

    @property
    def size(self) -> Size:
        """Count what is not 0."""
        features = int(np.count_nonzero(self.coefficients))
        return Size(features=features, with_intercept=features + int(self.intercept != 0))


@dataclass(frozen=True, kw_only=True)
class Model:
    """A fitted model of one setting."""

    setting: Setting
    predict: Callable[[NDArray[Any]], Predictions]
    size: Size
    on_training_rows: Predictions | None = None  # where the paper's tool does not simply predict them
    linear: Linear | None = None  # to be rounded and compared with SLIM's objective
    solution: Solution | None = None  # what is proven, of SLIM

    @classmethod
    def of_linear(cls, setting: Setting, linear: Linear) -> "Model":
        """A linear model as it is."""
        return cls(setting=setting, predict=linear.predict, size=linear.size, linear=linear)


class Method(ABC):
    """One method with the values of its free parameters; `fit` is called with settings of its own."""

    name: ClassVar[str]  # the paper's acronym
    title: ClassVar[str]
    made_with: ClassVar[str]
    tuning: ClassVar[str]  # the free parameters in words
    whole_path: ClassVar[bool] = False  # fits all settings of a split together

    @abstractmethod
    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """Return the settings to try on these rows, the simplest models last."""

    @abstractmethod
    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Fit each setting on the training rows."""

    def why_not(self) -> str | None:
        """Say what is missing on this machine; None when the method can run."""
        return None

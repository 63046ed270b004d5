"""C5.0 trees and rules, by c50py."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from study.methods.contract import Method, Model, Size
from study.setting import Setting
from study.study_data import StudyData


class _C50(Method):
    made_with: ClassVar[str] = "c50py"
    tuning: ClassVar[str] = "5 pruning confidences"

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """Around C5.0's own 0.25; smaller ones prune more."""
        return tuple(Setting.of(confidence=value) for value in (0.5, 0.25, 0.1, 0.05, 0.01))

    def why_not(self) -> str | None:
        """It needs c50py."""
        if find_spec("c50py") is None:
            return "c50py is not installed; pip install c50py"
        return None


class C50Trees(_C50):
    """One tree; its size is the number of leaves."""

    name: ClassVar[str] = "C50T"
    title: ClassVar[str] = "C5.0 decision trees"

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Grow and prune."""
        from c50py import C5Classifier

        for setting in settings:
            tree = C5Classifier(cf=setting.number("confidence")).fit(
                train.X.astype(np.float64), train.y.astype(np.int64)
            )
            leaves = len(tree.export_rules())
            yield Model(setting=setting, predict=_positive(tree), size=Size.of_parts(leaves))


class C50Rules(_C50):
    """Rules made of a tree; the class of rows that no rule covers is not counted as one, as in C5.0."""

    name: ClassVar[str] = "C50R"
    title: ClassVar[str] = "C5.0 decision rules"

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Grow, prune and turn into rules."""
        from c50py import C5RulesClassifier

        for setting in settings:
            rules = C5RulesClassifier(cf=setting.number("confidence")).fit(
                train.X.astype(np.float64), train.y.astype(np.int64)
            )
            yield Model(setting=setting, predict=_positive(rules), size=Size.of_parts(len(rules.rules_)))


def _positive(model: Any) -> Any:
    return lambda X: np.asarray(model.predict(X.astype(np.float64))) == 1

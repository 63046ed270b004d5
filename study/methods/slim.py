"""SLIM itself: the exact engine with a limit on work, so that every run gives the same models."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from study.methods.contract import Method, Model, Predictions, Size
from study.methods.rounding import LARGEST
from study.setting import Setting
from study.study_data import StudyData
from supersparse.base.errors import PenaltyRangeWarning
from supersparse.base.stop import Stop
from supersparse.engine.solve import solve
from supersparse.learn.scoring import score_rows
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

VALUES = (0.001, 0.0015, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05)  # of C0; the paper does not give its six


class Slim(Method):
    """The paper's, one C0 a fit: the intercept is a coefficient like the others, in ±100 at the price C0."""

    name: ClassVar[str] = "SLIM"
    title: ClassVar[str] = "SLIM as in the paper: intercept in ±100, at the price C0"
    made_with: ClassVar[str] = "supersparse, exact engine, one thread, work limit"
    tuning: ClassVar[str] = f"C0 of {', '.join(str(v) for v in VALUES)}; points in ±{LARGEST}"
    intercept: ClassVar[str] = "paper"

    def __init__(self, work: Mapping[str, int], values: Sequence[float] = VALUES) -> None:
        self.work, self.values = work, tuple(values)

    def settings(self, data: StudyData) -> tuple[Setting, ...]:
        """The values of C0, and the units of work that take about as long as planned on this table."""
        return tuple(Setting.of(C0=value, work=self.work[data.name]) for value in self.values)

    def fit(self, train: StudyData, settings: Sequence[Setting], seed: int) -> Iterator[Model]:
        """Solve each C0, with a numeric C1 where the setting has one."""
        for setting in settings:
            with warnings.catch_warnings():
                # the grids reach beyond the useful range on purpose
                warnings.simplefilter("ignore", PenaltyRangeWarning)
                problem = study_problem(
                    train,
                    setting.number("C0"),
                    setting.number("C1") if setting.has("C1") else "auto",
                    intercept=self.intercept,
                )
                solution = solve(problem, "exact", node_limit=setting.whole("work"), random_state=seed)
            if solution.stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt  # what it had by then is no record: another run would not give it
            features = solution.evaluation.features
            yield Model(
                setting=setting,
                predict=partial(positive_rows, solution.points),
                size=Size(features=features, with_intercept=features + int(solution.points.intercept != 0)),
                solution=solution,
            )


class SlimFree(Slim):
    """Ours: the threshold lies anywhere between two totals, and costs nothing."""

    name: ClassVar[str] = "SLIM free"
    title: ClassVar[str] = "SLIM with a free threshold at no price (the default of this package)"
    intercept: ClassVar[str] = "free"


def study_problem(rows: StudyData, C0: float, C1: float | Literal["auto"] = "auto", *, intercept: str) -> Problem:
    """State the study's problem on these rows."""
    return Problem.of(
        rows.X,
        rows.y,
        feature_names=rows.feature_names,
        positive=True,
        C0=C0,
        C1=C1,
        max_points=LARGEST,
        intercept=intercept,
    )


def positive_rows(points: Points, X: NDArray[Any]) -> Predictions:
    """Score exactly; a score of 0, which only b in a set can give, predicts the negative class."""
    scores = score_rows(points, [X[:, j] for j in points.support], len(X))
    above: Predictions = np.asarray(scores > 0)
    return above

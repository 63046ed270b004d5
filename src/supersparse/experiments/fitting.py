"""One task of the study: a split of a table, a method, some settings; its fits become records."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from supersparse.experiments.methods.contract import Method, Model, Predictions
from supersparse.experiments.methods.rounding import in_set
from supersparse.experiments.methods.slim import positive_rows, study_problem
from supersparse.experiments.records import Moment, Proof, Record, Skipped, Wrong
from supersparse.experiments.setting import Setting
from supersparse.experiments.study_data import StudyData, split_rows
from supersparse.solution.solution import Solution

_MOMENTS = 60  # of a search, at most


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What one process does at a time; the settings of a path are fitted together."""

    data: StudyData
    method: Method
    split: str
    settings: tuple[Setting, ...]
    seed: int

    @property
    def stage(self) -> int:
        """What the tables need first, then the contours, then folds inside folds: a run may be cut short."""
        if ":" in self.split:
            return 2
        return 1 if self.settings[0].has("C1") else 0


def run_task(task: Task) -> list[Record | Skipped]:
    """Fit the settings and test them; a method that fails is skipped, and the reason kept."""
    try:
        with threadpool_limits(1):  # processes share the cores, and sums are added up in one order
            return list(_records(task))
    except Exception as error:  # a peer's package may raise anything; the study goes on and says so
        reason = f"{type(error).__name__}: {error}"
        return [Skipped(dataset=task.data.name, method=task.method.name, split=task.split, reason=reason)]


def _records(task: Task) -> Iterator[Record]:
    rows = split_rows(task.data.y, task.split, task.seed)
    train, test = task.data.part(rows.train), task.data.part(rows.test)
    fingerprint = task.data.fingerprint
    # what SLIM's objective is compared with, on the folds that the tables show
    compared = task.method.is_linear and ":" not in task.split
    problem = study_problem(train, 0.01) if compared else None
    began = _processor_seconds()
    models = list(task.method.fit(train, task.settings, task.seed))
    seconds = (_processor_seconds() - began) / len(models)
    for model in models:
        rounded = None
        if model.linear is not None and problem is not None:
            rounded = in_set(problem, model.linear)
        seen = model.predict(train.X) if model.on_training_rows is None else model.on_training_rows
        yield Record(
            dataset=task.data.name,
            fingerprint=fingerprint,
            method=task.method.name,
            split=task.split,
            setting=model.setting,
            seed=task.seed,
            train=count_wrong(seen, train.y),
            test=count_wrong(model.predict(test.X), test.y),
            size=model.size.features,
            size_with_intercept=model.size.with_intercept,
            seconds=round(seconds, 6),
            in_set_errors=None if rounded is None else rounded.errors,
            in_set_size=None if rounded is None else rounded.features,
            proof=None if model.solution is None else _proof(model.solution, model, train, test),
        )


def _processor_seconds() -> float:
    """Of this process and of those that it has waited for: FasterRisk has one of its own."""
    return sum(os.times()[:4])


def count_wrong(predicted: Predictions, y: NDArray[np.bool_]) -> Wrong:
    """Count the wrong rows of each class."""
    wrong = np.asarray(predicted, dtype=bool) != y
    return Wrong(
        negative=int((wrong & ~y).sum()),
        positive=int((wrong & y).sum()),
        negatives=int((~y).sum()),
        positives=int(y.sum()),
    )


def _proof(solution: Solution, model: Model, train: StudyData, test: StudyData) -> Proof:
    points = solution.points
    return Proof(
        objective=str(solution.objective),
        lower_bound=str(solution.lower_bound),
        gap=round(solution.gap, 6),
        proven=solution.proven_optimal,
        nodes=solution.nodes,
        stop=solution.stop.name,
        coefficients=tuple((train.feature_names[j], points.coefficients[j]) for j in points.support),
        intercept=points.intercept,
        training_errors=int(solution.evaluation.training_errors),
        history=tuple(_history(solution, train, test)),
    )


def _history(solution: Solution, train: StudyData, test: StudyData) -> Iterator[Moment]:
    """The search over time (appendix D): every better model, and as many of the better bounds as fit."""
    events = solution.trace.events
    bounds = [event for event in events if event.points is None]
    room = max(1, _MOMENTS - (len(events) - len(bounds)))
    kept = {id(event) for event in bounds[:: max(1, -(-len(bounds) // room))]} | {id(e) for e in bounds[-1:]}
    for event in events:
        gap = None if event.gap is None else round(event.gap, 4)
        if event.points is not None:
            yield Moment(
                seconds=round(event.seconds, 3),
                gap=gap,
                train_errors=count_wrong(positive_rows(event.points, train.X), train.y).errors,
                test_errors=count_wrong(positive_rows(event.points, test.X), test.y).errors,
                size=len(event.points.support) + int(event.points.intercept != 0),
            )
        elif id(event) in kept:
            yield Moment(seconds=round(event.seconds, 3), gap=gap)

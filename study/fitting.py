"""One task of the study: a split of a table, a method, some settings; its fits become records."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from study.methods.contract import Linear, Method, Model, Predictions
from study.methods.rounding import in_set
from study.methods.slim import positive_rows, study_problem
from study.records import InSet, Moment, Proof, Record, Skipped, Wrong
from study.setting import Setting
from study.study_data import StudyData, split_rows
from supersparse.engine.solution import Solution

KINDS = ("fold", "nested", "contour")  # what the tables need first: a run may be cut short

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
    def kind(self) -> str:
        """A fold of the tables, one inside a fold, or one of the grid of C0 and C1."""
        if ":" in self.split:
            return "nested"
        return "contour" if self.settings[0].has("C1") else "fold"


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """A model with its record and the rows that it was fitted and tested on."""

    record: Record
    model: Model
    train: StudyData
    test: StudyData


def run_task(task: Task) -> list[Record | Skipped]:
    """Fit the settings and test them; a method that fails is skipped, and the reason kept."""
    try:
        return [fit.record for fit in fits(task)]
    except Exception as error:  # a peer's package may raise anything; the study goes on and says so
        reason = f"{type(error).__name__}: {error}"
        return [Skipped(dataset=task.data.name, method=task.method.name, split=task.split, reason=reason)]


def fits(task: Task) -> list[Fit]:
    """Fit the settings of a task and test them."""
    with threadpool_limits(1):  # processes share the cores, and sums are added up in one order
        rows = split_rows(task.data.y, task.split, task.seed)
        train, test = task.data.part(rows.train), task.data.part(rows.test)
        began = _processor_seconds()
        models = list(task.method.fit(train, task.settings, task.seed))
        share = (_processor_seconds() - began) / len(models)
        # what SLIM's objective is compared with, on the folds that the tables show
        linear = {m.setting: m.linear for m in models if m.linear is not None and task.kind == "fold"}
        rounded = _in_set(train, linear)
        fingerprint = task.data.fingerprint
        return [
            Fit(
                record=Record(
                    dataset=task.data.name,
                    fingerprint=fingerprint,
                    method=task.method.name,
                    split=task.split,
                    setting=model.setting,
                    seed=task.seed,
                    train=count_wrong(_on_training_rows(model, train), train.y),
                    test=count_wrong(model.predict(test.X), test.y),
                    size=model.size.features,
                    size_with_intercept=model.size.with_intercept,
                    seconds=round(share if model.solution is None else model.solution.seconds, 6),
                    in_set=rounded.get(model.setting),
                    proof=None if model.solution is None else _proof(model.solution, train, test),
                ),
                model=model,
                train=train,
                test=test,
            )
            for model in models
        ]


def _in_set(train: StudyData, models: Mapping[Setting, Linear]) -> dict[Setting, InSet]:
    if not models:
        return {}
    free = study_problem(train, 0.0, intercept="free")
    paper = study_problem(train, 0.0, intercept="paper")
    return {setting: in_set(free, paper, linear) for setting, linear in models.items()}


def _on_training_rows(model: Model, train: StudyData) -> Predictions:
    return model.predict(train.X) if model.on_training_rows is None else model.on_training_rows


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


def _proof(solution: Solution, train: StudyData, test: StudyData) -> Proof:
    points = solution.points
    return Proof(
        objective=str(solution.objective),
        lower_bound=str(solution.lower_bound),
        gap=round(solution.gap, 6),
        proven=solution.proven_optimal,
        nodes=solution.nodes,
        stop=solution.stop.name,
        coefficients=tuple((train.feature_names[j], points.coefficients[j]) for j in points.support),
        intercept=points.intercept if isinstance(points.intercept, int) else str(points.intercept),
        training_errors=int(solution.evaluation.training_errors),
        history=tuple(_history(solution, train, test)),
    )


def _history(solution: Solution, train: StudyData, test: StudyData) -> Iterator[Moment]:
    """The search over time (appendix D): every better model, as many of the better bounds as fit, its end."""
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

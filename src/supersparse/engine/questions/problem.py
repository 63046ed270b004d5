"""A problem of questions as the engine takes it: answers by column, rules for points, soft labels by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, InvalidProblemError
from supersparse.problem.questions import Question
from supersparse.problem.rows import LABEL_UNIT


@dataclass(frozen=True)
class QuestionProblem:
    """Rows, questions and limits on a card.

    ``answer`` holds the number of each row's answer (questions x rows, uint8). A row of weight s, label p (a
    multiple of 2^-20) and class weights W+ and W- loses s (W+ p log(1 + e^-z) + W- (1 - p) log(1 + e^z)),
    divided by the sum of these weights over all rows. Prices are in that unit. By ``limits``, the weights of
    the questions asked add up to at most so much.
    """

    questions: tuple[Question, ...]
    answer: np.ndarray[Any, Any]
    label: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any] | None = None
    class_weights: tuple[float, float] = (1.0, 1.0)
    min_questions: int = 0
    max_questions: int = 6
    change_price: float = 0.0
    effect_limit: float = 30.0
    must: frozenset[int] = frozenset()
    must_not: frozenset[int] = frozenset()
    limits: tuple[tuple[tuple[int, ...], int], ...] = ()
    reference: tuple[tuple[int, ...], ...] | None = None
    most_questions_changed: int | None = None
    most_answers_changed: int | None = None
    positive: np.ndarray[Any, Any] = field(init=False, repr=False)
    total: np.ndarray[Any, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.questions), len(self.label))
        if self.answer.dtype != np.uint8 or self.answer.shape != shape:
            raise InvalidDataError(
                f"answers are {self.answer.dtype} of shape {self.answer.shape}, not uint8 of {shape}"
            )
        label = np.asarray(self.label, float)
        if len(label) == 0 or not ((label >= 0) & (label <= 1)).all() or (label * LABEL_UNIT % 1 != 0).any():
            raise InvalidDataError("labels are multiples of 2^-20 between 0 and 1, one a row", "round them")
        for number, (question, column) in enumerate(zip(self.questions, self.answer, strict=True)):
            if column.max() >= question.answers:
                raise InvalidDataError(f"question {number} has answers 0 to {question.answers - 1}, not {column.max()}")
        weight = np.ones(len(label)) if self.weight is None else np.asarray(self.weight, float)
        if weight.shape != label.shape or not (weight >= 0).all() or not np.isfinite(weight).all():
            raise InvalidDataError("weights are numbers from 0 on, one a row")
        positive, negative = (weight * self.class_weights[0] * label, weight * self.class_weights[1] * (1 - label))
        whole = positive.sum() + negative.sum()
        if not (positive.sum() > 0 and negative.sum() > 0 and np.isfinite(whole)):
            raise InvalidDataError("the labels must have both classes, with weights above 0")
        if not 0 <= self.min_questions <= self.max_questions:
            raise InvalidProblemError(
                f"min_questions={self.min_questions}, max_questions={self.max_questions}: 0 <= min <= max is needed"
            )
        if any(len(weights) != len(self.questions) for weights, _ in self.limits):
            raise InvalidProblemError("a limit has one weight for each question")
        object.__setattr__(self, "positive", np.ascontiguousarray(positive / whole))
        object.__setattr__(self, "total", np.ascontiguousarray((positive + negative) / whole))

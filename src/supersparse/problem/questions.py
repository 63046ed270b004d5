"""Questions: columns that are asked, with points for each answer, in place of features with one number each.

In a problem of questions a column of the rows holds the number of the answer, from 0 on. Points are whole and
the smallest of a question is 0; a question whose points are all 0 is not asked. The size of a card is the
number of questions that it asks, and its penalty the price of each, with `change_price` for every change of
points along the order of its answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from supersparse.base.errors import InvalidDataError, InvalidProblemError, did_you_mean
from supersparse.base.exact import Number, read_non_negative, read_whole
from supersparse.base.schema.scalars import Either, NumberForm, Truth, Word
from supersparse.base.schema.scalars import Whole as WholeForm
from supersparse.base.schema.setting import Option, keywords, keywords_of, names_of, setting
from supersparse.base.schema.shapes import NamesForm, TableOf
from supersparse.problem.asked import Asked, Auto
from supersparse.problem.constraints.single import SameSign, Values
from supersparse.problem.constraints.support import (
    CloseTo,
    MaxQuestions,
    MinQuestions,
    OfAnswers,
    ThresholdsPerVariable,
)
from supersparse.problem.limits import Constraint, Limits
from supersparse.problem.naming import matching, names_or_patterns, per_feature
from supersparse.problem.points import CoefficientSet
from supersparse.problem.rows import Rows

SHAPES = ("free", "up", "down", "either")
LARGEST_POINT = 63
MOST_ANSWERS = 64
MAX_QUESTIONS = 6  # where max_questions is "auto"
Answers = tuple[tuple[int, ...], ...]  # points by question and answer


@dataclass(frozen=True)
class Question:
    """A question: how many answers it has, how many of them (the first) stand in order, which points are
    allowed.

    Answers outside the order (not known) are free of its direction. A ``price`` is what the engine takes from
    a card that asks the question; that of a `Problem` is its C0.
    """

    answers: int
    ordered: int | None = None
    shape: str = "either"
    equal_steps: bool = False
    points: tuple[int, ...] = tuple(range(11))
    price: Number = 0

    def __post_init__(self) -> None:
        if not 2 <= self.answers <= MOST_ANSWERS:
            raise InvalidProblemError(f"a question has 2 to 64 answers, not {self.answers}", "merge answers")
        ordered = self.answers if self.ordered is None else self.ordered
        if ordered != 0 and not 2 <= ordered <= self.answers:
            raise InvalidProblemError(f"ordered={ordered}: either 0 or 2 to {self.answers} answers stand in order")
        if self.shape not in SHAPES:
            raise InvalidProblemError(subject="shape", value=self.shape, remedy=did_you_mean(str(self.shape), SHAPES))
        if 0 not in self.points or not all(0 <= value <= LARGEST_POINT for value in self.points):
            raise InvalidProblemError(f"allowed points lie between 0 and {LARGEST_POINT} and hold 0, not {self.points}")
        if not 0 <= self.price < float("inf"):
            raise InvalidProblemError(f"price={self.price}: a price is a number from 0 on")
        object.__setattr__(self, "ordered", ordered)

    def admits(self, points: Sequence[int]) -> bool:
        """Whether a card may ask the question with these points.

        >>> Question(3).admits((0, 0, 2)), Question(3).admits((0, 2, 1)), Question(3).admits((1, 1, 2))
        (True, False, False)
        """
        steps = [b - a for a, b in pairwise(points[: self.ordered])]
        rises, falls = all(step >= 0 for step in steps), all(step <= 0 for step in steps)
        in_shape = {"free": True, "up": rises, "down": falls, "either": rises or falls}[self.shape]
        return (
            len(points) == self.answers
            and set(points) <= set(self.points)
            and min(points) == 0 < max(points)
            and in_shape
            and (not self.equal_steps or len(set(steps)) <= 1)
        )

    def priced(self, price: Number) -> "Question":
        return replace(self, price=price)

    def changes(self, points: Sequence[int]) -> int:
        """How often the points change along the order of the answers."""
        return sum(a != b for a, b in pairwise(points[: self.ordered]))


@dataclass(frozen=True, kw_only=True)
class SizeInQuestions:
    """The settings of a card's size in questions."""

    max_questions: int | Auto = setting(
        "auto",
        Either(Word("auto"), WholeForm(0)),
        "Maximum number of questions; default: 6.",
        option=Option(read=int),
        group="size",
        is_common=True,
        doc="""int or "auto"
        Maximum number of questions. "auto" means 6.""",
    )
    min_questions: int = setting(
        0,
        WholeForm(0),
        "Minimum number of questions.",
        group="size",
        doc="""int
        Minimum number of questions.""",
    )
    change_price: Number = setting(
        0,
        NumberForm(0),
        "What a change of points along the answers of a question must save.",
        group="size",
        doc="""float
        What a change of points along the answers of a question must save.""",
    )

    @property
    def most_questions(self) -> int:
        """The maximum number of questions, "auto" replaced."""
        automatic = isinstance(self.max_questions, str) and self.max_questions == "auto"
        return MAX_QUESTIONS if automatic else read_whole(self.max_questions, "max_questions")


@dataclass(frozen=True, kw_only=True)
class AskedOfQuestions(SizeInQuestions):
    """The settings that only problems of questions have, declared as those of `Asked` are."""

    shape: str | Mapping[str, str] = setting(
        "either",
        Either(Word(*SHAPES), TableOf(Word(*SHAPES), "a mapping by question")),
        "How points run along the answers: up, down, either, or free; for all, or by name or pattern.",
    )
    equal_steps: bool | Mapping[str, bool] = setting(
        False,
        Either(Truth(), TableOf(Truth(), "a mapping by question")),
        "Whether each further answer changes the points by as much; for all, or by name or pattern.",
    )
    not_known: str | Sequence[str] = setting(
        (), NamesForm(), "Questions whose last answer stands outside the order, such as not known."
    )

    @classmethod
    def taken_from(cls, settings: dict[str, Any]) -> "AskedOfQuestions":
        """Take these settings out of others."""
        return cls(**{name: settings.pop(name) for name in names_of(cls) if name in settings})

    def limits(self) -> tuple[Constraint, ...]:
        """The limits on the number of questions, as constraints."""
        least = read_whole(self.min_questions, "min_questions")
        return (MaxQuestions(most=self.most_questions), *([MinQuestions(least=least)] if least else []))


# Settings of yes/no features alone, each with its remedy.
REFUSED = {
    "goal": "remove it (questions are for goal risk)",
    "slope": "remove it (the slope of such a card is free)",
    "C1": "use change_price, the price of a change of points",
    "levels": "remove it",
    "bounds": "use max_points, the largest points of an answer",
    "max_features": "use max_questions",
    "min_features": "use min_questions",
    "intercept": "remove it (a risk has its own offset)",
    "objective": "remove it (the log loss is minimised)",
}


if TYPE_CHECKING:
    from supersparse.problem.keywords import QuestionKeywords as QuestionKeywords
else:
    QuestionKeywords = keywords(
        "QuestionKeywords", [*keywords_of(AskedOfQuestions), *keywords_of(Asked, without=tuple(REFUSED))]
    )


def refuse_what_features_have(settings: Mapping[str, Any]) -> None:
    """Raise for settings that problems of questions do not have."""
    plain = Asked()
    for name, remedy in REFUSED.items():
        if name in settings and settings[name] != ("risk" if name == "goal" else getattr(plain, name)):
            raise InvalidProblemError(
                f"{name} is about yes/no features, and this problem is of questions",
                f"{remedy}, or use Problem.of",
                subject=name,
            )


def refuse_questions_of_features(asked: Sequence[Constraint]) -> None:
    """Raise for constraints that only cards of questions can satisfy."""
    for constraint in asked:
        if isinstance(constraint, OfAnswers):
            raise InvalidProblemError(
                f"{constraint.in_words()!r} is about points by answer, and features have one number each",
                "remove it, or use Problem.of_questions",
            )


def asked_in_words(constraint: Constraint) -> str:
    """A constraint on questions in words: these are asked, where features are used.

    >>> from supersparse.problem.constraints import must_not_use
    >>> asked_in_words(must_not_use("age"))
    'age not asked'
    """
    if isinstance(constraint, Values) and not constraint.equals:
        return f"{', '.join(constraint.of)}{' asked' if constraint.equals is None else ' not asked'}"
    if isinstance(constraint, SameSign):
        return "; ".join(f"points of {', '.join(of)} rise or fall alike" for _, of in constraint.variables)
    return constraint.in_words()


def refuse_limits(limits: Limits) -> None:
    """Raise for constraints that are about the coefficient of a feature."""
    for score_limit in limits.score_limits:
        raise InvalidProblemError(
            f"{score_limit.source.in_words()!r}: limits on scores do not hold for questions",
            "remove it, give max_points, or use yes/no features (questions=False, --features, Problem.of)",
        )
    for support_limit in limits.support_limits:
        if isinstance(support_limit.source, ThresholdsPerVariable):
            raise InvalidProblemError(
                f"{support_limit.source.in_words()!r}: a question has several answers",
                "give max_cuts, or use yes/no features (questions=False, --features, Problem.of)",
            )
    for value_limit in limits.value_limits:
        if value_limit.equals:
            words = repr(value_limit.source.in_words())
            raise InvalidProblemError(
                f"{words}: a question has points for each answer", "give a list of them", subject=words
            )


def read_questions(
    asked: AskedOfQuestions, rows: Rows, sets: Sequence[CoefficientSet], wishes: Sequence[Constraint] = ()
) -> tuple[Question, ...]:
    """The question of each column, with these allowed points: as many answers as it has, or as a card in use has."""
    names = rows.names
    in_use = {name: len(points) for one in wishes if isinstance(one, CloseTo) for name, points in one.card}
    outside = names_or_patterns(asked.not_known, "not_known") if asked.not_known else ()
    unordered = set(matching(outside, names, "not_known")) if outside else set()
    shapes = per_feature(asked.shape, names, what="shape", read=lambda value, _: str(value), default=lambda _: "either")
    steps = per_feature(
        asked.equal_steps, names, what="equal_steps", read=lambda value, _: bool(value), default=lambda _: False
    )
    questions = []
    for j, name in enumerate(names):
        least, most = int(rows.columns[j].min()), int(rows.columns[j].max())
        if rows.scales[j] != 1 or least < 0 or most >= MOST_ANSWERS:
            raise InvalidDataError(
                f"column {name!r} has values from {least / rows.scales[j]:g} to {most / rows.scales[j]:g}",
                f"number its answers from 0 to at most {MOST_ANSWERS - 1}: cut it into bands",
            )
        answers = max(most + 1, 2, in_use.get(name, 0))
        values = [value for value in sets[j].values if value >= 0]
        if any(value.denominator != 1 or value > LARGEST_POINT for value in values):
            raise InvalidProblemError(
                f"question {name!r}: points of an answer are whole and at most {LARGEST_POINT}, and points up to "
                f"{max(values)} are allowed",
                f"give max_points of at most {LARGEST_POINT}, or whole points",
            )
        ordered = answers - 1 if j in unordered else answers
        question = Question(answers, ordered if ordered > 1 else 0, shapes[j], steps[j], tuple(map(int, values)))
        questions.append(question)
    return tuple(questions)


def read_change_price(price: object) -> Fraction:
    return read_non_negative(price, "change_price")


def price_of(
    questions: Sequence[Question], prices: Sequence[Fraction], change_price: Fraction, answers: Answers
) -> Fraction:
    """The price of a card with these points: that of each question, and that of its changes.

    >>> price_of([Question(3)] * 2, [Fraction(1, 5)] * 2, Fraction(1, 100), ((0, 1, 2), (0, 0, 0)))
    Fraction(11, 50)
    """
    return sum(
        (
            price + change_price * question.changes(points)
            for question, price, points in zip(questions, prices, answers, strict=True)
            if any(points)
        ),
        Fraction(0),
    )

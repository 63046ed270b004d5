"""The unit of a card's size: questions, or the yes/no features and numeric columns of the paper."""

from collections.abc import Mapping
from typing import Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.schema.setting import names_of
from supersparse.problem.questions import SizeInQuestions

_SIZES = names_of(SizeInQuestions)


def asks_questions(given: Mapping[str, Any]) -> bool:
    """Whether settings speak of questions."""
    if given.get("questions") is not None:
        return bool(given["questions"])
    return any(given.get(name, getattr(SizeInQuestions, name)) != getattr(SizeInQuestions, name) for name in _SIZES)


def read_goal_of_questions(given: dict[str, Any]) -> None:
    """Let questions be for goal risk, where no goal is given; raise where it is errors."""
    if asks_questions(given) and given.setdefault("goal", "risk") == "errors":
        name = next((name for name in _SIZES if name in given), "questions")
        raise InvalidOptionError(
            f"{name} is {given[name]!r}, but goal is 'errors', and questions are for goal 'risk'",
            "use goal risk, or max_features",
            subject=name,
        )

"""The unit of a card's size: questions, or the yes/no features and numeric columns of the paper.

Cards for goal risk ask questions unless settings say otherwise. What holds for features alone is refused with
questions, each with its remedy; a settings file that speaks of features alone is read as it always was.
"""

from collections.abc import Collection, Mapping
from typing import Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.schema.setting import names_of
from supersparse.problem.asked import Asked
from supersparse.problem.questions import LARGEST_POINT, REFUSED, SizeInQuestions

_REMEDIES = {name: remedy for name, remedy in REFUSED.items() if name != "goal"} | {"points": REFUSED["bounds"]}
_OF_ERRORS = ("tie_break", "slack")
_OF_PREPARE = ("cuts", "candidates", "intervals")  # what its preparation has for features alone


def asks_questions(settings: Mapping[str, Any]) -> bool:
    """Whether settings speak of questions."""
    if settings.get("questions") is not None:
        return bool(settings["questions"])
    return any(settings.get(name, getattr(SizeInQuestions, name)) != getattr(SizeInQuestions, name) for name in _SIZES)


def refuse_questions_for_errors(settings: Mapping[str, Any]) -> None:
    """Raise where questions are asked of a card for the fewest errors."""
    if settings.get("goal") == "errors" and asks_questions(settings):
        name = next((name for name in _SIZES if name in settings), "questions")
        raise InvalidOptionError(
            f"{name} is {settings[name]!r}, but goal is 'errors', and questions are for goal 'risk'",
            "use goal risk, or max_features",
            subject=name,
        )


def refuse_features(settings: Asked) -> None:
    """Raise for what only cards of features have, where a card asks questions."""
    for name, remedy in _REMEDIES.items():
        value = getattr(settings, name)
        if value is not None and value != getattr(Asked, name):
            raise InvalidOptionError(
                f"{name} is about yes/no features, and this card asks questions",
                f"{remedy}, or questions=False (--features)",
                subject=name,
            )
    if isinstance(settings.max_points, int) and settings.max_points > LARGEST_POINT:
        raise InvalidOptionError(
            subject="max_points",
            value=settings.max_points,
            remedy=f"give at most {LARGEST_POINT}, the largest points of an answer",
        )


def refuse_sizes_in_questions(settings: Asked) -> None:
    """Raise for a size in questions, where a card is of features."""
    for name in _SIZES:
        if getattr(settings, name) != getattr(SizeInQuestions, name):
            raise InvalidOptionError(
                f"{name} is about questions, and this card is of features",
                f"use {name.replace('questions', 'features')}" if "questions" in name else "remove it",
                subject=name,
            )


def read_unit(settings: dict[str, Any], goal: str | None, usual: str) -> list[str]:
    """Complete what a settings file leaves open of goal and unit, as it always meant it; return notes about that.

    `goal` is the one that is asked elsewhere, if there is one, and `usual` that of files that speak of neither.
    """
    notes = []
    if goal is not None:
        settings["goal"] = goal
    elif "goal" not in settings and asks_questions(settings):
        settings["goal"] = "risk"
    elif "goal" not in settings and usual == "risk":
        old = _named(settings, (*_REMEDIES, *_OF_ERRORS))
        settings["goal"] = "risk" if old is None else "errors"
        if old is not None:
            notes.append(f"it has {old} and no goal, so the goal is errors; write goal: errors, or goal: risk")
    says = settings.get("questions") is not None or asks_questions(settings)
    if settings.get("goal") == "risk" and not says:
        of_features = _named(settings, ("max_features",))
        if of_features is not None:
            settings["questions"] = False
            notes.append(f"it has {of_features}, so the card is of yes/no features; write questions: false")
    return notes


def _named(settings: Mapping[str, Any], names: Collection[str]) -> str | None:
    """The first setting with one of these names, or of a preparation that makes features."""
    prepare: Collection[str] = settings.get("prepare", ())
    of_prepare = (f"prepare: {name}" for name in _OF_PREPARE if name in prepare)
    return next((name for name in names if name in settings), None) or next(of_prepare, None)


_SIZES = names_of(SizeInQuestions)

"""Updating a card in use: what limits the change, and the history that the new card keeps."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
from supersparse.base.schema.tree import label_text
from supersparse.card.card import Card
from supersparse.card.file import digest
from supersparse.card.provenance import CardUpdate
from supersparse.card.words import condition
from supersparse.engine.solution import Solution
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.settings.settings import Settings
from supersparse.problem.constraints.support import CloseTo
from supersparse.problem.objective import evaluate, with_answers
from supersparse.problem.problem import Problem
from supersparse.problem.questions import MAX_QUESTIONS, Answers

_USUAL_POINTS = 10


def check_class(card: Card, positive: object) -> None:
    """Refuse to update a card of another class."""
    if label_text(card.positive) != label_text(positive):
        raise InvalidOptionError(
            f"update: the card gives the risk of {card.positive!r}, but the positive class here is {positive!r}",
            "name the class of the card with positive, or spell the classes as the card does",
        )


def with_card_in_use(settings: Settings, prepare: Prepare) -> Settings:
    """Limit the changes of a card in use; what it has already is allowed, unless somebody asked for less."""
    limit = _limit(prepare.constraints_)
    if limit is None:
        return settings
    changes: dict[str, Any] = {"constraints": (*settings.constraints, limit)}
    if settings.max_questions == "auto":
        changes["max_questions"] = max(MAX_QUESTIONS, len(limit.card) + (limit.questions or limit.answers or 0))
    if settings.max_points == "auto":
        changes["max_points"] = max([_USUAL_POINTS, *(max(points) for _, points in limit.card)])
    return replace(settings, **changes)


def _limit(constraints: Sequence[object]) -> CloseTo | None:
    return next((one for one in constraints if isinstance(one, CloseTo)), None)


def with_history(card: Card, prepare: Prepare, solution: Solution) -> Card:
    """Keep with an updated card its earlier versions, what was changed, and what each change gains."""
    before, made = prepare.updated, card.provenance
    limit = _limit(prepare.constraints_)
    if before is None or made is None or limit is None:
        return card
    origin, in_use = before.provenance, dict(limit.card)
    problem, points = solution.problem, solution.points.answers
    assert points is not None, "a card of questions has points by answer"
    names, least = problem.rows.names, solution.objective
    old = tuple(in_use.get(name, (0,) * len(own)) for name, own in zip(names, points, strict=True))
    changes = tuple(
        (
            _in_words(prepare.questions_[j], old[j], points[j]),
            _gain(problem, (*points[:j], old[j], *points[j + 1 :]), least),
        )
        for j in range(len(names))
        if old[j] != points[j]
    )
    update = CardUpdate(
        before=digest(before),
        n_before=None if origin is None else origin.n_rows,
        n_rows=made.n_rows,
        gain=_gain(problem, old, least),
        changes=changes,
    )
    history = () if origin is None else origin.updates
    return replace(card, provenance=replace(made, updates=(*history, update)))


def _gain(problem: Problem, answers: Answers, least: Fraction) -> float:
    """How much worse other points would be, with their risks learned from the same rows; 0 within rounding."""
    return max(0.0, float(evaluate(problem, with_answers(problem, answers)).objective - least))


def _in_words(question: ColumnQuestion, before: Sequence[int], after: Sequence[int]) -> str:
    """A change of a question, with the points of each answer that has others.

    >>> from supersparse.card.rules import IsOneOf
    >>> asked = ColumnQuestion(
    ...     column="sex", position=0, rules=tuple(IsOneOf("sex", (v,)) for v in ("f", "m")), missing=None
    ... )
    >>> _in_words(asked, (0, 2), (0, 3)), _in_words(asked, (0, 0), (0, 3)), _in_words(asked, (0, 3), (0, 0))
    ('sex = m from 2 to 3 points', 'sex added: sex = m 3 points', 'sex dropped')
    """
    if not any(after):
        return f"{question.column} dropped"
    triples = zip(question.rules, before, after, strict=True)
    changed = [(condition(rule), old, new) for rule, old, new in triples if old != new]
    if any(before):
        return ", ".join(f"{name} from {old} to {counted(new, 'point')}" for name, old, new in changed)
    return f"{question.column} added: " + ", ".join(f"{name} {counted(new, 'point')}" for name, _, new in changed)

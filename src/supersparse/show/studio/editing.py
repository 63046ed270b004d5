"""Edits as the page sees them: the card after each change, its price, and what a repair asks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from supersparse.card.card import Card
from supersparse.engine.solution import Solution
from supersparse.learn.editing import (
    Edited,
    changed,
    cut_of,
    edited_solution,
    feature_of,
    question_with,
)
from supersparse.learn.prepare.feature import Feature
from supersparse.show.studio.asking import Inquiry, asked_of, remembered
from supersparse.show.studio.pricing import price_of, swaps_of
from supersparse.show.studio.showing import (
    card_view,
    made_card,
    model_of,
    numbers_of,
    solution_of,
    with_steps,
    wordings,
)
from supersparse.show.studio.worker import Talk


@dataclass(frozen=True, slots=True)
class _Edited:
    """The best card of the run, and what was made of it."""

    base: Inquiry
    best: Solution
    state: Edited
    texts: list[str]
    asked: Inquiry
    solution: Solution
    card: Card


def _made(given: Mapping[str, Any]) -> _Edited:
    base = asked_of(given)
    best = solution_of(base.question.problem, given["model"], given.get("found") or {})
    state, texts = Edited.of(best), list[str]()
    for change in given["changes"]:
        state, text = changed(base.question, state, change)
        texts.append(text)
    asked = _with_moved(given, base, state)
    solution = edited_solution(asked.question, asked.rows, state, best) if texts else best
    edits = [{**step, "text": text} for step, text in zip(given["steps"], texts, strict=False)]
    card = with_steps(made_card(asked, solution, remembers=not given.get("preview")), edits)
    return _Edited(base, best, state, texts, asked, solution, card)


def edited_card(given: Mapping[str, Any]) -> tuple[Inquiry, Solution, Card]:
    """Return the question, the solution and the card of an edit."""
    made = _made(given)
    return made.asked, made.solution, made.card


def edited(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Apply the changes of an edit to its card, one after another, and say what that costs."""
    made = _made(given)
    state = made.state
    view = card_view(made.asked, made.solution, made.card, given["ids"])
    return {
        "card": view,
        "model": model_of(made.solution.problem, made.solution.points),
        "said": made.texts,
        "price": price_of(made.best, made.solution, foreign=bool(set(state.moved) & set(state.points))),
        "before": numbers_of(made.best, None),
        "threshold_fixed": state.threshold is not None,
        "questions": list(made.base.question.problem.rows.names),
        "texts": wordings(made.asked),
        "swaps": swaps_of(made.base, state.points, {n: f.column for n, f in state.moved.items()})
        if given.get("swaps")
        else {},
        "repair": _repair(made.base, state, given),
    }


def _with_moved(given: Mapping[str, Any], base: Inquiry, state: Edited) -> Inquiry:
    """Return the question with the questions of moved cuts beside those of the table."""
    new = state.new_questions
    if not new:
        return base
    key = ["moved", given["path"], given["choices"], given["plan"], [feature.name for feature in new]]
    return remembered(json.dumps(key, sort_keys=True), lambda: _extended(base, new))


def _extended(base: Inquiry, new: Sequence[Feature]) -> Inquiry:
    return replace(base, question=question_with(base.question, base.rows, new))


def _repair(base: Inquiry, state: Edited, given: Mapping[str, Any]) -> dict[str, Any]:
    """The plan and choices of a run that keeps what was edited and solves the rest again."""
    choices, plan = dict(given["choices"]), dict(given["plan"])
    settings = dict(plan["settings"])
    constraints = list(settings.get("constraints", []))
    moved = state.new_questions
    cut_points = {**choices["cut_points"], **{f.column: _cuts(base, state, f.column, moved) for f in moved}}
    for name in sorted(state.touched):
        if name in state.points:
            constraints.append({"fixed": name, "value": _plain(state.points[name])})
        elif name in base.question.problem.rows.names and _survives(base, name, cut_points):
            constraints.append({"must_not_use": name})
    settings["constraints"] = constraints
    if not constraints:
        del settings["constraints"]
    return {"choices": {**choices, "cut_points": cut_points}, "plan": {**plan, "settings": settings}}


def _cuts(base: Inquiry, state: Edited, column: str, moved: Sequence[Feature]) -> list[float]:
    """The cuts of a column with those that were moved; of cuts that ask the same, only the moved one."""
    from supersparse.table.sources import read_every_column

    assert base.question.prepare is not None
    cells = read_every_column({column: base.rows.X[column]}).columns[column]
    of_column = [feature for feature in moved if feature.column == column]
    taken = {feature.of_cells(cells).tobytes() for feature in of_column}
    for feature in base.question.prepare.features_:
        gone = feature.name in state.touched and feature.name not in state.points
        if feature.column != column or cut_of(feature.rule) is None or gone:
            continue
        answers = feature.of_cells(cells).tobytes()
        if answers not in taken:
            taken.add(answers)
            of_column.append(feature)
    return sorted(cut for feature in of_column if (cut := cut_of(feature.rule)) is not None)


def _survives(base: Inquiry, name: str, cut_points: Mapping[str, Any]) -> bool:
    """Whether a question will be asked again, though the cuts of its column may have changed."""
    feature = feature_of(base.question, name)
    if feature is None or feature.column not in cut_points or cut_of(feature.rule) is None:
        return True
    return cut_of(feature.rule) in cut_points[feature.column]


def _plain(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else str(value)

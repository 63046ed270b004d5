"""Editing a card by hand: its points, questions, cuts and threshold."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from supersparse.card.card import Card
from supersparse.card.rules import InRange
from supersparse.errors import InvalidInputError
from supersparse.exact import exact, shown
from supersparse.learning.recipe import Question, with_directions
from supersparse.prepare.feature import Feature
from supersparse.prepare.fitting import PreparedColumns
from supersparse.prepare.prepare import Prepare
from supersparse.problem.objective import evaluate, violated, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.solution import Solution, Trace
from supersparse.stop import Stop
from supersparse.studio.asking import Asked, asked_of, remembered
from supersparse.studio.pricing import price_of, swaps_of
from supersparse.studio.problems import StudioError
from supersparse.studio.showing import (
    card_view,
    cut_of,
    made_card,
    model_of,
    numbers_of,
    solution_of,
    with_edits,
)
from supersparse.studio.worker import Talk


@dataclass(frozen=True, slots=True)
class _State:
    """An edited model: points by question, cuts that were moved, and the threshold if somebody set it."""

    points: Mapping[str, Fraction]
    moved: Mapping[str, Feature]  # questions that the table did not offer
    threshold: Fraction | None
    touched: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Edited:
    """The best card of the run, and what was made of it."""

    base: Asked
    best: Solution
    state: _State
    texts: list[str]
    asked: Asked
    solution: Solution
    card: Card


def _made(given: Mapping[str, Any]) -> _Edited:
    base = asked_of(given)
    best = solution_of(base.question.problem, given["model"], given.get("found") or {})
    names = base.question.problem.rows.names
    state = _State(
        points={names[j]: best.points.values[j] for j in best.points.support},
        moved={},
        threshold=None,
        touched=frozenset(),
    )
    texts = []
    for change in given["changes"]:
        state, text = _changed(base, state, change)
        texts.append(text)
    asked = _with_moved(given, base, state)
    solution = _solution(asked, state, best) if texts else best
    edits = [{**step, "text": text} for step, text in zip(given["steps"], texts, strict=False)]
    card = with_edits(made_card(asked, solution, remembers=not given.get("preview")), edits)
    return _Edited(base, best, state, texts, asked, solution, card)


def edited_card(given: Mapping[str, Any]) -> tuple[Asked, Solution, Card]:
    """Return the question, the solution and the card of an edit."""
    made = _made(given)
    return made.asked, made.solution, made.card


def edited(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Apply the changes of an edit to its card, one after another, and say what that costs."""
    made = _made(given)
    state = made.state
    view = card_view(made.asked, made.solution, made.card, given["ids"])
    return {
        "card": view,
        "model": model_of(made.solution.problem, made.solution.points),
        "texts": made.texts,
        "price": price_of(made.best, made.solution, foreign=bool(set(state.moved) & set(state.points))),
        "before": numbers_of(made.best, None),
        "threshold_fixed": state.threshold is not None,
        "questions": list(made.base.question.problem.rows.names),
        "swaps": swaps_of(made.base, state.points, {n: f.column for n, f in state.moved.items()})
        if given.get("swaps")
        else {},
        "repair": _repair(made.base, state, given),
    }


def _refused(thing: str, value: object, why: str, remedy: str) -> StudioError:
    return StudioError("input", f"{thing} {value!r} {why}; {remedy}", thing=thing, value=value, remedy=remedy)


def _changed(asked: Asked, state: _State, change: object) -> tuple[_State, str]:
    """Return the state after a change, and the change in words."""
    if not isinstance(change, Mapping) or len(change) != 1:
        raise _refused(
            "change", change, "is not understood", "send one of points, drop, add, swap, cut, threshold"
        )
    ((kind, what),) = change.items()
    if kind == "threshold":
        return _with_threshold(asked, state, what)
    if kind == "drop":
        _check_used(state, what)
        points = {name: value for name, value in state.points.items() if name != what}
        return _next(state, points, what), f"{what!r} dropped"
    if kind not in ("points", "add", "swap", "cut") or not isinstance(what, Mapping):
        raise _refused(
            "change", kind, "is not understood", "send one of points, drop, add, swap, cut, threshold"
        )
    name = str(what.get("question"))
    if kind == "add":
        _check_known(asked, state, name)
        if name in state.points:
            raise _refused("question", name, "is on the card already", "change its points")
        value = _points(asked, what.get("points", 1))
        return _next(state, {**state.points, name: value}, name), f"{name!r} added with {_said(value)}"
    _check_used(state, name)
    old = state.points[name]
    if kind == "points":
        value = _points(asked, what.get("to"))
        text = f"points of {name!r} {shown(old)} -> {shown(value)}"
        if value == 0:
            points = {one: v for one, v in state.points.items() if one != name}
            return _next(state, points, name), f"{name!r} dropped"
        return _next(state, {**state.points, name: value}, name), text
    if kind == "swap":
        other = str(what.get("for"))
        _check_known(asked, state, other)
        if other in state.points:
            raise _refused("question", other, "is on the card already", "choose another one")
        return _next(
            state, _renamed(state.points, name, other), name, other
        ), f"{name!r} swapped for {other!r}"
    return _with_cut(asked, state, name, what.get("to"))


def _said(value: Fraction) -> str:
    return f"{shown(value)} point{'' if abs(value) == 1 else 's'}"


def _next(state: _State, points: Mapping[str, Fraction], *touched: str) -> _State:
    return replace(state, points=points, touched=state.touched | set(touched))


def _renamed(points: Mapping[str, Fraction], old: str, new: str) -> dict[str, Fraction]:
    return {new if name == old else name: value for name, value in points.items()}


def _with_threshold(asked: Asked, state: _State, what: object) -> tuple[_State, str]:
    if asked.question.problem.goal == "risk":
        raise _refused(
            "threshold", what, "cannot be set on a card of risks", "choose a risk to act at instead"
        )
    if what is None:
        return replace(state, threshold=None), "threshold chosen again"
    value = _number(what, "threshold")
    return replace(state, threshold=value), f"threshold set to {shown(value)}"


def _with_cut(asked: Asked, state: _State, name: str, to: object) -> tuple[_State, str]:
    value = _number(to, "cut")
    feature = state.moved.get(name) or _feature(asked, name)
    if feature is None or cut_of(feature.rule) is None:
        raise _refused("question", name, "has no cut to move", "choose one that asks for so much or more")
    new = replace(feature, rule=InRange(feature.column, low=value))
    if new.name in state.points and new.name != name:
        raise _refused("cut", shown(value), "is on the card already", "choose another one")
    moved = dict(state.moved)
    if _feature(asked, new.name) is None:
        moved[new.name] = new
    changed = replace(state, moved=moved)
    return (
        _next(changed, _renamed(state.points, name, new.name), name, new.name),
        f"cut of {name!r} moved to {shown(value)}",
    )


def _number(given: object, what: str) -> Fraction:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise _refused(what, given, "is no number", "give a number")
    try:
        return exact(float(given) if isinstance(given, str) else given, what)
    except (InvalidInputError, ValueError):
        raise _refused(what, given, "is no number", "give a number") from None


def _points(asked: Asked, given: object) -> Fraction:
    value = _number(given, "points")
    unit = asked.question.problem.unit
    if (value * unit).denominator != 1 or abs(value) > 10**6:
        allowed = "a whole number" if unit == 1 else f"a multiple of 1/{unit}"
        raise _refused("points", given, "are not allowed", f"give {allowed}")
    return value


def _feature(asked: Asked, name: object) -> Feature | None:
    prepare = asked.question.prepare
    return next((f for f in ([] if prepare is None else prepare.features_) if f.name == name), None)


def _check_used(state: _State, name: object) -> None:
    if not isinstance(name, str) or name not in state.points:
        raise _refused("question", name, "is not on the card", "choose one of its questions")


def _check_known(asked: Asked, state: _State, name: object) -> None:
    if not isinstance(name, str) or (
        name not in asked.question.problem.rows.names and name not in state.moved
    ):
        raise _refused("question", name, "is not among those of the table", "choose one of them")


def _with_moved(given: Mapping[str, Any], base: Asked, state: _State) -> Asked:
    """Return the question with the questions of moved cuts beside those of the table."""
    new = [state.moved[name] for name in state.points if name in state.moved]
    if not new:
        return base
    key = ["moved", given["path"], given["choices"], given["plan"], [feature.name for feature in new]]
    return remembered(json.dumps(key, sort_keys=True), lambda: _extended(base, new))


def _extended(base: Asked, new: Sequence[Feature]) -> Asked:
    question, rows = base.question, base.rows
    prepare = question.prepare
    assert prepare is not None
    more = Prepare.of_found(
        prepare.recorded,
        PreparedColumns(
            features=(*prepare.features_, *new),
            constraints=prepare.constraints_,
            notes=tuple(prepare.notes_),
            domains={domain.column: domain for domain in prepare.raw_questions.domains},
            n_candidates=prepare.n_candidates_ + len(new),
        ),
    )
    names = [feature.name for feature in more.features_]
    recipe = question.recipe
    problem = with_directions(recipe.settings_for(rows.y), more, names).problem(
        more.transform(rows.X),
        rows.y,
        feature_names=names,
        sample_weight=rows.sample_weight,
        rate_groups=rows.rate_groups,
    )
    return replace(base, question=Question(recipe=recipe, problem=problem, prepare=more))


def _solution(asked: Asked, state: _State, best: Solution) -> Solution:
    """Evaluate the edited model; the bound of the search holds for it if it obeys all that was asked."""
    problem = asked.question.problem
    points = _with_intercept(asked, state)
    evaluation = evaluate(problem, points)
    obeys = not state.moved and not violated(problem, points) and _allowed(problem, points)
    bound = best.lower_bound if obeys else Fraction(0)
    return replace(
        best,
        problem=problem,
        points=points,
        evaluation=evaluation,
        lower_bound=min(bound, evaluation.objective),
        smallest=False,
    )


def _allowed(problem: Problem, points: Points) -> bool:
    return all(points.values[j] in problem.sets[j] for j in points.support)


def _with_intercept(asked: Asked, state: _State) -> Points:
    problem = asked.question.problem
    values = [state.points.get(name, Fraction(0)) for name in problem.rows.names]
    coefficients = [int(value * problem.unit) for value in values]
    points = with_best_intercept(problem, coefficients)
    if points is None:  # no threshold satisfies every wish: take the best one, and say what is broken
        points = with_best_intercept(problem.without(problem.asked), coefficients)
    if points is None:
        points = Points(tuple(coefficients), 0, problem.unit)
    if state.threshold is None:
        return points
    draft = Solution(
        problem=problem, solver="by hand", points=points, evaluation=evaluate(problem, points),
        lower_bound=Fraction(0), smallest=False, stop=Stop.SEARCH_ENDED, nodes=0, seconds=0.0, trace=Trace(),
    )  # fmt: skip
    card = made_card(asked, draft)
    shift = card.intercept - card.as_learned.intercept
    exceeded = state.threshold - Fraction(1, 2) if card.totals_are_whole else state.threshold
    return replace(points, intercept=(-exceeded - shift) * problem.unit)


def _repair(base: Asked, state: _State, given: Mapping[str, Any]) -> dict[str, Any]:
    """The plan and choices of a run that keeps what was edited and solves the rest again."""
    choices, plan = dict(given["choices"]), dict(given["plan"])
    settings = dict(plan["settings"])
    constraints = list(settings.get("constraints", []))
    moved = [state.moved[name] for name in state.points if name in state.moved]
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


def _cuts(base: Asked, state: _State, column: str, moved: Sequence[Feature]) -> list[float]:
    """The cuts of a column with those that were moved; of cuts that ask the same, only the moved one."""
    from supersparse.data.sources import read_every_column

    assert base.question.prepare is not None
    cells = read_every_column({column: base.rows.X[column]}).columns[column]
    own = [feature for feature in moved if feature.column == column]
    taken = {feature.of_cells(cells).tobytes() for feature in own}
    for feature in base.question.prepare.features_:
        gone = feature.name in state.touched and feature.name not in state.points
        if feature.column != column or cut_of(feature.rule) is None or gone:
            continue
        answers = feature.of_cells(cells).tobytes()
        if answers not in taken:
            taken.add(answers)
            own.append(feature)
    return sorted(cut for feature in own if (cut := cut_of(feature.rule)) is not None)


def _survives(base: Asked, name: str, cut_points: Mapping[str, Any]) -> bool:
    """Whether a question will be asked again, though the cuts of its column may have changed."""
    feature = _feature(base, name)
    if feature is None or feature.column not in cut_points or cut_of(feature.rule) is None:
        return True
    return cut_of(feature.rule) in cut_points[feature.column]


def _plain(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else str(value)

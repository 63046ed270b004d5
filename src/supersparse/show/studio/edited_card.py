"""Cards that were kept or edited: the card after each change, its price, and what a repair asks."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.base.exact import shown
from supersparse.card import file as card_file
from supersparse.card.card import Card
from supersparse.engine.solution import Solution
from supersparse.learn.edited_answers import EditedAnswers, cuts_of, outside
from supersparse.learn.editing import Edited, begun, changed, cut_of, edited_solution, feature_of
from supersparse.learn.editing import asked_of as asked_of_state
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.training_performance import by_classes
from supersparse.problem.objective import evaluate, violated, with_best_intercept
from supersparse.problem.questions import asked_in_words
from supersparse.show.document import ScoringSystem
from supersparse.show.studio.card_view import (
    card_view,
    made_card,
    measure_of,
    model_of,
    numbers_of,
    rules_of,
    solution_of,
    with_steps,
    wordings,
)
from supersparse.show.studio.inquiry import Inquiry, asked_of, remembered
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.texts import text
from supersparse.table.sources import read_every_column


@dataclass(frozen=True, slots=True)
class _Edited:
    """The best card of the run, and what was made of it."""

    base: Inquiry
    best: Solution
    state: Edited | EditedAnswers
    texts: list[str]
    asked: Inquiry
    solution: Solution
    card: Card


def _made(job: Mapping[str, Any]) -> _Edited:
    base = asked_of(job)
    best = solution_of(base.question.problem, job["model"], job.get("found") or {})
    state, texts = begun(best), list[str]()
    for change in job["changes"]:
        state, text = changed(base.question, state, change, base.rows)
        texts.append(text)
    asked = _with_new(job, base, state)
    solution = edited_solution(asked.question, asked.rows, state, best) if texts else best
    edits = [{**step, "text": text} for step, text in zip(job["steps"], texts, strict=False)]
    card = with_steps(made_card(asked, solution, remembers=not job.get("preview")), edits)
    return _Edited(base, best, state, texts, asked, solution, card)


def edited_card(job: Mapping[str, Any]) -> tuple[Inquiry, Solution, Card]:
    made = _made(job)
    return made.asked, made.solution, made.card


def edited(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Apply the changes of an edit to its card, one after another, and say what that costs."""
    made = _made(job)
    state = made.state
    view = card_view(made.asked, made.solution, made.card, job["ids"])
    return {
        "card": view,
        "model": model_of(made.solution.problem, made.solution.points),
        "said": made.texts,
        "price": price_of(made.best, made.solution, foreign=bool(_asked_anew(state))),
        "before": numbers_of(made.best, None),
        "threshold_fixed": isinstance(state, Edited) and state.threshold is not None,
        "asks_questions": bool(made.base.question.problem.questions),
        "questions": list(made.base.question.problem.rows.names),
        "texts": wordings(made.asked),
        "swaps": _swaps(made.base, state) if job.get("swaps") else {},
        "repair": _repair_answers(made.base, state, job)
        if isinstance(state, EditedAnswers)
        else _repair(made.base, state, job),
    }


def _asked_anew(state: Edited | EditedAnswers) -> list[str]:
    """The questions of an edited card that the table did not offer."""
    if isinstance(state, Edited):
        return [feature.name for feature in state.new_questions]
    return [" ".join([one.column, *map(shown, cuts_of(one))]) for one in state.recut]


def _with_new(job: Mapping[str, Any], base: Inquiry, state: Edited | EditedAnswers) -> Inquiry:
    """Return the question with the questions of moved cuts."""
    new = _asked_anew(state)
    if not new:
        return base
    key = ["moved", job["path"], job["choices"], job["plan"], new]
    return remembered(
        json.dumps(key, sort_keys=True), lambda: replace(base, question=asked_of_state(base.question, base.rows, state))
    )


def _swaps(base: Inquiry, state: Edited | EditedAnswers) -> dict[str, list[str]]:
    if isinstance(state, Edited):
        return swaps_of(base, state.points, {n: f.column for n, f in state.moved.items()})
    others = [name for name in base.question.problem.rows.names if name not in state.answers]
    return dict.fromkeys(state.answers, others)


def _repair_answers(base: Inquiry, state: EditedAnswers, job: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a card of questions: what was edited keeps its cuts and its points, or is not asked."""
    choices, plan = dict(job["choices"]), dict(job["plan"])
    settings, cut_points = dict(plan["settings"]), dict(choices["cut_points"])
    constraints = list(settings.get("constraints", []))
    for name in sorted(state.touched):
        if name not in state.answers:
            constraints.append({"must_not_use": name})
            continue
        constraints.append({"fixed": name, "value": list(state.answers[name])})
        cuts = cuts_of(state.question(base.question, name))
        if cuts:  # so that its answers stay what they are
            cut_points[name] = list(map(float, cuts))
    return {
        "choices": {**choices, "cut_points": cut_points},
        "plan": {**plan, "settings": {**settings, **({"constraints": constraints} if constraints else {})}},
    }


def _repair(base: Inquiry, state: Edited, job: Mapping[str, Any]) -> dict[str, Any]:
    """The plan and choices of a run that keeps what was edited and solves the rest again."""
    choices, plan = dict(job["choices"]), dict(job["plan"])
    settings = dict(plan["settings"])
    constraints = list(settings.get("constraints", []))
    moved = state.new_questions
    cut_points = {**choices["cut_points"], **{f.column: _cuts(base, state, f.column, moved) for f in moved}}
    for name in sorted(state.touched):
        if name in state.points:
            value = state.points[name]
            constraints.append({"fixed": name, "value": int(value) if value.denominator == 1 else str(value)})
        elif name in base.question.problem.rows.names and _survives(base, name, cut_points):
            constraints.append({"must_not_use": name})
    settings["constraints"] = constraints
    if not constraints:
        del settings["constraints"]
    return {"choices": {**choices, "cut_points": cut_points}, "plan": {**plan, "settings": settings}}


def _cuts(base: Inquiry, state: Edited, column: str, moved: Sequence[Feature]) -> list[float]:
    """The cuts of a column with those that were moved; of cuts that ask the same, only the moved one."""
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


_SWAP_SECONDS = 0.6  # for ranking the questions that could stand in for another
_SWAPS = 12


def price_of(best: Solution, solution: Solution, *, foreign: bool) -> dict[str, Any]:
    """The price of an edit against the best card of the run, and against the proven bound."""
    asks = bool(solution.problem.questions)
    broken = [asked_in_words(c) if asks else c.in_words() for c in violated(solution.problem, solution.points)]
    broken += [text("price.outside", name=name) for name in outside(solution.problem, solution.points.answers)]
    broken += [
        text("price.outside", name=solution.problem.rows.names[j])
        for j in (solution.points.support if solution.points.answers is None else ())
        if solution.points.values[j] not in solution.problem.sets[j]
        and solution.points.values[j] not in solution.problem.given_sets[j]
    ]
    cost = solution.objective - best.objective
    errors = by_classes(solution).evaluation.training_errors - by_classes(best).evaluation.training_errors
    return {
        "objective": float(solution.objective),
        "best": float(best.objective),
        "bound": float(best.lower_bound),
        "cost": float(cost),
        "cost_at_most": float(solution.objective - best.lower_bound),
        "errors_more": float(errors),
        "measure": measure_of(solution.problem),
        "proven": best.proven_optimal,
        "new_questions": foreign,
        "broken": broken,
        "text": _price_text(best, solution, foreign=foreign),
    }


def _price_text(best: Solution, solution: Solution, *, foreign: bool) -> str:
    """The price in what the search made least of; errors follow where these are not it."""
    before, after = (by_classes(one).evaluation.training_errors for one in (best, solution))
    what = text("price.proven" if best.proven_optimal else "price.found")
    measure = measure_of(solution.problem)
    if measure == "log_loss":
        change = float(solution.evaluation.loss - best.evaluation.loss)
        price = text("price.loss", change=f"{change:+.5f}", best=what)
    elif measure == "weighted_error":
        least, now = best.evaluation.loss, solution.evaluation.loss
        word = "equal" if now == least else "more" if now > least else "fewer"
        numbers = {"by": abs(now - least), "after": now, "before": least}
        price = text(f"price.weighted_{word}", best=what, **{k: f"{float(v):.4f}" for k, v in numbers.items()})
    elif after == before:
        price = text("price.equal", best=what, n=shown(before))
    else:
        word, by = "more" if after > before else "fewer", abs(after - before)
        number = int(by) if by.denominator == 1 else shown(by)
        price = text(f"price.{word}", n=number, best=what, after=shown(after), before=shown(before))
    more = solution.evaluation.size - best.evaluation.size
    if more:
        price += text(f"price.{'more' if more > 0 else 'fewer'}_questions", n=abs(more))
    if measure == "weighted_error":
        price += text("price.errors_beside", n=shown(after), before=shown(before))
    return price + (text("price.moved") if foreign else "") + text("price.end")


def swaps_of(asked: Inquiry, points: Mapping[str, Fraction], columns: Mapping[str, str]) -> dict[str, list[str]]:
    """For each question of a card, those that could stand in for it, best first.

    `columns` names the column of questions that the table does not offer.
    """
    problem = asked.question.problem
    of = {**{name: rule.column for name, rule in rules_of(asked).items()}, **columns}
    names = list(problem.rows.names)
    ends = time.monotonic() + _SWAP_SECONDS
    swaps: dict[str, list[str]] = {}
    for name in points:
        others = {one: value for one, value in points.items() if one != name}
        ranked: list[tuple[Fraction, int, str]] = []
        near = [other for other in names if other not in points and of.get(other) == of.get(name)]
        far = [other for other in names if other not in points and of.get(other) != of.get(name)]
        for other in [*near, *far] if all(one in names for one in others) else []:
            if time.monotonic() > ends and len(ranked) >= _SWAPS:
                break
            tried = {**others, other: points[name]}
            values = [int(tried.get(one, Fraction(0)) * problem.unit) for one in names]
            model = with_best_intercept(problem, values)
            if model is not None:
                ranked.append((evaluate(problem, model).objective, len(ranked), other))
        swaps[name] = [other for _, _, other in sorted(ranked)[:_SWAPS]]
    return swaps


def kept_card(job: Mapping[str, Any]) -> tuple[Inquiry, Solution, Card]:
    if "changes" in job:
        return edited_card(job)
    asked = asked_of(job)
    solution = solution_of(asked.question.problem, job["model"], job.get("found") or {})
    saved = job.get("card_file")
    if saved is not None and Path(saved).exists():
        return asked, solution, card_file.load(saved)
    return asked, solution, made_card(asked, solution, remembers=True)


def show(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    asked, solution, card = kept_card(job)
    view = card_view(asked, solution, card, job["ids"])
    view["cross_validated"] = job.get("cross_validated")
    return view


def picture(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    return {"svg": ScoringSystem(kept_card(job)[2]).to_svg()}

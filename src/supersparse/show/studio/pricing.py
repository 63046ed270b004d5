"""What an edit costs against the best card of a run, and what could stand in for a question."""

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from supersparse.base.exact import shown
from supersparse.engine.solution import Solution
from supersparse.problem.objective import evaluate, violated, with_best_intercept
from supersparse.show.studio.asking import Inquiry
from supersparse.show.studio.showing import measure_of, rules_of
from supersparse.show.studio.texts import text

_SWAP_SECONDS = 0.6  # for ranking the questions that could stand in for another
_SWAPS = 12


def price_of(best: Solution, solution: Solution, *, foreign: bool) -> dict[str, Any]:
    """What the edit costs against the best card of the run, and against what is proven possible."""
    broken = [c.in_words() for c in violated(solution.problem, solution.points)]
    broken += [
        text("price.outside", name=solution.problem.rows.names[j])
        for j in solution.points.support
        if solution.points.values[j] not in solution.problem.sets[j]
        and solution.points.values[j] not in solution.problem.given_sets[j]
    ]
    cost = solution.objective - best.objective
    errors = solution.evaluation.training_errors - best.evaluation.training_errors
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
    before, after = best.evaluation.training_errors, solution.evaluation.training_errors
    what = text("price.proven" if best.proven_optimal else "price.found")
    measure = measure_of(solution.problem)
    if measure == "log_loss":
        change = float(solution.evaluation.loss - best.evaluation.loss)
        said = text("price.loss", change=f"{change:+.5f}", best=what)
    elif measure == "weighted_error":
        least, now = best.evaluation.loss, solution.evaluation.loss
        word = "equal" if now == least else "more" if now > least else "fewer"
        numbers = {"by": abs(now - least), "after": now, "before": least}
        said = text(f"price.weighted_{word}", best=what, **{k: f"{float(v):.4f}" for k, v in numbers.items()})
    elif after == before:
        said = text("price.equal", best=what, n=shown(before))
    else:
        word, by = "more" if after > before else "fewer", abs(after - before)
        number = int(by) if by.denominator == 1 else shown(by)
        said = text(f"price.{word}", n=number, best=what, after=shown(after), before=shown(before))
    more = solution.evaluation.size - best.evaluation.size
    if more:
        said += text(f"price.{'more' if more > 0 else 'fewer'}_questions", n=abs(more))
    if measure == "weighted_error":
        said += text("price.errors_beside", n=shown(after), before=shown(before))
    return said + (text("price.moved") if foreign else "") + text("price.end")


def swaps_of(
    asked: Inquiry, points: Mapping[str, Fraction], columns: Mapping[str, str]
) -> dict[str, list[str]]:
    """For each question of a card, those that could stand in for it, best first.

    `columns` names the column of questions that the table does not offer.
    """
    problem = asked.question.problem
    of = {**{name: rule.column for name, rule in rules_of(asked).items()}, **columns}
    names = list(problem.rows.names)
    ends = time.monotonic() + _SWAP_SECONDS
    found: dict[str, list[str]] = {}
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
        found[name] = [other for _, _, other in sorted(ranked)[:_SWAPS]]
    return found

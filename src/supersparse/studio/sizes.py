"""The frontier of a question: the best card of each size, on the training rows and on rows left out."""

from dataclasses import replace
from statistics import mean, pstdev
from typing import Any

import numpy as np

from supersparse.errors import InfeasibleError, SolverFailedError, SupersparseError
from supersparse.learning.clock import Clock
from supersparse.learning.folds import named_folds
from supersparse.results.frontier import Frontier, FrontierRow, frontier
from supersparse.solving.options import SolverKeywords
from supersparse.studio.asking import Asked, asked_of
from supersparse.studio.showing import found_of, model_of, numbers_of
from supersparse.studio.watching import Telling
from supersparse.studio.worker import Talk

_TRAINING = 0.5  # share of the time


def learn_sizes(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the best card of each size up to ``max_size``, and judge each size on the folds."""
    asked = asked_of(given)
    recipe = asked.question.recipe
    clock = Clock.of(recipe)
    telling = Telling(asked, talk, dict(given["ids"]))
    telling.stage("the best card of each size")
    splits = asked.splits() if given.get("folds", True) else []
    most = given["max_size"]
    options = _options(recipe.options, talk)
    share = clock.part(_TRAINING) if splits else clock
    found = frontier(
        asked.question.problem,
        max_features=most,
        **{**options, "time_limit": share.left, "on_progress": _Bound(telling)},
    )
    result = {
        "goal": asked.question.problem.goal,
        "plan": given["plan"],
        "sizes": [_size(row, given) for row in found.rows],
        "notes": list(asked.notes),
        "interrupted": talk.stopped(),
        "proven": found.proven,
        "stop": found.stop.value,
    }
    talk.tell("partial", result)
    by_size: dict[int, list[float]] = {}
    for k, fold in enumerate(named_folds(splits)):
        left = clock.left
        if talk.stopped() or left == 0:
            break
        telling.stage(f"folds: {k + 1} of {len(splits)}")
        limit = None if left is None else left / (len(splits) - k)
        try:
            for size, error in _fold_errors(asked, fold, most, {**options, "time_limit": limit}):
                by_size.setdefault(size, []).append(error)
        except (InfeasibleError, SolverFailedError):
            continue
        _judge(result, by_size)
        talk.tell("partial", result)
    _judge(result, by_size)
    return {**result, "interrupted": talk.stopped()}


def _options(options: SolverKeywords, talk: Talk) -> SolverKeywords:
    return {**options, "cancel": talk.stopped, "checkpoint": None}


class _Bound:
    """Passes on that the search goes on; the models of different sizes are not comparable."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    def __call__(self, event: Any) -> None:
        self._telling(replace(event, points=None))


def _size(row: FrontierRow, given: dict[str, Any]) -> dict[str, Any]:
    solution = row.solution
    settings = dict(given["plan"]["settings"])
    for name in ("levels", "C0", "max_features"):
        settings.pop(name, None)
    features = None if solution is None else solution.evaluation.features
    return {
        "size": row.size,
        "proven": row.proven,
        "bound": None if row.lower_bound is None else float(row.lower_bound),
        "features": features,
        "numbers": None if solution is None else numbers_of(solution, None),
        "model": None if solution is None else model_of(solution.problem, solution.points),
        "found": None
        if solution is None
        else {**found_of(solution), "lower_bound": None if row.lower_bound is None else str(row.lower_bound)},
        "plan": {
            **given["plan"],
            "settings": {**settings, "C0": 0, "max_features": row.size},
        },
        "cross_validated": None,
    }


def _fold_errors(asked: Asked, fold: Any, most: int, options: SolverKeywords) -> list[tuple[int, float]]:
    """Learn without a fold, and return the error of each size on it."""
    recipe = asked.question.recipe
    train, test = asked.rows.take(fold.train), asked.rows.take(fold.test)
    question = recipe.question(train)
    found: Frontier = frontier(question.problem, max_features=most, **options)
    positive = question.problem.rows.classes[1]
    weights = np.ones(len(test.y)) if test.sample_weight is None else np.asarray(test.sample_weight, dtype=float)
    errors = []
    for row in found.rows:
        if row.solution is None:
            continue
        try:
            scores = question.scores(row.solution, test.X)
        except SupersparseError:
            continue
        if row.solution.slope is not None:
            sign = np.where(test.y == positive, -1.0, 1.0)
            loss = np.logaddexp(0.0, sign * row.solution.slope * scores)
        else:
            loss = ((scores > 0) != (test.y == positive)).astype(float)
        errors.append((row.size, float((loss * weights).sum() / weights.sum())))
    return errors


def _judge(result: dict[str, Any], by_size: dict[int, list[float]]) -> None:
    """Put the errors on rows left out beside each size, and choose the smallest size within one deviation."""
    for one in result["sizes"]:
        errors = by_size.get(one["size"])
        if errors:
            one["cross_validated"] = {
                "error": mean(errors),
                "error_sd": pstdev(errors),
                "folds": len(errors),
            }
    judged = [one for one in result["sizes"] if one["cross_validated"] is not None]
    result["chosen"] = None
    if judged:
        best = min(judged, key=lambda one: (one["cross_validated"]["error"], one["size"]))
        spread = best["cross_validated"]["error_sd"] / max(1, best["cross_validated"]["folds"]) ** 0.5
        limit = best["cross_validated"]["error"] + spread
        result["chosen"] = next(one["size"] for one in judged if one["cross_validated"]["error"] <= limit)

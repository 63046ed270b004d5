"""The best card of each size, on the training rows and on held-out rows.

Small sizes come first: they are proven soon, and the card of one size starts the search for the next.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import mean, pstdev
from typing import Any

import numpy as np

from supersparse.errors import InfeasibleError, InvalidOptionError, SolverFailedError, SupersparseError
from supersparse.learning.clock import Clock
from supersparse.learning.folds import Fold, named_folds
from supersparse.learning.recipe import Question
from supersparse.problem.points import Points
from supersparse.problem.variants import errors_only, most_features
from supersparse.solving.options import SolverKeywords
from supersparse.solving.solution import Solution
from supersparse.solving.solve import solve
from supersparse.stop import Stop
from supersparse.studio.asking import Asked, asked_of
from supersparse.studio.showing import found_of, model_of, numbers_of
from supersparse.studio.watching import Telling
from supersparse.studio.worker import Talk

_TRAINING = 0.5  # share of the time


def learn_sizes(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the best card of each size up to ``max_size``, and judge each size on the folds."""
    asked = asked_of(given)
    question = asked.question
    telling = Telling(asked, talk, dict(given["ids"]))
    telling.stage("loading")
    clock = Clock.of(question.recipe)
    splits = asked.splits() if given["folds"] else []
    most = min(given["max_size"], most_features(errors_only(question.problem)))
    options: SolverKeywords = {**question.recipe.options, "cancel": talk.stopped, "checkpoint": None}
    result: dict[str, Any] = {
        "goal": question.problem.goal,
        "plan": given["plan"],
        "sizes": [],
        "chosen": None,
        "notes": list(asked.notes),
        "proven": False,
        "stop": Stop.OPTIMAL.value,
    }

    def begin(size: int) -> None:
        telling.stage(f"size {size}")

    share = clock.part(_TRAINING) if splits else clock
    for size, solution in best_of_each_size(question, most, share, options, begin, watch=telling.bound_only):
        result["sizes"].append(_size(size, solution, given))
        talk.tell("partial", result)
        if solution is not None and not solution.proven_optimal:
            result["stop"] = solution.stop.value
    result["proven"] = all(one["proven"] for one in result["sizes"]) and len(result["sizes"]) == most + 1
    by_size: dict[int, list[float]] = {}
    for k, fold in enumerate(named_folds(splits)):
        if talk.stopped() or clock.left == 0:
            break
        telling.stage(f"fold {k + 1} of {len(splits)}")
        for size, error in _fold_errors(asked, fold, most, clock.part(1 / (len(splits) - k)), options):
            by_size.setdefault(size, []).append(error)
        _judge(result, by_size)
        talk.tell("partial", result)
    return {**result, "interrupted": talk.stopped()}


def best_of_each_size(
    question: Question,
    most: int,
    clock: Clock,
    options: SolverKeywords,
    begin: Callable[[int], None] | None = None,
    watch: Callable[[Any], None] | None = None,
) -> Iterator[tuple[int, Solution | None]]:
    """Yield the best card with at most 0, 1, 2, ... questions; None where there is none."""
    free = errors_only(question.problem)
    start: Points | None = None
    for size in range(most + 1):
        left = clock.left
        if left == 0 and size > 0:
            return
        if begin is not None:
            begin(size)
        given: SolverKeywords = {**options, "time_limit": None if left is None else left / (most + 1 - size)}
        if watch is not None:
            given["on_progress"] = watch
        if start is not None:
            given["initial"] = start
        try:
            solution = solve(free.asking(max_features=size), **given)
        except InfeasibleError:
            yield size, None
            continue
        except InvalidOptionError:
            if start is None:
                raise
            given.pop("initial")
            solution = solve(free.asking(max_features=size), **given)
        except SolverFailedError:
            return
        start = solution.points
        yield size, solution
        if solution.stop is Stop.INTERRUPTED:
            return


def _size(size: int, solution: Solution | None, given: dict[str, Any]) -> dict[str, Any]:
    settings = {
        k: v for k, v in given["plan"]["settings"].items() if k not in ("levels", "C0", "max_features")
    }
    return {
        "size": size,
        "proven": solution is None or solution.proven_optimal,
        "bound": None if solution is None else float(solution.lower_bound),
        "features": None if solution is None else solution.evaluation.features,
        "numbers": None if solution is None else numbers_of(solution, None),
        "model": None if solution is None else model_of(solution.problem, solution.points),
        "found": None if solution is None else found_of(solution),
        "plan": {**given["plan"], "settings": {**settings, "C0": 0, "max_features": size}},
        "cross_validated": None,
    }


def _fold_errors(
    asked: Asked, fold: Fold, most: int, clock: Clock, options: SolverKeywords
) -> Iterator[tuple[int, float]]:
    """Learn without a fold, and yield the error, or log loss, of each size on it."""
    train, test = asked.rows.take(fold.train), asked.rows.take(fold.test)
    try:
        question = asked.question.recipe.question(train)
    except SupersparseError:  # too few rows for any question
        return
    positive = question.problem.rows.classes[1]
    weights = np.ones(len(test.y)) if test.sample_weight is None else np.asarray(test.sample_weight, float)
    for size, solution in best_of_each_size(question, most, clock, options):
        if solution is None:
            continue
        scores = question.scores(solution, test.X)
        loss = ((scores > 0) != (test.y == positive)).astype(float)
        if solution.slope is not None:
            card = question.scoring_card(solution)
            moved = float(solution.points.intercept_value - card.as_learned.intercept)
            sign = np.where(test.y == positive, -1.0, 1.0)
            loss = np.logaddexp(0.0, sign * solution.slope * (scores + moved))
        yield size, float(Fraction(float((loss * weights).sum())) / Fraction(float(weights.sum())))


def _judge(result: dict[str, Any], by_size: dict[int, list[float]]) -> None:
    """Put the errors on held-out rows beside each size; choose the smallest within one standard error."""
    for one in result["sizes"]:
        errors = by_size.get(one["size"])
        if errors:
            spread = {"error": mean(errors), "error_sd": pstdev(errors), "folds": len(errors)}
            one["cross_validated"] = spread
    judged = [one for one in result["sizes"] if one["cross_validated"] is not None]
    if judged:
        best = min(judged, key=lambda one: (one["cross_validated"]["error"], one["size"]))["cross_validated"]
        limit = best["error"] + best["error_sd"] / best["folds"] ** 0.5
        result["chosen"] = next(one["size"] for one in judged if one["cross_validated"]["error"] <= limit)

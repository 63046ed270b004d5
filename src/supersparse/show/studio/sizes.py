"""The best card of each size, on the training rows and on held-out rows.

Small sizes come first: they are proven soon, and the card of one size starts the search for the next.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from operator import mul
from statistics import mean, pstdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InfeasibleError, InvalidOptionError, SolverFailedError, SupersparseError
from supersparse.base.stop import Stop
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.clock import Clock
from supersparse.learn.folds import Fold, named_folds, weighted_mean
from supersparse.learn.recipe import PreparedProblem
from supersparse.problem.points import Points
from supersparse.problem.variants import errors_only, most_features
from supersparse.show.studio.card_view import found_of, measure_of, model_of, numbers_of
from supersparse.show.studio.inquiry import Inquiry, asked_of
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import text

_TRAINING = 0.5  # share of the time


def learn_sizes(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the best card of each size up to ``max_size``, and judge each size on the folds."""
    asked = asked_of(given)
    question = asked.question
    progress = Progress(asked, talk, dict(given["ids"]))
    progress.stage("loading")
    clock = Clock.of(question.recipe)
    splits = asked.splits() if given["folds"] else []
    most = min(given["max_size"], most_features(errors_only(question.problem)))
    options: SolverKeywords = {**question.recipe.options, "cancel": talk.stopped, "checkpoint": None}
    result: dict[str, Any] = {
        "goal": question.problem.goal,
        "measure": measure_of(question.problem),
        "plan": given["plan"],
        "sizes": [],
        "chosen": None,
        "notes": list(asked.notes),
        "proven": False,
        "stop": Stop.OPTIMAL.value,
    }

    def begin(size: int) -> None:
        progress.stage(f"size {size}")

    share = clock.part(_TRAINING) if splits else clock
    for size, solution in best_of_each_size(question, most, share, options, begin, watch=progress.bound_only):
        result["sizes"].append(_size(size, solution, given))
        talk.tell("partial", result)
        if solution is not None and not solution.proven_optimal:
            result["stop"] = solution.stop.value
    result["proven"] = all(one["proven"] for one in result["sizes"]) and len(result["sizes"]) == most + 1
    by_size: dict[int, dict[int, dict[str, float]]] = {}  # by size and fold
    for k, fold in enumerate(named_folds(splits)):
        if talk.stopped():
            break
        if clock.left == 0:
            result["notes"].append(text("notes.cut", done=k, planned=len(splits)))
            break
        progress.stage(f"fold {k + 1} of {len(splits)}")
        for size, measures in _fold_measures(asked, fold, most, clock.part(1 / (len(splits) - k)), options):
            by_size.setdefault(size, {})[k] = measures
        _judge(result, by_size)
        talk.tell("partial", result)
    return {**result, "interrupted": talk.stopped()}


def best_of_each_size(
    question: PreparedProblem,
    most: int,
    clock: Clock,
    options: SolverKeywords,
    begin: Callable[[int], None] | None = None,
    watch: Callable[[Any], None] | None = None,
) -> Iterator[tuple[int, Solution | None]]:
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
    settings = {k: v for k, v in given["plan"]["settings"].items() if k not in ("levels", "C0", "max_features")}
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


def _fold_measures(
    asked: Inquiry, fold: Fold, most: int, clock: Clock, options: SolverKeywords
) -> Iterator[tuple[int, dict[str, float]]]:
    """Learn without a fold, and yield the error of each size on it, and what the search makes least of.

    The latter has the class weights of all rows, as where C0 is chosen, and is on the scale of the objective.
    """
    train, test = asked.rows.take(fold.train), asked.rows.take(fold.test)
    try:
        question = asked.question.recipe.settled(asked.rows).question(train)
    except SupersparseError:  # too few rows for any question
        return
    problem = asked.question.problem
    measure, costs = measure_of(problem), dict(zip(problem.rows.classes, problem.class_weights, strict=True))
    of_all = sum(map(mul, problem.class_weights, problem.class_totals)) / sum(problem.class_totals)
    positive = problem.rows.classes[1]

    def on_fold(loss: NDArray[np.float64], costs: Mapping[object, Fraction]) -> Fraction:
        return weighted_mean(loss, test.y, test.sample_weight, costs, fold)

    for size, solution in best_of_each_size(question, most, clock, options):
        if solution is None:
            continue
        scores = question.scores(solution, test.X)
        wrong = ((scores > 0) != (test.y == positive)).astype(float)
        measures = {"error": float(on_fold(wrong, dict.fromkeys(costs, Fraction(1))))}
        if measure != "error":
            loss = wrong
            if solution.slope is not None:
                card = question.scoring_card(solution)
                moved = float(solution.points.intercept_value - card.as_learned.intercept)
                sign = np.where(test.y == positive, -1.0, 1.0)
                loss = np.logaddexp(0.0, sign * solution.slope * (scores + moved))
            measures[measure] = float(of_all * on_fold(loss, costs))
        yield size, measures


def _judge(result: dict[str, Any], by_size: dict[int, dict[int, dict[str, float]]]) -> None:
    """Give each size its measures on held-out rows; choose the smallest within one standard error.

    Sizes are compared on the folds that all of them have: time may have left some without the last ones.
    """
    measure = result["measure"]
    judged = [one for one in result["sizes"] if one["size"] in by_size]
    for one in judged:
        folds = by_size[one["size"]].values()
        found: dict[str, float] = {"folds": len(folds)}
        for name in next(iter(folds)):
            values = [fold[name] for fold in folds]
            found |= {name: mean(values), f"{name}_sd": pstdev(values)}
        one["cross_validated"] = found
    common = sorted(set.intersection(*(set(by_size[one["size"]]) for one in judged))) if judged else []
    if common:
        losses = {one["size"]: [by_size[one["size"]][k][measure] for k in common] for one in judged}
        best = losses[min(losses, key=lambda size: (mean(losses[size]), size))]
        limit = mean(best) + pstdev(best) / len(common) ** 0.5
        result["chosen"] = next(one["size"] for one in judged if mean(losses[one["size"]]) <= limit)

"""The sizes of a studio: the best card of each, with its numbers on the training rows and on held-out rows."""

from dataclasses import replace
from operator import mul
from statistics import mean, pstdev
from typing import Any

from supersparse.base.stop import Stop
from supersparse.engine.answers.frontier import FrontierRow, frontier
from supersparse.engine.options import SolverKeywords
from supersparse.learn.crossfit import CrossFit, FoldResult, named_folds
from supersparse.learn.progress import Clock
from supersparse.learn.rows import TrainingRows
from supersparse.learn.validation import SizesOfFold, auc_of
from supersparse.problem.problem import Problem
from supersparse.problem.variants import errors_only, most_features, of_classes
from supersparse.show.studio.card_view import found_of, measure_of, model_of, numbers_of
from supersparse.show.studio.inquiry import asked_of
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import text

_TRAINING = 0.5  # share of the time


def learn_sizes(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the best card of each size up to ``max_size``, and judge each size on the folds."""
    asked = asked_of(job)
    question, problem = asked.question, asked.question.problem
    progress = Progress(asked, talk, dict(job["ids"]))
    clock = Clock.of(question.recipe)
    splits = asked.splits() if job["folds"] else []
    most = min(job["max_size"], most_features(errors_only(problem)))
    options: SolverKeywords = {**question.recipe.options, "cancel": talk.stopped, "checkpoint": None}
    result: dict[str, Any] = {
        "goal": problem.goal,
        "measure": measure_of(problem),
        "plan": job["plan"],
        "sizes": [],
        "chosen": None,
        "notes": list(asked.notes),
        "proven": False,
        "stop": Stop.OPTIMAL.value,
    }

    progress.stage(f"size {most}")
    share = clock.part(_TRAINING) if splits else clock
    watched: SolverKeywords = {**options, "on_progress": progress.bound_only, "time_limit": share.left}
    sizes = frontier(problem, max_features=most, **watched)
    result["sizes"] = [_size(row, job) for row in sizes.rows]
    result["proven"] = sizes.proven
    if not sizes.proven:
        result["stop"] = sizes.stop.value
    talk.tell("partial", result)
    problem = of_classes(problem)
    costs = dict(zip(problem.rows.classes, problem.class_weights, strict=True))
    task = SizesOfFold(recipe=replace(question.recipe, options=options), rows=asked.rows, costs=costs, most=most)
    by_fold: list[dict[int, FoldResult]] = []
    try:
        for results in CrossFit(task=task, clock=clock, watch=progress).over(named_folds(splits)):
            by_fold.append(results)
            _judge(result, by_fold, problem, asked.rows)
            talk.tell("partial", result)
            if talk.stopped():
                break
    except KeyboardInterrupt:
        pass
    if len(by_fold) < len(splits) and not talk.stopped():
        result["notes"].append(text("notes.cut", done=len(by_fold), planned=len(splits)))
    return {**result, "interrupted": talk.stopped()}


def _size(row: FrontierRow, job: dict[str, Any]) -> dict[str, Any]:
    size, solution = row.size, row.solution
    limit = "max_questions" if solution is not None and solution.problem.questions else "max_features"
    settings = {k: v for k, v in job["plan"]["settings"].items() if k not in ("levels", "C0", limit)}
    return {
        "size": size,
        "proven": row.proven,
        "bound": None if row.lower_bound is None else float(row.lower_bound),
        "features": None if solution is None else solution.evaluation.features,
        "numbers": None if solution is None else numbers_of(solution, None),
        "model": None if solution is None else model_of(solution.problem, solution.points),
        "found": None if solution is None else found_of(solution),
        "plan": {**job["plan"], "settings": {**settings, "C0": 0, limit: size}},
        "cross_validated": None,
    }


def _judge(result: dict[str, Any], by_fold: list[dict[int, FoldResult]], problem: Problem, rows: TrainingRows) -> None:
    """Give each size its measures on held-out rows; choose the smallest within one standard error.

    What the search makes least of is on the scale of the objective. Sizes are compared on the folds that all of
    them have: time may have left some without the last ones.
    """
    measure = result["measure"]
    of_all = float(sum(map(mul, problem.class_weights, problem.class_totals)) / sum(problem.class_totals))

    def measures(one: FoldResult) -> dict[str, float]:
        found = {"error": one.share_wrong, measure: one.share_wrong if measure == "error" else of_all * float(one.loss)}
        auc = auc_of(one, rows, problem.rows.classes[1]) if problem.questions else None
        return found if auc is None else {**found, "auc": auc}

    judged = [one for one in result["sizes"] if any(one["size"] in fold for fold in by_fold)]
    for one in judged:
        folds = [measures(fold[one["size"]]) for fold in by_fold if one["size"] in fold]
        found: dict[str, float] = {"folds": len(folds)}
        for name in folds[0]:
            values = [fold[name] for fold in folds if name in fold]
            found |= {name: mean(values), f"{name}_sd": pstdev(values)}
        one["cross_validated"] = found
    common = [fold for fold in by_fold if all(one["size"] in fold for one in judged)]
    if common and judged:
        losses = {one["size"]: [measures(fold[one["size"]])[measure] for fold in common] for one in judged}
        best = losses[min(losses, key=lambda size: (mean(losses[size]), size))]
        limit = mean(best) + pstdev(best) / len(common) ** 0.5
        result["chosen"] = next(one["size"] for one in judged if mean(losses[one["size"]]) <= limit)

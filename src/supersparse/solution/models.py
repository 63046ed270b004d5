"""Several verified models at once: the answer to "of each size" and to "all within"."""

from collections.abc import Iterable
from dataclasses import dataclass

from supersparse.problem.objective import Evaluation, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solution.verify import check_feasible


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A model and what it does on the rows, recomputed exactly."""

    points: Points
    evaluation: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Verified models; `complete` says whether the solver claims that none is missing or can be improved."""

    models: tuple[Found, ...]
    complete: bool


def verify_models(problem: Problem, points: Iterable[Points], *, complete: bool, solver: str) -> Models:
    """Confirm that every model is feasible and recompute what it does, or raise."""
    found = []
    for model in points:
        check_feasible(problem, model, solver)
        found.append(Found(points=model, evaluation=evaluate(problem, model)))
    return Models(models=tuple(found), complete=complete)

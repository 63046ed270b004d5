"""Several verified models at once: the answer to "of each size" and to "all within"."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from supersparse.errors import VerificationError
from supersparse.problem.objective import Evaluation, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solution.stop import Stop
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
    solver: str
    stop: Stop
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedModels(Models):
    """The best model found of each size, and what is proven about that size.

    ``bounds[s]``: no feasible model of exactly size s has a smaller F; None: there is none.
    """

    bounds: tuple[Fraction | None, ...]
    smallest: frozenset[int]  # the sizes whose model has the least l1 of its F, proven


def verified(problem: Problem, points: Iterable[Points], solver: str) -> tuple[Found, ...]:
    """Confirm that every model is feasible and recompute what it does, or raise."""
    found = []
    for model in points:
        check_feasible(problem, model, solver)
        found.append(Found(points=model, evaluation=evaluate(problem, model)))
    return tuple(found)


def bounds_by_size(
    found: Iterable[Found], claimed: tuple[Fraction | None, ...], *, complete: bool, sizes: int, solver: str
) -> tuple[Fraction | None, ...]:
    """Return one bound for each size from 0 on, and raise where a model refutes one."""
    objectives = {model.evaluation.size: model.evaluation.objective for model in found}
    bounds: list[Fraction | None] = list(claimed)
    for size in range(len(claimed), sizes):
        bounds.append(objectives.get(size) if complete else Fraction(0))
    for size, objective in objectives.items():
        bound = bounds[size]
        if bound is None or bound > objective:
            raise VerificationError(
                f"{solver} claims that no model of size {size} costs less than {bound} but its own costs "
                f"{objective}"
            )
    return tuple(bounds)

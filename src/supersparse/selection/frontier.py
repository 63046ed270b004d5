"""frontier: for every size the fewest errors, in one run that shares work between sizes."""

from fractions import Fraction

from supersparse.problem.problem import Problem
from supersparse.problem.reading.numbers import count
from supersparse.problem.variants import errors_only, most_features
from supersparse.selection.floor import least_loss
from supersparse.solution.frontier import Frontier, FrontierRow
from supersparse.solution.models import Found, SizedModels
from supersparse.solution.solution import Solution
from supersparse.solution.trace import Trace
from supersparse.solving.solve_many import solve_each_size


def frontier(problem: Problem, max_features: int = 8, solver: str = "auto", **options: object) -> Frontier:
    """Find the fewest errors of at most s features, for s = 0, ..., max_features.

    The C0 of the problem, and the penalties of levels, are left aside; sets, constraints, weights
    and a numeric C1 stay. Options are those of `solve`; its limits hold for the whole run.

    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 0], max_coef=3)
    >>> print(frontier(problem, solver="exhaustive"))
    size  errors  proven  points
       0       1  yes
       1       1  yes
       2       0  yes     1 x0, 1 x1
    >>> print(frontier(problem, solver="exhaustive").path())
    C0 from 0 to 0.125: size 2, 0 errors; exact
    C0 from 0.125: size 0, 1 error; exact
    """
    wanted = count(max_features, "max_features")
    free = errors_only(problem)
    possible = most_features(free)
    most = min(wanted, possible)
    limited = free.asking(max_features=most)
    found = solve_each_size(limited, solver, **options)
    return Frontier(
        problem=problem,
        rows=_rows(free, found),
        floor=least_loss(free),
        reaches_all=most == possible,
        solver=found.solver,
        stop=found.stop,
        nodes=found.nodes,
        seconds=found.seconds,
    )


def _rows(problem: Problem, found: SizedModels) -> tuple[FrontierRow, ...]:
    """Turn the best of exactly each size into the best of at most each size."""
    by_size = {model.evaluation.size: model for model in found.models}
    best: Solution | None = None
    bound: Fraction | None = None
    rows = []
    for size, own_bound in enumerate(found.bounds):
        bound = own_bound if bound is None else bound if own_bound is None else min(bound, own_bound)
        model = by_size.get(size)
        if model is not None and (best is None or model.evaluation.objective < best.objective):
            assert bound is not None, "a size with a model has a bound"
            best = _solution(problem, model, bound, found)
        # what is found for fewer features holds here too
        lower = bound if best is None or bound is None else min(bound, best.objective)
        rows.append(FrontierRow(size=size, solution=best, lower_bound=lower))
    return tuple(rows)


def _solution(problem: Problem, model: Found, bound: Fraction, found: SizedModels) -> Solution:
    """The model as the best one with at most as many features as it has."""
    size = model.evaluation.size
    return Solution(
        problem=problem.asking(max_features=size),
        solver=found.solver,
        points=model.points,
        evaluation=model.evaluation,
        lower_bound=min(bound, model.evaluation.objective),
        smallest=size in found.smallest,
        stop=found.stop,
        nodes=found.nodes,
        seconds=found.seconds,
        trace=Trace(),
    )

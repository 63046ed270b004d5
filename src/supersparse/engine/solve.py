"""From a problem to verified answers: the best model, the best of each size, and all within a factor."""

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Unpack

from supersparse.base.errors import InfeasibleError, InvalidOptionError
from supersparse.base.exact import exact
from supersparse.base.stop import Stop
from supersparse.engine.explain import explained
from supersparse.engine.options import SolveKeywords, SolveOptions, shows_options
from supersparse.engine.pipeline import answer, chosen_solver, read_initial, watched
from supersparse.engine.presolve import Reduction, presolve
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solution import Solution
from supersparse.engine.solvers import Aim, AnswersWithSeveral, ClaimedModels, Solver
from supersparse.engine.verify import Models, SizedModels, bounds_by_size, verified
from supersparse.problem.objective import with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import warn_about_penalties


@shows_options
def solve(problem: Problem, solver: str = "auto", **options: Unpack[SolveKeywords]) -> Solution:
    """Find the scoring system with the smallest F; ties go to the smallest l1.

    `solver` is "auto" or a name from ``supersparse solvers``. A linear model as `initial` is rounded to the
    sets by `rounded`. A `certificate` is written once the optimum is proven, and its time is not part of the
    time limit; docs/certificates.md says how to check it.

    >>> problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_points=3)
    >>> solve(problem, "exhaustive").points
    <Points: 1; intercept -0.5>
    """
    chosen, settings = chosen_solver(problem, solver, options, Aim.BEST)
    if settings.initial is not None:
        settings = replace(settings, initial=read_initial(problem, settings.initial))
    began = time.perf_counter()
    warn_about_penalties(problem)  # looks at all rows
    spent = time.perf_counter() - began
    # by name, as the registry finds solvers: certificates stand on what is solved here
    certificates = None if settings.certificate is None else import_module("supersparse.engine.certify.certificate")
    if certificates is not None:
        certificates.check_place(Path(str(settings.certificate)))
        certificates.check_certifiable(problem)
    try:
        solution = answer(problem, chosen, settings, spent)
    except InfeasibleError as error:
        raise explained(problem, chosen, settings, error) from None
    if certificates is not None and solution.proven_optimal:
        if problem.goal == "risk":
            import_module("supersparse.engine.certify.risk_proof").certify_solution(solution, settings.certificate)
        else:
            certificates.certify(problem, solution.points, settings.certificate)
    return solution


def solve_each_size(problem: Problem, solver: str = "auto", **options: Unpack[SolveKeywords]) -> SizedModels:
    """Find the model with the smallest (F, l1) of exactly each size.

    >>> problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_points=3)
    >>> [(m.evaluation.size, str(m.evaluation.objective)) for m in solve_each_size(problem).models]
    [(0, '1/2'), (1, '3/10')]
    """
    chosen, settings = chosen_solver(problem, solver, options, Aim.BEST_PER_SIZE)
    if settings.checkpoint is not None:
        raise InvalidOptionError(
            "checkpoint: a frontier asks about one size after the other and cannot be resumed",
            "remove it, or solve with max_features for one size",
        )
    assert isinstance(chosen, AnswersWithSeveral)
    small = presolve(problem)
    claimed, monitor = _asked(chosen, problem, small, settings, chosen.best_per_size)
    points = [small.restore(model) for model in claimed.models]
    if not problem.intercept.is_penalised:  # otherwise another intercept could change the size
        points = _with_best_intercepts(problem, points)
    models = verified(problem, points, chosen.name)
    sizes = 1 + (problem.n_features + problem.intercept.is_penalised)
    if problem.max_features is not None:
        sizes = min(sizes, 1 + problem.max_features)
    return SizedModels(
        models=models,
        complete=claimed.complete,
        solver=chosen.name,
        stop=_why(claimed, monitor),
        nodes=monitor.nodes,
        seconds=monitor.seconds,
        bounds=bounds_by_size(models, claimed.bounds, complete=claimed.complete, sizes=sizes, solver=chosen.name),
        smallest=frozenset(m.evaluation.size for m in models) if claimed.complete else claimed.smallest,
    )


def solve_all_within(
    problem: Problem, epsilon: float | Fraction = 0, solver: str = "auto", **options: Unpack[SolveKeywords]
) -> Models:
    """Find every coefficient vector, with its best intercept, with F <= (1 + epsilon)·F*."""
    factor = exact(epsilon, "epsilon", InvalidOptionError)
    if factor < 0:
        raise InvalidOptionError(f"epsilon is {epsilon}, which is negative", "give 0 or more")
    chosen, settings = chosen_solver(problem, solver, options, Aim.ALL_WITHIN)
    assert isinstance(chosen, AnswersWithSeveral)
    answer = chosen.all_within
    small = presolve(problem)
    claimed, monitor = _asked(chosen, problem, small, settings, lambda p, s, m: answer(p, factor, s, m))
    points = _with_best_intercepts(problem, [small.restore(model) for model in claimed.models])
    return Models(
        models=verified(problem, points, chosen.name),
        complete=claimed.complete,
        solver=chosen.name,
        stop=_why(claimed, monitor),
        nodes=monitor.nodes,
        seconds=monitor.seconds,
    )


def _asked(
    chosen: Solver,
    problem: Problem,
    small: Reduction,
    settings: SolveOptions,
    question: Callable[[Problem, SolveOptions, Monitor], ClaimedModels],
) -> tuple[ClaimedModels, Monitor]:
    if settings.initial is not None:
        settings = replace(settings, initial=read_initial(problem, settings.initial))
    settings, monitor = watched(chosen, small, settings)
    with monitor.keeping_best_on_interrupt():
        return question(small.problem, settings, monitor), monitor


def _with_best_intercepts(problem: Problem, models: list[Points]) -> list[Points]:
    if problem.questions:
        return models
    return [with_best_intercept(problem, points.coefficients) or points for points in models]


def _why(claimed: ClaimedModels, monitor: Monitor) -> Stop:
    return Stop.OPTIMAL if claimed.complete else monitor.stop_reason() or claimed.stop or Stop.SEARCH_ENDED

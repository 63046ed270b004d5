"""solve: from a problem to a verified solution."""

import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Unpack

from supersparse.base.errors import InfeasibleError
from supersparse.engine.answering import answer, chosen_solver, read_initial
from supersparse.engine.contract import Aim
from supersparse.engine.explain import explained
from supersparse.engine.options import SolveKeywords, shows_options
from supersparse.engine.solution import Solution
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
    certificates = (
        None if settings.certificate is None else import_module("supersparse.engine.certify.certificate")
    )
    if certificates is not None:
        certificates.check_place(Path(str(settings.certificate)))
        certificates.check_certifiable(problem)
        import_module("supersparse.engine.certify.warm_up").warm_up()
    try:
        solution = answer(problem, chosen, settings, spent)
    except InfeasibleError as error:
        raise InfeasibleError(explained(problem, chosen, settings, error)) from None
    if certificates is not None and solution.proven_optimal:
        certificates.certify(problem, solution.points, settings.certificate)
    return solution

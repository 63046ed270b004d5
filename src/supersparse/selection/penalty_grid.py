"""Solving for several C0 at once: one solve, and one frontier for all larger values.

Let a model of size s be optimal for the smallest C0. For every larger C0 no model of more than s
features is optimal: it would have to save more than it did, and it saves the same. So the frontier
up to s holds the optimum of every larger C0.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path as FolderPath

from supersparse.decimals import exact
from supersparse.errors import InvalidOptionError, PenaltyRangeWarning
from supersparse.problem.penalty_range import warn_about_penalties
from supersparse.problem.problem import Problem
from supersparse.problem.variants import with_size_penalty
from supersparse.selection.frontier import frontier
from supersparse.selection.kept import folder_of, keep, recalled, solve_in
from supersparse.solution.path import Path
from supersparse.solution.solution import Solution
from supersparse.solution.stop import Stop
from supersparse.solving import registry
from supersparse.solving.contract import Question
from supersparse.solving.options import SolveOptions
from supersparse.solving.solve import choose, solve

MOST_FEATURES = 8  # a frontier of more features may cost more than the solves it spares
FEWEST_SPARED = 2  # solves
_SOME_NODES = 2_000


def solve_each_penalty(
    problem: Problem, values: Sequence[float | Fraction], solver: str = "auto", **options: object
) -> tuple[Solution, ...]:
    """Solve for each C0, the same for all features, as `solve` does, but share the work.

    Values must rise. Limits hold for each solve and for the frontier; what the frontier leaves
    unproven is solved by itself. Ctrl-C interrupts: the best found so far would answer for one C0 only.
    `checkpoint` names a folder here, in which each solve keeps what it has proven or left open.

    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]] * 3, [0, 0, 1, 0] * 3, max_coef=3)
    >>> [s.evaluation.size for s in solve_each_penalty(problem, [0.1, 0.12, 0.13], "exhaustive")]
    [2, 2, 0]
    """
    penalties = [exact(v, "a value of C0", InvalidOptionError) for v in values]
    if not penalties or any(a >= b for a, b in pairwise(penalties)):
        raise InvalidOptionError("give values of C0 in rising order, at least one")
    first, *others = penalties
    place = options.pop("checkpoint", None)
    folder = None if place is None else folder_of(place)
    for C0 in penalties:
        warn_about_penalties(with_size_penalty(problem, C0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)  # said above
        known = {} if folder is None else _recalled(folder, problem, penalties)
        if first not in known:
            known[first] = _alone(problem, first, solver, folder, options)
        left = [C0 for C0 in others if C0 not in known]
        path = _path(problem, known[first], len(left), solver, options)
        for C0 in left:
            found = None if path is None else path.at(C0)
            if found is None or not found.proven_smallest:
                found = _alone(problem, C0, solver, folder, options)
            elif folder is not None:
                keep(folder, found)
            known[C0] = found
    return tuple(known[C0] for C0 in penalties)


def _recalled(
    folder: FolderPath, problem: Problem, penalties: Sequence[Fraction]
) -> dict[Fraction, Solution]:
    found = {C0: recalled(folder, with_size_penalty(problem, C0)) for C0 in penalties}
    return {C0: solution for C0, solution in found.items() if solution is not None}


def _alone(
    problem: Problem, C0: Fraction, solver: str, folder: FolderPath | None, options: dict[str, object]
) -> Solution:
    asked = with_size_penalty(problem, C0)
    found = solve(asked, solver, **options) if folder is None else solve_in(folder, asked, solver, **options)
    if found.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return found


def _path(
    problem: Problem, first: Solution, spared: int, solver: str, options: dict[str, object]
) -> Path | None:
    """The path from the first C0 on; None where it may not be had, or is not worth it."""
    name = choose(problem) if solver == "auto" else solver
    settings = SolveOptions.read(options)
    answers = Question.BEST_PER_SIZE in registry.solver_class(name).capabilities.questions
    size = first.evaluation.size
    stops_early = settings.relative_gap or settings.absolute_gap
    if (
        not answers
        or problem.has_levels
        or stops_early
        or not first.proven_optimal
        or spared < FEWEST_SPARED
        or size > MOST_FEATURES
    ):
        return None
    affordable = 2 * first.nodes + _SOME_NODES  # about what one more solve may cost
    own = {
        "initial": None,
        "proof_log": None,
        "node_limit": affordable if settings.node_limit is None else min(affordable, settings.node_limit),
    }
    whole = frontier(problem, size, solver, **{**options, **own})
    if whole.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return replace(whole, reaches_all=True).path()

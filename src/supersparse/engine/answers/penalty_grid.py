"""Solve for several values of C0 at once, and resume interrupted solves from a folder."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack

from supersparse.base.errors import InvalidOptionError, SolverFailedError
from supersparse.base.exact import exact, written_fraction
from supersparse.base.stop import Stop
from supersparse.engine import solvers
from supersparse.engine.answers.frontier import C0Path, frontier
from supersparse.engine.options import SolveKeywords, SolveOptions
from supersparse.engine.proving import checkpoint
from supersparse.engine.solution import Claim, Solution, Trace, TraceEvent
from supersparse.engine.solve import solve
from supersparse.engine.solvers import Aim, choose_solver
from supersparse.engine.verify import verify
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import evaluate, with_best_intercept
from supersparse.problem.problem import Problem
from supersparse.problem.variants import quiet_about_penalties, warn_about_penalties, with_size_penalty

_FORMAT = "supersparse proof 1"


def folder_of(path: str | os.PathLike[str]) -> Path:
    """Return the `checkpoint` folder, and create it if it is missing."""
    folder = Path(path)
    if (folder.exists() and not folder.is_dir()) or not folder.absolute().parent.is_dir():
        what = "is a file" if folder.exists() else "is in a folder that does not exist"
        raise InvalidOptionError(f"checkpoint {str(folder)!r} {what}", "name a new or existing folder")
    folder.mkdir(exist_ok=True)
    return folder


def solve_in(folder: Path, problem: Problem, solver: str = "auto", **options: Unpack[SolveKeywords]) -> Solution:
    """Solve like `solve`, and resume an earlier call from this folder."""
    known = recalled(folder, problem)
    if known is not None:
        return known
    place = _place(folder, problem, "checkpoint")
    in_folder: SolveKeywords = {**options, "checkpoint": place}
    solution = solve(problem, solver, **in_folder)
    keep(folder, solution)
    return solution


def keep(folder: Path, solution: Solution) -> None:
    """Store an answer if it is fully proven."""
    if not solution.proven_smallest:
        return
    content = {
        "solver": solution.solver,
        "coefficients": solution.points.over(solution.problem.unit).coefficients,
        "lower_bound": str(solution.lower_bound),
        "nodes": solution.nodes,
        "seconds": solution.seconds,
        "seed": solution.seed,
    }
    place = _place(folder, solution.problem, "proven")
    checkpoint.save(place, _FORMAT, fingerprint(solution.problem), content)


def recalled(folder: Path, problem: Problem) -> Solution | None:
    """Return the stored proven answer to this problem; None if there is none yet."""
    path = _place(folder, problem, "proven")
    if not path.exists():
        return None
    content = _read_answer(path, problem)
    points, bound = with_best_intercept(problem, content["coefficients"]), content["lower_bound"]
    if points is None:
        raise checkpoint.malformed(path, "no intercept obeys the constraints")
    event = TraceEvent(
        seconds=content["seconds"],
        nodes=content["nodes"],
        objective=evaluate(problem, points).objective,
        lower_bound=bound,
        points=points,
    )
    claim = Claim(
        points=points,
        objective=bound,  # a proven model costs no more than its bound
        lower_bound=bound,
        smallest=True,
        stop=Stop.OPTIMAL,
        nodes=content["nodes"],
        seconds=content["seconds"],
        trace=Trace((event,)),
    )
    return replace(verify(problem, claim, solver=content["solver"]), seed=content["seed"])


_KINDS: dict[str, Any] = {
    "solver": str, "coefficients": list, "lower_bound": str, "nodes": int, "seconds": float, "seed": int | None,
}  # fmt: skip


def _read_answer(path: Path, problem: Problem) -> dict[str, Any]:
    """The content of a file, each value of its type; `verify` judges the rest."""
    content = checkpoint.load(path, _FORMAT, fingerprint(problem))
    try:
        for name, kind in _KINDS.items():
            if not isinstance(content[name], kind) or isinstance(content[name], bool):
                raise ValueError(f"{name} is of another type")
        coefficients = content["coefficients"]
        if len(coefficients) != problem.n_features or any(type(c) is not int for c in coefficients):
            raise ValueError("other coefficients")
        allowed = zip(coefficients, problem.sets, strict=True)
        if not all(Fraction(c, problem.unit) in allowed_values for c, allowed_values in allowed):
            raise ValueError("coefficients that are not allowed")
        content["lower_bound"] = written_fraction(content["lower_bound"])
    except (ValueError, TypeError, KeyError) as error:
        raise checkpoint.malformed(path, str(error)) from None
    return content


def _place(folder: Path, problem: Problem, kind: str) -> Path:
    return folder / f"{fingerprint(problem)[:24]}.{kind}"


MOST_FEATURES = 8  # a larger frontier may cost more than the solves it saves
FEWEST_SPARED = 2  # solves
_SOME_NODES = 2_000


def solve_each_penalty(
    problem: Problem, values: Sequence[float | Fraction], solver: str = "auto", **options: Unpack[SolveKeywords]
) -> tuple[Solution, ...]:
    """Solve for each C0, the same for all features, with shared work.

    Values must be ascending. The time limit is for the whole call, and what a solve leaves of it goes to the others;
    other limits apply to each solve and to the frontier. Values that the frontier leaves unproven are solved
    separately; once the time is up, they start from the model of the value before. Ctrl-C interrupts, because the best
    model so far would be an answer for one C0 only. `checkpoint` is a folder in which each solve stores its progress.

    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]] * 3, [0, 0, 1, 0] * 3, max_points=3)
    >>> [s.evaluation.size for s in solve_each_penalty(problem, [0.1, 0.12, 0.13], "exhaustive")]
    [2, 2, 0]
    """
    penalties = [exact(v, "a value of C0", InvalidOptionError) for v in values]
    if not penalties or any(a >= b for a, b in pairwise(penalties)):
        raise InvalidOptionError("give one or more values of C0, in ascending order")
    first, *others = penalties
    limit = options.get("time_limit")
    used = 0.0  # by solves alone: the first may have to load the solver before its clock starts

    def shared(among: int) -> SolveKeywords:
        return options if limit is None else {**options, "time_limit": max(0.0, limit - used) / among}

    def solved_alone(C0: Fraction, among: int, before: Solution | None) -> Solution:
        """Solve in a share of the time; where that gives no model, again from one, or in all the time."""
        nonlocal used
        budget = shared(among)
        if before is not None and budget.get("time_limit") == 0:
            budget["initial"] = before
        try:
            return _alone(problem, C0, solver, folder, budget)
        except SolverFailedError as error:
            if error.interrupted or limit is None or (before and budget.get("initial") is before):
                raise
            if before is not None:
                return _alone(problem, C0, solver, folder, {**budget, "initial": before})
            used += budget["time_limit"] or 0.0
            return _alone(problem, C0, solver, folder, shared(1))

    place = options.pop("checkpoint", None)
    folder = None if place is None else folder_of(place)
    for C0 in penalties:
        warn_about_penalties(with_size_penalty(problem, C0))
    with quiet_about_penalties():  # said above
        known = {} if folder is None else _recalled(folder, problem, penalties)
        if first not in known:
            known[first] = solved_alone(first, len(penalties), None)
            used += known[first].seconds
        left = [C0 for C0 in others if C0 not in known]
        began = time.monotonic()
        path = _path(problem, known[first], len(left), solver, shared(2))
        used += time.monotonic() - began
        for k, (before, C0) in enumerate(pairwise([first, *left])):
            solution = None if path is None else path.at(C0)
            if solution is None or not _is_final(solution):
                began = time.monotonic()
                solution = solved_alone(C0, len(left) - k, known[before])
                used += time.monotonic() - began
            elif folder is not None:
                keep(folder, solution)
            known[C0] = solution
    return tuple(known[C0] for C0 in penalties)


def _is_final(solution: Solution) -> bool:
    """Whether a solve of its own could tell no more; no solver proves smallest points of a risk model."""
    return solution.proven_smallest or (solution.proven_optimal and not loss_of(solution.problem).proves_smallest)


def _recalled(folder: Path, problem: Problem, penalties: Sequence[Fraction]) -> dict[Fraction, Solution]:
    solutions = {C0: recalled(folder, with_size_penalty(problem, C0)) for C0 in penalties}
    return {C0: solution for C0, solution in solutions.items() if solution is not None}


def _alone(problem: Problem, C0: Fraction, solver: str, folder: Path | None, options: SolveKeywords) -> Solution:
    asked = with_size_penalty(problem, C0)
    solution = solve(asked, solver, **options) if folder is None else solve_in(folder, asked, solver, **options)
    if solution.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


def _path(problem: Problem, first: Solution, spared: int, solver: str, options: SolveKeywords) -> C0Path | None:
    """The path from the first C0 on; None if it is unavailable or not worth the work."""
    name = choose_solver(problem) if solver == "auto" else solver
    settings = SolveOptions.read(options)
    answers = Aim.BEST_PER_SIZE in solvers.solver_class(name).capabilities.questions
    size = first.evaluation.size
    stops_early = settings.gap or settings.absolute_gap
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
    options_left: SolveKeywords = {
        **options,
        "initial": None,
        "certificate": None,
        "node_limit": affordable if settings.node_limit is None else min(affordable, settings.node_limit),
    }
    whole = frontier(problem, size, solver, **options_left)
    if whole.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return replace(whole, reaches_all=True).path()

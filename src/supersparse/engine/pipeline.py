"""From a problem to a verified solution: check -> presolve -> solve -> restore -> verify."""

import time
from collections.abc import Mapping
from dataclasses import replace
from math import lcm
from operator import index
from typing import Any

from supersparse.base.errors import InvalidOptionError, InvalidProblemError, TooLargeError, VerificationError
from supersparse.base.stop import OutOfTime, Stop, deadline, free_bytes
from supersparse.engine import solvers
from supersparse.engine.options import Priorities, SolveKeywords, SolveOptions
from supersparse.engine.presolve import Reduction, presolve
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.rounding import OnFeatures, Start, linear_coefficients, rounded
from supersparse.engine.solution import Claim, Solution
from supersparse.engine.solvers import Aim, Refuses, Solver
from supersparse.engine.verify import check_points, verify
from supersparse.problem.losses import loss_of
from supersparse.problem.naming import INTERCEPT, per_feature
from supersparse.problem.objective import with_answers, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

LARGE = 2**19  # values: preparing more of them can take longer than a time limit
_BYTES_PER_VALUE = 120  # of distinct rows, to solve them: columns, ranks, floats of the starting points, copies
_BYTES_PER_LONG_VALUE = 48  # of a column of Python's integers, while rows are merged
_BYTES_PER_ROW = 64  # while rows are merged
_ALWAYS_TRIED = 2**26  # bytes: less is not worth asking the system


def answer(problem: Problem, chosen: Solver, settings: SolveOptions, spent: float = 0.0) -> Solution:
    """Presolve, solve, restore and verify; the problem and settings are already checked.

    With a time limit, of which `spent` seconds are gone, a large table is sampled first: what is found so far
    stands when time is up. As long as a model took to be evaluated there is left for what is verified last.
    """
    began = time.perf_counter() - spent
    room = float(LARGE)  # a search for risk that has seconds needs no sample of what it prepares in one of them
    if settings.time_limit is not None and not loss_of(problem).counts_rows:
        room *= max(1.0, float(settings.time_limit) / 2)
    small = problem.rows.n_rows * problem.n_features <= room or bool(problem.questions)
    if settings.time_limit is None or small:
        return _of_all_rows(problem, chosen, settings, began)
    from supersparse.engine.sampling import first_models

    first = Monitor(problem, settings, lambda points: points, began)
    with first.keeping_best_on_interrupt():
        if settings.initial is not None:
            first.incumbent(with_best_intercept(problem, settings.initial.coefficients))
        goes_on = first_models(problem, first)
    stop: Stop | None = None
    if goes_on:
        try:
            with deadline(first.ends):
                rest = replace(settings, initial=first.best, time_limit=first.time_limit)
                return _of_all_rows(problem, chosen, rest, began)
        except OutOfTime:
            pass
        except TooLargeError:
            stop = Stop.MEMORY_LIMIT
    stop = stop or first.stop_reason() or Stop.TIME_LIMIT
    return _verified(problem, chosen, settings, first.claim(stop=stop, smallest=False))


def _of_all_rows(problem: Problem, chosen: Solver, settings: SolveOptions, began: float) -> Solution:
    _check_memory(problem, _needed_to_merge(problem))
    small = presolve(problem)
    _check_memory(small.problem, _BYTES_PER_VALUE * small.problem.rows.n_rows * small.problem.n_features)
    settings, monitor = watched(chosen, small, settings, began)
    with monitor.keeping_best_on_interrupt():
        if settings.initial is not None:
            monitor.incumbent(_completed(small.problem, settings.initial))
        try:
            searched = chosen.capabilities.wants_start and loss_of(problem).counts_rows
            if searched and small.problem.is_plain:
                from supersparse.engine.search.incumbent import search

                search(small.problem, monitor)
            claim = chosen.solve(small.problem, settings, monitor)
        except OutOfTime:
            claim = monitor.claim(stop=Stop.TIME_LIMIT, smallest=False)
    restored = small.restore(claim.points)
    if not problem.questions:
        restored = with_best_intercept(problem, restored.coefficients) or restored  # verify reports what it breaks
    return _verified(problem, chosen, settings, replace(claim, points=restored))


def _completed(problem: Problem, points: Points) -> Points | None:
    """The points with the best intercept, or slope and offset."""
    if points.answers is not None:
        return with_answers(problem, points.answers)
    return with_best_intercept(problem, points.coefficients)


def _needed_to_merge(problem: Problem) -> int:
    """Bytes that reading all rows exactly and merging equal ones takes, without the table itself."""
    rows = problem.rows
    per_row = _BYTES_PER_ROW + (0 if rows.raw is None else _BYTES_PER_LONG_VALUE * problem.n_features)
    return rows.n_rows * per_row


def _check_memory(problem: Problem, needed: int) -> None:
    """Raise if more bytes are needed than are free: a clear refusal instead of a killed process."""
    if needed <= _ALWAYS_TRIED:
        return
    free = free_bytes()
    if free is None or needed <= free:
        return
    raise TooLargeError(
        f"{problem.rows.n_rows:,} rows and {problem.n_features:,} columns need about "
        f"{needed / 1000000000.0:.1f} GB of memory to be solved, and {free / 1000000000.0:.1f} GB are free",
        "give a time_limit, with which large tables are learned from samples of the rows, or fewer columns, or "
        "numbers cut into questions (prepare='auto'), which makes many rows equal",
    )


def _verified(problem: Problem, chosen: Solver, settings: SolveOptions, claim: Claim) -> Solution:
    return replace(verify(problem, claim, solver=chosen.name), seed=settings.random_state)


def watched(
    chosen: Solver, small: Reduction, settings: SolveOptions, began: float | None = None
) -> tuple[SolveOptions, Monitor]:
    """Make ready to solve a presolved problem: bring the start to it, and let the solver refuse it."""
    if settings.initial is not None:
        settings = replace(settings, initial=small.reduce(settings.initial))
    settings = replace(settings, branching_priorities=_of_merged_rows(settings.branching_priorities, small))
    if isinstance(chosen, Refuses):
        chosen.check(small.problem, settings)
    return settings, Monitor(small.problem, settings, small.restore, began)


def _of_merged_rows(priorities: Priorities, small: Reduction) -> Priorities:
    """Give each merged row the highest priority of its rows."""
    if all(isinstance(key, str) for key in priorities):
        return priorities
    groups, merged = small.groups(), dict[str | int, int]()
    for key, priority in priorities.items():
        place = key if isinstance(key, str) else int(groups[key])
        merged[place] = max(priority, merged.get(place, 0))
    return merged


def chosen_solver(problem: Problem, solver: str, options: SolveKeywords, question: Aim) -> tuple[Solver, SolveOptions]:
    """Read the options, find the solver, and refuse what it does not support."""
    settings = SolveOptions.read(options)
    chosen = solvers.get(solvers.choose_solver(problem) if solver == "auto" else solver)
    solvers.check_supported(chosen, question, problem, settings)
    if settings.branching_priorities:
        priorities = _expanded(problem, dict(settings.branching_priorities.items()))
        settings = replace(settings, branching_priorities=priorities)
    return chosen, settings


def _expanded(problem: Problem, priorities: Mapping[Any, Any]) -> dict[str | int, Any]:
    """Return the priority of every feature and row that has one; patterns stand for all that they match."""
    names, n_rows = problem.rows.names, problem.rows.n_rows
    by_name = {key: value for key, value in priorities.items() if isinstance(key, str)}
    rows = {index(key): value for key, value in priorities.items() if not isinstance(key, str)}
    for row in rows:
        if not 0 <= row < n_rows:
            raise InvalidOptionError(
                f"branching_priorities: there is no row {row}", f"rows are counted from 0 to {n_rows - 1}"
            )
    try:
        of_features = per_feature(
            by_name,
            names,
            what="branching_priorities",
            read=lambda value, _: value,
            default=lambda _: 0,
            extra_keys=(INTERCEPT,),
        )
    except InvalidProblemError as unknown:
        raise InvalidOptionError(str(unknown)) from None
    expanded: dict[str | int, Any] = dict(zip(names, of_features, strict=True))
    if INTERCEPT in by_name:
        expanded[INTERCEPT] = by_name[INTERCEPT]
    return {key: value for key, value in (expanded | rows).items() if type(value) is not int or value}


def read_initial(problem: Problem, initial: Start) -> Points:
    """Return the starting model in the problem's unit.

    A solution, points and a scoring system are used as they are and must be allowed; the threshold of a
    scoring system is chosen again. A linear model is rounded.
    """
    if isinstance(initial, Solution):
        initial = initial.points
    if isinstance(initial, OnFeatures) and not problem.questions:
        initial = _as_points(problem, initial)
    if problem.questions and not (isinstance(initial, Points) and initial.answers is not None):
        raise InvalidOptionError("initial: a problem of questions starts from a solution of questions", "remove it")
    if not isinstance(initial, Points):
        return rounded(problem, initial)
    try:
        check_points(problem, initial, "the initial solution")
    except VerificationError as problem_with_it:
        raise InvalidOptionError(
            f"{problem_with_it}", "supersparse.rounded(problem, ...) rounds a model to allowed points"
        ) from None
    return initial.over(problem.unit)


def _as_points(problem: Problem, system: OnFeatures) -> Points:
    values = linear_coefficients(problem, system)
    unit = lcm(problem.unit, *(v.denominator for v in values))
    scaled = tuple(int(v * unit) for v in values)
    known = with_best_intercept(problem, scaled) if unit == problem.unit else None
    return known or Points(scaled, 0, unit)  # the check then reports what is not allowed

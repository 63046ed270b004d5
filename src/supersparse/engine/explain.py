"""Explain infeasibility: a smallest set of constraints that cannot be satisfied together.

First, constraints are removed one by one as long as the rest stays infeasible; then, if there are few, all
smaller sets are tried. A model found on the way satisfies some of the constraints, so subsets of these need
not be tried. A trial only tests feasibility: the first model ends it.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from itertools import combinations
from typing import Unpack

from supersparse.base.errors import InfeasibleError, InvalidProblemError, SolverFailedError
from supersparse.engine.options import SolveKeywords, SolveOptions
from supersparse.engine.pipeline import answer, chosen_solver
from supersparse.engine.solution import Conflict, TraceEvent
from supersparse.engine.solvers import Aim, Solver
from supersparse.problem.objective import violated
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

FEW_CONSTRAINTS = 12  # up to this many constraints, all smaller sets are tried
SECONDS = 60.0
_SHARE = 0.3  # of the time left for one trial: a hard one must not take that of all others


def explain_infeasible(problem: Problem, solver: str = "auto", **options: Unpack[SolveKeywords]) -> Conflict:
    """Find a smallest set of constraints that no scoring system satisfies.

    `time_limit` (default: 60 seconds) covers all trials together; other limits apply to each trial. The
    answer says what remains unproven. A feasible problem raises an error.

    >>> from supersparse.problem import constraints as c
    >>> X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    >>> asked = [c.min_sensitivity(1), c.must_use("x0"), c.min_specificity(0.9)]
    >>> print(explain_infeasible(Problem.of(X, y, max_points=2, constraints=asked), "exhaustive"))
    'sensitivity of at least 1' and 'specificity of at least 0.9' cannot be satisfied together, \
and no smaller set conflicts
    """
    chosen, settings = chosen_solver(problem, solver, options, Aim.BEST)
    trials = _Trials(problem, chosen, settings)
    whole = trials.of(frozenset(range(len(problem.asked))), share=1.0)
    if whole is _Outcome.FEASIBLE:
        raise InvalidProblemError("some scoring system satisfies all constraints, so nothing conflicts")
    if whole is _Outcome.OPEN:
        raise SolverFailedError(
            "it is unknown whether all constraints can be satisfied: a limit was reached", "raise it"
        )
    return trials.conflict()


def explained(problem: Problem, chosen: Solver, settings: SolveOptions, error: InfeasibleError) -> InfeasibleError:
    """Return a solver's error about infeasibility, with the conflict if that adds anything."""
    if len(problem.asked) < 2:
        return error
    conflict = _Trials(problem, chosen, settings).conflict()
    return InfeasibleError(f"{error}. The conflict: {conflict.in_words()}").blaming(conflict.constraints)


class _Outcome(Enum):
    FEASIBLE = auto()
    INFEASIBLE = auto()
    OPEN = auto()  # a limit was reached


class _Trials:
    """Which sets of constraints, by position, can be satisfied."""

    def __init__(self, problem: Problem, chosen: Solver, settings: SolveOptions) -> None:
        self.problem, self.chosen, self.settings = problem, chosen, settings
        self.ends = time.perf_counter() + (SECONDS if settings.time_limit is None else settings.time_limit)
        self.obeyed: list[frozenset[int]] = []  # all constraints that one model satisfies

    def conflict(self) -> Conflict:
        """Reduce an infeasible set of constraints as far as the limits allow."""
        asked = self.problem.asked
        reduced, irreducible = self._reduced(frozenset(range(len(asked))))
        smallest = False
        if len(asked) <= FEW_CONSTRAINTS:
            smaller, smallest = self._smaller(len(reduced))
            if smaller is not None:
                reduced, irreducible = smaller, smallest
        return Conflict(
            constraints=tuple(asked[i] for i in sorted(reduced)), irreducible=irreducible or smallest, smallest=smallest
        )

    def _reduced(self, kept: frozenset[int]) -> tuple[frozenset[int], bool]:
        """Remove unnecessary constraints; also return whether every trial was decided."""
        certain = True
        for i in sorted(kept):
            outcome = self.of(kept - {i})
            if outcome is _Outcome.INFEASIBLE:
                kept -= {i}
            certain &= outcome is not _Outcome.OPEN
        return kept, certain

    def _smaller(self, size: int) -> tuple[frozenset[int] | None, bool]:
        """A smaller infeasible set, and whether every trial was decided."""
        certain = True
        everything = range(len(self.problem.asked))
        for candidate in (frozenset(some) for k in range(1, size) for some in combinations(everything, k)):
            outcome = self.of(candidate)
            if outcome is _Outcome.INFEASIBLE:
                return candidate, certain
            certain &= outcome is not _Outcome.OPEN
        return None, certain

    def of(self, kept: frozenset[int], share: float = _SHARE) -> _Outcome:
        """Return whether some model satisfies these constraints, in a share of the time left."""
        if any(kept <= known for known in self.obeyed):
            return _Outcome.FEASIBLE
        asked = self.problem.asked
        try:
            part = self.problem.without(c for i, c in enumerate(asked) if i not in kept)
        except InfeasibleError:
            return _Outcome.INFEASIBLE
        if self.settings.cancel is not None and self.settings.cancel():
            raise KeyboardInterrupt
        left = self.ends - time.perf_counter()
        if left <= 0:
            return _Outcome.OPEN
        try:
            model = _any_model(part, self.chosen, replace(self.settings, time_limit=left * share))
        except InfeasibleError:
            return _Outcome.INFEASIBLE
        except SolverFailedError as failed:
            if failed.interrupted:
                raise KeyboardInterrupt from None
            return _Outcome.OPEN
        broken = set(violated(self.problem, model))
        self.obeyed.append(frozenset(i for i, c in enumerate(asked) if c not in broken))
        return _Outcome.FEASIBLE


class _FoundError(Exception):
    """Ends a trial in this process when a model is found."""

    def __init__(self, points: Points) -> None:
        self.points = points


def _any_model(problem: Problem, chosen: Solver, settings: SolveOptions) -> Points:
    """Solve until there is any model.

    Our solvers end when they report it. Back ends must not be left by an exception, so they are asked to stop.
    """
    models: list[Points] = []
    cancelled: Callable[[], bool] = settings.cancel or (lambda: False)
    is_own = chosen.capabilities.package is None

    def note(event: TraceEvent) -> None:
        if event.points is not None:
            models.append(event.points)
            if is_own:
                raise _FoundError(event.points)

    options = replace(
        settings,
        n_jobs=1 if is_own else settings.n_jobs,
        initial=None,
        on_progress=note,
        cancel=lambda: bool(models) or cancelled(),
        checkpoint=None,
        certificate=None,
        executor=None if is_own else settings.executor,
    )
    try:
        return answer(problem, chosen, options).points
    except _FoundError as ended:
        return ended.points

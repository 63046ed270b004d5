"""The least log loss of each number of features, one size after the other."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from supersparse.errors import InfeasibleError, SolverFailedError
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.solving.contract import ClaimedModels
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.solution import Claim

Solve = Callable[[Problem, SolveOptions, Monitor], Claim]


def best_per_size(problem: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> ClaimedModels:
    """Ask for one size after the other, largest first; the monitor's limits hold for all of them together.

    Where all features cost the same, a question is about at most so many features, and sizes that its answer
    does not use are skipped: they are no better. Otherwise it is about exactly so many.
    """
    most = problem.n_features if problem.max_features is None else problem.max_features
    most = min(most, problem.n_features)
    alike = not problem.has_levels and len(set(problem.C0)) <= 1
    price = max(problem.C0, default=Fraction(0)) if alike else Fraction(0)
    bounds: list[Fraction | None] = [Fraction(0)] * (most + 1)
    models: dict[int, Points] = {}
    size = most
    while size >= 0 and monitor.stop_reason() is None:
        try:
            claim = _asked(_question(problem, size, alike), options, monitor, solve)
        except SolverFailedError:
            if monitor.stop_reason() is None:
                raise
            break  # a limit came before the first card of this size
        if claim is None:
            if alike:  # nor does any with fewer features
                bounds[: size + 1] = [None] * (size + 1)
                break
            bounds[size] = None
            size -= 1
            continue
        used = len(claim.points.support)
        for s in range(used if alike else size, size + 1):
            bounds[s] = claim.lower_bound + price * s
        if alike:  # the bound speaks of all smaller sizes too
            for s in range(used):
                bounds[s] = max(bounds[s] or Fraction(0), claim.lower_bound + price * s)
        models[used] = claim.points
        size = used - 1
    return ClaimedModels(
        models=tuple(models[s] for s in sorted(models)), complete=False, bounds=tuple(bounds)
    )


def _question(problem: Problem, size: int, alike: bool) -> Problem:
    if alike:
        return replace(problem, C0=(Fraction(0),) * problem.n_features, max_features=size)
    at_least = MinFeatures(least=size).limits(problem.rows, counts_intercept=False)
    return replace(problem, support_limits=(*problem.support_limits, *at_least), max_features=size)


def _asked(question: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> Claim | None:
    """Solve one size until the whole run has to stop; None where no card obeys."""
    own = replace(
        options,
        time_limit=None,
        node_limit=None,
        gap=0.0,
        absolute_gap=0.0,
        initial=None,
        checkpoint=None,
        on_progress=None,
        cancel=lambda: monitor.stop_reason() is not None,
    )
    its_monitor = Monitor(question, own, lambda points: points)
    try:
        question.check_feasible()
        claim = solve(question, own, its_monitor)
    except InfeasibleError:
        return None
    finally:
        monitor.nodes += its_monitor.nodes
    monitor.incumbent(claim.points)
    objective = evaluate(question, claim.points).objective
    return replace(claim, lower_bound=min(claim.lower_bound, objective))

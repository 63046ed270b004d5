"""The least log loss of each number of features, one size after the other."""

from dataclasses import replace
from fractions import Fraction

from supersparse.errors import InfeasibleError
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem
from supersparse.solving.contract import ClaimedModels
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.sized import SizeBySize, Solve
from supersparse.stop import Stop


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
    sizes = SizeBySize(problem, options, monitor, solve)
    size = most
    while size >= 0 and not sizes.is_over:
        question = _question(problem, size, alike)
        try:
            claim = sizes.ask(question, is_last=size == 0)
        except InfeasibleError:
            if alike:  # nor does any with fewer features
                bounds[: size + 1] = [None] * (size + 1)
                break
            bounds[size] = None
            size -= 1
            continue
        if claim is None:
            size -= 1
            continue
        bound = min(claim.lower_bound, evaluate(question, claim.points).objective)
        for s in range(0 if alike else size, size + 1):  # alike: it speaks of all smaller sizes too
            bounds[s] = max(bounds[s] or Fraction(0), bound + price * s)
        size = (len(claim.points.support) if alike and claim.stop.is_complete else size) - 1
    return ClaimedModels(
        models=sizes.known.models, complete=False, bounds=tuple(bounds), stop=sizes.stop or Stop.OPTIMAL
    )


def _question(problem: Problem, size: int, alike: bool) -> Problem:
    if alike:
        return replace(problem, C0=(Fraction(0),) * problem.n_features, max_features=size)
    at_least = MinFeatures(least=size).limits(problem.rows, counts_intercept=False)
    return replace(problem, support_limits=(*problem.support_limits, *at_least), max_features=size)

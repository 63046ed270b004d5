"""Questions that several cards answer: all within a factor of the least loss, and the best of each size."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import gcd

from supersparse.base.errors import InfeasibleError
from supersparse.base.integer_arrays import Ints
from supersparse.base.stop import Stop
from supersparse.engine.cluster import Cluster
from supersparse.engine.each_size import SizeBySize, Solve
from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.risk.instance import risk_instance
from supersparse.engine.risk.remote import RemoteSlices
from supersparse.engine.risk.tree import RiskTree, coefficients_of
from supersparse.engine.solution import Claim, proves
from supersparse.engine.solvers import ClaimedModels
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.log_loss import PROOF_TOLERANCE
from supersparse.problem.objective import completed, evaluate, total_penalty
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_ROOM = 4096  # cards listed by one call of the kernels
_PENALTY_ROUNDING = 1e-12
_ROUNDING = 2.0**-53
_NO_LIMIT = Fraction(10**300)  # a float, and above every objective

Coefficients = tuple[int, ...]


def all_within(
    problem: Problem,
    epsilon: Fraction,
    options: SolveOptions,
    monitor: Monitor,
    solve: Callable[[Problem, SolveOptions, Monitor], Claim],
) -> ClaimedModels:
    """List every card with F <= (1 + epsilon)·F* + 1e-9, as far as the limits allow.

    With a free slope, cards whose points are multiples of one another have the same risks. They are one card,
    the cheapest of them, then the one with the smallest points.
    """
    claim = solve(problem, options, monitor)
    best = evaluate(problem, claim.points).objective
    limit = (1 + epsilon) * best + PROOF_TOLERANCE
    cards = _Cards(problem)
    cards.add(claim.points.coefficients)
    complete = proves(problem, best, claim.lower_bound) and _list(problem, limit, options, monitor, cards)
    models = []
    for coefficients in cards.cheapest:
        points = completed(problem, coefficients)
        if points is not None and evaluate(problem, points).objective <= limit:
            models.append(points)
    return ClaimedModels(models=tuple(models), complete=complete)


class _Cards:
    """The cards found, one of those that are multiples of one another."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known: dict[Coefficients, Coefficients] = {}

    def add(self, coefficients: Coefficients) -> None:
        shared = gcd(*coefficients) if self._problem.slope == "free" else 1
        direction = tuple(c // shared for c in coefficients) if shared > 1 else coefficients
        known = self._known.get(direction)
        if known is None or cost_of(self._problem, coefficients) < cost_of(self._problem, known):
            self._known[direction] = coefficients

    @property
    def cheapest(self) -> list[Coefficients]:
        return sorted(self._known.values())


def cost_of(problem: Problem, coefficients: Coefficients) -> tuple[Fraction, int]:
    """The penalties of a card, then the sum of its points, in the problem's unit."""
    size = sum(map(abs, coefficients))
    penalty = total_penalty(problem, Points(coefficients, 0, problem.unit))
    return penalty + (problem.C1 or 0) * Fraction(size, problem.unit), size


def _list(problem: Problem, limit: Fraction, options: SolveOptions, monitor: Monitor, cards: _Cards) -> bool:
    """Add all cards whose lower bound is below the limit; whether none is missing."""
    instance = risk_instance(problem, slope_is_free=problem.slope == "free")
    # each card once: under its own support, not under those that contain it
    instance = replace(instance, data=instance.data._replace(strict=1))
    if not instance.forced.any():
        cards.add((0,) * problem.n_features)
    if not instance.kept or instance.most_features == 0:
        return True

    def listed(columns: Ints, index: Ints, _bound: float) -> None:
        cards.add(coefficients_of(instance, problem.n_features, problem.unit, columns, index))

    tree = RiskTree(instance, listed, _ROOM)
    allowed = float(min(limit, _NO_LIMIT) - instance.base_penalty)
    rounding = max(_PENALTY_ROUNDING, (2 * instance.most_features + 8) * _ROUNDING * allowed)
    tree.best.value[0] = allowed + rounding + instance.data.tolerance
    tree.start()
    begun = monitor.nodes

    def should_stop() -> bool:
        monitor.nodes = begun + tree.count
        return monitor.stop_reason() is not None

    if options.executor is not None:
        slices = RemoteSlices(tree, listed, _ROOM)
        Cluster(slices, options.executor).run(lambda: not tree.is_open or should_stop())
    while tree.is_open and not should_stop():
        tree.step()
    return not tree.is_open


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

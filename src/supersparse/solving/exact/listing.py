"""All models within a factor of the best: the same tree, with the threshold fixed.

First the best model is proven. Then the tree is walked with the one threshold (1 + epsilon)·F*,
nothing is left out for symmetry or because a multiple of it does the same, and every vector that
survives is judged by the evaluator.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.violations import completed
from supersparse.solution.claim import Claim
from supersparse.solving.contract import ClaimedModels
from supersparse.solving.exact.cuts import Thresholds
from supersparse.solving.exact.instance import instances
from supersparse.solving.exact.prices import with_prices
from supersparse.solving.exact.proof import WORK_PER_NODE, Proof
from supersparse.solving.exact.supports import SupportSearch
from supersparse.solving.exact.tree import fixed_cost, root
from supersparse.solving.integer_form import OPEN, IntegerForm, integer_form
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.search.incumbent import smallest_coefficients


class Collecting:
    """Takes the place of the cuts: a threshold that stays, and all that was found below it."""

    def __init__(self, form: IntegerForm, limit: Fraction) -> None:
        cut = form.in_kernel_units(limit)
        self.now = Thresholds(tie=cut, strict=cut, l1=OPEN)
        self.models: dict[tuple[int, ...], Points] = {}
        self._problem, self._limit = form.problem, limit

    @property
    def tie(self) -> int:
        """What a model may cost."""
        return self.now.tie

    def offer(self, coefficients: list[int]) -> bool:
        """Keep a model that the evaluator finds within the limit."""
        points = completed(self._problem, coefficients)
        if points is None or evaluate(self._problem, points).objective > self._limit:
            return False
        self.models[tuple(coefficients)] = points
        return True


class SupportListing(SupportSearch):
    """Looks at all vectors of a support once."""

    def _next_phase(self) -> bool:
        self._phase += 1
        if self._phase > 1:
            return False
        self._lay_out([self._whole()])
        return True


def all_within(
    problem: Problem,
    epsilon: Fraction,
    options: SolveOptions,
    monitor: Monitor,
    solve: Callable[[Problem, SolveOptions, Monitor], Claim],
) -> ClaimedModels:
    """List every λ, with its best b, of F <= (1 + epsilon)·F*; as many as the limits allow."""
    claim = solve(problem, options, monitor)
    best = evaluate(problem, claim.points).objective
    limit = (1 + epsilon) * best
    form = with_prices(integer_form(problem), monitor)
    found = Collecting(form, limit)
    found.offer(list(claim.points.coefficients))
    if claim.lower_bound < best:
        return ClaimedModels(models=tuple(found.models.values()), complete=False)
    found.offer(smallest_coefficients(problem))  # the tree begins with one feature
    proof = Proof(found, None, SupportListing)
    for instance in instances(form):
        alone = replace(instance, twin_of=(-1,) * instance.n_features)
        proof.tasks.push(fixed_cost(alone, ()), root(alone))
    begun = monitor.nodes

    def should_stop() -> bool:
        monitor.nodes = begun + proof.work // WORK_PER_NODE
        return monitor.stop_reason() is not None

    while proof.is_open and not should_stop():
        proof.step(should_stop)
    return ClaimedModels(models=tuple(found.models.values()), complete=not proof.is_open)

"""Many models from one tree: all within a factor of the best, and the best of each size."""

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from supersparse.base.errors import InfeasibleError
from supersparse.engine.cluster import Cluster
from supersparse.engine.each_size import SizeBySize, Solve
from supersparse.engine.exact.cuts import CutValues, with_prices
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.proof import WORK_PER_NODE, Proof
from supersparse.engine.exact.remote import RemoteSlices
from supersparse.engine.integer_form import OPEN, IntegerForm, integer_form
from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import ClaimedModels
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import step_with_l1


class Collecting:
    """Replaces `Cuts`: a fixed cut that keeps every model within it."""

    def __init__(self, form: IntegerForm, limit: Fraction) -> None:
        cut = min(form.in_kernel_units(limit), form.worst_cost)  # a limit above every model, however large
        self.now = CutValues(tie=cut, strict=cut, l1=OPEN)
        self.shared = np.array([cut, 0], np.int64)
        self.models: dict[tuple[int, ...], Points] = {}
        self._problem, self._limit = form.problem, limit

    @property
    def tie(self) -> int:
        """The largest allowed cost, in kernel units."""
        return self.now.tie

    def offer(self, coefficients: list[int]) -> bool:
        """Keep a model that the evaluator finds within the limit."""
        points = completed(self._problem, coefficients)
        if points is None or evaluate(self._problem, points).objective > self._limit:
            return False
        self.models[tuple(coefficients)] = points
        return True


def all_within(
    problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor, solve: Solve
) -> ClaimedModels:
    """List every λ, with its best b, with F <= (1 + epsilon)·F*, as far as the limits allow."""
    claim = solve(problem, options, monitor)
    best = evaluate(problem, claim.points).objective
    limit = (1 + epsilon) * best
    form = with_prices(integer_form(problem), monitor)
    within = Collecting(form, limit)
    within.offer(list(claim.points.coefficients))
    if claim.lower_bound < best:
        return ClaimedModels(models=tuple(within.models.values()), complete=False)
    within.offer(smallest_coefficients(problem))  # the tree starts with one feature
    cases = [case.in_any_order() for case in instances(form)]
    proof = Proof(within, cases, lists=True)
    proof.open_roots()
    begun = monitor.nodes

    def should_stop() -> bool:
        monitor.nodes = begun + proof.work // WORK_PER_NODE
        return monitor.stop_reason() is not None

    if options.executor is not None:
        slices = RemoteSlices(proof, cases, should_stop)
        Cluster(slices, options.executor).run(lambda: not proof.is_open or should_stop())
    while proof.is_open and not should_stop():
        proof.step(should_stop)
    return ClaimedModels(models=tuple(within.models.values()), complete=not proof.is_open)


@dataclass
class _Proven:
    """What is proven so far, by size."""

    bounds: list[Fraction | None]
    smallest: set[int] = field(default_factory=set)
    complete: bool = True

    def raise_to(self, size: int, bound: Fraction) -> None:
        """Record a bound on models of one size; a weaker one than is known changes nothing."""
        known = self.bounds[size]
        self.bounds[size] = bound if known is None else max(known, bound)

    def add(self, size: int, claim: Claim, is_proven: bool) -> None:
        """Record whether the model of a size is proven."""
        self.complete = self.complete and is_proven and claim.smallest
        if is_proven and claim.smallest:
            self.smallest.add(size)


def best_per_size(problem: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> ClaimedModels:
    """Ask for one size after the other; the monitor's limits hold for all of them together."""
    most = problem.n_features + problem.intercept.is_penalised
    if problem.max_features is not None:
        most = min(most, problem.max_features)
    proven = _Proven(bounds=[Fraction(0)] * (most + 1))
    sizes = SizeBySize(problem, options, monitor, solve)
    if _costs_are_equal(problem):
        _from_the_top(proven, most, sizes)
    else:
        _one_by_one(proven, most, sizes)
    return ClaimedModels(
        models=sizes.known.models,
        complete=proven.complete,
        bounds=tuple(proven.bounds),
        smallest=frozenset(proven.smallest),
        stop=sizes.stop,
    )


def _from_the_top(proven: _Proven, most: int, sizes: SizeBySize) -> None:
    problem = sizes.problem
    price = max((*problem.C0, problem.intercept_C0), default=Fraction(0))
    free = replace(problem, C0=(Fraction(0),) * problem.n_features, intercept_C0=Fraction(0))
    # so little that errors and C1 come first: size only breaks ties between them
    tiny = step_with_l1(free) / (2 * (most + 1))
    size = most
    while size >= 0:
        if sizes.is_over:
            proven.complete = False
            return
        question = replace(
            problem,
            C0=(tiny,) * problem.n_features,
            intercept_C0=tiny if problem.intercept.is_penalised else Fraction(0),
            max_features=size,
        )
        try:
            claim = sizes.ask(question, is_last=size == 0)
        except InfeasibleError:
            proven.bounds[: size + 1] = [None] * (size + 1)
            return
        if claim is None:
            proven.complete = False
            size -= 1
            continue
        found = evaluate(question, claim.points)
        is_proven = claim.lower_bound >= found.objective
        # the bound speaks of all models of at most `size` features, whose price it leaves out
        for s in range(size + 1):
            proven.raise_to(s, max(Fraction(0), claim.lower_bound - tiny * s) + price * s)
        if is_proven:
            for s in range(found.size, size + 1):
                proven.raise_to(s, found.objective - tiny * found.size + price * s)
        proven.add(found.size, claim, is_proven)
        size = (found.size if is_proven else size) - 1


def _one_by_one(proven: _Proven, most: int, sizes: SizeBySize) -> None:
    problem = sizes.problem
    for size in range(most, -1, -1):
        if sizes.is_over:
            proven.complete = False
            return
        at_least = MinFeatures(least=size).limits(problem.rows, counts_intercept=problem.intercept.is_penalised)
        limits = (*problem.support_limits, *at_least)
        question = replace(problem, support_limits=limits, max_features=size)
        try:
            claim = sizes.ask(question, is_last=size == 0)
        except InfeasibleError:
            proven.bounds[size] = None
            continue
        if claim is None:
            proven.complete = False
            continue
        proven.bounds[size] = claim.lower_bound
        proven.add(size, claim, claim.lower_bound >= evaluate(question, claim.points).objective)


def _costs_are_equal(problem: Problem) -> bool:
    """Whether every model of one size pays the same for it, so that only errors and C1 tell them apart."""
    costs = set(problem.C0)
    if problem.intercept.is_penalised:
        costs.add(problem.intercept_C0)
    return not problem.has_levels and len(costs) <= 1

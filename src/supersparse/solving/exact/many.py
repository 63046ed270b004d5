"""Many models from one tree: all within a factor of the best, and the best of each size."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from supersparse.errors import InfeasibleError, SolverFailedError
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.objective import PointsEvaluation, completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import step_with_l1
from supersparse.solving.cluster import Cluster
from supersparse.solving.contract import ClaimedModels
from supersparse.solving.exact.cuts import CutValues, with_prices
from supersparse.solving.exact.instance import instances
from supersparse.solving.exact.proof import WORK_PER_NODE, Proof
from supersparse.solving.exact.remote import RemoteSlices
from supersparse.solving.integer_form import OPEN, IntegerForm, integer_form
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.search.incumbent import smallest_coefficients
from supersparse.solving.solution import Claim


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
    problem: Problem,
    epsilon: Fraction,
    options: SolveOptions,
    monitor: Monitor,
    solve: Callable[[Problem, SolveOptions, Monitor], Claim],
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


Solve = Callable[[Problem, SolveOptions, Monitor], Claim]


@dataclass
class _Answers:
    """What is known so far, by size."""

    bounds: list[Fraction | None]
    models: dict[int, Points] = field(default_factory=dict)
    smallest: set[int] = field(default_factory=set)
    complete: bool = True

    def add(self, size: int, claim: Claim, is_proven: bool) -> None:
        """Record the model of a size and whether it is proven."""
        self.models[size] = claim.points
        self.complete = self.complete and is_proven and claim.smallest
        if is_proven and claim.smallest:
            self.smallest.add(size)


def best_per_size(problem: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> ClaimedModels:
    """Ask for one size after the other; the monitor's limits hold for all of them together."""
    most = problem.n_features + problem.intercept.is_penalised
    if problem.max_features is not None:
        most = min(most, problem.max_features)
    known = _Answers(bounds=[Fraction(0)] * (most + 1))
    ask = _Asking(problem, options, monitor, solve)
    try:
        if _costs_are_equal(problem):
            _from_the_top(known, most, ask)
        else:
            _one_by_one(known, most, ask)
    except SolverFailedError:
        if not ask.stopped:
            raise
        known.complete = False  # a limit came before the first model of a size
    return ClaimedModels(
        models=tuple(known.models[size] for size in sorted(known.models)),
        complete=known.complete,
        bounds=tuple(known.bounds),
        smallest=frozenset(known.smallest),
    )


@dataclass(frozen=True)
class _Asking:
    problem: Problem
    options: SolveOptions
    monitor: Monitor
    solve: Solve

    def __call__(self, question: Problem) -> tuple[Claim, PointsEvaluation] | None:
        """Solve one size until the whole run has to stop; None where no model obeys."""
        options = replace(
            self.options,
            time_limit=None,
            node_limit=None,
            gap=0.0,
            absolute_gap=0.0,
            initial=None,
            checkpoint=None,
            on_progress=None,
            cancel=lambda: self.monitor.stop_reason() is not None,
        )
        its_monitor = Monitor(question, options, lambda points: points)
        try:
            question.check_feasible()  # sets without 0 need room
            claim = self.solve(question, options, its_monitor)
        except InfeasibleError:
            return None
        finally:
            self.monitor.nodes += its_monitor.nodes
        assert its_monitor.best_evaluation is not None
        self.monitor.incumbent(claim.points)
        return claim, its_monitor.best_evaluation

    @property
    def stopped(self) -> bool:
        return self.monitor.stop_reason() is not None


def _from_the_top(known: _Answers, most: int, ask: _Asking) -> None:
    problem = ask.problem
    price = max((*problem.C0, problem.intercept_C0), default=Fraction(0))
    free = replace(problem, C0=(Fraction(0),) * problem.n_features, intercept_C0=Fraction(0))
    # so little that errors and C1 come first: size only breaks ties between them
    tiny = step_with_l1(free) / (2 * (most + 1))
    size = most
    while size >= 0:
        question = replace(
            problem,
            C0=(tiny,) * problem.n_features,
            intercept_C0=tiny if problem.intercept.is_penalised else Fraction(0),
            max_features=size,
        )
        answer = ask(question)
        if answer is None:
            known.bounds[: size + 1] = [None] * (size + 1)
            return
        claim, evaluation = answer
        is_proven = claim.lower_bound >= evaluation.objective
        # the bound speaks of all models of at most `size` features, whose price it leaves out
        for s in range(size + 1):
            known.bounds[s] = max(Fraction(0), claim.lower_bound - tiny * s) + price * s
        if is_proven:
            for s in range(evaluation.size, size + 1):
                known.bounds[s] = evaluation.objective - tiny * evaluation.size + price * s
        known.add(evaluation.size, claim, is_proven)
        if not is_proven:
            return
        size = evaluation.size - 1


def _one_by_one(known: _Answers, most: int, ask: _Asking) -> None:
    problem = ask.problem
    for size in range(most, -1, -1):
        at_least = MinFeatures(least=size).limits(
            problem.rows, counts_intercept=problem.intercept.is_penalised
        )
        limits = (*problem.support_limits, *at_least)
        answer = ask(replace(problem, support_limits=limits, max_features=size))
        if answer is None:
            known.bounds[size] = None
            continue
        claim, evaluation = answer
        is_proven = claim.lower_bound >= evaluation.objective
        known.bounds[size] = claim.lower_bound
        known.add(size, claim, is_proven)
        if ask.stopped and not is_proven:
            return


def _costs_are_equal(problem: Problem) -> bool:
    """Whether every model of one size pays the same for it, so that only errors and C1 tell them apart."""
    costs = set(problem.C0)
    if problem.intercept.is_penalised:
        costs.add(problem.intercept_C0)
    return not problem.has_levels and len(costs) <= 1

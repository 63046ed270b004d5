"""The exact solver for errors: alternates between search and proof, in slices, until nothing is open."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from supersparse.base.stop import Stop
from supersparse.engine.exact.bounds import SHARES, About
from supersparse.engine.exact.cuts import Cuts, CutValues, with_prices
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.open_parts import FORMAT, Part, coefficients_of, fraction, read, written
from supersparse.engine.exact.pair_covers import WORK_PER_NODE, PairCovers
from supersparse.engine.integer_form import OPEN, IntegerForm, integer_form
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.bounds import Bound, InTurn, Known, Turns
from supersparse.engine.proving.checkpoint import check_place
from supersparse.engine.proving.cluster import RemoteParts, Slices
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.proof import Budget, Proof
from supersparse.engine.proving.run import Run, list_all, run_to_the_end
from supersparse.engine.proving.sizes import Solve, best_per_size
from supersparse.engine.search.incumbent import Search, smallest_coefficients
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import next_attainable

# How much the incumbent search works for each unit of the proof's work: much while it keeps finding
# better models, little once it has looked three times as long as the best model took. A best model
# of many features means that there are many supports and the proof will take long: there the search goes first,
# and keeps about half of the time while the bound is too far away for a proof to be hoped for. On large
# tables it keeps as much while the bound is below half of the objective: there each step of it costs more,
# and with little time it missed models of three features on spambase.
_SHARE_WHILE_IMPROVING, _SHARE_AFTERWARDS = 0.5, 0.1
_SHARE_BEFORE_LONG_PROOFS = 6.0
_SHARE_ON_LARGE_TABLES = 3.0
_PATIENCE_BEFORE_LONG_PROOFS = 2_500_000_000  # about eight seconds
_MANY = 10  # features
_HOPELESS, _FAR = Fraction(1, 10), Fraction(1, 2)  # of the objective: a bound below that
_LARGE = 50_000  # values in the table, distinct rows only
_MOST_ALONE = 10**11  # for a first good model where no threads wait
_SEARCHERS, _SEARCHERS_ON_LARGE_TABLES = 2, 4  # threads, at most, that search before they prove


class ExactSolver:
    """Branch and bound over signed supports; proves optima in F and, among those, in l1."""

    name: ClassVar[str] = "exact"
    capabilities: ClassVar[Capabilities] = Capabilities(
        questions=frozenset(Aim),
        levels=True,
        constraints=frozenset({SUPPORT, SIGNS, RATES, SCORE}),
        wants_start=False,
        checkpoints=True,
        uses_executors=True,
    )

    def check(self, problem: Problem, options: SolveOptions) -> None:
        check_place(options.checkpoint)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        return run_to_the_end(lambda: ErrorsRun(problem, options, monitor), options)

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        return best_per_size(problem, options, monitor, self.solve)

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        return all_within(problem, epsilon, options, monitor, self.solve)


class ErrorsRun(Run[Part]):
    """One run: the incumbent search, the tree and the further bounds share the time and report to the monitor."""

    look_every = 500_000  # touched rows: a few milliseconds
    report_every = 8_000_000  # some forty milliseconds
    alone_before_threads = alone_before_executor = 3_000_000  # some thirty milliseconds
    proves_smallest = True

    def __init__(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> None:
        """Convert a problem to kernel units, choose prices if rates are limited, and find a first model."""
        monitor.incumbent(completed(problem, smallest_coefficients(problem)))
        self.form = form = with_prices(integer_form(problem), monitor)
        self.knew_no_model = monitor.best_evaluation is None  # so the prices help to find any model at all
        self.cuts, self.search = Cuts(form, monitor), Search(form, monitor)
        threads = options.n_jobs if options.executor is None else 1
        is_alone = threads == 1 and options.executor is None
        nodes = 10**6 if options.node_limit is None else options.node_limit + 1
        # first, because on wide tables it takes longer to prepare the proof
        self.search.warm_up(min(nodes * WORK_PER_NODE, _MOST_ALONE if is_alone else self.alone_before_threads))
        self.cuts.refresh()
        cases = instances(form)
        self.tree = PairCovers(self.cuts, cases)
        super().__init__(problem, options, monitor, Proof(self.tree), FORMAT)
        self.turns = Turns(SHARES, About(form, cases, self.cuts, threads))
        self._reported = -1  # the last bound the monitor heard of, in kernel units
        self._heard_of = None if monitor.best_evaluation is None else monitor.best_evaluation.objective
        self._since: tuple[int, int] | None = None  # work of the search and the proof when others began to prove
        self._searched = 0  # work of the search when this thread began to prove
        monitor.progress = lambda: (self.tree.share_closed(self.proof.open_parts()), 1.0)

    def begin(self) -> None:
        saved = self.checkpoint.load(self._read)
        if saved is None:
            self.proof.begin()
            return
        coefficients, lower_bound, parts = saved
        self.cuts.offer(coefficients)
        self.monitor.bound(lower_bound)
        self.proof.begin(parts)

    def _read(self, content: dict[str, Any]) -> tuple[list[int], Fraction, list[Part]]:
        cases = self.tree.cases
        coefficients = coefficients_of(content["coefficients"], next(iter(cases.values())))
        parts = read(content["parts"], cases)
        self.turns.resume(content["bounds"])
        return coefficients, fraction(content["lower_bound"]), parts

    def saved(self) -> dict[str, Any] | None:
        if self.monitor.best is None:
            return None
        # parts first: a model that a thread finds meanwhile may then be saved twice, never lost
        parts = written(self.proof.open_parts())
        best, bound = self.monitor.best.coefficients, self.monitor.lower_bound
        return {"coefficients": best, "lower_bound": str(bound), "parts": parts, "bounds": self.turns.left()}

    def prove_here(self, most: int | None = None) -> None:
        """Alternate between proof and search by work done, so that a run can be repeated exactly."""
        self._searched = self.other_work
        super().prove_here(most)

    @property
    def other_work(self) -> int:
        return int(self.search.spent[0])

    def turn(self) -> None:
        """Search if that is due, then take steps of the other bounds."""
        if self.other_work - self._searched < self._search_share * self._pace:
            self._search()
        for bound in self.turns.bounds:
            while self._step_of(bound) and not self.check_in():
                pass

    def other_step(self) -> bool:
        """Search for better models at times, and take the steps that are this thread's."""
        for bound in self.turns.bounds:
            if not bound.in_any_thread:
                self._step_of(bound)
        best = self.monitor.best_evaluation
        if best is not None and best.objective != self._heard_of:  # it was found elsewhere
            self._heard_of = best.objective
            self.search.hear_of_better()
        if self._since is None:
            self._since = self.other_work, self._pace
        searched, proven = self._since
        due = searched + self._search_share * (self._pace - proven) / self.proof.threads
        has_nothing_else = self.options.executor is not None and self.search.is_improving
        if self.search.is_warm and self.other_work >= due and not has_nothing_else:
            return False
        self._search()
        if not self.search.is_warm:
            self._since = self.other_work, proven
        return True

    def _search(self) -> None:
        self.search.run(1)
        self.cuts.refresh()

    def before_threads(self, threads: int) -> Sequence[Callable[[], None]]:
        """Up to half of the threads search first: what is proven before a good model is known is much more work.

        Of two, on a small table, none does: the main thread's search is enough.
        """
        most = _SEARCHERS_ON_LARGE_TABLES if self._is_large else _SEARCHERS if threads > 2 else 0
        searchers = range(1, min(most, threads // 2) + 1)
        return [partial(self._search_in_thread, self.search.sibling(n)) for n in searchers]

    def _search_in_thread(self, search: Search) -> None:
        """Search in another thread until that does not seem to help any more."""
        while search.is_improving and self.proof.is_open and not self.is_over:
            search.step()
            self.cuts.refresh()

    def between(self) -> bool:
        """Take a step of a bound if it is due, in any thread; `check_in` reports what it proves."""
        shared = [bound for bound in self.turns.bounds if bound.in_any_thread]
        if self.monitor.best_evaluation is None:
            return False
        return any(self._step_of(bound) for bound in shared) or any(bound.wait() for bound in shared)

    def _step_of(self, bound: Bound) -> bool:
        if self.monitor.best_evaluation is None or not self.turns.is_due(bound, self.work):
            return False
        stops = (lambda: self.is_over) if bound.in_any_thread else self.check_in
        bound.step(self._known(), Budget(self.work_left, stops))
        return True

    def _known(self) -> Known:
        best = self.monitor.best_evaluation
        assert best is not None, "bounds begin once a model is known"
        return Known(best.objective, self.monitor.lower_bound)

    def slices(self) -> Slices[Any]:
        """Those of the tree, and of the bounds that can be sent."""
        parts = RemoteParts(self.proof, self.tree, self.check_in, lambda: self.work_left)
        return InTurn(parts, self.turns, lambda: self.work, self._known, self.between)

    @property
    def _pace(self) -> int:
        """The proof's work, by which the search is measured: the tree's, or that of who works more."""
        return max(self.work, self.turns.pace)

    @property
    def nodes(self) -> int:
        """The work of the tree and of the further bounds."""
        return (self.work + self.turns.work) // WORK_PER_NODE

    @property
    def work_left(self) -> int | None:
        """The work that the node limit leaves to the proof; None without a limit."""
        limit = self.options.node_limit
        return None if limit is None else max(1, limit * WORK_PER_NODE - self.work - self.turns.work)

    @property
    def needs_restart(self) -> bool:
        """Whether the first model within the rate limits was found while much is still open: prices can be better."""
        is_first = self.knew_no_model and self.monitor.best_evaluation is not None
        return is_first and len(self.form.rates.most) > 0 and self.stop is None and self.proof.is_open

    @property
    def _is_large(self) -> bool:
        return self.form.n_rows * self.form.n_features > _LARGE

    @property
    def _search_share(self) -> float:
        """Search work per unit of proof work."""
        best, spent = self.monitor.best_evaluation, self.search.spent[0]
        if best is not None:
            bound, objective = self.monitor.lower_bound, best.objective
            is_first = spent < _PATIENCE_BEFORE_LONG_PROOFS
            if best.features > _MANY and (is_first or bound < _HOPELESS * objective):
                return _SHARE_BEFORE_LONG_PROOFS
            if self._is_large and bound < _FAR * objective:
                return _SHARE_ON_LARGE_TABLES
        return _SHARE_WHILE_IMPROVING if self.search.is_improving else _SHARE_AFTERWARDS

    def check_in(self) -> bool:
        self.monitor.bound(self.turns.best)
        return super().check_in()

    def reason_to_stop(self) -> Stop | None:
        """The limit that was reached, or another bound met the objective: then ties in l1 stay open."""
        best = self.monitor.best_evaluation
        reason = super().reason_to_stop()
        if reason is None and self.turns.work and best is not None and self.monitor.lower_bound >= best.objective:
            return Stop.BOUND
        return reason

    def report(self) -> None:
        bound, best = self.proof.bound, self.monitor.best_evaluation
        if bound is None:
            if self.proof.has_begun and best is not None:
                self.monitor.bound(best.objective)
        elif bound > self._reported:
            self._reported = bound
            self.monitor.bound(next_attainable(self.problem, Fraction(bound) / self.form.scale))


class PoolCuts:
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
    within = PoolCuts(form, limit)
    within.offer(list(claim.points.coefficients))
    if claim.lower_bound < best:
        return ClaimedModels(models=tuple(within.models.values()), complete=False)
    within.offer(smallest_coefficients(problem))  # the tree starts with one feature
    tree = PairCovers(within, [case.in_any_order() for case in instances(form)], lists=True)
    proof = Proof(tree)
    complete = list_all(proof, options, monitor, lambda: proof.work // WORK_PER_NODE)
    return ClaimedModels(models=tuple(within.models.values()), complete=complete)

"""The exact solver: alternates between search and proof, in slices, until nothing is open."""

from concurrent.futures import Executor
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from supersparse.base.stop import Stop
from supersparse.engine.checkpoint_file import Checkpoint, check_place, locked
from supersparse.engine.cluster import LOOK_SECONDS, Cluster
from supersparse.engine.each_size import Solve, best_per_size
from supersparse.engine.exact.cuts import Cuts, CutValues, with_prices
from supersparse.engine.exact.instance import Instance, instances
from supersparse.engine.exact.open_parts import FORMAT, read_tree, written, written_tree
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.exact.proof import WORK_PER_NODE, Proof, quick_switches
from supersparse.engine.exact.ratios import RatioProof
from supersparse.engine.exact.remote import RemoteBoxes, RemoteSlices, TreeAndBoxes
from supersparse.engine.integer_form import OPEN, IntegerForm, integer_form
from supersparse.engine.monitor import Monitor
from supersparse.engine.options import SolveOptions
from supersparse.engine.search.incumbent import Search, smallest_coefficients
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.problem.conflicts import infeasible
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
_LOOK_EVERY = 500_000  # touched rows between two looks at the limits: a few milliseconds
_REPORT_EVERY = 8_000_000  # touched rows between two reports of the bound: some forty milliseconds
_ALONE = 3_000_000  # touched rows, some thirty milliseconds: what threads are not started for
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
        """Refuse a checkpoint that could not be written later."""
        check_place(options.checkpoint)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Prove a best model, or claim the best known one and a bound."""
        with locked(options.checkpoint):
            while True:
                outcome = _Solve.prepare(problem, options, monitor).run()
                if outcome is not _Restart.WITH_BETTER_PRICES:
                    return outcome

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Find the best model of each size, as far as the limits allow."""
        return best_per_size(problem, options, monitor, self.solve)

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """List every λ, with its best b, within a factor of the best, as far as the limits allow."""
        return all_within(problem, epsilon, options, monitor, self.solve)


class _Restart(Enum):
    """Returned by a solve that has no claim yet and must start again."""

    WITH_BETTER_PRICES = auto()
    """The first model that satisfies the rate limits is known, so prices can now be chosen well."""


@dataclass(eq=False, kw_only=True)
class _Solve:
    """One run: the incumbent search and the three proofs share the time and report to the monitor."""

    problem: Problem
    options: SolveOptions
    monitor: Monitor
    form: IntegerForm
    search: Search
    cuts: Cuts
    cases: list[Instance]
    proof: Proof
    partition: PartitionProof
    ratios: RatioProof
    knew_no_model: bool  # when prices were chosen, so the prices help to find any model at all
    checkpoint: Checkpoint
    stop: Stop | None = None
    _reported: int = -1  # the last bound the monitor heard of, in kernel units
    _report_at: int = 0  # work of the proof at which to report again
    _heard_of: Fraction | None = None  # the best objective that the search knows of

    @classmethod
    def prepare(cls, problem: Problem, options: SolveOptions, monitor: Monitor) -> "_Solve":
        """Convert a problem to kernel units, choose prices if rates are limited, and find a first model."""
        monitor.incumbent(completed(problem, smallest_coefficients(problem)))
        form = with_prices(integer_form(problem), monitor)
        knew_no_model = monitor.best_evaluation is None
        cuts, search = Cuts(form, monitor), Search(form, monitor)
        threads = options.n_jobs if options.executor is None else 1
        is_alone = threads == 1 and options.executor is None
        nodes = 10**6 if options.node_limit is None else options.node_limit + 1
        # first, because on wide tables it takes longer to prepare the proof
        search.warm_up(min(nodes * WORK_PER_NODE, _MOST_ALONE if is_alone else _ALONE))
        cuts.refresh()
        cases = instances(form)
        return cls(
            problem=problem,
            options=options,
            monitor=monitor,
            form=form,
            search=search,
            cuts=cuts,
            cases=cases,
            proof=Proof(cuts, cases),
            partition=PartitionProof(form),
            ratios=RatioProof(cases, cuts, threads),
            knew_no_model=knew_no_model,
            _heard_of=None if monitor.best_evaluation is None else monitor.best_evaluation.objective,
            checkpoint=Checkpoint(options.checkpoint, FORMAT, problem),
        )

    def run(self) -> Claim | _Restart:
        """Search and prove until nothing is open or a limit is reached."""
        self._open()
        self.monitor.progress = lambda: (self.proof.share_closed, 1.0)
        if self.options.executor is not None:
            self._prove_on(self.options.executor)
        elif self.options.n_jobs == 1:
            self._prove_here()
        else:
            self._prove_in_threads(self.options.n_jobs)
        self._count()
        if self._needs_restart:
            return _Restart.WITH_BETTER_PRICES
        if self.stop is not None:
            self._report()
            self._save()
            return self.monitor.claim(stop=self.stop, smallest=False)
        if self.monitor.best_evaluation is None:
            raise infeasible(self.problem)
        self.monitor.bound(self.monitor.best_evaluation.objective)
        self.checkpoint.remove()
        return self.monitor.claim(stop=Stop.OPTIMAL, smallest=True)

    def _open(self) -> None:
        """Start from the roots, or from a checkpoint."""
        saved = self.checkpoint.load(partial(read_tree, cases=self.cases))
        if saved is None:
            self.proof.open_roots()
            return
        self.cuts.offer(list(saved.coefficients))
        self.monitor.bound(saved.lower_bound)
        for part in saved.parts:
            self.proof.push(part)
        if saved.partition is not None:
            self.partition.resume(saved.partition)

    def _prove_here(self, most: int | None = None) -> None:
        """Alternate between proof and search by work done, so that a run can be repeated exactly.

        Ends early, where `most` is given, once search and proof have done so much together.
        """
        searched, look_at = int(self.search.spent[0]), 0
        # a limit seen inside a step, which then does no work, ends the loop as well
        while self.proof.is_open and self.stop is None and not self._needs_restart:
            if self.proof.work >= look_at:
                look_at = self.proof.work + _LOOK_EVERY
                if self._check_in():
                    break
            if most is not None and self.proof.work + int(self.search.spent[0]) >= most:
                break
            self.proof.step(self._check_in, self._work_left)
            if self.search.spent[0] - searched < self._search_share * self._pace:
                self.search.run(1)
                self.cuts.refresh()
            self._take_other_turns()

    def _prove_in_threads(self, threads: int) -> None:
        """Prove in background threads; this thread searches at times, reports and watches the limits.

        What is small is done before they start. Up to half of them search first: what is proven before a good
        model is known is much more work. Of two, on a small table, none does: this thread's search is enough.
        """
        proof = self.proof
        self._prove_here(_ALONE)
        if not proof.is_open or self.stop is not None or self._needs_restart:
            return
        most = _SEARCHERS_ON_LARGE_TABLES if self._is_large else _SEARCHERS if threads > 2 else 0
        searchers = range(1, min(most, threads // 2) + 1)
        searches = [partial(self._search_in_thread, self.search.sibling(n)) for n in searchers]
        workers = proof.start(threads, self._is_over, searches, self._step_of_ratios)
        searched, proven = int(self.search.spent[0]), self._pace
        try:
            with quick_switches():
                while proof.is_open and not self._check_in():
                    self._step_of_partition()
                    self._hear_of_better()
                    due = searched + self._search_share * (self._pace - proven) / threads
                    if not self.search.is_warm or self.search.spent[0] < due:
                        self.search.run(1)
                        self.cuts.refresh()
                        if not self.search.is_warm:
                            searched = int(self.search.spent[0])
                    else:
                        proof.wait(LOOK_SECONDS)
        finally:
            proof.finish(workers)

    def _search_in_thread(self, search: Search) -> None:
        """Search in another thread until that does not seem to help any more."""
        while search.is_improving and self.proof.is_open and not self._is_over():
            search.step()
            self.cuts.refresh()

    def _prove_on(self, executor: Executor) -> None:
        """Prove on an executor; this process searches at times, reports and watches the limits."""
        proof = self.proof
        self._prove_here(_ALONE)
        if not proof.is_open or self.stop is not None or self._needs_restart:
            return
        tree = RemoteSlices(proof, self.cases, self._check_in, lambda: self._work_left)
        boxes = RemoteBoxes(lambda: self.ratios.boxes(self.monitor.lower_bound, proof.work), self.cuts)
        slices = TreeAndBoxes(tree, boxes, self.ratios, self._step_of_ratios)
        searched, proven = int(self.search.spent[0]), self._pace

        def search() -> bool:
            self._step_of_partition()
            self._hear_of_better()
            due = searched + self._search_share * (self._pace - proven) / proof.threads
            if not self.search.is_improving and self.search.spent[0] >= due:
                return False
            self.search.run(1)
            self.cuts.refresh()
            return True

        Cluster(slices, executor).run(lambda: not proof.is_open or self._check_in(), search)

    def _is_over(self) -> bool:
        """Whether threads should stop."""
        return self.stop is not None or self._needs_restart

    def _take_other_turns(self) -> None:
        """Run the other bounds when it is their turn."""
        if self._step_of_partition():
            return
        while self._step_of_ratios() and not self._check_in():
            pass

    def _step_of_partition(self) -> bool:
        """Take a step of the partition bound if it is due."""
        best = self.monitor.best_evaluation
        if best is None or not self.partition.is_due(self.proof.work):
            return False
        self.monitor.bound(self.partition.step(best.objective, self.proof.work, self._check_in))
        return True

    def _step_of_ratios(self) -> bool:
        """Take a step of the ratio bound if it is due, in any thread; `_check_in` reports what it proves."""
        if self.monitor.best_evaluation is None:
            return False
        if not self.ratios.is_due(self.proof.work):
            return self.ratios.wait()
        self.ratios.step(self.monitor.lower_bound, self.proof.work, self._is_over, self._work_left)
        return True

    def _hear_of_better(self) -> None:
        """Tell the search of a better model that was found elsewhere."""
        best = self.monitor.best_evaluation
        if best is not None and best.objective != self._heard_of:
            self._heard_of = best.objective
            self.search.hear_of_better()

    @property
    def _other_work(self) -> int:
        return self.partition.work + self.ratios.work

    @property
    def _pace(self) -> int:
        """The proof's work, by which the search is measured: the tree's, or that of who works more."""
        return max(self.proof.work, self.ratios.work_in_turn)

    @property
    def _work_left(self) -> int | None:
        """The work that the node limit leaves to the proof; None without a limit."""
        limit = self.options.node_limit
        return None if limit is None else max(1, limit * WORK_PER_NODE - self.proof.work - self._other_work)

    @property
    def _needs_restart(self) -> bool:
        """Whether the first model within the rate limits was found while much is still open."""
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

    def _check_in(self) -> bool:
        """Count, report and save if due, and return whether to stop; long steps call it midway."""
        self._count()
        if self.proof.work >= self._report_at:
            self._report_at = self.proof.work + _REPORT_EVERY
            self._report()
        self.monitor.bound(self.ratios.lower_bound)
        if self.checkpoint.is_due:
            self._save()
        self.stop = self._reason_to_stop()
        return self.stop is not None or self._needs_restart

    def _count(self) -> None:
        self.monitor.nodes = (self.proof.work + self._other_work) // WORK_PER_NODE

    def _reason_to_stop(self) -> Stop | None:
        """The limit that was reached; None to continue."""
        reason = self.monitor.stop_reason()
        if reason is not None:
            return reason
        best = self.monitor.best_evaluation
        if self._other_work and best is not None and self.monitor.lower_bound >= best.objective:
            return Stop.BOUND  # another bound met the objective; ties in l1 stay open
        return None

    def _report(self) -> None:
        """Report the bound of everything open to the monitor."""
        bound = self.proof.bound
        if bound is not None and bound > self._reported:
            self._reported = bound
            self.monitor.bound(next_attainable(self.problem, Fraction(bound) / self.form.scale))

    def _save(self) -> None:
        """Write the checkpoint, if requested."""
        if self.checkpoint.is_wanted and self.monitor.best is not None:
            # parts first: a model that a thread finds meanwhile may then be saved twice, never lost
            parts = [written(part) for part in self.proof.open_parts()]
            best, bound = self.monitor.best.coefficients, self.monitor.lower_bound
            self.checkpoint.save(written_tree(best, bound, parts, self.partition.left))


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
    within = PoolCuts(form, limit)
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

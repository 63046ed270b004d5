"""The best model of each size, asked for one size after the other within one limit of time and nodes."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from supersparse.base.errors import InfeasibleError, SolverFailedError
from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import ClaimedModels
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import step_with_l1

Solve = Callable[[Problem, SolveOptions, Monitor], Claim]


class BestOfEachSize:
    """The best model met of each size, by (F, l1): at first the constant one, and the one to start from."""

    def __init__(self, problem: Problem, monitor: Monitor) -> None:
        self._problem = problem
        self._best: dict[int, tuple[Fraction, Fraction, Points]] = {}
        for points in (completed(problem, smallest_coefficients(problem)), monitor.best):
            if points is not None:
                self.offer(points)

    def offer(self, points: Points) -> None:
        evaluation = evaluate(self._problem, points)
        if self._problem.max_features is not None and evaluation.size > self._problem.max_features:
            return
        known = self._best.get(evaluation.size)
        if known is None or (evaluation.objective, evaluation.l1) < known[:2]:
            self._best[evaluation.size] = (evaluation.objective, evaluation.l1, points)

    def offer_all(self, claim: Claim) -> None:
        """Keep what was met on the way to a claim, too: models of other sizes are among it."""
        for event in claim.trace.incumbents:
            assert event.points is not None, "an incumbent is a model"
            self.offer(event.points)
        self.offer(claim.points)

    @property
    def models(self) -> tuple[Points, ...]:
        """One model of each size that has one, smallest size first."""
        return tuple(self._best[size][2] for size in sorted(self._best))


class SizeBySize:
    """Asks for one size after the other; the limits of the monitor hold for all questions together.

    A question takes at most half of what the limits leave, so that smaller sizes, which are easier, have
    their turn when a large one is too hard to prove.
    """

    def __init__(self, problem: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> None:
        self.problem = problem
        self.known = BestOfEachSize(problem, monitor)
        self.stop: Stop | None = None  # the limit that left a size open
        self._options, self._monitor, self._solve = options, monitor, solve

    @property
    def is_over(self) -> bool:
        """Whether a limit of the whole run is reached."""
        reason = self._monitor.stop_reason()
        self.stop = reason or self.stop
        return reason is not None

    def ask(self, question: Problem, *, is_last: bool) -> Claim | None:
        """Solve one size; None if a limit came before its first model. Raises where no model obeys."""
        question.check_feasible()  # sets without 0 need room
        among = 1 if is_last else 2
        seconds, nodes = self._monitor.seconds_left, self._nodes_left

        def cancel() -> bool:
            used_up = nodes is not None and its_monitor.nodes * among >= nodes
            reason = self._monitor.stop_reason() or (Stop.NODE_LIMIT if used_up else None)
            self.stop = reason or self.stop
            return reason is not None

        options = replace(
            self._options,
            time_limit=None if seconds is None else seconds / among,
            node_limit=None,  # it is watched here: a solver with such a limit would wait for its compiler
            gap=0.0,
            absolute_gap=0.0,
            initial=None,
            checkpoint=None,
            on_progress=None,
            cancel=cancel,
        )
        its_monitor = Monitor(question, options, lambda points: points)
        try:
            claim = self._solve(question, options, its_monitor)
        except SolverFailedError as error:
            reason = its_monitor.stop_reason()
            if reason is None and not error.interrupted:
                raise
            self._note(reason)
            return None
        finally:
            self._monitor.nodes += its_monitor.nodes
        self._note(claim.stop)
        self.known.offer_all(claim)
        self._monitor.incumbent(claim.points)
        return claim

    @property
    def _nodes_left(self) -> int | None:
        limit = self._options.node_limit
        return None if limit is None else max(0, limit - self._monitor.nodes)

    def _note(self, reason: Stop | None) -> None:
        """Keep why a size was left open; what cancelled it is noted where that is seen."""
        if reason is not None and not reason.is_complete and reason is not Stop.INTERRUPTED:
            self.stop = reason


def best_per_size(problem: Problem, options: SolveOptions, monitor: Monitor, solve: Solve) -> ClaimedModels:
    """Ask for one size after the other, largest first; the monitor's limits hold for all of them together.

    Where every model of one size pays the same for it, a question is about at most that size, and sizes that
    its answer does not use are skipped: they are no better. Otherwise it is about exactly that size.
    """
    most = problem.n_features + problem.intercept.is_penalised
    if problem.max_features is not None:
        most = min(most, problem.max_features)
    costs = {*problem.C0, *([problem.intercept_C0] if problem.intercept.is_penalised else [])}
    alike, is_exact = not problem.has_levels and len(costs) <= 1, loss_of(problem).proves_smallest
    price = max(costs, default=Fraction(0)) if alike else Fraction(0)
    tiny = _tie_break(problem, most) if alike and is_exact else Fraction(0)
    bounds: list[Fraction | None] = [Fraction(0)] * (most + 1)
    sizes = SizeBySize(problem, options, monitor, solve)
    smallest: set[int] = set()
    complete, size = is_exact, most
    while size >= 0:
        if sizes.is_over:
            complete = False
            break
        question = _at_most(problem, size, tiny) if alike else _exactly(problem, size)
        try:
            claim = sizes.ask(question, is_last=size == 0)
        except InfeasibleError:
            first = 0 if alike else size  # no model with fewer features obeys either
            bounds[first : size + 1] = [None] * (size + 1 - first)
            size = first - 1
            continue
        if claim is None:
            complete = False
            size -= 1
            continue
        evaluation = evaluate(question, claim.points)
        bound = min(claim.lower_bound, evaluation.objective)
        is_proven = bound == evaluation.objective if is_exact else claim.stop.is_complete
        # if alike, the bound also holds for all smaller sizes, and leaves out their price
        for s in range(0 if alike else size, size + 1):
            paid = tiny * (evaluation.size if is_proven and s >= evaluation.size else s)
            bounds[s] = max(bounds[s] or Fraction(0), max(Fraction(0), bound - paid) + price * s)
        complete = complete and is_proven and claim.smallest
        if is_proven and claim.smallest:
            smallest.add(evaluation.size)
        size = (evaluation.size if alike and is_proven else size) - 1
    return ClaimedModels(
        models=sizes.known.models,
        complete=complete,
        bounds=tuple(bounds),
        smallest=frozenset(smallest),
        stop=sizes.stop or (None if is_exact else Stop.OPTIMAL),
    )


def _tie_break(problem: Problem, most: int) -> Fraction:
    """A C0 so small that errors and C1 come first: size only breaks ties between them."""
    free = replace(problem, C0=(Fraction(0),) * problem.n_features, intercept_C0=Fraction(0))
    return step_with_l1(free) / (2 * (most + 1))


def _at_most(problem: Problem, size: int, C0: Fraction) -> Problem:
    of_intercept = C0 if problem.intercept.is_penalised else Fraction(0)
    return replace(problem, C0=(C0,) * problem.n_features, intercept_C0=of_intercept, max_features=size)


def _exactly(problem: Problem, size: int) -> Problem:
    at_least = MinFeatures(least=size).limits(problem.rows, counts_intercept=problem.intercept.is_penalised)
    return replace(problem, support_limits=(*problem.support_limits, *at_least), max_features=size)

"""The exact solver for the log loss: a search for a first card, then the proof, in slices."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import comb, gcd
from typing import Any, ClassVar

import numpy as np

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.exact import shown
from supersparse.base.integer_arrays import Ints
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.checkpoint import check_place
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.proving.proof import Proof
from supersparse.engine.proving.run import Run, list_all, run_to_the_end
from supersparse.engine.proving.sizes import best_per_size
from supersparse.engine.risk.choices import Choices, choices_of
from supersparse.engine.risk.instance import copy_best, new_best, risk_instance
from supersparse.engine.risk.kernels import BOXES
from supersparse.engine.risk.node import FORMAT, Node, read_tree, root_of, written_tree
from supersparse.engine.risk.search import first_cards
from supersparse.engine.risk.tree import RiskTree, coefficients_of
from supersparse.engine.risk.worker import SLICE
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.problem.log_loss import log_loss, slope_of, with_best_risk
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import completed, evaluate, obeys_without_intercept, total_penalty
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

_PENALTY_ROUNDING = Fraction(1, 10**13)  # penalties are exact in the problem and rounded in the tree, ...
_ROUNDING = Fraction(1, 2**53)  # ... each of them and each sum by this share of it
_LARGEST_PENALTY = 1000  # times the largest loss: added to more, a double does not hold a loss to 1e-9
_ROOM = 16  # cards that a kernel may find before they are judged exactly
_HARD = 10**10  # supports: it pays to search for cards in two ways
_PULLS = (1.0, 25.0)  # what breaking limits on rates costs in the search: more if no card was found


class RiskSolver:
    """Branch and bound over supports, with cells, relaxations and boxes of points.

    It proves that no allowed card is better by more than 1e-9.
    """

    name: ClassVar[str] = "risk"
    capabilities: ClassVar[Capabilities] = Capabilities(
        questions=frozenset(Aim),
        levels=True,
        constraints=frozenset({SUPPORT, SIGNS, RATES, SCORE}),
        wants_start=False,
        checkpoints=True,
        goals=frozenset({"risk"}),
        uses_executors=True,
    )

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Refuse sets and penalties that are too large, and a checkpoint that could not be written later."""
        check_place(options.checkpoint)
        _check_penalties(problem, choices_of(problem))

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        return run_to_the_end(lambda: RiskRun(problem, options, monitor), options)

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        return best_per_size(problem, options, monitor, self.solve)

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        return all_within(problem, epsilon, options, monitor, self.solve)


class RiskRun(Run[Node]):
    """One solve: the tree, and what of it was reported.

    With limits on rates, the kernels only exclude cards that break them for certain. Others are judged here,
    exactly, and the kernels learn of those that obey.
    """

    report_every = SLICE
    alone_before_executor = 4 * SLICE  # some hundred milliseconds
    soon = 2 * SLICE  # work of a proof that is tried before the search is done

    def __init__(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> None:
        self.instance = risk_instance(problem, slope_is_free=problem.slope == "free")
        self.tree = RiskTree(self.instance, self._judge, _ROOM if problem.rate_limits else 0)
        super().__init__(problem, options, monitor, Proof(self.tree), FORMAT)
        self._judged: dict[tuple[int, ...], bool] = {}  # whether the card obeys all limits
        self._reported = np.inf

    def begin(self) -> None:
        if self.monitor.best is not None:
            self._offer(self.monitor.best.over(self.problem.unit).coefficients)
        saved = self.checkpoint.load(partial(read_tree, problem=self.problem, instance=self.instance))
        if saved is not None:
            self._offer(saved.coefficients)
            self.report()
            self.monitor.bound(saved.lower_bound)
            self.tree.resume(saved.floor)
            self.proof.begin(saved.nodes)
            return
        if not self.instance.forced.any():
            self._offer((0,) * self.problem.n_features)
        self._search()
        self.report()
        if not self.proof.has_begun:
            self.proof.begin()

    def _search(self) -> None:
        """Look for good cards; where rates are limited, by loss and what is broken together."""
        tree, instance, worker = self.tree, self.instance, self.tree.first.worker

        def should_stop() -> bool:
            tree.settle()
            if tree.best.value[0] < self._reported:
                self.report()
            return self.monitor.stop_reason() is not None

        if worker.has_tree and not self.problem.rate_limits:
            while worker.find_cards(tree.best) and not should_stop():
                pass
            if comb(len(instance.kept), instance.most_features) > _HARD:
                first_cards(instance, worker.support, tree.best, should_stop)
            if not should_stop():
                self._choose_points()
            return
        if not self.problem.rate_limits:
            first_cards(instance, worker.support, tree.best, should_stop, self._is_soon_proven)
            if not should_stop() and (self.proof.is_open or not self.proof.has_begun):
                self._choose_points()
            return
        for pull in _PULLS:
            pulled = replace(instance, data=instance.data._replace(pull=pull))
            first_cards(pulled, worker.support, new_best(instance), should_stop)
            tree.settle()
            if np.isfinite(tree.best.value[0]):
                return

    def _is_soon_proven(self) -> bool:
        """Whether little work proves the best card so far; what is done of the proof is kept.

        Not with a limit on nodes, of which the search has none.
        """
        if self.options.node_limit is not None:
            return False
        self.report()
        self.proof.begin()
        self.prove_here(self.work + self.soon)
        self.proof.let_go()
        return not self.proof.is_open

    def _choose_points(self) -> None:
        """Look for the best points on the features of the best card, for one slice of work."""
        tree, worker, best = self.tree, self.tree.first.worker, self.tree.best
        used = best.index != self.instance.data.zero
        if not used.any():
            return
        copy_best(best, worker.best)
        boxes = int(worker.support.counts[BOXES])
        root = root_of(self.instance, float(best.fit[0]), float(best.fit[1]), best.index)
        worker.visit(replace(root, status=np.where(used, 1, -1).astype(np.int8)), is_root=False)
        worker.drop()
        worker.support.counts[BOXES] = boxes  # a part of the search, not of the proof
        tree.settle()

    def _judge(self, columns: Ints, index: Ints, bound: float) -> None:
        """Offer a card; the proof must exclude all that it could cost less than it was found to cost here."""
        problem = self.problem
        if self._offer(coefficients_of(self.instance, problem.n_features, problem.unit, columns, index)):
            self.tree.leave_open(bound)

    def _offer(self, coefficients: tuple[int, ...]) -> bool:
        """Evaluate a card exactly, and make it the tree's best if it is; whether it obeys all limits."""
        if coefficients in self._judged:
            return self._judged[coefficients]
        points = completed(self.problem, coefficients)
        self._judged[coefficients] = points is not None
        if points is None:
            return False
        instance, values = self.instance, points.values
        value = float(evaluate(self.problem, points).objective - instance.base_penalty)
        of_columns = [values[j] for j in instance.kept]
        index = np.array([of.index(v) for of, v in zip(instance.values, of_columns, strict=True)], np.int64)
        moved = sum((v * shift for v, shift in zip(of_columns, instance.shift, strict=True)), Fraction(0))
        slope = slope_of(points)
        self.tree.accept(value, index, float(slope), float(slope * (points.intercept_value + moved)))
        return True

    @property
    def work(self) -> int:
        """The work of the kernels, that of the search included."""
        return self.tree.work

    @property
    def nodes(self) -> int:
        """Nodes, boxes and supports looked at."""
        return self.tree.count

    @property
    def is_report_due(self) -> bool:
        """At once for a better card."""
        return bool(self.tree.best.value[0] < self._reported) or super().is_report_due

    def report(self) -> None:
        self.monitor.nodes = self.nodes
        value, index, bound = self.tree.state(self.proof)
        if value < self._reported:
            self._reported = value
            self.monitor.incumbent(self._points(index))
        if np.isfinite(bound) and np.isfinite(value):
            terms = 2 * self.instance.most_features + 8  # penalties, sums of them, and the loss
            rounding = max(_PENALTY_ROUNDING, terms * _ROUNDING * Fraction(abs(value)))
            self.monitor.bound(max(Fraction(bound) - rounding, Fraction(0)) + self.instance.base_penalty)

    def _points(self, index: Ints) -> Points | None:
        """A card in the problem's unit; in lowest terms where a free slope and the sets allow it."""
        problem = self.problem
        columns = np.arange(len(self.instance.kept))
        coefficients = coefficients_of(self.instance, problem.n_features, problem.unit, columns, index)
        shared = gcd(*coefficients)
        if problem.slope != "free" or shared < 2:
            return completed(problem, coefficients)
        divided = [
            tuple(c // divisor for c in coefficients) for divisor in range(1, shared + 1) if shared % divisor == 0
        ]
        allowed = sorted((one for one in divided if _is_allowed(problem, one)), key=partial(cost_of, problem))
        return next((points for one in allowed if (points := completed(problem, one)) is not None), None)

    def saved(self) -> dict[str, Any] | None:
        # nodes first: a card that a thread finds meanwhile may then be found twice, never lost
        nodes, floor = self.proof.open_parts(), self.tree.floor
        self.report()
        best, bound = self.monitor.best, self.monitor.lower_bound
        return None if best is None else written_tree(best.coefficients, bound, floor, nodes)


def _check_penalties(problem: Problem, choices: Choices) -> None:
    """Refuse penalties so large that no loss counts, where every card pays one: which, depends on the card."""
    if choices.forced.any() or not len(choices.kept):
        return
    least = int(choices.least_cost.argmin())
    price = float(choices.least_cost[least])
    if price <= _LARGEST_PENALTY or completed(problem, (0,) * problem.n_features) is not None:
        return
    loss = float(log_loss(problem, with_best_risk(problem, (0,) * problem.n_features)))
    most = Fraction(_LARGEST_PENALTY) * max(1, round(loss))
    if price > most:
        name = problem.rows.names[choices.kept[least]]
        raise UnsupportedProblemError(
            f"no card without features obeys the constraints, and feature {name!r} costs {price:.3g}, the "
            "others as much or more",
            "next to such a penalty, log losses cannot be distinguished to 1e-9: give penalties of at most "
            f"{shown(most)}, which already mean as few features as possible, or name the features with must_use",
        )


def _is_allowed(problem: Problem, coefficients: tuple[int, ...]) -> bool:
    return all(
        not c or Fraction(c, problem.unit) in values for c, values in zip(coefficients, problem.sets, strict=True)
    ) and obeys_without_intercept(problem, coefficients)


_ROOM_OF_LIST = 4096  # cards listed by one call of the kernels
_ROUNDING_OF_LIST = 1e-12
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
    limit = (1 + epsilon) * best + loss_of(problem).tolerance
    cards = _Cards(problem)
    cards.add(claim.points.coefficients)
    complete = loss_of(problem).proves(best, claim.lower_bound) and _list(problem, limit, options, monitor, cards)
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

    tree = RiskTree(instance, listed, _ROOM_OF_LIST)
    allowed = float(min(limit, _NO_LIMIT) - instance.base_penalty)
    rounding = max(_ROUNDING_OF_LIST, (2 * instance.most_features + 8) * _ROUNDING * allowed)
    tree.best.value[0] = allowed + rounding + instance.data.tolerance
    return list_all(Proof(tree), options, monitor, lambda: tree.count)

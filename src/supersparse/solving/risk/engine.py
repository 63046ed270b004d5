"""The exact solver for the log loss: a search for a first card, then the proof, in slices."""

from fractions import Fraction
from functools import partial
from math import gcd
from typing import ClassVar

import numpy as np

from supersparse.errors import InfeasibleError
from supersparse.problem.objective import completed, obeys_without_intercept
from supersparse.problem.problem import Problem
from supersparse.solving.contract import SCORE, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.solving.kernels.risk_boxes import offer
from supersparse.solving.kernels.risk_search import load
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.risk.instance import RiskInstance, risk_instance
from supersparse.solving.risk.listing import all_within, cost_of
from supersparse.solving.risk.search import first_cards
from supersparse.solving.risk.sizes import best_per_size
from supersparse.solving.risk.tree import SLICE, RiskTree
from supersparse.solving.solution import Claim
from supersparse.stop import Stop

_REPORT_EVERY = SLICE // 4  # work between two reports of the bound
_PENALTY_ROUNDING = Fraction(1, 10**13)  # penalties are exact in the problem and rounded in the tree


class RiskSolver:
    """Branch and bound over supports, with cells, relaxations and boxes of points.

    It proves that no allowed card is better by more than 1e-9.
    """

    name: ClassVar[str] = "risk"
    capabilities: ClassVar[Capabilities] = Capabilities(
        questions=frozenset(Aim),
        levels=True,
        constraints=frozenset({SUPPORT, SIGNS, SCORE}),
        wants_start=False,
        goals=frozenset({"risk"}),
    )

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Refuse sets that are too large."""
        risk_instance(problem, slope_is_free=problem.slope == "free")

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Prove a best card, or claim the best known one and a bound."""
        run = _Run(problem, monitor)
        run.search()
        stop = run.prove()
        if stop is None and not np.isfinite(run.tree.best.value[0]):
            asked = ", ".join(repr(constraint.in_words()) for constraint in problem.asked)
            raise InfeasibleError(
                f"no scoring system satisfies all constraints ({asked}); drop or relax a constraint"
            )
        return monitor.claim(stop=stop or Stop.OPTIMAL, smallest=False)

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        """Find the best card of each size, as far as the limits allow."""
        return best_per_size(problem, options, monitor, self.solve)

    def all_within(
        self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor
    ) -> ClaimedModels:
        """List every card within a factor of the least loss, as far as the limits allow."""
        return all_within(problem, epsilon, options, monitor, self.solve)


class _Run:
    """One solve: the tree, and what of it was reported."""

    def __init__(self, problem: Problem, monitor: Monitor) -> None:
        self.problem, self.monitor = problem, monitor
        self.instance = risk_instance(problem, slope_is_free=problem.slope == "free")
        self.tree = RiskTree(self.instance)
        self._reported = np.inf
        self._report_at = 0  # work of the tree

    def search(self) -> None:
        """Find a first card, starting from the one that the monitor knows."""
        best = self.monitor.best
        index = None if best is None else _index_of(self.instance, best.values)
        if index is not None:
            columns = np.flatnonzero(index != self.instance.data.zero)
            if 0 < len(columns) <= self.instance.most_features:
                load(self.instance.data, self.tree.support, columns, len(columns))
                offer(
                    self.instance.data, self.tree.support, self.tree.best, index[columns], len(columns),
                    np.array([1.0, 0.0]), np.inf,
                )  # fmt: skip
        first_cards(self.instance, self.tree.support, self.tree.best, self._should_stop)
        self._report()

    def prove(self) -> Stop | None:
        """Run the tree; return the limit that ended it, or None when nothing is open."""
        self.tree.start()
        while self.tree.is_open:
            stop = self.monitor.stop_reason()
            if stop is not None:
                return stop
            self.tree.step()
            self.monitor.nodes = self.tree.count
            if self.tree.best.value[0] < self._reported or self.tree.work >= self._report_at:
                self._report()
        self._report()
        return None

    def _should_stop(self) -> bool:
        return self.monitor.stop_reason() is not None

    def _report(self) -> None:
        value = float(self.tree.best.value[0])
        if value < self._reported:
            self._reported = value
            self.monitor.incumbent(completed(self.problem, self._coefficients()))
        self._report_at = self.tree.work + _REPORT_EVERY
        bound = self.tree.bound
        if np.isfinite(bound) and np.isfinite(value) and bound > 0:
            self.monitor.bound(Fraction(bound) + self.instance.base_penalty - _PENALTY_ROUNDING)

    def _coefficients(self) -> tuple[int, ...]:
        """The best card in the problem's unit; in lowest terms where a free slope and the sets allow it."""
        problem, instance = self.problem, self.instance
        coefficients = [0] * problem.n_features
        for q, j in enumerate(instance.kept):
            coefficients[j] = int(instance.values[q][self.tree.best.index[q]] * problem.unit)
        shared = gcd(*coefficients)
        if problem.slope != "free" or shared < 2:
            return tuple(coefficients)
        divided = [
            tuple(c // divisor for c in coefficients)
            for divisor in range(1, shared + 1)
            if shared % divisor == 0
        ]
        return min((one for one in divided if _is_allowed(problem, one)), key=partial(cost_of, problem))


def _is_allowed(problem: Problem, coefficients: tuple[int, ...]) -> bool:
    return all(
        not c or Fraction(c, problem.unit) in own for c, own in zip(coefficients, problem.sets, strict=True)
    ) and obeys_without_intercept(problem, coefficients)


def _index_of(instance: RiskInstance, values: tuple[Fraction, ...]) -> np.ndarray | None:
    """A card as indices into the values of the kept columns; None if it uses another column."""
    if any(v and j not in instance.kept for j, v in enumerate(values)):
        return None
    return np.array([own.index(values[j]) for j, own in zip(instance.kept, instance.values, strict=True)])

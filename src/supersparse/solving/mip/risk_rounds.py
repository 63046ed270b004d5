"""The least log loss by outer approximation: solve, evaluate the cards found, add tangents, solve again.

Every card that a solver finds is evaluated by the package's own evaluator and cut off. So a bound of the
program speaks of the other cards only, and no solver has to tell losses apart that nearly tie: the best card
is proven when the bound, lowered by the solver's tolerances, is within 1e-9 of its loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from supersparse.errors import SolverFailedError, UnsupportedProblemError
from supersparse.exact import exact
from supersparse.problem.conflicts import infeasible
from supersparse.problem.log_loss import PROOF_TOLERANCE
from supersparse.problem.objective import completed
from supersparse.problem.problem import Problem
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import Precision
from supersparse.solving.mip.program import FloatArray
from supersparse.solving.mip.risk_program import RiskProgram
from supersparse.solving.mip.run import MOST_NODES, BoundReport, Outcome, Run, RunSettings, attend
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.solution import Claim
from supersparse.stop import Stop

_RIDGES = (1.0, 0.1, 0.01, 1e-3, 1e-5)  # of the regressions that give the first tangents
_EACH = 12  # columns, up to which each column alone gives one as well
_EVALUATION = Fraction(1, 10**12)  # losses on merged and on original rows are rounded differently
_EARLY_GAP = 0.1  # of what is left to prove: a round need not be exact


def risk_program(who: str, problem: Problem, options: SolveOptions, precision: Precision) -> RiskProgram:
    """Write the log loss as a program, or raise if that cannot be done."""
    if options.formulation != "bigm":
        raise UnsupportedProblemError(
            f"solver {who!r}: goal 'risk' has no {options.formulation!r} formulation; leave formulation out"
        )
    if options.pair_covers:
        raise UnsupportedProblemError(
            f"solver {who!r}: pair covers are about errors, and goal 'risk' has none; leave pair_covers out"
        )
    if problem.rate_limits:
        raise UnsupportedProblemError(
            f"solver {who!r} cannot express {problem.rate_limits[0].source.in_words()!r} with goal 'risk'; "
            "use solver='risk', or remove it"
        )
    return RiskProgram(problem, precision.tolerance, dict(options.branching_priorities))


@dataclass
class RiskRounds:
    """One solve of a problem, in rounds that share the budget of time and nodes."""

    name: str
    run: Run
    program: RiskProgram
    options: SolveOptions
    monitor: Monitor

    def __post_init__(self) -> None:
        self._seen: set[tuple[int, ...]] = set()

    def claim(self) -> Claim:
        """Go on until the best card is proven, or a limit is reached."""
        self._start()
        while not self._is_proven(self.monitor.lower_bound):
            stop = self.monitor.stop_reason()
            if stop is not None and self.monitor.best is not None:
                return self.monitor.claim(stop=stop, smallest=False)
            stop = self._round()
            if stop is not None:
                return self.monitor.claim(stop=stop, smallest=False)
        return self.monitor.claim(stop=Stop.OPTIMAL, smallest=False)

    def _start(self) -> None:
        """Tangents at regressions; the card without points, and the one that is known."""
        program, count = self.program, len(self.program.used)
        every = range(count)
        for ridge in _RIDGES:
            program.add_point(program.regression(every, ridge))
        for q in every if count <= _EACH else ():
            program.add_point(program.regression([q], _RIDGES[-1]))
        known = self.monitor.best
        if known is not None:
            self._evaluate(known.over(self._problem.unit).coefficients)
        if all(0 in own for own in self._problem.sets):
            self._evaluate((0,) * self._problem.n_features)

    @property
    def _problem(self) -> Problem:
        return self.monitor.problem

    def _round(self) -> Stop | None:
        """Solve the program as it is, and learn from the answer; the limit that ended it, if one did."""
        best = self.monitor.best_evaluation
        model = self.program.model(None if best is None else best.objective)
        found: list[FloatArray] = []
        outcome = self._call(model, found)
        if outcome.stop is None and best is None:
            raise infeasible(self._problem, proved_by=self.name)
        before = len(self._seen)
        for values in found:
            coefficients, point = self.program.read(values)
            self.program.add_point(point)
            self._evaluate(coefficients)
        if outcome.stop is None:  # every other card is worse than the best by more than the room in the model
            assert best is not None
            self._believe(best.objective)
            return None
        if self._is_proven(self.monitor.lower_bound):
            return None
        if outcome.stop is Stop.INTERRUPTED:
            return self.monitor.stop_reason() or Stop.INTERRUPTED
        if outcome.stop is not Stop.OPTIMAL:
            return outcome.stop
        if len(self._seen) == before:
            raise SolverFailedError(
                f"{self.name} finds no new card, and its bound does not prove the best one; its arithmetic "
                "fails on this data, so use another solver"
            )
        return None

    def _call(self, model: Model, found: list[FloatArray]) -> Outcome:
        monitor, options, program = self.monitor, self.options, self.program
        nodes_before = monitor.nodes
        best = monitor.best_evaluation
        left = 1.0 if best is None else float(best.objective - monitor.lower_bound)
        allowed = max(_EARLY_GAP * left, float(exact(options.absolute_gap, "absolute_gap")))
        settings = RunSettings(
            seconds=monitor.seconds_left,
            nodes=None
            if options.node_limit is None
            else max(0, min(MOST_NODES, int(options.node_limit)) - nodes_before),
            relative_gap=0.0,
            absolute_gap=allowed * program.loss_unit if left > 1e-6 else 0.0,
            threads=int(options.n_jobs),
            seed=int(options.random_state),
            start=None,
            own=dict(options.solver_options),
        )

        def hear(report: BoundReport) -> None:
            if report.nodes is not None:
                monitor.nodes = max(monitor.nodes, nodes_before + report.nodes)
            if report.values is not None:
                found.append(report.values)
            bound = None if report.bound is None else program.believable(report.bound, model)
            if bound is not None:
                self._believe(bound)

        def must_stop() -> bool:
            over = monitor.stop_reason() in (Stop.INTERRUPTED, Stop.TIME_LIMIT)
            return over or self._is_proven(monitor.lower_bound)

        outcome = attend(lambda talk: self.run(model, settings, talk), hear, must_stop)
        hear(BoundReport(values=outcome.values, bound=outcome.bound, nodes=outcome.nodes))
        return outcome

    def _believe(self, bound: Fraction) -> None:
        """Take over a bound on the cards that were not evaluated; those that were cost at least the best."""
        best = self.monitor.best_evaluation
        if best is not None:
            self.monitor.bound(min(bound, best.objective - _EVALUATION))

    def _is_proven(self, bound: Fraction) -> bool:
        best = self.monitor.best_evaluation
        return best is not None and best.objective - bound <= PROOF_TOLERANCE

    def _evaluate(self, coefficients: tuple[int, ...]) -> None:
        """Evaluate a card and cut it off, with its multiples where they give the same risks."""
        for card in self._multiples(coefficients):
            if card in self._seen:
                continue
            self._seen.add(card)
            self.program.exclude(card)
            points = completed(self._problem, card) if self._is_allowed(card) else None
            if points is not None:
                self.monitor.incumbent(points)
                self.program.add_point(self.program.point_of(points))
        used = [q for q, j in enumerate(self.program.used) if coefficients[j]]
        if used:
            self.program.add_point(self.program.regression(used, _RIDGES[-1]))

    def _is_allowed(self, card: Sequence[int]) -> bool:
        """The solver's numbers are rounded, so what it says is checked again."""
        problem = self._problem
        most = problem.max_features
        return (most is None or sum(1 for c in card if c) <= most) and all(
            Fraction(c, problem.unit) in own for c, own in zip(card, problem.sets, strict=True)
        )

    def _multiples(self, card: tuple[int, ...]) -> list[tuple[int, ...]]:
        if self._problem.slope != "free" or not any(card):
            return [card]
        least = [c // gcd(*card) for c in card]
        most = max(abs(int(v * self._problem.unit)) for own in self._problem.sets for v in own.values)
        times = range(1, most // max(map(abs, least)) + 1)
        cards = [tuple(t * c for c in least) for t in times]
        return [card, *(one for one in cards if one != card and self._is_allowed(one))]

"""The least log loss by outer approximation with HiGHS: a second way to it, for tests of the engine.

Every card that HiGHS finds is evaluated by the package's own evaluator and cut off. So a bound of the
program speaks of the other cards only, and no solver has to tell losses apart that nearly tie: the best card
is proven when the bound, lowered by the tolerances, is within 1e-9 of its loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf

import highspy
import numpy as np

from conformance.log_loss_program import Floats, MixedModel, RiskProgram
from supersparse.engine.presolve import presolve
from supersparse.problem.log_loss import PROOF_TOLERANCE
from supersparse.problem.objective import completed, evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

TOLERANCE = 1e-7
_RIDGES = (1.0, 0.1, 0.01, 1e-3, 1e-5)  # of the regressions that give the first tangents
_EACH = 12  # columns, up to which each column alone gives one as well
_EVALUATION = Fraction(1, 10**12)  # losses on merged and on original rows are rounded differently
_EARLY_GAP = 0.1  # of what is left to prove: a round need not be exact


@dataclass(frozen=True)
class LeastLogLoss:
    """The best card found, and what is proven of all others; no card at all if `points` is None."""

    points: Points | None
    objective: Fraction | None
    lower_bound: Fraction
    proven: bool


def least_log_loss(problem: Problem, *, node_limit: int | None = None) -> LeastLogLoss:
    """Go on until the best card is proven, none is found to exist, or the nodes are used up."""
    small = presolve(problem)
    found = _Rounds(small.problem, node_limit).run()
    if found.points is None:
        return found
    points = small.restore(found.points)
    return LeastLogLoss(points, evaluate(problem, points).objective, found.lower_bound, found.proven)


class _Rounds:
    def __init__(self, problem: Problem, node_limit: int | None) -> None:
        self._problem = problem
        self._nodes_left = node_limit
        self._program = RiskProgram(problem, TOLERANCE)
        self._seen: set[tuple[int, ...]] = set()
        self._best: Points | None = None
        self._objective: Fraction | None = None
        self._bound = Fraction(0)

    def run(self) -> LeastLogLoss:
        self._start()
        while not self._is_proven and self._nodes_left != 0:
            if not self._round():
                break
        return LeastLogLoss(self._best, self._objective, self._bound, self._is_proven)

    def _start(self) -> None:
        """Tangents at regressions, and the card without points."""
        program, count = self._program, len(self._program.used)
        for ridge in _RIDGES:
            program.add_point(program.regression(range(count), ridge))
        for q in range(count) if count <= _EACH else ():
            program.add_point(program.regression([q], _RIDGES[-1]))
        if all(0 in own for own in self._problem.sets):
            self._evaluate((0,) * self._problem.n_features)

    def _round(self) -> bool:
        """Solve the program as it is, and learn from the answer; whether a card is left to be found."""
        program, best = self._program, self._objective
        model = program.model(best)
        left = 1.0 if best is None else float(best - self._bound)
        gap = _EARLY_GAP * left * program.loss_unit if left > 1e-6 else 0.0
        status, found, bound, nodes = _solve(model, gap, self._nodes_left)
        if self._nodes_left is not None:
            self._nodes_left = max(0, self._nodes_left - max(1, nodes))
        before = len(self._seen)
        believed = program.believable(bound, model)
        for values in found:
            coefficients, point = program.read(values)
            program.add_point(point)
            self._evaluate(coefficients)
        if status == "kInfeasible":  # every other card is worse than the best by more than the room in the model
            if best is None:
                return False
            believed = best
        if believed is not None and self._objective is not None:
            self._bound = max(self._bound, min(believed, self._objective - _EVALUATION))
        assert len(self._seen) > before or self._is_proven or self._nodes_left == 0, "no new card, and no proof"
        return True

    @property
    def _is_proven(self) -> bool:
        return self._objective is not None and self._objective - self._bound <= PROOF_TOLERANCE

    def _evaluate(self, coefficients: tuple[int, ...]) -> None:
        """Evaluate a card and cut it off, with its multiples where they give the same risks."""
        for card in self._multiples(coefficients):
            if card in self._seen:
                continue
            self._seen.add(card)
            self._program.exclude(card)
            points = completed(self._problem, card) if self._is_allowed(card) else None
            if points is None:
                continue
            objective = evaluate(self._problem, points).objective
            if self._objective is None or objective < self._objective:
                self._best, self._objective = points, objective
            self._program.add_point(self._program.point_of(points))
        used = [q for q, j in enumerate(self._program.used) if coefficients[j]]
        if used:
            self._program.add_point(self._program.regression(used, _RIDGES[-1]))

    def _is_allowed(self, card: Sequence[int]) -> bool:
        """HiGHS's numbers are rounded, so what it says is checked again."""
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


def _solve(model: MixedModel, gap: float, nodes: int | None) -> tuple[str, list[Floats], float, int]:
    """Run HiGHS: its status, every solution that it met, its bound and its nodes."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    for name in ("mip_feasibility_tolerance", "primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs.setOptionValue(name, TOLERANCE)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", gap)
    highs.setOptionValue("threads", 1)
    if nodes is not None:
        highs.setOptionValue("mip_max_nodes", nodes)
    rows, n = model.rows, len(model.cost)
    highs.passModel(
        n,
        len(rows),
        rows.matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        model.cost_offset,
        model.cost,
        model.lower,
        model.upper,
        rows.lower,
        rows.upper,
        rows.matrix.indptr.astype(np.int32),
        rows.matrix.indices.astype(np.int32),
        rows.matrix.data,
        (np.arange(n) < n - model.n_real).astype(np.int32),  # 1: whole
    )
    found: list[Floats] = []
    highs.cbMipImprovingSolution.subscribe(lambda event: found.append(np.array(event.data_out.mip_solution)))
    highs.run()
    highs.clearCallbacks()
    status, info = highs.getModelStatus().name, highs.getInfo()
    assert status in ("kOptimal", "kInfeasible", "kSolutionLimit"), status
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        found.append(np.array(highs.getSolution().col_value))
    bound = info.mip_dual_bound if status != "kInfeasible" else -inf
    return status, found, bound, max(0, int(info.mip_node_count))

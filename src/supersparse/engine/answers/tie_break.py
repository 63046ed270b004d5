"""TieBreak: of all models within a slack of the least F, the one with the least log loss."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Unpack

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted, exact, shown
from supersparse.engine.options import SolveKeywords
from supersparse.engine.presolve import MergeRows
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve, solve_all_within
from supersparse.engine.verify import VerifiedModel
from supersparse.problem.log_loss import PROOF_TOLERANCE, log_loss, with_best_risk
from supersparse.problem.problem import Problem
from supersparse.table.small_table import Tabular


@dataclass(frozen=True, kw_only=True, repr=False)
class TieBreak(Tabular):
    """The chosen model, and the models that it was chosen from."""

    solution: Solution  # its points are the chosen ones; its bound is on F
    log_loss: Fraction  # of risks that are logistic in the total, with the best slope and intercept
    slack: Fraction
    cards: int  # compared; those whose points are multiples of one another count once
    proven: bool  # no model within the slack has a log loss smaller by more than 1e-9

    _facts = "log_loss~ cards slack~ proven"

    def __str__(self) -> str:
        state = "proven" if self.proven else "not proven: not all cards were compared"
        return (
            f"least log loss {float(self.log_loss):.6g} of {counted(self.cards, 'card')} within "
            f"{shown(self.slack)} of the least objective; {state}"
        )

    def _brief(self) -> str:
        return str(self)


def least_log_loss(
    problem: Problem, slack: float | Fraction = 0, solver: str = "auto", **options: Unpack[SolveKeywords]
) -> TieBreak:
    """Choose, of all models with F <= F* + slack, the one with the least log loss.

    The log loss of a model is that of risks 1 / (1 + exp(-(a·total + b))) with the best a > 0 and b, by
    sample and class weight. Log losses that differ by at most 1e-9 are equal; then F and the l1 decide.
    Options are those of `solve`; limits hold for each of the two searches, and the time limit for the whole:
    the search for all models gets half of what the first leaves, since comparing them takes as long. If one
    is reached, the best of what was compared is returned, not proven. The same if F* is 0 and a slack
    is given: only ties are compared then, and a small C0 helps.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 1] * 2 + [0, 0, 1, 1]
    >>> print(least_log_loss(Problem.of(X, y, C0=0.1, max_points=2), 0.2, "exhaustive"))
    least log loss 0.159129 of 9 cards within 0.2 of the least objective; proven
    """
    more = exact(slack, "slack", InvalidOptionError)
    if more < 0:
        raise InvalidOptionError(f"slack is {slack}, which is negative", "give 0 or more, such as 0.01")
    limit = options.get("time_limit")
    ends = None if limit is None else time.monotonic() + limit
    best = solve(problem, solver, **options)
    model = VerifiedModel(points=best.points, evaluation=best.evaluation)
    if not best.proven_optimal:
        return _chosen(best, [model], more, complete=False)
    left: SolveKeywords = {**options, "initial": best.points, "checkpoint": None}
    if ends is not None:
        left["time_limit"] = max(0.0, ends - time.monotonic()) / 2
    # nothing but ties is within a factor of 0
    factor = more / best.objective if best.objective else Fraction(0)
    models = solve_all_within(problem, factor, solver, **left)
    reaches_all = best.objective > 0 or not more
    return _chosen(best, [model, *models.models], more, complete=models.complete and reaches_all, ends=ends)


def _chosen(
    best: Solution, models: Iterable[VerifiedModel], slack: Fraction, *, complete: bool, ends: float | None = None
) -> TieBreak:
    """Compare the models, those of the least F first, until the time ends; at least one."""
    merged = MergeRows.apply(best.problem)
    by_direction: dict[tuple[int, ...], VerifiedModel] = {}
    for model in models:
        coefficients = model.points.over(best.problem.unit).coefficients
        shared = max(1, gcd(*coefficients))
        direction = tuple(c // shared for c in coefficients)
        known = by_direction.get(direction)
        if known is None or _rank(model) < _rank(known):
            by_direction[direction] = model
    losses: dict[tuple[int, ...], Fraction] = {}
    for direction in sorted(by_direction, key=lambda one: _rank(by_direction[one])):
        if losses and _is_over(ends):
            complete = False
            break
        losses[direction] = loss_of(merged, direction)
    least = min(losses.values())
    equal = [direction for direction, loss in losses.items() if loss <= least + PROOF_TOLERANCE]
    direction = min(equal, key=lambda one: _rank(by_direction[one]))
    model = by_direction[direction]
    solution = best
    if model.points != best.points:
        solution = replace(best, points=model.points, evaluation=model.evaluation, smallest=False)
    return TieBreak(solution=solution, log_loss=losses[direction], slack=slack, cards=len(losses), proven=complete)


def _is_over(ends: float | None) -> bool:
    return ends is not None and time.monotonic() >= ends


def loss_of(problem: Problem, coefficients: tuple[int, ...]) -> Fraction:
    """The least log loss of risks that are logistic in the total; constant columns only shift the total."""
    if not all(weight * total for weight, total in zip(problem.class_weights, problem.class_totals, strict=True)):
        return Fraction(0)  # only one class counts
    varying = [
        c if (column != column[0]).any() else 0 for c, column in zip(coefficients, problem.rows.columns, strict=True)
    ]
    return log_loss(problem, with_best_risk(problem, varying))


def _rank(model: VerifiedModel) -> tuple[Fraction, Fraction, tuple[int, ...]]:
    return model.evaluation.objective, model.evaluation.l1, model.points.coefficients

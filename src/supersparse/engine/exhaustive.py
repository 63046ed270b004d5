"""Exhaustive search over all coefficient vectors: the reference for testing all solvers."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product, zip_longest
from typing import ClassVar

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.stop import Stop
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities, ClaimedModels
from supersparse.problem.conflicts import infeasible
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.limits import SupportLimit
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import (
    InterceptCosts,
    evaluate,
    obeys_without_intercept,
    violated,
    with_answers,
    with_best_intercept,
)
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

MOST_VECTORS = 50_000_000
_INTERCEPT = MinFeatures(least=0)  # no constraint of the user: this file adds its own limits on b


class ExhaustiveSolver:
    """Evaluates every vector with the package's evaluator; for tiny problems only."""

    name: ClassVar[str] = "exhaustive"
    capabilities: ClassVar[Capabilities] = Capabilities(
        questions=frozenset(Aim),
        wants_start=False,
        asks=True,
        levels=True,
        constraints=frozenset({SUPPORT, SIGNS, RATES, SCORE}),
    )

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Return the best of all vectors; a node is one vector."""
        _refuse_large(problem)
        for points in _all_points(problem):
            monitor.incumbent(points)
            monitor.nodes += 1
            stop = monitor.stop_reason()
            if stop is not None:
                return monitor.claim(stop=stop, smallest=False)
        _require_some(problem, monitor.best)
        assert monitor.best_evaluation is not None
        monitor.bound(monitor.best_evaluation.objective)
        return monitor.claim(stop=Stop.OPTIMAL, smallest=True)

    def best_per_size(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        _refuse_large(problem)
        best: dict[int, tuple[Fraction, Fraction, Points]] = {}
        variants = [_all_points(variant) for variant in _by_intercept(problem)]
        for same_coefficients in zip(*variants, strict=True):
            for points in same_coefficients:
                if points is not None:
                    evaluation = evaluate(problem, points)
                    known = best.get(evaluation.size)
                    if known is None or (evaluation.objective, evaluation.l1) < known[:2]:
                        best[evaluation.size] = (evaluation.objective, evaluation.l1, points)
            if _over(monitor):
                break
        models = tuple(best[size][2] for size in sorted(best))
        return _claimed(problem, models, monitor)

    def all_within(self, problem: Problem, epsilon: Fraction, options: SolveOptions, monitor: Monitor) -> ClaimedModels:
        _refuse_large(problem)
        priced = []
        for points in _all_points(problem):
            if points is not None:
                priced.append((evaluate(problem, points).objective, points))
            if _over(monitor):
                break
        limit = (1 + epsilon) * min((objective for objective, _ in priced), default=Fraction(0))
        models = tuple(p for objective, p in priced if objective <= limit)
        return _claimed(problem, models, monitor)


def _over(monitor: Monitor) -> bool:
    """Count one vector and return whether a limit is reached."""
    monitor.nodes += 1
    return monitor.stop_reason() is not None


def _claimed(problem: Problem, models: tuple[Points, ...], monitor: Monitor) -> ClaimedModels:
    complete = monitor.stop_reason() is None
    if complete:
        _require_some(problem, models[0] if models else None)
    return ClaimedModels(models=models, complete=complete)


def _all_points(problem: Problem) -> Iterator[Points | None]:
    """Every λ of allowed size with its best intercept, small coefficients first; None if not allowed."""
    if problem.questions:
        yield from _all_answers(problem)
        return
    unit = problem.unit
    choices = [sorted((int(v * unit) for v in s.values), key=lambda v: (abs(v), v)) for s in problem.sets]
    limit = problem.max_features
    costs = InterceptCosts.of(problem) if loss_of(problem).counts_rows else None
    for coefficients in product(*choices):
        if limit is None or sum(1 for c in coefficients if c) <= limit:
            obeys = obeys_without_intercept(problem, coefficients)
            yield with_best_intercept(problem, coefficients, costs) if obeys else None


def _all_answers(problem: Problem) -> Iterator[Points | None]:
    """Every card of questions of allowed size, with its best slope and offset; None if not allowed."""
    choices = []
    for question in problem.questions:
        every = product(question.points, repeat=question.answers)
        choices.append([chosen for chosen in every if not any(chosen) or question.admits(chosen)])
    for answers in product(*choices):
        if problem.max_features is None or sum(map(any, answers)) <= problem.max_features:
            points = with_answers(problem, answers)
            yield None if violated(problem, points) else points


def _by_intercept(problem: Problem) -> list[Problem]:
    """The problem; if b counts towards the size, once with b = 0 and once with b != 0."""
    if not problem.intercept.is_penalised:
        return [problem]
    nothing = (0,) * problem.n_features
    return [
        replace(
            problem,
            support_limits=(
                *problem.support_limits,
                SupportLimit(weights=nothing, at_most=Fraction(most), source=_INTERCEPT, intercept_weight=weight),
            ),
        )
        for weight, most in ((1, 0), (-1, -1))
    ]


def _refuse_large(problem: Problem) -> None:
    vectors = 1
    for s, question in zip_longest(problem.sets, problem.questions):
        vectors *= len(s) ** (1 if question is None else question.answers)
    if vectors > MOST_VECTORS:
        raise UnsupportedProblemError(
            f"exhaustive: {Decimal(vectors):.2e} coefficient vectors are too many to try",
            "use another solver or smaller sets",
        )


def _require_some(problem: Problem, points: Points | None) -> None:
    if points is None:
        raise infeasible(problem)

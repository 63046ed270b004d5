"""trade_off: sensitivity against specificity, by sweeping the class weights (appendix B)."""

import warnings
from collections.abc import Iterable
from fractions import Fraction

from supersparse.decimals import exact
from supersparse.errors import InvalidOptionError, PenaltyRangeWarning
from supersparse.problem.objective import evaluate
from supersparse.problem.penalty_range import warn_about_penalties
from supersparse.problem.problem import Problem
from supersparse.problem.variants import with_class_weights
from supersparse.solution.solution import Solution
from supersparse.solution.trade_off import TradeOff, TradeOffPoint
from supersparse.solving.solve import solve

_DOUBLINGS = 4


def trade_off(
    problem: Problem,
    ratios: Iterable[float | Fraction] | None = None,
    solver: str = "auto",
    **options: object,
) -> TradeOff:
    """Solve the problem for several ratios W+/W-; the weights add up to 2, as without weights.

    Without `ratios` they run from 1/16 to 16 times the balanced one, N-/N+, doubling, with 1 among them. Each
    solve starts from the best model that others have found. Options are those of `solve`; its
    limits hold for each ratio.

    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> problem = Problem.of(X, y, C0=0.17, max_coef=2)
    >>> print(trade_off(problem, [0.25, 0.5, 2, 4], "exhaustive"))
    W+/W-             sensitivity  specificity  errors  size  proven
    0.25                   0.0000       1.0000       3     0  yes
    0.5                    0.6667       1.0000       1     1  yes
    2                      1.0000       0.6667       1     1  yes
    4                      1.0000       0.0000       3     0  yes
    """
    values = default_ratios(problem) if ratios is None else _read(ratios)
    warn_about_penalties(problem)
    found: dict[Fraction, Solution] = {}
    with warnings.catch_warnings():
        # at the ends of the sweep one class weighs next to nothing: that is no mistake
        warnings.simplefilter("ignore", PenaltyRangeWarning)
        for ratio in values:
            weighted = with_class_weights(problem, 2 / (1 + ratio), 2 * ratio / (1 + ratio))
            known = [evaluate(weighted, s.points).objective for s in found.values()]
            start = min(zip(known, found.values(), strict=True), key=lambda pair: pair[0], default=None)
            initial = None if start is None else start[1].points
            found[ratio] = solve(weighted, solver, **{"initial": initial, **options})
    return TradeOff(points=_distinct(found))


def default_ratios(problem: Problem) -> list[Fraction]:
    """The balanced ratio, doubled and halved a few times, and 1.

    >>> [str(r) for r in default_ratios(Problem.of([[0], [1], [1]], [0, 1, 1]))][3:6]
    ['1/4', '1/2', '1']
    """
    negative, positive = problem.class_totals
    balanced = negative / positive
    around = {balanced * Fraction(2) ** k for k in range(-_DOUBLINGS, _DOUBLINGS + 1)}
    return sorted({*around, Fraction(1)})


def _read(ratios: Iterable[float | Fraction]) -> list[Fraction]:
    values = sorted({exact(ratio, "a ratio W+/W-", InvalidOptionError) for ratio in ratios})
    if not values or values[0] <= 0:
        raise InvalidOptionError("ratios: give at least one ratio W+/W-, all above 0")
    return values


def _distinct(found: dict[Fraction, Solution]) -> tuple[TradeOffPoint, ...]:
    """Put together what has the same rates; of those the fewest features, then the least l1 stand for all.

    One that is not proven comes first: what stands for several ratios must not claim more than all of them.
    """
    alike: dict[tuple[Fraction, Fraction], list[tuple[Fraction, Solution]]] = {}
    for ratio, solution in found.items():
        rates = (solution.evaluation.sensitivity, -solution.evaluation.specificity)
        alike.setdefault(rates, []).append((ratio, solution))
    return tuple(
        TradeOffPoint(
            ratios=tuple(ratio for ratio, _ in group),
            solution=min(
                (s for _, s in group),
                key=lambda s: (s.proven_optimal, s.evaluation.size, s.evaluation.l1),
            ),
        )
        for _, group in sorted(alike.items())
    )

"""How many features the best card can have: each of them has its price, and a card without any is at hand.

**Theorem.** Using feature j adds at least c_j to F, where c_j is the least of penalty(v) - penalty(0) +
C1·|v| over its nonzero values v; in the plain case c_j = C0. Let P be the penalty of all coefficients at 0,
B a number that no loss is below, and K the cost of any allowed card. Every card that costs at most K, and
so every optimum, uses a set S of features with

    Σ_{j in S} c_j <= K - P - B.

So it has at most k features, where k is the largest number whose k least c_j add up to no more than that:
with one C0 and C1 = "auto", k = floor((K - B)/C0).

*Proof.* F is the loss, plus P, plus penalty(λ_j) - penalty(0) + C1·|λ_j| for each j in S, plus what b
costs. This is at least B + P + Σ_{j in S} c_j, and at most K. The c_j of any m > k features add up to at
least the m least ones, which by the choice of k is more than K - P - B. ∎

**Corollary.** Let the class weights be equal, W, and b have no price. Whatever the rows are, no optimum has
more than W/C0 features, and none more than W/(2·C0) if b can have both signs. *Proof.* At worst a card
without features is wrong on every row: K <= W. With b of the sign of the commoner class only the other class
is wrong, at most half of all rows: K <= W/2. And B >= 0. ∎

Both limits are attained for every k. Divide the rows into k equal blocks, half of each positive, and let
feature j be y_i in block j and 0 elsewhere. A card with m of the features is right in m blocks, and
elsewhere on the half that has the sign of b, or nowhere if b = 0. So it costs 1/2 - m/(2k) + m·C0, or 1 -
m/k + m·C0: with C0 = 1/(2k), or 1/k, all of these are equal, and using all k features is optimal too.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from supersparse.base.errors import InvalidOptionError
from supersparse.problem.objective import completed, evaluate, violated
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem
from supersparse.problem.theory.space import declared_sets

_ZERO = Fraction(0)


def size_limit(problem: Problem, known: Points | None = None) -> int:
    """Return the largest size that a card of least F can have on these rows, proven without a search.

    K is the cost of the best card without features, or of a `known` one if that is lower, and B what equal
    rows of both classes cost every card. The intercept of ``intercept="paper"`` counts as it does in the
    size.

    >>> problem = Problem.of([[0, 1], [1, 1], [0, 0], [1, 0]] * 5, [1, 1, 0, 0] * 5, C0=0.3, max_points=1)
    >>> size_limit(problem)  # without features: half the rows wrong, 1/2 < 2·0.3
    1
    """
    costs = []
    zeros = [0] * problem.n_features
    plain = completed(problem, zeros) if all(0 in own for own in problem.sets) else None
    for card in (plain, known):
        if card is not None:
            _check(problem, card)
            costs.append(evaluate(problem, card).objective)
    if not costs:
        raise InvalidOptionError(
            "the constraints allow no card without features, so its cost does not limit others",
            "give known=, the points of any card that satisfies them",
        )
    return _most(problem, problem.sets, min(costs) - _penalty_at_zero(problem) - _least_loss(problem))


def size_limit_of_any_rows(problem: Problem) -> int | None:
    """Return the largest size that an optimum can have whatever the rows are, by the corollary.

    It depends on the settings alone, so a union bound may count only the cards within it. None where
    nothing is known without rows: for goal "risk", unequal class weights, and constraints that a card
    without features may break.

    >>> X, y = [[0, 1, 2, 0], [1, 1, 0, 0]], [0, 1]
    >>> size_limit_of_any_rows(Problem.of(X, y, C0=0.2))  # 1/(2·C0)
    2
    >>> size_limit_of_any_rows(Problem.of(X, y, C0=0.3, intercept="none"))  # 1/C0
    3
    """
    weight, other = problem.class_weights
    sets = declared_sets(problem)
    allowed = (
        all(0 in own for own in (*sets, *problem.sets))
        and all(limit.at_most >= 0 for limit in problem.support_limits)
        and all(limit.at_most >= 0 for limit in problem.score_limits)
        and not problem.rate_limits
    )
    if problem.goal == "risk" or weight != other or not allowed:
        return None
    of_sign = _price_of_both_signs(problem)
    slack = [] if of_sign is None else [weight / 2 + of_sign]
    if problem.intercept.allowed is None or 0 in problem.intercept.allowed:
        slack.append(weight)
    return _most(problem, sets, min(slack)) if slack else None


def _check(problem: Problem, card: Points) -> None:
    if len(card.coefficients) != problem.n_features:
        raise InvalidOptionError(
            f"known has {len(card.coefficients)} coefficients for {problem.n_features} features",
            "give the points of a card of this problem",
        )
    broken = violated(problem, card)
    allowed = all(value in own for value, own in zip(card.values, problem.sets, strict=True))
    if broken or not allowed:
        why = broken[0].in_words() if broken else "the sets of points"
        raise InvalidOptionError(f"known breaks {why}", "give the points of a card that the problem allows")


def _penalty_at_zero(problem: Problem) -> Fraction:
    own = (*problem.levels, problem.intercept_levels if problem.intercept.is_penalised else None)
    return sum((levels.penalty(_ZERO) for levels in own if levels is not None), _ZERO)


def _most(problem: Problem, sets: Sequence[CoefficientSet], slack: Fraction) -> int:
    """The largest number of features, and b where it counts as one, whose least c_j fit into `slack`."""
    C1 = problem.C1 or _ZERO
    kinds = Counter(zip(sets, problem.levels, problem.C0, strict=True))
    if problem.intercept.allowed is not None:
        kinds[(problem.intercept.allowed, problem.intercept_levels, problem.intercept_C0)] += 1
    prices: list[Fraction] = []
    for (values, levels, C0), count in kinds.items():
        price = _price(values, levels, C0, C1)
        prices += [] if price is None else [price] * count
    sums = accumulate(sorted(prices))
    most = max((count for count, total in enumerate(sums, start=1) if total <= slack), default=0)
    return most if problem.max_features is None else min(most, problem.max_features)


def _price(values: CoefficientSet, levels: Levels | None, C0: Fraction, C1: Fraction, sign: int = 0) -> Fraction | None:
    """c_j: the least that a nonzero value adds, of one sign if asked; None if there is no such value."""
    listed = values.around_zero if levels is None else values
    nonzero = [v for v in listed if v and v * sign >= 0]
    if levels is None:
        return min((C0 + C1 * abs(v) for v in nonzero), default=None)
    at_zero = levels.penalty(_ZERO)
    return min((levels.penalty(v) - at_zero + C1 * abs(v) for v in nonzero), default=None)


def _price_of_both_signs(problem: Problem) -> Fraction | None:
    """The most that b of either sign adds to λ = 0; None if one of the signs may not be allowed."""
    rule = problem.intercept
    if rule.mode == "free":
        return _ZERO
    if rule.low is not None and rule.high is not None:
        return _ZERO if rule.low <= -1 and rule.high >= 1 else None  # whole, so a multiple of any unit
    forbidden = any(limit.intercept_weight > limit.at_most for limit in problem.support_limits)
    if rule.allowed is None or problem.max_features == 0 or forbidden:
        return None
    of_signs = [
        _price(rule.allowed, problem.intercept_levels, problem.intercept_C0, problem.C1 or _ZERO, sign)
        for sign in (-1, 1)
    ]
    return None if None in of_signs else max(price for price in of_signs if price is not None)


def _least_loss(problem: Problem) -> Fraction:
    """B: among rows that are equal in every usable column, one class is wrong.

    It holds for the log loss too, where weights p <= q of the two classes lose at least 2·p·log 2.
    """
    rows = problem.rows
    usable = [c.tolist() for c, own in zip(rows.columns, problem.sets, strict=True) if own.largest_magnitude]
    alike: dict[tuple[int, ...], list[int]] = {}
    cells = zip(*usable, strict=True) if usable else [()] * rows.n_rows
    for cell, positive, weight in zip(cells, rows.positive.tolist(), rows.weights.tolist(), strict=True):
        alike.setdefault(cell, [0, 0])[positive] += weight
    negative, positive_weight = problem.class_weights
    wrong = (min(negative * n, positive_weight * p) for n, p in alike.values())
    return sum(wrong, _ZERO) / problem.total_weight

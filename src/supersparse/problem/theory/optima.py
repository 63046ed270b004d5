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

How large whole points must be, so that real coefficients can be rounded to them without a further error.

**Theorem.** Let ρ in R^P be any linear classifier, and γ = min_i |x_i·ρ| / ‖ρ‖ the least distance of a row
from its boundary, over the rows that it gets right. If

    Λ > max_i ‖x_i‖ · sqrt(P) / (2γ),

some λ in {-Λ, ..., Λ}^P makes no more errors than ρ.

*Proof.* Let s = Λ/‖ρ‖, and λ_j be a whole number nearest to s·ρ_j. Since |s·ρ_j| <= Λ, so is |λ_j| <= Λ.
Every entry of e = λ - s·ρ is at most 1/2 in magnitude, so ‖e‖ <= sqrt(P)/2, and by Cauchy and Schwarz

    |x_i·λ - s·x_i·ρ| <= ‖x_i‖·sqrt(P)/2 < Λ·γ <= s·|x_i·ρ|

for every row that ρ gets right. So x_i·λ has the sign of x_i·ρ and is not 0: λ gets the row right too. ∎

**Sharper, and without square roots.** Scale by the largest coefficient instead, s = Λ/‖ρ‖∞, which uses the
whole range; use |x_i·e| <= ‖x_i‖₁/2; let the sums run over the coefficients that are not 0, since a 0 is
rounded to 0; and compare row by row. Then

    Λ > max_i ‖x_i‖₁ · ‖ρ‖∞ / (2·|x_i·ρ|)

is enough, by the same proof. It never asks for more, as ‖x‖₁ <= sqrt(P)·‖x‖ and ‖ρ‖∞ <= ‖ρ‖, and λ uses no
feature that ρ does not. An intercept b is scaled by s and not rounded, as the threshold of a card may lie
anywhere; then x_i·ρ + b stands for x_i·ρ. To round it too, add a column of ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import floor, isqrt, lcm, sqrt

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import Number, exact
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import completed, evaluate, violated
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem
from supersparse.problem.theory.space import declared_sets
from supersparse.problem.variants import unavoidable_loss
from supersparse.table.small_table import Tabular

_ZERO = Fraction(0)


def size_limit(problem: Problem, known: Points | None = None) -> int:
    """Return the largest size that a card of least F can have on these rows, proven without a search.

    K is the cost of the best card without features, or of a `known` one if that is lower, and B what equal rows of both
    classes cost every card. The intercept of ``intercept="paper"`` counts as it does in the size.

    >>> problem = Problem.of([[0, 1], [1, 1], [0, 0], [1, 0]] * 5, [1, 1, 0, 0] * 5, C0=0.3, max_points=1)
    >>> size_limit(problem)  # without features: half the rows wrong, 1/2 < 2·0.3
    1
    """
    costs = []
    zeros = [0] * problem.n_features
    plain = completed(problem, zeros) if all(0 in allowed for allowed in problem.sets) else None
    for card in (plain, known):
        if card is not None:
            _check(problem, card)
            costs.append(evaluate(problem, card).objective)
    if not costs:
        raise InvalidOptionError(
            "the constraints allow no card without features, so its cost does not limit others",
            "give known=, the points of any card that satisfies them",
        )
    return _most(problem, problem.sets, min(costs) - _penalty_at_zero(problem) - unavoidable_loss(problem))


def size_limit_of_any_rows(problem: Problem) -> int | None:
    """Return the largest size that an optimum can have whatever the rows are, by the corollary.

    It depends on the settings alone, so a union bound may count only the cards within it. None where nothing is known
    without rows: for goal "risk", unequal class weights, and constraints that a card without features may break.

    >>> X, y = [[0, 1, 2, 0], [1, 1, 0, 0]], [0, 1]
    >>> size_limit_of_any_rows(Problem.of(X, y, C0=0.2))  # 1/(2·C0)
    2
    >>> size_limit_of_any_rows(Problem.of(X, y, C0=0.3, intercept="none"))  # 1/C0
    3
    """
    weight, other = problem.class_weights
    sets = declared_sets(problem)
    allowed = (
        all(0 in values for values in (*sets, *problem.sets))
        and all(limit.at_most >= 0 for limit in problem.support_limits)
        and all(limit.at_most >= 0 for limit in problem.score_limits)
        and not problem.rate_limits
    )
    if not loss_of(problem).counts_rows or weight != other or not allowed:
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
    allowed = all(value in values for value, values in zip(card.values, problem.sets, strict=True))
    if broken or not allowed:
        why = broken[0].in_words() if broken else "the sets of points"
        raise InvalidOptionError(f"known breaks {why}", "give the points of a card that the problem allows")


def _penalty_at_zero(problem: Problem) -> Fraction:
    all_levels = (*problem.levels, problem.intercept_levels if problem.intercept.is_penalised else None)
    return sum((levels.penalty(_ZERO) for levels in all_levels if levels is not None), _ZERO)


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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rounding(Tabular):
    """Whole points that are right wherever real coefficients are, and how large they had to be."""

    margin: float  # γ; infinite if no row is right
    largest_by_norms: int  # the least Λ of the theorem
    largest: int  # the least Λ of the sharper form
    points: Points  # the coefficients rounded to -largest..largest; the intercept is scaled alike

    def in_words(self) -> str:
        """Say how large points have to be."""
        return (
            f"Rounded to whole points from -{self.largest} to {self.largest}, these coefficients are right "
            f"on every row that they are right on now (by the norms alone: {self.largest_by_norms})."
        )

    _facts = "margin largest_points=largest by_the_norms_alone=largest_by_norms"


def rounded_points(problem: Problem, coefficients: Sequence[Number], intercept: Number = 0) -> Rounding:
    """Round real coefficients to whole points that make no more errors on the rows of a problem.

    Only the rows and labels of the problem enter. A score of 0 is wrong for both classes, as in
    `training_errors`. Everything is computed exactly; `margin` alone is a float.

    >>> problem = Problem.of([[3, 1], [1, 2], [0, 1], [2, 0]], [1, 1, 0, 0])
    >>> found = rounded_points(problem, [0.5, 0.77], -1.2)
    >>> found.points, found.largest, found.largest_by_norms
    (<Points: 3, 4; intercept -480/77>, 4, 11)
    """
    names = problem.rows.names
    if len(coefficients) != len(names):
        raise InvalidOptionError(
            f"there are {len(coefficients)} coefficients for {len(names)} features", "give one per feature"
        )
    rho = [
        exact(value, f"the coefficient of {name!r}", InvalidOptionError)
        for value, name in zip(coefficients, names, strict=True)
    ]
    b = exact(intercept, "the intercept", InvalidOptionError)
    if not any(rho):
        raise InvalidOptionError("all coefficients are 0, so there is nothing to round", "give one that is not")
    scores, scale = _scores(problem, rho, b)
    right = np.flatnonzero(np.where(problem.rows.positive, scores > 0, scores < 0))
    distances = [Fraction(abs(score), scale) for score in scores[right].tolist()]
    largest_rho = max(map(abs, rho))
    of_used = _norms(problem, [j for j, value in enumerate(rho) if value], 1)[right]
    largest = 1 + max(
        (floor(norm * largest_rho / (2 * score)) for norm, score in zip(of_used, distances, strict=True)), default=0
    )
    squared = sum((value * value for value in rho), Fraction(0))
    by_norms, margin = 1, float("inf")
    if len(right):
        nearest, longest = min(distances), max(_norms(problem, range(len(rho)), 2)[right])
        # Λ² > max‖x_i‖²·P·‖ρ‖² / (4·min(x_i·ρ)²)
        by_norms = 1 + isqrt(floor(longest * len(rho) * squared / (4 * nearest**2)))
        margin = float(nearest) / sqrt(squared)
    s = largest / largest_rho
    points = Points(tuple(round(s * value) for value in rho), s * b)
    return Rounding(margin=margin, largest_by_norms=by_norms, largest=largest, points=points)


def _scores(problem: Problem, rho: list[Fraction], b: Fraction) -> tuple[NDArray[np.object_], int]:
    """x_i·ρ + b of each row as whole numbers, and their common denominator."""
    per_unit = {j: value / problem.rows.scales[j] for j, value in enumerate(rho) if value}
    scale = lcm(b.denominator, *(value.denominator for value in per_unit.values()))
    scores = np.full(problem.rows.n_rows, int(b * scale), dtype=object)
    for j, value in per_unit.items():
        scores += problem.rows.columns[j].astype(object) * int(value * scale)
    return scores, scale


def _norms(problem: Problem, features: Sequence[int], power: int) -> NDArray[np.object_]:
    """Σ_j |x_ij|^power over some features, of each row."""
    scales = [problem.rows.scales[j] for j in features]
    common = lcm(*scales)
    sums = np.zeros(problem.rows.n_rows, dtype=object)
    for j, scale in zip(features, scales, strict=True):
        sums += abs(problem.rows.columns[j].astype(object) * (common // scale)) ** power
    return np.array([Fraction(value, common**power) for value in sums.tolist()], dtype=object)

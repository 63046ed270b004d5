"""How large whole points must be, so that real coefficients can be rounded to them without a further error.

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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt, lcm, sqrt

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import Number, exact
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.table.small_table import SmallTable, Tabular, facts


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

    def _brief(self) -> str:
        return self.in_words()

    def _small_table(self) -> SmallTable:
        return facts(margin=self.margin, largest_points=self.largest, by_the_norms_alone=self.largest_by_norms)


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
    """x_i·ρ + b of each row as whole numbers, and what they are to be divided by."""
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

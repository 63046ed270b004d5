"""Costs as a solver can take them, and bounds as they can be believed.

A cost is first an exact integer multiple of one unit. What a solver gets is that integer where
it is small enough, else a rounded one with a rigorous account of the rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, isfinite, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.solving.mip.precision import Precision

LARGEST_FLOAT_COST = 10**6  # above it, sums of costs drift out of a float solver's tolerances
RELATIVE = 1e-8  # solvers drop what improves the best by less than about 10^-9 of it
LARGEST_INTEGER_TOTAL = 2**45  # far inside 64 bits, and a double of that size is off by far less than 1


@dataclass(frozen=True, kw_only=True)
class ExactCost:
    """``unit · (weights·x + offset)``, in integers over the variables of a model."""

    unit: Fraction
    weights: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, weights: Sequence[Fraction], offset: Fraction) -> "ExactCost":
        """Find the largest unit that makes all weights integers."""
        parts = [*weights, offset]
        denominator = lcm(*(p.denominator for p in parts))
        whole = [int(p * denominator) for p in parts]
        common = gcd(*whole) or 1
        return cls(
            unit=Fraction(common, denominator),
            weights=tuple(w // common for w in whole[:-1]),
            offset=whole[-1] // common,
        )

    def at(self, values: Sequence[int]) -> Fraction:
        """Price a solution vector exactly."""
        return self.unit * (sum(w * v for w, v in zip(self.weights, values, strict=True) if w) + self.offset)


@dataclass(frozen=True, kw_only=True)
class SolverCost:
    """An `ExactCost` as given to a solver: ``exact ≈ unit · divisor · (weights·x + offset)``.

    `error` bounds the difference over all x within their bounds, in the exact cost's unit.
    `slack` is how far, in the solver's numbers, a reported bound may lie above the true one
    beside what is relative to the bound's size.
    """

    unit: Fraction
    divisor: Fraction
    weights: NDArray[np.float64]
    offset: float
    error: Fraction
    slack: float
    precision: Precision

    @classmethod
    def of(
        cls, cost: ExactCost, lower: Sequence[int], upper: Sequence[int], precision: Precision
    ) -> "SolverCost":
        """Round the costs as little as the solver's arithmetic asks for."""
        reach = [max(abs(low), abs(high)) for low, high in zip(lower, upper, strict=True)]
        divisor = _divisor(cost, reach, precision)
        if precision.integers_only:
            weights = [float(round(w / divisor)) for w in cost.weights]
            offset = float(floor(cost.offset / divisor))
        else:
            weights = [float(w / divisor) for w in cost.weights]
            offset = float(cost.offset / divisor)
        error = abs(cost.offset - divisor * Fraction(offset))
        if divisor > 1:
            for exact, rounded, r in zip(cost.weights, weights, reach, strict=True):
                error += abs(exact - divisor * Fraction(rounded)) * r
        # A dual solution may be infeasible by the tolerance for each variable, over its whole range.
        spread = sum(high - low for low, high in zip(lower, upper, strict=True))
        return cls(
            unit=cost.unit,
            divisor=divisor,
            weights=np.array(weights, dtype=np.float64),
            offset=offset,
            error=error,
            slack=0.0 if precision.integers_only else 1e-6 + precision.tolerance * spread,
            precision=precision,
        )

    def believable(self, bound: float) -> Fraction | None:
        """Lower a solver's bound until it holds in spite of all tolerances; None if it says nothing."""
        if not isfinite(bound):
            return None
        if self.precision.integers_only:
            # The cost is an integer; the solver prints it as a double that may be off by a few ulps.
            least = Fraction(round(bound))
        else:
            least = Fraction(bound) - Fraction(self.slack + RELATIVE * abs(bound))
        return self.unit * (self.divisor * least - self.error)

    def scaled(self, amount: Fraction) -> float:
        """Express an amount of the cost, such as a gap, in the solver's numbers."""
        return float(amount / (self.unit * self.divisor))

    def limit(self, most: Fraction) -> float:
        """Return u such that ``weights·x <= u`` for every x that costs at most `most`."""
        exact = (most / self.unit + self.error) / self.divisor - Fraction(self.offset)
        if self.precision.integers_only:
            return float(floor(exact))
        return float(exact + Fraction(1, 2) / self.divisor)


def _divisor(cost: ExactCost, reach: Sequence[int], precision: Precision) -> Fraction:
    if precision.integers_only:
        total = abs(cost.offset) + sum(abs(w) * r for w, r in zip(cost.weights, reach, strict=True))
        return Fraction(max(1, ceil(Fraction(total, LARGEST_INTEGER_TOTAL))))
    largest = max((abs(w) for w in (*cost.weights, cost.offset)), default=0)
    return max(Fraction(1), Fraction(largest, LARGEST_FLOAT_COST))

"""Program: a model and its meaning, with conversion from points to a start vector and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from supersparse.base.integer_arrays import Floats
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import Precision
from supersparse.engine.mip.terms import Term
from supersparse.problem.objective import classified, obeys_without_intercept, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import common_step

LARGEST_FLOAT_COST = 10**6  # above this, sums of costs exceed a float solver's tolerances
INFINITE = 1e20  # solvers report such bounds where they have none
RELATIVE = 1e-8  # solvers ignore improvements below about 10^-9 of the best


@dataclass(frozen=True, kw_only=True)
class ExactCost:
    """``unit · (weights·x + offset)``, in integers over the variables of a model."""

    unit: Fraction
    weights: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, weights: Sequence[Fraction], offset: Fraction) -> "ExactCost":
        """Find the largest unit that makes all weights integers."""
        unit = common_step([*weights, offset]) or Fraction(1)
        return cls(unit=unit, weights=tuple(int(weight / unit) for weight in weights), offset=int(offset / unit))

    def at(self, values: Sequence[int]) -> Fraction:
        """The exact cost of a solution vector."""
        return self.unit * (sum(w * v for w, v in zip(self.weights, values, strict=True) if w) + self.offset)


@dataclass(frozen=True, kw_only=True)
class SolverCost:
    """An `ExactCost` as passed to a solver: ``exact ≈ unit · divisor · (weights·x + offset)``.

    `error` bounds the difference over all x within their bounds, in the exact cost's unit. `slack` is how far, in the
    solver's numbers, a reported bound may be above the true one, in addition to an error relative to the bound's size.
    """

    unit: Fraction
    divisor: Fraction
    weights: Floats
    offset: float
    error: Fraction
    slack: float

    @classmethod
    def of(cls, cost: ExactCost, lower: Sequence[int], upper: Sequence[int], precision: Precision) -> "SolverCost":
        """Round the costs as little as the solver's arithmetic requires."""
        reach = [max(abs(low), abs(high)) for low, high in zip(lower, upper, strict=True)]
        largest = max((abs(w) for w in (*cost.weights, cost.offset)), default=0)
        divisor = max(Fraction(1), Fraction(largest, LARGEST_FLOAT_COST))
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
            slack=1e-6 + precision.tolerance * spread,
        )

    def believable(self, bound: float) -> Fraction | None:
        """Lower a solver's bound until it holds despite all tolerances; None if it says nothing."""
        if not abs(bound) < INFINITE:
            return None
        least = Fraction(bound) - Fraction(self.slack + RELATIVE * abs(bound))
        return self.unit * (self.divisor * least - self.error)

    def scaled(self, amount: Fraction) -> float:
        """Express an amount of the cost, such as a gap, in the solver's numbers."""
        return float(amount / (self.unit * self.divisor))

    def limit(self, most: Fraction) -> float:
        """Return u such that ``weights·x <= u`` for every x that costs at most `most`."""
        exact = (most / self.unit + self.error) / self.divisor - Fraction(self.offset)
        return float(exact + Fraction(1, 2) / self.divisor)


@dataclass(frozen=True, kw_only=True)
class TermVariables:
    """The variables of the model for one term."""

    number: int  # k, of c = offset + step·k
    choice: tuple[tuple[int, int], ...] = ()  # (value, binary) for one-of-K sets; includes 0 only with levels
    levels: tuple[tuple[tuple[int, ...], int], ...] = ()  # (values, binary): 1 when c is one of them
    nonzero: int | None = None  # α
    magnitude: tuple[int, int] | None = None  # β and its unit: |c| = unit·β
    positive_part: tuple[int, int] | None = None  # likewise for max(c, 0)
    signs: tuple[tuple[int, int], ...] = ()  # (binary, sign): 1 when c has that sign


@dataclass(frozen=True, kw_only=True)
class Program:
    """The mixed-integer program of one problem and one aim.

    `F` is the cost of a solution vector according to the solver's z, which may differ from the true cost of
    its coefficients; `aim` is what is minimised, F or l1.
    """

    problem: Problem
    model: Model
    F: ExactCost
    aim: SolverCost
    terms: tuple[Term, ...]
    variables: tuple[TermVariables, ...]
    loss_binary: tuple[tuple[int, int], ...]  # (row, z) of the rows that have one
    sign_binary: tuple[tuple[int, tuple[bool, ...]], ...]  # (binary, terms): 1 when one of them is positive
    words: Mapping[str, str]  # what rows stand for that were asked for, by the name of the row

    def read(self, values: Floats) -> Points | None:
        """Return the model in a solution vector, with the intercept that the conventions choose.

        Every coefficient is rounded to its set. Returns None if the model is then too large, or breaks a
        limit with every intercept.
        """
        coefficients_read = [
            _coefficient(t, v, values) for t, v in zip(self.terms, self.variables, strict=True) if t.name is not None
        ]
        limit = self.problem.max_features
        if limit is not None and sum(1 for c in coefficients_read if c) > limit:
            return None
        if not obeys_without_intercept(self.problem, coefficients_read):
            return None
        return with_best_intercept(self.problem, coefficients_read)

    def claimed(self, values: Floats) -> Fraction:
        """F according to the solver's binaries."""
        return self.F.at([round(float(v)) for v in values])

    def start(self, points: Points) -> Floats:
        """Return the solution vector of a model."""
        values = np.zeros(self.model.n_variables)
        for term, variables, c in zip(self.terms, self.variables, self._numbers(points), strict=True):
            values[variables.number] = (c - term.offset) // term.step
            for value, binary in variables.choice:
                values[binary] = value == c
            for members, binary in variables.levels:
                values[binary] = c in members
            if variables.nonzero is not None:
                values[variables.nonzero] = c != 0
            for binary, sign in variables.signs:
                values[binary] = c * sign > 0
            if variables.magnitude is not None:
                variable, unit = variables.magnitude
                values[variable] = abs(c) // unit
            if variables.positive_part is not None:
                variable, unit = variables.positive_part
                values[variable] = max(c, 0) // unit
        for binary, together in self.sign_binary:
            values[binary] = any(c > 0 for c, t in zip(points.coefficients, together, strict=True) if t)
        above, below = classified(self.problem, points)
        wrong = np.where(self.problem.rows.positive, ~above, ~below)
        for row, binary in self.loss_binary:
            values[binary] = wrong[row]
        return values

    def _numbers(self, points: Points) -> Sequence[int]:
        """All c; an intercept beyond the useful range becomes the last useful one (same predictions)."""
        numbers = list(points.coefficients)
        if len(self.terms) > len(numbers):
            allowed = self.terms[-1].values
            b = points.intercept
            if self.problem.intercept.mode == "free":
                # the first positive total is the least multiple of what all share above the threshold
                shared = int(self.terms[-1].column[0])
                b = -(floor(-Fraction(b) * self.problem.score_step / shared) + 1)
            numbers.append(min(max(int(b), allowed[0]), allowed[-1]))
        return numbers


def _coefficient(term: Term, variables: TermVariables, values: Floats) -> int:
    if variables.choice:
        weights = [float(values[binary]) for _, binary in variables.choice]
        best = int(np.argmax(weights))
        chosen = weights[best] > 0.5 or term.is_forced
        return variables.choice[best][0] if chosen else 0
    low, high = term.bounds
    return term.offset + term.step * min(max(round(float(values[variables.number])), low), high)

"""Program: a model and what it means; the way from points to a start vector and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from supersparse.problem.objective import classified, with_best_intercept
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.violations import obeys_without_intercept
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.scaling import ExactCost, SolverCost
from supersparse.solving.mip.terms import Term

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TermVariables:
    """Which variables of the model stand for one term."""

    number: int  # k, of c = offset + step·k
    choice: tuple[tuple[int, int], ...] = ()  # (value, binary) for one-of-K sets; 0 only where levels rule
    levels: tuple[tuple[tuple[int, ...], int], ...] = ()  # (values, binary): 1 when c is one of them
    nonzero: int | None = None  # α
    magnitude: tuple[int, int] | None = None  # β and its unit: |c| = unit·β
    positive_part: tuple[int, int] | None = None  # likewise for max(c, 0)
    signs: tuple[tuple[int, int], ...] = ()  # (binary, sign): 1 when c has that sign


@dataclass(frozen=True, kw_only=True)
class Program:
    """The mixed-integer program of one problem and one aim.

    `F` prices a solution vector by the solver's own z, which need not be what its coefficients
    really cost; `aim` is what is minimised, F or l1.
    """

    problem: Problem
    model: Model
    F: ExactCost
    aim: SolverCost
    terms: tuple[Term, ...]
    variables: tuple[TermVariables, ...]
    loss_binary: tuple[tuple[int, int], ...]  # (row, z) of the rows that have one

    def read(self, values: FloatArray) -> Points | None:
        """Return the model in a solution vector, with the intercept the conventions choose.

        Every coefficient is a member of its set, by rounding; None when the model is then larger
        than allowed, or breaks a limit whatever the intercept.
        """
        found = [
            _coefficient(t, v, values)
            for t, v in zip(self.terms, self.variables, strict=True)
            if t.name is not None
        ]
        limit = self.problem.max_features
        if limit is not None and sum(1 for c in found if c) > limit:
            return None
        if not obeys_without_intercept(self.problem, found):
            return None
        return with_best_intercept(self.problem, found)

    def claimed(self, values: FloatArray) -> Fraction:
        """F as the solver's own binaries have it."""
        return self.F.at([round(float(v)) for v in values])

    def start(self, points: Points) -> FloatArray:
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
        above, below = classified(self.problem, points)
        wrong = np.where(self.problem.rows.positive, ~above, ~below)
        for row, binary in self.loss_binary:
            values[binary] = wrong[row]
        return values

    def _numbers(self, points: Points) -> Sequence[int]:
        """All c; an intercept beyond the useful ones becomes the last useful one, which predicts the same."""
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


def _coefficient(term: Term, variables: TermVariables, values: FloatArray) -> int:
    if variables.choice:
        weights = [float(values[binary]) for _, binary in variables.choice]
        best = int(np.argmax(weights))
        chosen = weights[best] > 0.5 or term.is_forced
        return variables.choice[best][0] if chosen else 0
    low, high = term.bounds
    return term.offset + term.step * min(max(round(float(values[variables.number])), low), high)

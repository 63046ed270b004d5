"""Precision: what a solver's arithmetic can tell apart, and the refusal of what it cannot."""

from dataclasses import dataclass

from supersparse.errors import UnsupportedProblemError
from supersparse.problem.problem import Problem
from supersparse.solving.contract import Formulation
from supersparse.solving.mip.margins import LossRows, loss_rows
from supersparse.solving.mip.terms import read_terms

TOLERANCE = 1e-9
"""The feasibility, integrality and optimality tolerance that every float back end sets."""


@dataclass(frozen=True, kw_only=True)
class Precision:
    """The limits of a solver's arithmetic, in units of γ.

    A binary within TOLERANCE of 0 counts as 0, so a row with M = 10^7 may be violated by a
    hundredth of γ and still look right; with 10^9 by all of γ, and "right" means nothing. In
    the same way an integer within TOLERANCE of its value shifts a score by as many tolerances
    as its factor is large. And a sum of 10^8 is rounded by up to 10^-8 in double precision,
    which is already more than the tolerance with which rows are checked.
    """

    integers_only: bool
    largest_big_m: int
    largest_factor: int
    largest_score: int

    @property
    def tolerance(self) -> float:
        """By how much a number that should be an integer may be off."""
        return 0.0 if self.integers_only else TOLERANCE


FLOATS = Precision(integers_only=False, largest_big_m=10**7, largest_factor=10**7, largest_score=10**8)

# Exact arithmetic in 64 bits; the model itself holds its integers in doubles, which are exact up to 2^53.
INTEGERS = Precision(integers_only=True, largest_big_m=2**53, largest_factor=2**53, largest_score=2**53)


def refuse_too_wide(who: str, problem: Problem, formulation: Formulation, precision: Precision) -> LossRows:
    """Return the loss rows, or raise when the solver could not tell a right row from a wrong one."""
    rows = loss_rows(problem, read_terms(problem))
    checks = [
        ("scores reach", rows.largest_score, precision.largest_score),
        ("values reach", rows.largest_factor, precision.largest_factor),
    ]
    if formulation == "bigm":
        checks.append(("big-M is", rows.largest_big_m, precision.largest_big_m))
    for what, size, limit in checks:
        if size > limit:
            raise UnsupportedProblemError(
                f"{who}: {what} {size:.3g} times the smallest step between scores, and its arithmetic tells "
                f"right from wrong only up to {limit:.3g}; round the data to fewer digits, bring the columns "
                "to one scale, allow smaller coefficients, or use a solver with exact arithmetic"
            )
    return rows

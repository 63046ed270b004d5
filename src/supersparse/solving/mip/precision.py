"""Precision: what a solver's arithmetic can tell apart, and the refusal of what it cannot."""

from dataclasses import dataclass
from decimal import Decimal

from supersparse.errors import UnsupportedProblemError
from supersparse.problem.problem import Problem
from supersparse.solving.mip.limit_rows import LimitRows, limit_rows
from supersparse.solving.mip.margins import LossRows, loss_rows
from supersparse.solving.mip.terms import read_terms
from supersparse.solving.options import Formulation


@dataclass(frozen=True, kw_only=True)
class Precision:
    """The limits of a solver's arithmetic, in units of γ.

    `tolerance` is what it is told to use for feasibility, integrality and optimality. A binary
    that close to 0 counts as 0, so a row may be violated by tolerance·M and still look right: M
    must stay so small that this is a small part of γ. In the same way an integer that close to
    its value shifts a score by tolerance·factor. And a sum of 10^8 is rounded by up to 10^-8 in
    double precision, which is already more than rows are checked with.
    """

    integers_only: bool
    tolerance: float
    largest_big_m: int
    largest_factor: int
    largest_score: int


# A hundredth of γ at most. Measured on 60 problems each with M up to 6·10^6: SCIP, Gurobi and CPLEX were
# right on all of them with this tolerance.
FLOATS = Precision(
    integers_only=False, tolerance=1e-9, largest_big_m=10**7, largest_factor=10**7, largest_score=10**8
)

# Exact arithmetic in 64 bits; the model itself holds its integers in doubles, which are exact up to 2^53.
INTEGERS = Precision(
    integers_only=True, tolerance=0.0, largest_big_m=2**53, largest_factor=2**53, largest_score=2**53
)


def refuse_too_wide(who: str, problem: Problem, formulation: Formulation, precision: Precision) -> LossRows:
    """Return the loss rows, or raise when the solver could not tell a right row from a wrong one.

    Or, likewise, a limit that is obeyed from one that is not.
    """
    terms = read_terms(problem)
    rows, limits = loss_rows(problem, terms), limit_rows(problem, terms)
    checks = [
        ("scores reach", rows.largest_score, precision.largest_score),
        ("values reach", rows.largest_factor, precision.largest_factor),
    ]
    if formulation == "bigm":
        checks.append(("big-M is", rows.largest_big_m(limits.rows_that_help), precision.largest_big_m))
    for what, size, limit in checks:
        if size > limit:
            raise UnsupportedProblemError(
                f"{who}: {what} {size:.3g} times the smallest step between scores, and its arithmetic tells "
                f"right from wrong only up to {limit:.3g}; round the data to fewer digits, bring the columns "
                "to one scale, allow smaller coefficients, or use a solver with exact arithmetic"
            )
    _refuse_heavy_limits(who, limits, precision)
    return rows


def _refuse_heavy_limits(who: str, limits: LimitRows, precision: Precision) -> None:
    for weight in limits.weights():
        for what, size, limit in (
            ("its weights reach", weight.largest, precision.largest_factor),
            ("its weights add up to", weight.total, precision.largest_score),
        ):
            if size > limit:
                raise UnsupportedProblemError(
                    f"{who} cannot express {weight.source.in_words()!r}: in whole numbers {what} "
                    f"{Decimal(size):.3g}, and its arithmetic is sure only up to {limit:.3g}; "
                    "round weights, ranges and bounds to fewer digits, or use a solver with exact arithmetic"
                )

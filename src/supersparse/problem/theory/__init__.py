"""Bounds on the true error rate (the paper's section 4), on the size of the best cards, and on their points.

`generalization_bound` returns the bound to report, `bounds` returns all forms, and `one_more_digit` the
number of rows needed for finer points. The counts behind them are in `supersparse.problem.theory.space`.
`size_limit` bounds the size of the best cards, and `rounded_points` how large whole points have to be to
lose nothing to real coefficients; their modules have the proofs.
"""

from supersparse.problem.theory.bounds import (
    Bound,
    Form,
    NoBound,
    OneMoreDigit,
    bounds,
    generalization_bound,
    hoeffding_slack,
    one_more_digit,
)
from supersparse.problem.theory.optima import Rounding, rounded_points, size_limit, size_limit_of_any_rows

__all__ = [
    "Bound",
    "Form",
    "NoBound",
    "OneMoreDigit",
    "Rounding",
    "bounds",
    "generalization_bound",
    "hoeffding_slack",
    "one_more_digit",
    "rounded_points",
    "size_limit",
    "size_limit_of_any_rows",
]

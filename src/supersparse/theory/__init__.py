"""Bounds on how far the true error rate can be above the training error rate (the paper's section 4).

`generalization_bound` returns the bound to report, `bounds` returns all forms, and `one_more_digit` the
number of rows needed for finer points. The counts behind them are in `supersparse.theory.space`.
"""

from supersparse.theory.bounds import (
    Bound,
    Form,
    NoBound,
    OneMoreDigit,
    bounds,
    generalization_bound,
    hoeffding_slack,
    one_more_digit,
)

__all__ = [
    "Bound",
    "Form",
    "NoBound",
    "OneMoreDigit",
    "bounds",
    "generalization_bound",
    "hoeffding_slack",
    "one_more_digit",
]

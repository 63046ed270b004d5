"""How far the true error rate can lie above the training error rate: the paper's section 4.

`generalization_bound` gives the one to report, `bounds` all forms side by side, and `one_more_digit` the
rows needed for finer points. The counts behind them are in `supersparse.theory.space`.
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

"""Choose C0 and C1 by their meaning (section 3.2).

>>> from supersparse.penalties import C0_for
>>> C0_for(100, cases=2)
Fraction(3, 200)
"""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import exact, read_whole
from supersparse.problem.problem import Problem
from supersparse.problem.variants import (
    constant_model_loss,
    largest_l1,
    loss_of_one_row,
    loss_step,
    most_features,
    objective_step,
)
from supersparse.table.small_table import Tabular

__all__ = ["C0_for", "PenaltyRanges", "useful_range"]


def C0_for(  # noqa: N802  # the paper's name
    problem: Problem | int, *, cases: float | Fraction, features: int | None = None
) -> Fraction:
    """Return the C0 at which a feature is used if, and only if, it saves at least this many cases.

    More precisely: for every p, p more features are used if they save at least p·cases, and not if they save
    less. With C0 = cases/N, features that save exactly that much would tie. Cases are row weights; with class
    weights, a case counts with the weight of its class.

    If you give a number N of rows instead of a problem, `features` is the largest p for which this holds, by default 1.

    >>> C0_for(100, cases=2)
    Fraction(3, 200)
    >>> problem = Problem.of([[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0])
    >>> C0_for(problem, cases=1)
    Fraction(3, 16)
    """
    saved = exact(cases, "cases")
    if saved <= 0:
        raise InvalidProblemError(f"cases is {cases}", "give a number above 0, or C0=0 for no penalty")
    if isinstance(problem, Problem):
        rows = problem.total_weight * problem.rows.weight_unit
        step, together = loss_step(problem), most_features(problem)
    else:
        rows = Fraction(read_whole(problem, "the number of rows"))
        if not rows:
            raise InvalidProblemError("the number of rows is 0", "give at least one")
        step, together = 1 / rows, 1
    together = together if features is None else read_whole(features, "features")
    price = saved / rows
    # losses are multiples of a step; room[p - 1] is the distance from p·price to the next smaller one
    room = ((p * price % step or step) / p for p in range(1, max(1, together) + 1))
    return price - min(room) / 2


@dataclass(frozen=True, kw_only=True, repr=False)
class PenaltyRanges(Tabular):
    """The effect of C0 and C1 on one problem, by range."""

    C0_ties_below: Fraction  # below this, C0 only breaks ties between models with equal errors
    C0_one_case: Fraction  # below this, a feature may enter to fix one row: the paper's 1/N
    C0_nothing_above: Fraction  # above this, no feature is worth its price; the paper says 1
    C1_paper: Fraction  # the paper's upper end, which does not guarantee what it promises
    C1_safe_below: Fraction  # below this, C1 provably only breaks ties between models of equal F

    def in_words(self) -> str:
        """Describe the ranges of C0 and C1."""
        return (
            f"C0 below {float(self.C0_ties_below):.4g}: only decides between models of equal errors.\n"
            f"C0 below {float(self.C0_one_case):.4g}: a feature may enter to fix a single row.\n"
            f"C0 above {float(self.C0_nothing_above):.4g}: no feature is used.\n"
            f"C1 below {float(self.C1_safe_below):.4g}: only breaks ties, as C1='auto' always does; "
            f"the paper's range ends at {float(self.C1_paper):.4g}."
        )

    def __str__(self) -> str:
        return self.in_words()


def useful_range(problem: Problem) -> PenaltyRanges:
    """Return the ranges in which C0 and C1 are useful; that of C1 depends on the problem's C0.

    >>> X = [[i % 7, i % 2] for i in range(40)]
    >>> problem = Problem.of(X, [i % 7 > 3 for i in range(40)], C0=0.05, max_points=5)
    >>> print(useful_range(problem))
    C0 below 0.0125: only decides between models of equal errors.
    C0 below 0.025: a feature may enter to fix a single row.
    C0 above 0.4: no feature is used.
    C1 below 0.0025: only breaks ties, as C1='auto' always does; the paper's range ends at 0.0025.
    """
    l1 = max(largest_l1(problem), Fraction(1, 10**9))
    one_row = Fraction(1, problem.total_weight) / problem.rows.weight_unit
    return PenaltyRanges(
        C0_ties_below=loss_step(problem) / max(1, most_features(problem)),
        C0_one_case=loss_of_one_row(problem),
        C0_nothing_above=constant_model_loss(problem),
        C1_paper=min(one_row, *problem.C0) / l1,
        C1_safe_below=objective_step(problem) / l1,
    )

"""How many rows pay for one more digit in the points."""

import math
from dataclasses import dataclass
from fractions import Fraction

from supersparse.problem.problem import Problem
from supersparse.theory.bounds import Form, NoBound, generalization_bound, hoeffding_slack, negative_log
from supersparse.theory.space import declared_space


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMoreDigit:
    """The rows with which points of one more digit have the slack that the present ones have now."""

    n_rows: int
    n_rows_needed: int
    log_count: float  # under the root now
    log_count_finer: float  # under the root with one more digit
    delta: Fraction

    @property
    def slack(self) -> float:
        """What both have: the present points with the present rows, the finer points with the rows needed."""
        return hoeffding_slack(self.log_count, delta=self.delta, n_rows=self.n_rows)

    def in_words(self) -> str:
        """Say how many rows are needed."""
        return (
            f"One more digit in the points needs {self.n_rows_needed} rows instead of {self.n_rows} "
            f"for the same slack of {self.slack:.3f}."
        )


def one_more_digit(
    problem: Problem, *, delta: object = 0.01, cut_points_fitted: bool = False
) -> OneMoreDigit | NoBound:
    """Return the number of rows that leaves the bound as it is when the points get one more digit.

    The paper says that with more data L can have "one more significant digit within each coefficient", and
    gives no number. Here every step between neighbouring values of a set is cut in ten: whole numbers become
    multiples of 0.1, one significant digit becomes two. An intercept range is cut with them. With M
    classifiers now and M' then, (log M - log δ) / 2N = (log M' - log δ) / 2N' keeps the slack, so

        N' = N·(log M' - log δ) / (log M - log δ),    about N + P·log(10) / (2·slack²)

    for P coordinates without a size limit, rounded up. Both are counted by the theorem that
    `generalization_bound` reports now. The number says what the bound asks for, not that there will be fewer
    errors.

    >>> problem = Problem.of([[0], [1]] * 500, [0, 1] * 500, max_coef=5, intercept=(-5, 5))
    >>> one_more_digit(problem).n_rows_needed
    1482
    """
    now = generalization_bound(problem, delta=delta, cut_points_fitted=cut_points_fitted)
    if isinstance(now, NoBound):
        return now
    finer = declared_space(problem).with_one_more_digit()
    by_directions = now.form in (Form.THEOREM_2, Form.THEOREM_2_SIZE)
    directions = finer.n_directions(finer.max_size) if by_directions else None
    log_count_finer = math.log(finer.n_vectors(finer.max_size) + 1 if directions is None else directions)
    doubt = negative_log(now.delta)
    return OneMoreDigit(
        n_rows=now.n_rows,
        n_rows_needed=math.ceil(now.n_rows * (log_count_finer + doubt) / (now.log_count + doubt)),
        log_count=now.log_count,
        log_count_finer=log_count_finer,
        delta=now.delta,
    )

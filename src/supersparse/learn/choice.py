"""Choosing one of several penalties by its cross-validated errors, exactly.

Errors are fractions, so that equal means are equal and repeated rows choose what weighted
rows choose. The spread is that of the folds' errors at the least mean error: the sample standard
deviation (divided by the number of folds less one, as R's ``sd``), which is also the one that is
printed; the standard error is that divided by the root of the number of folds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import exact
from supersparse.engine.presolve import merged_weights
from supersparse.problem.problem import Problem
from supersparse.problem.variants import constant_model_loss, loss_of_lightest

RULES = ("best", "one_sd", "one_se")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One penalty: the error and the number of features in each fold."""

    C0: float
    errors: tuple[Fraction, ...]
    sizes: tuple[int, ...]

    @property
    def mean_error(self) -> Fraction:
        return sum(self.errors, Fraction(0)) / len(self.errors)

    @property
    def variance(self) -> Fraction:
        """The sample variance over the folds; 0 for a single fold."""
        squares = sum(((e - self.mean_error) ** 2 for e in self.errors), Fraction(0))
        return squares / max(1, len(self.errors) - 1)

    @property
    def asks(self) -> bool:
        """Whether most folds use a feature."""
        return 2 * sum(size > 0 for size in self.sizes) > len(self.sizes)

    @property
    def mean_size(self) -> Fraction:
        return Fraction(sum(self.sizes), len(self.sizes))


def choose_penalty(candidates: Sequence[Candidate], rule: str, *, may_be_empty: bool = False) -> int:
    """Return the index of the candidate that a rule chooses.

    "best": the least mean error; of those the sparsest, then the largest C0. "one_sd" and
    "one_se": of all within one standard deviation, or error, of the least mean error the
    sparsest; of those the least mean error, then the largest C0.

    A candidate that uses no feature in most folds gives way to those that do, if their errors are within
    one standard error of the least: who learns a card wants one that asks something, and is told elsewhere
    if a fixed answer errs as little. With `may_be_empty` it does not, as in the paper.
    """
    asking = [] if may_be_empty else _asking(candidates)
    order = asking or list(range(len(candidates)))
    best = min(order, key=lambda i: (candidates[i].mean_error, candidates[i].mean_size, -candidates[i].C0))
    if rule == "best":
        return best
    least = candidates[best].mean_error
    spread = candidates[best].variance / (len(candidates[best].errors) if rule == "one_se" else 1)
    near = [i for i in order if (candidates[i].mean_error - least) ** 2 <= spread]
    return min(near, key=lambda i: (candidates[i].mean_size, candidates[i].mean_error, -candidates[i].C0))


def _asking(candidates: Sequence[Candidate]) -> list[int]:
    """Return the candidates that use features in most folds, where one of them is nearly the best."""
    least = min(one.mean_error for one in candidates)
    asking = [i for i, one in enumerate(candidates) if one.asks]
    near = any(
        (candidates[i].mean_error - least) ** 2 <= candidates[i].variance / len(candidates[i].errors) for i in asking
    )
    return asking if near else []


def read_values(Cs: Any, problem: Problem) -> NDArray[np.float64]:
    """Return the values of C0 to try, in rising order, each once."""
    if isinstance(Cs, Integral):
        if Cs < 1:
            raise InvalidProblemError(f"Cs is {Cs}", "give at least one value of C0, or how many to try")
        return default_values(problem, int(Cs))
    values = {float(v) for v in np.asarray(Cs, dtype=object).ravel() if _is_penalty(v)}
    if not values:
        raise InvalidProblemError("Cs is empty", "give at least one value of C0, or how many to try")
    return np.array(sorted(values))


def _is_penalty(value: object) -> bool:
    if exact(value, "a value of Cs") < 0:
        raise InvalidProblemError(f"a value of Cs is {value}, which is negative", "give 0 or more")
    return True


def default_values(problem: Problem, count: int) -> NDArray[np.float64]:
    """From the loss of the lightest row to that of the best constant model, on a logarithmic scale.

    Values have two digits, so that people can read and repeat them. Equal rows count as one, so that
    copies and weights give the same values.
    """
    _, first, weights = merged_weights(problem)
    step = loss_of_lightest(problem, weights, problem.rows.positive[first])
    most = constant_model_loss(problem)
    low, high = _two_digits(step, ceil), _two_digits(most, floor)
    if high <= low:  # all rows that differ weigh so much that one feature saves all errors or none
        return np.array([float(_two_digits(most / 2, floor) or low)])
    if count == 1:
        return np.array([float(low)])
    inner = np.geomspace(float(low), float(high), count)[1:-1]
    rounded = (_two_digits(Fraction(float(value)), round) for value in inner)
    return np.unique([float(low), *map(float, rounded), float(high)])


def _two_digits(value: Fraction, rounding: Callable[[Fraction], int]) -> Fraction:
    """Round a number to two significant digits."""
    if value == 0:
        return value
    unit = Fraction(10) ** (floor(log10(value)) - 1)
    return rounding(value / unit) * unit

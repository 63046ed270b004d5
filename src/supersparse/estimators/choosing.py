"""Choosing one of several penalties by its cross-validated errors, exactly.

Errors are fractions, so that equal means are equal and repeated rows choose what weighted
rows choose. The spread is that of the folds' errors at the least mean error: the standard
deviation is the root of their mean squared deviation (``std_test_score`` of scikit-learn),
the standard error is that divided by the root of the number of folds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

RULES = ("best", "one_sd", "one_se")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One penalty: the error and the number of features in each fold."""

    C0: float
    errors: tuple[Fraction, ...]
    sizes: tuple[int, ...]

    @property
    def mean_error(self) -> Fraction:
        """The mean over the folds."""
        return sum(self.errors, Fraction(0)) / len(self.errors)

    @property
    def variance(self) -> Fraction:
        """The mean squared deviation over the folds."""
        return sum(((e - self.mean_error) ** 2 for e in self.errors), Fraction(0)) / len(self.errors)

    @property
    def mean_size(self) -> Fraction:
        """The mean number of features."""
        return Fraction(sum(self.sizes), len(self.sizes))


def choose(candidates: Sequence[Candidate], rule: str) -> int:
    """Return the index of the candidate that a rule chooses.

    "best": the least mean error; of those the sparsest, then the largest C0. "one_sd" and
    "one_se": of all within one standard deviation, or error, of the least mean error the
    sparsest; of those the least mean error, then the largest C0.
    """
    order = range(len(candidates))
    best = min(order, key=lambda i: (candidates[i].mean_error, candidates[i].mean_size, -candidates[i].C0))
    if rule == "best":
        return best
    least = candidates[best].mean_error
    spread = candidates[best].variance / (len(candidates[best].errors) if rule == "one_se" else 1)
    near = [i for i in order if (candidates[i].mean_error - least) ** 2 <= spread]
    return min(near, key=lambda i: (candidates[i].mean_size, candidates[i].mean_error, -candidates[i].C0))

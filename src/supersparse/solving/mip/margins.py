"""Loss rows: when a row of the data is right, in the smallest integers that say so.

A row is right when ``y·score >= γ`` with γ the smallest positive score. Here every row is
divided by what its own terms share, so that γ = 1 in each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.decimals import IntArray
from supersparse.problem.problem import Problem
from supersparse.solving.mip.terms import Term, read_terms, score_range


@dataclass(frozen=True, kw_only=True)
class LossRows:
    """Row i is right exactly when ``factors[i] · k >= needed[i]``, for the k of the terms.

    `worst` and `best` are the ends of that sum over all models; a row with best < needed is
    always wrong, one with worst >= needed always right.
    """

    factors: IntArray  # rows x terms
    needed: IntArray
    worst: IntArray
    best: IntArray

    @property
    def big_m(self) -> IntArray:
        """What z = 1 must give away: needed minus the WORST margin, not the best as the paper prints."""
        return self.needed - self.worst

    @property
    def reverse_big_m(self) -> IntArray:
        """What z = 0 must give away where z = 1 must mean wrong: the BEST margin minus the last wrong one."""
        return self.best - self.needed + 1

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which rows can be right and can be wrong."""
        return np.asarray((self.best >= self.needed) & (self.worst < self.needed), dtype=bool)

    @property
    def is_always_wrong(self) -> NDArray[np.bool_]:
        """Which rows no model gets right."""
        return np.asarray(self.best < self.needed, dtype=bool)

    def largest_big_m(self, exact: NDArray[np.bool_]) -> int:
        """The largest M of an open row, in units of γ; rows whose z is `exact` have one in each direction."""
        return max(_largest(self.big_m[self.is_open]), _largest(self.reverse_big_m[self.is_open & exact]))

    @property
    def largest_factor(self) -> int:
        """The most by which one step of one coefficient changes the score of an open row."""
        return _largest(self.factors[self.is_open])

    @property
    def largest_score(self) -> int:
        """The largest score of an open row."""
        return max(_largest(self.worst[self.is_open]), _largest(self.best[self.is_open]))


def _largest(values: IntArray) -> int:
    return max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0


def loss_rows(problem: Problem, terms: Sequence[Term]) -> LossRows:
    """Write the loss constraint of every row over the k of the terms."""
    least, greatest = score_range(terms, problem.max_features)
    dtype: Any = least.dtype
    y = np.where(problem.rows.positive, 1, -1).astype(dtype)
    # with a free threshold a score of 0 stands for 1/2, on the positive side
    least_right = (y < 0).astype(dtype) if problem.intercept.mode == "free" else np.ones_like(y)
    fixed = sum((t.column.astype(dtype) * t.offset for t in terms), np.zeros(len(y), dtype=dtype))
    steps = [0 if t.is_fixed else t.step for t in terms]
    factors = np.stack([t.column.astype(dtype) * step for t, step in zip(terms, steps, strict=True)], axis=1)
    shared = np.gcd.reduce(factors, axis=1)
    shared = np.where(shared == 0, 1, shared).astype(dtype)
    return LossRows(
        factors=factors * y[:, None] // shared[:, None],
        needed=-((y * fixed - least_right) // shared),  # ceil((least_right - y·fixed) / shared)
        worst=(np.where(y > 0, least, -greatest) - y * fixed) // shared,
        best=(np.where(y > 0, greatest, -least) - y * fixed) // shared,
    )


def big_m(problem: Problem) -> list[int]:
    """Return M of every row, with γ = 1."""
    return [int(m) for m in loss_rows(problem, read_terms(problem)).big_m]

"""Counts: how much weight of each class every distinct value of a column has."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The weight of each row, and its class where labels are known."""

    weights: Floats
    positive: NDArray[np.bool_] | None

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weights.sum())

    def take(self, rows: NDArray[np.bool_]) -> "Target":
        """The same for some rows."""
        return Target(self.weights[rows], None if self.positive is None else self.positive[rows])

    def by_code(self, codes: NDArray[np.intp], n_codes: int) -> "ClassCounts":
        """Sum the weights of each class by code, as for the distinct values of a column."""
        everything = sums_by_code(codes, self.weights, n_codes)
        if self.positive is None:
            return ClassCounts(everything, np.zeros(n_codes))
        positive = sums_by_code(codes, self.weights * self.positive, n_codes)
        return ClassCounts(everything - positive, positive)


def sums_by_code(codes: NDArray[np.intp], weights: Floats, n_codes: int) -> Floats:
    """Sum the weights of the rows that have each code."""
    return np.bincount(codes, weights, n_codes).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """The weight of both classes at each of some values; all of it is `negative` without labels."""

    negative: Floats
    positive: Floats

    @property
    def both(self) -> Floats:
        """The weight of both classes together."""
        return self.negative + self.positive


def surprise(negative: Floats, positive: Floats) -> Floats:
    """Return the entropy of the class times the weight, in nats: 0 where one class is alone."""
    total = negative + positive
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(n > 0, -n * np.log(n / total), 0.0) for n in (negative, positive)]
    return np.asarray(np.maximum(parts[0] + parts[1], 0.0), dtype=np.float64)


def gain(counts: ClassCounts, inside: NDArray[np.bool_]) -> float:
    """Return the information about the class, in nats, from knowing which values are inside."""
    negative = np.array([counts.negative[inside].sum(), counts.negative[~inside].sum()])
    positive = np.array([counts.positive[inside].sum(), counts.positive[~inside].sum()])
    whole = surprise(negative.sum(keepdims=True), positive.sum(keepdims=True))
    return float(whole[0] - surprise(negative, positive).sum())

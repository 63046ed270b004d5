"""Limits in whole numbers over the terms of a score, and how large these numbers are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from supersparse.problem.limits import Constraint, RateLimit
from supersparse.problem.problem import Problem
from supersparse.solving.mip.terms import Term, Wants


@dataclass(frozen=True, kw_only=True)
class SupportRow:
    """Σ_t weights_t·[c_t ≠ 0] <= at_most."""

    weights: tuple[int, ...]
    at_most: int
    source: Constraint


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """Σ_t max(low_t·c_t, high_t·c_t) <= at_most, with low_t <= high_t.

    This is Σ_t low_t·c_t + (high_t - low_t)·max(c_t, 0), the form in which it is written.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    at_most: int
    source: Constraint


@dataclass(frozen=True, kw_only=True)
class Weight:
    """The largest single number of a limit, and the most that all of them can add up to."""

    source: Constraint
    largest: int
    total: int


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitRows:
    """All limits of a problem; those on wrong rows are whole already."""

    terms: tuple[Term, ...]
    support: tuple[SupportRow, ...]
    score: tuple[ScoreRow, ...]
    rates: tuple[RateLimit, ...]
    n_rows: int

    def wants(self, t: int) -> Wants:
        """What the limits ask of a term.

        A size that is counted against a limit may as well be too large, one that helps to obey
        it must be exact.
        """
        weights = [row.weights[t] for row in self.support]
        return Wants(
            size=any(weights),
            exact_size=any(w < 0 for w in weights),
            positive_part=any(row.low[t] != row.high[t] for row in self.score),
        )

    @cached_property
    def rows_that_count(self) -> NDArray[np.bool_]:
        """Which rows of the data some limit speaks of."""
        return self._any([limit.weights != 0 for limit in self.rates])

    @cached_property
    def rows_that_help(self) -> NDArray[np.bool_]:
        """Which rows help to obey some limit by being wrong: a right one must not be called wrong."""
        return self._any([limit.weights < 0 for limit in self.rates])

    def _any(self, of_each: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        found = np.zeros(self.n_rows, dtype=bool)
        for some in of_each:
            found |= some.astype(bool)
        return found

    def weights(self) -> Iterator[Weight]:
        """How large the numbers of each limit are."""
        for support in self.support:
            sizes = [abs(w) for w in support.weights]
            yield Weight(source=support.source, largest=max(sizes), total=sum(sizes))
        for rate in self.rates:
            sizes = [abs(w) for w in rate.weights.tolist()]
            yield Weight(source=rate.source, largest=max(sizes), total=sum(sizes))
        for score in self.score:
            reach, factors = [], []
            for term, low, high in zip(self.terms, score.low, score.high, strict=True):
                ends = (term.values[0], term.values[-1])
                reach.append(max(abs(max(low * v, high * v)) for v in ends))
                in_steps = term.step * max(abs(low), high - low) if term.is_progression else 0
                factors.append(in_steps or reach[-1])
            yield Weight(source=score.source, largest=max(factors), total=sum(reach))


def limit_rows(problem: Problem, terms: Sequence[Term]) -> LimitRows:
    """Bring the limits of a problem to whole numbers, in which nothing is rounded."""
    others = len(terms) - problem.n_features  # the intercept, where there is one
    support = []
    for limit in problem.support_limits:
        of_intercept = [limit.intercept_weight] * others
        weights, at_most = _whole([*limit.weights, *of_intercept], limit.at_most)
        support.append(SupportRow(weights=weights, at_most=at_most, source=limit.source))
    score = []
    for bound in problem.score_limits:
        ends, at_most = _whole([*bound.low, *bound.high], bound.at_most * problem.unit)
        n = problem.n_features
        none = (0,) * others
        score.append(
            ScoreRow(low=ends[:n] + none, high=ends[n:] + none, at_most=at_most, source=bound.source)
        )
    return LimitRows(
        terms=tuple(terms),
        support=tuple(support),
        score=tuple(score),
        rates=problem.rate_limits,
        n_rows=problem.rows.n_rows,
    )


def _whole(weights: Sequence[Fraction | int], at_most: Fraction) -> tuple[tuple[int, ...], int]:
    """Make the weights whole, without a common divisor; so are their sums, and the limit is rounded down."""
    denominator = lcm(*(w.denominator for w in weights))
    whole = [int(w * denominator) for w in weights]
    common = gcd(*whole) or 1
    return tuple(w // common for w in whole), floor(at_most * denominator / common)

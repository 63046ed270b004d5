"""Drop the columns that may only have the coefficient 0."""

from dataclasses import dataclass, replace
from fractions import Fraction

from supersparse.problem.points import Points
from supersparse.problem.problem import NOTHING_ALLOWED_BUT_ZERO, Problem


@dataclass(frozen=True)
class DropColumns:
    """Holds for every problem with such a column and another one beside it."""

    kept: tuple[int, ...]
    n_features: int

    @classmethod
    def of(cls, problem: Problem) -> "DropColumns":
        """Find the columns to keep; one is kept in any case, so that a problem has columns.

        A column whose 0 costs something, as levels may have it, is kept with its cost.
        """
        kept = [
            j
            for j, s in enumerate(problem.sets)
            if s != NOTHING_ALLOWED_BUT_ZERO or problem.penalty(j, Fraction(0))
        ]
        return cls(tuple(kept or [0]), problem.n_features)

    def accepts(self, problem: Problem) -> bool:
        """Whether there is anything to drop."""
        return len(self.kept) < problem.n_features

    def apply(self, problem: Problem) -> Problem:
        """Return the problem over the kept columns, with the unit it had."""
        rows = problem.rows

        def pick(values: tuple) -> tuple:  # type: ignore[type-arg]
            return tuple(values[j] for j in self.kept)

        smaller = replace(rows, names=pick(rows.names), columns=pick(rows.columns), scales=pick(rows.scales))
        return replace(
            problem,
            rows=smaller,
            sets=pick(problem.sets),
            C0=pick(problem.C0),
            levels=pick(problem.levels),
            given_sets=pick(problem.given_sets),
            support_limits=tuple(
                replace(limit, weights=pick(limit.weights)) for limit in problem.support_limits
            ),
            score_limits=tuple(
                replace(limit, low=pick(limit.low), high=pick(limit.high)) for limit in problem.score_limits
            ),
        )

    def restore(self, points: Points) -> Points:
        """Give the dropped columns their coefficient 0."""
        return Points.at(
            self.kept, points.coefficients, self.n_features, points.intercept, points.denominator
        )

    def reduce(self, points: Points) -> Points:
        """Take a user's points to the smaller problem."""
        return Points(tuple(points.coefficients[j] for j in self.kept), points.intercept, points.denominator)

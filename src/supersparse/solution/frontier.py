"""Frontier: the fewest errors of each size, as plain data."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from supersparse.decimals import shown
from supersparse.errors import InfeasibleError, InvalidOptionError, InvalidProblemError, SolverFailedError
from supersparse.problem.problem import Problem
from supersparse.solution.solution import Solution
from supersparse.solution.stop import Stop
from supersparse.solution.tables import as_frame, points_by_name

if TYPE_CHECKING:
    from supersparse.solution.path import Path


@dataclass(frozen=True, kw_only=True)
class FrontierRow:
    """The best model of at most so many features: fewest errors, then fewest features, then least l1.

    Errors are the loss, class weights applied, with a numeric C1 the term of C1 added. A model of
    fewer features than allowed says that more of them save nothing.
    """

    size: int
    solution: Solution | None  # of the problem without C0 and with at most as many features as it uses
    lower_bound: Fraction | None  # no model of at most this size has a smaller loss; None: there is none

    @property
    def proven(self) -> bool:
        """Whether no model of at most this size makes fewer errors, or none is allowed."""
        known = None if self.solution is None else self.solution.objective
        return known == self.lower_bound


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """The fewest errors for every size from 0 on, each with what is proven about it.

    Sizes count as in the problem: features, and the intercept with ``intercept="paper"``.
    """

    problem: Problem  # as it was given
    rows: tuple[FrontierRow, ...]  # row s stands for at most s features
    floor: Fraction  # no model of any size has a smaller loss
    reaches_all: bool  # whether no allowed model has more features than the last row
    solver: str
    stop: Stop
    nodes: int
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether every row is."""
        return all(row.proven for row in self.rows)

    def model(self, size: int) -> Solution:
        """Return the best model of at most so many features."""
        if not 0 <= size < len(self.rows):
            raise InvalidOptionError(
                f"the frontier has sizes from 0 to {len(self.rows) - 1}, not {size}; raise max_features"
            )
        row = self.rows[size]
        if row.solution is not None:
            return row.solution
        if row.proven:
            raise InfeasibleError(
                f"no scoring system of at most {size} features obeys all that is asked of it"
            )
        raise SolverFailedError(
            f"no scoring system of at most {size} features was found: {self.stop.value}; raise the limits"
        )

    def path(self) -> "Path":
        """Return the best model for every C0 > 0, the same for all features."""
        from supersparse.solution.path import path_of

        if self.problem.has_levels:
            raise InvalidProblemError("levels say what features cost, so there is no path over C0")
        return path_of(self)

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each size; errors are weights of rows, the bound is one on the loss."""
        return [_described(row) for row in self.rows]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def __str__(self) -> str:
        lines = ["size  errors  proven  points"]
        for row in self.rows:
            best = row.solution
            errors = "-" if best is None else shown(best.evaluation.training_errors)
            points = (
                "" if best is None else ", ".join(f"{p} {name}" for name, p in points_by_name(best).items())
            )
            proven = "yes" if row.proven else "no"
            lines.append(f"{row.size:>4}  {errors:>6}  {proven:<6}  {points}".rstrip())
        return "\n".join(lines)


def _described(row: FrontierRow) -> dict[str, Any]:
    found = None if row.solution is None else row.solution.evaluation
    return {
        "size": row.size,
        "errors": None if found is None else float(found.training_errors),
        "loss": None if found is None else float(found.loss),
        "lower_bound": None if row.lower_bound is None else float(row.lower_bound),
        "proven": row.proven,
        "features": None if found is None else found.features,
        "l1": None if found is None else float(found.l1),
        "sensitivity": None if found is None else float(found.sensitivity),
        "specificity": None if found is None else float(found.specificity),
        "points": None if row.solution is None else points_by_name(row.solution),
    }

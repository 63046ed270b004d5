"""TradeOff: sensitivity against specificity as the class weights change, as plain data."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.decimals import shown
from supersparse.solution.solution import Solution
from supersparse.solution.tables import as_frame, points_by_name


@dataclass(frozen=True, kw_only=True)
class TradeOffPoint:
    """A model and the ratios W+/W- that lead to its sensitivity and specificity."""

    ratios: tuple[Fraction, ...]  # rising
    solution: Solution  # of the problem with the weights of one of them

    @property
    def sensitivity(self) -> Fraction:
        """The share of the positive rows that is right; a score of 0 is wrong."""
        return self.solution.evaluation.sensitivity

    @property
    def specificity(self) -> Fraction:
        """The share of the negative rows that is right; a score of 0 is wrong."""
        return self.solution.evaluation.specificity


@dataclass(frozen=True, kw_only=True)
class TradeOff:
    """The models found by sweeping W+/W-, each pair of rates once, by rising sensitivity."""

    points: tuple[TradeOffPoint, ...]

    @property
    def proven(self) -> bool:
        """Whether every model is optimal for its weights."""
        return all(point.solution.proven_optimal for point in self.points)

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each model; rates and errors are those of the training rows."""
        rows = []
        for point in self.points:
            found = point.solution.evaluation
            rows.append(
                {
                    "ratio_from": float(point.ratios[0]),
                    "ratio_to": float(point.ratios[-1]),
                    "sensitivity": float(found.sensitivity),
                    "specificity": float(found.specificity),
                    "errors": float(found.training_errors),
                    "size": found.size,
                    "proven": point.solution.proven_optimal,
                    "gap": point.solution.gap,
                    "points": points_by_name(point.solution),
                }
            )
        return rows

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def __str__(self) -> str:
        lines = ["W+/W-             sensitivity  specificity  errors  size  proven"]
        for point in self.points:
            ends = f"{float(point.ratios[0]):.4g}"
            if len(point.ratios) > 1:
                ends += f" to {float(point.ratios[-1]):.4g}"
            found = point.solution.evaluation
            lines.append(
                f"{ends:<16}  {float(found.sensitivity):>11.4f}  {float(found.specificity):>11.4f}  "
                f"{shown(found.training_errors):>6}  {found.size:>4}  "
                f"{'yes' if point.solution.proven_optimal else 'no'}"
            )
        return "\n".join(lines)

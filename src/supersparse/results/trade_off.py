"""TradeOff: sensitivity against specificity as the class weights change."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

from supersparse.data.small_table import SmallTable, Tabular, cell
from supersparse.errors import InvalidOptionError
from supersparse.exact import counted, exact, shown
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem
from supersparse.problem.variants import quiet_about_penalties, warn_about_penalties, with_class_weights
from supersparse.results.words import points_by_name, to_pandas
from supersparse.solving.options import SolveKeywords
from supersparse.solving.solution import Solution
from supersparse.solving.solve import solve

_COLUMNS = ("W+/W-", "sensitivity", "specificity", "errors", "size", "proven")


@dataclass(frozen=True, kw_only=True, repr=False)
class TradeOffPoint(Tabular):
    """A model and the ratios W+/W- that lead to its sensitivity and specificity."""

    ratios: tuple[Fraction, ...]  # rising
    solution: Solution  # for the weights of one of the ratios

    @property
    def sensitivity(self) -> Fraction:
        """Share of the positive rows that are correct; a score of 0 is wrong."""
        return self.solution.evaluation.sensitivity

    @property
    def specificity(self) -> Fraction:
        """Share of the negative rows that are correct; a score of 0 is wrong."""
        return self.solution.evaluation.specificity

    def _brief(self) -> str:
        rates = f"sensitivity {float(self.sensitivity):.4f}, specificity {float(self.specificity):.4f}"
        return f"W+/W- {self._ratios()}, {rates}; {self.solution._brief()}"

    def _small_table(self) -> SmallTable:
        return SmallTable(_COLUMNS, [self._row()])

    def _ratios(self) -> str:
        ends = f"{float(self.ratios[0]):.4g}"
        return ends if len(self.ratios) == 1 else f"{ends} to {float(self.ratios[-1]):.4g}"

    def _row(self) -> tuple[str, ...]:
        found = self.solution.evaluation
        return (
            self._ratios(),
            f"{float(found.sensitivity):.4f}",
            f"{float(found.specificity):.4f}",
            shown(found.training_errors),
            str(found.size),
            cell(self.solution.proven_optimal),
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class TradeOff(Tabular):
    """The models found by sweeping W+/W-, one per pair of rates, by ascending sensitivity."""

    points: tuple[TradeOffPoint, ...]

    @property
    def proven(self) -> bool:
        """Whether every model is optimal for its weights."""
        return all(point.solution.proven_optimal for point in self.points)

    def table(self) -> list[dict[str, Any]]:
        """Return one row per model; rates and errors are on the training rows."""
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
                    "loss": float(found.loss),
                    "size": found.size,
                    "proven": point.solution.proven_optimal,
                    "gap": point.solution.gap,
                    "points": points_by_name(point.solution),
                }
            )
        return rows

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return to_pandas(self.table())

    def __str__(self) -> str:
        lines = ["W+/W-             sensitivity  specificity  errors  size  proven"]
        for point in self.points:
            ends, sensitivity, specificity, errors, size, proven = point._row()
            lines.append(
                f"{ends:<16}  {sensitivity:>11}  {specificity:>11}  {errors:>6}  {size:>4}  {proven}"
            )
        return "\n".join(lines)

    def _brief(self) -> str:
        if not self.points:
            return "no models"
        first, last = float(self.points[0].sensitivity), float(self.points[-1].sensitivity)
        state = "all proven optimal" if self.proven else "not all proven optimal"
        return f"{counted(len(self.points), 'model')}, sensitivity {first:.4f} to {last:.4f}; {state}"

    def _small_table(self) -> SmallTable:
        return SmallTable(_COLUMNS, [point._row() for point in self.points])


_DOUBLINGS = 4


def trade_off(
    problem: Problem,
    ratios: Iterable[float | Fraction] | None = None,
    solver: str = "auto",
    **options: Unpack[SolveKeywords],
) -> TradeOff:
    """Solve the problem for several ratios of class weights W+/W-; the weights always add up to 2.

    The default ratios double from 1/16 to 16 times the balanced ratio N-/N+, and include 1. Each solve
    starts from the best model found so far. Options are those of `solve`; limits apply to each ratio.

    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> problem = Problem.of(X, y, C0=0.17, max_points=2)
    >>> print(trade_off(problem, [0.25, 0.5, 2, 4], "exhaustive"))
    W+/W-             sensitivity  specificity  errors  size  proven
    0.25                   0.0000       1.0000       3     0  yes
    0.5                    0.6667       1.0000       1     1  yes
    2                      1.0000       0.6667       1     1  yes
    4                      1.0000       0.0000       3     0  yes
    """
    values = default_ratios(problem) if ratios is None else _read(ratios)
    warn_about_penalties(problem)
    found: dict[Fraction, Solution] = {}
    with quiet_about_penalties():  # at the ends of the sweep one class has almost no weight: intended
        for ratio in values:
            weighted = with_class_weights(problem, 2 / (1 + ratio), 2 * ratio / (1 + ratio))
            known = [evaluate(weighted, s.points).objective for s in found.values()]
            start = min(zip(known, found.values(), strict=True), key=lambda pair: pair[0], default=None)
            start_here: SolveKeywords = {"initial": None if start is None else start[1].points, **options}
            found[ratio] = solve(weighted, solver, **start_here)
    return TradeOff(points=_distinct(found))


def default_ratios(problem: Problem) -> list[Fraction]:
    """The balanced ratio, doubled and halved a few times, and 1.

    >>> [str(r) for r in default_ratios(Problem.of([[0], [1], [1]], [0, 1, 1]))][3:6]
    ['1/4', '1/2', '1']
    """
    negative, positive = problem.class_totals
    balanced = negative / positive
    around = {balanced * Fraction(2) ** k for k in range(-_DOUBLINGS, _DOUBLINGS + 1)}
    return sorted({*around, Fraction(1)})


def _read(ratios: Iterable[float | Fraction]) -> list[Fraction]:
    values = sorted({exact(ratio, "a ratio W+/W-", InvalidOptionError) for ratio in ratios})
    if not values or values[0] <= 0:
        raise InvalidOptionError("ratios: give at least one ratio W+/W-, each above 0")
    return values


def _distinct(found: dict[Fraction, Solution]) -> tuple[TradeOffPoint, ...]:
    """Merge models with the same rates; the fewest features, then the smallest l1, represent them.

    An unproven model comes first, so that the representative of several ratios never claims more than all do.
    """
    alike: dict[tuple[Fraction, Fraction], list[tuple[Fraction, Solution]]] = {}
    for ratio, solution in found.items():
        rates = (solution.evaluation.sensitivity, -solution.evaluation.specificity)
        alike.setdefault(rates, []).append((ratio, solution))
    return tuple(
        TradeOffPoint(
            ratios=tuple(ratio for ratio, _ in group),
            solution=min(
                (s for _, s in group),
                key=lambda s: (s.proven_optimal, s.evaluation.size, s.evaluation.l1),
            ),
        )
        for _, group in sorted(alike.items())
    )

"""TradeOff: sensitivity against specificity as class weights change, or a limit on false positives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

from supersparse.base.errors import InvalidDataError, InvalidOptionError, UnsupportedProblemError
from supersparse.base.exact import counted, exact, shown
from supersparse.engine.answers.words import points_by_name
from supersparse.engine.options import SolveKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.problem.constraints.rates import max_false_positive_rate
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import PointsEvaluation, evaluate
from supersparse.problem.problem import Problem
from supersparse.problem.rows import read_rows
from supersparse.problem.variants import quiet_about_penalties, warn_about_penalties, with_class_weights
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, cell

HeldOut = tuple[Any, Any] | tuple[Any, Any, Any] | Problem
"""Rows that were held out: (X, y), (X, y, sample weights), or a problem of them."""

_COLUMNS = ("sensitivity", "specificity", "errors", "size", "proven")
_TEST_COLUMNS = ("sens., test", "spec., test")


@dataclass(frozen=True, kw_only=True, repr=False)
class TradeOffPoint(Tabular):
    """A model, the ratios W+/W- or limits that lead to it, and its evaluation on held-out rows."""

    __module__ = "supersparse"

    ratios: tuple[Fraction, ...]  # rising; none where limits were swept
    solution: Solution  # for one of the ratios or limits
    limits: tuple[Fraction, ...] = ()  # on the false positive rate, rising
    test: PointsEvaluation | None = None  # on the rows that were held out

    @property
    def sensitivity(self) -> Fraction:
        """Share of the positive training rows that are correct; a score of 0 is wrong."""
        return self.solution.evaluation.sensitivity

    @property
    def specificity(self) -> Fraction:
        """Share of the negative training rows that are correct; a score of 0 is wrong."""
        return self.solution.evaluation.specificity

    @property
    def test_sensitivity(self) -> Fraction | None:
        """The same share of the positive rows that were held out; None without such rows."""
        return None if self.test is None else self.test.sensitivity

    @property
    def test_specificity(self) -> Fraction | None:
        """The same share of the negative rows that were held out."""
        return None if self.test is None else self.test.specificity

    def _brief(self) -> str:
        rates = f"sensitivity {float(self.sensitivity):.4f}, specificity {float(self.specificity):.4f}"
        if self.test is not None:
            rates += f"; held out {float(self.test.sensitivity):.4f}, {float(self.test.specificity):.4f}"
        return f"{self._swept} {self._value()}, {rates}; {self.solution._brief()}"

    @property
    def _swept(self) -> str:
        return "FPR at most" if self.limits else "W+/W-"

    def _titles(self) -> tuple[str, ...]:
        test = () if self.test is None else _TEST_COLUMNS
        return (self._swept, *_COLUMNS[:2], *test, *_COLUMNS[2:])

    def _value(self) -> str:
        values = self.limits or self.ratios
        ends = f"{float(values[0]):.4g}"
        return ends if len(values) == 1 else f"{ends} to {float(values[-1]):.4g}"

    def _row(self) -> tuple[str, ...]:
        evaluation, test = self.solution.evaluation, self.test
        return (
            self._value(),
            *(f"{float(rate):.4f}" for rate in (evaluation.sensitivity, evaluation.specificity)),
            *(() if test is None else (f"{float(rate):.4f}" for rate in (test.sensitivity, test.specificity))),
            shown(evaluation.training_errors),
            str(evaluation.size),
            cell(self.solution.proven_optimal),
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class TradeOff(ResultTable):
    """The models of a sweep, one per pair of rates on the training rows, by ascending sensitivity."""

    __module__ = "supersparse"

    points: tuple[TradeOffPoint, ...]

    @property
    def proven(self) -> bool:
        """Whether every model is optimal for its weights or limit."""
        return all(point.solution.proven_optimal for point in self.points)

    def table(self) -> list[dict[str, Any]]:
        """Return one row per model; rates and errors are on the training rows, unless they say test."""
        rows = []
        for point in self.points:
            evaluation, values = point.solution.evaluation, point.limits or point.ratios
            swept = "limit" if point.limits else "ratio"
            test = (
                {}
                if point.test is None
                else {
                    "test_sensitivity": float(point.test.sensitivity),
                    "test_specificity": float(point.test.specificity),
                    "test_errors": float(point.test.training_errors),
                }
            )
            rows.append(
                {
                    f"{swept}_from": float(values[0]),
                    f"{swept}_to": float(values[-1]),
                    "sensitivity": float(evaluation.sensitivity),
                    "specificity": float(evaluation.specificity),
                    **test,
                    "errors": float(evaluation.training_errors),
                    "loss": float(evaluation.loss),
                    "size": evaluation.size,
                    "proven": point.solution.proven_optimal,
                    "gap": point.solution.gap,
                    "points": points_by_name(point.solution),
                }
            )
        return rows

    def __str__(self) -> str:
        table = self._small_table()
        wide = [max(16 if k == 0 else 0, len(title)) for k, title in enumerate(table.header)]
        lines = []
        for cells in (table.header, *table.rows):
            first, *others = cells
            numbers = (f"{one:>{width}}" for one, width in zip(others[:-1], wide[1:], strict=False))
            lines.append("  ".join([f"{first:<{wide[0]}}", *numbers, others[-1]]))
        return "\n".join(lines)

    def _brief(self) -> str:
        if not self.points:
            return "no models"
        first, last = float(self.points[0].sensitivity), float(self.points[-1].sensitivity)
        state = "all proven optimal" if self.proven else "not all proven optimal"
        return f"{counted(len(self.points), 'model')}, sensitivity {first:.4f} to {last:.4f}; {state}"

    def _small_table(self) -> SmallTable:
        titles = self.points[0]._titles() if self.points else ("W+/W-", *_COLUMNS)
        return SmallTable(titles, [point._row() for point in self.points])


_DOUBLINGS = 4


def trade_off(
    problem: Problem,
    ratios: Iterable[float | Fraction] | None = None,
    solver: str = "auto",
    *,
    max_false_positive_rates: Iterable[float | Fraction] | None = None,
    test: HeldOut | None = None,
    **options: Unpack[SolveKeywords],
) -> TradeOff:
    """Solve the problem for several ratios of class weights W+/W-; the weights always add up to 2.

    The default ratios double from 1/16 to 16 times the balanced ratio N-/N+, and include 1. Each solve
    starts from the best model found so far. Options are those of `solve`; limits apply to each ratio.

    With `max_false_positive_rates`, limits on the false positive rate are swept instead: within each, the
    card misses as few positive rows as possible, and then raises as few false alarms. The weights are those
    that put it so, and C0 counts as ever.

    `test` has rows that were held out: (X, y), (X, y, sample_weight), or a `Problem` of them. Every model is
    counted on them too (the paper's section 5.3); they do not enter the search.

    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> problem = Problem.of(X, y, C0=0.17, max_points=2)
    >>> print(trade_off(problem, [0.25, 0.5, 2, 4], "exhaustive"))
    W+/W-             sensitivity  specificity  errors  size  proven
    0.25                   0.0000       1.0000       3     0  yes
    0.5                    0.6667       1.0000       1     1  yes
    2                      1.0000       0.6667       1     1  yes
    4                      1.0000       0.0000       3     0  yes
    >>> held_out = [[0], [2], [3], [3]], [0, 0, 0, 1]
    >>> print(trade_off(problem, solver="exhaustive", max_false_positive_rates=[0, 0.5], test=held_out))
    FPR at most       sensitivity  specificity  sens., test  spec., test  errors  size  proven
    0                      0.6667       1.0000       0.0000       1.0000       1     1  yes
    0.5                    1.0000       0.6667       1.0000       0.3333       1     1  yes
    """
    if ratios is not None and max_false_positive_rates is not None:
        raise InvalidOptionError("ratios and max_false_positive_rates are two sweeps", "give one of them")
    asked: dict[Fraction, Problem] = {}
    if max_false_positive_rates is None:
        for ratio in default_ratios(problem) if ratios is None else _read(ratios):
            asked[ratio] = with_class_weights(problem, *weights_of(ratio))
    else:
        if loss_of(problem).gives_risks:
            raise UnsupportedProblemError(
                "max_false_positive_rates: goal 'risk' minimises the log loss, so a limit does not ask for "
                "the most sensitive card",
                "use goal 'errors', or sweep ratios",
            )
        weighted = with_class_weights(problem, *weights_of(ratio_of_sensitivity(problem)))
        for limit in read_limits(max_false_positive_rates):
            asked[limit] = weighted.asking(constraints=max_false_positive_rate(limit))
    held_out = None if test is None else _held_out(problem, test)
    warn_about_penalties(problem)
    solutions: dict[Fraction, Solution] = {}
    with quiet_about_penalties():  # at the ends of the sweep one class has almost no weight: intended
        for value, one in asked.items():  # limits rise, so what obeyed one obeys the next
            known = [evaluate(one, s.points).objective for s in solutions.values()]
            start = min(zip(known, solutions.values(), strict=True), key=lambda pair: pair[0], default=None)
            start_here: SolveKeywords = {"initial": None if start is None else start[1].points, **options}
            solutions[value] = solve(one, solver, **start_here)
    return TradeOff(
        points=tuple(
            TradeOffPoint(
                ratios=values if max_false_positive_rates is None else (),
                limits=() if max_false_positive_rates is None else values,
                solution=solution,
                test=None if held_out is None else evaluate(held_out, solution.points),
            )
            for values, solution in _distinct(solutions)
        )
    )


def weights_of(ratio: Fraction) -> tuple[Fraction, Fraction]:
    """The weights of the negative and the positive class in a ratio W+/W-; they add up to 2.

    >>> [str(weight) for weight in weights_of(Fraction(3))]
    ['1/2', '3/2']
    """
    return 2 / (1 + ratio), 2 * ratio / (1 + ratio)


def ratio_of_sensitivity(problem: Problem) -> Fraction:
    """The least whole ratio W+/W- for which no positive row is missed to avoid false alarms.

    A positive row of the least weight then counts more than all negative rows together.
    """
    rows = problem.rows
    lightest = int(rows.weights[rows.positive].min()) * rows.weight_unit
    return Fraction(problem.class_totals[0] // lightest + 1)


def read_limits(limits: Iterable[float | Fraction]) -> list[Fraction]:
    """Read limits on the false positive rate, in rising order.

    >>> [str(limit) for limit in read_limits([0.2, 0.05])]
    ['1/20', '1/5']
    """
    what = "max_false_positive_rates"
    if isinstance(limits, str) or not isinstance(limits, Iterable):
        raise InvalidOptionError(subject=what, value=limits, remedy="give a list of shares, such as [0.05, 0.1, 0.2]")
    values = sorted({exact(limit, f"{what}: a limit", InvalidOptionError) for limit in limits})
    if not values or values[0] < 0 or values[-1] > 1:
        listed = ", ".join(shown(value) for value in values) or "empty"
        raise InvalidOptionError(f"{what} is {listed}", "give at least one share, each from 0 to 1")
    return values


def _held_out(problem: Problem, test: HeldOut) -> Problem:
    """The problem with other rows, to count on; no limit on rates stands there."""
    rows, names = problem.rows, problem.rows.names
    if isinstance(test, Problem):
        read = test.rows
    elif isinstance(test, tuple | list) and len(test) in (2, 3):
        X, y, *weights = test
        is_named = isinstance(X, Mapping) or hasattr(X, "columns")
        try:
            read = read_rows(
                X,
                y,
                sample_weight=weights[0] if weights else None,
                feature_names=None if is_named else names,
                positive=rows.classes[1],
            )
        except InvalidDataError as error:
            raise InvalidDataError.of(error, "test: ") from None
    else:
        raise InvalidOptionError(
            f"test is {type(test).__name__}",
            "give the rows that were held out as (X, y), (X, y, sample_weight) or a Problem",
        )
    if read.classes != rows.classes:
        raise InvalidDataError(
            f"test has the classes {read.classes[0]!r} and {read.classes[1]!r}, and the problem "
            f"{rows.classes[0]!r} and {rows.classes[1]!r}",
            "use the same labels",
        )
    missing = [name for name in names if name not in read.names]
    if missing:
        raise InvalidDataError(f"test has no feature {missing[0]!r}", "give it the features of the problem")
    if read.names != names:
        read = read.with_columns([read.names.index(name) for name in names])
    return replace(problem, rows=read, rate_limits=())


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


def _distinct(by_value: dict[Fraction, Solution]) -> Iterable[tuple[tuple[Fraction, ...], Solution]]:
    """Merge models with the same rates; the fewest features, then the smallest l1, represent them.

    An unproven model comes first, so that the representative of several ratios never claims more than all do.
    """
    alike: dict[tuple[Fraction, Fraction], list[tuple[Fraction, Solution]]] = {}
    for value, solution in by_value.items():
        rates = (solution.evaluation.sensitivity, -solution.evaluation.specificity)
        alike.setdefault(rates, []).append((value, solution))
    for _, group in sorted(alike.items()):
        solutions = (solution for _, solution in group)
        least = min(solutions, key=lambda s: (s.proven_optimal, s.evaluation.size, s.evaluation.l1))
        yield tuple(value for value, _ in group), least

"""Frontier and C0Path: the lowest error for each number of features, and the best model for every C0.

The cost of a model is a straight line over C0; where lines cross, another model becomes the best.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil
from typing import Any, Unpack

from supersparse.base.errors import InfeasibleError, InvalidOptionError, InvalidProblemError, SolverFailedError
from supersparse.base.exact import counted, exact, read_whole
from supersparse.base.stop import Stop
from supersparse.engine.answers.words import (
    least_in_words,
    least_of,
    least_span,
    points_by_name,
    points_text,
    size_cells,
    size_columns,
    size_lines,
    what_is_least,
)
from supersparse.engine.options import SolveKeywords
from supersparse.engine.solution import Solution, Trace
from supersparse.engine.solve import solve_each_size
from supersparse.engine.verify import SizedModels, VerifiedModel
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem
from supersparse.problem.variants import errors_only, most_features, unavoidable_loss, with_size_penalty
from supersparse.table.small_table import ResultTable, SmallTable, Tabular


@dataclass(frozen=True, slots=True, repr=False)
class PathLine(Tabular):
    """A cost as a function of C0."""

    size: int
    loss: Fraction

    def at(self, C0: Fraction) -> Fraction:
        return self.loss + C0 * self.size


def crossings(lines: Iterable[PathLine]) -> set[Fraction]:
    """The values of C0 > 0 where two lines meet."""
    meet = {(b.loss - a.loss) / (a.size - b.size) for a, b in combinations(lines, 2) if a.size != b.size}
    return {C0 for C0 in meet if C0 > 0}


def largest_gap(line: PathLine, bounds: list[PathLine], low: Fraction, high: Fraction | None) -> Fraction:
    """The largest relative gap between two lines that do not cross inside; it is at an end."""
    inside = low + 1 if high is None else (low + high) / 2
    bound = min(bounds, key=lambda b: b.at(inside), default=line)
    if bound.at(inside) >= line.at(inside):
        return Fraction(0)
    ends = [(line.at(low), bound.at(low))]
    if high is not None:
        ends.append((line.at(high), bound.at(high)))
    else:
        ends.append((Fraction(line.size), Fraction(bound.size)))  # the limit of the gap
    return max((1 - b / cost for cost, b in ends if cost > 0), default=Fraction(0))


@dataclass(frozen=True, kw_only=True, repr=False)
class FrontierRow(Tabular):
    """The best model with at most `size` features: least loss, then fewest features, then smallest l1.

    The loss is the error with class weights, or the log loss, plus the C1 term if C1 is a number. If the
    model uses fewer features than allowed, more features would not help.
    """

    size: int
    solution: Solution | None  # for the problem without C0, limited to the number of features it uses
    lower_bound: Fraction | None  # on the loss of models of at most this size; None if there is none

    @property
    def proven(self) -> bool:
        """Whether it is proven that no model of at most this size has a smaller loss, or that none exists."""
        if self.solution is None or self.lower_bound is None:
            return self.solution is None and self.lower_bound is None
        return loss_of(self.solution.problem).proves(self.solution.objective, self.lower_bound)

    def _brief(self) -> str:
        best, state = self.solution, "proven" if self.proven else "not proven"
        best_text = "no model" if best is None else least_in_words(best)
        points = "" if best is None else points_text(best)
        return f"at most {counted(self.size, 'feature')}, {best_text}, {state}; {points or 'no points'}"

    def _cells(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        return size_cells(self.size, self.solution, self.proven, columns)


@dataclass(frozen=True, kw_only=True, repr=False)
class Frontier(ResultTable):
    """The lowest error for each number of features, and whether it is proven.

    Sizes count as in the problem: features, and the intercept with ``intercept="paper"``.
    """

    __module__ = "supersparse"

    problem: Problem  # as it was given
    rows: tuple[FrontierRow, ...]  # row s is for at most s features
    floor: Fraction  # proven: no model of any size has a smaller loss
    reaches_all: bool  # whether the last row has the largest allowed size
    solver: str
    stop: Stop
    nodes: int
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether every row is proven."""
        return all(row.proven for row in self.rows)

    def model(self, size: int) -> Solution:
        """Return the best model with at most `size` features."""
        if not 0 <= size < len(self.rows):
            raise InvalidOptionError(
                f"the frontier has sizes from 0 to {len(self.rows) - 1}, not {size}", "raise max_features"
            )
        row = self.rows[size]
        if row.solution is not None:
            return row.solution
        none = f"no scoring system with at most {counted(size, 'feature')}"
        if row.proven:
            raise InfeasibleError(f"{none} satisfies all constraints", "allow more features, or relax one")
        raise SolverFailedError(f"{none} was found: {self.stop.value}", "raise the limits", subject=none)

    def path(self) -> "C0Path":
        """Return the best model for every C0 > 0, the same for all features."""
        if self.problem.has_levels:
            raise InvalidProblemError("the problem has levels instead of C0, so there is no path over C0")
        return path_of(self)

    def table(self) -> list[dict[str, Any]]:
        """Return one row per size; errors are sample weights, bound and proof are of the minimised value."""
        return [_described(row, what_is_least(self.problem)) for row in self.rows]

    def __str__(self) -> str:
        table = self._small_table()
        return size_lines(tuple(table.header), map(tuple, table.rows))

    def _brief(self) -> str:
        span = least_span([row.solution for row in self.rows])
        proven = sum(row.proven for row in self.rows)
        state = "all proven" if self.proven else f"{proven} of {len(self.rows)} proven"
        return f"at most 0 to {counted(len(self.rows) - 1, 'feature')}, {span}; {state}"

    def _small_table(self) -> SmallTable:
        columns = size_columns(self.problem)
        return SmallTable(columns, [row._cells(columns) for row in self.rows])


def _described(row: FrontierRow, minimised: str) -> dict[str, Any]:
    evaluation = None if row.solution is None else row.solution.evaluation
    return {
        "size": row.size,
        "minimised": minimised,
        "errors": None if evaluation is None else float(evaluation.training_errors),
        "loss": None if evaluation is None else float(evaluation.loss),
        "lower_bound": None if row.lower_bound is None else float(row.lower_bound),
        "proven": row.proven,
        "features": None if evaluation is None else evaluation.features,
        "l1": None if evaluation is None else float(evaluation.l1),
        "sensitivity": None if evaluation is None else float(evaluation.sensitivity),
        "specificity": None if evaluation is None else float(evaluation.specificity),
        "points": None if row.solution is None else points_by_name(row.solution),
    }


@dataclass(frozen=True, kw_only=True, repr=False)
class Stretch(Tabular):
    """The open interval of C0 from `low` to `high` in which one model is best.

    `gap` is the largest (F - bound)/F in it: 0 means that the model is the best of any size.
    """

    low: Fraction
    high: Fraction | None  # None: without end
    solution: Solution
    gap: Fraction

    @property
    def exact(self) -> bool:
        """Whether it is proven that no model of any size costs less; a log loss, by over 1e-9."""
        return self.gap == 0

    def _brief(self) -> str:
        until = "" if self.high is None else f" to {_short(self.high)}"
        size, least = self.solution.evaluation.size, least_in_words(self.solution)
        return f"C0 from {_short(self.low)}{until}: size {size}, {least}; {self._state}"

    @property
    def _state(self) -> str:
        return "exact" if self.exact else f"bounded: at most {_percent(self.gap)} from the best"

    def _row(self) -> tuple[str, ...]:
        evaluation = self.solution.evaluation
        return (
            _short(self.low),
            "-" if self.high is None else _short(self.high),
            str(evaluation.size),
            least_of(self.solution),
            self._state,
            points_text(self.solution),
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class C0Path(ResultTable):
    """The best models found for every C0 > 0, and where they are proven best."""

    __module__ = "supersparse"

    frontier: Frontier
    stretches: tuple[Stretch, ...]  # from small to large C0; they meet at the breakpoints

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The values of C0 at which the model changes."""
        return tuple(one.low for before, one in pairwise(self.stretches) if one.solution is not before.solution)

    @property
    def exact_from(self) -> Fraction | None:
        """The smallest C0 from which on all models are exact; None if the last is not."""
        start = None
        for stretch in reversed(self.stretches):
            if not stretch.exact:
                break
            start = stretch.low
        return start

    def at(self, C0: float | Fraction) -> Solution:
        """Return the best model found for one C0 > 0, with its bound.

        Ties go to the smaller l1, as in `solve`.
        """
        value = exact(C0, "C0", InvalidOptionError)
        if value <= 0:
            raise InvalidOptionError(f"C0 is {C0}", "the path covers C0 above 0", subject="C0", value=C0)
        lines = _proven_lines(self.frontier)
        least = min(line.at(value) for line, _ in lines)
        tied = [s for line, s in lines if line.at(value) == least]
        best = min(tied, key=lambda s: (s.evaluation.l1, s.evaluation.size))
        bounds = [r.lower_bound + value * r.size for r in self.frontier.rows if r.lower_bound is not None]
        within = min([*bounds, least])
        beyond = _beyond(self.frontier)
        problem = with_size_penalty(self.frontier.problem, value)
        return replace(
            best,
            problem=problem,
            evaluation=evaluate(problem, best.points),
            lower_bound=within if beyond is None else min(within, beyond.at(value)),
            # a larger model with the same cost could have smaller points
            smallest=all(s.smallest for s in tied) and (beyond is None or beyond.at(value) > least),
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per interval of C0; `C0_to` is infinite in the last."""
        return [
            {
                "C0_from": float(one.low),
                "C0_to": float("inf") if one.high is None else float(one.high),
                "size": one.solution.evaluation.size,
                "minimised": what_is_least(self.frontier.problem),
                "errors": float(one.solution.evaluation.training_errors),
                "loss": float(one.solution.evaluation.loss),
                "exact": one.exact,
                "gap": float(one.gap),
                "points": points_by_name(one.solution),
            }
            for one in self.stretches
        ]

    def __str__(self) -> str:
        return "\n".join(one._brief() for one in self.stretches)

    def _brief(self) -> str:
        models = counted(len(self.breakpoints) + 1, "model")
        start = self.exact_from
        state = "the last not proven best" if start is None else f"proven best from C0 {_short(start)} on"
        return f"{models} over C0, {state}"

    def _small_table(self) -> SmallTable:
        columns = ("C0 from", "to", "size", what_is_least(self.frontier.problem), "proof", "points")
        return SmallTable(columns, [one._row() for one in self.stretches])


def path_of(frontier: Frontier) -> C0Path:
    """Split C0 > 0 where the best model found, or the bound, changes."""
    best_lines, bounds = _proven_lines(frontier), _bounds(frontier)
    lines = [line for line, _ in best_lines]
    cuts = [Fraction(0), *sorted(crossings({*lines, *bounds})), None]
    stretches: list[Stretch] = []
    for low, high in pairwise(cuts):
        assert low is not None
        inside = low + 1 if high is None else (low + high) / 2
        line, solution = min(best_lines, key=lambda pair: pair[0].at(inside))
        one = Stretch(low=low, high=high, solution=solution, gap=largest_gap(line, bounds, low, high))
        before = stretches[-1] if stretches else None
        if before is not None and before.solution is solution and before.exact == one.exact:
            stretches[-1] = replace(before, high=high, gap=max(before.gap, one.gap))
        else:
            stretches.append(one)
    return C0Path(frontier=frontier, stretches=tuple(stretches))


def _proven_lines(frontier: Frontier) -> list[tuple[PathLine, Solution]]:
    """The models of the frontier, each once, smallest first."""
    solutions = {id(row.solution): row.solution for row in frontier.rows if row.solution is not None}
    if not solutions:
        frontier.model(len(frontier.rows) - 1)  # raises, saying why
    return [(PathLine(s.evaluation.size, s.objective), s) for s in solutions.values()]


def _bounds(frontier: Frontier) -> list[PathLine]:
    """Lower bounds on the cost for each size and beyond the frontier."""
    lines = [
        PathLine(row.size, row.solution.objective if row.proven and row.solution else row.lower_bound)
        for row in frontier.rows
        if row.lower_bound is not None
    ]  # a log loss is proven up to 1e-9
    beyond = _beyond(frontier)
    return lines if beyond is None else [*lines, beyond]


def _beyond(frontier: Frontier) -> PathLine | None:
    """A lower bound on the cost of models larger than the frontier."""
    return None if frontier.reaches_all else PathLine(len(frontier.rows), frontier.floor)


def _percent(gap: Fraction) -> str:
    return f"{ceil(gap * 1000) / 10:.1f} %"


def _short(value: Fraction) -> str:
    return f"{float(value):.4g}"


def frontier(
    problem: Problem, max_features: int = 8, solver: str = "auto", **options: Unpack[SolveKeywords]
) -> Frontier:
    """Find the lowest error with at most s features, for s = 0, ..., max_features.

    The C0 of the problem and the penalties of levels are ignored; sets, constraints, weights and a numeric C1
    apply. Options are those of `solve` except `checkpoint`; limits apply to the whole run; each size, largest
    first, takes at most half of what is left. A run that is stopped has the best model met of each size.

    >>> problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 0], max_points=3)
    >>> print(frontier(problem, solver="exhaustive"))
    size  errors  proven  points
       0       1  yes
       1       1  yes
       2       0  yes     1 x0, 1 x1
    >>> print(frontier(problem, solver="exhaustive").path())
    C0 from 0 to 0.125: size 2, 0 errors; exact
    C0 from 0.125: size 0, 1 error; exact
    """
    wanted = read_whole(max_features, "max_features")
    free = errors_only(problem)
    possible = most_features(free)
    most = min(wanted, possible)
    limited = free.asking(max_features=most)
    sized = solve_each_size(limited, solver, **options)
    return Frontier(
        problem=problem,
        rows=_rows(free, sized),
        floor=unavoidable_loss(free),
        reaches_all=most == possible,
        solver=sized.solver,
        stop=sized.stop,
        nodes=sized.nodes,
        seconds=sized.seconds,
    )


def _rows(problem: Problem, sized: SizedModels) -> tuple[FrontierRow, ...]:
    """Turn the best model of exactly each size into the best of at most each size."""
    by_size = {model.evaluation.size: model for model in sized.models}
    best: Solution | None = None
    bound: Fraction | None = None
    rows = []
    for size, own_bound in enumerate(sized.bounds):
        bound = own_bound if bound is None else bound if own_bound is None else min(bound, own_bound)
        model = by_size.get(size)
        if model is not None and (best is None or model.evaluation.objective < best.objective):
            assert bound is not None, "a size with a model has a bound"
            best = _solution(problem, model, bound, sized)
        # a model with fewer features is allowed here too
        lower = bound if best is None or bound is None else min(bound, best.objective)
        rows.append(FrontierRow(size=size, solution=best, lower_bound=lower))
    return tuple(rows)


def _solution(problem: Problem, model: VerifiedModel, bound: Fraction, sized: SizedModels) -> Solution:
    """The model as the best one of at most its own size."""
    size = model.evaluation.size
    return Solution(
        problem=problem.asking(max_features=size),
        solver=sized.solver,
        points=model.points,
        evaluation=model.evaluation,
        lower_bound=min(bound, model.evaluation.objective),
        smallest=size in sized.smallest,
        stop=sized.stop,
        nodes=sized.nodes,
        seconds=sized.seconds,
        trace=Trace(),
    )

"""Path: from the frontier over sizes to the best model for every C0.

A model of size s and loss L costs L + C0·s, a line in C0. The least of all lines, their lower
envelope, is F* as a function of C0; where two lines meet there, the model changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil
from typing import Any

from supersparse.decimals import exact, shown
from supersparse.errors import InvalidOptionError
from supersparse.problem.objective import evaluate
from supersparse.problem.variants import with_size_penalty
from supersparse.solution.frontier import Frontier
from supersparse.solution.solution import Solution
from supersparse.solution.tables import as_frame, points_by_name


@dataclass(frozen=True, slots=True)
class Line:
    """A cost as a function of C0."""

    size: int
    loss: Fraction

    def at(self, C0: Fraction) -> Fraction:
        """The cost at one C0."""
        return self.loss + C0 * self.size


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """The values of C0 between `low` and `high`, both left out, for which one model is best.

    `gap` is the largest (F - bound)/F there: 0 says that the model is best of all models,
    whatever their size.
    """

    low: Fraction
    high: Fraction | None  # None: without end
    solution: Solution
    gap: Fraction

    @property
    def exact(self) -> bool:
        """Whether no model of any size costs less."""
        return self.gap == 0


@dataclass(frozen=True, kw_only=True)
class Path:
    """The best models found for every C0 > 0, and where they are proven to be so."""

    frontier: Frontier
    stretches: tuple[Stretch, ...]  # from small C0 to large; they meet at the breakpoints

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The values of C0 at which the model changes."""
        return tuple(
            one.low for before, one in pairwise(self.stretches) if one.solution is not before.solution
        )

    @property
    def exact_from(self) -> Fraction | None:
        """The least C0 from which on all models are exact; None where the last is not."""
        found = None
        for stretch in reversed(self.stretches):
            if not stretch.exact:
                break
            found = stretch.low
        return found

    def at(self, C0: float | Fraction) -> Solution:
        """Return the best model found for one C0 > 0, with the bound that holds there.

        Where two models cost the same, the one with the smaller l1 is taken, as `solve` does.
        """
        value = exact(C0, "C0", InvalidOptionError)
        if value <= 0:
            raise InvalidOptionError(f"C0 is {C0}; the path holds for C0 above 0")
        found = _found(self.frontier)
        least = min(line.at(value) for line, _ in found)
        tied = [s for line, s in found if line.at(value) == least]
        best = min(tied, key=lambda s: (s.evaluation.l1, s.evaluation.size))
        bounds = [line.at(value) for line in _bounds(self.frontier, larger=False)]
        within = min([*bounds, least])
        beyond = _beyond(self.frontier)
        problem = with_size_penalty(self.frontier.problem, value)
        return replace(
            best,
            problem=problem,
            evaluation=evaluate(problem, best.points),
            lower_bound=within if beyond is None else min(within, beyond.at(value)),
            # a larger model of the same cost could have smaller points
            smallest=all(s.smallest for s in tied) and (beyond is None or beyond.at(value) > least),
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each stretch; `C0_to` is infinite in the last."""
        return [
            {
                "C0_from": float(one.low),
                "C0_to": float("inf") if one.high is None else float(one.high),
                "size": one.solution.evaluation.size,
                "errors": float(one.solution.evaluation.training_errors),
                "exact": one.exact,
                "gap": float(one.gap),
                "points": points_by_name(one.solution),
            }
            for one in self.stretches
        ]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def __str__(self) -> str:
        lines = []
        for one in self.stretches:
            until = "" if one.high is None else f" to {_short(one.high)}"
            found = one.solution.evaluation
            errors = shown(found.training_errors) + (" error" if found.training_errors == 1 else " errors")
            state = "exact" if one.exact else f"bounded: at most {_percent(one.gap)} from the best"
            lines.append(f"C0 from {_short(one.low)}{until}: size {found.size}, {errors}; {state}")
        return "\n".join(lines)


def path_of(frontier: Frontier) -> Path:
    """Cut C0 > 0 where the best model found, or the bound, changes."""
    found, bounds = _found(frontier), _bounds(frontier, larger=True)
    lines = [line for line, _ in found]
    cuts = [Fraction(0), *sorted(_crossings({*lines, *bounds})), None]
    stretches: list[Stretch] = []
    for low, high in pairwise(cuts):
        assert low is not None
        inside = low + 1 if high is None else (low + high) / 2
        line, solution = min(found, key=lambda pair: pair[0].at(inside))
        one = Stretch(low=low, high=high, solution=solution, gap=_largest_gap(line, bounds, low, high))
        before = stretches[-1] if stretches else None
        if before is not None and before.solution is solution and before.exact == one.exact:
            stretches[-1] = replace(before, high=high, gap=max(before.gap, one.gap))
        else:
            stretches.append(one)
    return Path(frontier=frontier, stretches=tuple(stretches))


def _found(frontier: Frontier) -> list[tuple[Line, Solution]]:
    """The models of the frontier, each once, smallest first."""
    own = {id(row.solution): row.solution for row in frontier.rows if row.solution is not None}
    if not own:
        frontier.model(len(frontier.rows) - 1)  # raises, saying why
    return [(Line(s.evaluation.size, s.objective), s) for s in own.values()]


def _bounds(frontier: Frontier, *, larger: bool) -> list[Line]:
    """What a model of each size costs at least; with `larger` also one beyond the frontier."""
    lines = [Line(row.size, row.lower_bound) for row in frontier.rows if row.lower_bound is not None]
    beyond = _beyond(frontier)
    return [*lines, beyond] if larger and beyond is not None else lines


def _beyond(frontier: Frontier) -> Line | None:
    """What a model of more features than the frontier has costs at least."""
    return None if frontier.reaches_all else Line(len(frontier.rows), frontier.floor)


def _crossings(lines: Iterable[Line]) -> set[Fraction]:
    """Where two lines meet, at C0 > 0."""
    meet = {(b.loss - a.loss) / (a.size - b.size) for a, b in combinations(lines, 2) if a.size != b.size}
    return {C0 for C0 in meet if C0 > 0}


def _largest_gap(line: Line, bounds: list[Line], low: Fraction, high: Fraction | None) -> Fraction:
    """The largest relative gap between two lines that do not cross inside; it lies at an end."""
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


def _percent(gap: Fraction) -> str:
    return f"{ceil(gap * 1000) / 10:.1f} %"


def _short(value: Fraction) -> str:
    return f"{float(value):.4g}"

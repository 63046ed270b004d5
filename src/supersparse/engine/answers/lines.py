"""Costs as straight lines over C0: where they cross, and how far apart they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from supersparse.table.small_table import Tabular


@dataclass(frozen=True, slots=True, repr=False)
class PathLine(Tabular):
    """A cost as a function of C0."""

    size: int
    loss: Fraction

    def at(self, C0: Fraction) -> Fraction:
        """The cost at a value of C0."""
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

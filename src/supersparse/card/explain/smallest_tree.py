"""The size of the smallest tree: dynamic programming over the remaining questions, in whole numbers.

A state is the points still needed and the remaining cases; the path to it does not matter. For a column with
two cases left, only the difference of their points matters, so most states coincide. Two reductions that keep
the class for all answers merge more: points beyond those needed count as just enough, and the points needed
are replaced by the largest reachable sum up to them.
"""

from dataclasses import dataclass, field
from math import gcd

OpenCases = tuple[tuple[tuple[bool, ...], int], ...]  # answers to the questions of a column, and points
Cost = tuple[int, int]  # leaves, and the sum of their depths

_MOST_SUM = 20_000  # points up to which reachable sums are listed


@dataclass(frozen=True, slots=True)
class TreeState:
    """More than `needed` points give the positive class; each of `pairs` gives its points or none."""

    needed: int
    pairs: tuple[int, ...]
    others: tuple[OpenCases, ...]  # columns with three or more cases, the lowest with 0 points


class TooManyStatesError(Exception):
    """There are more states than the limit."""


def state_of(columns: list[OpenCases], needed: int) -> TreeState | bool:
    """The state with these cases left, or the class if it is certain."""
    pairs, others = [], []
    most = 0
    for cases in columns:
        least = min(points for _, points in cases)
        needed -= least
        spread = max(points for _, points in cases) - least
        if spread == 0:
            continue
        most += spread
        if len(cases) == 2:
            pairs.append(spread)
        else:
            others.append(tuple(sorted((answers, points - least) for answers, points in cases)))
    if needed < 0:
        return True
    if most <= needed:
        return False
    return _reduced(needed, pairs, others)


def _reduced(needed: int, pairs: list[int], others: list[OpenCases]) -> TreeState:
    pairs = [min(spread, needed + 1) for spread in pairs]
    if not others:
        unit = gcd(*pairs)
        pairs, needed = [spread // unit for spread in pairs], needed // unit
        if sum(pairs) <= _MOST_SUM:
            sums = 1
            for spread in pairs:
                sums |= sums << spread
            needed = (sums & ((1 << (needed + 1)) - 1)).bit_length() - 1
            pairs = [min(spread, needed + 1) for spread in pairs]
    return TreeState(needed, tuple(sorted(pairs)), tuple(sorted(others)))


def fewest_leaves(spreads: list[int], needed: int) -> int:
    """Number of leaves of the smallest tree over columns with two cases, from their spreads.

    The leaves are the sets that are just enough for a class; see `supersparse.card.explain.tree`.

    >>> fewest_leaves([1] * 12, 5)
    1716
    """
    return _just_enough(spreads, needed) + _just_enough(spreads, sum(spreads) - needed - 1)


def _just_enough(spreads: list[int], needed: int) -> int:
    """Number of sets that exceed `needed`, but not without their smallest spread."""
    if needed < 0:
        return 1  # the empty set
    sets, found = {0: 1}, 0  # insufficient sets by their sum
    for spread in sorted(spreads, reverse=True):
        for total, count in list(sets.items()):
            if total + spread > needed:
                found += count
            else:
                sets[total + spread] = sets.get(total + spread, 0) + count
    return found


def splits(cases: OpenCases) -> list[tuple[int, OpenCases, OpenCases]]:
    """The open questions: their positions, and the cases left after yes and after no."""
    if len({points for _, points in cases}) == 1:
        return []
    found = []
    for j in range(len(cases[0][0])):
        yes = tuple(case for case in cases if case[0][j])
        if 0 < len(yes) < len(cases):
            found.append((j, yes, tuple(case for case in cases if not case[0][j])))
    return found


@dataclass(slots=True)
class Smallest:
    """Costs of the smallest trees, one per state; gives up after a maximum number of states."""

    most_states: int
    known: dict[TreeState, Cost] = field(default_factory=dict)

    def cost(self, state: TreeState | bool) -> Cost:
        """The number of leaves of the smallest tree, then the smallest sum of their depths."""
        if isinstance(state, bool):
            return 1, 0
        found = self.known.get(state)
        if found is None:
            if len(self.known) >= self.most_states:
                raise TooManyStatesError
            found = min(map(self.together, self._ways(state)))
            self.known[state] = found
        return found

    def together(self, way: tuple[TreeState | bool, TreeState | bool]) -> Cost:
        """The cost of a question that leads to these two states."""
        (first, first_depth), (second, second_depth) = self.cost(way[0]), self.cost(way[1])
        leaves = first + second
        return leaves, first_depth + second_depth + leaves

    def _ways(self, state: TreeState) -> set[tuple[TreeState | bool, TreeState | bool]]:
        """The states that the open questions lead to."""
        found = set()
        as_cases: list[OpenCases] = [(((False,), 0), ((True,), spread)) for spread in state.pairs]
        columns = [*as_cases, *state.others]
        previous = None
        for i, cases in enumerate(columns):
            if cases == previous:
                continue
            previous = cases
            rest = columns[:i] + columns[i + 1 :]
            for _, yes, no in splits(cases):
                found.add((state_of([*rest, yes], state.needed), state_of([*rest, no], state.needed)))
        return found

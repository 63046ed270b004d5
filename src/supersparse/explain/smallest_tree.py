"""How small a tree can be: dynamic programming over what is left to ask, in whole numbers.

Only the points that are still needed and the cases that are left matter, not the way there. A column with
two cases left is known by how far apart their points are, which makes most states equal; so do two
reductions that keep the class for all answers: points beyond what is needed count as just enough, and what is
needed is the greatest sum, up to it, that can be reached.
"""

from dataclasses import dataclass, field
from math import gcd

OpenCases = tuple[tuple[tuple[bool, ...], int], ...]  # answers to the questions of a column, and points
Cost = tuple[int, int]  # leaves, and the sum of their depths

_MOST_SUM = 20_000  # of points, up to which the sums that can be reached are listed


@dataclass(frozen=True, slots=True)
class TreeState:
    """More than `needed` points give the positive class; `pairs` may give theirs or nothing."""

    needed: int
    pairs: tuple[int, ...]
    others: tuple[OpenCases, ...]  # columns with three cases or more, the least of them with 0 points


class TooManyStatesError(Exception):
    """The states are more than were allowed."""


def state_of(columns: list[OpenCases], needed: int) -> TreeState | bool:
    """The state with these cases left; or the class, where it is certain."""
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
    """The leaves of the smallest tree over columns of two cases, so far apart.

    They are the sets that are just enough for a class, see `supersparse.explain.tree`.

    >>> fewest_leaves([1] * 12, 5)
    1716
    """
    return _just_enough(spreads, needed) + _just_enough(spreads, sum(spreads) - needed - 1)


def _just_enough(spreads: list[int], needed: int) -> int:
    """How many sets have more than needed, and not without the smallest of their spreads."""
    if needed < 0:
        return 1  # the empty set
    sets, found = {0: 1}, 0  # by their sum, those that are not enough
    for spread in sorted(spreads, reverse=True):
        for total, count in list(sets.items()):
            if total + spread > needed:
                found += count
            else:
                sets[total + spread] = sets.get(total + spread, 0) + count
    return found


def splits(cases: OpenCases) -> list[tuple[int, OpenCases, OpenCases]]:
    """The questions that are open: their places, and the cases left after yes and after no."""
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
    """Costs of the smallest trees, each state once; gives up after so many states."""

    most_states: int
    known: dict[TreeState, Cost] = field(default_factory=dict)

    def cost(self, state: TreeState | bool) -> Cost:
        """The leaves of the smallest tree, then the least sum of their depths."""
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
        """Where the open questions lead."""
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

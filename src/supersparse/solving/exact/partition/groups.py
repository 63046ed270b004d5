"""Groups of columns and the states a model can leave them in.

The usable columns are split into groups; any split is valid. A *state* of a group says which of
its columns are *available*: the others have coefficient 0. Its `cost` is a lower bound on what
every model in that state pays for the group. A group of one column has the states "in" and "out".

A *one-hot* group has columns f1..fk that add up to the same constant on every point. A balanced set
(`balanced`) takes as many positives as negatives, so on a one-hot group it is balanced on all k
columns as soon as it is on k - 1 of them: the last column's sum is the constant times the number of
points less the others. So all supports with at least k - 1 columns share the state "full": all k columns
available, cost the k - 1 cheapest. This needs nothing of the coefficient sets nor of b: with k columns available
every model of k - 1 or k columns is covered, and none pays less than the k - 1 cheapest. (That k - 1
columns and b reach as far as k columns is *not* claimed; with bounded coefficients it is false.)
The other states are the sets of at most k - 2 columns, each at its own cost.

Groups of more than `LARGEST` columns are left as single columns: they would have about 2^k states.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from supersparse.solving.exact.instance import Ints
from supersparse.solving.exact.partition.net_points import NetPoints

LARGEST = 4
_MOST_STEPS = 3000  # of the search for the columns that complete a group


@dataclass(frozen=True)
class State:
    """Columns that may have a coefficient other than 0, and the least that costs in kernel units."""

    available: frozenset[int]
    cost: int


@dataclass(frozen=True)
class Group:
    """Columns and their states; in the first state all columns are available."""

    columns: tuple[int, ...]
    states: tuple[State, ...]


def find_groups(points: NetPoints) -> tuple[Group, ...]:
    """Split the usable columns into one-hot groups and single columns."""
    left = [int(f) for f in points.usable]
    is_binary = {f: _is_binary(points.x[:, f]) for f in left}
    members = {f: points.x[:, f] == points.x[:, f].max(initial=0) for f in left if is_binary[f]}
    groups = []
    while left:
        first = left[0]
        columns = _one_hot(first, [f for f in left if is_binary[f]], members) if is_binary[first] else None
        if columns is not None and len(columns) <= LARGEST:
            groups.append(_one_hot_group(points, columns))
        else:
            columns = (first,)
            groups.append(Group(columns, tuple(_states(points, columns, most=1))))
        left = [f for f in left if f not in columns]
    return tuple(groups)


def _is_binary(column: Ints) -> bool:
    """Whether a column has two values, the lower one 0: then one-hot groups add up to the same."""
    values = np.unique(column)
    return len(values) == 2 and values[0] == 0


def _one_hot(first: int, columns: list[int], members: dict[int, np.ndarray]) -> tuple[int, ...] | None:
    """Find columns that together with `first` hold every point exactly once, near ones first."""
    level = None
    near = sorted((f for f in columns if f != first), key=lambda f: (abs(f - first), f))
    steps = 0

    def complete(chosen: list[int], uncovered: np.ndarray) -> list[int] | None:
        nonlocal steps
        steps += 1
        if not uncovered.any():
            return chosen
        if steps > _MOST_STEPS or len(chosen) >= LARGEST:
            return None
        point = int(np.argmax(uncovered))
        for f in near:
            if members[f][point] and not (members[f] & ~uncovered).any():
                found = complete([*chosen, f], uncovered & ~members[f])
                if found is not None:
                    return found
        return None

    found = complete([first], ~members[first])
    return None if found is None or level is not None else tuple(sorted(found))


def _one_hot_group(points: NetPoints, columns: tuple[int, ...]) -> Group:
    costs = sorted(int(points.cost[f]) for f in columns)
    full = State(frozenset(columns), sum(costs[:-1]))
    return Group(columns, (full, *_states(points, columns, most=len(columns) - 2)))


def _states(points: NetPoints, columns: tuple[int, ...], *, most: int) -> list[State]:
    """Sets of at most `most` columns, larger ones first; those without a forced column do not occur."""
    forced = set(points.forced.tolist()) & set(columns)
    return [
        State(frozenset(chosen), sum(int(points.cost[f]) for f in chosen))
        for size in range(most, -1, -1)
        for chosen in combinations(columns, size)
        if forced <= set(chosen)
    ]

"""Groups of columns and the states a model can leave them in.

The usable columns are split into groups; any split is valid. A *state* of a group says which of
its columns are *available*: the others have coefficient 0. Its `cost` is a lower bound on what
every model in that state pays for the group. A group of one column has the states "in" and "out".

A *one-hot* group has two-valued columns f1..fk, of which each point holds exactly one. A balanced set
(`balanced`) takes as many positives as negatives, so on a one-hot group it is balanced on all k
columns as soon as it is on k - 1 of them: what the last one holds is the number of points less the
others. So all supports with at least k - 1 columns share the state "full": all k columns available,
cost the k - 1 cheapest. This needs nothing of the coefficient sets nor of b: with k columns available
every model of k - 1 or k columns is covered, and none pays less than the k - 1 cheapest. (That k - 1
columns and b reach as far as k columns is *not* claimed; with bounded coefficients it is false.)
The other states are the sets of at most k - 2 columns, each at its own cost.

Groups of more than `LARGEST` columns are left as single columns: they would have about 2^k states.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from supersparse.solving.exact.instance import Flags
from supersparse.solving.exact.partition.net_points import NetPoints

LARGEST = 4
_MOST_STEPS = 200  # of the search for the columns that complete a group


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
    holds, two_valued = points.level > 0, points.level.max(axis=0, initial=0) <= 1
    groups = []
    while left:
        columns = _one_hot([f for f in left if two_valued[f]], holds) if two_valued[left[0]] else None
        if columns is not None:
            groups.append(_one_hot_group(points, columns))
        else:
            columns = (left[0],)
            groups.append(Group(columns, tuple(_states(points, columns, most=1))))
        left = [f for f in left if f not in columns]
    return tuple(groups)


def _one_hot(columns: list[int], holds: Flags) -> tuple[int, ...] | None:
    """Find a few columns, the first one among them, that hold every point exactly once."""
    near = columns[1:]
    steps = 0

    def complete(chosen: list[int], open_points: Flags) -> list[int] | None:
        nonlocal steps
        steps += 1
        if not open_points.any():
            return chosen
        if steps > _MOST_STEPS or len(chosen) == LARGEST:
            return None
        point = int(np.argmax(open_points))
        for f in near:
            if holds[point, f] and not (holds[:, f] & ~open_points).any():
                found = complete([*chosen, f], open_points & ~holds[:, f])
                if found is not None:
                    return found
        return None

    found = complete([columns[0]], ~holds[:, columns[0]])
    return None if found is None or len(found) == 1 else tuple(sorted(found))


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

"""Symmetries: permutations of columns and points under which the problem stays the same.

A symmetry permutes the columns, groups onto groups, such that penalties, values and coefficient hulls are kept and the
rows, permuted alike, are the same points with the same classes and weights. Each one is checked on the rows. The search
maps one column after the other and compares, for both classes, how much weight each pair of columns has in common. It
gives up, with the identity alone, when there are too many symmetries or too many steps.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.exact.partition.certificate import Allowed, BalancedSets, ColumnGroup, NetPoints, finest
from supersparse.engine.exact.partition.lp import never
from supersparse.engine.integer_form import OPEN

MOST_SYMMETRIES = 128
_MOST_STEPS = 30_000  # comparisons of one column with another


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The image of each column, point, group and, within a group, state."""

    column: Ints
    point: Ints
    group: tuple[int, ...]
    state: tuple[tuple[int, ...], ...]


def find_symmetries(points: NetPoints, groups: tuple[ColumnGroup, ...]) -> tuple[Symmetry, ...]:
    """Return a group of symmetries, the identity first."""
    order = [f for g in groups for f in g.columns]
    symmetries = []
    for image in _images(points, groups, order):
        symmetry = _symmetry(points, groups, order, image)
        if symmetry is not None:
            symmetries.append(symmetry)
        if len(symmetries) > MOST_SYMMETRIES:
            symmetries = []
            break
    if not _is_closed(symmetries):
        symmetries = [s for s in [_symmetry(points, groups, order, tuple(order))] if s is not None]
    return tuple(sorted(symmetries, key=lambda s: s.column.tolist()))


def _is_closed(symmetries: list[Symmetry]) -> bool:
    """A finite set of permutations that is closed under products is a group."""
    known = {s.column.tobytes() for s in symmetries}
    return bool(symmetries) and all(a.column[b.column].tobytes() in known for a in symmetries for b in symmetries)


def _images(points: NetPoints, groups: tuple[ColumnGroup, ...], order: list[int]) -> list[tuple[int, ...]]:
    """List the maps of columns that keep penalties, hulls, groups and common weights; empty when too many."""
    by_class = [
        points.level[points.sign == s].T * points.weight[points.sign == s] @ points.level[points.sign == s]
        for s in (1, -1)
    ]
    group_of = {f: g for g, group in enumerate(groups) for f in group.columns}
    forced = set(points.forced.tolist())
    kind = {  # what a column and its image must share
        f: (
            *(int(v[f]) for v in (points.feature_penalty, points.low, points.high)),
            *(int(v) for v in (points.x[:, f].min(initial=OPEN), points.x[:, f].max(initial=-OPEN))),
            f in forced,
            len(groups[group_of[f]].columns),
        )
        for f in order
    }
    images: list[tuple[int, ...]] = []
    steps = 0

    def fits(image: list[int], new: int) -> bool:
        nonlocal steps
        steps += 1
        f = order[len(image)]
        if new in image or kind[f] != kind[new]:
            return False
        old, seen = [*order[: len(image)], f], [*image, new]
        if any((common[f, old] != common[new, seen]).any() for common in by_class):
            return False
        return all(
            (group_of[f] == group_of[o]) == (group_of[new] == group_of[s]) for o, s in zip(old, seen, strict=True)
        )

    def extend(image: list[int]) -> bool:
        if steps > _MOST_STEPS or len(images) > MOST_SYMMETRIES:
            return False
        if len(image) == len(order):
            images.append(tuple(image))
            return True
        return all(extend([*image, new]) for new in order if fits(image, new))

    return images if extend([]) else []


def _symmetry(
    points: NetPoints, groups: tuple[ColumnGroup, ...], order: list[int], image: tuple[int, ...]
) -> Symmetry | None:
    """Complete a map of columns to a symmetry; None when the rows do not agree."""
    column = np.arange(points.n_features)
    column[order] = image
    moved = np.zeros_like(points.level)
    moved[:, column] = points.level
    used = sorted(order)
    where: dict[tuple[bytes, int, int], list[int]] = {}
    for i in range(points.n):
        where.setdefault(_key(points, points.level, i, used), []).append(i)
    point = []
    for i in range(points.n):
        same = where.get(_key(points, moved, i, used))
        if not same:
            return None
        point.append(same.pop(0))
    group_at = {frozenset(g.columns): t for t, g in enumerate(groups)}
    group, state = [], []
    for g in groups:
        t = group_at[frozenset(int(column[f]) for f in g.columns)]
        at = {s.available: k for k, s in enumerate(groups[t].states)}
        group.append(t)
        state.append(tuple(at[frozenset(int(column[f]) for f in s.available)] for s in g.states))
    return Symmetry(column, np.array(point), tuple(group), tuple(state))


def _key(points: NetPoints, level: Ints, i: int, used: list[int]) -> tuple[bytes, int, int]:
    return level[i, used].tobytes(), int(points.sign[i]), int(points.weight[i])


def stabiliser(symmetries: tuple[Symmetry, ...], allowed: Allowed) -> tuple[Symmetry, ...]:
    return tuple(
        s
        for s in symmetries
        if all({s.state[j][c] for c in states} == set(allowed[s.group[j]]) for j, states in enumerate(allowed))
    )


def group_orbits(symmetries: tuple[Symmetry, ...], allowed: Allowed) -> list[list[int]]:
    seen: set[int] = set()
    result = []
    for j, states in enumerate(allowed):
        if len(states) > 1 and j not in seen:
            members = sorted({s.group[j] for s in symmetries})
            seen.update(members)
            result.append(members)
    return result


def orbits(permutations: list[Ints]) -> Ints:
    """Number the orbits of a group, given all of its permutations."""
    least = np.min(permutations, axis=0)
    return cast(Ints, np.unique(least, return_inverse=True)[1].reshape(-1))


_MOST_PAIRS_KEPT = 20_000_000


class Context:
    """The points, the groups, the symmetries, and the balanced sets of the columns met last."""

    def __init__(self, points: NetPoints, groups: tuple[ColumnGroup, ...], symmetries: tuple[Symmetry, ...]) -> None:
        self.points, self.groups, self.symmetries = points, groups, symmetries
        self.interrupted: Callable[[], bool] = never
        self.fine = finest(points, groups)
        self._sets: OrderedDict[tuple[int, ...], BalancedSets] = OrderedDict()

    def sets(self, columns: list[int]) -> BalancedSets:
        """The balanced sets on some columns, kept for later nodes while memory allows."""
        key = tuple(columns)
        if key in self._sets:
            self._sets.move_to_end(key)
            return self._sets[key]
        made = self._sets[key] = BalancedSets(self.points, columns)
        while len(self._sets) > 1 and sum(s.n_pairs for s in self._sets.values()) > _MOST_PAIRS_KEPT:
            self._sets.popitem(last=False)
        return made

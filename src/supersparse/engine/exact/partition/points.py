"""The data of the partition bound: net points and groups of columns."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.integer_form import OPEN, IntegerForm

MOST_ROWS = 50_000
"""Points times states of single columns: about the rows of a node's linear program without symmetries."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetPoints:
    """Points of one sign each; entries, coefficients and b are those of the integer form."""

    x: Ints  # (points, features)
    level: Ints  # the same less each column's least entry, over the common divisor: 0 and 1 for two values
    sign: Ints  # +1 or -1
    weight: Ints
    base_loss: int
    feature_penalty: Ints  # the least penalty of each feature that is used, C1 included
    low: Ints  # the hull of each feature's coefficients and 0
    high: Ints
    usable: Ints  # features that may be different from 0
    forced: Ints  # features that must be
    margin: Fraction  # how far a right point's score is from 0 at least

    @property
    def n(self) -> int:
        return len(self.sign)

    @property
    def n_features(self) -> int:
        """Number of columns, usable or not."""
        return int(self.x.shape[1])


def net_points(form: IntegerForm) -> NetPoints:
    """Read the points of an exact form."""
    difference = form.positive - form.negative
    level = form.columns - form.columns.min(axis=1, initial=OPEN, keepdims=True)
    level //= np.maximum(1, np.gcd.reduce(level, axis=1, keepdims=True))
    most = MOST_ROWS // (1 + 4 * sum(1 for values in form.values if values.largest) // 3)
    kept = np.flatnonzero(difference)
    if len(kept) > most:
        kept = np.sort(np.concatenate([_heaviest(difference, most // 2), _heaviest(-difference, most // 2)]))
    least = np.array([values.smallest or 0 for values in form.values], np.int64)
    return NetPoints(
        x=np.ascontiguousarray(form.columns.T[kept]),
        level=np.ascontiguousarray(level.T[kept]),
        sign=np.sign(difference[kept]),
        weight=np.abs(difference[kept]),
        base_loss=int(np.minimum(form.positive, form.negative).sum()),
        feature_penalty=form.used_penalty + form.l1_penalty * least,
        low=np.array([min(0, values.least) for values in form.values], np.int64),
        high=np.array([max(0, values.greatest) for values in form.values], np.int64),
        usable=np.array([f for f, values in enumerate(form.values) if values.largest], np.int64),
        forced=np.array([f for f, values in enumerate(form.values) if not values.has_zero], np.int64),
        margin=Fraction(1, 2) if form.half else Fraction(1),
    )


def _heaviest(weight: Ints, most: int) -> Ints:
    of_class = np.flatnonzero(weight > 0)
    by_weight = of_class[np.argsort(-weight[of_class], kind="stable")]
    return by_weight[:most]


LARGEST = 4
_MOST_STEPS = 200  # of the search for the columns that complete a group


@dataclass(frozen=True)
class GroupState:
    """Columns that may have a coefficient other than 0, and the least penalty of that state."""

    available: frozenset[int]
    penalty: int


@dataclass(frozen=True)
class ColumnGroup:
    """Columns and their states; in the first state all columns are available."""

    columns: tuple[int, ...]
    states: tuple[GroupState, ...]


def find_groups(points: NetPoints) -> tuple[ColumnGroup, ...]:
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
            groups.append(ColumnGroup(columns, tuple(_states(points, columns, most=1))))
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
                completed = complete([*chosen, f], open_points & ~holds[:, f])
                if completed is not None:
                    return completed
        return None

    group = complete([columns[0]], ~holds[:, columns[0]])
    return None if group is None or len(group) == 1 else tuple(sorted(group))


def _one_hot_group(points: NetPoints, columns: tuple[int, ...]) -> ColumnGroup:
    penalties = sorted(int(points.feature_penalty[f]) for f in columns)
    full = GroupState(frozenset(columns), sum(penalties[:-1]))
    return ColumnGroup(columns, (full, *_states(points, columns, most=len(columns) - 2)))


def _states(points: NetPoints, columns: tuple[int, ...], *, most: int) -> list[GroupState]:
    """Sets of at most `most` columns, larger ones first; those without a forced column do not occur."""
    forced = set(points.forced.tolist()) & set(columns)
    return [
        GroupState(frozenset(chosen), sum(int(points.feature_penalty[f]) for f in chosen))
        for size in range(most, -1, -1)
        for chosen in combinations(columns, size)
        if forced <= set(chosen)
    ]

"""Branching on the relaxation of a node: its estimate without some columns, and the column to split on.

A column with a large effect is likely to be used. Without it the loss rises, as the curvature says, which
closes the part where it is out. Where columns are of different scales, the loss rises with it as well, since
its fewest points are too many: that closes the part where it is used.
"""

from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.risk.instance import RiskInstance

_LEAST = 1e-200  # spread of a column: rounding may leave none, or less


class Relaxation(NamedTuple):
    """The result of a relaxation on its columns, as `relax` returns it."""

    passed: bool
    bound: float
    loss: float
    columns: Ints
    optional: Ints
    cost: Floats
    point: Floats  # (slope, intercept, beta...)
    dual: Floats
    gram: Floats  # curvature near the point, with the intercept first

    def places(self, columns: Ints) -> Ints:
        """Where these are among the columns."""
        order = np.argsort(self.columns)
        positions: Ints = order[np.searchsorted(self.columns, columns, sorter=order)]
        return positions

    def spread(self) -> Floats | None:
        """The inverse of the curvature; None if there is none."""
        if not self.gram[0, 0] > 0:
            return None
        curvature = self.gram.copy()
        curvature.flat[:: len(curvature) + 1] *= 1 + 1e-9
        try:
            inverse: Floats = np.linalg.inv(curvature).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return None
        return inverse

    def rises(self, spread: Floats, change: Floats | None = None) -> Floats:
        """About twice what the loss rises by if each column alone changes by so much, or is left out."""
        change = self.point[2:] if change is None else change
        changes: Floats = change**2 / np.maximum(np.diag(spread)[1:], _LEAST)
        return changes

    def effects(self, spread: Floats, slack: float) -> Floats:
        """About the least effect of each column where the loss may be larger by `slack`."""
        sizes: Floats = np.abs(self.point[2:]) - np.sqrt(2 * slack * np.maximum(np.diag(spread)[1:], 0.0))
        return sizes

    def point_without(self, columns: Ints, spread: Floats, point: Floats) -> Floats:
        """About where the relaxation without some columns ends; `point` has all columns, as a node has."""
        at = 1 + self.places(columns)
        if len(at) == 1:
            place = int(at[0])
            moved = self.point[1:] - spread[:, place] * (self.point[1 + place] / max(spread[place, place], 1e-300))
        else:
            try:
                pull = np.linalg.solve(spread[np.ix_(at, at)], self.point[1 + at])
            except np.linalg.LinAlgError:
                return point
            moved = self.point[1:] - spread[:, at] @ pull
        changed = point.copy()
        changed[1] = moved[0]
        changed[2 + self.columns] = moved[1:]
        changed[2 + columns] = 0.0
        return changed


_BY_EFFECT, _BY_EFFECT_ALIKE = 0.35, 0.5  # powers of the effect, the second for columns of one scale
_UNSURE = 0.03  # of what is left to the best card: effects are the least that a loss larger by this allows
_MOST_TOLD = 2.0  # times what is left to the best card: a rise of more counts for no more
_TELLS = 2.2  # of what is left to the best card: what it must cost that points are not between -1 and 1


class Branching:
    """Compares the columns of a relaxation."""

    def __init__(self, instance: RiskInstance) -> None:
        self._instance = instance
        self._has_bits = len(instance.bits.all) > 0
        self.is_of_one_scale = bool(instance.data.slope_is_free) and not self._has_bits and instance.is_of_one_scale
        self._fewest, self._most = instance.steps()

    def missing(self, relaxed: Relaxation) -> Floats:
        """How far each column is below its fewest points, at any slope that the relaxation can have."""
        effect, columns, slope = np.abs(relaxed.point[2:]), relaxed.columns, 1.0
        if self._instance.data.slope_is_free:
            shares = effect / self._most[columns]
            slope = max(float(shares.max()), float(shares.sum()) / self._instance.most_features)
        missing: Floats = np.maximum(slope * self._fewest[columns] - effect, 0.0)
        return missing

    def promises(self, relaxed: Relaxation, spread: Floats | None, missing: Floats, left: float) -> Floats:
        """How much it promises to split on each column; `left` is how far the best card's loss is above.

        `spread` is the inverse of the curvature. Cells exclude the supports of binary columns, for which the
        effect alone is as good.
        """
        effect = np.abs(relaxed.point[2:])
        if spread is None or self._has_bits:
            return effect
        rises = relaxed.rises(spread)
        if self.is_of_one_scale:
            effect = np.maximum(relaxed.effects(spread, _UNSURE * max(left, 0.0)), 1e-12)
            return effect**_BY_EFFECT_ALIKE * np.sqrt(rises) ** (1 - _BY_EFFECT_ALIKE)
        with_it = 0.5 * relaxed.rises(spread, missing)
        gain = 1 + np.minimum(with_it / max(left, 1e-12), _MOST_TOLD)
        return gain * effect**_BY_EFFECT * np.sqrt(rises) ** (1 - _BY_EFFECT)

    def is_by_sign(self, relaxed: Relaxation, j: int, missing: Floats, left: float) -> bool:
        """Whether it tells a lot that a column in use has points; if not, signs only double the nodes.

        With slope 1 it does. Otherwise it does where some are missing and, if columns are of one scale, to
        give it these costs a good share of what is left to the best card.
        """
        if not self._instance.data.slope_is_free or self._has_bits:
            return not self._instance.data.slope_is_free
        gram, at = relaxed.gram, int(np.flatnonzero(relaxed.columns == j)[0])
        curve = float(gram[1 + at, 1 + at] - gram[1 + at, 0] ** 2 / max(gram[0, 0], 1e-300))
        much = _TELLS * max(left, 0.0) if self.is_of_one_scale else 0.0
        return 0.5 * curve * float(missing[at]) ** 2 > much

"""Relaxed: what the relaxation of a node has found, and what it says of the node without some columns."""

from typing import NamedTuple

import numpy as np

from supersparse.engine.risk.node import Floats, Ints

_LEAST = 1e-200  # spread of a column: rounding may leave none, or less


class Relaxed(NamedTuple):
    """What a relaxation has found on its columns, as `relax` returns it."""

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
        found: Ints = order[np.searchsorted(self.columns, columns, sorter=order)]
        return found

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
        found: Floats = change**2 / np.maximum(np.diag(spread)[1:], _LEAST)
        return found

    def effects(self, spread: Floats, slack: float) -> Floats:
        """About the least effect of each column where the loss may be larger by `slack`."""
        found: Floats = np.abs(self.point[2:]) - np.sqrt(2 * slack * np.maximum(np.diag(spread)[1:], 0.0))
        return found

    def point_without(self, columns: Ints, spread: Floats, point: Floats) -> Floats:
        """About where the relaxation without some columns ends; `point` has all columns, as a node has."""
        at = 1 + self.places(columns)
        if len(at) == 1:
            own = int(at[0])
            moved = self.point[1:] - spread[:, own] * (self.point[1 + own] / max(spread[own, own], 1e-300))
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

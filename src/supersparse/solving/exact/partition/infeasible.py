"""Infeasible sets: points that bounded coefficients cannot all get right.

Let Q be points that are all right: y_i·(x_i·v + step·b) >= γ for i in Q. Scores are integers in the units of
the form, so γ = 1; with a free threshold they are odd multiples of a half, so γ = 1/2. Take any μ >= 0 on Q
with Σ_i y_i μ_i = 0 and put g_f = Σ_i y_i μ_i x_if. Multiply and add: b drops out, and

    γ Σ_i μ_i  <=  Σ_f v_f g_f  <=  Σ_f max(low_f·g_f, high_f·g_f)

for v_f between low_f and high_f, the hull of feature f's coefficients and 0; with a largest magnitude Λ_f
on both sides the right side is Σ_f Λ_f |g_f|. If the left side is larger after all, Q has a wrong point:
Σ_{i ∈ Q} z_i >= 1. Features that are not available have v_f = 0 and do not count. This holds for every
finite set of coefficients and every intercept, as b drops out; a balanced set is the case g = 0.
By Farkas' lemma an infeasible Q has such a μ whenever b and the coefficients may be fractional.

`InfeasibleSets` finds μ with a linear program in floats; `is_infeasible` believes integers only.
"""

import numpy as np

from supersparse.solving.exact.instance import Flags, Ints
from supersparse.solving.exact.partition.lp import FarkasLP, Floats
from supersparse.solving.exact.partition.net_points import NetPoints

_MARGIN = 2e-3  # by how much the inequality must be violated where Σ μ = 1
_FINE = 2**36


def is_infeasible(points: NetPoints, columns: list[int], chosen: Ints, mu: Ints) -> bool:
    """Check in Python's integers that multipliers prove a set of points to have a wrong one."""
    if len(mu) == 0 or (mu < 0).any():
        return False
    signed = [int(y) * int(m) for y, m in zip(points.sign[chosen], mu, strict=True)]
    if sum(signed) != 0:
        return False
    reach = 0
    for f in columns:
        g = sum(s * int(x) for s, x in zip(signed, points.x[chosen, f], strict=True))
        reach += max(int(points.low[f]) * g, int(points.high[f]) * g)
    return reach < points.margin * sum(int(m) for m in mu)


def to_integers(sign: Ints, mu: Floats) -> Ints:
    """Round multipliers to integers with Σ y μ = 0 exactly: the largest ones take up the difference."""
    rounded = np.rint(mu * (_FINE / max(float(mu.max(initial=0.0)), 1e-300))).astype(np.int64)
    excess = int((rounded * sign).sum())
    heavier = np.flatnonzero(sign == np.sign(excess)) if excess else np.zeros(0, np.int64)
    if len(heavier):
        rounded[heavier[np.argmax(rounded[heavier])]] -= abs(excess)
    return rounded


class InfeasibleSets:
    """Finds infeasible sets among given points, with the columns available at one leaf."""

    def __init__(self, points: NetPoints, columns: list[int]) -> None:
        self._points, self._columns = points, columns
        # in units of the margin, so that the linear program knows none
        x = points.x[:, columns].astype(np.float64) / float(points.margin)
        sign = points.sign.astype(np.float64)
        low, high = points.low[columns].astype(np.float64), points.high[columns].astype(np.float64)
        self._lp = FarkasLP(x, sign, low, high, margin=_MARGIN)

    def find(self, cost: Floats, usable: Flags) -> Ints | None:
        """Return an infeasible set of usable points, cheap ones preferred; None when none was found."""
        mu = self._lp.solve(cost, usable)
        if mu is None:
            return None
        chosen = np.flatnonzero(mu > 1e-9)
        exact = to_integers(self._points.sign[chosen], mu[chosen])
        if not is_infeasible(self._points, self._columns, chosen, exact):
            return None
        return chosen[exact > 0]

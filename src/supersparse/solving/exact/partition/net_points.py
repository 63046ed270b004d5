"""NetPoints: what the second bound knows of a problem, in kernel units.

As in `instance`, a distinct row with loss p when scored <= 0 and n when scored >= 0 costs at least
min(p, n) + |p - n|·[its heavier class is wrong]. The minima add up to `base`, the differences are
the weights of the net points; rows without a difference drop out. Of very many points only the
heaviest are kept: leaving points out lowers a bound, never makes it wrong.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from supersparse.solving.exact.instance import Ints
from supersparse.solving.integer_form import OPEN, IntegerForm

MOST_ROWS = 50_000
"""Points times states of single columns: about the rows of a node's linear program without symmetries."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetPoints:
    """Points of one sign each; entries, coefficients and b are those of the integer form."""

    x: Ints  # (points, features)
    level: Ints  # the same less each column's least entry, over the common divisor: 0 and 1 for two values
    sign: Ints  # +1 or -1
    weight: Ints
    base: int
    cost: Ints  # the least a feature costs when its coefficient is not 0
    low: Ints  # the hull of each feature's coefficients and 0
    high: Ints
    usable: Ints  # features that may be different from 0
    forced: Ints  # features that must be
    margin: Fraction  # how far a right point's score is from 0 at least

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.sign)

    @property
    def n_features(self) -> int:
        """Number of features."""
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
        base=int(np.minimum(form.positive, form.negative).sum()),
        cost=form.cost + form.cost_l1 * least,
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

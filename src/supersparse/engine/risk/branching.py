"""Which column a node is split on, and whether by sign, as far as its relaxation tells.

A column with a large effect is likely to be used. Without it the loss rises, as the curvature says, which
closes the part where it is out. Where columns are of different scales, the loss rises with it as well, since
its fewest points are too many: that closes the part where it is used.
"""

import numpy as np

from supersparse.engine.risk.instance import RiskInstance
from supersparse.engine.risk.node import Floats
from supersparse.engine.risk.relaxed import Relaxed

_BY_EFFECT, _BY_EFFECT_ALIKE = 0.35, 0.5  # powers of the effect, the second for columns of one scale
_UNSURE = 0.03  # of what is left to the best card: effects are the least that a loss larger by this allows
_MOST_TOLD = 2.0  # times what is left to the best card: a rise of more counts for no more
_TELLS = 2.2  # of what is left to the best card: what it must cost that points are not between -1 and 1


class Branching:
    """Compares the columns of a relaxation."""

    def __init__(self, instance: RiskInstance) -> None:
        self._instance = instance
        self._has_bits = len(instance.bits.all) > 0
        self.is_of_one_scale = (
            bool(instance.data.slope_is_free) and not self._has_bits and instance.is_of_one_scale
        )
        self._fewest, self._most = instance.steps()

    def missing(self, relaxed: Relaxed) -> Floats:
        """What each column has less than its fewest points, at any slope that the relaxation can have."""
        effect, columns, slope = np.abs(relaxed.point[2:]), relaxed.columns, 1.0
        if self._instance.data.slope_is_free:
            shares = effect / self._most[columns]
            slope = max(float(shares.max()), float(shares.sum()) / self._instance.most_features)
        missing: Floats = np.maximum(slope * self._fewest[columns] - effect, 0.0)
        return missing

    def promises(self, relaxed: Relaxed, spread: Floats | None, missing: Floats, left: float) -> Floats:
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
        told = 1 + np.minimum(with_it / max(left, 1e-12), _MOST_TOLD)
        return told * effect**_BY_EFFECT * np.sqrt(rises) ** (1 - _BY_EFFECT)

    def is_by_sign(self, relaxed: Relaxed, j: int, missing: Floats, left: float) -> bool:
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

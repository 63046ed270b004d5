"""Room for the kernels: the best card, the support at hand, and the cells of an enumeration."""

import numpy as np

from supersparse.engine.kernels.risk_cells import Cells
from supersparse.engine.kernels.risk_data import Best, Boxes, Settled, Support
from supersparse.engine.risk.instance import RiskInstance

_MOST_CELLS = 512
_SETTLED = 100
_QUADRATICS = 10  # one inside the other


def new_best(instance: RiskInstance) -> Best:
    """No card yet."""
    return Best(np.array([np.inf]), instance.data.zero.copy(), np.array([1.0, 0.0]))


def copy_best(source: Best, target: Best) -> None:
    """Make one best card the same as another."""
    for mine, other in zip(target, source, strict=True):
        mine[:] = other


def new_settled(instance: RiskInstance) -> Settled:
    """Room for cards that features were swapped in."""
    return Settled(np.zeros((_SETTLED, len(instance.kept)), np.int64), np.zeros(1, np.int64))


def new_support(instance: RiskInstance, room_for_cards: int = 0) -> Support:
    """Room for one support, and for cards to be listed."""
    data, k = instance.data, max(1, instance.most_features)
    n = data.x.shape[1]
    return Support(
        state=np.zeros(5, np.int64),
        columns=np.zeros(k + 1, np.int64),
        order=np.arange(k + 1),
        x=np.zeros((k + 1, n)),
        positive=np.zeros(n),
        negative=np.zeros(n),
        work=np.zeros((8, n)),
        ids=np.zeros(n, np.int32),
        counts=np.zeros(6, np.int64),
        floor=np.array([np.inf]),
        found=np.zeros((room_for_cards, 1 + 2 * (k + 1)), np.int64),
        found_bound=np.zeros(room_for_cards),
    )


def new_boxes(instance: RiskInstance) -> Boxes:
    """Room for the boxes of one support."""
    k = max(1, instance.most_features)
    spread = np.sort(instance.high - instance.low)[::-1][:k].sum() if len(instance.low) else 0
    deep = int(spread) + 4
    return Boxes(
        low=np.zeros((deep, k + 1), np.int64),
        high=np.zeros((deep, k + 1), np.int64),
        points=np.zeros((deep, k + 3)),
        quadratic=np.zeros(deep, np.int64),
        quadratics=np.zeros((_QUADRATICS, 4, k + 3, k + 5)),
    )


def new_cells(instance: RiskInstance) -> Cells:
    """Room for the cells of every level."""
    levels = instance.most_features + 2
    n, words = instance.data.x.shape[1], len(instance.bits.all)
    cells = min(_MOST_CELLS, 2 ** min(levels, 20)) if words else 0
    return Cells(
        ids=np.zeros((levels, 0 if words else n), np.int32),
        groups=np.zeros(levels, np.int64),
        masks=np.zeros((levels, cells, words), np.uint64),
        positive=np.zeros((levels, cells), np.int64),
        negative=np.zeros((levels, cells), np.int64),
        position=np.zeros(levels, np.int64),
        state=np.zeros(2, np.int64),
    )

"""Context: what all nodes share."""

from collections import OrderedDict
from collections.abc import Callable

from supersparse.solving.exact.partition.balanced import BalancedSets
from supersparse.solving.exact.partition.certificate import finest
from supersparse.solving.exact.partition.groups import Group
from supersparse.solving.exact.partition.lp import never
from supersparse.solving.exact.partition.net_points import NetPoints
from supersparse.solving.exact.partition.symmetry import Symmetry

_MOST_PAIRS_KEPT = 20_000_000


class Context:
    """The points, the groups, the symmetries, and the balanced sets of the columns met last."""

    def __init__(
        self, points: NetPoints, groups: tuple[Group, ...], symmetries: tuple[Symmetry, ...]
    ) -> None:
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

"""The linear program behind a node's bound, by orbits of points and groups.

It is the best cost partition of `certificate`, restricted to the balanced sets known so far:

    max  Σ u0 + Σ_j v_j      v_j <= cost(c) + Σ u^{j,c}            for each state c of group j
                             load^{j,c}_i <= θ^j_i                 for each state and point
                             load0_i + Σ_j θ^j_i <= w_i            for each point

Averaging a partition over the node's symmetries keeps it feasible and as good. So one group j of each
orbit J carries variables, its points taken by orbits of the symmetries that fix j and its states, and
the row of a point orbit holds Σ_J |J|·(mean of θ^j over the orbit). A state that makes all of its
group's top available needs no sets of its own: they would be no other than those of u0.
"""

from dataclasses import dataclass

import numpy as np

from supersparse.solving.exact.instance import Flags, Ints
from supersparse.solving.exact.partition.certificate import Allowed, top
from supersparse.solving.exact.partition.context import Context
from supersparse.solving.exact.partition.lp import Columns, Floats, GrowingLP
from supersparse.solving.exact.partition.symmetry import Symmetry, group_orbits, orbits


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """Sets that share their available columns: those of state c of group j, or of u0 (group -1)."""

    group: int
    state: int
    times: int  # groups in the orbit
    columns: list[int]
    orbit: Ints  # of each point
    size: Ints  # of each orbit
    first_row: int
    value_row: int  # -1: u0 counts in the objective itself

    def column(self, orbits_hit: list[int]) -> tuple[float, dict[int, float]]:
        """Value and entries of a set that has points in these orbits, with repeats."""
        entries: dict[int, float] = {}
        for o in orbits_hit:
            row = self.first_row + o
            entries[row] = entries.get(row, 0.0) + 1.0 / float(self.size[o])
        if self.value_row < 0:
            return 1.0, entries
        entries[self.value_row] = -1.0
        return 0.0, entries


@dataclass(frozen=True, eq=False, kw_only=True)
class Program:
    """The program without any sets yet; costs and weights are divided by `unit`."""

    lp: GrowingLP
    families: list[Family]
    limits: Floats
    is_value_row: Flags
    end_row: dict[int, int]  # the value row of a group's state without sets of its own
    unit: float


def build(context: Context, allowed: Allowed, symmetries: tuple[Symmetry, ...]) -> Program:
    """Lay out rows and the variables θ and v."""
    points, groups = context.points, context.groups
    unit = float(np.median(points.weight))
    orbit = orbits(points.n, [s.point for s in symmetries])
    size = np.bincount(orbit)
    available = top(groups, allowed)
    families = [
        Family(
            group=-1, state=0, times=1, columns=available, orbit=orbit, size=size, first_row=0, value_row=-1,
        )
    ]  # fmt: skip
    limits: list[float] = (points.weight[np.unique(orbit, return_index=True)[1]] / unit).tolist()
    value_rows: list[int] = []
    end_row: dict[int, int] = {}
    shared, values = Columns(), Columns()
    for members in group_orbits(symmetries, allowed):
        j = members[0]
        fixing = [s for s in symmetries if s.group[j] == j and all(s.state[j][c] == c for c in allowed[j])]
        own = orbits(points.n, [s.point for s in fixing])
        own_size = np.bincount(own)
        outer = orbit[np.unique(own, return_index=True)[1]]
        at_top = frozenset().union(*(groups[j].states[c].available for c in allowed[j]))
        own_rows, own_values = [], []
        for c in allowed[j]:
            cost = groups[j].states[c].cost / unit
            if groups[j].states[c].available == at_top:
                end_row[j] = len(limits)
            else:
                own_rows.append(len(limits))
                limits += [0.0] * len(own_size)
                available = top(groups, allowed, j, c)
                families.append(
                    Family(
                        group=j, state=c, times=len(members), columns=available,
                        orbit=own, size=own_size, first_row=own_rows[-1], value_row=len(limits),
                    )
                )  # fmt: skip
            own_values.append(len(limits))
            limits.append(cost)
        value_rows += own_values
        for o, n in enumerate(own_size):
            mean = len(members) * float(n) / float(size[outer[o]])
            shared.append(0.0, {int(outer[o]): mean, **{r + o: -1.0 for r in own_rows}})
        values.append(float(len(members)), dict.fromkeys(own_values, 1.0))
    lp = GrowingLP(np.array(limits))
    lp.add(shared)
    lp.add(values, free=True)
    is_value_row = np.zeros(len(limits), bool)
    is_value_row[value_rows] = True
    return Program(
        lp=lp,
        families=families,
        limits=np.array(limits),
        is_value_row=is_value_row,
        end_row=end_row,
        unit=unit,
    )

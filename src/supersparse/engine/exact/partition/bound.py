"""The bound of one node: column generation over balanced sets, then integers.

Each round solves the program of the sets known so far (`build_program`), prices all balanced sets with its prices and
adds the cheapest. To turn a solution into a certificate each set is sent through all symmetries, the multipliers are
scaled until no point is overloaded and rounded down to integers; `check` then computes what they prove.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from supersparse.base.integer_arrays import Flags, Floats, Ints
from supersparse.engine.exact.partition.certificate import (
    Allowed,
    BalancedSets,
    Certificate,
    Multipliers,
    ProvenBound,
    are_balanced,
    check_certificate,
    loads,
    points_of,
    top,
)
from supersparse.engine.exact.partition.lp import GrowingLP, LpColumns
from supersparse.engine.exact.partition.symmetry import Context, Symmetry, group_orbits, orbits, stabiliser


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
class NodeProgram:
    """The program without any sets yet; penalties and weights are divided by `unit`."""

    lp: GrowingLP
    families: list[Family]
    limits: Floats
    is_value_row: Flags
    end_row: dict[int, int]  # the value row of a group's state without sets of its own
    unit: float


def build_program(context: Context, allowed: Allowed, symmetries: tuple[Symmetry, ...]) -> NodeProgram:
    """Lay out rows and the variables θ and v."""
    points, groups = context.points, context.groups
    unit = float(np.median(points.weight))
    orbit = orbits([s.point for s in symmetries])
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
    shared, values = LpColumns(), LpColumns()
    for members in group_orbits(symmetries, allowed):
        j = members[0]
        fixing = [s for s in symmetries if s.group[j] == j and all(s.state[j][c] == c for c in allowed[j])]
        inner = orbits([s.point for s in fixing])
        inner_size = np.bincount(inner)
        outer = orbit[np.unique(inner, return_index=True)[1]]
        at_top = frozenset().union(*(groups[j].states[c].available for c in allowed[j]))
        first_rows, group_value_rows = [], []
        for c in allowed[j]:
            penalty = groups[j].states[c].penalty / unit
            if groups[j].states[c].available == at_top:
                end_row[j] = len(limits)
            else:
                first_rows.append(len(limits))
                limits += [0.0] * len(inner_size)
                available = top(groups, allowed, j, c)
                families.append(
                    Family(
                        group=j, state=c, times=len(members), columns=available,
                        orbit=inner, size=inner_size, first_row=first_rows[-1], value_row=len(limits),
                    )
                )  # fmt: skip
            group_value_rows.append(len(limits))
            limits.append(penalty)
        value_rows += group_value_rows
        for o, n in enumerate(inner_size):
            mean = len(members) * float(n) / float(size[outer[o]])
            shared.append(0.0, {int(outer[o]): mean, **{r + o: -1.0 for r in first_rows}})
        values.append(float(len(members)), dict.fromkeys(group_value_rows, 1.0))
    lp = GrowingLP(np.array(limits))
    lp.add(shared)
    lp.add(values, free=True)
    is_value_row = np.zeros(len(limits), bool)
    is_value_row[value_rows] = True
    return NodeProgram(
        lp=lp, families=families, limits=np.array(limits), is_value_row=is_value_row, end_row=end_row, unit=unit
    )


Sets = Sequence[tuple[int, Ints]]
"""Balanced sets (p1, p2, n1, n2), each with the family of the node's program that it belongs to."""

_SETS_PER_ROUND = 400
_LEAST_REDUCED_COST = 1e-5
_LEAST_PRICE = 1e-9
_NEAR = 1.03  # a ceiling so near to the bound asks for precise solutions
_LEAST_RATIO = 0.3  # prices further from feasible say nothing about the best partition


class NodeBound:
    """Column generation at one node: first `prepare`, then each `step` is one round."""

    def __init__(self, context: Context, allowed: Allowed) -> None:
        self._context = context
        self._allowed = allowed
        self._symmetries = stabiliser(context.symmetries, allowed)
        self._program = build_program(context, allowed, self._symmetries)
        self._first = self._program.lp.n_columns
        self._noise = np.random.default_rng(0)
        self._listed: list[BalancedSets] = []
        self._known: set[tuple[int, ...]] = set()
        self._sets: list[tuple[int, Ints]] = []
        self._fixed_cost = context.points.base_loss + sum(
            context.groups[j].states[s[0]].penalty for j, s in enumerate(allowed) if len(s) == 1
        )
        self.finished = False
        self.ceiling = np.inf  # an estimate, not proven: no partition of this node gives more

    def prepare(self) -> Iterator[None]:
        """List the balanced sets of each family; pause after each."""
        for f in self._program.families:
            self._listed.append(self._context.sets(f.columns))
            yield

    def start_with(self, sets: Sets) -> None:
        """Add sets that an earlier run found at this node; those that are not balanced are left out."""
        for k in range(len(self._program.families)):
            quads = [q for family, q in sets if family == k]
            if quads:
                self._add(k, np.array(quads))

    @property
    def sets(self) -> Sets:
        """The balanced sets so far, each with its family."""
        return tuple(self._sets)

    @property
    def quads(self) -> list[Ints]:
        """The balanced sets so far, without their families."""
        return [q for _, q in self._sets]

    def step(self) -> ProvenBound | None:
        """Solve, say what the solution proves, and look for sets that improve it; None if interrupted."""
        solved = self._program.lp.solve(self._context.interrupted)
        if solved is None:
            return None
        x, price = solved
        certificate = self._certificate(x[self._first :])
        proven = check_certificate(self._context.points, self._context.groups, self._allowed, certificate)
        added = self._price(price)
        if self._program.lp.is_rough:
            if added == 0 or self.ceiling * proven.fine < _NEAR * proven.bound:
                self._program.lp.refine()
        else:
            self.finished = added == 0
        return proven

    def _price(self, price: Floats) -> int:
        """Add sets of negative reduced cost; return how many.

        The prices also give a ceiling: they become feasible when what a state's value row has too much
        is moved to the state of the same group without sets, or all points are made dearer.
        """
        program = self._program
        added, ratio = 0, 1.0
        moved = np.where(program.is_value_row, price, 0.0)
        for k, f in enumerate(program.families):
            below = 1.0 if f.group < 0 else float(price[f.value_row])
            if below < _LEAST_PRICE:
                continue
            of_point = (price[f.first_row : f.first_row + len(f.size)] / f.size)[f.orbit]
            most = _SETS_PER_ROUND * (2 if f.group < 0 else 1)
            quads, least = self._listed[k].price(of_point, below - _LEAST_REDUCED_COST, most, self._noise)
            added += self._add(k, quads)
            if f.group in program.end_row and least < below:
                moved[f.value_row] = least
                moved[program.end_row[f.group]] += below - least
            else:
                ratio = min(ratio, max(least, _LEAST_PRICE) / below)
        if ratio >= _LEAST_RATIO:
            of_points = float((price * program.limits)[~program.is_value_row].sum()) / ratio
            of_states = float((moved * program.limits).sum())
            self.ceiling = self._fixed_cost + program.unit * (of_points + of_states)
        return added

    def _add(self, family: int, quads: Ints) -> int:
        """Add sets, checked to be balanced, that are not known up to symmetry."""
        f = self._program.families[family]
        quads = quads[are_balanced(self._context.points, quads, f.columns)]
        columns = LpColumns()
        for q in quads:
            hit = sorted(f.orbit[points_of(q)].tolist())
            key = (family, *hit)
            if key not in self._known:
                self._known.add(key)
                self._sets.append((family, q))
                columns.append(*f.column(hit))
        self._program.lp.add(columns)
        return len(columns.value)

    def _certificate(self, u: Floats) -> Certificate:
        points, fine, unit = self._context.points, self._context.fine, self._program.unit
        parts: dict[tuple[int, int], list[tuple[Ints, Floats]]] = {}
        family = np.array([k for k, _ in self._sets], np.int64)
        for k, f in enumerate(self._program.families):
            used = np.flatnonzero((family == k) & (u > _LEAST_PRICE))
            if len(used) == 0:
                continue
            quads = np.array([self._sets[t][1] for t in used])
            share = u[used] * (f.times / len(self._symmetries))
            for s in self._symmetries:
                key = (-1, 0) if f.group < 0 else (s.group[f.group], s.state[f.group][f.state])
                parts.setdefault(key, []).append((s.point[quads], share))
        merged = {k: (np.concatenate([q for q, _ in p]), np.concatenate([v for _, v in p])) for k, p in parts.items()}
        load, highest = np.zeros(points.n), np.zeros((len(self._allowed), points.n))
        for (j, _), (quads, value) in merged.items():
            if j < 0:
                load += loads(points.n, quads, value)
            else:
                highest[j] = np.maximum(highest[j], loads(points.n, quads, value))
        overload = float(((load + highest.sum(axis=0)) * unit / points.weight).max(initial=1.0))
        scale = unit * fine * (1 - 1e-12) / overload
        rounded = {k: Multipliers(q, np.floor(v * scale).astype(np.int64)) for k, (q, v) in merged.items()}
        nothing = Multipliers(np.zeros((0, 4), np.int64), np.zeros(0, np.int64))
        return Certificate(fine=fine, common=rounded.pop((-1, 0), nothing), by_state=rounded)

"""Thresholds of one variable as ordered literals: what branching on a range of them would save.

``python -m benchmarks.ordered_literals [most packings]`` proves tables of threshold columns (x >= 1, x >= 2,
and so on) by a tree in plain Python, with the best model known. It prints how many packings each way to
branch needs, how many supports must be searched, and CPU seconds. The ways:

- ``feature``: in with +, in with -, out;
- ``literal``: one literal in, or out, which is what the engine does;
- ``range of w``: at least one of w neighbouring cuts with one sign in, or none. The first pays the least
  penalty once and leaves out the pairs that any of them covers; if it stays open, it is halved.

The last column counts the literals that wait for a better one (`exact/exchanges.py`): this tree drops them,
to compare the ways to branch alone.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks import data
from supersparse import Problem, solve
from supersparse.engine.exact.covers import Packed, packing_bound, pair_pool
from supersparse.engine.exact.instance import Flags, Instance, instances
from supersparse.engine.exact.literals import Literal, Literals, by_feature
from supersparse.engine.exact.tree import fixed_cost
from supersparse.engine.integer_form import integer_form
from supersparse.engine.presolve import MergeRows

SECONDS = 60.0  # for the best model
FEATURE = 0  # the width that stands for a split by feature
WIDTHS = (FEATURE, 1, 2, 4, 8)
Table = tuple[NDArray[np.int64], NDArray[np.int64]]


def cut_columns(X: NDArray[np.generic], most: int) -> NDArray[np.int64]:
    """Columns x >= c for all values c of each column but the first, or for `most` quantiles."""
    columns = []
    for x in np.asarray(X, float).T:
        cuts = np.unique(x)[1:]
        if len(cuts) > most:
            cuts = np.unique(np.quantile(x, np.arange(1, most + 1) / (most + 1), method="higher"))
        columns += [x >= c for c in cuts if c > x.min()]
    return np.column_stack(columns).astype(np.int64)


def _read(file: str, most: int, variables: int) -> Table:
    table = data.read(file)
    return cut_columns(table.X[:, :variables], most), (np.asarray(table.y) > 0).astype(np.int64)


def _drawn(rows: int, variables: int, most: int, seed: int) -> Table:
    """Correlated normal variables; the class depends on some of them, and a tenth of it on nothing."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(rows, variables))
    Z[:, 1:] += 0.4 * Z[:, :1]
    weights = rng.choice([-1, 1], variables) * rng.integers(0, 4, variables)
    scores = np.tanh(Z) @ weights + 2 * (Z[:, 0] > 0.3)
    y = (scores > np.median(scores)) ^ (rng.random(rows) < 0.1)
    return cut_columns(Z, most), y.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Asked:
    """A table of cuts and what is asked of it; a C0 of None is so small that errors come first."""

    name: str
    table: Callable[[], Table]
    largest: int
    C0: float | None = None
    max_features: int | None = None

    def problem(self) -> Problem:
        """Make the problem."""
        X, y = self.table()
        C0 = 0.9 / X.size if self.C0 is None else self.C0
        return Problem.of(X, y, C0=C0, max_points=self.largest, max_features=self.max_features)


def _breast_cancer() -> Table:
    return _read("breastcancer.csv", 9, 7)


def _haberman() -> Table:
    return _read("haberman.csv", 20, 3)


def _small() -> Table:
    return _drawn(200, 6, 6, 1)


def _large() -> Table:
    return _drawn(500, 6, 8, 1)


ASKED = [
    Asked("breast cancer", _breast_cancer, 5, max_features=4),
    Asked("breast cancer", _breast_cancer, 5, max_features=5),
    Asked("haberman", _haberman, 5, max_features=5),
    Asked("drawn, 500 rows", _large, 10, max_features=5),
    Asked("breast cancer", _breast_cancer, 5, C0=0.005),
    Asked("haberman", _haberman, 5, C0=0.01),
    Asked("drawn, 200 rows", _small, 5, C0=0.02),
]


@dataclass(slots=True)
class Counted:
    """Packings of nodes and of ranges, and supports to search."""

    packed: int = 0
    supports: int = 0


@dataclass(slots=True)
class Node:
    """The extensions of `literals`; where `some` is not empty, those with at least one of it."""

    literals: Literals
    allowed: Flags  # without those of `some`
    pairs: NDArray[np.int32]
    bound: int
    theta: int
    some: Literals = field(default=())


class Tree:
    """The tree over supports at a fixed cut, depth first."""

    def __init__(self, instance: Instance, cut: int, width: int) -> None:
        self.counted = Counted()
        self._instance, self._cut, self._width = instance, cut, width
        self._pool = pair_pool(instance, (), instance.allowed)
        self._covers = np.zeros((len(self._pool.positive), len(instance.allowed)), bool)
        pair = np.repeat(np.arange(len(self._covers)), np.diff(self._pool.start))
        self._covers[pair, self._pool.literal] = True
        self._nested = _nested(instance)
        self._order = np.argsort(instance.form.ranks.sum(axis=1), kind="stable")

    def close(self, most: int) -> bool:
        """Expand everything; False where more than so many packings would be needed."""
        instance = self._instance
        allowed = instance.allowed & (np.array(instance.after) < 0)
        stack = [Node((), allowed, self._pool.all, fixed_cost(instance, ()), 0)]
        while stack and self.counted.packed <= most:
            node = stack.pop()
            if node.bound <= self._cut:
                stack += self._halves(node) if node.some else self._parts(node)
        return not stack

    def _left(self, pairs: NDArray[np.int32], literals: Literals) -> NDArray[np.int32]:
        kept: NDArray[np.int32] = pairs[~self._covers[pairs][:, list(literals)].any(axis=1)]
        return kept

    def _halves(self, node: Node) -> Iterator[Node]:
        """At least one of a range is in: bound that, then halve the range."""
        if len(node.some) > 1:
            allowed = node.allowed.copy()
            allowed[list(node.some)] = True
            fixed = fixed_cost(self._instance, node.literals)
            fixed += int(self._instance.literal_penalty[list(node.some)].min())
            room = self._instance.max_features - len(node.literals) - 1
            packed = self._packed(self._left(node.pairs, node.some), allowed, room, node.theta, fixed)
            if fixed + packed.bound > self._cut:
                return
            half = len(node.some) // 2
            for some, later in ((node.some[:half], node.some[half:]), (node.some[half:], ())):
                allowed = node.allowed.copy()
                allowed[list(later)] = True
                yield Node(node.literals, allowed, node.pairs, node.bound, node.theta, some)
            return
        yield self._with(node.literals, node.some[0], node.allowed, node.pairs, node.bound, node.theta)

    def _with(
        self,
        literals: Literals,
        literal: Literal,
        allowed: Flags,
        pairs: NDArray[np.int32],
        bound: int,
        theta: int,
    ) -> Node:
        self.counted.supports += 1  # the model may stop here
        rest = allowed.copy()
        rest[[literal, literal ^ 1]] = False
        return Node((*literals, literal), rest, self._left(pairs, (literal,)), bound, theta)

    def _packed(self, pairs: NDArray[np.int32], allowed: Flags, room: int, theta: int, fixed: int) -> Packed:
        self.counted.packed += 1
        return packing_bound(self._instance, self._pool, pairs, allowed, room, theta, self._cut - fixed)

    def _parts(self, node: Node) -> Iterator[Node]:
        instance, room = self._instance, self._instance.max_features - len(node.literals)
        if room <= 0:
            return
        fixed = fixed_cost(instance, node.literals)
        packed = self._packed(node.pairs, node.allowed, room, node.theta, fixed)
        bound = max(node.bound, fixed + packed.bound)
        by_literal = np.maximum(bound, fixed + packed.by_literal)
        allowed = node.allowed & (by_literal <= self._cut)
        if bound > self._cut or not allowed.any():
            return
        if room == 1:
            self._count_supports(node.literals, allowed)
            return
        most = int(np.argmax(np.where(allowed, packed.load, -1)))
        some = self._range(most, allowed, packed.load)
        out = allowed.copy()
        out[list(some)] = False
        yield Node(node.literals, out, node.pairs, bound, packed.theta)
        if self._width == FEATURE:
            for literal in some:
                with_literal = int(by_literal[literal])
                yield self._with(node.literals, literal, out, node.pairs, with_literal, packed.theta)
        else:
            with_some = int(by_literal[list(some)].min())
            yield Node(node.literals, out, node.pairs, with_some, packed.theta, some)

    def _range(self, most: int, allowed: Flags, load: NDArray[np.int64]) -> Literals:
        """The most loaded literal and its neighbours, more loaded ones first, or both of its feature."""
        if self._width == FEATURE:
            return tuple(Literal(name) for name in (most & ~1, most | 1) if allowed[name])
        feature, sign = most // 2, most % 2
        chain = [2 * f + sign for f in self._order if self._nested[feature, f] and allowed[2 * f + sign]]
        low = chain.index(most)
        high = low + 1
        while high - low < min(self._width, len(chain)):
            before = load[chain[low - 1]] if low > 0 else -1
            after = load[chain[high]] if high < len(chain) else -1
            low, high = (low - 1, high) if before >= after else (low, high + 1)
        return tuple(Literal(int(name)) for name in chain[low:high])

    def _count_supports(self, literals: Literals, allowed: Flags) -> None:
        """Count the supports whose rows, merged to cells, do not cost too much already."""
        instance, form = self._instance, self._instance.form
        features = [literal // 2 for literal in literals]
        _, cell = np.unique(form.ranks[features], axis=1, return_inverse=True)
        paid = instance.empty_penalty + form.shift + int(instance.literal_surcharge[list(literals)].sum())
        for f in np.flatnonzero(by_feature(allowed).any(axis=1)):
            merged = cell.ravel() * int(instance.n_ranks[f]) + form.ranks[f]
            loss = np.minimum(np.bincount(merged, form.positive), np.bincount(merged, form.negative)).sum()
            for name in (2 * f, 2 * f + 1):
                if allowed[name]:
                    self.counted.supports += paid + loss + instance.literal_surcharge[name] <= self._cut


def _nested(instance: Instance) -> Flags:
    """Which columns are nested in each other: no row is larger in one, and none in the other."""
    x = instance.form.ranks
    below = np.all(x[:, None, :] <= x[None, :, :], axis=2)
    return np.asarray(below | below.T)


def main(most: int) -> None:
    """Prove every table in every way and print a row for each."""
    print("| table | columns | asked | branching | packings | supports | CPU s | wait |")
    print("|---|---|---|---|---|---|---|---|")
    for asked in ASKED:
        problem = asked.problem()
        solution = solve(problem, "exact", time_limit=SECONDS)
        form = integer_form(MergeRows.apply(problem))
        (instance,) = instances(form)
        limit = f"C0 = {asked.C0}" if asked.max_features is None else f"at most {asked.max_features}"
        waiting = sum(literal >= 0 for literal in instance.after)
        for width in WIDTHS:
            began = time.process_time()
            tree = Tree(instance, form.in_kernel_units(solution.objective), width)
            closed, spent = tree.close(most), time.process_time() - began
            way = {FEATURE: "feature", 1: "literal"}.get(width, f"range of {width}")
            c = tree.counted
            print(
                f"| {asked.name} | {problem.n_features} | {limit}, ±{asked.largest} | {way} "
                f"| {c.packed}{'' if closed else '+'} | {c.supports} | {spent:.1f} "
                f"| {waiting} of {int(instance.allowed.sum())} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60_000)

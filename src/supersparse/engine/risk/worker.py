"""Worker: the work on one node of the tree.

A node whose completions are few is enumerated; otherwise its relaxation is solved, and the open column with
the largest effect is branched on: out or used, and by sign where that excludes the relaxed point.
"""

import weakref
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.engine.core import struct
from supersparse.engine.risk.branching import Branching, Relaxation
from supersparse.engine.risk.instance import RiskInstance, new_best, new_boxes, new_cells, new_support
from supersparse.engine.risk.kernels import (
    DEPTH,
    FITTED,
    LEVEL,
    SIZE,
    STARTED,
    SUPPORTS,
    WORK,
    Best,
    find_cards,
    free_supports,
    list_supports,
    relax,
    relax_open,
    round_support,
    run_completions,
    run_supports,
    start_supports,
    support_tree,
    supports_left,
    tighten,
)
from supersparse.engine.risk.node import Node

SLICE = 40_000_000  # work of one call of a kernel: a few hundredths of a second
_ROUND_FIRST, _ROUND_EVERY = 4, 32  # the first nodes are rounded, then one in this number: boxes round as well
_NEAR = 1e-3  # roundings of nodes are polished if they come this near to the best card
_ENUMERATE_FIRST = 0.1  # enumerate before relaxing if that costs at most this share of what it may cost then
_ENUMERATE_BITS = 15.0  # enumerate after relaxing if that costs at most this many relaxations, with bit sets
_ENUMERATE = 4.0  # ... and without
_TOGETHER = 8  # candidates, of which some may be excluded together
_SURELY = 1.1  # how much more than enough the loss must be expected to rise
_FEW = 0.6  # of the candidates: more than these are not worth another relaxation
_MOST_SCREENED, _MOST_COLUMNS = 12, 2000  # columns of a card, and of a problem, that the tree of supports has room for
_SHARED_AFTER = 16 * SLICE  # what is left of a node after so much work, others may take
_HASTE = 0.05  # of what is left to the best card: steps that gain less end a relaxation; not with bit sets


class Worker:
    """Room for the kernels, the node whose completions are being enumerated, and a copy of the best card."""

    def __init__(self, instance: RiskInstance, room_for_cards: int = 0) -> None:
        self.instance = instance
        self._is_binary = bool((instance.data.distinct == 2).all())
        self._has_costs = bool(instance.least_cost.any())
        self._branching = Branching(instance)
        self._haste = 0.0 if len(instance.bits.all) else _HASTE
        self.best = new_best(instance)
        self.support = new_support(instance, room_for_cards)
        self._boxes = new_boxes(instance)
        self._cells = new_cells(instance)
        self._data = struct(instance.data)
        self._tree = self._new_tree()
        self._searches_tree, self._shared_at = False, 0  # whether the current node is left to it, and until when
        self._held = (
            self._data, struct(self.support), struct(self._boxes), struct(self.best), struct(instance.bits),
            struct(self._cells),
        )  # fmt: skip
        self._current: tuple[Node, Ints, Ints, int] | None = None  # node, used, candidates, room
        self._rounded: set[tuple[int, ...]] = set()
        self._relaxed = 0
        self._work = np.empty((8, instance.data.x.shape[1]))
        self._widest = instance.ranges(np.arange(len(instance.kept)), instance.low, instance.high)

    @property
    def is_busy(self) -> bool:
        return self._current is not None

    @property
    def threshold(self) -> float:
        return float(self.best.value[0]) - self.instance.data.tolerance

    def go_on(self, work: int | None = None) -> list[Node]:
        """Continue the enumeration at hand within a budget of work; return its rest if it has long been at it."""
        assert self._current is not None
        node, used, candidates, room = self._current
        until = int(self.support.counts[WORK]) + (SLICE if work is None else work)
        if self._searches_tree:
            if run_supports(self._tree, self._held[1], self._held[2], self._held[3], until):
                self._current = None
            elif int(self.support.counts[WORK]) >= self._shared_at:
                left = self.rest()
                self.drop()
                return left
        elif run_completions(
            *self._held, used, candidates, room, node.low, node.high, node.point, node.loss_bound,
            self.instance.least_cost, until,
        ):  # fmt: skip
            self._current = None
        return []

    def rest(self) -> list[Node]:
        """The rest of the current node, as nodes: open boxes of the current support, then other supports.

        Candidates whose completions are done are out. The one at hand on each level is used in one node and
        out in another, so that neither depends on what was done with the other.
        """
        assert self._current is not None
        node, _, candidates, _ = self._current
        if self._searches_tree:
            return self._rest_of_tree(node)
        level, position = int(self._cells.state[LEVEL]), self._cells.position
        if not self._cells.state[STARTED]:
            return [node]
        nodes, status, first = self._open_boxes(node), node.status, 0
        if level < 0:
            return nodes
        for q in range(level):
            at = int(position[q]) - 1
            status = _with(status, candidates[first:at], -1)
            nodes.append(replace(node, status=_with(status, candidates[at], -1)))
            status = _with(status, candidates[at], 1)
            first = at + 1
        at = int(position[level])
        if at > first or not self.instance.data.strict:
            return [*nodes, replace(node, status=_with(status, candidates[first:at], -1))]
        # the support of the used columns itself is done, or its boxes are open: only larger ones are left
        for candidate in candidates[at:]:
            nodes.append(replace(node, status=_with(status, candidate, 1)))
            status = _with(status, candidate, -1)
        return nodes

    @property
    def has_tree(self) -> bool:
        """Whether supports are proven, and searched, by the tree over binary columns."""
        return self._tree != 0

    def find_cards(self, best: Best) -> bool:
        """Look for good cards in the tree's supports, for a slice of work; False once that is enough."""
        instance = self.instance
        return find_cards(self._tree, self._data, self._held[1], best, instance.low, instance.high, SLICE)

    def _rest_of_tree(self, node: Node) -> list[Node]:
        count = supports_left(self._tree)
        status, bounds = np.empty((count, len(node.status)), np.int8), np.empty(count)
        count = list_supports(self._tree, status, bounds)
        left = zip(status[:count], bounds[:count].tolist(), strict=True)
        return [
            *self._open_boxes(node),
            *(
                replace(node, status=part, bound=max(node.bound, bound), loss_bound=max(node.loss_bound, bound))
                for part, bound in left
            ),
        ]

    def _new_tree(self) -> int:
        """A proof over supports, where there can be one; 0 elsewhere."""
        instance = self.instance
        data, bits = instance.data, instance.bits
        if not (
            data.slope_is_free and not data.strict and len(bits.all) and 0 < bits.split < len(bits.all)
            and 0 < instance.most_features <= _MOST_SCREENED and len(instance.kept) <= _MOST_COLUMNS
        ):  # fmt: skip
            return 0
        tree = support_tree(self._data, bits, instance.most_features)
        weakref.finalize(self, free_supports, tree)
        return tree

    def _open_boxes(self, node: Node) -> list[Node]:
        """The boxes of the support at hand, the next one last."""
        support, boxes = self.support, self._boxes
        columns = support.columns[: support.state[SIZE]]
        status = _with(np.full_like(node.status, -1), columns, 1)
        nodes = []
        for depth in range(int(support.state[DEPTH])):
            at, size = boxes.points[depth], len(columns)
            point = _with(node.point, np.arange(2), at[:2])
            point[2 + columns] = at[2 : 2 + size]
            low = _with(node.low, columns, boxes.low[depth, :size])
            high = _with(node.high, columns, boxes.high[depth, :size])
            nodes.append(replace(node, status=status, low=low, high=high, point=point))
        return nodes

    def drop(self) -> None:
        self._current = None
        self.support.state[DEPTH] = 0

    def visit(self, node: Node, is_root: bool, work: int | None = None) -> list[Node]:
        """Prune a node, start to enumerate it for so much work, or return the nodes it is split into."""
        instance, data = self.instance, self.instance.data
        used = np.flatnonzero(node.status == 1)
        cost_used = self._cost_of(used)
        candidates = np.flatnonzero(node.status == 0)
        room = self._room(node, used, candidates, cost_used)
        if room < 0 or not self._may_obey(node, used, candidates):
            return []
        if room == 0:
            candidates = candidates[:0]
        if self._tree and len(candidates):
            return self._search_tree(node, used, candidates, room, work)
        relaxing = self._relaxation_cost(len(used) + len(candidates))
        worth = relaxing * (_ENUMERATE_BITS if len(instance.bits.all) else _ENUMERATE)
        if len(candidates) == 0 or (
            not is_root and self._is_cheap(len(used), len(candidates), room, _ENUMERATE_FIRST * worth)
        ):
            return self._enumerate(node, used, candidates, room, work)
        relaxed = self._relax(node, used, candidates, room)
        columns, point, bound = relaxed.columns, relaxed.point, relaxed.bound
        loss_bound = max(node.loss_bound, bound) if data.slope_is_free else node.loss_bound
        node_bound = max(node.bound, bound + cost_used)
        if relaxed.passed:
            return []
        full = node.point.copy()
        full[0], full[1] = point[0], point[1]
        full[2 + columns] = point[2:]
        self._round(used, columns, point)
        status, lowest, highest = node.status, node.low, node.high
        if not data.slope_is_free and bound > -1e299:
            lowest, highest, status = node.low.copy(), node.high.copy(), node.status.copy()
            first, last = lowest[columns], highest[columns]
            if tighten(
                data.values, data.zero, data.scale, columns, relaxed.optional, relaxed.cost, relaxed.dual,
                room, self.threshold - cost_used, first, last,
            ):  # fmt: skip
                return []
            lowest[columns], highest[columns] = first, last
            status[(status == 0) & (lowest == highest)] = -1
        if node_bound >= self.threshold:
            return []
        better = Node(status, node_bound, loss_bound, lowest, highest, full)
        return self._split(better, relaxed, worth, work)

    def _relax(self, node: Node, used: Ints, candidates: Ints, room: int) -> Relaxation:
        """Relax the part of a node whose cards use these columns and at most `room` of the candidates."""
        instance, data = self.instance, self.instance.data
        columns = np.concatenate([used, candidates])
        m = len(columns)
        point, dual = np.concatenate([node.point[:2], node.point[2 + columns]]), np.empty(1 + m)
        optional, cost, gram = np.ones(m, np.int64), np.zeros(m), np.zeros((m + 1, m + 1))
        optional[: len(used)] = 0
        if not data.slope_is_free:
            cost[len(used) :] = instance.least_cost[candidates]
        threshold = self.threshold - self._cost_of(used)
        low, high, caps = self._range(node, columns)
        slope_low, slope_high = 1.0, 1.0
        if data.slope_is_free:  # all used columns have points, so each caps the slope
            slope_low, slope_high = 0.0, float(caps[: len(used)].min() if len(used) else caps.max())
        box, ends = (self._data, columns, low, high, optional, cost, room), np.empty(2)
        result = (point, dual, self._work, gram, ends)
        passed, is_open = False, self._branching.is_of_one_scale and bool(((low < 0) & (high > 0)).all())
        if is_open:
            passed = relax_open(*box, slope_high, threshold, *result)
        if not is_open or (not passed and point[0] >= slope_high):
            passed = relax(*box, slope_low, slope_high, threshold, self._haste, *result)
        bound, loss = ends.tolist()
        self.support.counts[WORK] += int(self._relaxation_cost(m))
        self._relaxed += 1
        return Relaxation(passed, bound, loss, columns, optional, cost, point, dual, gram)

    def _split(self, node: Node, relaxed: Relaxation, worth: float, work: int | None) -> list[Node]:
        """Split a node that was relaxed, or start to enumerate it if that is worth it.

        Where the points of every column may be below and above 0, it makes no difference to the relaxation
        which columns are used, so the node with the next column in use is split at once.
        """
        data = self.instance.data
        bound, loss_bound, low, high, point = node.bound, node.loss_bound, node.low, node.high, node.point
        is_open = bool(((low < data.zero) & (data.zero < high))[relaxed.columns].all()) and data.slope_is_free
        status = node.status
        children: list[Node] = []
        inverse = relaxed.spread()
        spread = inverse if is_open else None
        branching, left = self._branching, self.threshold - relaxed.loss
        missing, promise = branching.missing(relaxed), np.zeros(len(data.x))
        promise[relaxed.columns] = branching.promises(relaxed, inverse, missing, left)
        while True:
            used, candidates = np.flatnonzero(status == 1), np.flatnonzero(status == 0)
            cost_used = self._cost_of(used)
            room = self._room(node, used, candidates, cost_used)
            node = replace(node, status=status, bound=max(bound, loss_bound + cost_used))
            if room < 0 or node.bound >= self.threshold or not self._may_obey(node, used, candidates):
                return children
            if room == 0:
                candidates = candidates[:0]
            if room == 0 or self._is_cheap(len(used), len(candidates), room, worth):
                if spread is not None and room == 1:
                    candidates = self._strong(node, used, candidates, relaxed, spread)
                return [*children, *self._enumerate(node, used, candidates, room, work)]
            j = candidates[np.argmax(promise[candidates])]
            status = _with(status, j, 1)
            start = point if spread is None else relaxed.point_without(np.array([j]), spread, point)
            children.append(replace(node, status=_with(status, j, -1), point=start))
            if branching.is_by_sign(relaxed, j, missing, left):
                break
            if not is_open:
                return [*children, self._using(node, j, low, high)]
        # it matters that points are not between -1 and 1
        zero = data.zero[j]
        if high[j] > zero:
            children.append(self._using(node, j, _with(low, j, max(low[j], zero + 1)), high))
        if low[j] < zero:
            children.append(self._using(node, j, low, _with(high, j, min(high[j], zero - 1))))
        return children

    def _using(self, node: Node, j: int, low: Ints, high: Ints) -> Node:
        """The part of a node whose cards use a column, with points in these ranges."""
        status = _with(node.status, j, 1)
        cost = self._cost_of(np.flatnonzero(status == 1))
        return Node(status, max(node.bound, node.loss_bound + cost), node.loss_bound, low, high, node.point)

    def _strong(self, node: Node, used: Ints, candidates: Ints, relaxed: Relaxation, spread: Floats) -> Ints:
        """The candidates of which one could be the last column of a card.

        All others are excluded together, by a relaxation without the strong ones. How many these are is what
        the curvature, whose inverse is `spread`, says of the loss without them.
        """
        if len(candidates) < _TOGETHER or len(self.instance.bits.all):
            return candidates
        rises = relaxed.rises(spread)[relaxed.places(candidates)]
        candidates = candidates[np.argsort(-rises, kind="stable")]
        at = 1 + relaxed.places(candidates)
        try:
            away = np.linalg.solve(np.linalg.cholesky(spread[np.ix_(at, at)]), relaxed.point[1 + at])
        except np.linalg.LinAlgError:
            return candidates
        rise = 0.5 * np.cumsum(away * away)
        count = 1 + int(np.searchsorted(rise, _SURELY * (self.threshold - relaxed.loss)))
        if count > _FEW * len(candidates):
            return candidates
        strong, weak = candidates[:count], candidates[count:]
        without = replace(node, point=relaxed.point_without(strong, spread, node.point))
        return strong if self._relax(without, used, weak, 1).passed else candidates

    def _room(self, node: Node, used: Ints, candidates: Ints, cost_used: float) -> int:
        """How many candidates a card that beats the best can use."""
        room = self.instance.most_features - len(used)
        left = self.threshold - cost_used - node.loss_bound
        if left < 0:
            return -1
        if not self._has_costs:
            return min(room, len(candidates))
        costs = np.cumsum(np.sort(self.instance.least_cost[candidates]))
        return min(room, int(np.searchsorted(costs, left)))

    def _may_obey(self, node: Node, used: Ints, candidates: Ints) -> bool:
        """Whether some completion could obey the limits."""
        data = self.instance.data
        for table, most in zip(data.tables, data.most, strict=True):
            least = 0.0
            for j in (*used, *candidates):
                terms = table[j, node.low[j] : node.high[j] + 1]
                if node.status[j] == 1 and node.low[j] <= data.zero[j] <= node.high[j]:
                    terms = np.delete(terms, data.zero[j] - node.low[j])
                least += min(terms.min(), np.inf if node.status[j] == 1 else 0.0)
            if least > most:
                return False
        return True

    def _is_cheap(self, used: int, candidates: int, room: int, work: float) -> bool:
        """Whether to enumerate all completions costs less than this work."""
        return self._completions(candidates, room) * self._support_cost(used + room) < work

    def _completions(self, candidates: int, room: int) -> float:
        if self.instance.data.strict:
            return float(sum(comb(candidates, r) for r in range(min(room, candidates) + 1)))
        return float(comb(candidates, min(room, candidates)))

    def _support_cost(self, size: int) -> float:
        """Expected work of one support: its cell bound, and the fit where that does not prune it."""
        data, counts = self.instance.data, self.support.counts
        n, words = data.x.shape[1], len(self.instance.bits.all)
        cells = min(float(2 ** min(size, 30)), float(n))
        cell_work = 2.4 * (words + 100) * cells / 2 if words else 8.0 * n
        rows = min(cells, n) if self._is_binary else n
        survive = (20 + counts[FITTED]) / (100 + counts[SUPPORTS])
        return float(cell_work + survive * (5 * rows * (size * size / 2 + 8) + n * size * 2))

    def _relaxation_cost(self, columns: int) -> float:
        n = self.instance.data.x.shape[1]
        return float(14.0 * (n * (columns * columns / 2 + 12) + (2 * columns) ** 3 / 3))

    def _range(self, node: Node, columns: Ints) -> tuple[Floats, Floats, Floats]:
        """The `ranges` of columns in a node; most nodes have those of the instance."""
        if node.low is self.instance.low and node.high is self.instance.high:
            low, high, caps = self._widest
            return low[columns], high[columns], caps[columns]
        return self.instance.ranges(columns, node.low, node.high)

    def _cost_of(self, used: Ints) -> float:
        return float(self.instance.least_cost[used].sum()) if self._has_costs else 0.0

    def _round(self, used: Ints, columns: Ints, point: Floats) -> None:
        """Round the relaxation on its largest columns, once for each such support."""
        data = self.instance.data
        if len(self.support.found) and not len(data.rate_most):
            return
        order = np.argsort(-np.abs(point[2:]) - np.where(np.arange(len(columns)) < len(used), 1e9, 0.0))
        chosen = np.sort(order[: self.instance.most_features])
        key = tuple(columns[chosen].tolist())
        most = _ROUND_FIRST + self._relaxed // _ROUND_EVERY
        if not key or key in self._rounded or len(self._rounded) >= most:
            return
        self._rounded.add(key)
        start = np.concatenate([point[1:2], point[2 + chosen]])
        round_support(
            self._data, self.support, self.best, self.instance.low, self.instance.high, columns[chosen],
            len(chosen), start, _NEAR, False,
        )  # fmt: skip

    def _search_tree(self, node: Node, used: Ints, candidates: Ints, room: int, work: int | None) -> list[Node]:
        start_supports(
            self._tree, self._data, used, candidates, room, self.instance.most_features, node.low, node.high, node.point
        )
        self._current, self._searches_tree = (node, used, candidates, room), True
        self._shared_at = int(self.support.counts[WORK]) + _SHARED_AFTER
        return self.go_on(work)

    def _enumerate(self, node: Node, used: Ints, candidates: Ints, room: int, work: int | None) -> list[Node]:
        self._searches_tree = False
        self._cells.state[STARTED] = 0
        # strong columns first: they find good cards early
        order = np.argsort(-np.abs(node.point[2 + candidates]), kind="stable")
        self._current = (node, used, candidates[order], room)
        return self.go_on(work)


def _with(values: NDArray[Any], at: int | Ints, value: int | NDArray[Any]) -> NDArray[Any]:
    changed = values.copy()
    changed[at] = value
    return changed

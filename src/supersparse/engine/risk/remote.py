"""Slices of the tree in other processes: bytes and numbers in and out, nothing kept but the problem's arrays.

A worker needs neither the problem nor the evaluator, because what it finds is judged where the solve runs.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.cluster import ProblemCache, Request, checked_count, fields_of, packed, question_of
from supersparse.engine.risk.data import BOXES, SUPPORTS, Bits, RiskData
from supersparse.engine.risk.instance import RiskInstance
from supersparse.engine.risk.node import Node, node_from_bytes
from supersparse.engine.risk.tree import NodeBatch, OnCard, RiskTree
from supersparse.engine.risk.worker import SLICE

LEAST_WORK, MOST_WORK = SLICE, 20 * SLICE
_BATCH = 32  # nodes of a slice, at most
_MOST_FOUND = 256  # cards that a slice hands back to be judged

Card = tuple[tuple[int, ...], tuple[int, ...], float]  # columns, the index of the value of each, a bound


class Outcome(NamedTuple):
    """A worker's answer: open nodes, cards, the value it pruned by, and its counts."""

    parts: tuple[bytes, ...]
    found: tuple[Card, ...]
    value: float  # the best known when it ended, or better
    floor: float  # the least bound of a card that could not be pruned
    nodes: int
    counts: tuple[int, ...]
    question: bytes  # what it was asked, as `question_of`


class RemoteSlices:
    """The open nodes of a tree, for a cluster.

    `on_card` judges what is found; with room for cards, as many as a kernel may list before it pauses.
    """

    def __init__(self, tree: RiskTree, on_card: OnCard, room_for_cards: int) -> None:
        self.least_work, self.most_work = LEAST_WORK, MOST_WORK
        self._tree, self._on_card, self._room = tree, on_card, room_for_cards
        self._packed = packed(_values(tree.instance))
        self._slices = 1
        tree.let_go()

    def divide_among(self, slices: int) -> None:
        """Take smaller batches, so that there are enough for all."""
        self._slices = slices

    def take(self) -> NodeBatch | None:
        """Take open nodes."""
        return self._tree.take(_BATCH, self._slices)

    def request(self, taken: NodeBatch) -> Request:
        """A slice, with the value of the best card now and what was counted so far."""
        digest, content = self._packed
        nodes = tuple(node.to_bytes() for node in taken.nodes)
        counts = tuple(self._tree.workers[0].support.counts.tolist())
        rest = (nodes, float(self._tree.best.value[0]), counts, self._room)
        return Request(run_remotely, digest, content, rest)

    def read(self, taken: NodeBatch, result: Outcome) -> tuple[list[Node], Outcome]:
        """Read the open nodes, checked: kernels index arrays by them, unchecked."""
        tree, instance = self._tree, self._tree.instance
        for columns, index, least in result.found:
            _check_card(columns, index, instance)
            _check_bound(least)
        for one in (result.nodes, *result.counts):
            checked_count(one)
        if len(result.counts) != len(tree.workers[0].support.counts):
            raise ValueError(f"a slice counts {len(result.counts)} things")
        for bound in (result.value, result.floor):
            _check_bound(bound)
        if result.value < tree.best.value[0] and not result.found:
            raise ValueError(f"a slice pruned by {result.value}, and found no card")
        return [node_from_bytes(written, instance) for written in result.parts], result

    def receive(self, taken: NodeBatch, left: tuple[list[Node], Outcome]) -> None:
        """Judge what was found, and open what is left."""
        nodes, outcome = left
        tree = self._tree
        for columns, index, bound in outcome.found:
            self._on_card(np.array(columns, np.int64), np.array(index, np.int64), bound)
        floor = outcome.floor
        if outcome.value < tree.best.value[0]:  # pruned by a card that is worth less here
            floor = min(floor, outcome.value - tree.instance.data.tolerance)
        tree.count_elsewhere(outcome.nodes, outcome.counts, floor)
        tree.put(taken, nodes)

    def put_back(self, taken: NodeBatch) -> None:
        """Open the nodes again as they were."""
        self._tree.put(taken, taken.nodes)

    def do_here(self, taken: NodeBatch | None = None) -> None:
        """Do a step in this thread; what was taken, as a slice."""
        if taken is None:
            self._tree.step()
            return
        function, digest, arrays, rest, _ = self.request(taken)
        self.receive(taken, self.read(taken, function(digest, arrays, *rest, self.least_work)))


def _check_card(columns: Sequence[int], index: Sequence[int], instance: RiskInstance) -> None:
    if len(set(columns)) != len(columns) or len(columns) > instance.most_features:
        raise ValueError(f"a card has {len(columns)} columns, more than the problem allows or one twice")
    for q, v in zip(columns, index, strict=True):
        if not (type(q) is type(v) is int and 0 <= q < len(instance.values) and 0 <= v < len(instance.values[q])):
            raise ValueError(f"a card has value {v} of column {q}, which the problem has not")


def _check_bound(bound: object) -> None:
    if type(bound) is not float or not bound > -np.inf:
        raise ValueError(f"{bound!r:.60} is not a bound")


def _values(instance: RiskInstance) -> Iterator[Any]:
    """The parts of an instance that the kernels and the tree read, in the order of `_instance`."""
    yield from instance.data
    yield from instance.bits
    yield from (instance.low, instance.high, instance.forced, instance.least_cost, instance.most_features)


def _instance(values: Iterator[Any]) -> RiskInstance:
    """An instance that can be searched; a worker needs no exact values."""
    data, bits = fields_of(RiskData, values), fields_of(Bits, values)
    low, high, forced, least_cost, most_features = values
    return RiskInstance(
        data=data,
        bits=bits,
        kept=tuple(range(len(low))),
        values=(),
        shift=(),
        low=low,
        high=high,
        forced=forced,
        least_cost=least_cost,
        most_features=most_features,
        base_penalty=Fraction(0),
    )


_known: ProblemCache[RiskInstance] = ProblemCache(_instance)


def run_remotely(
    digest: str,
    content: bytes | None,
    parts: tuple[bytes, ...],
    value: float,
    counts: tuple[int, ...],
    room: int,
    work: int,
) -> Outcome | None:
    """Work on open nodes; None where the arrays are not known here and `content` is None.

    `value` is that of the best card. Where there is room for cards, they are handed back to be judged.
    `counts` are those of the whole tree so far: how much fitting a support costs is learned from them.
    """
    instance = _known.get(digest, content)
    if instance is None:
        return None
    found: list[Card] = []

    def listed(columns: Ints, index: Ints, bound: float) -> None:
        found.append((tuple(columns.tolist()), tuple(index.tolist()), bound))

    tree = RiskTree(instance, listed if room else None, room)
    tree.best.value[0] = value
    tree.workers[0].support.counts[:] = counts
    tree.resume([node_from_bytes(part, instance) for part in parts], np.inf)
    worker, ends = tree.workers[0], tree.work + work
    while tree.is_open and len(found) < _MOST_FOUND:
        tree.step(work=max(1, ends - tree.work))
        # to open a support may be more than the work asked for: some of it is done, so that it ends once
        done = worker.support.counts - counts
        if tree.work >= ends and (not worker.is_busy or done[BOXES] > 0 or done[SUPPORTS] > 1):
            break
    best = tree.best
    if best.value[0] < value and not room:
        columns = np.flatnonzero(best.index != instance.data.zero)
        listed(columns, best.index[columns], float(best.value[0]))
    return Outcome(
        parts=tuple(node.to_bytes() for node in tree.open_nodes()),
        found=tuple(found),
        value=float(best.value[0]),
        floor=tree.floor,
        nodes=tree.nodes - 1,
        counts=tuple((worker.support.counts - counts).tolist()),
        question=question_of(digest, parts, value, counts, room, work),
    )

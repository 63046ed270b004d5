"""The tree over supports for the log loss: nodes, who works on them, and the best card."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.proving.cluster import (
    Answer,
    ProblemCache,
    RemoteEngine,
    Request,
    checked_count,
    packed,
    question_of,
)
from supersparse.engine.proving.proof import Budget, Cancelled, Left, Proof
from supersparse.engine.risk.instance import RiskInstance, arrays_of, copy_best, instance_of, new_best
from supersparse.engine.risk.kernels import BOXES, FOUND, SUPPORTS, WORK
from supersparse.engine.risk.node import Node, node_from_bytes, root_of
from supersparse.engine.risk.worker import SLICE, Worker

OnCard = Callable[[Ints, Ints, float], None]


class RiskTree(RemoteEngine[Node]):
    """Nodes, best first, and the best card.

    Cards that others find are passed to `on_card`, as columns and indices of their values, with a lower bound of
    each. With room for cards, kernels here list what may be below the best as well, and the best stays as it is: it
    is for `on_card` to call `accept`, and `leave_open` where a card is not excluded.
    """

    least_work, most_work = SLICE, 20 * SLICE

    def __init__(self, instance: RiskInstance, on_card: OnCard | None = None, room_for_cards: int = 0) -> None:
        super().__init__()
        self.instance = instance
        self.best = new_best(instance)
        self.nodes = 0
        self.on_card, self.room = on_card, room_for_cards
        self.first = _Hand(self)  # of the thread that searches as well
        self._hands: list[_Hand] = []
        self._packed: tuple[str, bytes] | None = None

    def roots(self) -> Iterable[Node]:
        """The whole search space; the search for a first card has run."""
        best = self.best
        yield root_of(self.instance, float(best.fit[0]), float(best.fit[1]), best.index)

    def resume(self, floor: float) -> None:
        """Go on with nodes that another run has left, none of them the root."""
        self.nodes = 1
        self.first.worker.support.floor[0] = floor

    def accept(self, value: float, index: Ints, slope: float, intercept: float) -> None:
        """Take a card as the best, if it is: by its loss and penalty, and the fit on the solver's columns."""
        with self.lock:
            if value < self.best.value[0]:
                self.best.value[0], self.best.index[:] = value, index
                self.best.fit[:] = slope, intercept

    def leave_open(self, bound: float) -> None:
        """Let the proof end no higher than the bound of a card that was looked at and not excluded."""
        with self.lock:
            floor = self.first.worker.support.floor
            floor[0] = min(floor[0], bound)

    @property
    def threshold(self) -> float:
        """A bound of at least this prunes."""
        return float(self.best.value[0]) - self.instance.data.tolerance

    def bound_of(self, part: Node) -> float:
        return part.bound

    def is_closed(self, bound: float) -> bool:
        """Whether no card with this bound is better by more than the tolerance."""
        return bound >= self.threshold

    def bound(self, proof: Proof[Node]) -> float:
        """No card is better than this; 0 before the start."""
        if not proof.has_begun:
            return 0.0
        with self.lock:
            least = proof.bound
            return min(self.threshold, self.floor, np.inf if least is None else least)

    @property
    def floor(self) -> float:
        """The least bound of a card that could not be pruned, because rounding leaves it open."""
        return min(float(worker.support.floor[0]) for worker in self._workers)

    def state(self, proof: Proof[Node]) -> tuple[float, Ints, float]:
        """The value and the card of the best, and the bound, of one moment."""
        with self.lock:
            return float(self.best.value[0]), self.best.index.copy(), self.bound(proof)

    @property
    def _workers(self) -> list[Worker]:
        return [self.first.worker, *(hand.worker for hand in self._hands if hand is not self.first)]

    @property
    def work(self) -> int:
        """The work of the kernels so far, in their units, that of the search included."""
        return sum(int(worker.support.counts[WORK]) for worker in self._workers)

    @property
    def count(self) -> int:
        """Nodes, boxes and supports looked at: with one thread, the same on every machine."""
        counts = [worker.support.counts for worker in self._workers]
        return self.nodes + sum(int(c[BOXES]) for c in counts) + sum(int(c[SUPPORTS]) for c in counts) // 1000

    def count_elsewhere(self, nodes: int, counts: Sequence[int], floor: float) -> None:
        """Count work done elsewhere as if it had been done here."""
        with self.lock:
            self.nodes += nodes
            mine = self.first.worker.support
            mine.counts[:] += counts
            mine.floor[0] = min(mine.floor[0], floor)

    def worker(self) -> "_Hand":
        with self.lock:
            self._hands.append(_Hand(self) if self._hands else self.first)
            return self._hands[-1]

    def settle(self, worker: Worker | None = None) -> None:
        """Take over what a worker has found, by default that of the search."""
        worker = worker or self.first.worker
        count = worker.support.state[FOUND]
        if not self.room:
            if worker.best.value[0] < self.best.value[0]:
                copy_best(worker.best, self.best)
            return
        assert self.on_card is not None, "someone judges the cards that there is room for"
        bounds = worker.support.found_bound[:count].tolist()
        for card, bound in zip(worker.support.found[:count], bounds, strict=True):
            size = int(card[0])
            self.on_card(card[1 : 1 + size].copy(), card[1 + size : 1 + 2 * size].copy(), bound)
        worker.support.state[FOUND] = 0

    def to_bytes(self, parts: Sequence[Node]) -> tuple[bytes, ...]:
        return tuple(node.to_bytes() for node in parts)

    def request(self, parts: Sequence[Node], cancelled: Cancelled) -> Request:
        """A slice, with the value of the best card now and the counts so far."""
        if self._packed is None:
            self._packed = packed(arrays_of(self.instance))
        digest, content = self._packed
        counts = tuple(self.first.worker.support.counts.tolist())
        return Request(
            run_remotely, digest, content, (self.to_bytes(parts), float(self.best.value[0]), counts, self.room)
        )

    def read(self, parts: Sequence[Node], outcome: "Outcome") -> Answer[Node]:
        instance = self.instance
        for columns, index, least in outcome.found:
            _check_card(columns, index, instance)
            _check_bound(least)
        for one in (outcome.nodes, *outcome.counts):
            checked_count(one)
        if len(outcome.counts) != len(self.first.worker.support.counts):
            raise ValueError(f"a slice counts {len(outcome.counts)} things")
        for bound in (outcome.value, outcome.floor):
            _check_bound(bound)
        if outcome.value < self.best.value[0] and not outcome.found:
            raise ValueError(f"a slice pruned by {outcome.value}, and found no card")
        return Answer(Left([node_from_bytes(written, instance) for written in outcome.parts]), outcome)

    def judge(self, outcome: "Outcome") -> None:
        for columns, index, bound in outcome.found:
            if self.on_card is not None:
                self.on_card(np.array(columns, np.int64), np.array(index, np.int64), bound)
        floor = outcome.floor
        if outcome.value < self.best.value[0]:  # pruned by a card that is worth less here
            floor = min(floor, outcome.value - self.instance.data.tolerance)
        self.count_elsewhere(outcome.nodes, outcome.counts, floor)


class _Hand:
    """One thread's worker, as the frame sees it: it goes on with an enumeration that it has begun."""

    def __init__(self, tree: RiskTree) -> None:
        self._tree = tree
        self.worker = Worker(tree.instance, tree.room)

    def work_on(self, parts: Sequence[Node], budget: Budget) -> Left[Node]:
        """Visit a node, or go on with the enumeration at hand; either for so much work."""
        tree, worker = self._tree, self.worker
        with tree.lock:
            tree.nodes += len(parts)
            is_root = tree.nodes == 1
            copy_best(tree.best, worker.best)
        before = int(worker.support.counts[WORK])
        left = worker.visit(parts[0], is_root, budget.most) if parts else worker.go_on(budget.most)
        with tree.lock:
            tree.settle(worker)
            rest = worker.rest() if worker.is_busy else ()  # all that was found before it is known now
        return Left(left, int(worker.support.counts[WORK]) - before, rest)

    def let_go(self) -> None:
        """Forget the enumeration at hand."""
        self.worker.drop()


Card = tuple[tuple[int, ...], tuple[int, ...], float]  # columns, the index of the value of each, a bound


class Outcome(NamedTuple):
    """A worker's answer: open nodes, cards, the value it pruned by, and its counts."""

    parts: tuple[bytes, ...]
    found: tuple[Card, ...]
    value: float  # the best known when it ended, or better
    floor: float  # the least bound of a card that could not be pruned
    nodes: int
    counts: tuple[int, ...]
    question: bytes  # the request, as `question_of`


def _check_card(columns: Sequence[int], index: Sequence[int], instance: RiskInstance) -> None:
    if len(set(columns)) != len(columns) or len(columns) > instance.most_features:
        raise ValueError(f"a card has {len(columns)} columns, more than the problem allows or one twice")
    for q, v in zip(columns, index, strict=True):
        if not (type(q) is type(v) is int and 0 <= q < len(instance.values) and 0 <= v < len(instance.values[q])):
            raise ValueError(f"a card has value {v} of column {q}, which the problem has not")


def _check_bound(bound: object) -> None:
    if type(bound) is not float or not bound > -np.inf:
        raise ValueError(f"{bound!r:.60} is not a bound")


_MOST_FOUND = 256  # cards that a slice hands back to be judged
_known: ProblemCache[RiskInstance] = ProblemCache(instance_of)


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
    cards: list[Card] = []

    def listed(columns: Ints, index: Ints, bound: float) -> None:
        cards.append((tuple(columns.tolist()), tuple(index.tolist()), bound))

    tree = RiskTree(instance, listed, room)
    proof, worker = Proof(tree), tree.first.worker
    tree.best.value[0] = value
    worker.support.counts[:] = counts
    tree.resume(np.inf)
    proof.begin([node_from_bytes(part, instance) for part in parts])
    ends = tree.work + work
    while proof.is_open and len(cards) < _MOST_FOUND:
        proof.step(most=max(1, ends - tree.work))
        # to open a support may be more than the work asked for: some of it is done, so that it ends once
        done = worker.support.counts - counts
        if tree.work >= ends and (not worker.is_busy or done[BOXES] > 0 or done[SUPPORTS] > 1):
            break
    best = tree.best
    if best.value[0] < value and not room:
        columns = np.flatnonzero(best.index != instance.data.zero)
        listed(columns, best.index[columns], float(best.value[0]))
    return Outcome(
        parts=tuple(node.to_bytes() for node in proof.open_parts()),
        found=tuple(cards),
        value=float(best.value[0]),
        floor=tree.floor,
        nodes=tree.nodes - 1,
        counts=tuple((worker.support.counts - counts).tolist()),
        question=question_of(digest, parts, value, counts, room, work),
    )


def coefficients_of(instance: RiskInstance, n_features: int, unit: int, columns: Ints, index: Ints) -> tuple[int, ...]:
    """A card of the kernels in the problem's unit."""
    coefficients = np.zeros(n_features, dtype=object)
    for q, v in zip(columns.tolist(), index.tolist(), strict=True):
        coefficients[instance.kept[q]] = int(instance.values[q][v] * unit)
    return tuple(coefficients.tolist())

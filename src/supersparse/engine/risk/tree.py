"""The tree over supports: the open nodes, those being worked on, and the best card.

Best first. Workers, one or one for each thread, take nodes and put back what is left of them. The bound is
the least of everything open or taken, so it holds at every moment, whatever the threads do.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from supersparse.base.integer_arrays import Ints
from supersparse.engine.risk.data import BOXES, FOUND, SUPPORTS, WORK
from supersparse.engine.risk.instance import RiskInstance, copy_best, new_best
from supersparse.engine.risk.node import Node, root_of
from supersparse.engine.risk.worker import Worker

OnCard = Callable[[Ints, Ints, float], None]


@dataclass(eq=False)
class NodeBatch:
    """Nodes that were taken together."""

    nodes: list[Node]


class RiskTree:
    """The proof: the open nodes, the nodes at hand, and the best card.

    With `on_card`, cards that may be below the best are passed to it, as columns and indices of their values,
    with a lower bound of each, and the best stays as it is: it is for `on_card` to call `accept`, and
    `leave_open` where a card is not excluded.
    """

    def __init__(
        self, instance: RiskInstance, on_card: OnCard | None = None, room_for_cards: int = 0, threads: int = 1
    ) -> None:
        self.instance = instance
        self.best = new_best(instance)
        self.workers = [Worker(instance, room_for_cards) for _ in range(threads)]
        self.nodes = 0
        self._on_card = on_card
        self._open: list[tuple[float, int, Node]] = []
        self._taken: dict[int, list[Node]] = {}  # what workers have at hand, and slices on their way
        self._made = 0
        self._changed = threading.Condition(threading.RLock())
        self._stopping = False
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Open the root; the search for a first card has run."""
        best = self.best
        self.open([root_of(self.instance, float(best.fit[0]), float(best.fit[1]), best.index)])

    def open(self, nodes: Iterable[Node]) -> None:
        """Put nodes on the heap, unless their bound is too high."""
        with self._changed:
            for node in nodes:
                self._made += 1
                if node.bound < self.threshold:
                    heappush(self._open, (node.bound, self._made, node))
            self._changed.notify_all()

    def resume(self, nodes: Iterable[Node], floor: float) -> None:
        """Open the nodes that another run has left, none of them the root."""
        self.nodes = 1
        self.workers[0].support.floor[0] = floor
        self._made += 1  # it has begun, even if nothing is open
        self.open(nodes)

    def accept(self, value: float, index: Ints, slope: float, intercept: float) -> None:
        """Take a card as the best, if it is: by its loss and penalty, and the fit on the solver's columns."""
        with self._changed:
            if value < self.best.value[0]:
                self.best.value[0], self.best.index[:] = value, index
                self.best.fit[:] = slope, intercept

    def leave_open(self, bound: float) -> None:
        """Let the proof end no higher than the bound of a card that was looked at and not excluded."""
        with self._changed:
            floor = self.workers[0].support.floor
            floor[0] = min(floor[0], bound)

    @property
    def threshold(self) -> float:
        """A bound of at least this prunes."""
        return float(self.best.value[0]) - self.instance.data.tolerance

    @property
    def has_begun(self) -> bool:
        """Whether the root was opened, or what another run has left."""
        return self._made > 0

    @property
    def is_open(self) -> bool:
        """Whether anything is left to prove."""
        with self._changed:
            if self._failure is not None:
                return False
            return bool(self._taken) or (bool(self._open) and self._open[0][0] < self.threshold)

    @property
    def bound(self) -> float:
        """No card is better than this; 0 before the start."""
        with self._changed:
            if not self.has_begun:
                return 0.0
            left = [node.bound for nodes in self._taken.values() for node in nodes]
            if self._open:
                left.append(self._open[0][0])
            return min([*left, self.threshold, self.floor])

    @property
    def floor(self) -> float:
        """The least bound of a card that could not be pruned, because rounding leaves it open."""
        return min(float(worker.support.floor[0]) for worker in self.workers)

    def state(self) -> tuple[float, Ints, float]:
        """The value and the card of the best, and the bound, of one moment."""
        with self._changed:
            return float(self.best.value[0]), self.best.index.copy(), self.bound

    def open_nodes(self) -> list[Node]:
        """Everything open: waiting nodes, and what was left of others when their workers last reported."""
        with self._changed:
            taken = [node for nodes in self._taken.values() for node in nodes]
            return [*(node for _, _, node in self._open), *taken]

    @property
    def work(self) -> int:
        """The work of the kernels so far, in their units."""
        return sum(int(worker.support.counts[WORK]) for worker in self.workers)

    @property
    def count(self) -> int:
        """Nodes, boxes and supports looked at: with one thread, the same on every machine."""
        counts = [worker.support.counts for worker in self.workers]
        return self.nodes + sum(int(c[BOXES]) for c in counts) + sum(int(c[SUPPORTS]) for c in counts) // 1000

    def take(self, most: int, among: int) -> NodeBatch | None:
        """Take some nodes for a slice elsewhere, the best first; None if nothing waits."""
        with self._changed:
            size = min(most, 1 + len(self._open) // (2 * among))
            nodes: list[Node] = []
            while self._open and len(nodes) < size:
                node = heappop(self._open)[2]
                if node.bound < self.threshold:
                    nodes.append(node)
            if not nodes:
                return None
            taken = NodeBatch(nodes)
            self._taken[id(taken)] = nodes
            return taken

    def put(self, taken: NodeBatch, nodes: Iterable[Node]) -> None:
        """Replace nodes that were taken by what is left of them."""
        with self._changed:
            del self._taken[id(taken)]
            self.open(nodes)

    def count_elsewhere(self, nodes: int, counts: Sequence[int], floor: float) -> None:
        """Count what was done elsewhere as if it had been done here."""
        self.nodes += nodes
        mine = self.workers[0].support
        mine.counts[:] += counts
        mine.floor[0] = min(mine.floor[0], floor)

    def let_go(self) -> None:
        """Open again what is left of the nodes that workers have at hand; no thread is at work."""
        for worker in self.workers:
            if worker.is_busy:
                worker.drop()
                self.open(self._taken.pop(id(worker)))

    def step(self, worker: Worker | None = None, work: int | None = None) -> bool:
        """Continue what a worker has at hand, or take the next node; whether there was anything to do.

        An enumeration goes on for so much work.
        """
        worker = worker or self.workers[0]
        with self._changed:
            node = None
            if not worker.is_busy:
                if not self._open:
                    return False
                node = heappop(self._open)[2]
                if node.bound >= self.threshold:
                    return True
                self.nodes += 1
                self._taken[id(worker)] = [node]
            is_root = self.nodes == 1
            copy_best(self.best, worker.best)
        children = worker.go_on(work) if node is None else worker.visit(node, is_root, work)
        with self._changed:
            self.settle(worker)
            self.open(children)
            if worker.is_busy:
                self._taken[id(worker)] = worker.rest()  # all that was found before it is known now
            else:
                del self._taken[id(worker)]
        return True

    def settle(self, worker: Worker) -> None:
        """Take over what a worker has found."""
        found = worker.support.state[FOUND]
        if self._on_card is None:
            if worker.best.value[0] < self.best.value[0]:
                copy_best(worker.best, self.best)
            return
        bounds = worker.support.found_bound[:found].tolist()
        for card, bound in zip(worker.support.found[:found], bounds, strict=True):
            size = int(card[0])
            self._on_card(card[1 : 1 + size].copy(), card[1 + size : 1 + 2 * size].copy(), bound)
        worker.support.state[FOUND] = 0

    def start_threads(self) -> list[threading.Thread]:
        """Let every worker work in a thread of its own until nothing is open."""
        threads = [
            threading.Thread(target=self._work, args=(worker,), name=f"risk-{at}", daemon=True)
            for at, worker in enumerate(self.workers)
        ]
        for thread in threads:
            thread.start()
        return threads

    def finish(self, threads: list[threading.Thread]) -> None:
        """Stop the threads, which put their nodes back, and raise any error from one."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def _work(self, worker: Worker) -> None:
        try:
            while not self._stopping:
                if not self.step(worker):
                    with self._changed:
                        if not self._taken:
                            self._changed.notify_all()
                            return
                        self._changed.wait(0.1)
        except BaseException as failure:  # passed to the main thread by `finish`
            with self._changed:
                self._failure, self._stopping = failure, True
                self._changed.notify_all()
        finally:
            with self._changed:
                if id(worker) in self._taken:
                    worker.drop()
                    self.open(self._taken.pop(id(worker)))


def coefficients_of(instance: RiskInstance, n_features: int, unit: int, columns: Ints, index: Ints) -> tuple[int, ...]:
    """A card of the kernels in the problem's unit."""
    found = np.zeros(n_features, dtype=object)
    for q, v in zip(columns.tolist(), index.tolist(), strict=True):
        found[instance.kept[q]] = int(instance.values[q][v] * unit)
    return tuple(found.tolist())

"""Open parts: the rest of a search space, least bound first, whoever has taken some of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar

Part = TypeVar("Part")


class Taken(Generic[Part]):
    """Parts that were taken together, and what is known to be left of them meanwhile."""

    def __init__(self, parts: list[tuple[Any, Part]]) -> None:
        self.parts: list[Part] = [part for _, part in parts]
        self.left = parts


class OpenParts(Generic[Part]):
    """A heap of parts by bound, and all that was taken from it and not put back.

    The least bound of both is a bound of the whole, so it holds at every moment. Ties go to the older part, so
    parts themselves are never compared. The caller locks.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[Any, int, Part]] = []
        self._age = 0
        self._taken: set[Taken[Part]] = set()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, bound: Any, part: Part) -> None:
        self._age += 1
        heappush(self._heap, (bound, self._age, part))

    def take(self, most: int = 1, joins: Callable[[Part, Part], bool] | None = None) -> Taken[Part] | None:
        """Take at most this number of parts, the first and those after it that join it; None if none waits."""
        if not self._heap:
            return None
        bound, _, first = heappop(self._heap)
        parts = [(bound, first)]
        while len(parts) < most and self._heap and (joins is None or joins(first, self._heap[0][2])):
            bound, _, part = heappop(self._heap)
            parts.append((bound, part))
        taken = Taken(parts)
        self._taken.add(taken)
        return taken

    def put(
        self, taken: Taken[Part], parts: Iterable[tuple[Any, Part]], at_hand: Sequence[tuple[Any, Part]] = ()
    ) -> None:
        """Replace taken parts by what remains of them; with a part at hand, its rest stays taken."""
        self._taken.remove(taken)
        for bound, part in parts:
            self.push(bound, part)
        if at_hand:
            taken.left = list(at_hand)
            self._taken.add(taken)

    def drop(self) -> None:
        """Take away all that waits: it cannot be worth looking at."""
        self._heap.clear()

    @property
    def takers(self) -> int:
        """How many work on some."""
        return len(self._taken)

    @property
    def first(self) -> Any:
        """The least bound of all that waits; None if nothing does."""
        return self._heap[0][0] if self._heap else None

    @property
    def bound(self) -> Any:
        """The least bound of everything open; None if nothing is."""
        taken = [bound for one in self._taken for bound, _ in one.left]
        return min(taken if not self._heap else [*taken, self._heap[0][0]], default=None)

    def __iter__(self) -> Iterator[Part]:
        """Everything open: waiting parts, then the rest of the taken ones."""
        yield from (part for _, _, part in self._heap)
        yield from (part for one in self._taken for _, part in one.left)

"""Lazily: a sequence whose entries are made when they are asked for, and kept."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

Entry = TypeVar("Entry")


class Lazily(Sequence[Entry], Generic[Entry]):
    """A sequence of known length; entry j is ``make(j)``, made once; a pickle holds ``make`` alone.

    >>> squares = Lazily(1000, lambda j: j * j)
    >>> len(squares), squares[12]
    (1000, 144)
    """

    def __init__(self, length: int, make: Callable[[int], Entry]) -> None:
        self._length = length
        self._make = make
        self._made: dict[int, Entry] = {}

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_made": {}}

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> "tuple[Entry, ...]": ...

    def __getitem__(self, index: int | slice) -> "Entry | tuple[Entry, ...]":
        if isinstance(index, slice):
            return tuple(self[j] for j in range(*index.indices(self._length)))
        j = range(self._length)[index]
        if j not in self._made:
            self._made[j] = self._make(j)
        return self._made[j]

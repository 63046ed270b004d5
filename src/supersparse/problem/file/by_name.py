"""ByName: a frozen mapping whose order counts, as it does where several patterns fit a feature."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ByName(Mapping[str, T], Generic[T]):
    """Values by name, in the order given; equal only to one in the same order.

    >>> by_name = ByName((("age*", 2), ("*", 1)))
    >>> by_name["*"], dict(by_name)
    (1, {'age*': 2, '*': 1})
    """

    entries: tuple[tuple[str, T], ...]

    def __getitem__(self, name: str) -> T:
        for known, value in self.entries:
            if known == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

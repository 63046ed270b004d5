"""Rules: how an item turns a raw column into the number that its points multiply.

There is one rule so far, the value itself. A further rule is a class here with the same
attributes, and an entry in `RULES` for files.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from supersparse.card.numbers import IntArray, exact, quick_whole_numbers, whole_numbers


@dataclass(frozen=True, slots=True)
class ValueOf:
    """The raw value itself: the item gives value x points."""

    kind: ClassVar[str] = "value"

    column: str

    def of_one(self, value: object) -> Fraction:
        """What the points multiply, for one person."""
        return exact(value, f"column {self.column!r}")

    def of_column(self, values: NDArray[np.generic]) -> tuple[IntArray, int]:
        """What the points multiply, row by row: integers over one scale."""
        return whole_numbers(values, f"column {self.column!r}")

    def quick(self, values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
        """The same where numpy alone can do it; None where the values stand for themselves, as floats."""
        return quick_whole_numbers(values)


Rule = ValueOf
RULES: tuple[type[Rule], ...] = (ValueOf,)

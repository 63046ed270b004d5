"""Columns side by side, in the smallest type that holds all of them exactly."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cells import Cells, Numbers
from supersparse.card.numbers import IntArray, largest_magnitude
from supersparse.problem.decimals import integer_column


def stack(columns: Sequence[tuple[IntArray, int]]) -> NDArray[Any]:
    """Return columns of integers over a scale each as one array of numbers.

    Integers stay integers where all are. The package reads a double as its shortest decimal, and a quotient
    of short integers is rounded to just that; what is longer becomes fractions.
    """
    if all(scale == 1 and integers.dtype != object for integers, scale in columns):
        return np.column_stack([integer_column(integers)[0] for integers, _ in columns])
    if all(scale < 10**15 and largest_magnitude(integers) < 10**15 for integers, scale in columns):
        return np.column_stack([integers.astype(np.float64) / float(scale) for integers, scale in columns])
    return np.column_stack(
        [np.array([Fraction(int(n), scale) for n in integers], dtype=object) for integers, scale in columns]
    )


def cells_as_array(cells: Cells) -> NDArray[Any]:
    """Return a column that has no missing value as an array."""
    if isinstance(cells, Numbers):
        return cells.values
    held = np.empty(len(cells.distinct), dtype=object)
    held[:] = cells.distinct
    return held[cells.codes]

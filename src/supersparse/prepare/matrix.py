"""Columns of numbers, kept exactly: a double stands for its shortest decimal, as everywhere here."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cells import Cells, Mask, Numbers
from supersparse.decimals import LONGEST_UNIQUE_DECIMAL, IntArray, integer_column, largest_magnitude

_EXACT_IN_A_DOUBLE = 2**53


def as_numbers(integers: IntArray, scale: int) -> NDArray[Any]:
    """Return integers over a scale as numbers: small integers where they are whole, else doubles.

    A short decimal is rounded to the double that stands for it; what is none becomes fractions.
    """
    if scale == 1:
        return integer_column(integers)[0]
    if LONGEST_UNIQUE_DECIMAL % scale == 0 and largest_magnitude(integers) < LONGEST_UNIQUE_DECIMAL:
        quotients: NDArray[Any] = integers.astype(np.float64) / float(scale)
        return quotients
    return np.array([Fraction(int(n), scale) for n in integers], dtype=object)


def filled(column: NDArray[Any], missing: Mask, value: Fraction) -> NDArray[Any]:
    """Return the column with a value where it is missing."""
    if value in (0, 1):
        held: Any = int(value)
    elif column.dtype.kind == "f" and Fraction(str(column.dtype.type(float(value)))) == value:
        held = float(value)
    elif column.dtype.kind in "iu" and value.denominator == 1 and _fits(int(value), column.dtype):
        held = int(value)
    else:
        column, held = np.array([Fraction(str(v)) for v in column], dtype=object), value
    found = column.astype(np.int8) if column.dtype.kind == "b" else column.copy()
    found[missing] = held
    return found


def _fits(value: int, dtype: np.dtype[Any]) -> bool:
    info = np.iinfo(dtype)
    return int(info.min) <= value <= int(info.max)


def stack(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Put columns side by side in the smallest type that holds all of them exactly."""
    columns = [_doubles(c) if c.dtype.kind == "f" else _narrow(c) for c in columns]
    has_floats = any(c.dtype.kind == "f" for c in columns)
    if has_floats and any(c.dtype.kind == "i" and _is_long(c) for c in columns):
        columns = [c.astype(object) for c in columns]
    return np.column_stack(columns)


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    return column if column.dtype == object else integer_column(column)[0]


def _doubles(column: NDArray[Any]) -> NDArray[Any]:
    """Return the doubles that stand for the same decimals: 0.1 in single precision becomes 0.1 in double."""
    if column.dtype == np.float64:
        return column
    values, codes = np.unique(column, return_inverse=True)
    return np.array([float(str(v)) for v in values])[codes.reshape(-1)]


def _is_long(integers: NDArray[Any]) -> bool:
    return (
        bool(len(integers)) and max(abs(int(integers.min())), abs(int(integers.max()))) > _EXACT_IN_A_DOUBLE
    )


def cells_as_array(cells: Cells) -> NDArray[Any]:
    """Return a column that has no missing value as an array."""
    if isinstance(cells, Numbers):
        return cells.values
    held = np.empty(len(cells.distinct), dtype=object)
    held[:] = cells.distinct
    return held[cells.codes]

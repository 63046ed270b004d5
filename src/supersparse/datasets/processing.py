"""The steps of the paper's processing: complete rows, indicators of categories, columns that vary."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.datasets.columns import Columns
from supersparse.datasets.reading import is_whole


def complete_rows(raw: Columns) -> NDArray[np.intp]:
    """Return the rows in which nothing is missing."""
    keep = np.ones(raw.n_rows, dtype=bool)
    for array in raw.values():
        keep &= ~missing(array)
    return np.flatnonzero(keep)


def missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which values are missing: NaN among numbers, None among words."""
    if array.dtype.kind == "O":
        return np.array([value is None for value in array])
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)


def indicators(array: NDArray[Any], names: Mapping[str, str]) -> dict[str, NDArray[np.int64]]:
    """Return a 0/1 column for each category, under the name that it is given.

    >>> indicators(np.array(["a", "b"], dtype=object), {"a": "is a"})
    {'is a': array([1, 0])}
    """
    return {name: (array == category).astype(np.int64) for category, name in names.items()}


def varying(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Leave out the columns that are constant."""
    return {name: array for name, array in columns.items() if (array != array[0]).any()}


def matrix(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Put columns side by side: int64 when all are whole numbers, else float64."""
    table = np.column_stack(list(columns.values()))
    return table.astype(np.int64) if is_whole(table) else table

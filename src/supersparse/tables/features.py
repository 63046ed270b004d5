"""Which columns can be features, and why others cannot: dates, identifiers, blanks, too many texts."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.tables.columns import Column, Kind

_FEW = 20  # with fewer rows, values that all differ say nothing
_NAMED_LIKE_ONE = re.compile(
    r"(^|[^a-z])(id|nr|no|key|code|mrn|uuid|guid|index|row)$|[a-z]I[dD]$|_pk$", re.ASCII
)


def why_no_feature(column: Column, n_rows: int) -> str | None:
    """Say why a column should be left out; None where it is fit for use.

    A row of numbers that all differ is left out when it counts the rows, or is called like an
    identifier. A measurement may differ in all rows too.
    """
    if column.kind is Kind.EMPTY:
        return "all cells are blank or missing"
    if column.kind is Kind.DATE:
        return "it holds dates; turn them into numbers, such as years or days since an event"
    if column.kind is Kind.TOO_MANY:
        return "there are too many different texts for categories"
    if n_rows - column.n_missing < _FEW or column.n_different < n_rows - column.n_missing:
        return None
    if column.kind is Kind.TEXT:
        return "all texts differ, as in an identifier"
    if column.kind is Kind.NUMBER and _counts_or_names(column):
        return "all numbers differ and look like an identifier"
    return None


def _counts_or_names(column: Column) -> bool:
    values = column.values
    if values.dtype == object or not bool((np.floor(values) == values).all()):  # NaN is not equal to itself
        return False
    counts = int(values.max()) - int(values.min()) + 1 == len(values)
    return counts or _NAMED_LIKE_ONE.search(column.name) is not None


_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?", re.ASCII)


def sortable_times(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return times in a form that sorts: numbers as they are, dates written as 2024-03-31 as text."""
    if values.dtype != object:
        return values
    cells = values.tolist()
    if all(isinstance(cell, str) for cell in cells):
        for cell in cells:
            if _ISO.fullmatch(cell) is None:
                raise InvalidDataError(
                    f"column {name!r} holds {cell!r}, which cannot be put in order; write times as numbers, "
                    "or as 2024-03-31 or 2024-03-31T14:30"
                )
        return np.array([cell.replace(" ", "T") for cell in cells])
    return values

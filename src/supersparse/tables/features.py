"""Which columns can be features, and why others cannot: dates, identifiers, blanks, too many texts."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.tables.columns import Column, Kind

_FEW = 20  # with fewer rows, values that all differ say nothing
_NAMED_LIKE_ONE = re.compile(
    r"(^|[^a-z])(id|nr|no|key|code|mrn|uuid|guid|index|row)$", re.ASCII | re.IGNORECASE
)
_JOINED = re.compile(r"[a-z]I[dD]$", re.ASCII)


def why_no_feature(column: Column, n_rows: int) -> str | None:
    """Say why a column should be left out; None where it is fit for use.

    Whole numbers are left out when they all differ and count the rows, or mostly differ and are called
    like an identifier. A measurement may differ in all rows too.
    """
    if column.kind is Kind.EMPTY:
        return "all cells are blank or missing"
    if column.kind is Kind.DATE:
        return "it holds dates; turn them into numbers, such as years or days since an event"
    if column.kind is Kind.TOO_MANY:
        return "there are too many different texts for categories"
    present = n_rows - column.n_missing
    if present < _FEW or column.kind is Kind.TRUTH:
        return None
    different = column.n_different
    if column.kind is Kind.TEXT:
        return "all texts differ, as in an identifier" if different == present else None
    if not _is_whole(column) or 2 * different <= present:
        return None
    if _NAMED_LIKE_ONE.search(column.name) or _JOINED.search(column.name):
        return f"{different} of {present} numbers differ, and it is called like an identifier"
    if different == present and int(column.values.max()) - int(column.values.min()) + 1 == different:
        return "its numbers count the rows"
    return None


def _is_whole(column: Column) -> bool:
    values = column.values
    return values.dtype != object and bool((np.floor(values) == values).all())  # NaN is not equal to itself


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

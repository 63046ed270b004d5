"""Column: one raw column with the kind of values that it holds."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kind(Enum):
    """What a column holds."""

    NUMBER = "numbers"
    TRUTH = "true or false"
    TEXT = "text"
    DATE = "dates"
    EMPTY = "nothing"
    TOO_MANY = "too many different texts"  # these are not kept


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Column:
    """The values of a column, row by row.

    Numbers are int64, float64 (NaN is missing) or fractions (None is missing); true and false are bool, or
    objects with None; texts and dates are objects: str, None where one is missing. Of kind `TOO_MANY`
    and `EMPTY` there are no values.
    """

    name: str
    kind: Kind
    values: NDArray[np.generic]
    n_missing: int = 0

    @property
    def n_different(self) -> int:
        """How many different values there are, missing ones not counted."""
        if self.kind in (Kind.NUMBER, Kind.TRUTH) and self.values.dtype != object:
            found = np.unique(self.values)
            return len(found) - int(np.isnan(found[-1:]).sum()) if found.dtype.kind == "f" else len(found)
        return len(set(self.values.tolist()) - {None})

    def take(self, rows: NDArray[Any]) -> "Column":
        """The same for some rows."""
        values = self.values[rows] if len(self.values) else self.values
        if values.dtype == object:
            missing = values.tolist().count(None)
        else:
            missing = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
        return Column(name=self.name, kind=self.kind, values=values, n_missing=missing)

"""Raw columns: what kind of values each holds, and why some are left out."""

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cells import Cells, Numbers, Objects
from supersparse.card.numbers import exact
from supersparse.card.values import Category, is_missing, read_category
from supersparse.errors import InvalidDataError
from supersparse.problem.table import as_frame

Mask = NDArray[np.bool_]


def is_array(X: Any) -> bool:
    """Whether a table has no names for its columns: an array, a sparse matrix, or lists of rows."""
    if isinstance(X, np.ndarray):
        return X.dtype.names is None
    return not isinstance(X, Mapping) and as_frame(X) is None


@dataclass(frozen=True, eq=False, kw_only=True)
class RawColumn:
    """One column of the training table."""

    name: str
    position: int
    cells: Cells

    @cached_property
    def present(self) -> Mask:
        """Which rows have a value."""
        n = len(self.cells)
        return np.ones(n, dtype=bool) if self.cells.missing is None else ~self.cells.missing

    @property
    def n_missing(self) -> int:
        """How many rows have none."""
        return 0 if self.cells.missing is None else int(self.cells.missing.sum())

    @cached_property
    def distinct(self) -> tuple[NDArray[np.generic], NDArray[np.intp]]:
        """The distinct numbers in rising order, and which of them each present row has."""
        if isinstance(self.cells, Numbers):
            values = self.cells.values[self.present]
        else:
            read = [0.0 if is_missing(v) else float(exact(v, self.name)) for v in self.cells.distinct]
            values = np.array(read)[self.cells.codes[self.present]]
        if values.dtype.kind == "f" and np.isinf(values).any():
            raise InvalidDataError(
                f"column {self.name!r} has {int(np.isinf(values).sum())} infinite value(s) (inf); "
                "replace them, or make them missing"
            )
        found, codes = np.unique(values, return_inverse=True)
        return found, codes.reshape(-1)

    @cached_property
    def levels(self) -> tuple[list[Category], NDArray[np.intp]]:
        """The distinct categories, and which of them each present row has."""
        if isinstance(self.cells, Numbers):
            found, codes = self.distinct
            return [read_category(v, self.name) for v in found], codes
        known: dict[Category, int] = {}
        place = np.zeros(len(self.cells.distinct), dtype=np.intp)
        for code, value in enumerate(self.cells.distinct):
            if not is_missing(value):
                place[code] = known.setdefault(read_category(value, self.name), len(known))
        return list(known), place[self.cells.codes[self.present]]


def kind_of_column(cells: Cells) -> str:
    """What a column holds: "yes or no", "numbers", "categories", "nothing", or what cannot be used.

    Text is never a number, as in the rest of the package; a column that mixes both holds categories.
    """
    if isinstance(cells, Numbers):
        if cells.missing is not None and cells.missing.all():
            return "nothing"
        values = cells.values if cells.missing is None else cells.values[~cells.missing]
        if values.dtype.kind == "b" or np.isin(values, (0, 1)).all():
            return "yes or no"
        return "numbers"
    held = [v for v in _used(cells) if not is_missing(v)]
    if not held:
        return "nothing"
    strange = [v for v in held if not isinstance(v, str | bool | np.bool_ | numbers.Number | Decimal)]
    if strange:
        return f"values such as {strange[0]!r}"
    if any(isinstance(v, str) for v in held):
        return "categories"
    return "yes or no" if all(Fraction(exact(v, "a value")) in (0, 1) for v in held) else "numbers"


def _used(cells: Objects) -> list[object]:
    seen = np.bincount(cells.codes, minlength=len(cells.distinct)) > 0
    return [value for value, used in zip(cells.distinct, seen.tolist(), strict=True) if used]

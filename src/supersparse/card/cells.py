"""Cells: one raw column, read once, with its missing values set apart.

A column is either `Numbers`, one numpy array, or `Objects`, the distinct values and which of
them stands where, so that text and mixed columns cost a loop over what differs and no more.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from types import NoneType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cuts import is_comparable
from supersparse.card.values import is_missing
from supersparse.errors import InvalidDataError

T = TypeVar("T")

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Booleans, integers or floats of at most 64 bits; 0 stands where a value is missing."""

    values: NDArray[np.generic]
    missing: Mask | None = None  # None: nothing is missing

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.intp]) -> "Numbers":
        """The same for some rows."""
        return Numbers(self.values[rows], None if self.missing is None else self.missing[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """Values of any kind: row i holds ``distinct[codes[i]]``."""

    distinct: tuple[object, ...]
    codes: NDArray[np.intp]
    missing: Mask | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def each(self, function: Callable[[object, str], T], what: str) -> list[T | None]:
        """Apply a function of a value and its name to each distinct value, None to missing ones.

        Where it refuses a value, it is asked again with the first row that holds it in the name.
        """
        found: list[T | None] = []
        for code, value in enumerate(self.distinct):
            if is_missing(value):
                found.append(None)
                continue
            try:
                found.append(function(value, what))
            except InvalidDataError:
                function(value, f"{what}, row {int((self.codes == code).argmax()) + 1}")
                raise
        return found

    def take(self, rows: NDArray[np.intp]) -> "Objects":
        """The same for some rows."""
        missing = None if self.missing is None else self.missing[rows]
        return Objects(self.distinct, self.codes[rows], missing)


Cells = Numbers | Objects


def read_cells(values: NDArray[np.generic], missing: Mask | None = None) -> Cells:
    """Read a one-dimensional array; `missing` tells what is known to be missing already."""
    if isinstance(values, np.ma.MaskedArray):
        return read_list(values.tolist())  # None where it is masked
    if values.dtype == object:
        held = values.tolist()
        kinds = set(map(type, held))
        numbers = _as_numbers(values, kinds)
        return _coded(held, kinds) if numbers is None else numbers
    if not is_comparable(values.dtype):
        held = list(values.astype(object) if values.dtype.kind in "mMU" else values)
        return _coded(held, set(map(type, held)))
    if values.dtype.kind == "f":
        not_a_number = np.isnan(values)
        if not_a_number.any():
            missing = _either(missing, not_a_number)
    if missing is None or not missing.any():
        return Numbers(values)
    return Numbers(np.where(missing, values.dtype.type(0), values), missing)


def read_list(values: Iterable[object]) -> Cells:
    """Read values of any kind."""
    held = list(values)
    array = np.empty(len(held), dtype=object)
    array[:] = held
    return read_cells(array)


def _as_numbers(values: NDArray[np.generic], kinds: set[type]) -> Cells | None:
    """Read an object array as one of numbers where that loses nothing, else None."""
    missing = None
    if kinds in ({int, NoneType}, {float, NoneType}):
        missing = np.array([value is None for value in values], dtype=bool)
        values = np.where(missing, 0, values)
    elif not kinds or not (kinds == {float} or kinds <= {int, bool}):
        return None
    try:
        return read_cells(values.astype(np.float64 if float in kinds else np.int64), missing)
    except OverflowError:
        return None


def _coded(values: list[object], kinds: set[type]) -> Objects:
    # equal is not the same: Decimal(0.1) equals the float 0.1, which stands for 1/10
    differ = len(kinds - {str, NoneType}) <= 1  # then values of two types are never equal
    keys: list[Any] = values if differ else list(zip(map(type, values), values, strict=True))
    order: dict[Any, int] = defaultdict(count().__next__)  # a new key has the next number
    try:
        codes = np.fromiter(map(order.__getitem__, keys), dtype=np.intp, count=len(keys))
        distinct = tuple(order) if differ else tuple(value for _, value in order)
    except TypeError:  # not hashable, or not comparable
        codes, distinct = np.arange(len(values)), tuple(values)
    gone = np.array([is_missing(v) for v in distinct], dtype=bool)
    return Objects(distinct, codes, gone[codes] if gone.any() else None)


def _either(first: Mask | None, second: Mask) -> Mask:
    return second if first is None else first | second

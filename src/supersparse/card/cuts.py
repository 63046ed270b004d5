"""Comparisons of a whole column with one exact number, without a loop in Python.

A float stands for its shortest decimal. These decimals are in the same order as the floats, so
"the decimal is at least t" holds from some float on; that float is found exactly, and the
column is compared with it.
"""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def is_comparable(dtype: np.dtype[np.generic]) -> bool:
    """Whether columns of this type are handled here: booleans, integers, floats of at most 64 bits."""
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8)


def from_on(values: NDArray[Any], bound: Fraction, *, included: bool) -> Mask:
    """Which values are at least the bound, or above it when it is not included."""
    if values.dtype.kind == "b":
        values = values.astype(np.int8)
    if values.dtype.kind in "iu":
        least = ceil(bound) if included else floor(bound) + 1
        info = np.iinfo(values.dtype.name)
        if not info.min <= least <= info.max:  # beyond what numpy compares exactly
            return np.full(len(values), least < info.min)
        return np.asarray(values >= values.dtype.type(least))
    return np.asarray(values >= first_float(values.dtype, bound, included))


def equal_to(values: NDArray[np.generic], number: Fraction) -> Mask:
    """Which values are exactly this number."""
    return from_on(values, number, included=True) & ~from_on(values, number, included=False)


def first_float(dtype: np.dtype[Any], bound: Fraction, included: bool) -> Any:
    """The smallest float of this type whose shortest decimal reaches the bound."""
    kind = dtype.type

    def reaches(value: Any) -> bool:
        if np.isinf(value):
            return bool(value > 0)
        decimal = Fraction(str(value))
        return decimal >= bound if included else decimal > bound

    try:
        with np.errstate(over="ignore", under="ignore"):
            found = kind(float(bound))
    except OverflowError:
        found = kind(np.inf if bound > 0 else -np.inf)
    with np.errstate(over="ignore", under="ignore"):
        while reaches(found):
            found = np.nextafter(found, kind(-np.inf))
        while not reaches(found):
            found = np.nextafter(found, kind(np.inf))
    return found

"""Numbers of a card, read exactly."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse import decimals
from supersparse.decimals import IntArray, fits_int64, largest_magnitude, short_decimals
from supersparse.errors import InvalidDataError


def exact(value: object, what: str) -> Fraction:
    """Read one number exactly; `what` names it in the message when it cannot be.

    >>> exact(0.1, "age")
    Fraction(1, 10)
    """
    if value is None:
        raise InvalidDataError(f"{what} is missing (None); a score needs a number")
    return decimals.exact(value, what, InvalidDataError)


def whole_numbers(values: NDArray[np.generic], what: str) -> tuple[IntArray, int]:
    """Return (integers, scale) with ``values == integers / scale`` exactly.

    The integers are 64-bit where those suffice, Python's own otherwise.
    """
    quick = quick_whole_numbers(values)
    if quick is not None:
        return quick
    if values.dtype.kind not in "fO":
        raise InvalidDataError(
            f"{what} holds {values[:1].tolist()[0]!r}, not numbers" if len(values) else f"{what} holds text"
        )
    return _one_by_one(values, what)


def quick_whole_numbers(values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
    """Do the same where it takes no loop in Python: whole numbers and short decimals."""
    if values.dtype.kind in "bi":
        return values.astype(np.int64), 1
    if values.dtype.kind == "u":
        return _narrowed(values.astype(object)), 1
    return short_decimals(values)


def _one_by_one(values: NDArray[np.generic], what: str) -> tuple[IntArray, int]:
    read = [exact(v, f"{what}, row {i}") for i, v in enumerate(values, start=1)]
    scale = math.lcm(*(f.denominator for f in read))
    return _narrowed(np.array([f.numerator * (scale // f.denominator) for f in read], dtype=object)), scale


def _narrowed(integers: NDArray[np.object_]) -> IntArray:
    return integers.astype(np.int64) if fits_int64(largest_magnitude(integers)) else integers

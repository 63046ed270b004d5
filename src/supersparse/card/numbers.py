"""Numbers of a card: read exactly, written so that a person or a program gets the same back."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse import decimals
from supersparse.decimals import IntArray, fits_int64, largest_magnitude, short_decimals
from supersparse.errors import InvalidDataError

_MOST_DECIMALS_SHOWN = 12


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


def shown(value: Fraction) -> str:
    """Write a number exactly, as a person would: a decimal where it ends soon, else a fraction.

    >>> shown(Fraction(12)), shown(Fraction(-1, 1000)), shown(Fraction(1, 3))
    ('12', '-0.001', '1/3')
    """
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    decimals = max(twos, fives)
    if rest != 1 or decimals > _MOST_DECIMALS_SHOWN:
        return str(value)
    digits = str(abs(int(value * 10**decimals))).rjust(decimals + 1, "0")
    whole, part = (digits[:-decimals], "." + digits[-decimals:]) if decimals else (digits, "")
    return ("-" if value < 0 else "") + whole + part

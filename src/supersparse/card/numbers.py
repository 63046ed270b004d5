"""Numbers of a card: read exactly, written so that a person or a program gets the same back.

A float is its shortest decimal, as in the rest of the package. This layer knows nothing of
problems or solvers, so that a saved card can be used without them.
"""

import math
import numbers
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError

IntArray = NDArray[np.integer] | NDArray[np.object_]

_MOST_DECIMALS_SHOWN = 12
_PROBE = 256
_LONGEST_UNIQUE_DECIMAL = 10**15  # any two decimals of at most 15 digits are different doubles


def exact(value: object, what: str) -> Fraction:
    """Read one number exactly; `what` names it in the message when it cannot be.

    >>> exact(0.1, "age")
    Fraction(1, 10)
    """
    if isinstance(value, np.generic):
        # float16 and float32 keep their own shortest decimal: 0.1, not the double nearest to it
        value = Decimal(str(value)) if isinstance(value, np.floating) else value.item()
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, Decimal | float | numbers.Real):
        if not math.isfinite(value):
            raise InvalidDataError(f"{what} is {value}; a score needs a finite number")
        return Fraction(value) if isinstance(value, Decimal) else Fraction(str(value))
    if value is None:
        raise InvalidDataError(f"{what} is missing (None); a score needs a number")
    raise InvalidDataError(f"{what} is {value!r}, which is not a number")


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
    return _by_division(values) if values.dtype == np.float64 else None


def _by_division(values: NDArray[np.generic]) -> tuple[IntArray, int] | None:
    """Find integers r and a power of ten d with ``r / d == values`` in floating point.

    Both are exact doubles and division rounds correctly, so each value is the double nearest
    to r / d; of the decimals with at most 15 digits no other one is.
    """
    floats = values.astype(np.float64, copy=False)
    if not np.isfinite(floats).all():
        return None
    for digits in range(16):
        # a few values tell how many digits there may be; all of them have the last word
        if _times(floats[:_PROBE], 10**digits) is not None:
            integers = _times(floats, 10**digits)
            if integers is not None:
                return integers, 10**digits
    return None


def _times(floats: NDArray[np.float64], scale: int) -> NDArray[np.int64] | None:
    with np.errstate(over="ignore"):
        candidate = np.rint(floats * float(scale))
    if np.any(np.abs(candidate) >= _LONGEST_UNIQUE_DECIMAL):
        return None
    return candidate.astype(np.int64) if np.array_equal(candidate / float(scale), floats) else None


def _one_by_one(values: NDArray[np.generic], what: str) -> tuple[IntArray, int]:
    read = [exact(v, f"{what}, row {i}") for i, v in enumerate(values, start=1)]
    scale = math.lcm(*(f.denominator for f in read))
    return _narrowed(np.array([f.numerator * (scale // f.denominator) for f in read], dtype=object)), scale


def _narrowed(integers: NDArray[np.object_]) -> IntArray:
    return integers.astype(np.int64) if fits_int64(largest_magnitude(integers)) else integers


def largest_magnitude(integers: IntArray) -> int:
    """Return max |value| as a Python integer, 0 for no values."""
    return max(abs(int(integers.max())), abs(int(integers.min()))) if len(integers) else 0


def fits_int64(magnitude: int) -> bool:
    """Say whether a sum whose terms add up to this magnitude can be formed in 64 bits."""
    return magnitude < 2**63


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

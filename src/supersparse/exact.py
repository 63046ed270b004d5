"""Numbers, exactly: read, shown, and as the nearest floats."""

import math
import numbers
import sys
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError, InvalidInputError, InvalidProblemError

Number = int | float | Fraction | Decimal  # also numpy's scalars
IntArray = NDArray[np.integer] | NDArray[np.object_]

LONGEST_UNIQUE_DECIMAL = 10**15  # any two decimals of at most 15 digits are different doubles
_INT64_SAFE = 2**63 - 1
_PROBE = 256
_EXACT_IN_A_DOUBLE = 2**53
_SOON = 12  # decimal places


def exact(value: object, what: str, error: type[InvalidInputError] = InvalidProblemError) -> Fraction:
    """Read one number exactly; `what` names it in the message when it cannot be.

    >>> exact(0.1, "C0")
    Fraction(1, 10)
    """
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, np.integer):
        return Fraction(int(value))
    if isinstance(value, Decimal):
        if value.is_finite():
            return Fraction(value)
    elif isinstance(value, numbers.Real):
        if math.isfinite(value):
            return _shortest_decimal(value)
    else:
        raise error(f"{what} is {value!r}, which is not a number; give a finite number")
    raise error(f"{what} is {value}; give a finite number")


def _shortest_decimal(value: numbers.Real) -> Fraction:
    # str(), not repr(): numpy's scalars print their shortest decimal only with str().
    return Fraction(str(value))


def integer_column(values: NDArray[Any]) -> tuple[IntArray, int]:
    """Return (integers, scale) with ``values == integers / scale`` exactly, scale minimal.

    The values must be finite numbers or booleans. The integers have the smallest dtype
    that holds them, Python integers where 64 bits do not suffice.

    >>> integer_column(np.array([0.5, 0.25, 3.0]))
    (array([ 2,  1, 12], dtype=int8), 4)
    """
    if values.dtype.kind in "bui":
        return _smallest(values), 1
    return _reduced(*(short_decimals(values) or _decimal_by_text(values)))


def short_decimals(values: NDArray[Any]) -> tuple[NDArray[np.int64], int] | None:
    """Find integers r and a power of ten d with r / d == values in floating point, if there are any.

    Both fit a double exactly and division rounds correctly, so values is the double
    nearest to the decimal r / d; with at most 15 digits no other decimal so short is.
    """
    if values.dtype != np.float64:
        return None
    for digits in range(16):
        # a few values tell how many digits there may be; all of them have the last word
        if _times(values[:_PROBE], 10**digits) is not None:
            integers = _times(values, 10**digits)
            if integers is not None:
                return integers, 10**digits
    return None


def _times(floats: NDArray[np.float64], scale: int) -> NDArray[np.int64] | None:
    with np.errstate(over="ignore"):
        candidate = np.rint(floats * float(scale))
    if not np.all(np.abs(candidate) < LONGEST_UNIQUE_DECIMAL):  # so written, NaN is refused as well
        return None
    return candidate.astype(np.int64) if np.array_equal(candidate / float(scale), floats) else None


def _decimal_by_text(values: NDArray[np.generic]) -> tuple[IntArray, int]:
    if values.dtype == object:
        fractions = [Fraction(str(v)) for v in values]
        scale = math.lcm(*(f.denominator for f in fractions))
        return np.array([int(f * scale) for f in fractions], dtype=object), scale
    # repr() of a Python float is fast; of the other types str() gives the shortest decimal
    texts = map(repr, values.tolist()) if values.dtype == np.float64 else map(str, values)
    digits = [_digits(text) for text in texts]
    exponents = {exponent for _, exponent in digits}
    lowest = min({0} | exponents)
    powers = {exponent: 10 ** (exponent - lowest) for exponent in exponents}
    return np.array([m * powers[e] for m, e in digits], dtype=object), 10**-lowest


def _digits(text: str) -> tuple[int, int]:
    """Return (mantissa, exponent) with value = mantissa·10^exponent."""
    mantissa, _, exponent = text.partition("e")
    whole, _, part = mantissa.partition(".")
    return int(whole + part), (int(exponent) if exponent else 0) - len(part)


def _reduced(integers: IntArray, scale: int) -> tuple[IntArray, int]:
    """Divide out what the scale and all integers share, so that 0.50 becomes 1/2."""
    if scale > 1:
        common = math.gcd(scale, gcd_of(integers))
        if common > 1:
            integers, scale = integers // common, scale // common
    return _smallest(integers), scale


def weighted_sum(
    terms: Sequence[tuple[IntArray, int, int]], start: int, n_rows: int, *, room: int = 0
) -> IntArray:
    """Return start + Σ factor·column, the terms being (column, its largest magnitude, factor).

    In 64 bits where every partial sum, every factor and `room` fit them, else in Python's integers.
    """
    largest = sum(abs(factor) * max(1, magnitude) for _, magnitude, factor in terms) + max(abs(start), room)
    dtype = np.int64 if fits_int64(largest) else object
    total = np.full(n_rows, start, dtype=dtype)
    for column, _, factor in terms:
        total += column.astype(dtype) * factor
    return total


def gcd_of(integers: IntArray) -> int:
    """Return the greatest common divisor of an integer array, 0 for all zeros."""
    if integers.dtype == object:
        return math.gcd(*(int(v) for v in integers))
    return int(np.gcd.reduce(integers)) if integers.size else 0


def largest_magnitude(integers: NDArray[Any]) -> int:
    """Return max |value| as a Python integer, safe at the edge of the dtype."""
    if integers.size == 0:
        return 0
    return max(abs(int(integers.max())), abs(int(integers.min())))


def _smallest(integers: NDArray[Any]) -> IntArray:
    magnitude = largest_magnitude(integers)
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        if magnitude <= np.iinfo(dtype).max:
            fitting: NDArray[np.integer] = integers.astype(dtype)
            return fitting
    return np.array([int(v) for v in integers], dtype=object)


def fits_int64(magnitude: int) -> bool:
    """Say whether sums of this size can be formed in 64-bit arithmetic, with room to add two."""
    return magnitude <= _INT64_SAFE // 4


def nearest_float(value: Fraction) -> float:
    """Return the nearest float; what is not 0 stays so, and what is finite stays so."""
    return _quotient(value.numerator, value.denominator)


def quotients(numerators: IntArray, denominator: int) -> NDArray[np.float64]:
    """Return the nearest floats; what is not 0 stays so, and what is finite stays so."""
    if numerators.dtype != object:
        if denominator == 1:
            return numerators.astype(np.float64)
        if max(largest_magnitude(numerators), denominator) <= _EXACT_IN_A_DOUBLE:
            quotients: NDArray[np.float64] = numerators / denominator  # both exact: rounded once
            return quotients
    return np.array([_quotient(n, denominator) for n in numerators.tolist()], dtype=np.float64)


def _quotient(numerator: int, denominator: int) -> float:
    try:
        quotient = numerator / denominator  # Python rounds the quotient of any two integers correctly
    except OverflowError:
        return sys.float_info.max if numerator > 0 else -sys.float_info.max
    if quotient == 0 and numerator:
        return math.ulp(0.0) if numerator > 0 else -math.ulp(0.0)
    return quotient


def counted(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shown(value: Fraction) -> str:
    """Write a number exactly, as a person would: a decimal where it ends soon, else what is shorter.

    >>> shown(Fraction(1234567)), shown(Fraction(-1, 1000)), shown(Fraction(1, 3)), shown(Fraction(1, 2**20))
    ('1234567', '-0.001', '1/3', '1/1048576')
    """
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1:
        return str(value)
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    whole, part = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    decimal = ("-" if value < 0 else "") + whole + part
    return decimal if places <= _SOON else min(decimal, str(value), key=len)


def exact_value(value: object, what: str) -> Fraction:
    """Read one number exactly; `what` names it in the message when it cannot be.

    >>> exact_value(0.1, "age")
    Fraction(1, 10)
    """
    if value is None:
        raise InvalidDataError(f"{what} is missing (None); a score needs a number")
    return exact(value, what, InvalidDataError)


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
    read = [exact_value(v, f"{what}, row {i}") for i, v in enumerate(values, start=1)]
    scale = math.lcm(*(f.denominator for f in read))
    return _narrowed(np.array([f.numerator * (scale // f.denominator) for f in read], dtype=object)), scale


def _narrowed(integers: NDArray[np.object_]) -> IntArray:
    return integers.astype(np.int64) if fits_int64(largest_magnitude(integers)) else integers


def whole(value: object) -> int | None:
    """Return a whole number, numpy's included, as Python's; None for anything else."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or isinstance(value, np.ndarray):
        return None
    return int(value.__index__())


def read_count(value: object, what: str, *, otherwise: str = "") -> int:
    """Return a whole number of at least 0."""
    number = whole(value)
    if number is None or number < 0:
        raise InvalidProblemError(f"{what} is {value!r}; give a whole number of at least 0{otherwise}")
    return number


def read_non_negative(value: object, what: str) -> Fraction:
    """Return a number of at least 0, exactly."""
    number = exact(value, what)
    if number < 0:
        raise InvalidProblemError(f"{what} is {value}, which is negative; give 0 or more")
    return number


def read_share(value: object, what: str) -> Fraction:
    """Return a number from 0 to 1, exactly."""
    number = exact(value, what)
    if not 0 <= number <= 1:
        raise InvalidProblemError(f"{what} is {value}; give a share between 0 and 1, such as 0.9")
    return number

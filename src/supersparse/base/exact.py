"""One number, exactly: read, shown, and as the nearest float."""

import math
import numbers
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np

from supersparse.base.errors import InvalidDataError, InvalidInputError, InvalidProblemError

Number = int | float | Fraction | Decimal  # also numpy's scalars

_SOON = 12  # decimal places
_FRACTION = re.compile(r"-?\d{1,4000}(/0*[1-9]\d{0,3999})?", re.ASCII)


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
            return Fraction(str(value))  # not repr(), which of numpy's scalars is not the shortest decimal
    else:
        raise error(f"{what} is {value!r}, which is not a number", "give a finite number")
    raise error(f"{what} is {value}", "give a finite number", subject=what, value=value)


def exact_value(value: object, what: str) -> Fraction:
    """Read one number exactly; `what` names it in the message when it cannot be.

    >>> exact_value(0.1, "age")
    Fraction(1, 10)
    """
    if value is None:
        raise InvalidDataError(f"{what} is missing (None)", "a score needs a number", subject=what)
    return exact(value, what, InvalidDataError)


def written_fraction(text: str) -> Fraction:
    """Read a fraction as ``str`` writes it; raise `ValueError` for other texts, such as 1e999999999."""
    if not _FRACTION.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a fraction such as 1/3")
    return Fraction(text)


def whole(value: object) -> int | None:
    """Return a whole number, numpy's included, as Python's; None for anything else."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or isinstance(value, np.ndarray):
        return None
    return int(value.__index__())


def read_whole(
    value: object,
    what: str,
    least: int = 0,
    error: type[InvalidInputError] = InvalidProblemError,
    *,
    otherwise: str = "",
) -> int:
    """Return a whole number of at least `least`; `otherwise` says what may stand in its place.

    >>> read_whole(np.int64(3), "folds", 2)
    3
    """
    number = whole(value)
    if number is None or number < least:
        raise error(subject=what, value=value, remedy=f"give a whole number of at least {least}{otherwise}")
    return number


def read_non_negative(value: object, what: str) -> Fraction:
    """Return a number of at least 0, exactly."""
    number = exact(value, what)
    if number < 0:
        raise InvalidProblemError(f"{what} is {value}, which is negative", "give 0 or more")
    return number


def read_share(value: object, what: str) -> Fraction:
    """Return a number from 0 to 1, exactly."""
    number = exact(value, what)
    if not 0 <= number <= 1:
        raise InvalidProblemError(f"{what} is {value}", "give a share between 0 and 1, such as 0.9")
    return number


def nearest_float(value: Fraction) -> float:
    """Return the nearest float; what is not 0 stays so, and what is finite stays so."""
    return quotient(value.numerator, value.denominator)


def quotient(numerator: int, denominator: int) -> float:
    """Return the nearest float; what is not 0 stays so, and what is finite stays so."""
    try:
        nearest = numerator / denominator  # Python rounds the quotient of any two integers correctly
    except OverflowError:
        return sys.float_info.max if numerator > 0 else -sys.float_info.max
    if nearest == 0 and numerator:
        return math.ulp(0.0) if numerator > 0 else -math.ulp(0.0)
    return nearest


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


def shown_range(low: Fraction, high: Fraction) -> str:
    """Write the numbers from one to another: 4, or 2 to 3."""
    return shown(low) if low == high else f"{shown(low)} to {shown(high)}"


def int_or_float(value: Fraction) -> int | float:
    """Return an int if the value is whole, otherwise the nearest float."""
    return int(value) if value.denominator == 1 else float(value)


def counted(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

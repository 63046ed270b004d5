"""Single numbers: whole, non-negative, shares."""

from fractions import Fraction

import numpy as np

from supersparse.decimals import exact
from supersparse.errors import InvalidProblemError


def whole(value: object) -> int | None:
    """Return a whole number, numpy's included, as Python's; None for anything else."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or isinstance(value, np.ndarray):
        return None
    return int(value.__index__())


def count(value: object, what: str, *, otherwise: str = "") -> int:
    """Return a whole number of at least 0."""
    number = whole(value)
    if number is None or number < 0:
        raise InvalidProblemError(f"{what} is {value!r}; give a whole number of at least 0{otherwise}")
    return number


def non_negative(value: object, what: str) -> Fraction:
    """Return a number of at least 0, exactly."""
    number = exact(value, what)
    if number < 0:
        raise InvalidProblemError(f"{what} is {value}, which is negative; give 0 or more")
    return number


def share(value: object, what: str) -> Fraction:
    """Return a number from 0 to 1, exactly."""
    number = exact(value, what)
    if not 0 <= number <= 1:
        raise InvalidProblemError(f"{what} is {value}; give a share between 0 and 1, such as 0.9")
    return number

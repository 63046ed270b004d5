"""Raw values: what is missing, and when a value is a category.

Missing is None, NaN of any kind, NaT, pandas' NA, a masked entry and the empty text; nothing
else is, so ``"n/a"`` and ``" "`` are texts like others. A category is text or a number. Numbers
are the same when they are equal exactly: 1, 1.0, True and Decimal("1.00") are one category, and
0.1 is 1/10. Texts are the same when they have the same characters. Text is never a number:
``"1"`` is not 1.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np

from supersparse.card.numbers import exact
from supersparse.errors import InvalidCardError, InvalidDataError

Category = str | bool | Fraction


def is_missing(value: object) -> bool:
    """Whether a raw value is missing.

    >>> [is_missing(v) for v in (None, float("nan"), "", 0, "n/a")]
    [True, True, True, False, False]
    """
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, str):
        return value == ""
    if isinstance(value, Decimal):
        return value.is_nan()
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA is neither equal nor unequal to itself
        return type(value).__name__ == "NAType"


def read_category(value: object, what: str) -> Category:
    """Read a raw value that is not missing as a category: text, true or false, or an exact number."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    try:
        return exact(value, what)
    except InvalidDataError:
        raise InvalidDataError(
            f"{what} is {value!r}; a category is text, true or false, or a finite number"
        ) from None


def declared_category(value: object, what: str) -> Category:
    """Read a category that a card names."""
    try:
        found = read_category(value, what)
    except InvalidDataError as error:
        raise InvalidCardError(str(error)) from None
    if found == "":
        raise InvalidCardError(f"{what} is the empty text, which counts as missing; ask for a missing value")
    return found


def declared_number(value: object, what: str) -> Fraction:
    """Read a number that a card names: points, thresholds, limits."""
    if isinstance(value, bool | np.bool_):
        raise InvalidCardError(f"{what} is {value!r}; give a number")
    try:
        return exact(value, what)
    except InvalidDataError as error:
        raise InvalidCardError(f"{error}; give a finite number") from None


def kind_of(value: Category) -> str:
    """Whether a category is text or a number."""
    return "text" if isinstance(value, str) else "a number"

"""Raw values and columns in memory: what is missing, categories, and exact comparisons."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, floor
from types import NoneType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError, InvalidDataError, did_you_mean
from supersparse.base.exact import exact_value

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


def is_beyond(value: object) -> bool:
    """Whether a value stands for what is below or above every number, such as <0.01: an infinite float.

    >>> is_beyond(float("-inf")), is_beyond(0.0)
    (True, False)
    """
    return isinstance(value, float | np.floating) and bool(np.isinf(value))


def read_category(value: object, what: str) -> Category:
    """Read a raw value that is not missing as a category: text, true or false, or an exact number."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    try:
        return exact_value(value, what)
    except InvalidDataError:
        raise InvalidDataError(
            subject=what, value=value, remedy="a category is text, true or false, or a finite number"
        ) from None


def declared_category(value: object, what: str) -> Category:
    """Read a category that a card names."""
    try:
        category = read_category(value, what)
    except InvalidDataError as error:
        raise InvalidCardError.of(error) from None
    if category == "":
        raise InvalidCardError(f"{what} is the empty text, which counts as missing", "ask for a missing value")
    return category


def declared_number(value: object, what: str) -> Fraction:
    """Read a number that a card names: points, thresholds, limits."""
    if isinstance(value, bool | np.bool_):
        raise InvalidCardError(subject=what, value=value, remedy="give a number")
    try:
        return exact_value(value, what)
    except InvalidDataError as error:
        raise InvalidCardError(f"{error}", "give a finite number") from None


def kind_of(value: Category) -> str:
    return "text" if isinstance(value, str) else "a number"


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
            nearest = kind(float(bound))
    except OverflowError:
        nearest = kind(np.inf if bound > 0 else -np.inf)
    with np.errstate(over="ignore", under="ignore"):
        if not np.isinf(nearest) and Fraction(str(nearest)) == bound:  # as nearly always
            return nearest if included else np.nextafter(nearest, kind(np.inf))
        while reaches(nearest):
            nearest = np.nextafter(nearest, kind(-np.inf))
        while not reaches(nearest):
            nearest = np.nextafter(nearest, kind(np.inf))
    return nearest


@lru_cache(maxsize=2**12)
def shifted_single(bound: Fraction, *, included: bool) -> float | None:
    """Return the bound in single precision as a double, if that is on another side of it; else None.

    A float is its shortest decimal. Converting 0.7 from single to double precision gives 0.699999988079071.

    >>> shifted_single(Fraction("0.7"), included=True), shifted_single(Fraction("0.5"), included=True)
    (0.699999988079071, None)
    """
    try:
        with np.errstate(over="ignore", under="ignore"):
            single = np.float32(float(bound))
    except OverflowError:
        return None
    if np.isinf(single) or Fraction(str(single)) != bound:
        return None
    decimal = Fraction(str(float(single)))
    reaches = decimal >= bound if included else decimal > bound
    return None if reaches == included else float(single)


T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Booleans, integers or floats of at most 64 bits; 0 stands where a value is missing."""

    values: NDArray[np.generic]
    missing: Mask | None = None  # None: nothing is missing

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.intp]) -> "Numbers":
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
        results: list[T | None] = []
        for code, value in enumerate(self.distinct):
            if is_missing(value):
                results.append(None)
                continue
            try:
                results.append(function(value, what))
            except InvalidDataError:
                function(value, f"{what}, row {int((self.codes == code).argmax()) + 1}")
                raise
        return results

    def take(self, rows: NDArray[np.intp]) -> "Objects":
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
            missing = not_a_number if missing is None else missing | not_a_number
    if missing is None or not missing.any():
        return Numbers(values)
    return Numbers(np.where(missing, values.dtype.type(0), values), missing)


def read_list(values: Iterable[object]) -> Cells:
    return read_cells(objects(values))


def objects(values: Iterable[object]) -> NDArray[Any]:
    """An array of Python objects, each as it is; text and lists stay single values."""
    held = list(values)
    array: NDArray[Any] = np.empty(len(held), dtype=object)
    array[:] = held
    return array


def with_none(series: Any) -> list[Any]:
    """The values of a series as a list, None where it has none."""
    return [None if gone else value for value, gone in zip(series.to_list(), series.is_null().to_list(), strict=True)]


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


def nearest_column(wanted: str, names: Sequence[str]) -> str:
    """Return the tail of a message: the column that may have been meant, or what there is."""
    for name in names:
        if name.strip().casefold() == wanted.strip().casefold():
            return f"did you mean {name!r}?"
    if len(names) <= 12 or get_close_matches(wanted, names, n=1):
        return did_you_mean(wanted, names)
    return f"there are {len(names)} columns: {', '.join(names[:5])}, ..."

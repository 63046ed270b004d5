"""Arrays of numbers as integers over a common scale, and exact arithmetic on them."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Generic, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import exact_value, quotient
from supersparse.base.stop import check_deadline

IntArray = NDArray[np.integer] | NDArray[np.object_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]  # of bits

LONGEST_UNIQUE_DECIMAL = 10**15  # any two decimals of at most 15 digits are different doubles
_INT64_SAFE = 2**63 - 1
_PROBE = 256
_NEAR = 2**16  # values so near to one another are counted rather than sorted
_EXACT_IN_A_DOUBLE = 2**53
_POWERS = np.array([float(10**k) for k in range(23)])  # those that are doubles exactly


def integer_column(values: NDArray[Any]) -> tuple[IntArray, int]:
    """Return (integers, scale) with ``values == integers / scale`` exactly, scale minimal.

    The values must be finite numbers or booleans. The integers have the smallest dtype
    that holds them, Python integers where 64 bits do not suffice.

    >>> integer_column(np.array([0.5, 0.25, 3.0]))
    (array([ 2,  1, 12], dtype=int8), 4)
    """
    if values.dtype.kind in "bui":
        return _smallest(values), 1
    return _reduced(*(short_decimals(values) or _long_decimals(values)))


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


def _long_decimals(values: NDArray[np.generic]) -> tuple[IntArray, int]:
    if values.dtype == object or values.dtype.itemsize > 8:  # digits of long doubles exceed 64 bits
        fractions = [Fraction(str(v)) for v in values]
        scale = math.lcm(*(f.denominator for f in fractions))
        return np.array([int(f * scale) for f in fractions], dtype=object), scale
    distinct, position = np.unique(values, return_inverse=True)
    if 2 * len(distinct) > len(values):
        distinct, position = values, np.arange(len(values))
    mantissas, exponents = _shortest_decimals(distinct)
    lowest = min(0, int(exponents.min(initial=0)))
    powers = np.array([10**k for k in range(int(exponents.max(initial=0)) - lowest + 1)], dtype=object)
    integers = mantissas.astype(object) * powers[exponents - lowest]
    return integers[position.reshape(-1)], 10**-lowest


def _shortest_decimals(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (mantissas, exponents) of the shortest decimals; each value is mantissa·10^exponent."""
    mantissas, exponents = np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
    open_ = np.ones(len(values), dtype=bool)
    if values.dtype == np.float64:
        at = np.flatnonzero((np.abs(values) >= 1e-5) & (np.abs(values) < 1e15))
        scaled, powers, sure = _by_scaling(np.abs(values[at]))
        mantissas[at], exponents[at] = np.where(values[at] < 0, -scaled, scaled), powers
        open_[at[sure]] = False
    rest = np.flatnonzero(open_)
    # repr() of a Python float is fast; of the other types str() gives the shortest decimal
    left = values[rest]
    texts = map(repr, left.tolist()) if values.dtype == np.float64 else map(str, left)
    digits = [_digits(text) for text in texts]
    mantissas[rest], exponents[rest] = [m for m, _ in digits], [e for _, e in digits]
    return mantissas, exponents


def _by_scaling(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Find the shortest decimals of positive doubles from 1e-5 to 1e15, and where they are sure.

    value·10^s, with 17 digits before the point, is computed exactly as the sum of two doubles. A decimal of
    15, 16 or 17 digits stands for the value when it is nearer to it than half its last place; the shortest
    that does is the one that Python writes. What lies too near to a half, and powers of two, whose
    neighbours are not equally far, are left to the caller.
    """
    places = 17 - (np.floor(np.log10(values)).astype(np.int64) + 1)
    places += (values * _POWERS[places] < 1e16).astype(np.int64)
    places -= (values * _POWERS[places] >= 1e17).astype(np.int64)
    power = _POWERS[places]
    high = values * power
    low = _product_error(values, power, high)
    half = np.spacing(values) * 0.5 * power
    whole = high.astype(np.int64)
    sure = (np.frexp(values)[0] != 0.5) & (high >= 1e16) & (high < 1e17)
    mantissas, exponents = np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
    is_found = np.zeros(len(values), dtype=bool)
    for digits, unit in ((15, 100), (16, 10), (17, 1)):
        below = (whole + np.floor(low).astype(np.int64)) // unit
        rest = (whole - below * unit).astype(np.float64) + low  # of the value beyond `below`, exactly
        nearest = below + (rest > unit / 2)
        away = np.abs((whole - nearest * unit).astype(np.float64) + low)
        hits = (away < half * (1 - 1e-9)) & ~is_found
        sure &= is_found | (
            (np.abs(rest - unit / 2) > 1e-6) & ((away < half * (1 - 1e-9)) | (away > half * (1 + 1e-9)))
        )
        mantissas[hits], exponents[hits] = nearest[hits], (17 - digits - places)[hits]
        is_found |= hits
    return mantissas, exponents, sure & is_found


def _product_error(a: NDArray[np.float64], b: NDArray[np.float64], product: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rounding error of a product of doubles, exactly (Dekker 1971)."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error: NDArray[np.float64] = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return error


def _halves(a: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


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


def _smallest(integers: NDArray[Any]) -> IntArray:
    magnitude = largest_magnitude(integers)
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        if magnitude <= np.iinfo(dtype).max:
            fitting: NDArray[np.integer] = integers.astype(dtype)
            return fitting
    return np.array([int(v) for v in integers], dtype=object)


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


def largest_magnitude(integers: NDArray[Any]) -> int:
    """Return max |value| as a Python integer, safe at the edge of the dtype."""
    if integers.size == 0:
        return 0
    return max(abs(int(integers.max())), abs(int(integers.min())))


def fits_int64(magnitude: int) -> bool:
    """Say whether sums of this size can be formed in 64-bit arithmetic, with room to add two."""
    return magnitude <= _INT64_SAFE // 4


def gcd_of(integers: IntArray) -> int:
    """Return the greatest common divisor of an integer array, 0 for all zeros."""
    if integers.dtype == object:
        return math.gcd(*(int(v) for v in integers))
    return int(np.gcd.reduce(integers)) if integers.size else 0


def weighted_sum(terms: Sequence[tuple[IntArray, int, int]], start: int, n_rows: int, *, room: int = 0) -> IntArray:
    """Return start + Σ factor·column, the terms being (column, its largest magnitude, factor).

    In 64 bits where every partial sum, every factor and `room` fit them, else in Python's integers.
    """
    largest = sum(abs(factor) * max(1, magnitude) for _, magnitude, factor in terms) + max(abs(start), room)
    dtype = np.int64 if fits_int64(largest) else object
    total = np.full(n_rows, start, dtype=dtype)
    for column, _, factor in terms:
        total += column.astype(dtype) * factor
    return total


def distinct_of(values: IntArray) -> tuple[IntArray, NDArray[np.intp]]:
    """Return the distinct values, rising, and the place of each value among them.

    Python's integers are sorted by their nearest floats first, which leaves little to compare exactly.

    >>> distinct_of(np.array([2**70, 1, 2**70 + 1, 1], dtype=object))[1].tolist()
    [1, 0, 2, 0]
    """
    if values.dtype != object:
        return _distinct_by_counting(values) or _distinct_by_sorting(values)
    order = np.argsort(quotients(values, 1), kind="stable")
    rising = values[order]
    if not np.all(rising[:-1] <= rising[1:]):
        order = order[sorted(range(len(order)), key=rising.tolist().__getitem__)]
        rising = values[order]
    starts = np.concatenate([[True], (rising[1:] != rising[:-1]).astype(bool)])[: len(values)]
    place = np.empty(len(values), np.intp)
    place[order] = np.cumsum(starts) - 1
    return rising[starts], place


def _distinct_by_sorting(values: IntArray) -> tuple[IntArray, NDArray[np.intp]]:
    distinct, place = np.unique(values, return_inverse=True)
    return cast(IntArray, distinct), place.reshape(-1)


def _distinct_by_counting(values: IntArray) -> tuple[IntArray, NDArray[np.intp]] | None:
    """Find the distinct values without sorting; None if they lie too far apart."""
    if values.dtype.kind not in "iu" or not values.size:
        return None
    least, greatest = int(values.min()), int(values.max())
    if greatest - least >= min(_NEAR, values.size) or not fits_int64(max(abs(least), abs(greatest))):
        return None
    above = values.astype(np.int64) - least
    occurs = np.zeros(greatest - least + 1, dtype=bool)
    occurs[above] = True
    place = np.cumsum(occurs) - 1
    distinct = (np.flatnonzero(occurs) + least).astype(values.dtype)
    return cast(IntArray, distinct), place[above]


def summed(values: IntArray, groups: NDArray[np.intp], n_groups: int) -> NDArray[np.int64]:
    """Return the exact sums of integers by group; all of them together fit 64 bits.

    >>> summed(np.array([1, 2, 4]), np.array([0, 2, 0]), 3).tolist()
    [5, 0, 2]
    """
    if largest_magnitude(values) * len(values) < LONGEST_UNIQUE_DECIMAL:  # doubles hold every sum
        return np.bincount(groups, values, n_groups).astype(np.int64)
    sums = np.zeros(n_groups, np.int64)
    np.add.at(sums, groups, values.astype(np.int64))
    return sums


def quotients(numerators: IntArray, denominator: int) -> NDArray[np.float64]:
    """Return the nearest floats; what is not 0 stays so, and what is finite stays so."""
    if numerators.dtype != object:
        if denominator == 1:
            return numerators.astype(np.float64)
        if max(largest_magnitude(numerators), denominator) <= _EXACT_IN_A_DOUBLE:
            nearest: NDArray[np.float64] = numerators / denominator  # both exact: rounded once
            return nearest
    return np.array([quotient(n, denominator) for n in numerators.tolist()], dtype=np.float64)


Entry = TypeVar("Entry")


class Lazily(Sequence[Entry], Generic[Entry]):
    """A sequence of known length; entry j is ``make(j)``, made once; a pickle holds ``make`` alone.

    >>> squares = Lazily(1000, lambda j: j * j)
    >>> len(squares), squares[12]
    (1000, 144)
    """

    def __init__(self, length: int, make: Callable[[int], Entry]) -> None:
        self._length = length
        self._make = make
        self._made: dict[int, Entry] = {}

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_made": {}}

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> "tuple[Entry, ...]": ...

    def __getitem__(self, index: int | slice) -> "Entry | tuple[Entry, ...]":
        if isinstance(index, slice):
            return tuple(self[j] for j in range(*index.indices(self._length)))
        j = range(self._length)[index]
        if j not in self._made:
            self._made[j] = self._make(j)
        return self._made[j]


def row_groups(columns: Sequence[IntArray]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group equal rows: return each row's group, in order of value, and one row of each group.

    Columns are ranked and combined into one integer per row, which is ranked again whenever the next column
    would not fit. Once no two rows are equal, further columns change nothing.
    """
    n_rows = len(columns[0])
    code = np.zeros(n_rows, dtype=np.int64)
    span = 1
    for column in columns:
        check_deadline()
        distinct, rank = distinct_of(column)
        if span > 2**62 // max(1, len(distinct)):
            known, code = np.unique(code, return_inverse=True)
            code, span = code.reshape(-1), len(known)
            if span == n_rows:
                break
        code = code * len(distinct) + rank
        span *= len(distinct)
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return group.reshape(-1), first

"""Exact numbers from the cells of a text file: plain decimals, and what decimal and thousands signs mean."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite

import numpy as np
from numpy.typing import NDArray

ParsedNumbers = NDArray[np.generic]

_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?[ \t]*", re.ASCII)
_WITH_UNIT = re.compile(
    r"\s*(?P<before>[$€£¥])?\s*[+-]?\d[\d.,']*\s*(?P<after>[%‰$€£¥°]|[^\W\d_][^\s\d]{0,9})?\s*"
)
_DIGITS, _MARKS = b"0123456789+-", b".eE \t"
_SURE_LENGTH = 15  # a decimal this short, without an exponent, is the shortest decimal of its double
_LARGEST_IN_A_DOUBLE = 2**53
_LONGEST = 1100  # characters; the longest double has 1,075 digits


def is_number(cell: str) -> bool:
    """Whether a cell is a decimal number: digits, one point, an exponent; "1,000" and "inf" are none.

    Nor is what no double comes near, such as 1e309 or 5,000 digits: no measurement is like that.
    """
    return len(cell) <= _LONGEST and _NUMBER.fullmatch(cell) is not None and isfinite(float(cell))


def unit_of(texts: Iterable[str]) -> str | None:
    """Return the sign or unit that stands beside a number in every text; None where there is no such one.

    >>> unit_of(["85%", "7.5 %"]), unit_of(["$85", "$1,200"]), unit_of(["70 kg", "81 cm"]), unit_of(["85"])
    ('%', '$', None, None)
    """
    beside = set()
    for text in texts:
        found = _WITH_UNIT.fullmatch(text)
        if found is None:
            return None
        beside.add((found["before"] or "", found["after"] or ""))
        if len(beside) > 1:
            return None
    before, after = next(iter(beside), ("", ""))
    return before or after or None


def read_numbers(cells: Sequence[str]) -> ParsedNumbers:
    """Read cells that all hold numbers; raise ValueError when one does not."""
    if max(map(len, cells), default=0) > _LONGEST:
        raise ValueError
    everything = "".join(cells)
    if not everything.isascii() or not all(cells):
        raise ValueError
    marks = everything.encode().translate(None, _DIGITS)
    if not marks:
        try:
            return np.array(list(map(int, cells)), dtype=np.int64)
        except OverflowError:
            if not all(map(isfinite, map(float, cells))):
                raise ValueError from None
            return _fractions(cells)
    if marks.translate(None, _MARKS):
        raise ValueError
    numbers = list(map(float, cells))
    if not all(map(isfinite, numbers)):
        raise ValueError
    if _are_exact(cells, numbers, exponents=b"e" in marks.lower()):
        return np.array(numbers, dtype=np.float64)
    return _fractions(cells)


def _are_exact(cells: Sequence[str], numbers: Sequence[float], *, exponents: bool) -> bool:
    """Whether each double has its cell for its shortest decimal; ValueError where a cell is no number."""
    if not exponents and max(map(len, cells)) <= _SURE_LENGTH:
        return True
    # most programs write a double as its shortest decimal; only what differs needs arithmetic
    unsure = [i for i, (cell, own) in enumerate(zip(cells, map(repr, numbers), strict=True)) if cell != own]
    if not all(is_number(cells[i]) for i in unsure):
        raise ValueError  # such as an exponent of a million
    return all(_is_shortest(cells[i], numbers[i]) for i in unsure)


def _is_shortest(cell: str, number: float) -> bool:
    if len(cell) <= _SURE_LENGTH and "e" not in cell and "E" not in cell:
        return True
    return Fraction(cell) == _shortest(number)


def joined(parts: Sequence[ParsedNumbers]) -> ParsedNumbers:
    """Put parts of one column behind each other in the fastest type that holds all of them exactly."""
    kept = [part for part in parts if len(part)]
    if not kept:
        return np.empty(0, dtype=np.int64)
    return np.concatenate(_alike(kept))


def side_by_side(columns: Sequence[ParsedNumbers]) -> ParsedNumbers:
    """Put columns side by side in the fastest type that holds all of them exactly."""
    return np.column_stack(_alike(columns))


def _alike(arrays: Sequence[ParsedNumbers]) -> list[ParsedNumbers]:
    kinds = {array.dtype.kind for array in arrays}
    if not kinds <= set("biuf") or ("f" in kinds and any(_is_wide(array) for array in arrays)):
        return [array.astype(object) for array in arrays]
    return list(arrays)


def with_gaps(numbers: ParsedNumbers, present: NDArray[np.bool_]) -> ParsedNumbers:
    """Spread numbers over the rows where one is present; the others hold NaN, or None among objects."""
    if present.all():
        return numbers
    if numbers.dtype == object or _is_wide(numbers):
        spread: ParsedNumbers = np.full(len(present), None, dtype=object)
        spread[present] = numbers.astype(object)
        return spread
    gaps = np.full(len(present), np.nan)
    gaps[present] = numbers
    return gaps


def _is_wide(array: ParsedNumbers) -> bool:
    """Whether an array holds integers that a double cannot."""
    if array.dtype.kind not in "iu" or not len(array):
        return False
    return int(array.max()) > _LARGEST_IN_A_DOUBLE or int(array.min()) < -_LARGEST_IN_A_DOUBLE


def _shortest(number: float) -> Fraction | None:
    return None if number in (float("inf"), float("-inf")) else Fraction(repr(number))


def _fractions(cells: Sequence[str]) -> ParsedNumbers:
    return np.array([Fraction(cell) for cell in cells], dtype=object)

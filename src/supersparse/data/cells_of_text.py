"""How the cells of a text file are understood: separators, missing words, exact numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidOptionError

USUALLY_MISSING = frozenset({"NA", "NaN", "nan", "null", "NULL"})  # beside blank cells

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t", "bar": "|", "pipe": "|", "space": " "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is read; None stands for what the file itself shows.

    `missing` are the texts that stand for a missing value, beside blank cells.

    >>> Reading.of(na="?,n/a", decimal=",").missing >= {"?", "n/a", "NA"}
    True
    """

    missing: frozenset[str] = USUALLY_MISSING
    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    strips: bool = True  # whether spaces around a cell are no part of it

    @classmethod
    def of(
        cls,
        *,
        na: str | None = None,
        default_na: bool = True,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str = ".",
    ) -> "Reading":
        """Read words: `na` is a list with commas, `separator` a character or its name."""
        own = frozenset(text.strip() for text in (na or "").split(",")) - {""}
        return cls(
            missing=own | (USUALLY_MISSING if default_na else frozenset()),
            separator=None if separator is None else _separator(separator),
            encoding=encoding,
            decimal=decimal,
        )

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise InvalidOptionError(f"decimal is {self.decimal!r}; give '.' or ','")
        if self.decimal == self.separator:
            raise InvalidOptionError(
                f"decimal and separator are both {self.decimal!r}; cells could not be told apart"
            )
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise InvalidOptionError(
                    f"unknown encoding {self.encoding!r}; usual ones are utf-8, cp1252, latin-1 and utf-16"
                ) from None

    def plain(self, cell: str) -> str:
        """Return the text of a cell, empty where it is missing."""
        text = cell.strip(" \t") if self.strips else cell
        return "" if text in self.missing else text


def _separator(word: str) -> str:
    character = _NAMED.get(word.casefold(), word)
    if len(character) != 1 or character in '"\r\n':
        raise InvalidOptionError(
            f"separator is {word!r}; give one character, or comma, semicolon, tab, bar or space"
        )
    return character


def separator_name(character: str) -> str:
    """Name a separator in the plural."""
    return _SEPARATORS.get(character, f"{character!r}")


def found_separator(header: str, row: str) -> str:
    """Return the separator that a header line and the line below it show, a comma if they show none.

    It is the one that occurs most often in the header, outside of quotes, and as often in the row.

    >>> found_separator('"a;b",c', "1,2"), found_separator("R&amp;D|x", "1|2")
    (',', '|')
    """

    def occurs(character: str) -> tuple[bool, int, bool]:
        above, below = ("".join(line.split('"')[::2]).count(character) for line in (header, row))
        return above == below > 0, above, character == ","

    return max(_SEPARATORS, key=occurs)


ParsedNumbers = NDArray[np.generic]

_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?[ \t]*", re.ASCII)
_DIGITS, _MARKS = b"0123456789+-", b".eE \t"
_SURE_LENGTH = 15  # a decimal this short, without an exponent, is the shortest decimal of its double
_LARGEST_IN_A_DOUBLE = 2**53


def is_number(cell: str) -> bool:
    """Whether a cell is a decimal number: digits, one point, an exponent; "1,000" and "inf" are none."""
    return _NUMBER.fullmatch(cell) is not None


def read_numbers(cells: Sequence[str]) -> ParsedNumbers:
    """Read cells that all hold numbers; raise ValueError when one does not."""
    everything = "".join(cells)
    if not everything.isascii() or not all(cells):
        raise ValueError
    marks = everything.encode().translate(None, _DIGITS)
    if not marks:
        try:
            return np.array(list(map(int, cells)), dtype=np.int64)
        except OverflowError:
            return _fractions(cells)
    if marks.translate(None, _MARKS):
        raise ValueError
    numbers = list(map(float, cells))
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

"""Numbers from the cells of a text file: plain decimals, decimal and thousands signs, limits such as <0.01.

A cell with a decimal point may group its thousands by commas, spaces or apostrophes (1,234.5), one with a decimal comma
by points, spaces or apostrophes (1.234,5). "12,5" can only have a decimal comma and "1,234.5" only a decimal point;
"1,234" can have either. A column has the decimal sign that its cells show. A column whose cells could have either has
that of the file's other columns; if they show none, or both, somebody must decide. Only "1.234" in a file that is not
separated by semicolons needs no decision: the point is a decimal one, as programs write it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

ParsedNumbers = NDArray[np.generic]

_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?[ \t]*", re.ASCII)
_WITH_UNIT = re.compile(r"\s*(?P<before>[$€£¥])?\s*[+-]?\d[\d.,']*\s*(?P<after>[%‰$€£¥°]|[^\W\d_][^\s\d]{0,9})?\s*")
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
    """Return the sign or unit that goes with a number in every text; None where there is none.

    >>> unit_of(["85%", "7.5 %"]), unit_of(["$85", "$1,200"]), unit_of(["70 kg", "81 cm"]), unit_of(["85"])
    ('%', '$', None, None)
    """
    beside = set()
    for text in texts:
        match = _WITH_UNIT.fullmatch(text)
        if match is None:
            return None
        beside.add((match["before"] or "", match["after"] or ""))
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
    """Whether each double has its cell for its shortest decimal; ValueError where a cell is not a number."""
    if not exponents and max(map(len, cells)) <= _SURE_LENGTH:
        return True
    # most programs write a double as its shortest decimal; only what differs needs arithmetic
    unsure = [i for i, (cell, shortest) in enumerate(zip(cells, map(repr, numbers), strict=True)) if cell != shortest]
    if not all(is_number(cells[i]) for i in unsure):
        raise ValueError  # such as an exponent of a million
    return all(_is_shortest(cells[i], numbers[i]) for i in unsure)


def _is_shortest(cell: str, number: float) -> bool:
    if len(cell) <= _SURE_LENGTH and "e" not in cell and "E" not in cell:
        return True
    return Fraction(cell) == (None if number in (float("inf"), float("-inf")) else Fraction(repr(number)))


def joined(parts: Sequence[ParsedNumbers]) -> ParsedNumbers:
    """Put parts of one column behind each other in the fastest type that holds all of them exactly."""
    filled = [part for part in parts if len(part)]
    if not filled:
        return np.empty(0, dtype=np.int64)
    return np.concatenate(_alike(filled))


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


def _fractions(cells: Sequence[str]) -> ParsedNumbers:
    return np.array([Fraction(cell) for cell in cells], dtype=object)


_OTHER = {".": ",", ",": "."}
_SPACES = " '’\u00a0\u2009\u202f"
_GROUPED = {
    decimal: re.compile(
        rf"[+-]?[1-9]\d{{0,2}}([{re.escape(other)}{_SPACES}])\d{{3}}(?:\1\d{{3}})*(?:{re.escape(decimal)}\d+)?",
        re.ASCII,
    )
    for decimal, other in _OTHER.items()
}
_LIMIT = re.compile(r"(<=|>=|[<>≤≥])\s*(\S.*)")
_OPEN_END = re.compile(
    r"([\d.,]+)\s*(?:\+|(?:or|and) (?:more|over|older|above)|(?:oder|und) (?:mehr|älter)|et plus|ou plus|[oy] m[aá]s|"
    r"[oe] più|ou mais|e mais|of meer|en meer)",
    re.IGNORECASE,
)
_MINUS = "\u2212"
_CURRENCY = re.compile(
    r"(?P<sign>[-+]?)\s*(?:(?:US|A|C)?[$€£¥]|EUR|USD|GBP|CHF)?\s*(?P<number>[-+]?\d[\d.,\s']*?)\s*"
    r"(?:[$€£¥]|EUR|USD|GBP|CHF|kr|zł)?"
)
_MONEY = frozenset("$€£¥RDPFrłEUG")
_POINTED = ("$", "£", "¥")  # amounts with these before them have decimal points


def without_currency(text: str) -> str:
    """Return an amount of money without its sign; any other text as it is."""
    if not text or not (text[0] in "$€£¥-+EUGC" or text[-1] in _MONEY) or (text[-1].isdigit() and text[0].isdigit()):
        return text
    match = _CURRENCY.fullmatch(text)
    return text if match is None else match["sign"] + match["number"]


def plain_number(cell: str, decimal: str) -> str | None:
    """Return a number as digits with a decimal point; None where the cell holds none.

    >>> plain_number("1.234,5", ","), plain_number("1,234", "."), plain_number("12,5", ".")
    ('1234.5', '1234', None)
    >>> plain_number("$47,122", "."), plain_number("47 122,00 EUR", ","), plain_number("-£5", ".")
    ('47122', '47122.00', '-5')
    """
    if decimal == "." and is_number(cell):
        return cell
    text = without_currency(cell.strip(" \t").replace(_MINUS, "-"))
    if decimal == "," and "." not in text and is_number(pointed := text.replace(",", ".")):
        return pointed
    if decimal == "." and is_number(text):
        return text
    match = _GROUPED[decimal].fullmatch(text)
    return None if match is None else text.replace(match[1], "").replace(decimal, ".")


@lru_cache(maxsize=2**12)
def possible_signs(cell: str) -> tuple[str, ...]:
    """Return the decimal signs with which a cell is a number, the first only if both give the same one.

    >>> possible_signs("12"), possible_signs("12,5"), possible_signs("1,234"), possible_signs("x")
    (('.',), (',',), ('.', ','), ())
    """
    limit = limit_of(cell)
    text = cell if limit is None else limit[1]
    signs = "." if text[:1] in _POINTED else ".,"
    by_sign = {sign: number for sign in signs if (number := plain_number(text, sign)) is not None}
    return (".",) if len(by_sign) == 2 and len(set(by_sign.values())) == 1 else tuple(by_sign)


def limit_of(cell: str) -> tuple[bool, str] | None:
    """Return whether a cell is below a limit (else above), and the limit; None where it is neither.

    >>> limit_of("<0.01"), limit_of("≥ 5"), limit_of("3+"), limit_of("10 or more"), limit_of("5")
    ((True, '0.01'), (False, '5'), (False, '3'), (False, '10'), None)
    """
    match = _LIMIT.fullmatch(cell)
    if match is not None:
        return match[1] in ("<", "<=", "≤"), match[2]
    has_open_end = _OPEN_END.fullmatch(cell.strip())
    return None if has_open_end is None else (False, has_open_end[1])


def beyond(cell: str, decimal: str) -> float | None:
    """Return minus infinity for a value below a limit, infinity for one above; None where it is neither.

    The value itself is not known. It stands below, or above, every number of its column.
    """
    limit = limit_of(cell)
    if limit is None or plain_number(limit[1], decimal) is None:
        return None
    return -np.inf if limit[0] else np.inf


def read_cells_as_numbers(cells: Sequence[str], decimal: str) -> tuple[ParsedNumbers, NDArray[np.bool_]]:
    """Return the numbers of the cells that hold one, and which do; infinities stand for what has a limit."""
    plain = [plain_number(cell, decimal) for cell in cells]
    limits = [None if text is not None else beyond(cell, decimal) for cell, text in zip(cells, plain, strict=True)]
    numbers = read_numbers([text for text in plain if text is not None]) if any(plain) else np.empty(0, np.int64)
    present = np.array([text is not None for text in plain], dtype=bool)
    has_limit = np.array([limit is not None for limit in limits], dtype=bool)
    if not has_limit.any():
        return numbers, present
    known = present | has_limit
    spread: ParsedNumbers = np.empty(len(cells), dtype=np.float64 if _fits_doubles(numbers) else object)
    spread[present] = numbers
    spread[has_limit] = [limit for limit in limits if limit is not None]
    return spread[known], known


def _fits_doubles(numbers: ParsedNumbers) -> bool:
    if numbers.dtype.kind == "f" or not len(numbers):
        return True
    return numbers.dtype.kind in "iu" and bool(np.abs(numbers.astype(np.float64)).max() <= 2**53)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The decimal sign of a column, as far as its cells show it."""

    sign: str | None  # None: they show none
    example: str | None = None  # a cell that shows it
    unclear: str | None = None  # a cell that could have either
    groups: Mapping[str, str] = field(default_factory=dict)  # a cell with separated thousands, for each sign

    def grouped(self, sign: str) -> str | None:
        """Return a cell with a thousands separator if this is the decimal sign."""
        return self.groups.get(sign)


def thousands_note(name: str, cell: str, decimal: str) -> str:
    """Say that a cell of a column has a thousands separator, and what it means."""
    return f"numbers have thousands separators: {cell!r} in {name!r} is {plain_number(cell, decimal)}"


def thousands_sign(cell: str, decimal: str) -> str:
    """Return the thousands separator of a cell.

    >>> thousands_sign("1.234,5", ","), thousands_sign("1,234", ".")
    ('.', ',')
    """
    match = _GROUPED[decimal].fullmatch(without_currency(cell))
    assert match is not None, "its thousands are apart"
    return match[1]


def shown_sign(cells: Iterable[str]) -> Shown:
    """Return the decimal sign that most of the cells show that can have only one."""
    only: dict[str, list[str]] = {".": [], ",": []}
    unclear = None
    groups: dict[str, str] = {}
    others = 0
    for cell in cells:
        signs = possible_signs(cell)
        for one in signs:
            if one not in groups and _GROUPED[one].fullmatch(without_currency(cell)):
                groups[one] = cell
        if len(signs) == 2:
            unclear = unclear or cell
        elif not signs:
            others += 1
        elif not (possible_signs(cell) == (".",) and not set(cell) & {".", ",", *_SPACES}):
            only[signs[0]].append(cell)
    sign = max(only, key=lambda one: len(only[one]))
    if not only[sign] or others > 2 * len(only[sign]):
        return Shown(sign=None, unclear=unclear, groups=groups)
    return Shown(sign=sign, example=only[sign][0], unclear=unclear, groups=groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The decimal sign of each column that has one, and the columns of which somebody must decide."""

    signs: Mapping[str, str]
    undecided: Mapping[str, str]  # a cell of each that could mean two numbers


def settle_signs(shown: Mapping[str, Shown], usual: Mapping[str, str | None], *, semicolons: bool) -> Settled:
    """Decide the decimal sign of every column.

    `usual` is what is known of it from a file that was written alike. It does not count if a column now shows
    another sign.
    """
    if any(one.sign is not None and usual.get(name) not in (None, one.sign) for name, one in shown.items()):
        usual = {}
    of_file = {one.sign for one in shown.values() if one.sign is not None}
    signs: dict[str, str] = {}
    undecided: dict[str, str] = {}
    for name, one in shown.items():
        if one.sign is not None:
            signs[name] = one.sign
        elif one.unclear is None:
            signs[name] = "."
        elif usual.get(name) is not None:
            signs[name] = str(usual[name])
        elif len(of_file) == 1:
            signs[name] = next(iter(of_file))
        elif not of_file and not semicolons and "," not in one.unclear:
            signs[name] = "."
        else:
            undecided[name] = one.unclear
    return Settled(signs=signs, undecided=undecided)

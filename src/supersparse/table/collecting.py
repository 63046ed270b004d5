"""The cells of a column, collected chunk by chunk: as codes of different texts, or parsed as numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted, exact_value, shown
from supersparse.table.cells import (
    ParsedNumbers,
    beyond,
    joined,
    limit_of,
    plain_number,
    possible_signs,
    read_cells_as_numbers,
    read_numbers,
    shown_sign,
)
from supersparse.table.reading import Reading

MOST_DIFFERENT = 2**16
_FEW = 1000  # this many different cells cost nothing
_SAMPLE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Row i holds ``distinct[codes[i]]``; spaces around cells are gone, and missing cells are blank."""

    distinct: tuple[str, ...]
    codes: NDArray[np.integer]

    @property
    def present(self) -> list[str]:
        return [text for text in self.distinct if text]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Parsed:
    """The numbers of the rows where one is `present`, and the cells that are neither number nor missing."""

    numbers: ParsedNumbers
    present: NDArray[np.bool_]
    odd: Counter[str]
    first_odd: int | None  # its row, from 0
    decimal: str
    limits: Counter[str] = field(default_factory=Counter)  # the cells such as <0.01
    first_limits: Mapping[str, int] = field(default_factory=dict)  # the first row of each, from 0


@dataclass(frozen=True, slots=True)
class TooMany:
    """More than `MOST_DIFFERENT` different texts."""

    n_rows: int


CollectedCells = Coded | Parsed | TooMany


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CollectedFile:
    """The columns of a file as they were collected."""

    names: tuple[str, ...]  # of all columns, also of those that were not wanted
    columns: dict[str, CollectedCells]
    lines: NDArray[np.int64]  # the line of the file on which each row ends
    notes: tuple[str, ...]
    found: dict[str, str]  # what the file showed of how it is written
    pointed: frozenset[str] = frozenset()  # columns with numbers that are no texts, written with a point here


def read_header(name: str, cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a file, and notes on them."""
    if not cells:
        raise InvalidDataError(f"{name} is empty", "its first line must name the columns", subject=name)
    header: dict[str, int] = {}
    notes: list[str] = []
    for position, cell in enumerate(cells, start=1):
        column_name = cell.strip(" \t")
        if not column_name:
            column_name = f"column {position}"
            notes.append(f"column {position} has no name; it is named {column_name!r}")
        if column_name in header:
            raise InvalidDataError(
                f"{name}: columns {header[column_name]} and {position} are both called {column_name!r}", "rename one"
            )
        header[column_name] = position
    return list(header), notes


class _Codes(dict[str, int]):
    def __missing__(self, cell: str) -> int:
        code = self[cell] = len(self)
        return code


class Collector:
    """Takes the cells of one column, chunk by chunk."""

    def __init__(self, reading: Reading, *, keep_text: bool) -> None:
        self._reading = reading
        self._keep_text = keep_text
        self._codes: _Codes | None = _Codes()
        self._coded: list[NDArray[np.integer]] = []
        self._parsing: _Parsing | None = None
        self._n_rows = 0
        self._enough = _FEW  # different texts at which to look what they are

    def add(self, cells: Sequence[str]) -> None:
        self._n_rows += len(cells)
        if self._parsing is not None:
            self._parsing.add(cells)
        elif self._codes is not None:
            codes = np.fromiter(map(self._codes.__getitem__, cells), dtype=np.int32, count=len(cells))
            self._coded.append(codes.astype(np.min_scalar_type(len(self._codes))))
            many = min(MOST_DIFFERENT, max(self._enough, self._n_rows // 2))
            if not self._keep_text and len(self._codes) > many:
                self._change()

    def _change(self) -> None:
        """Go over to numbers if cells are such, or give up where there are too many: those so far tell."""
        assert self._codes is not None
        texts = list(self._codes)
        # a sample will do: what it misses is found, and named, when the rest is parsed
        sample = [text for cell in texts[:_SAMPLE] if (text := self._reading.plain(cell))]
        if 2 * sum(map(bool, map(possible_signs, sample))) >= len(sample):
            shown = shown_sign(sample)
            if shown.sign is None and shown.unclear is not None and self._reading.decimal is None:
                shown = shown_sign(texts)
                if shown.sign is None:  # such cells have six digits at most: they do not become too many
                    self._enough = 2 * len(texts)
                    return
            self._parsing = _Parsing(self._reading, self._reading.decimal or shown.sign or ".")
            for codes in self._coded:
                self._parsing.add([texts[code] for code in codes.tolist()])
        elif len(texts) <= MOST_DIFFERENT:
            return
        self._codes, self._coded = None, []

    def finish(self) -> CollectedCells:
        if self._parsing is not None:
            return self._parsing.finish()
        if self._codes is None:
            return TooMany(self._n_rows)
        codes = np.concatenate(self._coded) if self._coded else np.empty(0, dtype=np.uint8)
        plain = _Codes()
        new = np.array([plain[self._reading.plain(cell)] for cell in self._codes], dtype=np.int32)
        return Coded(tuple(plain), new[codes].astype(np.min_scalar_type(len(plain))))


class _Parsing:
    def __init__(self, reading: Reading, decimal: str) -> None:
        self._reading = reading
        self._decimal = decimal
        self._numbers: list[ParsedNumbers] = []
        self._present: list[NDArray[np.bool_]] = []
        self._odd: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._first_limits: dict[str, int] = {}
        self._first_odd: int | None = None
        self._n_rows = 0

    def add(self, cells: Sequence[str]) -> None:
        try:
            numbers = read_numbers(self._pointed(cells))
            present = np.ones(len(cells), dtype=bool)
        except ValueError:
            texts = [self._reading.plain(cell) for cell in cells]
            numbers, present = read_cells_as_numbers(texts, self._decimal)
            self._take_odd(np.flatnonzero(~present).tolist(), texts)
            self._take_limits(texts)
        self._numbers.append(numbers)
        self._present.append(present)
        self._n_rows += len(cells)

    def _pointed(self, cells: Sequence[str]) -> Sequence[str]:
        """The cells with a decimal point; ValueError where points are something else."""
        if self._decimal == ".":
            return cells
        if "." in "".join(cells):
            raise ValueError
        return [cell.replace(",", ".") for cell in cells]

    def _take_odd(self, rows: Sequence[int], texts: Sequence[str]) -> None:
        for row in rows:
            if texts[row]:
                self._odd[texts[row]] += 1
                if self._first_odd is None:
                    self._first_odd = self._n_rows + row

    def _take_limits(self, texts: Sequence[str]) -> None:
        for row, text in enumerate(texts, start=self._n_rows):
            if text and limit_of(text) is not None:
                self._limits[text] += 1
                self._first_limits.setdefault(text, row)

    def finish(self) -> Parsed:
        return Parsed(
            numbers=joined(self._numbers),
            present=np.concatenate(self._present),
            odd=self._odd,
            first_odd=self._first_odd,
            decimal=self._decimal,
            limits=Counter({t: n for t, n in self._limits.items() if beyond(t, self._decimal) is not None}),
            first_limits=self._first_limits,
        )


_MOST_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A cell that says on which side of a number its value lies."""

    cell: str
    below: bool  # else above
    included: bool  # whether the value may be the number itself, as in ≤ 5
    number: Fraction
    rows: int = 1
    first_row: int = 0  # that holds it, from 0

    @classmethod
    def of(cls, cell: str, decimal: str, *, rows: int = 1, first_row: int = 0) -> "Limit | None":
        """Read a cell; None where it has no limit.

        >>> found = Limit.of("≤ 1,5", ",")
        >>> found.below, found.included, found.number
        (True, True, Fraction(3, 2))
        """
        parted = limit_of(cell)
        number = None if parted is None else plain_number(parted[1], decimal)
        if parted is None or number is None:
            return None
        return cls(
            cell=cell,
            below=parted[0],
            included=cell[0] not in "<>" or cell[1:2] == "=",
            number=Fraction(number.strip(" \t")),
            rows=rows,
            first_row=first_row,
        )

    def is_beyond(self, number: Fraction) -> bool:
        """Whether the value certainly lies below the number, or above it if this is a limit for that.

        >>> Limit.of("<5", ".").is_beyond(Fraction(5)), Limit.of("≤5", ".").is_beyond(Fraction(5))
        (True, False)
        """
        if self.number == number:
            return not self.included
        return (self.number < number) == self.below


def limits_among(cells: CollectedCells, decimal: str) -> tuple[Limit, ...]:
    """Return the different cells of a column that have a limit, the most frequent first."""
    counts: Mapping[str, tuple[int, int]] = {}
    if isinstance(cells, Parsed):
        counts = {text: (n, cells.first_limits[text]) for text, n in cells.limits.items()}
    elif isinstance(cells, Coded):
        rows = np.bincount(cells.codes, minlength=len(cells.distinct)).tolist()
        counts = {
            text: (n, int((cells.codes == code).argmax()))
            for code, (text, n) in enumerate(zip(cells.distinct, rows, strict=True))
            if beyond(text, decimal) is not None
        }
    limits = (Limit.of(text, decimal, rows=n, first_row=row) for text, (n, row) in counts.items())
    return tuple(sorted((limit for limit in limits if limit is not None), key=lambda one: -one.rows))


def limit_notes(name: str, limits: Sequence[Limit]) -> tuple[str, ...]:
    """Say which cells of a column are below or above all numbers."""
    notes = []
    for below, side in ((True, "lower"), (False, "higher")):
        some = [limit for limit in limits if limit.below == below]
        if some:
            listed = ", ".join(f"{one.cell!r} ({counted(one.rows, 'row')})" for one in some[:_MOST_LISTED])
            dots = ", ..." if len(some) > _MOST_LISTED else ""
            notes.append(f"{name!r}: {listed}{dots} counts as {side} than any measured value")
    return tuple(notes)


def limits_inside(values: NDArray[np.generic], limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """Return the limits whose values can lie among the numbers of their column."""
    ends = _ends(values) if limits else None
    if ends is None:
        return ()
    low, high = ends
    return tuple(limit for limit in limits if not limit.is_beyond(low if limit.below else high))


def _ends(values: NDArray[np.generic]) -> tuple[Fraction, Fraction] | None:
    """The smallest and the largest number; None where there is none."""
    numbers = values.tolist() if values.dtype == object else np.unique(values).tolist()
    finite = [v for v in numbers if v is not None and v == v and abs(v) != float("inf")]
    return (exact_value(min(finite), "a value"), exact_value(max(finite), "a value")) if finite else None


def inside_text(name: str, values: NDArray[np.generic], limits: Sequence[Limit]) -> str:
    """Say which limits are among the numbers of their column."""
    ends = _ends(values)
    assert ends is not None
    return _in_words(name, limits, f"that can lie among its numbers ({shown(ends[0])} to {shown(ends[1])})")


def open_text(name: str, limits: Sequence[Limit], question: str) -> str:
    """Say which limits do not answer what a card asks."""
    return _in_words(name, limits, f"that leaves {question!r} open")


def _in_words(name: str, limits: Sequence[Limit], what: str) -> str:
    listed = ", ".join(f"{one.cell!r} ({one.rows})" for one in limits[:_MOST_LISTED])
    dots = ", ..." if len(limits) > _MOST_LISTED else ""
    n_rows = sum(one.rows for one in limits)
    return f"column {name!r} has {counted(n_rows, 'value')} with a limit {what}: {listed}{dots}"


def first_row(limits: Sequence[Limit]) -> int:
    """The first row that holds one of them, from 0."""
    return min(limit.first_row for limit in limits)

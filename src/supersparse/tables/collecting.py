"""Columns collected chunk by chunk, so that a large file fits into memory.

A column is kept as codes of its different cells while these are few. A column of numbers that mostly
differ is parsed as it comes. One of more than `MOST_DIFFERENT` texts is given up, because it can
be no category, unless its text was asked for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse.tables.numbers import Numbers, is_number, joined, read_numbers
from supersparse.tables.reading import Reading

MOST_DIFFERENT = 2**16
_FEW = 1000  # so many different cells cost nothing
_SAMPLE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Row i holds ``distinct[codes[i]]``; spaces around cells are gone, and missing cells are blank."""

    distinct: tuple[str, ...]
    codes: NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """The numbers of the rows where one is `present`, and the cells that are neither number nor missing."""

    numbers: Numbers
    present: NDArray[np.bool_]
    odd: Counter[str]
    first_odd: int | None  # its row, from 0


@dataclass(frozen=True, slots=True)
class TooMany:
    """More than `MOST_DIFFERENT` different texts."""

    n_rows: int


Cells = Coded | Parsed | TooMany


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

    def add(self, cells: Sequence[str]) -> None:
        """Take the next rows."""
        self._n_rows += len(cells)
        if self._parsing is not None:
            self._parsing.add(cells)
        elif self._codes is not None:
            codes = np.fromiter(map(self._codes.__getitem__, cells), dtype=np.int32, count=len(cells))
            self._coded.append(codes.astype(np.min_scalar_type(len(self._codes))))
            if not self._keep_text and len(self._codes) > min(MOST_DIFFERENT, max(_FEW, self._n_rows // 2)):
                self._change()

    def _change(self) -> None:
        """Go over to numbers if cells are such, or give up where there are too many: those so far tell."""
        assert self._codes is not None
        texts = list(self._codes)
        # a sample will do: what it misses is found, and named, when the rest is parsed
        sample = texts[:_SAMPLE]
        if 2 * sum(map(is_number, map(self._pointed, sample))) >= len(sample):
            self._parsing = _Parsing(self._reading)
            for codes in self._coded:
                self._parsing.add([texts[code] for code in codes.tolist()])
        elif len(texts) <= MOST_DIFFERENT:
            return
        self._codes, self._coded = None, []

    def _pointed(self, cell: str) -> str:
        return cell.replace(",", ".") if self._reading.decimal == "," else cell

    def finish(self) -> Cells:
        """Return what was collected."""
        if self._parsing is not None:
            return self._parsing.finish()
        if self._codes is None:
            return TooMany(self._n_rows)
        codes = np.concatenate(self._coded) if self._coded else np.empty(0, dtype=np.uint8)
        plain = _Codes()
        new = np.array([plain[self._reading.plain(cell)] for cell in self._codes], dtype=np.int32)
        return Coded(tuple(plain), new[codes].astype(np.min_scalar_type(len(plain))))


class _Parsing:
    """Numbers parsed as they come."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._numbers: list[Numbers] = []
        self._present: list[NDArray[np.bool_]] = []
        self._odd: Counter[str] = Counter()
        self._first_odd: int | None = None
        self._n_rows = 0

    def add(self, cells: Sequence[str]) -> None:
        present = np.ones(len(cells), dtype=bool)
        if self._reading.decimal == ",":
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            numbers = read_numbers(cells)
        except ValueError:
            present = np.fromiter(map(is_number, cells), dtype=bool, count=len(cells))
            self._take_odd(np.flatnonzero(~present).tolist(), cells)
            numbers = read_numbers([cell for cell, kept in zip(cells, present.tolist(), strict=True) if kept])
        self._numbers.append(numbers)
        self._present.append(present)
        self._n_rows += len(cells)

    def _take_odd(self, rows: Sequence[int], cells: Sequence[str]) -> None:
        for row in rows:
            text = self._reading.plain(cells[row])
            if text:
                self._odd[text] += 1
                if self._first_odd is None:
                    self._first_odd = self._n_rows + row

    def finish(self) -> Parsed:
        return Parsed(joined(self._numbers), np.concatenate(self._present), self._odd, self._first_odd)

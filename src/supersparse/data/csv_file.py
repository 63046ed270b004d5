"""CSV files read chunk by chunk, compressed or not, with every fault located by its line."""

import csv
import gzip
import io
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from gzip import BadGzipFile
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from supersparse.data.cells_of_text import (
    ParsedNumbers,
    Reading,
    found_separator,
    is_number,
    joined,
    read_numbers,
    separator_name,
)
from supersparse.errors import InvalidDataError

if TYPE_CHECKING:
    from _csv import Reader


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

    numbers: ParsedNumbers
    present: NDArray[np.bool_]
    odd: Counter[str]
    first_odd: int | None  # its row, from 0


@dataclass(frozen=True, slots=True)
class TooMany:
    """More than `MOST_DIFFERENT` different texts."""

    n_rows: int


CollectedCells = Coded | Parsed | TooMany


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

    def finish(self) -> CollectedCells:
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
        self._numbers: list[ParsedNumbers] = []
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


STANDARD_INPUT = Path("-")
_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def shown_name(path: Path) -> str:
    """Name the file in messages."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def check_file(path: Path) -> None:
    """Refuse a path that leads to no file."""
    if path == STANDARD_INPUT:
        return
    if path.is_dir():
        raise InvalidDataError(f"{path} is a folder; name a file in it")
    if not path.exists():
        beside = path.parent if path.parent.is_dir() else Path()
        by_stem = {other.stem: other for other in sorted(beside.iterdir()) if other.is_file()}
        near = get_close_matches(path.stem, by_stem, n=1)
        hint = f"did you mean {str(by_stem[near[0]])!r}?" if near else f"the folder here is {Path.cwd()}"
        raise InvalidDataError(f"there is no file {str(path)!r}; {hint}")


def is_parquet(path: Path) -> bool:
    """Whether the name, or else the first bytes, say Parquet; standard input is always text."""
    if path == STANDARD_INPUT:
        return False
    if path.suffix.lower() in (".parquet", ".pq"):
        return True
    with path.open("rb") as file:
        return file.read(4) == _PARQUET


@contextmanager
def open_text(path: Path, encoding: str | None) -> Iterator[TextIO]:
    """Open for reading; UTF-8 with or without a mark, or UTF-16 with one, unless an encoding is given."""
    with _binary(path) as raw:
        packed: io.BufferedReader | gzip.GzipFile = raw
        start = raw.peek(4)[:4]
        if start.startswith(_GZIP):
            packed = gzip.GzipFile(fileobj=raw)
            start = packed.peek(4)[:4]
        if start.startswith(_ZIP):
            raise InvalidDataError(
                f"{shown_name(path)} is a workbook or a zip archive, not text; "
                "save the sheet as 'CSV UTF-8', or unpack the archive"
            )
        if start.startswith(_PARQUET):  # compressed once more, or from standard input
            raise InvalidDataError(
                f"{shown_name(path)} holds a Parquet file; unpack it, or write it to disk, and name that file"
            )
        usual = "utf-16" if start.startswith(_UTF_16) else "utf-8-sig"
        text = io.TextIOWrapper(cast(IO[bytes], packed), encoding=encoding or usual, newline="")
        try:
            yield text
        finally:
            text.detach()  # what is below closes itself, and standard input stays open


@contextmanager
def _binary(path: Path) -> Iterator[io.BufferedReader]:
    if path == STANDARD_INPUT:
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    with path.open("rb") as file:
        yield file


_MOST_LINES_ABOVE = 100
_CHUNK = 2**12  # rows held as text at a time


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CsvFile:
    """The columns of a CSV file as they were collected."""

    names: tuple[str, ...]  # of all columns, also of those that were not wanted
    columns: dict[str, CollectedCells]
    lines: NDArray[np.int64]  # the line of the file on which each row ends
    notes: tuple[str, ...]


def read_csv_file(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Collection[str]
) -> CsvFile:
    """Read a file with a header line: the wanted columns; `texts` stay text, however many differ."""
    name = shown_name(path)
    at = _Place()
    try:
        with open_text(path, reading.encoding) as file:
            top = [_record(file), _record(file)]
            separator = reading.separator or _separator(path, *map("".join, top))
            reader = csv.reader(chain(*top, file), delimiter=separator, strict=True)
            at.reader = reader
            header, notes = _header(name, next(reader, []))
            if separator != "," and reading.separator is None:
                notes.append(f"cells are separated by {separator_name(separator)}")
            collectors = {own: Collector(reading, keep_text=own in texts) for own in header if wanted(own)}
            lines = _collect(name, reader, separator, header, collectors)
    except UnicodeError as error:
        raise InvalidDataError(_not_text(name, reading, error)) from None
    except csv.Error as error:
        raise InvalidDataError(f"{name}, line {at.line}: {error}; is a quote left open?") from None
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise InvalidDataError(f"{name} is damaged: {error}; copy it again") from None
    if not len(lines):
        raise InvalidDataError(f"{name} has a header but 0 rows; there is nothing to read")
    return CsvFile(
        names=tuple(header),
        columns={own: collector.finish() for own, collector in collectors.items()},
        lines=np.frombuffer(lines, dtype=np.int64),
        notes=tuple(notes),
    )


def _record(file: TextIO) -> list[str]:
    """The lines of one record, which may hold line breaks in quotes; none at the end."""
    lines = list(islice(file, 1))
    while sum(line.count('"') for line in lines) % 2 and len(lines) < _MOST_LINES_ABOVE:
        more = list(islice(file, 1))
        if not more:
            break
        lines += more
    return lines


class _Place:
    """Where a reader stands, if there is one yet."""

    reader: "Reader | None" = None

    @property
    def line(self) -> int:
        return 1 if self.reader is None else self.reader.line_num


def _separator(path: Path, header: str, row: str) -> str:
    endings = [ending.lower() for ending in path.suffixes]
    return "\t" if {".tsv", ".tab"} & set(endings[-2:]) else found_separator(header, row)


def _header(name: str, cells: list[str]) -> tuple[list[str], list[str]]:
    if not cells:
        raise InvalidDataError(f"{name} is empty; its first line must name the columns")
    header: dict[str, int] = {}
    notes: list[str] = []
    for position, cell in enumerate(cells, start=1):
        own = cell.strip(" \t")
        if not own:
            own = f"column {position}"
            notes.append(f"column {position} has no name; it is named {own!r}")
        if own in header:
            raise InvalidDataError(
                f"{name}: columns {header[own]} and {position} are both called {own!r}; rename one"
            )
        header[own] = position
    return list(header), notes


def _collect(
    name: str, reader: "Reader", separator: str, header: list[str], collectors: dict[str, Collector]
) -> "array[int]":
    lines = array("q")
    places = [(header.index(own), collector) for own, collector in collectors.items()]
    for rows in _chunks(name, reader, separator, len(header), lines):
        columns = list(zip(*rows, strict=True))
        for place, collector in places:
            collector.add(columns[place])
    return lines


def _chunks(
    name: str, reader: "Reader", separator: str, width: int, lines: "array[int]"
) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for row in reader:
        if len(row) != width:
            if not row:
                continue  # an empty line, as many files have at their end
            mark = separator_name(separator).removesuffix("s")
            raise InvalidDataError(
                f"{name}, line {reader.line_num}: {len(row)} cell(s) where the header has {width}; "
                f"does a cell hold a {mark} that is not in quotes?"
            )
        rows.append(row)
        lines.append(reader.line_num)
        if len(rows) == _CHUNK:
            yield rows
            rows = []
    if rows:
        yield rows


def _not_text(name: str, reading: Reading, error: UnicodeError) -> str:
    place = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
    if reading.encoding is not None:
        return f"{name} is not {reading.encoding} text{place}; give the encoding it was saved in"
    return (
        f"{name} is not UTF-8 text{place}; save it as 'CSV UTF-8', or say how it was saved: --encoding cp1252"
    )

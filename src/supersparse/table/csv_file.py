"""CSV files read chunk by chunk, compressed or not, with every fault located by its line."""

import csv
import gzip
import io
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from gzip import BadGzipFile
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, cast

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.table.collecting import CollectedFile, Collector, read_header
from supersparse.table.reading import Reading, found_separator, separator_name

if TYPE_CHECKING:
    from _csv import Reader


STANDARD_INPUT = Path("-")
_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
_PDF = b"%PDF"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def shown_name(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else str(path)


def check_file(path: Path) -> None:
    """Refuse a path that leads to no file."""
    if path == STANDARD_INPUT:
        return
    if path.is_dir():
        raise InvalidDataError(f"{path} is a folder", "name a file in it", subject=path)
    if not path.exists():
        beside = path.parent if path.parent.is_dir() else Path()
        by_stem = {other.stem: other for other in sorted(beside.iterdir()) if other.is_file()}
        near = get_close_matches(path.stem, by_stem, n=1)
        hint = f"did you mean {str(by_stem[near[0]])!r}?" if near else f"the folder here is {Path.cwd()}"
        raise InvalidDataError(f"there is no file {str(path)!r}", hint)


def is_parquet(path: Path) -> bool:
    """Whether the name, or else the first bytes, say Parquet; standard input is always text."""
    if path == STANDARD_INPUT:
        return False
    if path.suffix.lower() in (".parquet", ".pq"):
        return True
    if not path.is_file():  # a pipe, which can be read only once
        return False
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
                f"{shown_name(path)} is a workbook or a zip archive, not text",
                "name a workbook .xlsx, save the sheet as 'CSV UTF-8', or unpack the archive",
            )
        if start.startswith(_PARQUET):  # compressed once more, or from standard input
            raise InvalidDataError(
                f"{shown_name(path)} holds a Parquet file", "unpack it, or write it to disk, and name that file"
            )
        if start.startswith(_PDF):
            raise InvalidDataError(
                f"{shown_name(path)} is a PDF document, not a table", "save the table as CSV or as a workbook"
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
        if sys.stdin is None:
            raise InvalidDataError("standard input is closed", "name a file instead of -")
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    with path.open("rb") as file:
        yield file


_WESTERN = "cp1252"
LONGEST_LINE = 2**26
"""Characters of a line: enough for a million columns with long names."""

MOST_COLUMNS = 200_000
_MOST_LINES_ABOVE = 100
_CHUNK = 2**12  # rows held as text at a time


def read_csv_file(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    """Read a file with a header line: the wanted columns; `texts` stay text, however many differ.

    A file that is not UTF-8 is read as cp1252, with a note, unless an encoding is given.
    """
    name = shown_name(path)
    try:
        return _read(path, reading, wanted, texts)
    except UnicodeError as error:
        if reading.encoding is None and _may_be_western(path):
            with suppress(UnicodeError):
                file = _read(path, replace(reading, encoding=_WESTERN), wanted, texts)
                note = (
                    f"{name} is not UTF-8 text, so it is read as {_WESTERN} (Western European); "
                    "use --encoding if letters come out wrong"
                )
                known = reading.found.get("encoding") == _WESTERN
                return file if known else replace(file, notes=(note, *file.notes))
        raise InvalidDataError(_not_text(name, reading, error)) from None


def _may_be_western(path: Path) -> bool:
    """Whether a file can be read once more, and is text of some kind."""
    if path == STANDARD_INPUT or not path.is_file():
        return False
    with path.open("rb") as file:
        return b"\x00" not in file.read(2**12)


def _read(path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]) -> CollectedFile:
    name = shown_name(path)
    reader: Reader | None = None
    try:
        with open_text(path, reading.encoding) as file:
            top = [_record(file), _record(file)]
            separator = reading.separator or _separator(path, *map("".join, top))
            reader = csv.reader(chain(*top, _lines(file)), delimiter=separator, strict=True)
            first = next(reader, [])
            if len(first) > MOST_COLUMNS:
                raise InvalidDataError(
                    f"{name} has {len(first):,} columns, and at most {MOST_COLUMNS:,} can be read",
                    "keep those that could matter, or turn the table if its rows are columns",
                )
            if any("\x00" in cell for cell in first):
                raise InvalidDataError(
                    f"{name} is not a table: its first line holds NUL characters, which no text has",
                    "copy it again, or say how it was saved, such as --encoding utf-16-le",
                )
            header, notes = read_header(name, first)
            if separator_name(separator) not in ("commas", reading.found.get("separator")) and not reading.separator:
                notes.append(f"cells are separated by {separator_name(separator)}")
            collectors = {
                column_name: Collector(reading, keep_text=texts(column_name))
                for column_name in header
                if wanted(column_name)
            }
            lines = _collect(name, reader, separator, header, collectors)
            encoding = reading.encoding or file.encoding.removesuffix("-sig")
    except csv.Error as error:
        line = 1 if reader is None else reader.line_num
        raise InvalidDataError(f"{name}, line {line}: {error}", "is a quote left open?") from None
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise InvalidDataError(f"{name} is damaged: {error}", "copy it again", subject=name) from None
    if not len(lines):
        if len(header) == 1:
            raise InvalidDataError(
                f"{name} is not a table: it is one line of text, {header[0][:40]!r}, without columns or rows"
            )
        raise InvalidDataError(f"{name} has a header but 0 rows", "there is nothing to read", subject=name)
    return CollectedFile(
        names=tuple(header),
        columns={column_name: collector.finish() for column_name, collector in collectors.items()},
        lines=np.frombuffer(lines, dtype=np.int64),
        notes=tuple(notes),
        found={"encoding": encoding, "separator": separator_name(separator)},
    )


def read_top(path: Path, reading: Reading) -> tuple[str, list[str]]:
    """Return the separator of a file and the names of its columns, as `read_csv_file` finds them."""
    with open_text(path, reading.encoding) as file:
        top = [_record(file), _record(file)]
    separator = reading.separator or _separator(path, *map("".join, top))
    first = next(csv.reader(chain(*top), delimiter=separator), [])
    return separator, read_header(shown_name(path), first)[0]


def _lines(file: TextIO) -> Iterator[str]:
    """The lines, of which none may be so long that reading it would fill the memory."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise InvalidDataError(
                f"a line has more than {LONGEST_LINE:,} characters",
                "a table has a line for each row: is this the right file?",
            )
        yield line


def _record(file: TextIO) -> list[str]:
    """The lines of one record, which may hold line breaks in quotes; none at the end."""
    lines = list(islice(_lines(file), 1))
    while sum(line.count('"') for line in lines) % 2 and len(lines) < _MOST_LINES_ABOVE:
        more = list(islice(_lines(file), 1))
        if not more:
            break
        lines += more
    return lines


def _separator(path: Path, header: str, row: str) -> str:
    endings = [ending.lower() for ending in path.suffixes]
    return "\t" if {".tsv", ".tab"} & set(endings[-2:]) else found_separator(header, row)


def _collect(
    name: str, reader: "Reader", separator: str, header: list[str], collectors: dict[str, Collector]
) -> "array[int]":
    lines = array("q")
    at = {column_name: place for place, column_name in enumerate(header)}
    places = [(at[column_name], collector) for column_name, collector in collectors.items()]
    for rows in _chunks(name, reader, separator, len(header), lines):
        columns = list(zip(*rows, strict=True))
        for place, collector in places:
            collector.add(columns[place])
    return lines


def _chunks(name: str, reader: "Reader", separator: str, width: int, lines: "array[int]") -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for row in reader:
        if len(row) != width:
            if not row:
                continue  # an empty line, as many files have at their end
            mark = separator_name(separator).removesuffix("s")
            raise InvalidDataError(
                f"{name}, line {reader.line_num}: {len(row)} cell(s) where the header has {width}",
                f"does a cell hold a {mark} that is not in quotes?",
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
    return f"{name} is not UTF-8 text{place}; save it as 'CSV UTF-8', or say how it was saved: --encoding cp1252"

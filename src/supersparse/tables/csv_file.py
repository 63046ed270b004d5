"""CSV files read as collected columns, with every fault located by its line."""

import csv
import zlib
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from gzip import BadGzipFile
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.tables.collecting import Cells, Collector
from supersparse.tables.opening import open_text, shown_name
from supersparse.tables.reading import Reading, found_separator, separator_name

if TYPE_CHECKING:
    from _csv import Reader

_MOST_LINES_ABOVE = 100
_CHUNK = 2**12  # rows held as text at a time


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CsvFile:
    """The columns of a CSV file as they were collected."""

    names: tuple[str, ...]  # of all columns, also of those that were not wanted
    columns: dict[str, Cells]
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
            notes.append(f"column {position} has no name and is called {own!r}")
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

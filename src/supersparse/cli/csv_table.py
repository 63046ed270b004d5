"""CSV files as columns of text, with every fault located by its line."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.card.tables import nearest_column
from supersparse.errors import InvalidDataError

if TYPE_CHECKING:
    from _csv import Reader


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CsvTable:
    """The cells of a CSV file, untouched, by column."""

    path: Path
    columns: dict[str, Sequence[str]]  # in the order of the header
    lines: Sequence[int]  # the line of the file on which each row ends

    @property
    def n_rows(self) -> int:
        """Number of rows below the header."""
        return len(self.lines)

    def column(self, name: str, lack: str) -> Sequence[str]:
        """Return the cells of a column; `lack` says what the file has not, with {name} in it."""
        if name not in self.columns:
            hint = nearest_column(name, list(self.columns))
            raise InvalidDataError(f"{self.path} has no {lack.format(name=repr(name))}; {hint}")
        return self.columns[name]


def read_csv(path: Path) -> CsvTable:
    """Read a comma-separated UTF-8 file with a header line; a BOM and any line ends are fine."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            _check_header(path, header)
            rows, lines = _read_rows(path, reader, len(header))
    except UnicodeDecodeError as error:
        raise InvalidDataError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as 'CSV UTF-8'"
        ) from None
    except csv.Error as error:
        raise InvalidDataError(f"{path}, line {reader.line_num}: {error}; is a quote left open?") from None
    if not rows:
        raise InvalidDataError(f"{path} has a header but 0 rows; there is nothing to read")
    return CsvTable(path=path, columns=dict(zip(header, zip(*rows, strict=True), strict=True)), lines=lines)


def _check_header(path: Path, header: list[str]) -> None:
    if not header:
        raise InvalidDataError(f"{path} is empty; its first line must name the columns")
    if len(header) == 1:
        for separator, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
            if separator in header[0]:
                raise InvalidDataError(f"{path} seems to be separated by {name}; save it with commas")
    for position, name in enumerate(header, start=1):
        if name in header[: position - 1]:
            first = header.index(name) + 1
            raise InvalidDataError(
                f"{path}: columns {first} and {position} are both called {name!r}; rename one"
            )


def _read_rows(path: Path, reader: "Reader", width: int) -> tuple[list[list[str]], list[int]]:
    rows, lines = [], []
    for row in reader:
        if len(row) != width:
            if not row:
                continue  # an empty line, as many files have at their end
            raise InvalidDataError(
                f"{path}, line {reader.line_num}: {len(row)} cell(s) where the header has {width}; "
                "does a cell hold a comma that is not in quotes?"
            )
        rows.append(row)
        lines.append(reader.line_num)
    return rows, lines

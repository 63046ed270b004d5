"""Table: the raw columns of a file, each of one kind, with every fault named where it is."""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.card.tables import nearest_column
from supersparse.errors import InvalidDataError
from supersparse.tables.columns import Column, Kind
from supersparse.tables.csv_file import read_csv_file
from supersparse.tables.kinds import Fault, typed
from supersparse.tables.opening import check_file, is_parquet, shown_name
from supersparse.tables.parquet import read_parquet
from supersparse.tables.reading import Reading

_NOTHING: Mapping[str, Kind] = {}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table:
    """The columns of a file that were wanted, in the order of the file."""

    name: str  # of the file
    names: tuple[str, ...]  # of all its columns
    columns: Mapping[str, Column]
    n_rows: int
    lines: NDArray[np.int64] | None  # of each row; None in a file without lines
    notes: tuple[str, ...]

    def column(self, name: str, lack: str = "column {name}") -> Column:
        """Return a column; `lack` says what the file has not, with {name} in it."""
        if name not in self.columns:
            hint = nearest_column(name, self.names)
            raise InvalidDataError(f"{self.name} has no {lack.format(name=repr(name))}; {hint}")
        return self.columns[name]

    def place(self, row: int) -> str:
        """Say where a row, counted from 0, stands in the file."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


def _everything(name: str) -> bool:
    return True


def read_table(
    path: Path,
    reading: Reading | None = None,
    *,
    wanted: Callable[[str], bool] = _everything,
    expected: Mapping[str, Kind] = _NOTHING,
    remedy: str = "correct them",
) -> Table:
    """Read a CSV, TSV or Parquet file, compressed with gzip or not; ``-`` is standard input.

    `wanted` says by its name whether a column is read. `expected` says of some columns that they are text
    or numbers, whatever they look like. Columns that are numbers for the most part but not all are
    refused together; `remedy` says what to do, with {na} for the texts in the way and {name} for the
    first such column.
    """
    check_file(path)
    reading = reading or Reading()
    texts = {name for name, kind in expected.items() if kind is Kind.TEXT}
    if is_parquet(path):
        names, columns, n_rows = read_parquet(path, reading, wanted, texts)
        return Table(name=str(path), names=names, columns=columns, n_rows=n_rows, lines=None, notes=())
    file = read_csv_file(path, reading, wanted, texts)
    found = {name: typed(name, cells, expected.get(name), reading) for name, cells in file.columns.items()}
    faults = [column for column in found.values() if isinstance(column, Fault)]
    if faults:
        for name in expected:  # a misspelt name would be found only after every fault is mended
            if name not in file.names:
                hint = nearest_column(name, file.names)
                raise InvalidDataError(f"{shown_name(path)} has no column {name!r}; {hint}")
        raise InvalidDataError(f"{shown_name(path)}: {_said(faults, file.lines, remedy)}")
    return Table(
        name=shown_name(path),
        names=file.names,
        columns={name: column for name, column in found.items() if isinstance(column, Column)},
        n_rows=len(file.lines),
        lines=file.lines,
        notes=file.notes,
    )


def _said(faults: Sequence[Fault], lines: NDArray[np.int64], remedy: str) -> str:
    """Say what in a column is no number: how many cells, which, where the first is, and what to do."""
    first = faults[0]
    shown = ", ".join(f"{_short(text)} ({n})" for text, n in first.odd.most_common(3))
    count = first.odd.total()
    said = (
        f"column {first.name!r} has {count} non-numeric value{'s' if count > 1 else ''}: {shown}"
        f"{', ...' if len(first.odd) > 3 else ''}, the first in line {lines[first.first_row]}"
    )
    if len(faults) > 1:
        others = [repr(fault.name) for fault in faults[1:6]]
        said += f" (the same holds for {', '.join(others)}{', ...' if len(faults) > 6 else ''})"
    if first.decimal_commas:
        return f"{said}; if the comma is a decimal one, read it with --decimal ',', else take it out"
    every = sum((fault.odd for fault in faults), Counter())
    words = [text for text, _ in every.most_common(8) if "," not in text]
    return f"{said}; " + remedy.format(na=shlex.quote(",".join(words)), name=shlex.quote(first.name))


def _short(text: str) -> str:
    return repr(text if len(text) <= 20 else text[:17] + "...")

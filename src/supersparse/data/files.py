"""Tables from files: CSV, TSV and Parquet, each column read as one kind."""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.data.cells_of_text import Reading
from supersparse.data.csv_file import (
    check_file,
    is_parquet,
    read_csv_file,
    shown_name,
)
from supersparse.data.parquet import read_parquet
from supersparse.data.table import _NOTHING, Column, Fault, Kind, Table, typed
from supersparse.data.values import nearest_column
from supersparse.errors import InvalidDataError


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

"""Files that are not text: workbooks, files of SAS, SPSS and Stata, Parquet.

Cells of workbooks become text, so that they are read as those of a CSV file. Above the header of a sheet there may be
a title and other lines of few cells, and a row of groups, each over several columns. Below the rows there may be
totals, which are not rows. python-calamine is small, keeps the types of cells and also reads .xls, .xlsb and .ods; it
is some ten times faster than openpyxl. Values that a statistics file declares as missing are missing. Parquet is read
by pyarrow or polars, whichever is installed.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError, did_you_mean
from supersparse.base.exact import counted
from supersparse.base.stop import free_bytes
from supersparse.table.cells import with_gaps
from supersparse.table.collecting import CollectedCells, CollectedFile, Collector, read_header
from supersparse.table.reading import USUALLY_MISSING, Reading
from supersparse.table.table import Column, Kind
from supersparse.table.values import objects, with_none

_LOOKED_AT = 50  # rows from the top, in which a header is sought
_FILLED = 0.6  # of the columns that a header fills
_TOTAL = re.compile(
    r"(grand |sub)?(total|totals|totale|totaal|totaux|gesamt|insgesamt|summe|sum|somme|suma|soma|som|average|mean|"
    r"mittelwert|durchschnitt|moyenne|promedio|media|média|gemiddelde|n)( \w+)?\s*[:=]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names of the columns, the rows that hold data (from 0), and notes on what was recognised."""

    header: tuple[str, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...]


def layout_of(name: str, cells: Sequence[Sequence[str]], header_row: int | None = None) -> Layout:
    """Find the header of a sheet, given as texts; `header_row` is the row that names the columns, from 1.

    >>> found = layout_of("a.xlsx", [["Audit 2024"], [], ["", "Lab", ""], ["id", "Na", "K"], ["1", "140", "4"],
    ...                              ["2", "138", "5"], ["Total", "2", ""]])
    >>> found.header, found.rows
    (('id', 'Lab Na', 'Lab K'), (4, 5))
    """
    filled = [sum(map(bool, row)) for row in cells]
    if header_row is not None:
        if not 1 <= header_row <= len(cells) or not filled[header_row - 1]:
            raise InvalidDataError(f"{name}: row {header_row} is empty", "name the row that names the columns")
        at = header_row - 1
    else:
        at = _header_at(cells, filled)
    notes = []
    before = [k for k in range(at) if filled[k]]
    groups = before[-1] if before and before[-1] == at - 1 and _are_groups(cells[at - 1], cells[at]) else None
    header = list(cells[at])
    if groups is not None:
        header = _with_groups(cells[groups], header)
        before.remove(groups)
        notes.append(f"{name}: the names of row {groups + 1} stand before those of row {at + 1} that they are over")
    if before:
        notes.append(
            f"{name}: row {at + 1} names the columns; {counted(len(before), 'row')} above it left out, "
            "use --header-row if that is wrong"
        )
    while header and not header[-1] and not any(_at(row, len(header) - 1) for row in cells):
        header.pop()
    rows = [k for k in range(at + 1, len(cells)) if filled[k]]
    totals = []
    while len(rows) > 1 and _is_total(cells[rows[-1]]):
        totals.append(rows.pop())
    if totals:
        shown = next(filter(None, cells[totals[-1]]))
        notes.append(f"{name}: {counted(len(totals), 'row')} of totals at the end left out, the first is {shown!r}")
    return Layout(header=tuple(header), rows=tuple(rows), notes=tuple(notes))


def _header_at(cells: Sequence[Sequence[str]], filled: Sequence[int]) -> int:
    """The first row that fills most of the columns and holds no number; else the first that is not empty."""
    first = next(k for k, n in enumerate(filled) if n)
    usual = sorted(n for n in filled if n)[sum(map(bool, filled)) // 2]
    for k in range(first, min(len(cells), _LOOKED_AT)):
        if filled[k] >= max(2, _FILLED * usual):
            below = next((j for j in range(k + 1, len(cells)) if filled[j]), None)
            if below == k + 1 and _are_groups(cells[k], cells[below]):
                return below
            return k if not any(map(_is_number, cells[k])) or k == first else first
        if filled[k] >= 2 and k + 1 < len(cells) and _are_groups(cells[k], cells[k + 1]):
            return k + 1
    return first


def _are_groups(above: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row names groups of the columns below it: fewer cells, no numbers, and one is over several."""
    texts, below = [one for one in above if one], [one for one in names if one]
    if not 1 <= len(texts) < len(below) or len(below) < 3 or any(map(_is_number, (*texts, *below))):
        return False
    starts = [k for k, one in enumerate(above) if one]
    spans_several = any(k + 1 < len(names) and names[k] and names[k + 1] and not _at(above, k + 1) for k in starts)
    return spans_several and starts[-1] < len(names) and (len(texts) > 1 or starts[0] > 0)


def _with_groups(above: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names with that of their group; a group reaches to the next one, or to a column without a name of its own."""
    made, group = [], ""
    for k in range(max(len(above), len(names))):
        name = _at(names, k)
        group = _at(above, k) or group
        made.append(" ".join(filter(None, [group, name])) if name else _at(above, k))
        if not name:
            group = ""
    return made


def _at(cells: Sequence[str], k: int) -> str:
    return cells[k] if k < len(cells) else ""


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,\s]*\d[\d.,\s]*%?", text) is not None


def _is_total(row: Sequence[str]) -> bool:
    return _TOTAL.fullmatch(next(filter(None, row)).strip()) is not None


def is_table(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether a sheet has three rows or more of two cells or more: a page of notes has not."""
    return sum(sum(cell not in (None, "") for cell in row) > 1 for row in rows) > 2


_TIMES = 4  # a cell in memory is a few times as long as in its file
_ALWAYS_TRIED = 2**26
_ENDINGS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")


def is_workbook(path: Path) -> bool:
    """Whether the name says that a file is a workbook."""
    return path.suffix.lower() in _ENDINGS


def read_workbook(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    """Read one sheet, by default the first; see `read_layout` for the row that names the columns."""
    try:
        import python_calamine
    except ImportError:
        raise PackageNotInstalledError(
            f"reading {path} needs python-calamine: pip install python-calamine", "or save the sheet as 'CSV UTF-8'"
        ) from None
    _check_size(path)
    try:
        book = python_calamine.load_workbook(str(path))
        sheet, notes = _sheet(path, book.sheet_names, reading)
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
        if notes and not is_table(rows):  # the first of several is a page of text
            others = (name for name in book.sheet_names[1:] if is_table(book.get_sheet_by_name(name).to_python()))
            table = next(others, None)
            if table is not None:
                sheet = table
                rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
                notes = [f"{path}: {sheet!r} is read, the first sheet with a table; use --sheet for another"]
    except (python_calamine.CalamineError, OSError) as error:
        raise InvalidDataError.of(error, f"{path} is not a readable workbook: ") from None
    texts_of_cells = [[_text(cell).strip() for cell in row] for row in rows]
    if not any(map(any, texts_of_cells)):
        raise InvalidDataError(f"{path}: the sheet {sheet!r} is empty", "name another one with --sheet")
    name = f"{path}, sheet {sheet!r}"
    layout = layout_of(name, texts_of_cells, reading.header_row)
    held, lines = [rows[k] for k in layout.rows], [k + 1 for k in layout.rows]
    file = collected_rows(name, layout.header, held, lines, reading, wanted, texts, (*notes, *layout.notes))
    return replace(file, found={"sheet": sheet})


def _check_size(path: Path) -> None:
    """Refuse a packed workbook that unpacks to more than there is memory."""
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return  # .xls is not such a file; others are refused when they are read
    subject = f"{path} unpacks to {unpacked / 1e9:.1f} GB, which"
    _check_memory(_TIMES * unpacked, subject, "save the sheet as 'CSV UTF-8'")


def _check_memory(needed: int, subject: str, remedy: str) -> None:
    free = free_bytes()
    if free is not None and needed > max(free, _ALWAYS_TRIED):
        raise InvalidDataError(
            f"{subject} need about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free", remedy
        )


def _sheet(path: Path, names: Sequence[str], reading: Reading) -> tuple[str, list[str]]:
    asked = reading.sheet
    if not names:
        raise InvalidDataError(f"{path} has no sheets", "save the workbook again", subject=path)
    if asked is None or (reading.settled and asked not in names and len(names) == 1):
        others = ", ".join(map(repr, names[1:6]))
        note = f"{path} has {len(names)} sheets; {names[0]!r} is read, use --sheet for {others}"
        return names[0], [note] if len(names) > 1 else []
    if asked not in names:
        raise InvalidDataError(f"{path} has no sheet {asked!r}", did_you_mean(asked, names), subject=path)
    return asked, []


def collected_rows(
    name: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    lines: Sequence[int],
    reading: Reading,
    wanted: Callable[[str], bool],
    texts: Callable[[str], bool],
    notes: Iterable[str] = (),
) -> CollectedFile:
    """Collect rows of cells that have a type; `lines` number them as people see them."""
    names, more = read_header(name, header)
    if not rows:
        raise InvalidDataError(f"{name} has a header but 0 rows", "there is nothing to read", subject=name)
    columns: dict[str, CollectedCells] = {}
    pointed = set()
    for k, column_name in enumerate(names):
        if wanted(column_name):
            if any(isinstance(row[k], float) and row[k] % 1 > 0 for row in rows if k < len(row)):
                pointed.add(column_name)
            collector = Collector(reading, keep_text=texts(column_name))
            collector.add([_text(row[k]) if k < len(row) else "" for row in rows])
            columns[column_name] = collector.finish()
    return CollectedFile(
        names=tuple(names),
        columns=columns,
        lines=np.array(lines, dtype=np.int64),
        notes=(*notes, *more),
        found={},
        pointed=frozenset(pointed),
    )


def _text(cell: object) -> str:
    """Return a cell as a CSV file would hold it."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime):
        return cell.strftime("%Y-%m-%d") if cell.time() == time() else cell.isoformat(sep=" ", timespec="seconds")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)


_READERS = {
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
}


def is_statistics_file(path: Path) -> bool:
    """Whether the name says that a file comes from SAS, SPSS or Stata."""
    return path.suffix.lower() in _READERS


def read_statistics_file(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    """Read a file; numbers with labels stay numbers."""
    try:
        import pyreadstat
        from pyreadstat._readstat_parser import PyreadstatError, ReadstatError  # 1.3.0 exports one of them
    except ImportError:
        raise PackageNotInstalledError(
            f"reading {path} needs pyreadstat: pip install pyreadstat", "or save the table as CSV"
        ) from None
    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    options = {} if reading.encoding is None else {"encoding": reading.encoding}
    try:
        columns, _ = read(str(path), output_format="dict", **options)
    except (ReadstatError, PyreadstatError) as error:
        raise InvalidDataError.of(error, f"{path} is not a readable {path.suffix} file: ") from None
    rows = list(zip(*columns.values(), strict=True))
    return collected_rows(str(path), list(columns), rows, range(1, len(rows) + 1), reading, wanted, texts)


_BYTES_PER_VALUE = 16  # as read, and as an array


def read_parquet(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> tuple[tuple[str, ...], dict[str, Column], int]:
    """Return the names of all columns, the wanted ones, and the number of rows."""
    import narwhals.stable.v1 as nw

    try:
        names, native = _read(path, wanted)
    except InvalidDataError:
        raise
    except (OSError, ValueError, RuntimeError, TypeError, LookupError, MemoryError) as error:
        first_line = str(error).partition("\n")[0]
        raise InvalidDataError(f"{path} is not a readable Parquet file: {first_line}") from None
    frame = nw.from_native(native, eager_only=True)
    words = reading.missing - USUALLY_MISSING  # a Parquet file says by itself what is missing
    columns = {
        column_name: (text_column if texts(column_name) else column_of_series)(column_name, frame[column_name], words)
        for column_name in frame.columns
    }
    return names, columns, len(frame)


def _read(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    for package, read in {"pyarrow": _by_pyarrow, "polars": _by_polars}.items():
        if find_spec(package) is not None:
            return read(path, wanted)
    raise PackageNotInstalledError(
        f"reading {path} needs pyarrow or polars: pip install pyarrow", "or save the table as CSV"
    )


def _by_pyarrow(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    names = tuple(file.schema_arrow.names)
    asked = [n for n in names if wanted(n)]
    _check_rows(path, file.metadata.num_rows, len(asked))
    return names, file.read(columns=asked, use_pandas_metadata=False)


def _by_polars(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    import polars

    names = tuple(polars.read_parquet_schema(path))
    asked = [n for n in names if wanted(n)]
    _check_rows(path, polars.scan_parquet(path).select(polars.len()).collect().item(), len(asked))
    return names, polars.read_parquet(path, columns=asked)


def _check_rows(path: Path, n_rows: int, n_columns: int) -> None:
    """Refuse a file that unpacks to more than there is memory, however small it is on the disk."""
    subject = f"{path} says that it has {n_rows:,} rows; with {n_columns:,} columns they"
    _check_memory(_BYTES_PER_VALUE * n_rows * n_columns, subject, "use fewer columns or rows")


def column_of_series(name: str, series: Any, words: frozenset[str]) -> Column:
    """Return a series as a column of its kind; `words` are texts that stand for a missing value."""
    dtype = series.dtype
    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    n_missing = int(gone.sum())
    if dtype.is_integer() or dtype.is_float():
        present = np.asarray(series.drop_nulls().to_numpy())
        # the one width that others expect; what does not fit it, UInt64, stays as it is
        fits = dtype.is_integer() and (not len(present) or int(present.max()) < 2**63)
        values = with_gaps(present.astype(np.int64) if fits else present, ~gone)
        if values.dtype.kind == "f":
            n_missing = int(np.isnan(values).sum())
        return Column(name=name, kind=Kind.NUMBER, values=values, n_missing=n_missing)
    if n_missing == len(gone):
        return Column(name=name, kind=Kind.EMPTY, values=objects([]), n_missing=n_missing)
    cells = with_none(series)
    if str(dtype) == "Boolean":
        values = objects(cells) if n_missing else np.array(cells, dtype=bool)
        return Column(name=name, kind=Kind.TRUTH, values=values, n_missing=n_missing)
    if dtype.is_decimal():
        values = objects(None if cell is None else Fraction(cell) for cell in cells)
        return Column(name=name, kind=Kind.NUMBER, values=values, n_missing=n_missing)
    kind = Kind.DATE if dtype.is_temporal() else Kind.TEXT
    texts = [None if cell is None or str(cell) == "" or str(cell) in words else str(cell) for cell in cells]
    return Column(name=name, kind=kind, values=objects(texts), n_missing=texts.count(None))


def text_column(name: str, series: Any, words: frozenset[str] = frozenset()) -> Column:
    """Return a series as a column of texts; `words` stand for a missing value."""
    cells = with_none(series)
    values = [None if cell is None or cell != cell or str(cell) in words else str(cell) for cell in cells]
    return Column(name=name, kind=Kind.TEXT, values=objects(values), n_missing=values.count(None))

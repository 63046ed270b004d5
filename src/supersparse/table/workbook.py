"""Excel workbooks, through python-calamine: cells become text, so that they are read as those of a CSV file.

python-calamine is small, keeps the types of cells and also reads .xls, .xlsb and .ods; it is some ten times
faster than openpyxl.
"""

import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError, did_you_mean
from supersparse.base.free_memory import free_bytes
from supersparse.table.collecting import CollectedCells, CollectedFile, Collector, read_header
from supersparse.table.reading import Reading

_TIMES = 4  # a cell in memory is a few times as long as in its file
_ALWAYS_TRIED = 2**26
_ENDINGS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")


def is_workbook(path: Path) -> bool:
    """Whether the name says that a file is a workbook."""
    return path.suffix.lower() in _ENDINGS


def read_workbook(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    """Read one sheet, by default the first; its first row that is not empty names the columns."""
    try:
        import python_calamine
    except ImportError:
        raise PackageNotInstalledError(
            f"reading {path} needs python-calamine: pip install python-calamine; or save the "
            f"sheet as 'CSV UTF-8'"
        ) from None
    _check_size(path)
    try:
        book = python_calamine.load_workbook(str(path))
        sheet, notes = _sheet(path, book.sheet_names, reading)
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, OSError) as error:
        raise InvalidDataError(f"{path} is not a readable workbook: {error}") from None
    place = next((k for k, row in enumerate(rows) if any(_text(cell) for cell in row)), None)
    if place is None:
        raise InvalidDataError(f"{path}: the sheet {sheet!r} is empty; name another one with --sheet")
    header = [_text(cell) for cell in rows[place]]
    numbers = [k for k in range(place + 1, len(rows)) if any(_text(cell) for cell in rows[k])]
    return collected_rows(
        f"{path}, sheet {sheet!r}",
        header,
        [rows[k] for k in numbers],
        [k + 1 for k in numbers],
        reading,
        wanted,
        texts,
        notes,
        {"sheet": sheet},
    )


def _check_size(path: Path) -> None:
    """Refuse a packed workbook that unpacks to more than there is memory."""
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return  # .xls is no such file; others are refused when they are read
    needed, free = _TIMES * unpacked, free_bytes()
    if free is not None and needed > max(free, _ALWAYS_TRIED):
        raise InvalidDataError(
            f"{path} unpacks to {unpacked / 1e9:.1f} GB, which need about {needed / 1e9:.1f} GB of memory, "
            f"and {free / 1e9:.1f} GB are free; save the sheet as 'CSV UTF-8'"
        )


def _sheet(path: Path, names: Sequence[str], reading: Reading) -> tuple[str, list[str]]:
    asked = reading.sheet
    if not names:
        raise InvalidDataError(f"{path} has no sheets; save the workbook again")
    if asked is None or (reading.settled and asked not in names and len(names) == 1):
        others = ", ".join(map(repr, names[1:6]))
        note = f"{path} has {len(names)} sheets; {names[0]!r} is read, use --sheet for {others}"
        return names[0], [note] if len(names) > 1 else []
    if asked not in names:
        raise InvalidDataError(f"{path} has no sheet {asked!r}; {did_you_mean(asked, names)}")
    return asked, []


def collected_rows(
    name: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    lines: Sequence[int],
    reading: Reading,
    wanted: Callable[[str], bool],
    texts: Callable[[str], bool],
    notes: Iterable[str],
    found: dict[str, str],
) -> CollectedFile:
    """Collect rows of cells that have a type; `lines` number them as people see them."""
    names, more = read_header(name, header)
    if not rows:
        raise InvalidDataError(f"{name} has a header but 0 rows; there is nothing to read")
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
        found=found,
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
        return (
            cell.strftime("%Y-%m-%d")
            if cell.time() == time()
            else cell.isoformat(sep=" ", timespec="seconds")
        )
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    return str(cell)

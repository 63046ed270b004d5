"""Files of many rows, read by DuckDB: Parquet and CSV, single, in folders, or by a pattern."""

import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError
from supersparse.table.collecting import read_header
from supersparse.table.csv_file import read_top
from supersparse.table.reading import Reading, separator_name

_PARQUET, _CSV = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst")
_SAMPLE = 1_000_000  # rows of a CSV file by which types are told


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OpenedRows:
    """A relation of DuckDB with its name, whether it comes from text files, and their separator."""

    relation: Any
    name: str
    is_text: bool
    found: Mapping[str, str]  # as in a reading


@contextmanager
def open_rows(paths: Sequence[Path], reading: Reading, texts: Collection[str], memory: str) -> Iterator[OpenedRows]:
    """Open files, folders or patterns as one table, within a memory limit such as 2GB.

    Rows that do not fit go to a temporary folder on disk. Columns in `texts` are read as text.
    """
    try:
        import duckdb
    except ImportError:
        raise PackageNotInstalledError("--engine duckdb needs duckdb: pip install duckdb pyarrow") from None
    files, is_text = _files(paths)
    name = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    with tempfile.TemporaryDirectory(prefix="supersparse-") as folder:
        try:
            connection = duckdb.connect(
                ":memory:",
                config={"memory_limit": memory, "temp_directory": folder, "preserve_insertion_order": "false"},
            )
        except duckdb.Error as error:
            raise InvalidOptionError(
                subject="--memory", value=memory, remedy=f"give a size such as 2GB ({_first_line(error)})"
            ) from None
        connection.execute("SET enable_progress_bar = false")  # it would be printed into the card
        reading_notes: dict[str, str] = {}
        try:
            if is_text:
                relation, separator = _csv(connection, files, reading, texts)
                if separator is not None:
                    reading_notes["separator"] = separator_name(separator)
            else:
                for file in files:
                    _check_case(file, _parquet_names(connection, file))
                relation = connection.read_parquet(files, union_by_name=len(files) > 1)
            yield OpenedRows(relation=relation, name=name, is_text=is_text, found=reading_notes)
        except duckdb.OutOfMemoryException as error:
            raise InvalidDataError(
                f"{name}: {memory} of memory is not enough ({_first_line(error)})", "raise --memory"
            ) from None
        except (duckdb.Error, UnicodeError) as error:
            raise InvalidDataError(f"{name} cannot be read by DuckDB: {_reason(error)}") from None
        finally:
            connection.close()


def _csv(connection: Any, files: Sequence[str], reading: Reading, texts: Collection[str]) -> tuple[Any, str | None]:
    """The files as a relation, and the separator if all have the same."""
    options: dict[str, Any] = {
        "header": True,
        "na_values": ["", *sorted(reading.missing)],
        "sample_size": _SAMPLE,
        "auto_type_candidates": ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"],  # yes and no are texts
        "union_by_name": len(files) > 1,
    }
    if reading.decimal is not None:
        options["decimal"] = reading.decimal
    if reading.encoding is not None:
        options["encoding"] = reading.encoding
    tops = [_top(connection, file, reading, options) for file in files]
    separators = {separator for separator, _ in tops}
    separator = separators.pop() if len(separators) == 1 else None
    if separator is not None:  # otherwise DuckDB finds that of each file
        options["delimiter"] = separator
    for file, (_, names) in zip(files, tops, strict=True):
        _check_case(file, names)
    rows = connection.read_csv(list(files), **options)
    named = dict(zip(rows.columns, rows.columns, strict=True))
    if all(names == tops[0][1] for _, names in tops):  # DuckDB has other names where one is blank
        named |= dict(zip(rows.columns, tops[0][1], strict=False))
    as_text = {theirs: "VARCHAR" for theirs, ours in named.items() if ours in texts}
    if as_text:
        rows = connection.read_csv(list(files), **options, dtype=as_text)
    if list(named) == list(named.values()):
        return rows, separator
    projected = ", ".join(f"{_quoted(theirs)} AS {_quoted(ours)}" for theirs, ours in named.items())
    return rows.project(projected), separator


def _top(connection: Any, file: str, reading: Reading, options: Mapping[str, Any]) -> tuple[str | None, list[str]]:
    """The separator of a file, None if it is not known, and the names of its columns, spaces removed."""
    if not file.lower().endswith(".zst"):
        separator, names = read_top(Path(file), reading)
        return separator, names
    delimiter = {} if reading.separator is None else {"delimiter": reading.separator}
    asked = {**options, **delimiter, "header": False, "all_varchar": True, "parallel": False}
    cells = connection.read_csv(file, **asked).limit(1).fetchall()
    return reading.separator, read_header(file, ["" if cell is None else cell for cell in (cells or [()])[0]])[0]


def _parquet_names(connection: Any, file: str) -> list[str]:
    """The names of the columns of a Parquet file; below a nested column there are others, which are none."""
    fields = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [file]).fetchall()
    names, inside = [], 0
    for name, children in fields[1:]:
        if inside:
            inside -= 1
        else:
            names.append(name)
        inside += children or 0
    return names


def _check_case(file: str, names: Sequence[str]) -> None:
    """Refuse names that DuckDB holds for the same; it would rename one, and the card could not be used."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            raise InvalidDataError(
                f"{file}: columns {other!r} and {name!r} differ in case only, and DuckDB cannot tell them apart",
                "rename one, or use --engine memory",
            )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def files_of(path: Path) -> list[str]:
    """The files that a file, a folder or a pattern stands for, sorted."""
    if os.path.isdir(path):
        return sorted(str(file) for file in path.rglob("*") if file.is_file() and _kind(str(file)) is not None)
    return [str(path)] if os.path.isfile(path) else sorted(glob(str(path), recursive=True))


def _files(paths: Sequence[Path]) -> tuple[list[str], bool]:
    """The files that are meant, sorted, and whether they are text."""
    listed: list[str] = []
    for path in paths:
        inside = files_of(path)
        if not inside and path.is_dir():
            raise InvalidDataError(f"the folder {path} holds no Parquet or CSV file", "name the files")
        if not inside:
            raise InvalidDataError(f"{path} does not exist, and no file matches it", "check the name")
        listed += inside
    kinds = {_kind(file) for file in listed}
    if None in kinds:
        odd = next(file for file in listed if _kind(file) is None)
        raise InvalidDataError(f"{odd} is neither Parquet nor CSV", "--engine duckdb reads these")
    if len(kinds) > 1:
        raise InvalidDataError("some of the files are Parquet and some are CSV", "give files of one kind")
    return listed, kinds == {"text"}


def _kind(file: str) -> str | None:
    low = file.lower()
    return "parquet" if low.endswith(_PARQUET) else "text" if low.endswith(_CSV) else None


def _reason(error: Exception) -> str:
    """The message of an error of DuckDB, and the remedy."""
    message = str(error)
    if isinstance(error, UnicodeError) or "utf-8 encoded" in message.lower():
        return "it is not UTF-8 text; save it as 'CSV UTF-8', or use --engine memory"
    first, _, rest = message.partition("\n")
    if "CSV Error on Line" in first:
        more = rest.partition("\n")[0].removesuffix(".")
        return f"{first}: {more}; correct the line, or use --engine memory, which says what is wrong in it"
    if "sniffing" in first:
        return "do all lines have as many cells as the header? --engine memory names one that has not"
    return first


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]

"""Files of many rows, read by DuckDB: Parquet and CSV, single, in folders, or by a pattern."""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from supersparse.data.reading import Reading
from supersparse.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError

_PARQUET, _CSV = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst")
_SAMPLE = 1_000_000  # rows of a CSV file by which types are told


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OpenedRows:
    """A relation of DuckDB, what it is called, and whether it comes from text files."""

    relation: Any
    name: str
    is_text: bool


@contextmanager
def open_rows(
    paths: Sequence[Path], reading: Reading, texts: Collection[str], memory: str
) -> Iterator[OpenedRows]:
    """Open files, folders or patterns as one table, within a memory limit such as 2GB.

    What does not fit goes to a temporary folder on disk. Columns in `texts` are read as text.
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
                config={
                    "memory_limit": memory,
                    "temp_directory": folder,
                    "preserve_insertion_order": "false",
                },
            )
        except duckdb.Error as error:
            raise InvalidOptionError(
                f"--memory is {memory!r}; give a size such as 2GB ({_first_line(error)})"
            ) from None
        connection.execute("SET enable_progress_bar = false")  # it would be printed into the card
        try:
            if is_text:
                relation = _csv(connection, files, reading, texts)
            else:
                relation = connection.read_parquet(files, union_by_name=len(files) > 1)
            yield OpenedRows(relation=relation, name=name, is_text=is_text)
        except duckdb.OutOfMemoryException as error:
            raise InvalidDataError(
                f"{name}: {memory} of memory are too few ({_first_line(error)}); raise --memory"
            ) from None
        except duckdb.Error as error:
            raise InvalidDataError(f"{name} cannot be read by DuckDB: {_first_line(error)}") from None
        finally:
            connection.close()


def _csv(connection: Any, files: Sequence[str], reading: Reading, texts: Collection[str]) -> Any:
    options: dict[str, Any] = {
        "header": True,
        "na_values": ["", *sorted(reading.missing)],
        "sample_size": _SAMPLE,
        "auto_type_candidates": ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"],  # yes and no are texts
        "union_by_name": len(files) > 1,
    }
    if reading.separator is not None:
        options["delimiter"] = reading.separator
    if reading.decimal is not None:
        options["decimal"] = reading.decimal
    if reading.encoding is not None:
        options["encoding"] = reading.encoding
    found = connection.read_csv(list(files), **options)
    as_text = {name: "VARCHAR" for name in texts if name in found.columns}
    return connection.read_csv(list(files), **options, dtype=as_text) if as_text else found


def _files(paths: Sequence[Path]) -> tuple[list[str], bool]:
    """The files that are meant, sorted, and whether they are text."""
    found: list[str] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(
                str(file) for file in path.rglob("*") if file.is_file() and _kind(str(file)) is not None
            )
            if not inside:
                raise InvalidDataError(f"the folder {path} holds no Parquet or CSV file; name the files")
            found += inside
        elif path.is_file():
            found.append(str(path))
        else:
            matching = sorted(glob(str(path), recursive=True))
            if not matching:
                raise InvalidDataError(f"{path} does not exist, and no file matches it; check the name")
            found += matching
    kinds = {_kind(file) for file in found}
    if None in kinds:
        odd = next(file for file in found if _kind(file) is None)
        raise InvalidDataError(f"{odd} is neither Parquet nor CSV; --engine duckdb reads these")
    if len(kinds) > 1:
        raise InvalidDataError("some of the files are Parquet and some are CSV; give files of one kind")
    return found, kinds == {"text"}


def _kind(file: str) -> str | None:
    low = file.lower()
    return "parquet" if low.endswith(_PARQUET) else "text" if low.endswith(_CSV) else None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]

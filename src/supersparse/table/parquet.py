"""Parquet files, through whichever of pyarrow and polars is installed."""

from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError
from supersparse.base.free_memory import free_bytes
from supersparse.table.cells_of_text import with_gaps
from supersparse.table.reading import USUALLY_MISSING, Reading
from supersparse.table.table import Column, Kind, objects

_BYTES_PER_VALUE = 16  # as read, and as an array
_ALWAYS_TRIED = 2**26


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
        column_name: (text_column if texts(column_name) else column_of_series)(
            column_name, frame[column_name], words
        )
        for column_name in frame.columns
    }
    return names, columns, len(frame)


def _read(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    readers: dict[str, Callable[[Path, Callable[[str], bool]], tuple[tuple[str, ...], Any]]]
    readers = {"pyarrow": _by_pyarrow, "polars": _by_polars}
    for package, read in readers.items():
        if find_spec(package) is not None:
            return read(path, wanted)
    raise PackageNotInstalledError(
        f"reading {path} needs pyarrow or polars: pip install pyarrow; or save the table as CSV"
    )


def _by_pyarrow(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    names = tuple(file.schema_arrow.names)
    asked = [n for n in names if wanted(n)]
    _check_size(path, file.metadata.num_rows, len(asked))
    return names, file.read(columns=asked, use_pandas_metadata=False)


def _by_polars(path: Path, wanted: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
    import polars

    names = tuple(polars.read_parquet_schema(path))
    asked = [n for n in names if wanted(n)]
    _check_size(path, polars.scan_parquet(path).select(polars.len()).collect().item(), len(asked))
    return names, polars.read_parquet(path, columns=asked)


def _check_size(path: Path, n_rows: int, n_columns: int) -> None:
    """Refuse a file that unpacks to more than there is memory, however small it is on the disk."""
    needed, free = _BYTES_PER_VALUE * n_rows * n_columns, free_bytes()
    if free is not None and needed > max(free, _ALWAYS_TRIED):
        raise InvalidDataError(
            f"{path} says that it has {n_rows:,} rows; with {n_columns:,} columns they need about "
            f"{needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free; use fewer columns or rows"
        )


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
    cells = [None if no else cell for cell, no in zip(series.to_list(), gone.tolist(), strict=True)]
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
    gone = series.is_null().to_list()
    cells = [None if no else cell for cell, no in zip(series.to_list(), gone, strict=True)]
    values = [None if cell is None or cell != cell or str(cell) in words else str(cell) for cell in cells]
    return Column(name=name, kind=Kind.TEXT, values=objects(values), n_missing=values.count(None))

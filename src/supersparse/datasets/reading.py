"""Text to columns: the files of the datasets are plain CSV, in which ``?`` is a missing value."""

import csv
import gzip
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = "?"


def bundled_text(file_name: str) -> str:
    """Read a file that comes with the package, compressed or not."""
    return decompressed((files("supersparse.datasets") / "data" / file_name).read_bytes()).decode("utf-8")


def decompressed(content: bytes) -> bytes:
    """Undo gzip where it was used."""
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def cells(text: str) -> dict[str, tuple[str, ...]]:
    """Read a CSV text with one header row into the cells of each column."""
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def numbers(column: Sequence[str]) -> NDArray[Any]:
    """Read numbers: int64 when all are whole and none is missing, else float64 with NaN for missing.

    >>> numbers(["1", "?"])
    array([ 1., nan])
    """
    value = {cell: float("nan") if cell == MISSING else float(cell) for cell in set(column)}
    read = np.array([value[cell] for cell in column])
    return read.astype(np.int64) if is_whole(np.array(list(value.values()))) else read


def is_whole(array: NDArray[Any]) -> bool:
    """Say whether all are whole numbers that a float64 holds exactly; NaN is none."""
    return bool(((array == np.round(array)) & (abs(array) < 2**53)).all())


def words(column: Sequence[str], meaning: Mapping[str, str]) -> NDArray[np.object_]:
    """Write codes as words, with None for missing.

    >>> words(["2", "?"], {"1": "no", "2": "yes"})
    array(['yes', None], dtype=object)
    """
    return np.array([None if cell == MISSING else meaning[cell] for cell in column], dtype=object)

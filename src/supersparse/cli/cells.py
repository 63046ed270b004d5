"""Cells of text read as numbers or as labels, exactly.

Whole numbers become 64-bit integers, decimals become doubles (a double is read by the package
as its shortest decimal, so nothing is lost up to 15 digits), and what neither can hold becomes
fractions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from supersparse.cli.csv_table import CsvTable
from supersparse.errors import InvalidDataError

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?\s*", re.ASCII)
_PLAIN_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_SURE_LENGTH = 15  # a decimal this short, without an exponent, is the shortest decimal of its double


def number_columns(table: CsvTable, names: Iterable[str], remedy: str) -> list[NDArray[np.generic]]:
    """Read columns of numbers; all columns that are not are named at once, with a remedy."""
    columns, faults = [], []
    for name in names:
        try:
            columns.append(_numbers(table.columns[name]))
        except ValueError:
            faults.append(name)
    if faults:
        more = f" (the same holds for {', '.join(map(repr, faults[1:6]))})" if len(faults) > 1 else ""
        advice = remedy.format(name=faults[0])
        raise InvalidDataError(f"{table.path}: {_fault(table, faults[0])}{more}; {advice}")
    return columns


def number_matrix(columns: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    """Put columns side by side in the fastest type that holds all of them exactly."""
    kinds = {column.dtype.kind for column in columns}
    wide = any(c.dtype.kind == "i" and np.abs(c).max() > 2**53 for c in columns)
    if "O" in kinds or (wide and "f" in kinds):
        return np.column_stack([column.astype(object) for column in columns])
    return np.column_stack(list(columns))


def labels(table: CsvTable, name: str) -> NDArray[np.generic]:
    """Read a target column of two values: integers where all are written as such, else text."""
    cells = table.column(name, "target column {name}")
    counts = Counter(cells)
    blank = [i for i, cell in enumerate(cells) if not cell.strip()]
    if blank:
        raise InvalidDataError(
            f"{table.path}: the target column {name!r} has {len(blank)} blank cell(s), the first in line "
            f"{table.lines[blank[0]]}; fill them in or leave those rows out"
        )
    if len(counts) != 2:
        found = ", ".join(f"{cell!r} ({n} rows)" for cell, n in counts.most_common(4))
        raise InvalidDataError(
            f"{table.path}: the target column {name!r} has {len(counts)} different value(s): {found}"
            f"{', ...' if len(counts) > 4 else ''}; a scoring system separates exactly two"
        )
    if all(map(_PLAIN_INTEGER.fullmatch, counts)):
        return np.array(list(map(int, cells)), dtype=np.int64)
    return np.array(cells)


def group_labels(table: CsvTable, name: str) -> Sequence[str]:
    """Read a column of groups: its cells as they are written, none of them blank."""
    cells = table.columns[name]
    for cell, line in zip(cells, table.lines, strict=True):
        if not cell.strip():
            raise InvalidDataError(
                f"{table.path}: the column of groups {name!r} is blank in line {line}; "
                "fill it in, such as with 'unknown', or leave that row out"
            )
    return cells


def _numbers(cells: Sequence[str]) -> NDArray[np.generic]:
    """Raise ValueError when a cell is no number."""
    characters = set("".join(cells))
    if characters <= set("0123456789+-"):
        try:
            return np.array(list(map(int, cells)), dtype=np.int64)
        except OverflowError:
            return _fractions(cells)
    if not characters <= set("0123456789+-.eE \t") or not all(cells):
        raise ValueError
    numbers = list(map(float, cells))
    unsure = [i for i, c in enumerate(cells) if len(c) > _SURE_LENGTH or "e" in c or "E" in c]
    if all(Fraction(cells[i]) == _shortest(numbers[i]) for i in unsure):
        return np.array(numbers, dtype=np.float64)
    return _fractions(cells)


def _shortest(number: float) -> Fraction | None:
    return None if number in (float("inf"), float("-inf")) else Fraction(repr(number))


def _fractions(cells: Sequence[str]) -> NDArray[np.generic]:
    return np.array([Fraction(cell) for cell in cells], dtype=object)


def _fault(table: CsvTable, name: str) -> str:
    """Say what in a column is no number: how many cells, which, and where the first is."""
    wrong = [
        (cell, line)
        for cell, line in zip(table.columns[name], table.lines, strict=True)
        if not _is_number(cell)
    ]
    blank = [line for cell, line in wrong if not cell.strip()]
    counts = Counter(cell for cell, _ in wrong if cell.strip())
    parts = []
    if blank:
        parts.append(f"{len(blank)} blank cell(s), the first in line {blank[0]}")
    if counts:
        shown = ", ".join(f"{_short(cell)} ({n})" for cell, n in counts.most_common(3))
        first = next(line for cell, line in wrong if cell.strip())
        parts.append(
            f"{counts.total()} cell(s) that are not numbers, the first in line {first}: {shown}"
            f"{', ...' if len(counts) > 3 else ''}"
        )
    return f"column {name!r} has {' and '.join(parts)}"


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 20 else cell[:17] + "...")

"""Table and Column: raw columns, each of one kind, with every fault named."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.table.cells import beyond, plain_number, read_cells_as_numbers, with_gaps
from supersparse.table.collecting import Coded, CollectedCells, Limit, Parsed, TooMany
from supersparse.table.reading import Reading
from supersparse.table.values import nearest_column, objects


class Kind(Enum):
    """The kind of value that a column holds."""

    NUMBER = "numbers"
    TRUTH = "true or false"
    TEXT = "text"
    DATE = "dates"
    NESTED = "lists or structures"
    EMPTY = "nothing"
    TOO_MANY = "too many different texts"  # these are not kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """A column with too many different numbers to list: its values are rounded down.

    They are multiples of `step`, so that a cut point which is one has the same rows on both sides.
    """

    step: Fraction
    n_different: int  # about
    low: Fraction
    high: Fraction
    whole: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Column:
    """The values of a column, row by row, or each for as many rows as `copies` says.

    Numbers are int64, float64 (NaN is missing) or fractions (None is missing); true and false are bool, or
    objects with None; texts and dates are objects: str, None where one is missing. Of kind `TOO_MANY`
    and `EMPTY` there are no values.
    """

    name: str
    kind: Kind
    values: NDArray[np.generic]
    n_missing: int = 0  # rows
    copies: NDArray[np.int64] | None = None  # None: each value is that of one row
    rounded: Rounded | None = None

    @property
    def n_rows(self) -> int:
        return len(self.values) if self.copies is None else int(self.copies.sum())

    @property
    def n_different(self) -> int:
        """How many different values there are, missing ones not counted."""
        if self.rounded is not None:
            return self.rounded.n_different
        if self.kind in (Kind.NUMBER, Kind.TRUTH) and self.values.dtype != object:
            distinct = np.unique(self.values)
            return len(distinct) - int(np.isnan(distinct[-1:]).sum()) if distinct.dtype.kind == "f" else len(distinct)
        return len(set(self.values.tolist()) - {None})

    def take(self, rows: NDArray[Any]) -> "Column":
        assert self.copies is None
        values = self.values[rows] if len(self.values) else self.values
        if values.dtype == object:
            missing = values.tolist().count(None)
        else:
            missing = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
        return Column(name=self.name, kind=self.kind, values=values, n_missing=missing)


_DAY = r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2}))"
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}|[AaPp][Mm]))?"
_DATE = re.compile(rf"{_DAY}([ T]{_TIME})?|{_TIME}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a column could not be read as numbers: the cells that are none, and how many rows hold each."""

    name: str
    odd: Counter[str]
    first_row: int  # of them, from 0


def typed(name: str, cells: CollectedCells, expected: Kind | None, decimal: str) -> Column | Fault:
    """Make a column of the expected kind, or of the kind that its cells show.

    Cells are numbers when all are; when most are, the others are a fault, because numbers would
    otherwise become categories unnoticed. An expected number may be true or false too. Cells such as <0.01
    are below every number of their column, and >100 above.
    """
    if isinstance(cells, TooMany):
        return Column(name=name, kind=Kind.TOO_MANY, values=np.empty(0, dtype=object))
    if isinstance(cells, Parsed):
        return _of_parsed(name, cells)
    return _of_coded(name, cells, expected, decimal)


def _of_parsed(name: str, cells: Parsed) -> Column | Fault:
    if cells.first_odd is not None:
        return Fault(name=name, odd=cells.odd, first_row=cells.first_odd)
    gone = int((~cells.present).sum())
    return Column(name=name, kind=Kind.NUMBER, values=with_gaps(cells.numbers, cells.present), n_missing=gone)


def _of_coded(name: str, cells: Coded, expected: Kind | None, decimal: str) -> Column | Fault:
    counts = np.bincount(cells.codes, minlength=len(cells.distinct)).tolist()
    gone = sum(n for text, n in zip(cells.distinct, counts, strict=True) if not text)
    if expected is Kind.TEXT:
        return _texts(name, cells, Kind.TEXT, gone)
    present = cells.present
    if not present:
        return Column(name=name, kind=Kind.EMPTY, values=np.empty(0, dtype=object), n_missing=gone)
    numeric = [plain_number(text, decimal) is not None for text in present]
    limited = [beyond(text, decimal) is not None for text in present]
    odd_texts = [text for text, *known in zip(present, numeric, limited, strict=True) if not any(known)]
    if not odd_texts and (any(numeric) or expected is Kind.NUMBER):
        values, known = read_cells_as_numbers(cells.distinct, decimal)
        return Column(name=name, kind=Kind.NUMBER, values=with_gaps(values, known)[cells.codes], n_missing=gone)
    if {text.casefold() for text in present} <= {"true", "false"}:
        return _truths(name, cells, gone)
    rows = Counter(dict(zip(cells.distinct, counts, strict=True)))
    odd = Counter({text: rows[text] for text in odd_texts})
    n_numbers = sum(rows[text] for text, is_one in zip(present, numeric, strict=True) if is_one)
    if odd and (expected is Kind.NUMBER or odd.total() <= n_numbers):
        first = int(np.isin(cells.codes, [cells.distinct.index(text) for text in odd]).argmax())
        return Fault(name=name, odd=odd, first_row=first)
    return _texts(name, cells, Kind.DATE if all(map(_DATE.fullmatch, present)) else Kind.TEXT, gone)


def _texts(name: str, cells: Coded, kind: Kind, gone: int) -> Column:
    return Column(
        name=name, kind=kind, values=objects(text or None for text in cells.distinct)[cells.codes], n_missing=gone
    )


def _truths(name: str, cells: Coded, gone: int) -> Column:
    words = [text.casefold() == "true" if text else None for text in cells.distinct]
    distinct = objects(words) if gone else np.array(words, dtype=bool)
    return Column(name=name, kind=Kind.TRUTH, values=distinct[cells.codes], n_missing=gone)


def floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers of a column; NaN where one is missing."""
    if values.dtype != object:
        return values.astype(np.float64)
    return np.array([np.nan if value is None else float(value) for value in values.tolist()])


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
    column_notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)  # how it was read
    limits: Mapping[str, tuple[Limit, ...]] = field(default_factory=dict)  # the cells such as <0.01

    def column(self, name: str, lack: str = "column {name}") -> Column:
        """Return a column; `lack` says what the file has not, with {name} in it."""
        if name not in self.columns:
            hint = nearest_column(name, self.names)
            raise InvalidDataError(f"{self.name} has no {lack.format(name=repr(name))}", hint)
        return self.columns[name]

    def values(self, name: str, lack: str = "column {name}") -> NDArray[Any]:
        """Return the values of a column, all missing where every cell is blank."""
        column = self.column(name, lack)
        if column.kind is Kind.TOO_MANY:
            raise InvalidDataError(f"{self.name}: column {name!r} has too many different texts to be read")
        return column.values if column.kind is not Kind.EMPTY else np.full(self.n_rows, None, dtype=object)

    def place(self, row: int) -> str:
        """Say where a row, counted from 0, stands in the file."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

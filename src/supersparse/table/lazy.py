"""Rows of a lazy frame, counted where they are: by the values of one column, or by parts of several.

All is asked through narwhals, so that relations of DuckDB, lazy frames of polars, tables of Ibis and frames
of PySpark and dask work the same. A `Coding` gives each row a number by its value in one column; what comes
back are counts, and rows stay where they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, PackageNotInstalledError
from supersparse.base.exact import exact_value
from supersparse.table.sources import check_names
from supersparse.table.table import Rounded
from supersparse.table.tidying import NINES

_NO_TEXTS: Mapping[str, int] = {}
_FEW_TEXTS = 32  # that are compared one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyColumn:
    """A column of a lazy frame; numbers in `gone` stand for a missing value."""

    name: str
    dtype: Any
    gone: tuple[float, ...] = ()

    @property
    def holds_numbers(self) -> bool:
        return self.dtype.is_numeric() or str(self.dtype) == "Boolean"

    @property
    def numpy_type(self) -> np.dtype[Any]:
        """The type in which its numbers are compared."""
        if str(self.dtype) == "Float32":
            return np.dtype(np.float32)
        return np.dtype(np.int64 if self.dtype.is_integer() else np.float64)

    def value(self) -> nw.Expr:
        """The values, null where one is missing."""
        value = nw.col(self.name)
        if str(self.dtype) == "Boolean":
            return value.cast(nw.Int8)
        if self.dtype.is_decimal():
            value = value.cast(nw.Float64)
        if not self.dtype.is_numeric():
            return value if str(self.dtype) == "String" else value.cast(nw.String)
        known = [~value.is_nan()] if self.dtype.is_float() or self.dtype.is_decimal() else []
        known += [value != code for code in self.gone]
        return nw.when(all_of(known)).then(value) if known else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A whole number for each value of a column: of numbers from each start on, or of single texts.

    There is one number more than `starts`, the first for values below all of them. Texts that are not listed
    have the number `other`.
    """

    column: LazyColumn
    missing: int
    starts: tuple[float, ...] = ()
    codes: tuple[int, ...] = (0,)
    texts: Mapping[str, int] = field(default_factory=lambda: _NO_TEXTS)
    other: int = 0

    @classmethod
    def of(cls, column: LazyColumn, values: Sequence[Any], codes: Sequence[int]) -> "Coding":
        """Give each value that occurs its number; None is a missing one."""
        known = [(v, int(c)) for v, c in zip(values, codes, strict=True) if v is not None]
        missing = next((int(c) for v, c in zip(values, codes, strict=True) if v is None), 0)
        if column.holds_numbers:
            return cls._of_numbers(column, sorted(known), missing)
        by_code: dict[int, list[str]] = {}
        for text, code in known:
            by_code.setdefault(code, []).append(text)
        other = max(by_code, key=lambda code: len(by_code[code]), default=0)
        texts = {str(text): code for text, code in known if code != other}
        return cls(column=column, missing=missing, texts=texts, other=other)

    @classmethod
    def _of_numbers(cls, column: LazyColumn, known: Sequence[tuple[Any, int]], missing: int) -> "Coding":
        starts: list[float] = []
        codes: list[int] = [known[0][1] if known else 0]
        for value, code in known[1:]:
            if code != codes[-1]:
                starts.append(value)
                codes.append(code)
        return cls(column=column, missing=missing, starts=tuple(starts), codes=tuple(codes))

    def expression(self, value: nw.Expr) -> nw.Expr:
        """The number of each row, from its value in this column."""
        if self.column.holds_numbers:
            body = _from_on(value, self.starts, self.codes)
        else:
            body = nw.lit(self.other)
            for code in sorted(set(self.texts.values())):
                some = [text for text, number in self.texts.items() if number == code]
                body = nw.when(_is_one_of(value, some)).then(nw.lit(code)).otherwise(body)
        return nw.when(value.is_null()).then(nw.lit(self.missing)).otherwise(body)


def all_of(conditions: Sequence[nw.Expr]) -> nw.Expr:
    return reduce(lambda one, other: one & other, conditions)


def _from_on(value: nw.Expr, starts: Sequence[float], codes: Sequence[int]) -> nw.Expr:
    """Compare with the middle one first, so that few comparisons tell where a value lies."""
    if not starts:
        return nw.lit(codes[0])
    k = len(starts) // 2
    above, below = (_from_on(value, starts[k + 1 :], codes[k + 1 :]), _from_on(value, starts[:k], codes[: k + 1]))
    return nw.when(value >= starts[k]).then(above).otherwise(below)


def _is_one_of(value: nw.Expr, texts: Sequence[str]) -> nw.Expr:
    if len(texts) > _FEW_TEXTS:
        return value.is_in(list(texts))
    is_one = value == texts[0]
    for text in texts[1:]:
        is_one = is_one | (value == text)
    return is_one


MOST_DIFFERENT = 2**17  # numbers of a column that are listed; more are rounded down
_CLASS, _COUNT, _VALUE = "supersparse class", "supersparse count", "supersparse value"
_OUTER = 0.005  # share of the rows on each side that may lie beyond the finest steps
_STEPS = 10**4  # at least this many steps hold the others
_MOST_TRIES = 12
_UNLABELLED = -1


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ValueCounts:
    """The different values of a column by class, with the number of rows of each."""

    values: Any  # a narwhals series
    positive: NDArray[np.bool_]
    counts: NDArray[np.int64]
    rounded: Rounded | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LazyTable:
    """A lazy frame, and which class its rows have, once that is known."""

    frame: Any
    columns: Mapping[str, LazyColumn]

    @classmethod
    def of(cls, table: object) -> "LazyTable":
        """See a lazy frame as such; one in memory is taken as lazy."""
        if not hasattr(nw.Expr, "floor"):
            raise PackageNotInstalledError("rows are counted by narwhals 2.14 or later: pip install -U narwhals")
        frame = table if isinstance(table, nw.LazyFrame) else nw.from_native(table, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            frame = frame.lazy()
        if not isinstance(frame, nw.LazyFrame):
            raise InvalidDataError(
                f"{type(table).__name__} is not a table of rows",
                "give a relation of DuckDB, or a frame of polars, Ibis, PySpark or dask",
            )
        schema = frame.collect_schema()
        check_names(list(schema))
        return cls(frame=frame, columns={n: LazyColumn(name=n, dtype=t) for n, t in schema.items()})

    def counted(self, name: str) -> tuple[Any, NDArray[np.int64]]:
        """Return the different values of a column as a series, and the number of rows of each."""
        counts = _collect(
            self.frame.select(self.columns[name].value().alias(_VALUE)).group_by(_VALUE).agg(nw.len().alias(_COUNT))
        )
        return counts[_VALUE], _integers(counts[_COUNT])

    def labelled(self, classes: Coding) -> "LazyTable":
        """Return the rows that have a class, 0 or 1; those with the number -1 have none."""
        valued = self.frame.with_columns(classes.column.value().alias(_VALUE))
        frame = valued.with_columns(classes.expression(nw.col(_VALUE)).alias(_CLASS)).drop(_VALUE)
        return replace(self, frame=frame.filter(nw.col(_CLASS) != _UNLABELLED))

    def without_codes(self, name: str, gone: Sequence[float]) -> "LazyTable":
        """Return the same table with numbers of a column that are missing values."""
        column = replace(self.columns[name], gone=tuple(gone))
        return replace(self, columns={**self.columns, name: column})

    def n_different(self, names: Sequence[str]) -> dict[str, int]:
        """About how many different values some columns have."""
        if not names:
            return {}
        native = self.frame.to_native()
        if type(native).__name__ == "DuckDBPyRelation":
            quoted = [name.replace('"', '""') for name in names]
            sums = ", ".join(f'approx_count_distinct("{name}")' for name in quoted)
            return dict(zip(names, map(int, native.aggregate(sums).fetchall()[0]), strict=True))
        counts = _collect(self.frame.select(*[nw.col(name).n_unique().alias(name) for name in names]))
        return {name: int(counts[name].to_list()[0]) for name in names}

    def value_counts(self, name: str) -> ValueCounts:
        """Count the rows of each class by the values of a column."""
        return self._by_class(self.columns[name].value())

    def _by_class(self, value: nw.Expr) -> ValueCounts:
        counts = _collect(
            self.frame.select(value.alias(_VALUE), nw.col(_CLASS)).group_by(_VALUE, _CLASS).agg(nw.len().alias(_COUNT))
        ).sort(_VALUE, _CLASS)
        return ValueCounts(
            values=counts[_VALUE], positive=_integers(counts[_CLASS]).astype(bool), counts=_integers(counts[_COUNT])
        )

    def codes_and_ends(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return what tells codes for missing values: numbers of nines that occur, and the ends of others."""
        value = self.columns[name].value()
        nines = [float(nine) for nine in NINES]
        ends = _collect(self.frame.select(value.min().alias("low"), value.max().alias("high")))
        if not {ends["low"].to_list()[0], ends["high"].to_list()[0]} & set(nines):  # codes stand apart
            return np.empty(0), np.empty(0, dtype=np.int64)
        others = nw.when(all_of([value != nine for nine in nines])).then(value)
        counts = [(value == nine).cast(nw.Int64).sum().alias(f"nine {k}") for k, nine in enumerate(nines)]
        summary = _collect(
            self.frame.select(
                *counts,
                others.min().alias("low"),
                others.max().alias("high"),
                (~others.is_null()).cast(nw.Int64).sum().alias("others"),
            )
        )
        rows = [int(summary[f"nine {k}"].to_list()[0] or 0) for k in range(len(nines))]
        low, high, n = (summary[what].to_list()[0] for what in ("low", "high", "others"))
        values = [nine for nine, n_nine in zip(nines, rows, strict=True) if n_nine]
        copies = [n_nine for n_nine in rows if n_nine]
        if low is not None:
            middle = (float(low) + float(high)) / 2  # there are more than two different numbers
            values += [float(low), middle, float(high)]
            copies += [1, max(int(n) - 2, 0), 1]
        return np.array(values), np.array(copies, dtype=np.int64)

    def rounded_counts(self, name: str, n_different: int) -> ValueCounts:
        """Count the rows of each class by values rounded down to a power of ten.

        It is such that most of the rows, without the outermost, lie on ten thousand multiples of it or more.
        Values further out are counted at the first and the last of these.
        """
        column = self.columns[name]
        value = column.value()
        finite = nw.when(value.is_finite()).then(value) if column.dtype.is_float() else value
        parts_of = value != value if column.dtype.is_integer() else finite != finite.floor()
        facts = _collect(
            self.frame.select(
                finite.min().alias("low"),
                finite.max().alias("high"),
                parts_of.cast(nw.Int64).sum().alias("parts"),
                (~value.is_null()).cast(nw.Int64).sum().alias("present"),
            )
        )  # fmt: skip
        low, high, parts, present = (facts[what].to_list()[0] for what in ("low", "high", "parts", "present"))
        if low is None:
            raise InvalidDataError(f"column {name!r} holds values below or above a limit and no number", "leave it out")
        is_whole = not int(parts or 0)
        if is_whole and n_different > 0.9 * int(present):  # whether each row has its own number
            unique = _collect(self.frame.select(value.n_unique().alias("unique")))
            n_different = int(unique["unique"].to_list()[0]) - (int(present) < self.n_rows)
        step = _step(float(high) - float(low), whole=is_whole)
        first, last = float(low), float(high)
        for _ in range(_MOST_TRIES):
            by_class = self._by_class(_rounded_down(value, step, first, last, column.numpy_type))
            keys, counts = _in_order(by_class)
            reached = np.cumsum(counts) / counts.sum()
            ends = keys[np.searchsorted(reached, [_OUTER, 1 - _OUTER])]
            inner = [float(Fraction(int(key) + k) * step) for k, key in enumerate(ends.tolist())]
            finer = _step(inner[1] - inner[0], whole=is_whole)
            if not finer < step or float(finer) < 1e-13 * max(abs(inner[0]), abs(inner[1])):
                break
            step, first, last = finer, inner[0], inner[1]
        what = f"a value of column {name!r}"
        as_type = column.numpy_type.type
        return replace(
            by_class,
            values=[
                None if key is None or key != key else float(Fraction(int(key)) * step)
                for key in by_class.values.to_list()
            ],
            rounded=Rounded(
                step=step,
                n_different=n_different,
                low=exact_value(as_type(low), what),
                high=exact_value(as_type(high), what),
                whole=is_whole,
            ),
        )

    @property
    def n_rows(self) -> int:
        return int(_collect(self.frame.select(nw.len().alias(_COUNT)))[_COUNT].to_list()[0])

    def cells(self, codings: Sequence[Coding]) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
        """Count the rows of each class by the numbers of several columns; the cells come in a fixed order."""
        values, numbered = self._numbered(codings)
        names = [f"{_COUNT} {k}" for k in range(len(codings))]
        keys = [number.alias(name) for number, name in zip(numbered, names, strict=True)]
        counts = _collect(
            self.frame.select(*values, nw.col(_CLASS))
            .select(*keys, nw.col(_CLASS))
            .group_by(*names, _CLASS)
            .agg(nw.len().alias(_COUNT))
        )
        table = np.column_stack([*(_integers(counts[name]) for name in names), _integers(counts[_CLASS])])
        order = np.lexsort(table.T[::-1])
        table = table[order]
        return table[:, :-1], table[:, -1].astype(bool), _integers(counts[_COUNT])[order]

    def n_differing(self, pairs: Sequence[tuple[Coding, Coding]]) -> list[int]:
        """Return in how many rows the numbers of two columns differ, for each pair."""
        if not pairs:
            return []
        values, numbers = self._numbered([coding for pair in pairs for coding in pair])
        sums = [
            (one != other).cast(nw.Int64).sum().alias(f"{_COUNT} {k}")
            for k, (one, other) in enumerate(zip(numbers[::2], numbers[1::2], strict=True))
        ]
        counts = _collect(self.frame.select(*values).select(*sums))
        return [int(counts[f"{_COUNT} {k}"].to_list()[0]) for k in range(len(pairs))]

    @staticmethod
    def _numbered(codings: Sequence[Coding]) -> tuple[list[nw.Expr], list[nw.Expr]]:
        """The values of some columns under names of their own, and their numbers by these names."""
        columns = {coding.column.name: coding.column for coding in codings}
        alias = {name: f"{_VALUE} {k}" for k, name in enumerate(columns)}
        values = [column.value().alias(alias[name]) for name, column in columns.items()]
        return values, [coding.expression(nw.col(alias[coding.column.name])) for coding in codings]


def _collect(frame: Any) -> Any:
    return frame.collect()


def _integers(series: Any) -> NDArray[np.int64]:
    return np.array([int(v) for v in series.to_list()], dtype=np.int64)


def _step(width: float, *, whole: bool) -> Fraction:
    """The largest power of ten that a width holds at least `_STEPS` times."""
    step = Fraction(1)
    while width > 0 and width / float(step) >= 10 * _STEPS:
        step *= 10
    while width > 0 and width / float(step) < _STEPS and step > Fraction(1, 10**300):
        step /= 10
    return max(step, Fraction(1)) if whole else step


def _rounded_down(value: nw.Expr, step: Fraction, first: float, last: float, dtype: np.dtype[Any]) -> nw.Expr:
    """How many steps a value holds; a decimal counts as such, though floats are a little off."""
    steps = value.clip(first, last) * float(1 / step) if step < 1 else value.clip(first, last) / float(step)
    return (steps + (0.01 if dtype == np.float32 else 1e-6)).floor()


def _in_order(counts: ValueCounts) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The keys that are there, ascending, and the rows of each."""
    listed = [(key, n) for key, n in zip(counts.values.to_list(), counts.counts, strict=True) if key is not None]
    keys = np.array([float(key) for key, _ in listed])
    distinct, places = np.unique(keys[~np.isnan(keys)], return_inverse=True)
    rows = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(rows, places.reshape(-1), np.array([n for _, n in listed])[~np.isnan(keys)])
    return distinct, rows

"""Training rows that stay where they are: their columns as counts of values by class."""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.table.cells import Shown, possible_signs, shown_sign, thousands_note, with_gaps
from supersparse.table.collecting import Coded, Limit, inside_text, limits_inside
from supersparse.table.files import na_words
from supersparse.table.lazy import MOST_DIFFERENT, Coding, LazyColumn, LazyTable, ValueCounts
from supersparse.table.other_files import column_of_series, text_column
from supersparse.table.reading import ColumnReading, Reading
from supersparse.table.roles import HOLDS_NESTED, classes_of
from supersparse.table.table import Column, Fault, Kind, Table, typed
from supersparse.table.tidying import codes_among, counts_of_texts, tidied
from supersparse.table.training import Roles, check_named, feature_remedy, usable_features
from supersparse.table.values import first_float, nearest_column, objects, with_none

_NO_CLASS = -1
_SHARES = 1000  # parts in which rows of a text are counted, to tell what most of them are


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedColumn:
    """The different values of a column by class, tidied, and as they are in the rows."""

    column: Column  # a value for each entry, with its copies
    positive: NDArray[np.bool_]
    raw: tuple[Any, ...]  # None where missing
    source: LazyColumn

    def coding(self, codes: NDArray[np.int64]) -> Coding:
        """Return how rows get the number of their entry."""
        coding = Coding.of(self.source, self.raw, codes.tolist())
        if self.column.rounded is None:
            return coding
        return replace(coding, starts=tuple(_first(self.source.numpy_type, start) for start in coding.starts))


def _first(dtype: np.dtype[Any], start: float) -> float:
    """The smallest number of a type that is at least a decimal."""
    bound = Fraction(str(start))
    return ceil(bound) if dtype.kind == "i" else float(first_float(dtype, bound, True))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedTable:
    """Rows that were counted where they are."""

    rows: LazyTable
    target: str
    classes: tuple[Any, Any]  # labels, in sorted order
    totals: tuple[int, int]  # rows of each
    columns: Mapping[str, CountedColumn]
    rate_groups: Mapping[str, CountedColumn]
    reading: Reading | None = None

    @property
    def n_rows(self) -> int:
        return sum(self.totals)


def count_columns(rows: LazyTable, target: str) -> CountedTable:
    """Count the rows of a frame by each of its columns; values are as they are, as in a frame in memory."""
    _check_there(rows, target, "target")
    if rows.columns[target].dtype.is_nested():
        raise InvalidDataError(f"the target {target!r} {HOLDS_NESTED}")
    values, counts = rows.counted(target)
    listed = with_none(values)
    if str(rows.columns[target].dtype) == "Boolean":
        listed = [None if v is None else bool(v) for v in listed]
    by_label = {v: n for v, n in zip(listed, counts.tolist(), strict=True) if v is not None}
    if len(by_label) < len(listed):
        gone = int(counts.sum()) - sum(by_label.values())
        raise InvalidDataError(f"the target {target!r} is missing in {gone} row(s)", "drop them")
    if len(by_label) != 2:
        shown = ", ".join(map(repr, sorted(by_label)[:5])) + (", ..." if len(by_label) > 5 else "")
        raise InvalidDataError(
            f"the target {target!r} has {len(by_label)} class(es): {shown}", "a scoring system separates exactly two"
        )
    first, last = sorted(by_label)
    numbers = [1 if v == last else 0 for v in listed]
    totals = (by_label[first], by_label[last])
    labelled = rows.labelled(Coding.of(rows.columns[target], values.to_list(), numbers))
    names = [name for name in rows.columns if name != target]
    different = labelled.n_different([name for name in names if rows.columns[name].dtype.is_numeric()])
    columns = {name: _counted(labelled, name, different.get(name, 0)) for name in names}
    return CountedTable(
        rows=labelled, target=target, classes=(first, last), totals=totals, columns=columns, rate_groups={}
    )


def count_training(
    rows: LazyTable, name: str, reading: Reading, roles: Roles, note: Callable[[str], None], *, texts: bool
) -> CountedTable:
    """Count the rows of a file by each column that can be a feature, read and tidied as a file in memory is.

    `texts` says that all columns could be text in the file, as in CSV.
    """
    names = tuple(rows.columns)
    _check_there(rows, roles.target, f"{name}: target")
    expected = roles.expected()
    target, numbers, notes = _target(rows, name, reading, roles, texts=texts)
    labels, totals = target
    labelled = rows.labelled(numbers)
    wanted = [n for n in names if n != roles.target and roles.wants(n)]
    different = labelled.n_different([n for n in wanted if rows.columns[n].dtype.is_numeric() and n not in expected])
    tidied, readings, column_notes = {}, {}, {}
    grouped: list[str] = []
    for column_name in wanted:
        as_text, n = expected.get(column_name) is Kind.TEXT, different.get(column_name, 0)
        counted = _counted(labelled, column_name, n, reading=reading, as_text=as_text, of_texts=texts)
        tidied[column_name], readings[column_name], column_notes[column_name] = _tidy(counted, reading)
        if texts and not counted.source.holds_numbers:
            _check_limits(tidied[column_name], reading)
        if texts and tidied[column_name].column.kind is Kind.NUMBER:
            sign, shown = reading.decimal or ".", _shown(counted, reading)
            if sign == "," or shown.unclear is not None:
                readings[column_name] = replace(readings[column_name], decimal=sign)
            if reading.decimal is None and (cell := shown.grouped(sign)) is not None:
                grouped.append(thousands_note(column_name, cell, sign))
        labelled = labelled.without_codes(column_name, tidied[column_name].source.gone)
    columns = {column_name: one.column for column_name, one in tidied.items()}
    noted = {column_name: notes for column_name, notes in column_notes.items() if notes}
    table = Table(name=name, names=names, columns=columns, n_rows=sum(totals), lines=None, notes=(), column_notes=noted)
    check_named(table, roles)
    for text in (*notes, *grouped[:1]):
        note(text)
    usable = usable_features(table, roles, note)
    groups = {column_name: tidied[column_name] for column_name in roles.rate_groups}
    for column_name, one in groups.items():
        if one.column.n_missing:
            raise InvalidDataError(
                f"{name}: the group column {column_name!r} is blank in {one.column.n_missing} row(s)",
                "fill it in, for example with 'unknown', or delete the rows",
            )
    settled = {column_name: one for column_name, one in readings.items() if not one.is_plain}
    return CountedTable(
        rows=labelled,
        target=roles.target,
        classes=labels,
        totals=totals,
        columns={column_name: tidied[column_name] for column_name in usable},
        rate_groups=groups,
        reading=replace(reading, columns=settled, decimal=None, settled=True),
    )


def _shown(counted: CountedColumn, reading: Reading) -> Shown:
    """The decimal sign that the texts of a column show; none where DuckDB has read numbers."""
    if counted.source.holds_numbers:
        return Shown(sign=None)
    return shown_sign(filter(None, (reading.plain(text) for text in counted.raw if text is not None)))


def _check_limits(counted: CountedColumn, reading: Reading) -> None:
    """Refuse texts such as <80 that can be any of the numbers of their column."""
    if counted.column.kind is not Kind.NUMBER or counted.column.copies is None:
        return
    rows: Counter[str] = Counter()
    for text, n in zip(counted.raw, counted.column.copies.tolist(), strict=True):
        rows[reading.plain(text or "")] += n
    limits = [Limit.of(text, reading.decimal or ".", rows=n) for text, n in rows.most_common() if text]
    values, name = counted.column.values, counted.column.name
    some = limits_inside(values, [limit for limit in limits if limit is not None])
    if some:
        remedy = feature_remedy(na_words([limit.cell for limit in some]), shlex.quote(name))
        raise InvalidDataError(f"{inside_text(name, values, some)}", remedy)


def _check_there(rows: LazyTable, name: str, what: str) -> None:
    if name not in rows.columns:
        raise InvalidDataError(
            f"{what} column {name!r} is not there", nearest_column(name, list(rows.columns)), subject=what
        )


def _target(
    rows: LazyTable, file: str, reading: Reading, roles: Roles, *, texts: bool
) -> tuple[tuple[tuple[Any, Any], tuple[int, int]], Coding, list[str]]:
    """The two classes in sorted order with their rows, how rows get them, and notes."""
    name = roles.target
    if rows.columns[name].dtype.is_nested():
        raise InvalidDataError(f"{file}: the target column {name!r} {HOLDS_NESTED}")
    values, counts = rows.counted(name)
    written = _as_texts(name, values, rows.columns[name])
    if texts:
        words = [None if v is None else reading.plain(v) or None for v in written.values.tolist()]
        written = replace(written, values=objects(words))
    missing = int(counts[[v is None for v in written.values.tolist()]].sum())
    tidy = tidied(replace(written, copies=counts, n_missing=missing), reading, None)
    by_text = counts_of_texts(tidy.column)
    notes = list(tidy.notes)
    skipped = int(counts.sum()) - by_text.total()
    if skipped:
        notes.append(f"{skipped} row{'' if skipped == 1 else 's'} skipped: the target {name!r} is blank")
    classes = classes_of(by_text, file, name, roles.positive, tidies=reading.tidies(name))
    by_label: Counter[Any] = Counter()
    for text, n in by_text.items():
        by_label[classes.labels[text]] += n
    first, last = sorted(by_label)
    numbers = [_NO_CLASS if text is None else int(classes.labels[text] == last) for text in tidy.column.values.tolist()]
    coding = Coding.of(rows.columns[name], values.to_list(), numbers)
    if None not in values.to_list():  # else a missing value would have the first class
        coding = replace(coding, missing=_NO_CLASS)
    return ((first, last), (by_label[first], by_label[last])), coding, [*notes, *classes.notes]


def _counted(
    rows: LazyTable,
    name: str,
    n_different: int,
    *,
    reading: Reading | None = None,
    as_text: bool = False,
    of_texts: bool = False,
) -> CountedColumn:
    source = rows.columns[name]
    if source.dtype.is_temporal() or source.dtype.is_nested():
        kind = Kind.NESTED if source.dtype.is_nested() else Kind.DATE
        empty = Column(name=name, kind=kind, values=objects([]), copies=np.empty(0, np.int64))
        return CountedColumn(column=empty, positive=np.empty(0, bool), raw=(), source=source)
    if n_different > MOST_DIFFERENT and not as_text:
        return _rounded(rows, name, n_different, reading)
    counts = rows.value_counts(name)
    raw = tuple(with_none(counts.values))
    points = reading is not None and (
        reading.decimal == "." or any(one.dtype.is_float() for one in rows.columns.values())
    )
    column = _column(name, counts, raw, source, reading, as_text=as_text, of_texts=of_texts, points=points)
    return CountedColumn(column=column, positive=counts.positive, raw=raw, source=source)


def _column(
    name: str,
    counts: ValueCounts,
    raw: Sequence[Any],
    source: LazyColumn,
    reading: Reading | None,
    *,
    as_text: bool,
    of_texts: bool,
    points: bool,
) -> Column:
    """Make a column of the different values, as the reader of files does.

    `points` says that the numbers of the file are known to have decimal points.
    """
    words = frozenset() if reading is None else reading.missing - Reading().missing
    if of_texts and not source.holds_numbers and reading is not None:
        if not as_text and reading.decimal is None:
            _check_signs(name, [reading.plain(text) for text in raw if text is not None], points=points)
        column = _of_texts(name, raw, counts.counts, reading, Kind.TEXT if as_text else None)
    elif as_text:
        column = _as_texts(name, counts.values, source)
    elif str(source.dtype) == "Boolean":
        truths = objects(None if v is None else bool(v) for v in raw)
        column = Column(name=name, kind=Kind.TRUTH, values=truths if None in raw else truths.astype(bool))
    else:
        column = column_of_series(name, counts.values, words)
    if of_texts and source.dtype.is_float() and any(v is not None and isinf(v) for v in raw):
        raise InvalidDataError(_not_numbers(name, ["inf"]))
    empty = [v is None or v != v for v in (column.values.tolist() if len(column.values) else raw)]
    missing = int(counts.counts[np.array(empty, dtype=bool)].sum())
    return replace(column, copies=counts.counts, n_missing=missing)


def _as_texts(name: str, values: Any, source: LazyColumn) -> Column:
    if str(source.dtype) != "Boolean":
        return text_column(name, values)
    texts = [None if v is None else str(bool(v)) for v in with_none(values)]
    return Column(name=name, kind=Kind.TEXT, values=objects(texts), n_missing=texts.count(None))


def _of_texts(
    name: str, raw: Sequence[Any], counts: NDArray[np.int64], reading: Reading, expected: Kind | None
) -> Column:
    """Read texts of a CSV file, which may be numbers written in another way."""
    copies = -(-counts * _SHARES // max(1, int(counts.sum())))  # about as they are distributed
    texts = tuple("" if text is None else reading.plain(text) for text in raw)
    column = typed(name, Coded(texts, np.repeat(np.arange(len(raw)), copies)), expected, reading.decimal or ".")
    if isinstance(column, Fault):
        raise InvalidDataError(_not_numbers(name, list(column.odd)))
    return replace(column, values=column.values[np.cumsum(copies) - copies] if len(column.values) else column.values)


def _not_numbers(name: str, odd: Sequence[str]) -> str:
    return (
        f"column {name!r} holds numbers, and {len(odd)} different text(s) that are none: "
        f"{', '.join(map(repr, odd[:3]))}; {feature_remedy(na_words(odd), shlex.quote(name))}"
    )


def _check_signs(name: str, cells: Sequence[str], *, points: bool) -> None:
    """Refuse numbers with decimal commas, which DuckDB takes for texts, unless it is told of them."""
    present = [cell for cell in cells if cell]
    if 2 * sum(map(bool, map(possible_signs, present))) < len(present):
        return
    shown = shown_sign(present)
    if shown.sign == ",":
        raise InvalidDataError(
            f"column {name!r} has decimal commas, such as {shown.example!r}",
            "use --decimal , with --engine duckdb, or use --engine memory",
        )
    if shown.sign is None and shown.unclear is not None and not points:
        raise InvalidDataError(
            f"column {name!r} has {shown.unclear!r}, where the separator could mean decimals or thousands",
            "use --decimal . or --decimal , with --engine duckdb",
        )


def _rounded(rows: LazyTable, name: str, n_different: int, reading: Reading | None) -> CountedColumn:
    """Count a column with too many different numbers; codes for missing values are told by its ends."""
    asked = [] if reading is None else reading.missing_numbers
    if asked:
        rows = rows.without_codes(name, asked)
    if reading is not None and reading.tidies(name):
        codes = reading.of_column(name).missing if reading.settled else codes_among(*rows.codes_and_ends(name))
        rows = rows.without_codes(name, [*asked, *(float(code) for code in codes)])
    counts = rows.rounded_counts(name, n_different)
    raw = tuple(counts.values)
    present = np.array([v is not None for v in raw], dtype=bool)
    values = with_gaps(np.array([v for v in raw if v is not None]), present)
    column = Column(
        name=name,
        kind=Kind.NUMBER,
        values=values,
        n_missing=int(counts.counts[~present].sum()),
        copies=counts.counts,
        rounded=counts.rounded,
    )
    return CountedColumn(column=column, positive=counts.positive, raw=raw, source=rows.columns[name])


def _tidy(counted: CountedColumn, reading: Reading) -> tuple[CountedColumn, ColumnReading, tuple[str, ...]]:
    gone = [code for code in counted.source.gone if code not in reading.missing_numbers]
    if gone:
        words = tuple(str(int(code)) for code in gone)
        note = (
            f"{counted.column.name!r}: {', '.join(words)} read as missing, apart from the other numbers; use "
            f"--as-written {counted.column.name} if that is wrong"
        )
        return counted, ColumnReading(missing=words), (note,)
    if counted.column.rounded is not None:
        return counted, reading.of_column(counted.column.name), ()
    tidy = tidied(counted.column, reading, None)
    return replace(counted, column=tidy.column), tidy.reading, tidy.notes

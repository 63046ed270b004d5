"""Tidying: codes for missing values become missing, variants of a category one category, with notes."""

import shlex
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import counted
from supersparse.table.cells_of_text import is_number
from supersparse.table.codes import codes_among, codes_among_texts
from supersparse.table.reading import ColumnReading, Reading
from supersparse.table.spellings import variants, variants_of
from supersparse.table.table import Column, Kind, floats


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tidied:
    """A column without codes and variants, what was found out about it, and notes for people."""

    column: Column
    reading: ColumnReading
    notes: tuple[str, ...]


def tidied(column: Column, reading: Reading, known: Collection[str] | None) -> Tidied:
    """Tidy a column as `reading` says.

    A settled reading names the codes and the variants, and beside these only variants of texts that are
    `known` are recognised. Otherwise, and in columns `anew`, both are looked for, unless the column is to be
    read as it is written.
    """
    if column.name in reading.anew:
        reading = replace(reading, settled=False)
    column = _without_words(column, reading)
    before = reading.of_column(column.name)
    if not reading.tidies(column.name) or column.kind not in (Kind.NUMBER, Kind.TEXT):
        return Tidied(column=column, reading=before, notes=())
    if column.kind is Kind.NUMBER:
        return _tidied_numbers(column, reading, before)
    return _tidied_texts(column, reading, before, known)


def _without_words(column: Column, reading: Reading) -> Column:
    """The column without numbers that were said to stand for a missing value, however they are written."""
    numbers = reading.missing_numbers if column.kind is Kind.NUMBER else []
    where = np.isin(floats(column.values), numbers) if numbers else np.zeros(1, dtype=bool)
    return _with_gaps(column, where) if where.any() else column


def _tidied_numbers(column: Column, reading: Reading, before: ColumnReading) -> Tidied:
    values = floats(column.values)
    codes = (
        [float(code) for code in before.missing if is_number(code)]
        if reading.settled
        else codes_among(values, column.copies)
    )
    where = np.isin(values, codes)
    if not where.any():
        return Tidied(column=column, reading=before, notes=())
    rest = values[np.isfinite(values) & ~where]
    tidy = _with_gaps(column, where)
    if reading.settled:
        return Tidied(column=tidy, reading=before, notes=())
    counts = {_text(code): rows_of(column, values == code) for code in codes}
    note = (
        f"{column.name!r}: {_listed(counts)} {_stand(counts)} apart from the other numbers "
        f"({_text(rest.min())} to "
        f"{_text(rest.max())}) and {_is(counts)} read as missing; {_otherwise(column.name)}"
    )
    return Tidied(column=tidy, reading=replace(before, missing=tuple(counts)), notes=(note,))


def _tidied_texts(
    column: Column, reading: Reading, before: ColumnReading, known: Collection[str] | None
) -> Tidied:
    counts = counts_of_texts(column)
    codes = [text for text in before.missing if text in counts]
    notes = []
    if not reading.settled:
        codes = codes_among_texts(counts)
        if codes:
            by_code = {code: counts[code] for code in codes}
            notes.append(
                f"{column.name!r}: {_listed(by_code)} {_stand(by_code)} apart from the other values and "
                f"{_is(by_code)} read as missing; {_otherwise(column.name)}"
            )
    for code in codes:
        del counts[code]
    merged = dict(before.spellings) if reading.settled else variants(counts)
    if known is not None:
        merged = {**merged, **variants_of(counts, known)}
    merged = {text: kept for text, kept in merged.items() if text in counts}
    if merged and not reading.settled:
        notes.append(f"{column.name!r}: {_merged(merged)}; {_otherwise(column.name)}")
    if not codes and not merged:
        return Tidied(column=column, reading=before, notes=())
    new: dict[str, str | None] = {**dict.fromkeys(codes), **merged}
    values: NDArray[Any] = np.array([new.get(text, text) for text in column.values.tolist()], dtype=object)
    gone = np.array([text is None for text in values.tolist()], dtype=bool)
    tidy = replace(column, values=values, n_missing=rows_of(column, gone))
    if reading.settled:
        return Tidied(column=tidy, reading=before, notes=())
    return Tidied(
        column=tidy, reading=replace(before, missing=tuple(codes), spellings=merged), notes=tuple(notes)
    )


def _with_gaps(column: Column, where: NDArray[np.bool_]) -> Column:
    n_missing = column.n_missing + rows_of(column, where)
    return replace(column, values=_without(column.values, where), n_missing=n_missing)


def rows_of(column: Column, where: NDArray[np.bool_]) -> int:
    """How many rows have some of the values of a column."""
    return int(where.sum() if column.copies is None else column.copies[where].sum())


def counts_of_texts(column: Column) -> Counter[str]:
    """How many rows have each text."""
    if column.copies is None:
        return Counter(text for text in column.values.tolist() if text is not None)
    found: Counter[str] = Counter()
    for text, n in zip(column.values.tolist(), column.copies.tolist(), strict=True):
        if text is not None:
            found[text] += n
    return found


def _without(values: NDArray[Any], where: NDArray[np.bool_]) -> NDArray[Any]:
    """The values with gaps where they are codes."""
    kept = values.copy() if values.dtype == object else values.astype(np.float64)
    if values.dtype.kind in "iu" and not (kept.astype(values.dtype) == values).all():
        kept = values.astype(object)  # integers that a double does not hold
    kept[where] = None if kept.dtype == object else np.nan
    return kept


def _text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} ({counted(n, 'row')})" for code, n in counts.items())


def _stand(counts: Mapping[str, int]) -> str:
    return "stands" if len(counts) == 1 else "stand"


def _is(counts: Mapping[str, int]) -> str:
    return "is" if len(counts) == 1 else "are"


def _merged(merged: Mapping[str, str]) -> str:
    by_kept: dict[str, list[str]] = {}
    for text, kept in merged.items():
        by_kept.setdefault(kept, []).append(text)
    said = [f"{', '.join(map(repr, texts))} read as {kept!r}" for kept, texts in by_kept.items()]
    return ", ".join(said[:5]) + (f" and {len(said) - 5} more" if len(said) > 5 else "")


def _otherwise(name: str) -> str:
    return f"use --as-written {shlex.quote(name)} if that is wrong"

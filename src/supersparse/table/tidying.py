"""Tidying: codes for missing values become missing, variants of a category one category, with notes.

Codes are numbers written with nines alone that stand apart from the rest of their column: -9, -99, -999 ...
where no other number is below 0; 99, 999, 9999 ... where they lie further above the other numbers than these
lie apart from each other, and 9 where there are exactly two others, such as 0 and 1. A number written with
nines among texts is a code where no other text is a number. There must be ten values that are not codes, two
of them different, and more of them than codes. Variants differ in case and blanks only, or are equal numbers.
"""

import shlex
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import counted
from supersparse.table.cells import is_number
from supersparse.table.reading import ColumnReading, Reading
from supersparse.table.table import Column, Kind, floats


def spelling_key(text: str) -> str:
    """Return what all variants of a category have in common.

    >>> spelling_key(" Ja ") == spelling_key("ja"), spelling_key("not  known") == spelling_key("Not known")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def variants(counts: Counter[str]) -> dict[str, str]:
    """Say for each variant which spelling is kept: the most frequent one, and of those the first.

    >>> variants(Counter({"Ja": 2, "ja": 5, "nein": 4}))
    {'Ja': 'ja'}
    """
    first: dict[str, str] = {}
    for text, _ in counts.most_common():
        first.setdefault(spelling_key(text), text)
    return {text: spelling for text in counts if (spelling := first[spelling_key(text)]) != text}


def variants_of(texts: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Say for each text that is a variant of a known one which one; known texts that are alike remain separate.

    >>> variants_of(["Ja", "ja", "?"], ["ja", "nein"]), variants_of(["A"], ["a", "A"])
    ({'Ja': 'ja'}, {})
    """
    alike = Counter(map(spelling_key, known))
    known_spelling = {spelling_key(text): text for text in known if alike[spelling_key(text)] == 1}
    variants = {}
    for text in texts:
        if text not in known and (spelling := known_spelling.get(spelling_key(text))) is not None:
            variants[text] = spelling
    return variants


def number_of(text: str) -> Fraction | None:
    """The number that a text is; None if it is none."""
    return Fraction(text.strip(" \t")) if is_number(text) else None


def equal_numbers(counts: Counter[str]) -> dict[str, str]:
    """Say for each number that is written in several ways which is kept: the first of the shortest.

    >>> equal_numbers(Counter({"1.0": 5, "1": 2, "0": 4, "x": 1}))
    {'1.0': '1'}
    """
    first: dict[Fraction, str] = {}
    for text in sorted(counts, key=len):
        if (number := number_of(text)) is not None:
            first.setdefault(number, text)
    numbers = {text: number_of(text) for text in counts}
    return {text: first[number] for text, number in numbers.items() if number is not None and first[number] != text}


def same_text(text: str, others: Sequence[str]) -> str | None:
    """Return which of some texts is meant by one: itself, an equal number, or true or false in other case.

    None if that is none of them, or not one alone.

    >>> same_text("1.0", ["0", "1"]), same_text("TRUE", ["False", "True"]), same_text("Yes", ["no", "yes"])
    ('1', 'True', None)
    """
    if text in others:
        return text
    number, word = number_of(text), text.casefold()
    same = [
        other
        for other in others
        if (number is not None and number == number_of(other))
        or (word in ("true", "false") and word == other.casefold())
    ]
    return same[0] if len(same) == 1 else None


_FEWEST = 10
NINES = np.array([sign * (10.0**k - 1) for sign in (-1, 1) for k in range(1, 10)])


def codes_among(values: NDArray[np.float64], copies: NDArray[np.int64] | None = None) -> list[int]:
    """Return the codes among the numbers of a column; what is not finite does not count.

    `copies` says for how many rows each number stands.

    >>> codes_among(np.array([*range(20, 80), -99, 99, 999], dtype=float))
    [-99, 999]
    """
    finite = np.isfinite(values)
    distinct, places, rows = np.unique(values[finite], return_inverse=True, return_counts=True)
    if copies is not None:
        rows = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(rows, places.reshape(-1), copies[finite])
    return codes_of(distinct, rows)


def codes_of(distinct: NDArray[np.float64], rows: NDArray[Any]) -> list[int]:
    """Return the codes among distinct numbers, rising, given the rows of each."""
    ordinary = ~np.isin(distinct, NINES)
    if ordinary.all():
        return []
    for place in sorted(np.flatnonzero(~ordinary), key=lambda k: abs(distinct[k])):
        ordinary[place] = not _stands_apart(float(distinct[place]), distinct[ordinary])
    n_ordinary, n_coded = int(rows[ordinary].sum()), int(rows[~ordinary].sum())
    enough = ordinary.sum() >= 2 and n_ordinary >= _FEWEST and n_ordinary > n_coded
    return distinct[~ordinary].astype(int).tolist() if enough else []


def _stands_apart(value: float, rest: NDArray[np.float64]) -> bool:
    if not len(rest):
        return False
    if value < 0:
        return bool(rest[0] >= 0)
    return bool(value - rest[-1] > rest[-1] - rest[0]) and (value > 9 or len(rest) == 2)


def codes_among_texts(counts: Counter[str]) -> list[str]:
    """Return the codes among the texts of a column, with the number of their rows.

    >>> codes_among_texts(Counter({"yes": 20, "no": 30, "-99": 2, "9": 1}))
    ['-99', '9']
    """
    numbers = [text for text in counts if is_number(text)]
    if len(numbers) == len(counts):
        among = codes_among(np.array(list(map(float, counts))), np.array(list(counts.values()), np.int64))
        return [text for text in numbers if float(text) in among]
    codes = [text for text in numbers if float(text) in NINES]
    coded = sum(counts[text] for text in codes)
    enough = counts.total() - coded >= max(_FEWEST, coded + 1)
    return codes if enough and len(codes) == len(numbers) <= len(counts) - 2 else []


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tidied:
    """A column without codes and variants, what was found out about it, and notes for people."""

    column: Column
    reading: ColumnReading
    notes: tuple[str, ...]


def tidied(column: Column, reading: Reading, known: Collection[str] | None) -> Tidied:
    """Tidy a column as `reading` says.

    A settled reading names the codes and the variants, and besides these only variants of texts that are `known` are
    recognised. Otherwise, and in columns `anew`, both are looked for, unless the column is to be read as it is written.
    """
    if column.name in reading.anew:
        reading = replace(reading, settled=False)
    # the column without numbers that were said to stand for a missing value, however they are written
    numbers = reading.missing_numbers if column.kind is Kind.NUMBER else []
    where = np.isin(floats(column.values), numbers) if numbers else np.zeros(1, dtype=bool)
    column = _with_gaps(column, where) if where.any() else column
    before = reading.of_column(column.name)
    if not reading.tidies(column.name) or column.kind not in (Kind.NUMBER, Kind.TEXT):
        return Tidied(column=column, reading=before, notes=())
    if column.kind is Kind.NUMBER:
        return _tidied_numbers(column, reading, before)
    return _tidied_texts(column, reading, before, known)


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
        f"{column.name!r}: {_listed(counts)} {_stand(counts)} apart from the other numbers ({_text(rest.min())} to "
        f"{_text(rest.max())}) and {_is(counts)} read as missing; {_otherwise(column.name)}"
    )
    return Tidied(column=tidy, reading=replace(before, missing=tuple(counts)), notes=(note,))


def _tidied_texts(column: Column, reading: Reading, before: ColumnReading, known: Collection[str] | None) -> Tidied:
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
    merged = {text: spelling for text, spelling in merged.items() if text in counts}
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
    return Tidied(column=tidy, reading=replace(before, missing=tuple(codes), spellings=merged), notes=tuple(notes))


def _with_gaps(column: Column, where: NDArray[np.bool_]) -> Column:
    n_missing = column.n_missing + rows_of(column, where)
    return replace(column, values=_without(column.values, where), n_missing=n_missing)


def rows_of(column: Column, where: NDArray[np.bool_]) -> int:
    """How many rows have some of the values of a column."""
    return int(where.sum() if column.copies is None else column.copies[where].sum())


def counts_of_texts(column: Column) -> Counter[str]:
    if column.copies is None:
        return Counter(text for text in column.values.tolist() if text is not None)
    counts: Counter[str] = Counter()
    for text, n in zip(column.values.tolist(), column.copies.tolist(), strict=True):
        if text is not None:
            counts[text] += n
    return counts


def _without(values: NDArray[Any], where: NDArray[np.bool_]) -> NDArray[Any]:
    cleaned = values.copy() if values.dtype == object else values.astype(np.float64)
    if values.dtype.kind in "iu" and not (cleaned.astype(values.dtype) == values).all():
        cleaned = values.astype(object)  # integers that a double does not hold
    cleaned[where] = None if cleaned.dtype == object else np.nan
    return cleaned


def _text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} ({counted(n, 'row')})" for code, n in counts.items())


def _stand(counts: Mapping[str, int]) -> str:
    return "stands" if len(counts) == 1 else "stand"


def _is(counts: Mapping[str, int]) -> str:
    return "is" if len(counts) == 1 else "are"


def _merged(merged: Mapping[str, str]) -> str:
    by_spelling: dict[str, list[str]] = {}
    for text, spelling in merged.items():
        by_spelling.setdefault(spelling, []).append(text)
    parts = [f"{', '.join(map(repr, texts))} read as {spelling!r}" for spelling, texts in by_spelling.items()]
    return ", ".join(parts[:5]) + (f" and {len(parts) - 5} more" if len(parts) > 5 else "")


def _otherwise(name: str) -> str:
    return f"use --as-written {shlex.quote(name)} if that is wrong"

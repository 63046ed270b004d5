"""Tables from files: CSV, TSV, workbooks, Parquet, SAS and SPSS, each column read as one kind and tidied."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted
from supersparse.table.cells import (
    Shown,
    plain_number,
    possible_signs,
    settle_signs,
    shown_sign,
    thousands_note,
    thousands_sign,
)
from supersparse.table.collecting import (
    Coded,
    CollectedFile,
    Parsed,
    first_row,
    inside_text,
    limit_notes,
    limits_among,
    limits_inside,
)
from supersparse.table.csv_file import check_file, is_parquet, read_csv_file, shown_name
from supersparse.table.other_files import (
    is_statistics_file,
    is_workbook,
    read_parquet,
    read_statistics_file,
    read_workbook,
)
from supersparse.table.reading import ColumnReading, Reading, fits, means_missing
from supersparse.table.table import _NOTHING, Column, Fault, Kind, Table, typed
from supersparse.table.tidying import tidied
from supersparse.table.values import nearest_column

_NEEDS_NUMBERS = "weights are numbers of 0 or more; name another column, or correct them"
_MOST_NAMED = 6  # columns with a fault
_MOST_WORDS = 8

Remedy = Callable[[str | None, str], str]


class ReadKeywords(TypedDict, total=False):
    """How the columns of a file are read; each may be left out."""

    wanted: Callable[[str], bool]  # whether a column is read, by its name
    expected: Mapping[str, Kind]  # of columns that are text or numbers, whatever they look like
    known: Mapping[str, Collection[str]]  # the texts of columns that a card knows
    verbatim: Collection[str]  # columns that are read as they are written
    weights: str | None  # a column that is read as it is written, with a number in every row
    remedy: Remedy  # what to do about texts among numbers: as --na takes them, None where it cannot, by column
    as_text: Callable[[str], bool]  # whether a column is text as it is written, by its name


def read_table(path: str | Path, reading: Reading | None = None, **asked: Unpack[ReadKeywords]) -> Table:
    """Read a raw table from a text file, a workbook, a Parquet file or that of a statistics program.

    ``-`` is standard input, which is text. The result has `columns`, `notes` on what was recognised, and the
    `reading`: how the file was read. Columns that are numbers for the most part but not all are refused together.
    """
    table, problems = read_with_problems(Path(path), reading, **asked)
    if problems:
        raise InvalidDataError(f"{table.name}: {together(problems)}")
    return table


_path, _reading, _ = signature(read_table).parameters.values()
read_table.__signature__ = Signature(  # type: ignore[attr-defined]
    [_path, _reading, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ReadKeywords.__annotations__)]
)


def together(problems: Sequence[str]) -> str:
    """Say everything that somebody must decide in one message.

    >>> together(["one"]), together(["one", "two"])
    ('one', '2 things to decide: (1) one; (2) two')
    """
    if len(problems) == 1:
        return problems[0]
    listed = "; ".join(f"({k}) {problem}" for k, problem in enumerate(problems, start=1))
    return f"{len(problems)} things to decide: {listed}"


def read_with_problems(
    path: Path, reading: Reading | None = None, **asked: Unpack[ReadKeywords]
) -> tuple[Table, list[str]]:
    """Do what `read_table` does, but return what is in the way; the table lacks the columns concerned."""
    for name in asked:
        if name not in ReadKeywords.__annotations__:
            raise TypeError(f"read_table() got an unexpected keyword argument {name!r}")
    check_file(path)
    reading = reading or Reading()
    wanted: Callable[[str], bool] = asked.get("wanted", lambda _: True)
    as_text: Callable[[str], bool] = asked.get("as_text", lambda _: False)
    expected, weights = asked.get("expected", _NOTHING), asked.get("weights")
    remedy = asked.get("remedy", lambda _na, _name: "correct them")

    def texts(name: str) -> bool:
        return expected.get(name) is Kind.TEXT or as_text(name)

    problems: list[str] = []
    if is_parquet(path):
        names, columns, n_rows = read_parquet(path, reading, wanted, texts)
        table = Table(
            name=str(path), names=names, columns=columns, n_rows=n_rows, lines=None, notes=(), reading=reading
        )
        signs: Mapping[str, ColumnReading] = {}
    else:
        file = _collected(path, reading, wanted, texts)
        kinds = {**dict.fromkeys(filter(as_text, file.names), Kind.TEXT), **expected}
        table, signs, problems = _typed(shown_name(path), file, reading, kinds, weights, remedy)
    if not reading.settled:
        problems += [
            f"--as-written: there is no column {word!r}; {nearest_column(word, table.names)}"
            for word in reading.as_written
            if not any(fits(name, word) for name in table.names)
        ]
    as_written = [*asked.get("verbatim", ()), *filter(as_text, table.names), *([] if weights is None else [weights])]
    table = _tidy(table, reading, signs, asked.get("known", {}), as_written)
    if not reading.settled:  # a card knows what it asks of them
        table, inside = _without_limits_inside(table, remedy)
        problems += inside
    return table, problems


def _collected(
    path: Path, reading: Reading, wanted: Callable[[str], bool], texts: Callable[[str], bool]
) -> CollectedFile:
    if is_workbook(path):
        return read_workbook(path, reading, wanted, texts)
    if is_statistics_file(path):
        return read_statistics_file(path, reading, wanted, texts)
    return read_csv_file(path, reading, wanted, texts)


def _typed(
    name: str, file: CollectedFile, reading: Reading, expected: Mapping[str, Kind], weights: str | None, remedy: Remedy
) -> tuple[Table, dict[str, ColumnReading], list[str]]:
    """Give every column a kind; return the table, decimal signs worth remembering, and problems."""
    signs = _signs(file, reading, expected)
    typed_columns: dict[str, Column] = {}
    faults: list[Fault] = []
    for column_name, cells in file.columns.items():
        if column_name in signs.undecided:
            continue
        column = typed(column_name, cells, expected.get(column_name), signs.of(column_name))
        if isinstance(column, Fault):
            faults.append(column)
        else:
            typed_columns[column_name] = column
    problems = []
    if faults or signs.undecided:  # a misspelt name would be found only after every fault is mended
        for column_name in expected:
            if column_name not in file.names:
                hint = nearest_column(column_name, file.names)
                raise InvalidDataError(f"{name} has no column {column_name!r}", hint, subject=name)
    if signs.undecided:
        problems.append(undecided_text(signs.undecided))
    others = [fault for fault in faults if fault.name != weights]
    if others:
        problems.append(_faults_in_words(others, file.lines, remedy, signs))
    if len(others) < len(faults):
        of_weights = [fault for fault in faults if fault.name == weights]
        problems.append(_faults_in_words(of_weights, file.lines, lambda *_: _NEEDS_NUMBERS, signs))
    limits = {
        column_name: some
        for column_name, column in typed_columns.items()
        if column.kind is Kind.NUMBER and (some := limits_among(file.columns[column_name], signs.of(column_name)))
    }
    table = Table(
        name=name,
        names=file.names,
        columns=typed_columns,
        n_rows=len(file.lines),
        lines=file.lines,
        notes=(*file.notes, *([] if reading.settled else signs.notes(typed_columns))),
        column_notes={column_name: limit_notes(column_name, some) for column_name, some in limits.items()},
        limits=limits,
        reading=replace(reading, found={**file.found, **signs.found(typed_columns)}),
    )
    remembered = {
        column_name: ColumnReading(decimal=signs.of(column_name))
        for column_name in signs.remarkable
        if column_name in typed_columns and typed_columns[column_name].kind is Kind.NUMBER
    }
    return table, remembered, problems


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """The decimal signs of the columns of a file."""

    signs: Mapping[str, str]
    undecided: Mapping[str, str]
    shown: Mapping[str, Shown]
    asked: str | None

    def of(self, name: str) -> str:
        return self.asked or self.signs.get(name, ".")

    @property
    def remarkable(self) -> list[str]:
        """The columns whose decimal sign is worth remembering: commas, and those that could be either."""
        return [n for n, one in self.shown.items() if self.of(n) == "," or one.unclear is not None]

    def notes(self, columns: Mapping[str, Column]) -> list[str]:
        """Say which signs were found, with an example of each."""
        if self.asked is not None:
            return []
        notes = []
        numbers = [n for n in self.shown if n in columns and columns[n].kind is Kind.NUMBER]
        commas = [n for n in numbers if self.of(n) == "," and self.shown[n].sign == ","]
        if commas:
            example = self.shown[commas[0]].example
            notes.append(
                f"numbers have decimal commas, such as {example!r} in {commas[0]!r}; use --decimal . if that is wrong"
            )
        for column_name in numbers:
            cell = self.shown[column_name].grouped(self.of(column_name))
            if cell is not None:
                notes.append(thousands_note(column_name, cell, self.of(column_name)))
                break
        return notes

    def found(self, columns: Mapping[str, Column]) -> dict[str, str]:
        """The facts that a card keeps for people to read."""
        numbers = [n for n in self.shown if n in columns and columns[n].kind is Kind.NUMBER]
        facts = {}
        decimals = sorted({self.of(n) for n in numbers if self.shown[n].sign is not None})
        if decimals:
            facts["decimal"] = " and ".join(decimals)
        cells = {n: cell for n in numbers if (cell := self.shown[n].grouped(self.of(n))) is not None}
        if cells:  # their sign alone: a cell may be the number of a patient
            facts["thousands"] = " and ".join(sorted({thousands_sign(c, self.of(n)) for n, c in cells.items()}))
        return facts


def _signs(file: CollectedFile, reading: Reading, expected: Mapping[str, Kind]) -> _Signs:
    shown: dict[str, Shown] = {}
    for name, cells in file.columns.items():
        if expected.get(name) is Kind.TEXT:
            continue
        if isinstance(cells, Coded):
            present = cells.present
            if 2 * sum(map(bool, map(possible_signs, present))) >= len(present):
                sign = shown_sign(present)
                by_type = sign.sign is None and name in file.pointed
                shown[name] = replace(sign, sign=".") if by_type else sign
        elif isinstance(cells, Parsed):
            shown[name] = Shown(sign=cells.decimal)
    if reading.decimal is not None:
        return _Signs(signs={}, undecided={}, shown=shown, asked=reading.decimal)
    before, now = reading.found.get("separator"), file.found.get("separator")
    semicolons = now == "semicolons"
    alike = now == before or (before is None and semicolons)  # else it was written by another program
    usual = {name: reading.of_column(name).decimal for name in shown} if alike else {}
    settled = settle_signs(shown, usual, semicolons=semicolons)
    return _Signs(signs=settled.signs, undecided=settled.undecided, shown=shown, asked=None)


def undecided_text(cells: Mapping[str, str]) -> str:
    """Ask for the decimal sign of columns, of which each has a cell that could mean two numbers."""
    name, cell = next(iter(cells.items()))
    others = [repr(column_name) for column_name in list(cells)[1:_MOST_NAMED]]
    more = f" (the same holds for {', '.join(others)})" if others else ""
    point, comma = (plain_number(cell.lstrip("<>=≤≥ "), sign) for sign in ".,")
    return (
        f"column {name!r} has {cell!r}, which could mean {point} or {comma}{more}; use --decimal . for {point}, or "
        f"--decimal , for {comma}"
    )


def _tidy(
    table: Table,
    reading: Reading,
    signs: Mapping[str, ColumnReading],
    known: Mapping[str, Collection[str]],
    verbatim: Collection[str],
) -> Table:
    columns: dict[str, Column] = {}
    notes: dict[str, tuple[str, ...]] = dict(table.column_notes)
    readings: dict[str, ColumnReading] = dict(reading.columns)
    for name, column in table.columns.items():
        if name in verbatim:
            columns[name] = column
            continue
        tidy = tidied(column, reading, known.get(name))
        columns[name] = tidy.column
        if tidy.notes:
            notes[name] = (*notes.get(name, ()), *tidy.notes)
        sign = signs[name].decimal if name in signs else tidy.reading.decimal
        readings[name] = replace(tidy.reading, decimal=sign)
    special = {name: one for name, one in readings.items() if not one.is_plain}
    resolved = replace(table.reading, columns=special, decimal=None, settled=True, anew=frozenset())
    return replace(table, columns=columns, column_notes=notes, reading=resolved)


def _faults_in_words(faults: Sequence[Fault], lines: NDArray[np.int64], remedy: Remedy, signs: _Signs) -> str:
    """Say what in which columns is not a number: how many cells, which, where the first is, and what to do."""
    every = sum((fault.odd for fault in faults), Counter())
    if len(faults) > 1 and all(map(means_missing, every)):  # asked once, for the whole table
        named = ", ".join(f"{text!r} ({n})" for text, n in every.most_common(_MOST_WORDS))
        some = ", ".join(repr(fault.name) for fault in faults[:_MOST_NAMED])
        more = f" and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
        words = na_words([text for text, _ in every.most_common()])
        asks = remedy(words, shlex.quote(faults[0].name))
        return f"{named} mean a missing value, it seems, in the columns {some}{more}; {asks}"
    listed = "; ".join(_one_fault(fault, lines, signs) for fault in faults[:_MOST_NAMED])
    if len(faults) > _MOST_NAMED:
        listed += f"; the same holds for {len(faults) - _MOST_NAMED} more columns"
    return f"{listed}; {remedy(na_words([text for text, _ in every.most_common()]), shlex.quote(faults[0].name))}"


def na_words(cells: Sequence[str]) -> str | None:
    """Write cells as --na takes them; None where it cannot, because a comma parts its words.

    >>> na_words(["?", "n/a"]), na_words(["1,5 mg"])
    ("'?,n/a'", None)
    """
    words = [cell if len(cell) <= 40 else "..." for cell in cells if "," not in cell]
    return shlex.quote(",".join(words[:_MOST_WORDS])) if words else None


def _without_limits_inside(table: Table, remedy: Remedy) -> tuple[Table, list[str]]:
    """Return a table without the columns in which a value with a limit can be any number, and say so."""
    inside = {
        name: some
        for name, limits in table.limits.items()
        if (some := limits_inside(table.columns[name].values, limits))
    }
    if not inside:
        return table, []
    listed = "; ".join(
        f"{inside_text(name, table.columns[name].values, some)}, the first in {table.place(first_row(some))}"
        for name, some in list(inside.items())[:_MOST_NAMED]
    )
    if len(inside) > _MOST_NAMED:
        listed += f"; the same holds for {len(inside) - _MOST_NAMED} more columns"
    cells = [limit.cell for some in inside.values() for limit in some]
    others = {name: column for name, column in table.columns.items() if name not in inside}
    return (replace(table, columns=others), [f"{listed}; {remedy(na_words(cells), shlex.quote(next(iter(inside))))}"])


def _one_fault(fault: Fault, lines: NDArray[np.int64], signs: _Signs) -> str:
    shown = ", ".join(
        f"{text if len(text) <= 20 else text[:17] + '...'!r} ({n})" for text, n in fault.odd.most_common(3)
    )
    sentence = (
        f"column {fault.name!r} has {counted(fault.odd.total(), 'non-numeric value')}: {shown}"
        f"{', ...' if len(fault.odd) > 3 else ''}, the first in line {lines[fault.first_row]}"
    )
    other = {".": ",", ",": "."}[signs.of(fault.name)]
    if all(other in possible_signs(text) for text in fault.odd):
        words = {".": "decimal points", ",": "decimal commas"}
        sentence += f" ({words[other]} among {words[signs.of(fault.name)]})"
    return sentence

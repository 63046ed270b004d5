"""Read a table for a saved scoring system: text or numbers, as its rules expect."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card, Label
from supersparse.card.checks import expectations
from supersparse.cli.say import counted, remark, say_size
from supersparse.data.cells_of_text import USUALLY_MISSING, Reading, is_number, read_numbers
from supersparse.data.files import read_table
from supersparse.data.roles import Target, _rest, weight_column
from supersparse.data.table import Column, Kind, Table, objects
from supersparse.errors import InvalidDataError

_REMEDY = "treat as missing with --na {na}, or correct them"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cases:
    """The columns that a card needs and some others, row by row."""

    columns: dict[str, NDArray[Any]]
    table: Table
    n_rows: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledCases:
    """The same for labelled rows."""

    columns: dict[str, NDArray[Any]]
    y: list[Label]
    weights: NDArray[Any] | None


def read_cases(
    path: Path, reading: Reading, card: Card, others: Sequence[str] = (), weights: str | None = None
) -> Cases:
    """Read the columns a card needs, as text or numbers according to its rules, and `others` as text."""
    expected = dict.fromkeys(others, Kind.TEXT) | expected_kinds(card)
    if weights is not None:
        expected[weights] = Kind.NUMBER
    needed = {*card.columns, *others, *([] if weights is None else [weights])}
    say_size(path)
    table = read_table(
        path, reading_for(card, reading), wanted=needed.__contains__, expected=expected, remedy=_REMEDY
    )
    for note in table.notes:
        remark(f"note: {note}")
    columns = {}
    for name in (*card.columns, *others):
        lack = "column {name}, which the scoring system needs" if name in card.columns else "column {name}"
        columns[name] = _values(table.column(name, lack), table.n_rows)
    return Cases(columns=columns, table=table, n_rows=table.n_rows)


def read_labelled(
    path: Path,
    reading: Reading,
    card: Card,
    target: str,
    others: Sequence[str] = (),
    weights: str | None = None,
) -> LabelledCases:
    """Read the labelled rows of a table, with the classes of a card."""
    if target in card.columns:
        raise InvalidDataError(f"the scoring system uses {target!r}, so it cannot be the target")
    cases = read_cases(path, reading, card, (target, *others), weights)
    found = read_class_column(cases.table, target, card)
    for note in found.notes:
        remark(f"note: {note}")
    columns = {name: values[found.rows] for name, values in cases.columns.items() if name != target}
    return LabelledCases(
        columns=columns,
        y=found.labels.tolist(),
        weights=None if weights is None else weight_column(cases.table, weights)[found.rows],
    )


def expected_kinds(card: Card) -> dict[str, Kind]:
    """The kind of value that the rules of a card expect in each column, where they expect one."""
    kinds = {}
    for expected in expectations(card):
        if "text" in expected.kinds:
            kinds[expected.column] = Kind.TEXT
        elif expected.needs_value:
            kinds[expected.column] = Kind.NUMBER
    return kinds


def reading_for(card: Card, reading: Reading) -> Reading:
    """Return the same, but keep texts that the card names as categories."""
    named = {
        value
        for holder in (*card.domains, *(item.rule for item in card.items))
        for value in getattr(holder, "values", None) or ()
        if isinstance(value, str)
    }
    return replace(
        reading,
        missing=reading.missing - (named & USUALLY_MISSING),
        strips=reading.strips and all(value == value.strip(" \t") for value in named),
    )


def person_of(card: Card, words: dict[str, str], reading: Reading) -> dict[str, object]:
    """Read one person from texts by column."""
    kinds, reading = expected_kinds(card), reading_for(card, reading)
    return {name: _value(name, text, kinds.get(name), reading) for name, text in words.items()}


def _value(name: str, text: str, kind: Kind | None, reading: Reading) -> object:
    bare = reading.plain(text)
    if not bare:
        return None
    if kind is not Kind.NUMBER:
        return bare
    if bare.casefold() in ("true", "false"):
        return bare.casefold() == "true"
    pointed = bare.replace(",", ".") if reading.decimal == "," else bare
    if not is_number(pointed):
        raise InvalidDataError(f"column {name!r} is {text!r}; enter a number, or leave it empty if missing")
    return read_numbers([pointed]).tolist()[0]


def _values(column: Column, n_rows: int) -> NDArray[Any]:
    """The values; a column without any is all missing."""
    if column.kind is Kind.EMPTY:
        return np.full(n_rows, None, dtype=object)
    return column.values


def say_outside(outside: Sequence[Any]) -> None:
    """Report values outside the training data of the card."""
    for value in outside[:10]:
        remark(
            f"note: column {value.column!r}: {value.value!r} ({counted(value.rows, 'row')}) is outside the "
            "training data; it is scored by the usual rules"
        )
    if len(outside) > 10:
        remark(f"note: {len(outside) - 10} more values are outside the training data")


def read_class_column(table: Table, name: str, card: Card) -> Target:
    """Read a column that holds the classes of a card."""
    cells: Sequence[str | None] = table.column(name, "target column {name}").values.tolist()
    known: dict[str, Label] = {str(label): label for label in card.classes}
    rest = str(card.negative) == _rest(str(card.positive))
    rows = np.array([cell is not None for cell in cells], dtype=bool)
    for row, cell in enumerate(cells):
        if cell is not None and cell not in known and not rest:
            raise InvalidDataError(
                f"{table.name}, {table.place(row)}: the target {name!r} is {cell!r}; the classes of the "
                f"scoring system are {str(card.negative)!r} and {str(card.positive)!r}"
            )
    labels = objects(known.get(cell, card.negative) for cell in cells if cell is not None)
    left_out = len(cells) - len(labels)
    notes = (f"{counted(left_out, 'row')} skipped: the target {name!r} is blank",) if left_out else ()
    return Target(labels=labels, rows=rows, notes=notes)

"""The target column: two classes, read from text, and the rows that have one."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card, Label
from supersparse.errors import InvalidDataError
from supersparse.tables.kinds import objects
from supersparse.tables.table import Table

_PLAIN_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Target:
    """The classes of the rows that have one, `rows` saying which these are, and what there is to say."""

    labels: NDArray[np.generic]
    rows: NDArray[np.bool_]
    notes: tuple[str, ...]


def read_target(table: Table, name: str, positive: str | None) -> Target:
    """Read a column of two values: integers where all are written as such, else text.

    Rows without a value are left out. Of more than two values `positive` must be told from the others,
    which become one class.
    """
    cells = table.column(name, "target column {name}").values
    rows = np.array([cell is not None for cell in cells.tolist()], dtype=bool)
    given: list[str] = cells[rows].tolist()
    notes = []
    if len(given) < len(cells):
        count, first = len(cells) - len(given), int((~rows).argmax())
        whose = "1 row has" if count == 1 else f"{count} rows have"
        notes.append(
            f"{whose} no value of the target {name!r} and are left out, the first: {table.place(first)}"
        )
    counts = Counter(given)
    if positive is not None and counts and positive not in counts:
        raise InvalidDataError(
            f"--positive {positive!r} is not a value of the target {name!r}; its values are {_listed(counts)}"
        )
    if len(counts) > 2 and positive is not None:
        others = _listed(Counter({text: n for text, n in counts.items() if text != positive}))
        notes.append(f"{positive!r} is told from all others: {others}")
        given = [text if text == positive else _rest(positive) for text in given]
    elif len(counts) != 2:
        told = "" if len(counts) < 2 else "; name the one to tell from all others with --positive"
        raise InvalidDataError(
            f"{table.name}: the target column {name!r} has {len(counts)} different value(s): "
            f"{_listed(counts)}; a scoring system separates exactly two{told}"
        )
    whole = all(map(_PLAIN_INTEGER.fullmatch, set(given)))
    labels = np.array(list(map(int, given)), dtype=np.int64) if whole else np.array(given)
    return Target(labels=labels, rows=rows, notes=tuple(notes))


def read_classes(table: Table, name: str, card: Card) -> Target:
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
    notes = (f"rows without a value of the target {name!r}, left out: {left_out}",) if left_out else ()
    return Target(labels=labels, rows=rows, notes=notes)


def _rest(positive: str) -> str:
    return f"not {positive}"


def _listed(counts: Counter[str]) -> str:
    found = ", ".join(f"{text!r} ({n} row{'s' if n != 1 else ''})" for text, n in counts.most_common(4))
    return f"{found or 'none'}{', ...' if len(counts) > 4 else ''}"

"""Raw data for a card: one person or many rows, in whatever form they come."""

from collections.abc import Mapping, Sequence
from typing import Any

from supersparse.base.errors import InvalidDataError
from supersparse.card.card import Card
from supersparse.card.raw_values import as_training_row, as_training_rows
from supersparse.table.sources import (
    ArraySource,
    CellTable,
    Source,
    is_column,
    is_matrix,
    read_columns,
    source_of,
)
from supersparse.table.values import Objects, nearest_column

CardTable = CellTable
"""The columns that a card needs, by name."""


def is_person(data: object) -> bool:
    """Whether the data are one person: a mapping from column names to single values, or a row of pandas."""
    return _is_row(data) or (isinstance(data, Mapping) and not any(map(is_column, data.values())))


def _is_row(data: object) -> bool:
    """Whether the data are a series with column names for its index, such as ``frame.iloc[0]``."""
    is_series = getattr(data, "ndim", None) == 1 and hasattr(data, "index") and hasattr(data, "items")
    return is_series and all(isinstance(name, str) for name in data.index)  # type: ignore[attr-defined]


def person_values(card: Card, person: Mapping[str, object]) -> dict[str, object]:
    """The values that the card needs; everything else is ignored."""
    if getattr(person, "ndim", 1) != 1:
        raise InvalidDataError(
            f"{type(person).__name__} is not one person; give a dict, or one row, such as table.iloc[0]"
        )
    by_name = {str(name): value for name, value in person.items()}
    _require(card, list(by_name))
    values = {name: by_name[name] for name in card.columns}
    return values if card.reading is None else as_training_row(card, values)


def read_card_table(card: Card, data: object, names: Sequence[str] | None = None) -> CardTable:
    """Read the columns that the card needs; others are ignored, missing ones are named.

    A card that was learned from a file reads them as that file was read. Accepts a mapping of columns, any
    eager frame that narwhals reads, a numpy array with named fields, and a numpy or scipy array: with `names`
    for its columns, else with as many columns as the training table had.
    """
    source = _source(card, data, names)
    _require(card, source.names)
    table = read_columns(source, card.columns)
    if card.reading is None:
        return table
    return CellTable(as_training_rows(card, table.columns), table.n_rows)


def read_column(card: Card, data: object, name: str, names: Sequence[str] | None = None) -> list[object]:
    """Return one column of a table as a list of plain values, None where they are missing."""
    source = _source(card, data, names)
    if name not in source.names:
        raise InvalidDataError(f"the data have no column {name!r}; {nearest_column(name, source.names)}")
    cells = source.column(name)
    if isinstance(cells, Objects):
        values = [cells.distinct[code] for code in cells.codes.tolist()]
    else:
        values = cells.values.tolist()
    if cells.missing is None:
        return values
    return [None if gone else value for value, gone in zip(values, cells.missing.tolist(), strict=True)]


def _source(card: Card, data: object, names: Sequence[str] | None) -> Source:
    if names is None and is_matrix(data):
        return ArraySource(data, _positions(card, data))
    return source_of(data, names)


def _positions(card: Card, data: Any) -> Mapping[str, int]:
    """Where the columns of the card are in an array shaped like the training table."""
    known = {i.column: i.position for i in card.items if i.position is not None}
    if card.n_columns is None or len(known) < len(card.columns):
        raise InvalidDataError(
            "this card knows its columns by name only; give a data frame, a dict of columns, or names="
        )
    if data.ndim != 2 or data.shape[1] != card.n_columns:
        raise InvalidDataError(
            f"the array has shape {data.shape}; without column names it must have the training table's "
            f"{card.n_columns} columns, else give a data frame, a dict of columns, or names="
        )
    return known


def _require(card: Card, names: list[str]) -> None:
    known = set(names)
    missing = [name for name in card.columns if name not in known]
    if not missing:
        return
    listed = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
    hint = nearest_column(missing[0], names)
    raise InvalidDataError(f"the data lack {len(missing)} column(s) that the card needs: {listed}; {hint}")

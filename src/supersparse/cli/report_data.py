"""The rows of a report: the columns of the card, those it was learned from, and the groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card, Label
from supersparse.cli.cases import expected_kinds, read_class_column
from supersparse.cli.say import remark
from supersparse.data.cells_of_text import Reading
from supersparse.data.files import read_table
from supersparse.data.table import Column, Kind
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.learning.refit import learned_from

_REMEDY = "treat as missing with --na {na}, or correct them"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReportData:
    """The rows that have a class."""

    columns: dict[str, NDArray[Any]]
    y: list[Label]
    weights: NDArray[Any] | None
    target: str


def read_report_data(
    path: Path,
    reading: Reading,
    card: Card,
    target: str | None,
    by: Sequence[str],
    weights: str | None = None,
    cv_groups: str | None = None,
) -> ReportData:
    """Read the rows; text stays text where the card was learned from text."""
    name = card.title if target is None else target
    if name is None:
        raise InvalidOptionError("the card has no title, so the target is unknown; name it with --target")
    sources = learned_from(card)
    if name in card.columns:
        raise InvalidDataError(f"the scoring system uses {name!r}, so it cannot be the target")
    named = [*by, *([] if cv_groups is None else [cv_groups])]
    others = [n for n in named if n not in card.columns and n not in sources.columns]
    expected = dict.fromkeys([*others, *sources.texts, name], Kind.TEXT) | expected_kinds(card)
    if weights is not None:
        expected[weights] = Kind.NUMBER
    needed = {*card.columns, *sources.columns, *others, name, *([] if weights is None else [weights])}
    table = read_table(path, reading, wanted=needed.__contains__, expected=expected, remedy=_REMEDY)
    for note in table.notes:
        remark(f"note: {note}")
    if target is None and name not in table.names:
        raise InvalidDataError(
            f"{table.name} has no column {name!r} (the title of the card); name the target with --target"
        )
    found = read_class_column(table, name, card)
    for note in found.notes:
        remark(f"note: {note}")
    for column in (*card.columns, *named, *([] if weights is None else [weights])):
        table.column(column)  # raises with a suggestion if the column is missing
    columns = {n: _values(c, table.n_rows)[found.rows] for n, c in table.columns.items() if n != name}
    return ReportData(
        columns=columns,
        y=found.labels.tolist(),
        weights=None if weights is None else columns.pop(weights),
        target=name,
    )


def _values(column: Column, n_rows: int) -> NDArray[Any]:
    """The values; a column without any is all missing."""
    return column.values if len(column.values) == n_rows else np.full(n_rows, None, dtype=object)

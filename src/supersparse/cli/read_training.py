"""Read a file as training data: features, target, weights and groups."""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.cli.options import ColumnOptions, ValidationOptions
from supersparse.cli.say import remark, say_size
from supersparse.cli.training import Training
from supersparse.data.cells_of_text import Reading
from supersparse.data.files import read_table
from supersparse.data.roles import read_target, weight_column, why_no_feature
from supersparse.data.table import Column, Kind, Table
from supersparse.data.values import nearest_column
from supersparse.errors import InvalidDataError
from supersparse.settings.settings import Settings

_REMEDY = (
    "treat as missing with --na {na}, as categories with --category {name}, or leave the column out with "
    "--drop {name}"
)
_PERHAPS_MISSING = {*"?-.*", "--", "n/a", "N/A", "#N/A", "missing", "Missing", "unknown", "Unknown"}


def read_training(
    path: Path,
    reading: Reading,
    asked: ColumnOptions,
    settings: Settings,
    validation: ValidationOptions | None = None,
) -> Training:
    """Read the columns that can be features, and note which cannot; unlabelled rows are skipped."""
    weight, drop, keep = settings.sample_weight, asked.drop or [], asked.keep or []
    split_by = None if validation is None else validation.cv_groups or validation.cv_time
    special = [*settings.rate_groups, *([weight] if weight else []), *([split_by] if split_by else [])]
    expected = dict.fromkeys([*(asked.category or []), *settings.rate_groups, asked.target], Kind.TEXT)
    if weight is not None:
        expected[weight] = Kind.NUMBER
    if validation is not None and validation.cv_groups is not None:
        expected[validation.cv_groups] = Kind.TEXT
    say_size(path)
    table = read_table(
        path,
        reading,
        wanted=lambda name: name in (asked.target, *special) or _chosen(name, drop, keep),
        expected=expected,
        remedy=_REMEDY,
    )
    for note in table.notes:
        remark(f"note: {note}")
    target = read_target(table, asked.target, asked.positive)
    for note in target.notes:
        remark(f"note: {note}")
    _check_named(table, asked, special, settings)
    columns = _features(table, {asked.target, *special}, keep)
    if not target.rows.all():
        kept = np.flatnonzero(target.rows)
        columns = {name: column.take(kept) for name, column in columns.items()}
    return Training(
        name=table.name,
        target=asked.target,
        columns=columns,
        y=target.labels,
        rate_groups={name: _complete(table, name, target.rows) for name in settings.rate_groups},
        weights=None if weight is None else weight_column(table, weight)[target.rows],
        split_by=None if split_by is None else _complete(table, split_by, target.rows),
    )


def _chosen(name: str, drop: Sequence[str], keep: Sequence[str]) -> bool:
    return not _fits(name, drop) and (not keep or _fits(name, keep))


def _fits(name: str, words: Collection[str]) -> bool:
    return name in words or any(fnmatchcase(name, word) for word in words)


def _check_named(table: Table, asked: ColumnOptions, special: Sequence[str], settings: Settings) -> None:
    for option, words in (("drop", asked.drop), ("keep", asked.keep), ("category", asked.category)):
        for word in words or []:
            if not any(_fits(name, [word]) for name in table.names):
                hint = nearest_column(word, table.names)
                raise InvalidDataError(f"--{option}: {table.name} has no column {word!r}; {hint}")
            if word == asked.target:
                raise InvalidDataError(f"--{option}: {word!r} is the target, so it cannot be a feature")
    for name in special:
        if name not in table.names:
            hint = nearest_column(name, table.names)
            raise InvalidDataError(f"{settings.place(name)}{table.name} has no column {name!r}; {hint}")
        if name == asked.target:
            raise InvalidDataError(
                f"{settings.place(name)}{name!r} is the target, so it cannot hold groups or weights"
            )


def _features(table: Table, others: Collection[str], keep: Sequence[str]) -> dict[str, Column]:
    found = {}
    for name, column in table.columns.items():
        if name in others:
            continue
        why = why_no_feature(column, table.n_rows)
        if why is not None and name in keep:
            if column.kind in (Kind.DATE, Kind.EMPTY, Kind.TOO_MANY):
                raise InvalidDataError(f"--keep: column {name!r} cannot be a feature: {why}")
            why = None
        if why is not None:
            remark(f"note: {name!r} is left out: {why}")
            continue
        _say_what_may_be_missing(column)
        found[name] = column
    if not found:
        raise InvalidDataError(
            f"{table.name} has no usable column besides the target; name columns to use with --keep"
        )
    return found


def _say_what_may_be_missing(column: Column) -> None:
    if column.kind is not Kind.TEXT:
        return
    cells = column.values.tolist()
    for word in sorted(_PERHAPS_MISSING & set(cells)):
        remark(
            f"note: {column.name!r}: {word!r} ({cells.count(word)}) is read as a category; "
            f"use --na {word!r} to treat it as missing"
        )


def _complete(table: Table, name: str, rows: NDArray[np.bool_]) -> NDArray[Any]:
    """The groups or times of the labelled rows; a blank one is refused."""
    column = table.columns[name]
    values = column.values[rows] if len(column.values) else np.full(int(rows.sum()), None, dtype=object)
    gone = np.array([value is None or value != value for value in values.tolist()], dtype=bool)
    if gone.any():
        row = int(np.flatnonzero(rows)[int(gone.argmax())])
        raise InvalidDataError(
            f"{table.name}: the group column {name!r} is blank in {table.place(row)}; "
            "fill it in, for example with 'unknown', or delete the row"
        )
    return values

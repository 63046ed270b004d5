"""A CSV file read as training data: which columns are features, which is the target."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.card.tables import nearest_column
from supersparse.cli.cells import group_labels, labels, number_columns, number_matrix
from supersparse.cli.csv_table import CsvTable, read_csv
from supersparse.errors import InvalidDataError
from supersparse.problem.file.settings import Settings

_REMEDY = "correct them, turn categories into 0/1 columns, or leave the column out with --drop {name!r}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingData:
    """Features and labels of a file, and the columns that the settings take for groups and weights."""

    names: tuple[str, ...]
    X: NDArray[np.generic]
    y: NDArray[np.generic]
    groups: dict[str, Sequence[str]]
    weights: NDArray[np.generic] | None


def read_training(
    path: Path, *, target: str, drop: Sequence[str], positive: str | None, settings: Settings | None = None
) -> TrainingData:
    """Read every column as numbers but the target, the dropped ones, and the groups of the settings."""
    table = read_csv(path)
    y = labels(table, target)
    if positive is not None:
        _check_positive(positive, y, target)
    asked = settings or Settings()
    special = [*asked.groups, *([] if asked.sample_weight is None else [asked.sample_weight])]
    _check_special(table, special, target, asked)
    for name in drop:
        table.column(name, "column {name} to drop")
        if name == target:
            raise InvalidDataError(f"the target {target!r} cannot be dropped")
    names = tuple(name for name in table.columns if name not in {target, *drop, *special})
    if not names:
        raise InvalidDataError(f"{path} has no column left beside the target {target!r}")
    if "" in names:
        position = list(table.columns).index("") + 1
        raise InvalidDataError(
            f"{path}: column {position} has no name; name it in line 1, or leave it out with --drop ''"
        )
    return TrainingData(
        names=names,
        X=number_matrix(number_columns(table, names, _REMEDY)),
        y=y,
        groups={name: group_labels(table, name) for name in asked.groups},
        weights=None
        if asked.sample_weight is None
        else number_columns(table, [asked.sample_weight], "give every row a weight of 0 or more")[0],
    )


def _check_special(table: CsvTable, names: Sequence[str], target: str, settings: Settings) -> None:
    for name in names:
        if name not in table.columns:
            hint = nearest_column(name, list(table.columns))
            raise InvalidDataError(f"{settings.place(name)}{table.path} has no column {name!r}; {hint}")
        if name == target:
            raise InvalidDataError(
                f"{settings.place(name)}the target {target!r} cannot hold groups or weights too"
            )


def _check_positive(positive: str, y: NDArray[np.generic], target: str) -> None:
    values = [str(value) for value in np.unique(y).tolist()]
    if positive not in values:
        raise InvalidDataError(
            f"--positive {positive!r} is not a value of the target {target!r}; its values are "
            + " and ".join(map(repr, values))
        )

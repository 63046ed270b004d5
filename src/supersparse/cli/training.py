"""A CSV file read as training data: which columns are features, which is the target."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.cli.cells import labels, number_columns, number_matrix
from supersparse.cli.csv_table import read_csv
from supersparse.errors import InvalidDataError

_REMEDY = "correct them, turn categories into 0/1 columns, or leave the column out with --drop {name!r}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingData:
    """Features and labels of a file, and which label is the positive class (None: the default)."""

    names: tuple[str, ...]
    X: NDArray[np.generic]
    y: NDArray[np.generic]
    positive: object


def read_training(path: Path, *, target: str, drop: Sequence[str], positive: str | None) -> TrainingData:
    """Read every column but the target and the dropped ones as numbers."""
    table = read_csv(path)
    y = labels(table, target)
    for name in drop:
        table.column(name, "column {name} to drop")
        if name == target:
            raise InvalidDataError(f"the target {target!r} cannot be dropped")
    names = tuple(name for name in table.columns if name != target and name not in drop)
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
        positive=None if positive is None else _find(positive, y, target),
    )


def _find(positive: str, y: NDArray[np.generic], target: str) -> object:
    values = np.unique(y).tolist()
    for value in values:
        if str(value) == positive:
            return value
    shown = " and ".join(repr(str(value)) for value in values)
    raise InvalidDataError(
        f"--positive {positive!r} is not a value of the target {target!r}; its values are {shown}"
    )

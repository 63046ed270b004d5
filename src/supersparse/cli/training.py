"""Training: raw columns and classes, and what says how rows are grouped, weighted and split."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supersparse.cli.options import ValidationOptions
from supersparse.data.cells_of_text import side_by_side
from supersparse.data.roles import sortable_times
from supersparse.data.table import Column, Kind
from supersparse.errors import InvalidDataError, InvalidOptionError

if TYPE_CHECKING:
    from supersparse.learning.splits import Split


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Training:
    """Raw columns and classes of a file, and what says how rows are grouped, weighted and split."""

    name: str  # of the file
    columns: Mapping[str, Column]
    y: NDArray[np.generic]
    rate_groups: Mapping[str, NDArray[Any]]
    weights: NDArray[np.generic] | None
    split_by: NDArray[Any] | None

    @property
    def raw(self) -> dict[str, NDArray[Any]]:
        """The values of the columns by name."""
        return {name: column.values for name, column in self.columns.items()}

    def matrix(self) -> NDArray[np.generic]:
        """The columns side by side, where all hold numbers."""
        for name, column in self.columns.items():
            if column.kind is Kind.TEXT or column.n_missing:
                what = (
                    "holds text" if column.kind is Kind.TEXT else f"has {column.n_missing} missing value(s)"
                )
                raise InvalidDataError(
                    f"{self.name}: column {name!r} {what}, which points cannot multiply; leave out "
                    f"--no-prepare to make features of it, or leave the column out with --drop {name!r}"
                )
        return side_by_side([column.values for column in self.columns.values()])

    def splits(self, validation: ValidationOptions, seed: int) -> "list[Split]":
        """Divide the rows as asked."""
        from supersparse.learning.splits import splits_of

        assert validation.folds is not None
        if validation.cv_time is None:
            return splits_of(self.y, validation.folds, groups=self.split_by, seed=seed)
        if validation.cv_groups is not None:
            raise InvalidOptionError(
                "--cv-groups and --cv-time divide rows in different ways; give one of them"
            )
        assert self.split_by is not None
        return splits_of(self.y, validation.folds, times=sortable_times(self.split_by, validation.cv_time))

    def take(self, rows: NDArray[Any]) -> "Training":
        """The same for some rows."""
        return Training(
            name=self.name,
            columns={name: column.take(rows) for name, column in self.columns.items()},
            y=self.y[rows],
            rate_groups={name: labels[rows] for name, labels in self.rate_groups.items()},
            weights=None if self.weights is None else self.weights[rows],
            split_by=None if self.split_by is None else self.split_by[rows],
        )

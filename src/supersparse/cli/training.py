"""Training: the raw columns of a file and their roles."""

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
    from supersparse.learning.rows import TrainingRows
    from supersparse.learning.splits import Split


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Training:
    """Raw columns and classes of a file, with the groups, weights and splits of its rows."""

    name: str  # of the file
    target: str
    columns: Mapping[str, Column]
    y: NDArray[np.generic]
    rate_groups: Mapping[str, NDArray[Any]]
    weights: NDArray[np.generic] | None
    split_by: NDArray[Any] | None

    def rows(self, *, prepared: bool) -> "TrainingRows":
        """Return the training rows: raw columns, or a numeric matrix."""
        from supersparse.learning.rows import TrainingRows

        raw = {name: column.values for name, column in self.columns.items()}
        return TrainingRows(
            X=raw if prepared else self._matrix(),
            y=self.y,
            sample_weight=self.weights,
            rate_groups=dict(self.rate_groups) or None,
            groups=self.split_by,
            names=None if prepared else tuple(self.columns),
            title=self.target,
        )

    def _matrix(self) -> NDArray[np.generic]:
        for name, column in self.columns.items():
            if column.kind is Kind.TEXT or column.n_missing:
                what = (
                    "holds text" if column.kind is Kind.TEXT else f"has {column.n_missing} missing value(s)"
                )
                raise InvalidDataError(
                    f"{self.name}: column {name!r} {what}, so it cannot be used as it is; remove "
                    f"--no-prepare to make features from it, or leave the column out with --drop {name!r}"
                )
        return side_by_side([column.values for column in self.columns.values()])


def splits_asked(rows: "TrainingRows", validation: ValidationOptions) -> "list[Split]":
    """Split the rows as the options say."""
    from supersparse.learning.splits import splits_of

    assert validation.folds is not None
    if validation.cv_time is None:
        return splits_of(rows.y, validation.folds, groups=rows.groups)
    if validation.cv_groups is not None:
        raise InvalidOptionError("--cv-groups and --cv-time cannot be combined; use one of them")
    return splits_of(rows.y, validation.folds, times=sortable_times(rows.groups, validation.cv_time))

"""What is known of a dataset beside its rows, and the size that the paper states."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.processing import matrix
from supersparse.errors import InvalidDataError


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The words of a dataset; `target` is the column of the raw table that holds the class."""

    name: str
    target: str
    classes: tuple[str, str]  # the second is the positive one
    description: str
    source: str
    licence: str = "CC BY 4.0"  # of all the UCI datasets here

    def dataset(self, raw: Columns, features: Mapping[str, NDArray[Any]], kept: NDArray[np.intp]) -> Dataset:
        """Put the rows and the words together; `features` are those of the rows `kept` of `raw`."""
        X = matrix(features)
        y = (raw[self.target][kept] == self.classes[1]).astype(np.int64)
        for array in (X, y, kept):
            array.setflags(write=False)
        return Dataset(
            name=self.name,
            feature_names=tuple(features),
            X=X,
            y=y,
            target=self.target,
            classes=self.classes,
            description=self.description,
            source=self.source,
            licence=self.licence,
            raw=raw,
            kept=kept,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Rows and columns as the paper's tables count them, that is with the intercept, and positive rows."""

    rows: int
    columns: int
    positive: int

    def check(self, data: Dataset, file: str) -> Dataset:
        """Return the data if they have this size; `file` is where they came from."""
        n_rows, n_features = data.X.shape
        found = Size(rows=n_rows, columns=n_features + 1, positive=int(data.y.sum()))
        if found != self:
            raise InvalidDataError(
                f"{file} gives {found.rows} rows, {found.columns} columns with the intercept and "
                f"{found.positive} {data.classes[1]}, the paper has {self.rows}, {self.columns} and "
                f"{self.positive}; "
                "delete the file and fetch it again: supersparse datasets fetch"
            )
        return data

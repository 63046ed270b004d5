"""Dataset: a two-class table, before and after processing, with its origin."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.datasets.columns import Columns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Dataset:
    """Rows and labels, with where they come from and under which licence.

    `X` and `y` are processed as in the SLIM paper; `raw` is the table as it was published,
    missing values included, with codes written as words and the class in the column `target`.
    """

    name: str
    feature_names: tuple[str, ...]
    X: NDArray[Any]  # one row a case, whole numbers where the source has them; no intercept column
    y: NDArray[np.int64]  # 0 or 1
    target: str  # what y says
    classes: tuple[str, str]  # what 0 and 1 mean
    description: str
    source: str
    licence: str
    raw: Columns
    kept: NDArray[np.intp]  # the rows of raw that are the rows of X

    @property
    def labels(self) -> NDArray[np.str_]:
        """The class of each row by its name."""
        return np.array(self.classes)[self.y]

    @property
    def columns(self) -> Columns:
        """The processed features and then the class by its name, as columns."""
        features = dict(zip(self.feature_names, self.X.T, strict=True))
        return Columns(features | {self.target: self.labels.astype(object)})

    def part(self, rows: NDArray[np.integer[Any]]) -> "Dataset":
        """Return these rows only, for example one half of a split; `raw` follows."""
        kept = self.kept[rows]
        return replace(
            self, X=self.X[rows], y=self.y[rows], raw=self.raw.part(kept), kept=np.arange(len(kept))
        )

    def __repr__(self) -> str:
        n_rows, n_features = self.X.shape
        positive = f"{int(self.y.sum())} {self.classes[1]}"
        return f"<Dataset {self.name}: {n_rows} rows, {n_features} features, {positive}>"

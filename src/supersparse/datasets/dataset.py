"""Dataset: a two-class table with its origin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Dataset:
    """Rows and labels, with where they come from and under which licence."""

    name: str
    feature_names: tuple[str, ...]
    X: NDArray[np.int64]  # one row a case; no intercept column
    y: NDArray[np.int64]  # 0 or 1
    target: str  # what y says
    classes: tuple[str, str]  # what 0 and 1 mean
    description: str
    source: str
    licence: str

    @property
    def labels(self) -> NDArray[np.str_]:
        """The class of each row by its name."""
        return np.array(self.classes)[self.y]

    def __repr__(self) -> str:
        n_rows, n_features = self.X.shape
        positive = f"{int(self.y.sum())} {self.classes[1]}"
        return f"<Dataset {self.name}: {n_rows} rows, {n_features} features, {positive}>"

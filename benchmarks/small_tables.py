"""Generated tables with many small supports: 150 to 1,000 rows, 20 to 60 columns, at most 3 or 4 features."""

from dataclasses import dataclass

import numpy as np

from benchmarks.data import Table
from benchmarks.instances import Settings

_NOISE = 0.2  # labels flipped: a weak signal, so that many supports have to be looked at
_HIDDEN = 6


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A table labelled by a hidden rule of six columns and by noise, the same on every machine.

    Columns are `binary`, `levels` (1 to 10), or `mixed`: binary ones, and levels of 3, 6 and 10 values.
    """

    kind: str
    rows: int
    columns: int
    most: int
    largest: int = 5

    @property
    def name(self) -> str:
        """Name the table by what it is made of."""
        return f"{self.kind}_{self.rows}x{self.columns}_{self.most}"

    @property
    def settings(self) -> Settings:
        """Errors first, then size; at most `most` features."""
        return Settings(largest=self.largest, max_features=self.most)

    def table(self) -> Table:
        """Draw the data."""
        random = np.random.default_rng([len(self.kind), self.rows, self.columns])
        X = np.column_stack([self._column(random, j) for j in range(self.columns)])
        weights = np.zeros(self.columns)
        chosen = random.permutation(self.columns)[:_HIDDEN]
        weights[chosen] = random.integers(1, 6, _HIDDEN) * random.choice([-1, 1], _HIDDEN)
        scores = X / X.std(axis=0) @ weights
        y = (scores > np.median(scores)) ^ (random.random(self.rows) < _NOISE)
        return Table(X, y.astype(int), tuple(f"x{j}" for j in range(self.columns)))

    def _column(self, random: np.random.Generator, j: int) -> np.ndarray:
        values = {"binary": 2, "levels": 10, "mixed": (2, 3, 6, 10)[j % 4]}[self.kind]
        if values == 2:
            return (random.random(self.rows) < random.uniform(0.2, 0.8)).astype(int)
        return random.integers(1, values + 1, self.rows)


TABLES = (
    SmallTable("binary", 150, 20, 4),
    SmallTable("binary", 300, 40, 4, 10),
    SmallTable("binary", 600, 30, 4),
    SmallTable("binary", 1000, 60, 3),
    SmallTable("levels", 150, 20, 3, 10),
    SmallTable("levels", 250, 20, 4),
    SmallTable("levels", 500, 40, 3),
    SmallTable("levels", 1000, 20, 3),
    SmallTable("mixed", 155, 20, 4),
    SmallTable("mixed", 300, 40, 3, 10),
    SmallTable("mixed", 500, 30, 4),
    SmallTable("mixed", 1000, 60, 3),
)

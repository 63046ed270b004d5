"""Synthetic data: rows drawn from a pool of patterns, labelled by a hidden scoring system, with noise."""

from dataclasses import dataclass

import numpy as np

from benchmarks.data import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthetic:
    """One data set, the same on every machine for the same fields.

    `values` is the number of different whole numbers in a column (2: binary). The hidden
    system has `hidden` features with coefficients of at most 5 and splits the patterns at the
    median of their scores; each label is flipped with probability `noise`.
    """

    rows: int
    features: int
    patterns: int
    values: int = 2
    hidden: int = 4
    noise: float = 0.1
    seed: int = 0

    def table(self) -> Table:
        """Draw the data."""
        rng = np.random.default_rng([self.seed, self.features, self.patterns, self.values])
        pool = rng.integers(0, self.values, size=(self.patterns, self.features), dtype=np.int64)
        coefficients = np.zeros(self.features, dtype=np.int64)
        hidden = rng.permutation(self.features)[: self.hidden]
        coefficients[hidden] = rng.integers(1, 6, self.hidden) * rng.choice([-1, 1], self.hidden)
        scores = pool @ coefficients
        drawn = rng.integers(0, self.patterns, self.rows)
        flipped = rng.random(self.rows) < self.noise
        y = (scores > np.median(scores))[drawn] ^ flipped
        return Table(pool[drawn], y.astype(np.int64), tuple(f"x{j}" for j in range(self.features)))

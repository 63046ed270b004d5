"""Model: the mixed-integer program as a solver takes it; every variable is an integer.

It holds numbers only. What they mean, and the way back to points, is in `program.py`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


@dataclass(frozen=True, kw_only=True)
class LinearRows:
    """``lower <= matrix·x <= upper``; an open side is infinite."""

    matrix: csr_array
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True, kw_only=True)
class IndicatorRows:
    """``matrix[i]·x >= lower[i]`` whenever the binary variable ``binary[i]`` is ``when[i]``."""

    matrix: csr_array
    lower: NDArray[np.float64]
    binary: NDArray[np.intp]
    when: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True, kw_only=True)
class Model:
    """Minimise ``cost·x + cost_offset`` over integers x between `lower` and `upper`.

    Matrix entries are whole numbers held as floats, exact for every solver that accepted the
    problem; for a solver of integers the costs are whole too.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    cost: NDArray[np.float64]
    cost_offset: float
    rows: LinearRows
    indicators: IndicatorRows
    priorities: NDArray[np.int64]  # for branching, higher first; all 0 when none were asked for

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.lower)

    @property
    def is_binary(self) -> NDArray[np.bool_]:
        """Which variables are 0 or 1."""
        return np.asarray((self.lower == 0) & (self.upper == 1), dtype=bool)

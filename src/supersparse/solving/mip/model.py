"""Model: the mixed-integer program for a solver, and a draft while it is built."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from supersparse.integer_arrays import IntArray


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

    Matrix entries are whole numbers stored as floats, exact for every solver that accepted the problem; for
    an integer solver the costs are whole too.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    cost: NDArray[np.float64]
    cost_offset: float
    rows: LinearRows
    indicators: IndicatorRows
    priorities: NDArray[np.int64]  # for branching, higher first; all 0 if none were set

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.lower)

    @property
    def is_binary(self) -> NDArray[np.bool_]:
        """Which variables are binary."""
        return np.asarray((self.lower == 0) & (self.upper == 1), dtype=bool)


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + Σ factor·x`` over (variable, factor) pairs."""

    constant: int = 0
    parts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Loss:
    at: NDArray[np.intp]  # (row, variable) of each value
    values: NDArray[np.float64]
    needed: NDArray[np.float64]
    binary: NDArray[np.intp]
    when: bool
    is_logical: bool


@dataclass
class Draft:
    """Collects variables and rows in exact integers."""

    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    priority: list[int] = field(default_factory=list)
    _rows: list[tuple[Sequence[tuple[int, float]], float, float]] = field(default_factory=list)
    _losses: list[_Loss] = field(default_factory=list)

    def variable(self, lower: int, upper: int, priority: int = 0) -> int:
        """Add an integer variable and return its index."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.priority.append(priority)
        return len(self.lower) - 1

    def row(self, parts: Iterable[tuple[int, float]], lower: float = -inf, upper: float = inf) -> None:
        """Add ``lower <= Σ factor·x <= upper``."""
        self._rows.append((tuple(parts), lower, upper))

    def loss(
        self,
        factors: IntArray,
        columns: Sequence[int],
        needed: IntArray,
        binary: Sequence[int],
        big_m: IntArray | None,
        when: bool = False,
    ) -> None:
        """Add ``factors[i]·x[columns] >= needed[i]`` where the binary is `when`: by an M, or logically."""
        i, t = np.nonzero(factors)
        at = np.stack([i, np.asarray(columns, dtype=np.intp)[t]], axis=1)
        values = factors[i, t].astype(np.float64)
        where = np.asarray(binary, dtype=np.intp)
        if big_m is not None:
            at = np.concatenate([at, np.stack([np.arange(len(where)), where], axis=1)])
            values = np.concatenate([values, (-big_m if when else big_m).astype(np.float64)])
            needed = needed - big_m if when else needed
        self._losses.append(
            _Loss(at, values, needed.astype(np.float64), where, when, is_logical=big_m is None)
        )

    def linear_rows(self) -> LinearRows:
        """Return all rows except the logical ones."""
        entries = [(i, j, f) for i, (parts, _, _) in enumerate(self._rows) for j, f in parts]
        at = np.array([(i, j) for i, j, _ in entries], dtype=np.intp).reshape(-1, 2)
        values = np.array([f for _, _, f in entries], dtype=np.float64)
        lower = np.array([low for _, low, _ in self._rows], dtype=np.float64)
        upper = np.array([high for _, _, high in self._rows], dtype=np.float64)
        for loss in self._losses:
            if not loss.is_logical:
                at = np.concatenate([at, loss.at + np.array([len(lower), 0])])
                values = np.concatenate([values, loss.values])
                lower = np.concatenate([lower, loss.needed])
                upper = np.concatenate([upper, np.full(len(loss.needed), inf)])
        return LinearRows(matrix=self._matrix(at, values, len(lower)), lower=lower, upper=upper)

    def indicator_rows(self) -> IndicatorRows:
        """Return the logical rows."""
        at, values, lower = np.zeros((0, 2), np.intp), np.zeros(0), np.zeros(0)
        binary, when = np.zeros(0, np.intp), np.zeros(0, np.bool_)
        for loss in self._losses:
            if loss.is_logical:
                at = np.concatenate([at, loss.at + np.array([len(lower), 0])])
                values = np.concatenate([values, loss.values])
                lower = np.concatenate([lower, loss.needed])
                binary = np.concatenate([binary, loss.binary])
                when = np.concatenate([when, np.full(len(loss.needed), loss.when)])
        matrix = self._matrix(at, values, len(lower))
        return IndicatorRows(matrix=matrix, lower=lower, binary=binary, when=when)

    def _matrix(self, at: NDArray[np.intp], values: NDArray[np.float64], height: int) -> csr_array:
        return coo_array((values, (at[:, 0], at[:, 1])), shape=(height, len(self.lower))).tocsr()

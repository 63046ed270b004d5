"""A sample of a large table, from which a preparation learns its cuts within a time limit.

The features are then made for all rows. The sample holds the smallest and largest number of each column, each
of its categories and a missing value if there is one, so that nothing in the other rows is new.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.typing import NDArray

from supersparse.learn.prepare.cuts import ClassTarget, Floats
from supersparse.table.sources import CellTable
from supersparse.table.values import Numbers

_VALUES_PER_SECOND = 400_000  # take about a fifth of a second
_COLUMNS_PER_SECOND = 60  # take about a third of a second
_SHARE = 0.3  # of the time limit, for looking at columns
_LEAST_ROWS, _LEAST_COLUMNS = 2000, 50
_CATEGORIES = 1000  # of one column that are looked for; identifiers have more
_AT_ONCE = 500  # columns that are compared at once
_SEED = 0
MOST_ROWS = 20_000  # a teacher learns from, and answers are chosen on


@dataclass(frozen=True, slots=True)
class Most:
    """How many values, and how many columns, a preparation looks at, and until when."""

    values: float
    columns: int
    ends: float = inf  # as `time.monotonic` counts

    @classmethod
    def within(cls, time_limit: float | None) -> Self | None:
        """As many as a time limit in seconds, which begins now, allows; None for all."""
        if time_limit is None:
            return None
        seconds = min(max(time_limit, 0.0), 1e6)
        return cls(
            values=_VALUES_PER_SECOND * seconds,
            columns=max(_LEAST_COLUMNS, int(_COLUMNS_PER_SECOND * seconds)),
            ends=time.monotonic() + _SHARE * seconds,
        )

    @property
    def is_over(self) -> bool:
        """Whether no further column is looked at."""
        return time.monotonic() >= self.ends


def sample(
    table: CellTable, target: ClassTarget, most: Most, named: Collection[str]
) -> tuple[CellTable, ClassTarget, list[str]]:
    """Return rows and columns of a table that is too large, and notes that say which rows.

    Columns come in the order in which they are worth a look: those that are `named`, then those that separate
    the classes best in a sample of the rows.
    """
    ranked = _telling(table, target, named)[: most.columns]
    table, notes = CellTable({name: table.columns[name] for name in ranked}, table.n_rows), []
    n_rows = max(_LEAST_ROWS, int(most.values / max(1, len(table.columns))))
    if table.n_rows > 2 * n_rows:
        rows = sampled_rows(table, target, n_rows, named)
        notes.append(f"cuts learned from a sample of {len(rows)} of {table.n_rows} rows, to keep the time limit")
        is_kept = np.zeros(table.n_rows, dtype=bool)
        is_kept[rows] = True
        table, target = table.take(rows), target.take(is_kept)
    return table, target, notes


def _telling(table: CellTable, target: ClassTarget, named: Collection[str]) -> list[str]:
    rows = _drawn(target, min(table.n_rows, _LEAST_ROWS))
    positive = np.zeros(len(rows), dtype=bool) if target.positive is None else target.positive[rows]
    every = slice(None) if len(rows) == table.n_rows else rows  # spares a copy of each column
    apart = dict.fromkeys(table.columns, inf)  # texts come first
    numbers = [(name, cells.values) for name, cells in table.columns.items() if isinstance(cells, Numbers)]
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        values = np.array([column[every] for _, column in some], dtype=np.float64)
        apart |= zip((name for name, _ in some), _separations(values, positive).tolist(), strict=True)
    return sorted(apart, key=lambda name: (name not in named, -apart[name]))


def _separations(values: Floats, positive: NDArray[np.bool_]) -> Floats:
    """How far the means of both classes lie apart in each column, in standard deviations."""
    n, n_positive = values.shape[1], int(positive.sum())
    if n_positive in (0, n):
        return np.zeros(len(values))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        of_positive, total = values @ positive.astype(np.float64), values.sum(axis=1)
        spread = np.einsum("ij,ij->i", values, values) / n - (total / n) ** 2
        apart = np.abs(of_positive / n_positive - (total - of_positive) / (n - n_positive)) / np.sqrt(spread)
    return np.where((spread > 0) & np.isfinite(apart), apart, 0.0)


def sampled_rows(table: CellTable, target: ClassTarget, n_rows: int, named: Collection[str]) -> NDArray[np.intp]:
    """Draw rows, and add those that hold what a column has only there; in their order."""
    chosen = [_drawn(target, n_rows)]
    for name, cells in table.columns.items():
        if cells.missing is not None and cells.missing.any():
            chosen.append(np.array([int(cells.missing.argmax())], dtype=np.intp))
        if isinstance(cells, Numbers):
            chosen.append(np.array([int(cells.values.argmin()), int(cells.values.argmax())], dtype=np.intp))
            if name in named:  # its numbers may be categories
                chosen.append(np.unique(cells.values, return_index=True)[1][:_CATEGORIES])
        else:
            first = np.full(len(cells.distinct), -1, dtype=np.intp)
            first[cells.codes[::-1]] = np.arange(table.n_rows, dtype=np.intp)[::-1]
            chosen.append(first[first >= 0][:_CATEGORIES])
    return np.unique(np.concatenate(chosen))


def _drawn(target: ClassTarget, n_rows: int) -> NDArray[np.intp]:
    """Draw rows at random, both classes as often as they are."""
    random = np.random.default_rng(_SEED)
    n_all = len(target.weights)
    if n_rows >= n_all:
        return np.arange(n_all)
    return np.sort(random.choice(n_all, size=n_rows, replace=False))

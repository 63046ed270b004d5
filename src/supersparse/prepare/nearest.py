"""Filling a missing value with that of the most similar training row.

Similar means near in all columns that both rows have: numbers in units of their standard deviation, and 1
where categories differ. At most `_MOST_DONORS` rows give values, the most complete ones, evenly spread.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersparse.card.tables import Table
from supersparse.data.values import Category, Cells, Numbers, Objects, is_missing, read_category, read_list
from supersparse.exact import exact_value
from supersparse.prepare.cuts import Floats

_MOST_DONORS = 1000
_MOST_LEVELS = 30
_AT_ONCE = 4096  # rows whose distances are held at once


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Axis:
    """How one column is measured: a scaled number, or one axis for each of its common levels."""

    column: str
    levels: tuple[Category, ...]  # empty for numbers
    middle: float = 0.0
    spread: float = 1.0

    def measure(self, cells: Cells) -> Floats:
        """Coordinates of every row, NaN where the value is missing."""
        if self.levels:
            found = self._by_level(cells)
        else:
            found = ((_as_floats(cells) - self.middle) / self.spread)[:, None]
        if cells.missing is not None:
            found[cells.missing] = np.nan
        return found

    def _by_level(self, cells: Cells) -> Floats:
        known = {level: k for k, level in enumerate(self.levels)}
        eye: Floats = np.vstack([np.eye(len(known)), np.zeros(len(known))]) / np.sqrt(2)
        if isinstance(cells, Objects):
            at = [
                len(known) if is_missing(v) else known.get(read_category(v, self.column), len(known))
                for v in cells.distinct
            ]
            codes = cells.codes
        else:
            values, codes = np.unique(cells.values, return_inverse=True)
            at = [known.get(read_category(v, self.column), len(known)) for v in values]
        return eye[np.array(at, dtype=np.intp)[codes.reshape(-1)]]


@dataclass(frozen=True, slots=True, eq=False)
class Donors:
    """The training rows that give values, and where they lie."""

    axes: tuple[_Axis, ...]
    table: Table
    places: Floats

    @classmethod
    def of(cls, columns: Mapping[str, Cells], categories: Mapping[str, bool], n_rows: int) -> "Donors":
        """Choose donors; `categories` says of each column whether it is measured by its levels."""
        axes = tuple(_axis(name, cells, categories[name]) for name, cells in columns.items())
        table = Table(columns, n_rows).take(_most_complete(columns, n_rows))
        return cls(axes, table, _measure(axes, table))

    def fill(self, table: Table) -> Table:
        """Return the columns of the donors with every missing value filled in."""
        columns = {name: table.columns[name] for name in self.table.columns}
        gaps = {n: cells.missing for n, cells in columns.items() if cells.missing is not None}
        if not gaps:
            return Table(columns, table.n_rows)
        rows = np.flatnonzero(np.logical_or.reduce(list(gaps.values())))
        queries = _measure(self.axes, Table(columns, table.n_rows).take(rows))
        filled = dict(columns)
        for name, missing in gaps.items():
            own = missing[rows]
            donor = self._nearest(queries[own], name)
            filled[name] = _replaced(columns[name], rows[own], self.table.columns[name], donor)
        return Table(filled, table.n_rows)

    def _nearest(self, queries: Floats, name: str) -> NDArray[np.intp]:
        """The nearest donor that has a value in the column; the first of equally near ones."""
        from sklearn.metrics.pairwise import nan_euclidean_distances

        gone = self.table.columns[name].missing
        having = np.arange(self.table.n_rows) if gone is None else np.flatnonzero(~gone)
        found = []
        for start in range(0, len(queries), _AT_ONCE):
            part = queries[start : start + _AT_ONCE]
            part = np.where(np.isnan(part).all(axis=1, keepdims=True), 0.0, part)  # nothing known: the middle
            distances = nan_euclidean_distances(part, self.places[having])
            found.append(having[np.where(np.isnan(distances), np.inf, distances).argmin(axis=1)])
        return np.concatenate(found)


def _axis(name: str, cells: Cells, is_category: bool) -> _Axis:
    if not is_category:
        values = _as_floats(cells)
        if cells.missing is not None:
            values = values[~cells.missing]
        return _Axis(column=name, levels=(), middle=float(values.mean()), spread=float(values.std()) or 1.0)
    if isinstance(cells, Objects):
        counts = np.bincount(cells.codes, minlength=len(cells.distinct))
        order = np.argsort(-counts, kind="stable")
        held = [cells.distinct[k] for k in order if counts[k] and not is_missing(cells.distinct[k])]
    else:
        values, counts = np.unique(cells.values, return_counts=True)
        held = [values[k] for k in np.argsort(-counts, kind="stable")]
    levels = dict.fromkeys(read_category(v, name) for v in held[:_MOST_LEVELS])
    return _Axis(column=name, levels=tuple(levels))


def _as_floats(cells: Cells) -> Floats:
    if isinstance(cells, Numbers):
        return cells.values.astype(np.float64)
    read = [0.0 if is_missing(v) else float(exact_value(v, "a value")) for v in cells.distinct]
    return np.array(read)[cells.codes]


def _measure(axes: tuple[_Axis, ...], table: Table) -> Floats:
    return np.hstack([axis.measure(table.columns[axis.column]) for axis in axes])


def _most_complete(columns: Mapping[str, Cells], n_rows: int) -> NDArray[np.intp]:
    gaps = np.zeros(n_rows, dtype=np.intp)
    for cells in columns.values():
        if cells.missing is not None:
            gaps += cells.missing
    complete = np.flatnonzero(gaps == 0)
    if len(complete) >= _MOST_DONORS:
        chosen = complete[np.linspace(0, len(complete) - 1, _MOST_DONORS).astype(np.intp)]
    else:
        chosen = np.argsort(gaps, kind="stable")[:_MOST_DONORS]
    first = [int((~c.missing).argmax()) for c in columns.values() if c.missing is not None]  # one for each
    return np.unique(np.concatenate([chosen, np.array(first, dtype=np.intp)]))


def _replaced(cells: Cells, rows: NDArray[np.intp], donors: Cells, chosen: NDArray[np.intp]) -> Cells:
    if (
        isinstance(cells, Numbers)
        and isinstance(donors, Numbers)
        and cells.values.dtype == donors.values.dtype
    ):
        values = cells.values.copy()
        values[rows] = donors.values[chosen]
        return Numbers(values)
    held = _plain_values(cells)
    given = _plain_values(donors)
    for row, donor in zip(rows.tolist(), chosen.tolist(), strict=True):
        held[row] = given[donor]
    return read_list(held)


def _plain_values(cells: Cells) -> list[object]:
    if isinstance(cells, Objects):
        return [cells.distinct[code] for code in cells.codes.tolist()]
    short = cells.values.dtype.kind == "f" and cells.values.dtype.itemsize < 8
    return list(cells.values) if short else cells.values.tolist()  # short floats have decimals of their own

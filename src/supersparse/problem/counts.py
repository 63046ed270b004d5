"""Tables of counts: distinct rows, and how many there are of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, did_you_mean
from supersparse.base.integer_arrays import Flags
from supersparse.problem.rows import two_labels
from supersparse.table.numeric import numeric_column, positive_of, read_numeric_table
from supersparse.table.sources import as_array, as_series, check_names
from supersparse.table.values import objects


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedRows:
    """The distinct rows that occur, and the number of each."""

    X: dict[str, NDArray[Any]]
    y: NDArray[Any]
    counts: NDArray[Any]
    rate_groups: dict[str, NDArray[Any]] | None

    def chosen_positive(self) -> object:
        """Choose the positive class as for single rows: the rarer class is the one with fewer of them."""
        labels, both = two_labels(self.y)
        return positive_of({v: int(self.counts[labels == v].sum(dtype=object)) for v in both}).label


def read_counted(table: object, target: str, count: str, rate_groups: Sequence[str]) -> CountedRows:
    """Read a mapping of columns or a frame, also a lazy one; rows with a count of 0 do not occur."""
    columns = _columns(table)
    if isinstance(rate_groups, str):
        raise InvalidDataError(
            subject="rate_groups", value=rate_groups, remedy=f"give a list of columns: [{rate_groups!r}]"
        )
    for what, name in (("target", target), ("count", count), *(("rate_groups", g) for g in rate_groups)):
        if name not in columns:
            hint = did_you_mean(str(name), list(columns))
            raise InvalidDataError(f"{what}: the table of counts has no column {name!r}", hint, subject=what)
    others = [target, count, *rate_groups]
    for name in others:
        if others.count(name) > 1:
            raise InvalidDataError(f"column {name!r} has two uses in {others}", "name a column for each")
    counts = _counts(columns[count], count)
    keep = np.asarray(counts > 0, dtype=bool)
    if not keep.any():
        raise InvalidDataError(f"every count in column {count!r} is 0", "give a row that occurs")
    for name, column in columns.items():
        if hasattr(column, "__len__") and len(column) != len(counts):
            raise InvalidDataError(
                f"column {name!r} has {len(column)} values for {len(counts)} counts", "give one for each row"
            )
    features = {name: column for name, column in columns.items() if name not in others}
    if not features:
        raise InvalidDataError(f"the table has no column besides {others}", "add features")
    names, values = read_numeric_table({name: _those(column, keep) for name, column in features.items()})
    labels = {name: _labels(_those(columns[name], keep)) for name in (target, *rate_groups)}
    return CountedRows(
        X=dict(zip(names, values, strict=True)),
        y=labels[target],
        counts=counts[keep],
        rate_groups={name: labels[name] for name in rate_groups} or None,
    )


def _those(values: Any, keep: Flags) -> Any:
    if keep.all() or not hasattr(values, "__len__"):
        return values
    series = as_series(values)
    if series is not None:
        return series.filter(keep.tolist())
    if isinstance(values, list | tuple):
        return [value for value, is_kept in zip(values, keep.tolist(), strict=True) if is_kept]
    return np.asarray(values)[keep]


def _columns(table: object) -> dict[str, Any]:
    if isinstance(table, Mapping):
        names, columns = [str(name) for name in table], list(table.values())
    else:
        import narwhals as nw  # its stable.v1 cannot collect the relations of DuckDB

        frame = nw.from_native(table, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if not isinstance(frame, nw.DataFrame):
            raise InvalidDataError(
                f"{type(table).__name__} is not a table of counts", "give a data frame or a dict of columns"
            )
        names, columns = [str(name) for name in frame.columns], list(frame.iter_columns())
    check_names(names)
    return dict(zip(names, columns, strict=True))


def _labels(values: object) -> NDArray[Any]:
    """Return labels as `Problem.of` would see them in a list, or in a series."""
    array = as_array(values)
    mixed = isinstance(values, list | tuple) and array.dtype.kind in "US"
    if mixed and not all(isinstance(v, str) for v in values):  # type: ignore[attr-defined]
        return objects(values)  # type: ignore[arg-type]
    return array


def _counts(values: object, name: str) -> NDArray[Any]:
    series = as_series(values)
    if series is not None and series.null_count():
        raise InvalidDataError(f"column {name!r} has {series.null_count()} missing count(s)", "fill them in")
    if isinstance(values, list | tuple) and None in values:
        raise InvalidDataError(f"column {name!r} has {values.count(None)} missing count(s)", "fill them in")
    counts = np.asarray(values) if series is None else as_array(values)
    if counts.ndim != 1 or counts.dtype.kind not in "uifO":
        shown = repr(counts.ravel()[0].item()) if counts.size and counts.dtype != object else str(counts.dtype)
        raise InvalidDataError(f"column {name!r} holds {shown}, not counts", "give a whole number for each row")
    counts = numeric_column(counts, name)
    for row, value in enumerate(counts.tolist()):
        if not (value >= 0 and value != float("inf") and value == int(value)):
            raise InvalidDataError(
                f"column {name!r} has {value} in row {row} (counted from 0)", "a count is a whole number of at least 0"
            )
    return counts if counts.dtype.kind in "ui" else np.array([int(v) for v in counts.tolist()], dtype=object)

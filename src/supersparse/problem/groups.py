"""Groups of rows, by which rates may be limited and compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.problem.table import as_frame, is_missing

ONLY_GROUPING = "group"
"""The name of a grouping given as a plain array."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Grouping:
    """One way to divide the rows: row i belongs to the group ``labels[codes[i]]``."""

    name: str
    labels: tuple[object, ...]
    codes: NDArray[np.intp]

    def of(self, label: object) -> NDArray[np.bool_]:
        """Which rows belong to a group."""
        members: NDArray[np.bool_] = self.codes == self.labels.index(label)
        return members


def read_groups(rate_groups: object, n_rows: int, keep: NDArray[np.bool_]) -> tuple[Grouping, ...]:
    """Read ``{name: one label a row}``, a data frame, or an array, which is called "group".

    Labels in no kept row are no groups.
    """
    return tuple(
        _read_grouping(name, labels, n_rows, keep) for name, labels in group_columns(rate_groups).items()
    )


def group_columns(rate_groups: object) -> dict[str, NDArray[Any]]:
    """Return each grouping's labels as an array, none of them checked."""
    if rate_groups is None:
        return {}
    if isinstance(rate_groups, Mapping):
        for name in rate_groups:
            if not isinstance(name, str):
                raise InvalidDataError(f"rate_groups: the key {name!r} is not a name; use text")
        return {name: _labels(labels) for name, labels in rate_groups.items()}
    frame = as_frame(rate_groups)
    if frame is not None:
        return {str(name): _labels(frame[name].to_list()) for name in frame.columns}
    return {ONLY_GROUPING: _labels(rate_groups)}


def _labels(labels: object) -> NDArray[Any]:
    series = nw.from_native(labels, series_only=True, pass_through=True)
    plain = series.to_list() if isinstance(series, nw.Series) else labels
    if isinstance(plain, np.ndarray):
        plain = plain.tolist()
    if isinstance(plain, str) or not hasattr(plain, "__len__") or not hasattr(plain, "__iter__"):
        raise InvalidDataError(f"rate_groups: {labels!r} is no list of labels; give one label a row")
    column = np.empty(len(plain), dtype=object)  # object: 1 and "1" stay apart
    column[:] = [v.item() if isinstance(v, np.generic) else v for v in plain]
    return column


def _read_grouping(name: str, labels: NDArray[Any], n_rows: int, keep: NDArray[np.bool_]) -> Grouping:
    if len(labels) != n_rows:
        raise InvalidDataError(
            f"rate_groups: {name!r} has {len(labels)} labels for {n_rows} rows; give one label a row"
        )
    for i, label in enumerate(labels):
        if is_missing(label):
            raise InvalidDataError(
                f"rate_groups: {name!r} has no label for row {i} (counted from 0); "
                "give it one, such as 'unknown', or drop the row"
            )
        if isinstance(label, list | tuple | dict | set):
            raise InvalidDataError(
                f"rate_groups: {name!r} has {label!r} for row {i} (counted from 0); give one label a row"
            )
    kept = labels[keep].tolist()
    found = sorted(set(kept), key=lambda v: (str(type(v)), v) if isinstance(v, str) else ("", repr(v)))
    position = {label: k for k, label in enumerate(found)}
    return Grouping(
        name=name, labels=tuple(found), codes=np.array([position[v] for v in kept], dtype=np.intp)
    )
